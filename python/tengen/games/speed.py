"""How fast the engines are: random play-outs per second of one thread, ours and OpenSpiel's in turn.

Both play uniformly over the legal actions, in C++, from the same start. They take turns in short slices, so that what
else runs on the machine hits both, and the median slice counts. Seconds are those that the thread had a processor.
"""

import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tengen.games import load

__all__ = ["CONTESTS", "Contest", "Speed", "has_openspiel", "measure"]

Playouts = Callable[[int, int], object]  # (number of games, seed): plays them


@dataclass(frozen=True)
class Contest:
    """A game of ours and the same in OpenSpiel."""

    key: str
    name: str
    openspiel: str
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
    Contest("connect_four_python", str(EXAMPLES / "connect_four.py"), "connect_four", engine="connect_four"),
)


@dataclass(frozen=True)
class Speed:
    """Play-outs per second; None where there was nothing to measure."""

    key: str
    tengen: float
    openspiel: float | None
    engine: float | None

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


def measure(slices: int, seconds: float) -> Iterator[Speed]:
    """The speed of every game, one after the other; each side gets `slices` turns of about `seconds`."""
    for contest in CONTESTS:
        if contest.name.endswith(".py") and not Path(contest.name).exists():
            continue
        sides: dict[str, Playouts] = {"tengen": load(contest.name, **contest.options).random_playouts}
        if has_openspiel():
            sides["openspiel"] = _theirs(contest.openspiel)
        if contest.engine:
            sides["engine"] = load(contest.engine).random_playouts
        rates = _rates(sides, slices, seconds)
        yield Speed(contest.key, rates["tengen"], rates.get("openspiel"), rates.get("engine"))


def _theirs(name: str) -> Playouts:
    """Random games of OpenSpiel's MCTS: a search of one simulation evaluates the root by `games` play-outs."""
    import pyspiel

    game = pyspiel.load_game(name)
    state = game.new_initial_state()

    def play(games: int, seed: int) -> object:
        evaluator = pyspiel.RandomRolloutEvaluator(games, seed)
        bot = pyspiel.MCTSBot(
            game, evaluator, uct_c=2.0, max_simulations=1, max_memory_mb=1, solve=False, seed=seed, verbose=False
        )
        return bot.mcts_search(state)

    return play


def _rates(sides: dict[str, Playouts], slices: int, seconds: float) -> dict[str, float]:
    """The median rate of each side over slices played in turn."""
    games = {side: _games_in(play, seconds) for side, play in sides.items()}
    rates: dict[str, list[float]] = {side: [] for side in sides}
    for seed in range(slices):
        for side, play in sides.items():
            rates[side].append(games[side] / _seconds(play, games[side], seed))
    return {side: statistics.median(values) for side, values in rates.items()}


def _games_in(play: Playouts, seconds: float) -> int:
    """How many games take about that long."""
    games = 1
    while (taken := _seconds(play, games, seed=0)) < seconds / 4:
        games *= 2
    return max(1, round(games * seconds / taken))


def _seconds(play: Playouts, games: int, seed: int) -> float:
    start = time.thread_time()
    play(games, seed)
    return max(time.thread_time() - start, 1e-9)  # the clock may stand still
