"""How good the moves of a network are, measured on positions that are solved.

Such a position has a score for every legal action, for the player to move: an action wins above 0, draws at 0 and loses
below 0; a sooner win and a later loss have higher scores. A move is *good* if it keeps the win, draw or loss that the
position is worth, and *perfect* if no other move has a higher score.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tengen._core import Game, State, TengenError
from tengen.base.crew import Crew, Hand, Threads
from tengen.base.reading import UnreadableError, read_text
from tengen.external.solvers import MOST_STATES, TooManyPositionsError, solve_all
from tengen.network import NetworkEvaluator, make_evaluator
from tengen.network.checkpoint import NetworkFile
from tengen.players import NetworkPlayer, Player, SearchPlayer, playing_evaluator, playing_params

__all__ = [
    "Evaluated",
    "PositionsError",
    "Quality",
    "ScoredPositions",
    "evaluate_network",
    "known_positions",
    "load_positions",
    "move_quality",
    "solved_positions",
]

MOST_POSITIONS_BYTES = 1 << 30  # of a file
ILLEGAL = -99  # the score of a full column in a position file
PART = 128  # positions that a thread answers in one batch
BUNDLED = Path(__file__).parent / "positions"


class PositionsError(TengenError):
    """Invalid positions, or a game for which there are no solved positions."""


@dataclass(frozen=True)
class ScoredPositions:
    """Positions with the score of every action."""

    states: tuple[State, ...]
    scores: NDArray[np.float64]  # [N, A] for the player to move; NaN where an action is not legal
    about: str  # a description of the positions, as "positions that come with tengen"

    def __len__(self) -> int:
        return len(self.states)

    def some(self, count: int) -> ScoredPositions:
        """So many of them, spread evenly; all if there are not more."""
        if count >= len(self):
            return self
        chosen = np.linspace(0, len(self) - 1, count).round().astype(int)
        return ScoredPositions(tuple(self.states[i] for i in chosen), self.scores[chosen], f"of the {self.about}")


@dataclass(frozen=True)
class Quality:
    """Shares of the positions, from 0 to 1."""

    good: float
    perfect: float


@dataclass(frozen=True)
class Evaluated:
    """The quality of a network alone and, if there were any simulations, with search."""

    raw: Quality
    search: Quality | None
    simulations: int


@dataclass(frozen=True)
class _Networks:
    """Players of a network: made of evaluators that are there, or of a file, on whatever machine."""

    evaluators: Callable[[int], Sequence[NetworkEvaluator]]  # so many
    game: Game
    simulations: int  # 0: the network alone
    changes: Mapping[str, object] = field(default_factory=dict)  # of the parameters of the search

    def __call__(self, number: int) -> list[Player]:
        evaluators = self.evaluators(number)
        if self.simulations == 0:
            return [NetworkPlayer("network", evaluator) for evaluator in evaluators]
        params = playing_params(evaluators[0].network, self.simulations, self.game).replace(**self.changes)
        return [SearchPlayer("search", params, playing_evaluator(each, self.game)) for each in evaluators]


def evaluate_network(
    evaluators: Sequence[NetworkEvaluator],
    positions: ScoredPositions,
    simulations: int,
    crew: Crew | None = None,
    changes: Mapping[str, object] | None = None,
) -> Evaluated:
    """Measures a network on positions; with 0 simulations only without search. `evaluators` has a clone a thread of
    this machine; a `crew` makes its own of the same network. `changes` are parameters of the search that differ from
    those of play.
    """
    game = positions.states[0].game
    makes = partial(_given, evaluators) if crew is None else partial(_evaluators, evaluators[0].network, game)
    crew = crew or Threads(len(evaluators))
    raw = _quality(crew, _Networks(makes, game, 0), positions)
    if simulations == 0:
        return Evaluated(raw, None, 0)
    return Evaluated(raw, _quality(crew, _Networks(makes, game, simulations, changes or {}), positions), simulations)


def _given(evaluators: Sequence[NetworkEvaluator], number: int) -> Sequence[NetworkEvaluator]:
    return evaluators[:number]


def _evaluators(network: NetworkFile, game: Game, number: int) -> Sequence[NetworkEvaluator]:
    first = make_evaluator(network, threads=1, game=game)
    return [first, *(first.clone() for _ in range(number - 1))]


def move_quality(players: Sequence[Player], positions: ScoredPositions, seed: int = 0) -> Quality:
    """The shares of good and perfect moves of a player, who is there once a thread."""
    return _quality(Threads(len(players)), lambda number: players[:number], positions, seed)


@dataclass(frozen=True)
class _Questions:
    """Each job is a part of the positions, which are one batch: the answers don't depend on who is asked."""

    players: Callable[[int], Sequence[Player]]
    states: tuple[State, ...]
    seed: int

    def hands(self, number: int) -> list[Hand[int, list[int]]]:
        return [partial(self._answer, player) for player in self.players(number)]

    def _answer(
        self, player: Player, start: int, /, should_stop: Callable[[], bool], on_progress: Callable[[int], None]
    ) -> list[int]:
        states = self.states[start : start + PART]
        return player.choose(states, range(self.seed + start, self.seed + start + len(states)))


