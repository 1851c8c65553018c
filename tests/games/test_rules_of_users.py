"""Rules files as users write them: what numpy offers, and slips that once ended in a traceback or worse."""

from pathlib import Path

import numpy as np
import pytest

import tengen
from tengen._core import alphabeta
from tengen.games.rules import RulesWarning, load_interpreted
from tengen.network import UniformEvaluator
from tengen.search import search

# Marks on a line of six: whoever makes the last one wins. Arrays of bools, sums and masks of numpy.
MARKS = """
import numpy as np
from tengen.games.rules import ONGOING

board = (1, 6)
actions = "cells"
longest_game = 6
plane_names = ["marks"]
pieces = [("mark", "#", None)]
State = np.dtype([("marked", np.bool_, (1, 6)), ("last", np.bool_), ("to_move", np.int8)])

def legal(state, mask):
    for cell in range(6):
        mask[cell] = not state.marked[0, cell]

def play(state, cell):
    state.marked[0, cell] = True
    state.last = not state.last
    state.to_move = 1 - state.to_move

def outcome(state):
    return 1 - state.to_move if state.marked.all() else ONGOING

def planes(state, out):
    for cell in range(6):
        out[0, 0, cell] = state.marked[0, cell]

def cells(state, out):
    out[state.marked] = 1

def score(state):
    return np.sum(state.marked) if outcome(state) == 0 else -np.sum(state.marked)
"""


def marks(folder: Path, old: str = "", new: str = "") -> str:
    assert old in MARKS
    path = folder / "marks.py"
    path.write_text(MARKS.replace(old, new, 1))
    return str(path)


def test_arrays_of_bools_are_compiled(tmp_path: Path) -> None:
    game, twin = tengen.load(marks(tmp_path)), load_interpreted(marks(tmp_path))
    assert (game.backend, twin.backend) == ("compiled", "interpreted")
    assert game.perft(6).positions == twin.perft(6).positions
    state, other = game.state("a1 c1 f1"), twin.state("a1 c1 f1")
    assert np.array_equal(state.planes(), other.planes())
    assert state.planes().ravel().tolist() == [1, 0, 1, 0, 0, 1]
    assert state.cells is not None
    assert state.cells.tolist() == [[1, 0, 1, 0, 0, 1]]


def test_sums_of_numpy_are_numbers(tmp_path: Path) -> None:
    assert tengen.load(marks(tmp_path)).state("a1 c1 f1").score == -3.0
    summed = marks(tmp_path, "if state.marked.all()", "if np.sum(state.marked) == 6")
    assert load_interpreted(summed).state("a1 b1 c1 d1 e1 f1").outcome is not None
    returned = marks(
        tmp_path, "return 1 - state.to_move if state.marked.all() else ONGOING", "return np.max(state.to_move) - 1"
    )
    assert load_interpreted(returned).initial_state().outcome is None


def test_numbers_that_numba_does_not_have_run_interpreted(tmp_path: Path) -> None:
    with pytest.warns(RulesWarning, match="Numba can't handle a field of State"):
        game = tengen.load(marks(tmp_path, '("last", np.bool_)', '("last", np.longdouble)'))
    assert game.backend == "interpreted"


def test_a_game_that_goes_on_without_a_legal_action_is_an_error_for_every_player(tmp_path: Path) -> None:
    game = tengen.load(marks(tmp_path, "range(6):\n        mask", "range(4):\n        mask"))
    stuck = game.state("a1 b1 c1 d1")
    message = (
        r"legal\(\) of marks allows nothing, but outcome\(\) says that the game goes on\. Allow a pass, or end the"
    )
    with pytest.raises(tengen.RulesError, match=message):
        stuck.legal_actions  # noqa: B018
    with pytest.raises(tengen.RulesError, match=message):
        alphabeta(stuck, 2, 1)
    with pytest.raises(tengen.RulesError, match=message):
        alphabeta(game.initial_state(), 6, 1)
    with pytest.raises(tengen.RulesError, match=message):
        search(game, [stuck], UniformEvaluator(game), simulations=8)
    with pytest.raises(tengen.RulesError, match=message):
        game.random_playouts(1, seed=1)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "longest_game = 6",
            "longest_game = 10**12",
            "longest_game is 1,000,000,000,000; at most 1,000,000 can be handled",
        ),
        (
            "    state.last = not state.last\n",
            "    state.last = not state.last\n    return state\n",
            r"play\(\) returned the state; it changes `state` in place and returns nothing",
        ),
        (
            "if state.marked.all()",
            "if not state.marked.any()",
            r"outcome\(\) says that the game is over before the first action; it returned 1",
        ),
    ],
)
def test_slips(tmp_path: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(tengen.RulesError, match=message):
        tengen.load(marks(tmp_path, old, new))
