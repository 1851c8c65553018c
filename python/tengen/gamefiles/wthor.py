"""WTHOR: the tables of the French Othello federation, WTH_1977.wtb and on, a file a year.

A header of 16 bytes, then 68 bytes a game: numbers of tournament and players, black's discs, the best that was
possible, and 60 moves, each ten times its row plus its column; passes are left out. The names are in WTHOR.JOU.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from tengen._core import Game
from tengen.gamefiles.found import About, BadGameError, FoundGame, Said

__all__ = ["is_wthor", "player_names", "wthor_games"]

HEADER = struct.Struct("<4BIHH4B")  # date of the file, games, unused, year of the games, size of the board, kind, depth
GAME = struct.Struct("<HHHBB60B")
NAME = 20  # bytes of a player's name
SIZES = (0, 8)  # both mean 8x8


def is_wthor(head: bytes) -> bool:
    """Whether bytes begin with a header of WTHOR: a date, and a year of our time."""
    if len(head) < HEADER.size:
        return False
    century, year, month, day, _, _, of_games, *_ = HEADER.unpack_from(head)
    is_date = 19 <= century <= 30 and year < 100 and 1 <= month <= 12 and 1 <= day <= 31
    return bool(is_date and 1900 <= of_games < 2200)


def player_names(path: Path) -> list[str]:
    """The names in WTHOR.JOU beside a table, by number; empty if it is not there."""
    for name in ("WTHOR.JOU", "wthor.jou"):
        names = path.parent / name
        if names.is_file():
            data = names.read_bytes()[HEADER.size :]
            cells = (data[at : at + NAME] for at in range(0, len(data) - NAME + 1, NAME))
            return [cell.split(b"\0")[0].decode("latin-1").strip() for cell in cells]
    return []


def wthor_games(stream: BinaryIO, game: Game, names: list[str]) -> Iterator[tuple[int, FoundGame | BadGameError]]:
    """The games of a table; instead of a line they have the byte that they begin at."""
    header = stream.read(HEADER.size)
    if game.spec.source != "othello" or game.spec.width != 8:
        yield 0, BadGameError("another game", f"WTHOR has games of Othello on 8x8, not of {game.spec.name}.")
        return
    if not is_wthor(header) or HEADER.unpack(header)[7] not in SIZES:
        yield 0, BadGameError("damaged", "This is not the header of a table of WTHOR on 8x8.")
        return
    _, _, _, _, count, _, year, *_ = HEADER.unpack(header)
    at = HEADER.size
    for _ in range(count):
        data = stream.read(GAME.size)
        if len(data) < GAME.size:
            yield at, BadGameError("damaged", "The table is cut short: it has fewer games than it says.")
            return
        yield at, _game(data, year, names)
        at += GAME.size
    while stream.read(GAME.size):
        yield at, BadGameError("damaged", f"The table has more games than the {count} that its header says.")
        at += GAME.size


def _game(data: bytes, year: int, names: list[str]) -> FoundGame | BadGameError:
    _, black, white, discs, _, *moves = GAME.unpack(data)
    actions: list[tuple[int | None, int]] = []
    for number, move in enumerate(moves, 1):
        if move == 0:
            break
        row, column = divmod(move, 10)
        if not (1 <= row <= 8 and 1 <= column <= 8):
            return BadGameError("illegal move", f"Move {number} is {move}, which is not a square of the board.")
        actions.append((None, (row - 1) * 8 + column - 1))
    players = tuple(names[number] if number < len(names) else "" for number in (black, white))
    margin = 2 * min(discs, 64) - 64
    said = Said.counted(None if margin == 0 else int(margin < 0), abs(margin))
    return FoundGame(tuple(actions), None, said, About(players=(players[0], players[1]), date=str(year)))