def _quality(
    crew: Crew, players: Callable[[int], Sequence[Player]], positions: ScoredPositions, seed: int = 0
) -> Quality:
    parts = crew.do(_Questions(players, positions.states, seed), range(0, len(positions), PART)).answers
    actions = [action for part in parts for action in part]
    chosen = positions.scores[np.arange(len(positions)), actions]  # [N]
    best = np.nanmax(positions.scores, axis=1)
    return Quality(
        good=float(np.mean(np.sign(chosen) == np.sign(best))),
        perfect=float(np.mean(chosen == best)),
    )


def known_positions(game: Game, path: Path | None = None, most_states: int = MOST_STATES) -> ScoredPositions:
    """Positions of a file; without one those bundled for the game; without those, all positions of a small game."""
    if path is not None:
        return load_positions(path, game)
    bundled = BUNDLED / f"{game.spec.source}.jsonl"
    if bundled.exists() and _is_default(game):
        return load_positions(bundled, game, "positions that come with tengen")
    return solved_positions(game, most_states)


def _is_default(game: Game) -> bool:
    from tengen.games import load

    return load(game.spec.source) == game


# ---- Every position of a small game


def solved_positions(game: Game, most_states: int = MOST_STATES) -> ScoredPositions:
    """Every reachable position of a small game in which the game is not over, solved exhaustively."""
    try:
        solved = solve_all(game, most_states)
    except TooManyPositionsError as error:
        raise PositionsError(f"{error} Give some with --positions, or let players meet with tengen match.") from error
    return ScoredPositions(tuple(solved), np.stack(list(solved.values())), "positions, all that can be reached")


# ---- Position files


def load_positions(path: Path, game: Game, about: str | None = None) -> ScoredPositions:
    """JSON lines with a position and `move score`.

    The position is `board` (cells from the top row; 0 empty, 1 first player, 2 second), `moves`, or `position` (a text
    such as a FEN or a drawing). The scores are a number for each action, or an object with the legal moves by name.
    """
    try:
        lines = read_text(path, MOST_POSITIONS_BYTES).splitlines()
    except UnreadableError as error:
        raise PositionsError(f"The positions {path} can't be read: {error}.") from error
    states: list[State] = []
    scores: list[NDArray[np.float64]] = []
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                state, row = _parse(json.loads(line), game)
            except (ValueError, TypeError, LookupError, OverflowError, RecursionError) as error:
                raise PositionsError(f"{path}, line {number}: {_reason(error)}") from error
            states.append(state)
            scores.append(row)
    if not states:
        raise PositionsError(f"There are no positions in {path}.")
    return ScoredPositions(tuple(states), np.stack(scores), about or f"positions of {path}")


def _reason(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"this is not JSON ({error})."
    if isinstance(error, KeyError):
        return f"there is no {error}."
    if isinstance(error, RecursionError):
        return "lists or objects are too deep in each other."
    return str(error)


def _parse(content: dict[str, Any], game: Game) -> tuple[State, NDArray[np.float64]]:
    if not isinstance(content, dict):
        raise PositionsError("a position is a JSON object.")
    if "position" in content:
        state = game.state(board=content["position"])
    else:
        state = _from_board(content["board"], game) if "board" in content else game.state(content["moves"])
    given = _scores(content["move score"], state)
    legal = state.legal_mask()
    if not legal.any():
        raise PositionsError("the game is over here.")
    if ((given == ILLEGAL) & legal).any() or not np.isfinite(given[legal]).all():
        raise PositionsError("a legal action has no score.")
    return state, np.where(legal, given, np.nan)


def _scores(given: Sequence[float] | dict[str, float], state: State) -> NDArray[np.float64]:
    """A score for each action [A]; ILLEGAL where the file has none."""
    num_actions = state.game.spec.num_actions
    if isinstance(given, dict):
        scores = np.full(num_actions, ILLEGAL, np.float64)
        for move, score in given.items():
            if not state.is_legal(move):
                raise PositionsError(f"'{move}' is not a legal move here.")
            scores[state.parse_action(move)] = score
        return scores
    scores = np.array(given, np.float64)
    if scores.shape != (num_actions,):
        raise PositionsError(f"'move score' needs {num_actions} numbers, one for each action.")
    return scores


def _from_board(cells: Sequence[int], game: Game) -> State:
    height, width = game.spec.height, game.spec.width
    if len(cells) != height * width or not set(cells) <= {0, 1, 2}:
        raise PositionsError(f"'board' needs {height * width} numbers, each 0, 1 or 2.")
    stones = [".XO"[cell] for cell in cells]
    rows = (" ".join(stones[start : start + width]) for start in range(0, len(cells), width))
    return game.state(board="\n".join(rows))
