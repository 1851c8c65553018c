"""What must hold for every game and every state: checked on fixed games by test_contract.py, on generated ones by
test_laws.py. A new game of the registry is checked with its default options; more of them are listed in OPTIONS.
"""

import itertools
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pytest

import tengen
from tengen._core import game_entries

OPTIONS: dict[str, list[dict[str, float]]] = {
    "gomoku": [{"size": 5}, {"size": 7, "exactly_five": True}, {"size": 9, "exactly_five": True}, {"size": 19}],
    "mnk": [{"m": 1, "n": 1, "k": 1}, {"m": 7, "n": 1, "k": 2}, {"m": 4, "n": 6, "k": 4}, {"m": 12, "n": 8, "k": 5}],
    "connect_four": [
        {"rows": 7, "columns": 8},
        {"rows": 1, "columns": 32, "in_a_row": 3},
        {"rows": 5, "columns": 4, "in_a_row": 3},
        {"rows": 3, "columns": 2, "in_a_row": 9},
    ],
    "othello": [{"size": 4}, {"size": 6}],
    "go": [{"size": 2}, {"size": 3, "suicide": True}, {"size": 5, "komi": 0}, {"size": 7, "history": 8}],
    "chess": [{"chess960": 0}, {"chess960": 823, "history": 8, "max_moves": 60}],
    "minichess": [{"size": 6}, {"size": 5, "history": 3, "max_moves": 40}],
    "shogi": [{"alphazero_actions": True, "history": 8, "declaration": True, "max_moves": 80}],
    "minishogi": [{"alphazero_actions": True, "max_moves": 40}, {"history": 8}],
}

# A drawing of these leaves out what came before, and what came before matters.
GAMES_WITH_HISTORY = {"go", "chess", "minichess", "shogi", "minishogi"}


class Variant(NamedTuple):
    """A game with its options. Not the game itself: what Hypothesis gets, it keeps beyond the end of Python."""

    name: str
    options: dict[str, float]

    def load(self) -> tengen.Game:
        return tengen.load(self.name, **self.options)


VARIANTS = [Variant(entry.name, o) for entry in game_entries() for o in [{}, *OPTIONS.get(entry.name, [])]]


def states_of(game: tengen.Game, moves: Iterable[int]) -> list[tengen.State]:
    """The states of a game, from the first to the last."""
    return list(itertools.accumulate(moves, lambda state, action: state.play(action), initial=game.initial_state()))


def everything(state: tengen.State) -> tuple[Any, ...]:
    """All that can be asked of a state."""
    return (
        str(state),
        repr(state),
        hash(state),
        state.to_move,
        state.legal_actions,
        state.legal_mask().tobytes(),
        state.planes().tobytes(),
        state.outcome,
        state.moves,
    )


def drawn_cells(state: tengen.State) -> list[str]:
    """The marks of the drawing, such as 'X', 'O' or '.', row by row from the top."""
    marks = {".", *(piece.letter for piece in state.game.spec.pieces)}
    width = state.game.spec.width
    lines = [line.split() for line in str(state).splitlines()]
    rows = [words[-width:] for words in lines if width <= len(words) <= width + 1 and set(words[-width:]) <= marks]
    return [mark for row in rows for mark in row]


def drawing_of(cells: Sequence[str], width: int, to_move: int) -> str:
    rows = ["".join(cells[start : start + width]) for start in range(0, len(cells), width)]
    return "\n".join([*rows, f"{'XO'[to_move]} to move"])


def check_actions(state: tengen.State) -> None:
    """Legal actions are sorted and unique; every way to ask says the same; play() takes these and no others."""
    game, legal = state.game, state.legal_actions
    num_actions = game.spec.num_actions
    assert list(legal) == sorted(set(legal) & set(range(num_actions)))
    mask = state.legal_mask()
    assert mask.dtype == np.bool_
    assert mask.shape == (num_actions,)
    assert tuple(np.flatnonzero(mask)) == legal
    assert game.perft(1, state).positions == [1, len(legal)]
    step = 1 + num_actions // 500  # of a game with very many, these will do
    for action in sorted({-2, -1, *range(0, num_actions, step), *legal, num_actions, num_actions + 1}):
        assert state.is_legal(action) == (action in legal)
        if 0 <= action < num_actions:
            assert state.is_legal(state.action_text(action)) == (action in legal)
            assert state.parse_action(state.action_text(action)) == action
        if action in legal:
            assert state.parse_action(state.notation(action)) == action
            assert state.play(action).moves == (*state.moves, action)
        else:
            with pytest.raises(tengen.IllegalActionError):
                state.play(action)


