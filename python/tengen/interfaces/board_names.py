"""How a game names the columns and rows of its board: for whoever draws one."""

from __future__ import annotations

import re
from string import ascii_lowercase

from tengen import Game

__all__ = ["board_names"]

SHOGI = ("shogi", "minishogi")
CELL = re.compile(r"([A-Za-z]+)(\d+)")


def board_names(game: Game) -> tuple[list[str], list[str]]:
    """Names of the columns from the left and of the rows from the top, as the game writes its actions."""
    spec = game.spec
    upwards = [str(spec.height - row) for row in range(spec.height)]
    if spec.action_layout == "columns":
        return [game.action_text(column) for column in range(spec.width)], upwards
    if spec.source in SHOGI:  # 7f: files from the right, ranks by letters from the top
        return [str(spec.width - column) for column in range(spec.width)], [_letters(row) for row in range(spec.height)]
    if spec.action_layout == "cells":
        top = [CELL.fullmatch(game.action_text(column)) for column in range(spec.width)]
        left = [CELL.fullmatch(game.action_text(row * spec.width)) for row in range(spec.height)]
        if all(top) and all(left):
            return [found[1] for found in top if found], [found[2] for found in left if found]
    return [_letters(column) for column in range(spec.width)], upwards


def _letters(column: int) -> str:
    """a, b, .. z, aa, ab, .."""
    text = ascii_lowercase[column % 26]
    return text if column < 26 else _letters(column // 26 - 1) + text
