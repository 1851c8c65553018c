"""A game in a file, whatever its format: SGF, PGN, KIF or CSA. The format is known by the content.

>>> read = parse_file(b"(;GM[1]SZ[5];B[cc];W[])")
>>> read.start.game.spec.name, len(read.moves)
('go', 2)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tengen._core import Game, State, TengenError
from tengen.games import load
from tengen.games.pgn import LARGEST_PGN, looks_like_pgn, parse_pgn
from tengen.games.sgf import LARGEST_SGF, looks_like_sgf, parse_sgf
from tengen.games.shogi import LARGEST_FILE, read_csa, read_kif
from tengen.games.shogi.csa import is_csa
from tengen.games.shogi.file import decoded_or_none
from tengen.games.shogi.kif import is_kif

__all__ = ["FORMATS", "LARGEST", "FileGame", "GameFileError", "file_format", "parse_file"]

FORMATS = "SGF, PGN, KIF or CSA"
LARGEST = max(LARGEST_SGF, LARGEST_PGN, LARGEST_FILE)  # bytes


class GameFileError(TengenError):
    """A file in none of the formats."""


@dataclass(frozen=True)
class FileGame:
    """The main line of a game. Its moves are legal."""

    start: State
    moves: tuple[int, ...]
    players: tuple[str, str]  # names, or empty


def file_format(content: bytes) -> str | None:
    """SGF, PGN, KIF or CSA; None if it is none of them."""
    if looks_like_sgf(content):
        return "SGF"
    if looks_like_pgn(content):
        return "PGN"
    text = decoded_or_none(content) or ""
    return "CSA" if is_csa(text) else "KIF" if is_kif(text) else None


def parse_file(content: bytes, like: Game | None = None) -> FileGame:
    """The first game of a file. What the file does not say, such as the planes of a network, is as in `like`."""
    found = file_format(content)
    if found is None:
        raise GameFileError(f"This is not a game in {FORMATS}.")
    return PARSERS[found](content, like)


def _from_sgf(content: bytes, like: Game | None) -> FileGame:
    read = parse_sgf(content, like)
    return FileGame(read.start, read.state.moves, read.players)


def _from_pgn(content: bytes, like: Game | None) -> FileGame:
    """With the planes of the other game, but nobody needs to have claimed a draw in it."""
    read = parse_pgn(content)
    spec = read.game.spec
    if like is not None and like.spec.source == spec.source:
        shared = {"history": like.spec.options["history"]}
        read = parse_pgn(content, like=load(spec.source, **{**spec.options, **shared}))
    return FileGame(read.start, tuple(move.action for move in read.line), read.players)


def _from_kif(content: bytes, like: Game | None) -> FileGame:
    read = read_kif(content, like)
    return FileGame(read.start, read.moves, read.players)


def _from_csa(content: bytes, like: Game | None) -> FileGame:
    read = read_csa(content, like)
    return FileGame(read.start, read.moves, read.players)


PARSERS: dict[str, Callable[[bytes, Game | None], FileGame]] = {
    "SGF": _from_sgf,
    "PGN": _from_pgn,
    "KIF": _from_kif,
    "CSA": _from_csa,
}
