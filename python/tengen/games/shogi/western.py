"""Moves of shogi as books in Western languages write them (Hodges): P-7f, Bx2b+, N*4e, G6i-5h.

The piece, where it came from if another of its kind could have gone there too, how it goes (- moves, x takes, * is
dropped), where to, and + if it promotes or = if it could have.
"""

from __future__ import annotations

from tengen._core import State
from tengen.games.shogi.file import PROMOTED, square_of

__all__ = ["SHOGI", "western_notation"]

SHOGI = ("shogi", "minishogi")


def western_notation(state: State, action: int) -> str:
    """A legal action of shogi or minishogi."""
    usi = state.action_text(action)
    if usi == "win" or usi[1] == "*":  # "win" declares that the king has entered
        return usi
    assert state.cells is not None  # shogi says what stands on its board
    cells, width = state.cells.ravel().tolist(), state.game.spec.width
    source, target = _cell(usi[:2], width), _cell(usi[2:4], width)
    letter = state.game.spec.pieces[cells[source] - 1].letter.upper()
    others = (cell for cell, code in enumerate(cells) if code == cells[source] and cell != source)
    is_one_of_two = letter not in "PK" and any(_goes(state, _square(cell, width), usi[2:4]) for cell in others)
    promotes = "+" if usi.endswith("+") else "=" if state.is_legal(f"{usi}+") else ""
    piece = PROMOTED.get(letter, letter) + (usi[:2] if is_one_of_two else "")
    return f"{piece}{'x' if cells[target] else '-'}{usi[2:4]}{promotes}"


def _cell(square: str, width: int) -> int:
    file, rank = square_of(square)
    return (rank - 1) * width + width - file


def _square(cell: int, width: int) -> str:
    return f"{width - cell % width}{'abcdefghi'[cell // width]}"


def _goes(state: State, source: str, target: str) -> bool:
    return state.is_legal(f"{source}{target}") or state.is_legal(f"{source}{target}+")
