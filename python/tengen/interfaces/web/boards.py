"""Any game as the page draws it: its board, and a state's stones and actions as cells of that board.

Cells are counted from the top left, row by row. A game that does not say what stands on its board (State.cells) has an
empty one, and actions without cells are buttons.
"""

from __future__ import annotations

import re

from tengen import Game, Outcome, State
from tengen.interfaces.web.shapes import ActionWord, BoardWord, OutcomeWord, Position, StateWord

__all__ = ["action_word", "board_word", "outcome_word", "position_of", "state_word"]

ON_POINTS = ("go", "gomoku")  # played on the crossings of lines


def board_word(game: Game) -> BoardWord:
    """What a page must know to draw the board of this game."""
    spec = game.spec
    columns, rows = _names(game)
    points = spec.source in ON_POINTS
    return BoardWord(
        height=spec.height,
        width=spec.width,
        kind="columns" if spec.action_layout == "columns" else "points" if points else "cells",
        columns=columns,
        rows=rows,
        players=spec.player_names,
        stars=_stars(spec.height) if points else [],
    )


def state_word(state: State, position: Position) -> StateWord:
    """A state that was reached by this position's moves."""
    before = state.game.state(state.moves[:-1]) if state.moves else None
    return StateWord(
        position=position,
        board=board_word(state.game),
        to_move=state.to_move,
        cells=_stones(state),
        legal=[action_word(state, action) for action in state.legal_actions],
        last=action_word(before, state.moves[-1]) if before else None,
        outcome=outcome_word(state.game, state.outcome),
    )


def position_of(state: State, asked: Position) -> Position:
    """The position of a state in the game that was asked about, its moves written as the game writes them."""
    return asked.model_copy(update={"moves": [state.action_text(action) for action in state.moves]})


def action_word(state: State, action: int) -> ActionWord:
    """A legal action: a cell, the cell that a stone falls to in a column, or a button."""
    return ActionWord(action=action, text=state.action_text(action), cells=_cells(state, action))


def outcome_word(game: Game, outcome: Outcome | None) -> OutcomeWord | None:
    """How a game ended, or will end."""
    if outcome is None:
        return None
    winner = outcome.winner
    text = "a draw" if winner is None else f"{game.spec.player_names[winner]} wins"
    return OutcomeWord(winner=winner, text=text)


def _cells(state: State, action: int) -> list[int]:
    """From and to, or to alone; a column that does not say where its stone falls to is clicked as a whole."""
    spec, where = state.game.spec, state.game.action_cells(state, action)
    cells = [cell for cell in (where.source, where.target) if cell is not None]
    if spec.action_layout == "columns" and not cells:
        return list(range(action, spec.height * spec.width, spec.width))
    return cells


def _stones(state: State) -> list[int | None]:
    """Whose stone is on each cell."""
    spec = state.game.spec
    if state.cells is None:
        return [None] * (spec.height * spec.width)
    owners = [None, *(piece.owner for piece in spec.pieces)]
    return [owners[code] for code in state.cells.ravel().tolist()]


def _names(game: Game) -> tuple[list[str], list[str]]:
    """Of the columns from the left and of the rows from the top, as the game writes its actions."""
    spec = game.spec
    upwards = [str(spec.height - row) for row in range(spec.height)]
    if spec.action_layout == "columns":
        return [game.action_text(column) for column in range(spec.width)], upwards
    if spec.action_layout == "cells":
        top = [re.fullmatch(r"([A-Za-z]+)(\d+)", game.action_text(column)) for column in range(spec.width)]
        left = [re.fullmatch(r"([A-Za-z]+)(\d+)", game.action_text(row * spec.width)) for row in range(spec.height)]
        if all(top) and all(left):
            return [found[1] for found in top if found], [found[2] for found in left if found]
    return [str(column + 1) for column in range(spec.width)], upwards


def _stars(size: int) -> list[tuple[int, int]]:
    """The points that a wooden board marks: corners, the middle, and on large boards the sides."""
    edge = 3 if size >= 13 else 2
    lines = [edge, size // 2, size - 1 - edge]
    if size % 2 == 0 or size < 7:
        return []
    middle = size // 2
    return [(row, column) for row in lines for column in lines if size >= 19 or (row == middle) == (column == middle)]
