"""Broken engines: tic-tac-toe with one promise of the Game concept broken that a rules file cannot break.

Each pretends to be a tengen.Game whose states are wrapped in the broken kind.
"""

from typing import Any

import numpy as np

import tengen


class Engine:
    """A game whose states are of the given class."""

    backend = "c++"

    def __init__(self, kind: type["Position"]) -> None:
        self.inner = tengen.load("tic_tac_toe")
        self.kind = kind

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def initial_state(self) -> "Position":
        return self.kind(self.inner.initial_state())

    def state(self, board: str) -> "Position":
        return self.kind(self.inner.state(board=board))


class Position:
    """A correct state, wrapped."""

    def __init__(self, inner: tengen.State) -> None:
        self.inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Position) and self.inner == other.inner

    def __hash__(self) -> int:
        return hash(self.inner)

    def __str__(self) -> str:
        return str(self.inner)

    def play(self, action: int) -> "Position":
        return type(self)(self.inner.play(action))


class SameHash(Position):
    def __hash__(self) -> int:
        return hash(len(self.inner.moves))


class HashOfTheObject(Position):
    def __hash__(self) -> int:
        return id(self) // 16


class PlaysAnything(Position):
    def play(self, action: int) -> Position:
        return super().play(action) if self.inner.is_legal(action) else self


class SaysAnythingIsLegal(Position):
    def is_legal(self, action: int) -> bool:
        return True


class LeavesAPlaneUnwritten(Position):
    def planes(self, out: Any = None) -> Any:
        out = np.zeros((2, 3, 3), np.float32) if out is None else out
        out[0] = self.inner.planes()[0]
        return out


class GoesOnAfterTheEnd(Position):
    @property
    def legal_actions(self) -> tuple[int, ...]:
        return self.inner.legal_actions or (0,)


class SharesItsMoves(Position):
    """play() changes the state it is called on."""

    def play(self, action: int) -> Position:
        self.inner = self.inner.play(action)
        return type(self)(self.inner)


class RefusesTheCentre(Position):
    def play(self, action: int) -> Position:
        if action == 4:
            raise tengen.IllegalActionError("not there")
        return super().play(action)
