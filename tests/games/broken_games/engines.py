"""Broken engines: tic-tac-toe with one promise of the Game concept broken that a rules file cannot break.

Each pretends to be a tengen.Game whose states are wrapped in the broken kind.
"""

from typing import Any

import numpy as np

import tengen


class Spec:
    """The spec of a game with another bound of the legal actions."""

    def __init__(self, inner: tengen.GameSpec, most_legal: int) -> None:
        self.inner = inner
        self.most_legal = most_legal

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)


class Engine:
    """A game whose states are of the given class."""

    backend = "c++"

    def __init__(self, kind: type["Position"]) -> None:
        self.inner = tengen.load("tic_tac_toe")
        self.kind = kind
        self.spec = Spec(self.inner.spec, 8 if kind is SaysFewAreLegal else 9)

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


class SaysFewAreLegal(Position):
    """Its game promises that at most 8 actions are legal."""


class ShowsOtherCells(Position):
    """What stands on the cells is not what the planes show: the board is transposed."""

    @property
    def cells(self) -> Any:
        own, opponents = self.inner.planes()[:2] != 0
        first, second = (own, opponents) if self.inner.to_move == 0 else (opponents, own)
        return (first + 2 * second).astype(np.int8).T


class ScoresForTheOther(Position):
    """The score is positive if the second player has won."""

    @property
    def score(self) -> float:
        outcome = self.inner.outcome
        return 0.0 if outcome is None else outcome.value_for(1)


class ScoresADraw(Position):
    """The score of a game that the second player has won is 0."""

    @property
    def score(self) -> float:
        outcome = self.inner.outcome
        return 0.0 if outcome is None or outcome.winner == 1 else outcome.value_for(0)


class OneKeyForAll(Position):
    @property
    def evaluation_key(self) -> int:
        return len(self.inner.moves)


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
