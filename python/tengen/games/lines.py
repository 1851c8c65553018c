"""Several moves in a row: where they lead, and their names. A name may depend on the state in which it is played."""

from __future__ import annotations

from collections.abc import Iterable

from tengen._core import State

__all__ = ["first_state", "last_state", "line_texts", "played_texts"]


def first_state(state: State) -> State:
    """Where the moves of a state began."""
    return state.game.state(board=state.start_board)


def last_state(state: State, actions: Iterable[int]) -> State:
    """Where actions lead that are played one after another from a state."""
    for action in actions:
        state = state.play(action)
    return state


def line_texts(state: State, actions: Iterable[int]) -> list[str]:
    """The names of actions that are played one after another from a state."""
    texts = []
    for action in actions:
        texts.append(state.action_text(action))
        state = state.play(action)
    return texts


def played_texts(state: State) -> list[str]:
    """The names of the moves that led to a state."""
    return line_texts(first_state(state), state.moves)
