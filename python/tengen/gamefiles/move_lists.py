"""Plain move lists: a game a line, as words of the game's own notation. They exist for every game.

    f5 d6 c3 d3 c4 b3        f5d6c3d3c4b3        1. e4 e5 2. Nf3 1-0        d3 d4 W+R

Lines that begin with # are comments. Passes may be left out where a player can do nothing else. A result may come last,
as in PGN (1-0: the first player won) or as in SGF (B: the first player, W: the second).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TextIO

from tengen._core import Game, State
from tengen.gamefiles.found import BadGameError, FoundGame, Said, left_out_pass
from tengen.gamefiles.sgf_games import said_by_sgf

__all__ = ["list_game", "listed_moves", "split_lines"]

LONGEST_LINE = 1 << 20  # characters
NUMBER = re.compile(r"\d+\.+")
JOINED = re.compile(r"(?:[A-Za-z]\d{1,2})+")  # f5d6c3, squares without spaces between them
SQUARE = re.compile(r"[A-Za-z]\d{1,2}")
RESULTS = {"1-0": 0, "0-1": 1, "1/2-1/2": None, "B+": 0, "W+": 1}
SAID = re.compile(r"[BW]\+\S*|0|draw", re.IGNORECASE)


def split_lines(stream: TextIO) -> Iterator[tuple[int, str | BadGameError]]:
    """The lines with a game, by number."""
    number = 0
    while line := stream.readline(LONGEST_LINE):
        number += 1
        if len(line) == LONGEST_LINE:
            yield number, BadGameError("too large", f"The line is longer than {LONGEST_LINE:,} characters.")
            while line and not line.endswith("\n"):
                line = stream.readline(LONGEST_LINE)
        elif line.strip() and not line.startswith("#"):
            yield number, line


def list_game(game: Game, text: str) -> FoundGame:
    """The game of a line."""
    moves, said = listed_moves(game, text)
    return FoundGame(moves, None, said)


def listed_moves(game: Game, text: str) -> tuple[tuple[tuple[int | None, int], ...], Said | None]:
    """The moves of a text, played from the initial state, and the result if it ends with one."""
    state = game.initial_state()
    moves: list[tuple[int | None, int]] = []
    said: Said | None = None
    is_over = False
    for word in _words(text, has_squares=game.spec.action_layout == "cells"):
        if said is not None:
            raise BadGameError("damaged", f"'{word[:20]}' comes after the result.")
        action = None if is_over else _action(state, word)
        if action is None and (said := _result(word)) is not None:
            continue
        if word == "*":
            break
        if is_over:
            continue  # play_found cuts a game where the rules do
        if action is None:
            raise BadGameError(
                "illegal move", f"Move {len(moves) + 1}, '{word[:20]}', is not a move of {game.spec.name}."
            )
        state = _after_left_out_pass(state, action)
        if not state.is_legal(action):
            raise BadGameError("illegal move", f"Move {len(moves) + 1}, '{word[:20]}', is not legal there.")
        moves.append((None, action))
        state = state.play(action)
        is_over = state.outcome is not None
    return tuple(moves), said


def _words(text: str, *, has_squares: bool) -> Iterator[str]:
    """Words of the text; where moves are squares, those of f5d6c3 too."""
    for word in NUMBER.sub(" ", text).replace(",", " ").split():
        if has_squares and len(word) > 3 and JOINED.fullmatch(word):
            yield from SQUARE.findall(word)
        else:
            yield word


def _action(state: State, word: str) -> int | None:
    for written in (word, word.lower(), word.upper()):
        action = state.parse_action(written)
        if action is not None:
            return action
    return None


def _after_left_out_pass(state: State, action: int) -> State:
    skip = left_out_pass(state.game)
    if skip is None or action == skip or state.is_legal(action) or state.legal_actions != (skip,):
        return state
    return state.play(skip)


def _result(word: str) -> Said | None:
    if word in RESULTS:
        return Said(RESULTS[word])
    return said_by_sgf(word) if SAID.fullmatch(word) else None
