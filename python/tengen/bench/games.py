"""How fast the engines are: random play-outs per second of one thread, ours and OpenSpiel's in turn.

Both play uniformly over the legal actions, in C++, from the same start. They take turns in short slices, so that what
else runs on the machine hits both, and the median slice counts. Seconds are those that the thread had a processor.
"""

import math
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from tengen._core import Game
from tengen.games import load
from tengen.games.options import OPENSPIEL_PREFIX, split_game

__all__ = [
    "CONTESTS",
    "Contest",
    "Speed",
    "Work",
    "contest_of",
    "has_openspiel",
    "measure",
    "openspiel_searches",
    "rates",
]

Work = Callable[[int, int], object]  # (how much: games, searches ..., seed): does it


@dataclass(frozen=True)
class Contest:
    """A game of ours and the same in OpenSpiel."""

    key: str
    name: str
    openspiel: str | None
    options: dict[str, float] = field(default_factory=dict)
    engine: str | None = None  # for Python rules: the C++ engine of the same game


# Examples are part of the source tree, not of the package.
EXAMPLES = Path(__file__).parents[3] / "examples"

CONTESTS = (
    Contest("tic_tac_toe", "tic_tac_toe", "tic_tac_toe"),
    Contest("connect_four", "connect_four", "connect_four"),
    Contest("othello", "othello", "othello"),
    Contest("go_9x9", "go", "go(board_size=9,komi=7.5)", {"size": 9, "komi": 7.5}),
    Contest("go_19x19", "go", "go(board_size=19,komi=7.5)", {"size": 19, "komi": 7.5}),
    Contest("gomoku_15x15", "gomoku", "gomoku(size=15)", {"size": 15}),
    Contest("chess", "chess", "chess", {"max_moves": 0}),
    Contest("shogi", "shogi", "shogi"),
    Contest("connect_four_python", str(EXAMPLES / "connect_four.py"), "connect_four", engine="connect_four"),
)


@dataclass(frozen=True)
class Speed:
    """Play-outs or simulations per second; None where there was nothing to measure."""

    key: str
    tengen: float
    openspiel: float | None
    engine: float | None = None

    @property
    def ratio(self) -> float | None:
        """How many times OpenSpiel's speed."""
        return self.tengen / self.openspiel if self.openspiel else None

    @property
    def engine_ratio(self) -> float | None:
        """What part of the C++ engine's speed Python rules reach."""
        return self.tengen / self.engine if self.engine else None


def has_openspiel() -> bool:
    """Whether OpenSpiel is installed (the extra `tengen[openspiel]`)."""
    try:
        import pyspiel  # noqa: F401
    except ImportError:
        return False
    return True


def contest_of(text: str) -> Contest:
    """The contest of any game, as a command line names it: with OpenSpiel, if the game is there too."""
    name, options = split_game(text)
    game = load(name, **options)
    if name.startswith(OPENSPIEL_PREFIX):
        return Contest(text, name, name.removeprefix(OPENSPIEL_PREFIX))
    known = (contest.openspiel for contest in CONTESTS if load_if_there(contest) == game)
    return Contest(text, name, next(known, None), options)


def load_if_there(contest: Contest) -> Game | None:
    """The game of a contest; the examples are not part of an installed package."""
    missing = contest.name.endswith(".py") and not Path(contest.name).exists()
    return None if missing else load(contest.name, **contest.options)


def measure(slices: int, seconds: float, contests: Sequence[Contest] = CONTESTS) -> Iterator[Speed]:
    """The speed of every game, one after the other; each side gets `slices` turns of about `seconds`."""
    for contest in contests:
        game = load_if_there(contest)
        if game is None:
            continue
        sides: dict[str, Work] = {"tengen": game.random_playouts}
        if contest.openspiel is not None and has_openspiel():
            # A search of one simulation evaluates the root by so many play-outs.
            sides["openspiel"] = partial(openspiel_searches(contest.openspiel), 1)
        if contest.engine:
            sides["engine"] = load(contest.engine).random_playouts
        found = rates(sides, slices, seconds)
        yield Speed(contest.key, found["tengen"], found.get("openspiel"), found.get("engine"))


def openspiel_searches(name: str) -> Callable[[int, int, int], Any]:
    """OpenSpiel's MCTS from the start of a game: (simulations, play-outs to value a leaf, seed) -> root of a new tree.

    Nothing is proven, nothing remembered, and the memory allowed is more than any bench needs.
    """
    import pyspiel

    game = pyspiel.load_game(name)
    state = game.new_initial_state()

    def search(simulations: int, playouts: int, seed: int) -> Any:
        evaluator = pyspiel.RandomRolloutEvaluator(playouts, seed)
        bot = pyspiel.MCTSBot(
            game,
            evaluator,
            uct_c=math.sqrt(2),
            max_simulations=simulations,
            max_memory_mb=4000,
            solve=False,
            seed=seed,
            verbose=False,
        )
        return bot.mcts_search(state)

    return search


def rates(
    sides: dict[str, Work], slices: int, seconds: float, clock: Callable[[], float] = time.thread_time
) -> dict[str, float]:
    """How much each side does per second: the median of slices of about `seconds`, in which the sides take turns.

    The clock counts the processor time of this thread, so that other programs take nothing away from a side.
    """
    amounts = {side: _amount_in(work, seconds, clock) for side, work in sides.items()}
    found: dict[str, list[float]] = {side: [] for side in sides}
    for seed in range(slices):
        for side, work in sides.items():
            found[side].append(amounts[side] / _seconds(work, amounts[side], seed, clock))
    return {side: statistics.median(values) for side, values in found.items()}


def _amount_in(work: Work, seconds: float, clock: Callable[[], float]) -> int:
    """How much takes about that long."""
    amount = 1
    while (taken := _seconds(work, amount, 0, clock)) < seconds / 4:
        amount *= 2
    return max(1, round(amount * seconds / taken))


def _seconds(work: Work, amount: int, seed: int, clock: Callable[[], float]) -> float:
    start = clock()
    work(amount, seed)
    return max(clock() - start, 1e-9)  # the clock may stand still
