"""Openings from a file, for matches and tournaments: positions that both players play from both sides.

A file is PGN, whose games are openings from their first to their last move, or text with an opening a line: the moves
of any game ("d3 c3 c4", with or without numbers), or a position as programs write it (FEN, EPD with its opcodes, SFEN),
for shogi also with the words of USI ("startpos moves 7g7f", "sfen ... moves ...").
Empty lines and lines that begin with # are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from tengen._core import Game, State, TengenError
from tengen.games.pgn import has_pgn, iterate_pgn

__all__ = ["LARGEST_FILE", "OpeningsError", "read_openings"]

LARGEST_FILE = 1 << 26  # bytes
NUMBERS = re.compile(r"(?<!\S)\d+\.+(?=\s|[^\s\d])")
USI = re.compile(r"(?:position )?(?:startpos|sfen (?P<board>.+?))(?: moves (?P<moves>.*))?")
EPD_FIELDS = 4  # then come opcodes, where a FEN has two counters


class OpeningsError(TengenError):
    """A file of openings that can't be read, or too few openings in it."""


def read_openings(path: Path, game: Game) -> list[State]:
    """The openings of a file, each of them once; OpeningsError names the line that is wrong."""
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise OpeningsError(f"{path} is too large; the limit is {LARGEST_FILE:,} bytes.")
        text = path.read_text(errors="replace").removeprefix("\ufeff")
    except (OSError, ValueError) as error:
        raise OpeningsError(f"The openings of {path} can't be read: {error}.") from None
    is_pgn = has_pgn(game) and (path.suffix.lower() == ".pgn" or text.lstrip().startswith("["))
    found = dict.fromkeys(_pgn_openings(text, path, game) if is_pgn else _lines(text, path, game))
    openings = [state for state in found if state.outcome is None]
    if not openings:
        raise OpeningsError(f"There are no openings in {path}.")
    return openings


def _pgn_openings(text: str, path: Path, game: Game) -> Iterator[State]:
    try:
        for read in iterate_pgn(text, like=game):
            if read.game != game:
                raise OpeningsError(f"{path} has a game of {read.game.spec.name} that is not of {game!r}.")
            yield read.state
    except OpeningsError:
        raise
    except TengenError as error:
        raise OpeningsError(f"The openings of {path} can't be read: {error}") from None


def _lines(text: str, path: Path, game: Game) -> Iterator[State]:
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            yield _opening(line.strip(), game)
        except TengenError as error:
            raise OpeningsError(f"Line {number} of {path} is no opening of {game.spec.name}: {error}") from None


def _opening(line: str, game: Game) -> State:
    if usi := USI.fullmatch(line):
        return game.state(usi["moves"] or "", board=usi["board"])
    first, *fields = line.split()
    if "/" not in first:
        return game.state(NUMBERS.sub(" ", line))
    counters = fields[EPD_FIELDS - 1 : EPD_FIELDS + 1]
    is_epd = not all(counter.isdecimal() for counter in counters)
    return game.state(board=" ".join([first, *fields[: EPD_FIELDS - 1]]) if is_epd else line)
