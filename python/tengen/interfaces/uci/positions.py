"""The command `position`, and positions that are over by our rules but not by those of the other side."""

from __future__ import annotations

import contextlib

from tengen import Game, State, TengenError
from tengen.interfaces.lines import Refusal
from tengen.interfaces.uci.dialect import Dialect

__all__ = ["parse_position", "revived"]


def parse_position(words: list[str], game: Game, dialect: Dialect) -> State:
    """The state of the words after `position`: startpos or fen <FEN>, then moves <move> ..."""
    middle = words.index("moves") if "moves" in words else len(words)
    start, moves = words[:middle], words[middle + 1 :]
    if start[:1] == ["startpos"] and len(start) > 1:
        raise Refusal(f"after startpos comes the word moves, not '{start[1][:20]}'; the position stays as it was")
    if start == ["startpos"]:
        state = game.initial_state()
    elif start[:1] == [dialect.board] and len(start) > 1:  # a text of one line: FEN, SFEN
        state = game.state(board=" ".join(start[1:]))
    else:
        raise Refusal(f"a position is startpos or {dialect.board} and its text, not '{' '.join(start)[:40]}'")
    for move in moves:
        state = revived(state)
        action = state.parse_action(move)
        if action is None or not state.is_legal(action):
            raise Refusal(f"{move[:20]} is not legal after {len(state.moves)} moves; the position stays as it was")
        state = state.play(action)
    return state


def revived(state: State) -> State:
    """A state in which the game goes on, if there is one with the same position.

    Repetition and long lack of progress end a game here, but a program may play on until somebody claims the draw. The
    position without its history is then searched: the same board, rights and player to move, with counters at 0.
    """
    if state.outcome is None:
        return state
    fields = state.position_text.split(" ")
    texts = [state.position_text, " ".join([*fields[:4], "0", "1"])]  # the second without the counter of a FEN
    for text in texts:
        with contextlib.suppress(TengenError):  # not a position to play on from
            again = state.game.state(board=text)
            if again.outcome is None:
                return again
    return state
