"""Exact scores of positions: small games by exhaustive search of all positions, Connect Four by BitBully.

A score is for the player to move: above 0 is a win, 0 a draw, below 0 a loss; a sooner win and a later loss have higher
scores. BitBully (https://github.com/MarkusThill/BitBully) is licensed under the AGPL, so tengen does not
import it: it runs as a program of its own, if it is installed, and answers line by line.
"""

from __future__ import annotations

import importlib.util
import sys
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tengen._core import Game, State, TengenError
from tengen.base.threads import InUse, one_thread
from tengen.external.process import Program
from tengen.games import load

__all__ = ["BitBullySolver", "Solver", "SolverError", "TooManyPositionsError", "WalkSolver", "find_solver", "solve_all"]

MOST_STATES = 100_000  # upper bound on the positions of a game that is solved exhaustively
SECONDS_PER_POSITION = 120.0  # BitBully needs a second for the empty board, and minutes without its opening book

Scores = NDArray[np.float64]  # [A] for the player to move; NaN where an action is not legal


class SolverError(TengenError):
    """A game that can't be solved here."""


class TooManyPositionsError(SolverError):
    """A game with too many positions to be solved exhaustively."""


class Solver(Protocol):
    """Gives the exact score of every action. Says in its own words what threads may do."""

    def scores(self, state: State) -> Scores:
        """For a state whose game is not over."""
        ...


def find_solver(game: Game) -> Solver:
    """The solver of a game; raises SolverError if there is none."""
    if game == load("connect_four"):
        return BitBullySolver()
    return WalkSolver(game)


# ---- Every position


class WalkSolver:
    """Solves the whole game in its constructor; afterwards any thread may ask."""

    def __init__(self, game: Game) -> None:
        self._solved = solve_all(game)

    def scores(self, state: State) -> Scores:
        if state not in self._solved:  # a position set up from a drawing that play can't reach
            raise SolverError("This position can't be reached from the start of the game, so it was not solved.")
        return self._solved[state]


def solve_all(game: Game, most_states: int = MOST_STATES) -> dict[State, Scores]:
    """Every reachable position in which the game is not over, with the score of each action."""
    worth: dict[State, float] = {}  # score of every solved state, for its player to move
    solved: dict[State, Scores] = {}
    stack = [game.initial_state()]
    while stack:
        state = stack[-1]
        if state in worth:
            stack.pop()
            continue
        if state.outcome is not None:
            worth[state] = _final_score(state)
            stack.pop()
            continue
        successors = {action: state.play(action) for action in state.legal_actions}
        unknown = [next_state for next_state in successors.values() if next_state not in worth]
        if unknown:
            if len(worth) + len(stack) > most_states:
                raise TooManyPositionsError(f"{game.spec.name} has too many positions to solve them all.")
            stack += unknown
            continue
        row = np.full(game.spec.num_actions, np.nan)
        for action, next_state in successors.items():
            row[action] = _one_ply_away(worth[next_state], same_player=next_state.to_move == state.to_move)
        worth[state], solved[state] = float(np.nanmax(row)), row
        stack.pop()
    return solved


def _final_score(state: State) -> float:
    """A win by the next move scores longest_game, one less for every further ply."""
    assert state.outcome is not None
    return state.outcome.value_for(state.to_move) * (state.game.spec.longest_game + 1.0)


def _one_ply_away(score: float, *, same_player: bool) -> float:
    nearer = score - np.sign(score)
    return float(nearer if same_player else -nearer)


# ---- Connect Four

# Runs in a Python process of its own. Input: a line of 42 cells from the top row; output: "column score ...".
_ASK_BITBULLY = """
import sys
from bitbully import BitBully, Board
solver = BitBully()
print("ready", flush=True)
for line in sys.stdin:
    rows = [[int(cell) for cell in line[start : start + 7]] for start in range(0, 42, 7)]
    scores = solver.score_all_moves(Board(rows))
    print(*(f"{column} {score}" for column, score in scores.items()), flush=True)
"""


class BitBullySolver:
    """Solves Connect Four on 6x7 by a program that is ended with this object.

    For one thread at a time: a call during another thread's raises InUseError.

    If the program fails, ExternalEngineError is raised, and the next call starts it again.
    """

    def __init__(self) -> None:
        if importlib.util.find_spec("bitbully") is None:
            raise SolverError("Connect Four is solved by BitBully, which is not installed: pip install bitbully.")
        self._in_use = InUse("This solver")
        self._program = self._started()

    @one_thread
    def scores(self, state: State) -> Scores:
        if self._program.closed:
            self._program = self._started()
        try:
            return self._scores(state)
        except BaseException:  # also after Ctrl-C: an answer may be in flight
            self._program.close()
            raise

    def _scores(self, state: State) -> Scores:
        assert state.cells is not None
        self._program.send("".join(map(str, state.cells.ravel().tolist())) + "\n")
        words = self._program.read_to(b"\n", SECONDS_PER_POSITION).split()
        row = np.full(state.game.spec.num_actions, np.nan)
        row[[int(column) for column in words[::2]]] = [float(score) for score in words[1::2]]
        if not np.array_equal(~np.isnan(row), state.legal_mask()):
            raise self._program.blame(f"scored other moves ({words[::2]}) than the legal ones")
        return row

    def _started(self) -> Program:
        program = Program("BitBully", [sys.executable, "-c", _ASK_BITBULLY])
        if program.read_to(b"\n", SECONDS_PER_POSITION).split() != ["ready"]:
            raise program.blame("did not start as it should")
        return program
