"""SGF, as much of it as GTP's loadsgf and printsgf need: the main line of one game, with set-up stones.

Points are two letters, column and row from the top left; a pass is empty, or `tt` on boards up to 19x19.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from tengen import TengenError

__all__ = ["MainLine", "SgfError", "parse_sgf", "write_sgf"]

LETTERS = "abcdefghijklmnopqrstuvwxyz"
# A bracket opens or closes a variation, a semicolon starts a node, and a property has a name and values.
TOKEN = re.compile(r"\s*(?:([();])|([A-Za-z]+)((?:\s*\[(?:\\.|[^\]\\])*\])+))", re.DOTALL)
VALUE = re.compile(r"\[((?:\\.|[^\]\\])*)\]", re.DOTALL)
COLOURS = {"B": 0, "W": 1}


class SgfError(TengenError):
    """A text that is no game in SGF."""


@dataclass(frozen=True)
class MainLine:
    """A game without its variations."""

    size: int
    komi: float | None
    stones: tuple[tuple[int, int], ...]  # player and cell, set up before the first move
    moves: tuple[tuple[int, int | None], ...]  # player and cell; None is a pass


def parse_sgf(text: str) -> MainLine:
    """The first game of a file."""
    start = text.find("(;")
    if start < 0:
        raise SgfError("This is no SGF: there is no game in it.")
    properties = _main_line(text, start)
    size = int(next((_number(value) for name, value in properties if name == "SZ"), 19))
    if not 1 <= size <= len(LETTERS):
        raise SgfError(f"A board of size {size} is none of ours.")
    komi = next((_number(value) for name, value in properties if name == "KM"), None)
    stones: list[tuple[int, int]] = []
    moves: list[tuple[int, int | None]] = []
    for name, value in properties:
        if name in COLOURS:
            moves.append((COLOURS[name], _cell(value, size)))
        elif name in ("AB", "AW") and not moves:
            cell = _cell(value, size)
            if cell is None:
                raise SgfError(f"{name} needs points.")
            stones.append((COLOURS[name[1]], cell))
        elif name in ("AB", "AW", "AE"):
            raise SgfError("Stones are set up in the middle of the game, which is more than a list of moves can say.")
    return MainLine(size, komi, tuple(stones), tuple(moves))


def write_sgf(
    game: str, size: int, komi: float | None, moves: Sequence[tuple[int, int | None]], result: str = ""
) -> str:
    """A file with one game. `game` is the number of SGF's property GM: 1 Go, 2 Othello, 4 Gomoku."""
    head = f"(;GM[{game}]FF[4]CA[UTF-8]AP[tengen]SZ[{size}]"
    if komi is not None:
        head += f"KM[{komi:g}]"
    if result:
        head += f"RE[{result}]"
    body = "".join(f";{'BW'[player]}[{_point(cell, size)}]" for player, cell in moves)
    return f"{head}{body})"


def _main_line(text: str, position: int) -> list[tuple[str, str]]:
    """Names and single values of all properties, following the first variation wherever there are several."""
    found: list[tuple[str, str]] = []
    while match := TOKEN.match(text, position):
        position = match.end()
        sign, name, values = match.groups()
        if sign == ")":
            return found
        if name:
            short = "".join(letter for letter in name if letter.isupper())  # old files write Black for B
            found += [(short, value) for value in VALUE.findall(values)]
    raise SgfError("This SGF is cut short or damaged.")


def _number(text: str) -> float:
    try:
        number = float(text[:20])
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise SgfError(f"'{text[:20]}' is no number.")
    return number


def _cell(value: str, size: int) -> int | None:
    value = value.strip()
    if value == "" or (value == "tt" and size <= 19):
        return None
    column, row = (LETTERS.find(letter) for letter in value) if len(value) == 2 else (-1, -1)
    if not (0 <= column < size and 0 <= row < size):
        raise SgfError(f"'{value[:20]}' is no point of a board of size {size}.")
    return row * size + column


def _point(cell: int | None, size: int) -> str:
    if cell is None:
        return ""
    row, column = divmod(cell, size)
    return LETTERS[column] + LETTERS[row]
