"""FoundGame: a game as a file has it, and how it becomes a record of the game that it is imported for.

A file may leave out passes, go on after the end of the game by our rules, and say a result that its moves do not make:
a player resigned, ran out of time, or both agreed on which stones were dead. The record keeps what the file says.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from tengen._core import Game, IllegalActionError, Outcome, Reason, State, TengenError
from tengen.games.vertices import pass_action
from tengen.records import GameRecord

__all__ = [
    "About",
    "BadGameError",
    "FoundGame",
    "Played",
    "Said",
    "bare_record",
    "left_out_pass",
    "play_found",
    "text_start",
]

MOST_MOVES = 65_535  # of a record
BY_COUNT = "by "  # begins the sentence of a result that was counted: "by 3.5"


class BadGameError(TengenError):
    """A game that can't be imported. `kind` is the reason in a few words, which the summary counts by."""

    def __init__(self, kind: str, sentence: str) -> None:
        super().__init__(sentence)
        self.kind = kind


@dataclass(frozen=True)
class Said:
    """The result as a file says it."""

    winner: int | None  # None: a draw
    reason: Reason = Reason.AGREEMENT
    sentence: str = ""

    @classmethod
    def counted(cls, winner: int | None, margin: float) -> Said:
        """A result in points, as players count it."""
        return cls(winner, Reason.AGREEMENT, f"{BY_COUNT}{margin:g}" if winner is not None else "")


@dataclass(frozen=True)
class About:
    """What a file says about a game beside its moves. Empty or None: it does not say."""

    players: tuple[str, str] = ("", "")  # of the first and the second player
    ratings: tuple[float | None, float | None] = (None, None)  # points, as in 2100
    ranks: tuple[float | None, float | None] = (None, None)  # 1 dan is 1, 1 kyu 0, 2 kyu -1; see ranks.py
    date: str = ""  # YYYY, YYYY-MM or YYYY-MM-DD
    handicap: int = 0  # stones, or pieces that are missing
    komi: float | None = None


@dataclass(frozen=True)
class FoundGame:
    """A game of a file, before it is played by the rules."""

    moves: tuple[tuple[int | None, int], ...]  # the player, if the file says who it was, and the action
    start: State | None = None  # a position of the game that it is imported for; None: the initial state
    said: Said | None = None  # None: the result is not known
    about: About = field(default_factory=About)
    is_cut: bool = False  # its reader left out moves after the end by the rules
    record: GameRecord | None = None  # a record of ours, complete: then the rest is not looked at


@dataclass(frozen=True)
class Played:
    """A record, and whether moves were left out because the game was over by the rules before them."""

    record: GameRecord
    is_cut: bool = False


def text_start(game: Game, start: State) -> State | None:
    """A start of a file in another variant of the game (another komi, other planes), as a position of `game`.

    Its drawing is the one that tengen makes of it, so that a position has the same record whoever wrote it.
    """
    if start == start.game.initial_state():
        return None
    moved = game.state(board=str(game.state(board=str(start))))
    return None if moved == game.initial_state() else moved


def play_found(game: Game, found: FoundGame) -> Played:
    """The record of a found game. BadGameError names the first move that the rules do not allow."""
    if found.record is not None:
        return Played(found.record)
    if len(found.moves) > MOST_MOVES:
        raise BadGameError("too long", f"The game has {len(found.moves):,} moves; a record holds {MOST_MOVES:,}.")
    start = found.start or game.initial_state()
    state, is_cut = _replayed(game, start, found.moves)
    board = None if found.start is None else start.start_board
    return Played(_record(game, state, board, found.said), is_cut or found.is_cut)


def _replayed(game: Game, start: State, moves: Sequence[tuple[int | None, int]]) -> tuple[State, bool]:
    skip = left_out_pass(game)
    if skip is None:
        try:
            return game.state([action for _, action in moves], board=start.start_board), False
        except IllegalActionError:
            pass  # move by move, to say which, or to end where the game does
    state = start
    for number, (player, action) in enumerate(moves, 1):
        if state.outcome is None and skip is not None and action != skip and _needs_pass(state, player, action, skip):
            state = state.play(skip)
        if state.outcome is not None:
            if action == skip:
                continue
            return state, True
        if player is not None and state.to_move != player:
            if action == skip:
                continue
            raise BadGameError("out of turn", f"Move {number}, {state.action_text(action)}, is out of turn.")
        if not state.is_legal(action):
            raise BadGameError("illegal move", f"Move {number}, {_named(state, action)}, is not legal there.")
        state = state.play(action)
    return state, False


def left_out_pass(game: Game) -> int | None:
    """The pass of a game on cells, which files may leave out; None in a game without one."""
    return pass_action(game) if game.spec.action_layout == "cells" else None


def _needs_pass(state: State, player: int | None, action: int, skip: int) -> bool:
    """Whether a file left out a pass before this move: the other player's turn, or one who can only pass."""
    if player is not None:
        return state.to_move != player and state.is_legal(skip)
    return not state.is_legal(action) and state.is_legal(skip)


def _named(state: State, action: int) -> str:
    return f"'{state.action_text(action)}'" if 0 <= action < state.game.spec.num_actions else f"action {action}"


def _record(game: Game, state: State, start: str | None, said: Said | None) -> GameRecord:
    by_rules = state.outcome
    if said is None:
        # Two passes end a game of Go, but not before the players have taken the dead stones off: then nobody knows.
        if by_rules is not None and game.spec.source == "go":
            return bare_record(state.moves, start=start)
        return bare_record(state.moves, start=start, outcome=by_rules)
    if by_rules is not None and by_rules.winner == said.winner:
        return bare_record(state.moves, start=start, outcome=by_rules)
    outcome = Outcome(said.winner, said.reason, said.sentence)
    if by_rules is None and said.reason == Reason.RESIGNATION and said.winner is not None:
        return bare_record(state.moves, start=start, outcome=Outcome(said.winner, said.reason), resigned=True)
    return bare_record(state.moves, start=start, outcome=outcome, adjudicated=True)


def bare_record(
    moves: Iterable[int],
    *,
    start: str | None = None,
    outcome: Outcome | None = None,
    resigned: bool = False,
    adjudicated: bool = False,
) -> GameRecord:
    """A record without search results. Without an outcome it is a game that is over, but nobody knows its result."""
    nothing, no_floats = np.zeros(0, np.uint16), np.zeros(0, np.float32)
    return GameRecord(
        moves=np.array(tuple(moves), np.uint16),
        recorded=nothing,
        offsets=np.zeros(1, np.int64),
        actions=nothing,
        parts=nothing,
        root_values=no_floats,
        surprise=no_floats,
        outcome=outcome,
        start=start,
        resigned=resigned,
        adjudicated=adjudicated or outcome is None,
        reason="" if outcome is None else outcome.reason.value,
        sentence="" if outcome is None else outcome.sentence,
    )
