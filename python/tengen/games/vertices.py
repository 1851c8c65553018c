"""Vertices, the moves of the Go Text Protocol: a column letter from A without I and a row number; or `pass`.

They exist for games whose actions are the cells of a square board and at most one pass: Go, Othello, Gomoku. Rows are
counted as in the game's own notation: in Othello from the top, in the others from the bottom.
"""

from __future__ import annotations

from tengen._core import Game, TengenError

__all__ = ["COLUMNS", "NoVerticesError", "check_has_vertices", "pass_action", "vertex_action", "vertex_text"]

COLUMNS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"


class NoVerticesError(TengenError):
    """A game whose moves are not vertices of the Go Text Protocol."""


def check_has_vertices(game: Game) -> None:
    """Raises NoVerticesError for a game whose moves can't be written as vertices."""
    spec = game.spec
    extra = spec.num_actions - spec.height * spec.width
    if spec.action_layout != "cells" or spec.height != spec.width or spec.width > len(COLUMNS) or extra > 1:
        raise NoVerticesError(
            f"The Go Text Protocol is for games on a square board where a move is a cell, such as go, othello and "
            f"gomoku; {spec.name} is not one of them."
        )


def pass_action(game: Game) -> int | None:
    """The action that passes; None in a game without a pass."""
    cells = game.spec.height * game.spec.width
    return cells if game.spec.num_actions > cells else None


def vertex_text(game: Game, action: int) -> str:
    """'D4' or 'pass'."""
    if action == pass_action(game):
        return "pass"
    row, column = divmod(action, game.spec.width)
    return f"{COLUMNS[column]}{row + 1 if _from_the_top(game) else game.spec.height - row}"


def vertex_action(game: Game, text: str) -> int | None:
    """The action of a vertex, in upper or lower case; None for any other text."""
    text = text.upper()
    if text == "PASS":
        return pass_action(game)
    column, number = COLUMNS.find(text[:1]), text[1:]
    if not text or column < 0 or not (number.isascii() and number.isdecimal() and len(number) <= 2):
        return None
    row = int(number) - 1 if _from_the_top(game) else game.spec.height - int(number)
    inside = 0 <= row < game.spec.height and column < game.spec.width
    return row * game.spec.width + column if inside else None


def _from_the_top(game: Game) -> bool:
    return game.action_text(0).endswith("1") and game.spec.height > 1 and len(game.action_text(0)) == 2