def check_play_leaves_it_alone(state: tengen.State) -> None:
    """A state is a value: nothing that comes after it changes it."""
    before = everything(state)
    for action in state.legal_actions:
        after = state.play(action)
        assert after != state
        after.planes()[:] = 7
    state.planes()[:] = 7
    state.legal_mask()[:] = True
    assert everything(state) == before


def check_text(state: tengen.State) -> None:
    """A state is rebuilt from its moves as numbers, as text, and by evaluating its repr."""
    game = state.game
    rebuilt = [eval(repr(state), {"tengen": tengen})]
    if "board=" not in repr(state):
        rebuilt += [game.state(state.moves), game.state(state.moves_text)]
    for other in rebuilt:
        assert other == state
        assert everything(other) == everything(state)
    for action in state.legal_actions:
        assert state.play(state.action_text(action)) == state.play(action)


def check_drawing(state: tengen.State) -> None:
    """The drawing reads back as the same state; where history matters, as the same board."""
    drawn = state.game.state(board=str(state))
    assert drawn_cells(drawn) == drawn_cells(state)
    assert drawn == state.game.state(board=state.position_text)
    assert drawn.position_text == state.position_text
    if state.game.spec.name not in GAMES_WITH_HISTORY:
        assert drawn == state
        assert everything(drawn)[2:8] == everything(state)[2:8]
        assert str(drawn) == str(state)
        assert eval(repr(drawn), {"tengen": tengen}) == state


def check_outcome(state: tengen.State) -> None:
    """A game is over exactly when there is no legal action; what one player wins the other loses."""
    outcome = state.outcome
    assert (outcome is None) == (len(state.legal_actions) > 0)
    if outcome is None:
        return
    assert outcome.is_draw == (outcome.winner is None)
    assert sum(outcome.returns) == 0
    for player in (0, 1):
        expected = 0 if outcome.winner is None else 1 if outcome.winner == player else -1
        assert outcome.returns[player] == outcome.value_for(player) == expected


def check_planes(state: tengen.State) -> None:
    """Finite float32 of the stated shape; the first planes are the drawn pieces, own and then the opponent's."""
    spec, planes = state.game.spec, state.planes()
    assert planes.dtype == np.float32
    assert planes.shape == spec.planes_shape == (spec.num_planes, spec.height, spec.width)
    assert len(spec.plane_names) == spec.num_planes
    assert np.isfinite(planes).all()
    cells = np.array(drawn_cells(state)).reshape(spec.height, spec.width)
    if spec.action_layout == "planes" and state.to_move == 1:  # pieces that move: each player sees them going up
        cells = cells[::-1] if spec.hands == () else cells[::-1, ::-1]  # chess is mirrored, shogi turned
    for plane, piece in zip(planes, sorted(spec.pieces, key=lambda piece: piece.owner != state.to_move), strict=False):
        assert np.array_equal(plane, cells == piece.letter)


STATE_LAWS = (check_actions, check_play_leaves_it_alone, check_text, check_drawing, check_outcome, check_planes)


def cell_sources(symmetry: tengen.Symmetry, spec: tengen.GameSpec) -> npt.NDArray[np.int64]:
    """For every cell of the new board the cell of the old one that it shows. [H * W]"""
    numbers = np.arange(spec.height * spec.width, dtype=np.float32).reshape(1, spec.height, spec.width)
    return symmetry.planes(numbers).astype(np.int64).ravel()


def check_symmetry_is_shared_by_the_rules(game: tengen.Game, moves: Sequence[int], symmetry: tengen.Symmetry) -> None:
    """The same game on a turned board: turned planes, turned policies and the same result at every move.

    It starts from the turned first position, which in Othello is another one.
    """
    spec, first = game.spec, game.initial_state()
    cells = drawn_cells(first)
    turned_cells = [cells[source] for source in cell_sources(symmetry, spec)]
    turned = first
    if turned_cells != cells:
        turned = game.state(board=drawing_of(turned_cells, spec.width, first.to_move))
    state = first
    for action in [*moves, None]:
        assert np.array_equal(turned.planes(), symmetry.planes(state.planes()))
        assert tuple(sorted(map(symmetry.action, state.legal_actions))) == turned.legal_actions
        mask = state.legal_mask().astype(np.float32)
        assert np.array_equal(symmetry.policy(mask), turned.legal_mask())
        assert (state.to_move, state.outcome) == (turned.to_move, turned.outcome)
        if action is not None:
            state, turned = state.play(action), turned.play(symmetry.action(action))
