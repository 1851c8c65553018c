"""The language of GTP: parsing of arguments, and the formats of analyses."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tengen import Game
from tengen.engine import Analysis
from tengen.games.vertices import vertex_text
from tengen.interfaces.lines import Refusal, whole_number, without_controls

__all__ = [
    "AnalysisWords",
    "analysis_words",
    "clean",
    "katago_words",
    "leela_words",
    "player_of",
]


def clean(line: str) -> str:
    """A line without control characters and comments."""
    return without_controls(line).partition("#")[0].strip()


def player_of(word: str) -> int:
    colours = {"b": 0, "black": 0, "w": 1, "white": 1}
    if word.lower() not in colours:
        raise Refusal("syntax error")
    return colours[word.lower()]


class AnalysisWords(NamedTuple):
    """The arguments of a command that streams analyses."""

    player: int | None  # None: the player to move
    seconds: float  # between two reports
    ownership: bool


def analysis_words(words: list[str]) -> AnalysisWords:
    """Parses `B 50`, `interval 50` or `50`, then `ownership true`; other pairs are ignored."""
    colour: int | None = None
    if words and not words[0].isdecimal() and words[0].lower() in ("b", "w", "black", "white"):
        colour, words = player_of(words[0]), words[1:]
    centiseconds, ownership = 100, False
    if words and words[0].isdecimal():
        centiseconds, words = whole_number(words[0]), words[1:]
    if len(words) % 2:
        raise Refusal("syntax error")
    for name, value in zip(words[::2], words[1::2], strict=True):
        if name == "interval":
            centiseconds = whole_number(value)
        elif name == "ownership":
            ownership = value == "true"
    return AnalysisWords(colour, max(1, centiseconds) / 100.0, ownership)


# ---- Formats of analyses, as in Leela Zero and KataGo


def leela_words(analysis: Analysis, game: Game, ownership: NDArray[np.float32] | None) -> str:
    """The format of lz-analyze: one line, rates in hundredths of a percent. It has no field for ownership."""
    return " ".join(
        f"info move {vertex_text(game, move.action)} visits {move.visits} winrate {round(10_000 * move.win_rate)} "
        f"prior {round(10_000 * move.prior)} lcb {round(10_000 * move.win_rate)} order {order} "
        f"pv {_line(game, move.line)}"
        for order, move in enumerate(analysis.moves)
    )


def katago_words(analysis: Analysis, game: Game, ownership: NDArray[np.float32] | None) -> str:
    """The format of kata-analyze: one line, rates from 0 to 1."""
    moves = " ".join(
        f"info move {vertex_text(game, move.action)} visits {move.visits} utility {move.value:.6f} "
        f"winrate {move.win_rate:.6f} prior {move.prior:.6f} lcb {move.win_rate:.6f} order {order} "
        f"pv {_line(game, move.line)}"
        for order, move in enumerate(analysis.moves)
    )
    return moves if ownership is None else f"{moves} ownership {_ownership(ownership)}"


def _ownership(chances: NDArray[np.float32]) -> str:
    """Probabilities [H, W] that the player to move owns a cell, as numbers from -1 to 1, row by row from the top."""
    return " ".join(f"{2.0 * chance - 1.0:.3f}" for chance in chances.ravel().tolist())


def _line(game: Game, line: tuple[int, ...]) -> str:
    return " ".join(vertex_text(game, action) for action in line)
