"""Actions as records for people have them: Nf3 in chess, P-7f in shogi; of most games the text of the action."""

from __future__ import annotations

from collections.abc import Iterable

from tengen._core import State
from tengen.games.shogi.western import SHOGI, western_notation

__all__ = ["line_notations", "notation"]


def notation(state: State, action: int) -> str:
    """Of one legal action."""
    return western_notation(state, action) if state.game.spec.source in SHOGI else state.notation(action)


def line_notations(state: State, actions: Iterable[int]) -> list[str]:
    """Of actions that are played one after another from a state."""
    notations = []
    for action in actions:
        notations.append(notation(state, action))
        state = state.play(action)
    return notations
