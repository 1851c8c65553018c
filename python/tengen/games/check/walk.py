"""A game as the checks see it: its positions, and all that each of them answers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from tengen._core import Game, GameSpec, NoLegalActionError, Outcome, State

T = TypeVar("T")
Planes = npt.NDArray[np.float32]  # [C, H, W]


@dataclass(frozen=True)
class Seen:
    """All that a position answers."""

    to_move: int
    legal: tuple[int, ...]
    outcome: Outcome | None
    planes: bytes  # float32 [C, H, W]
    hash: int

    def planes_of(self, spec: GameSpec) -> Planes:
        return np.frombuffer(self.planes, np.float32).reshape(spec.planes_shape)

    def without_hash(self) -> tuple[object, ...]:
        return self.to_move, self.legal, self.outcome, self.planes


def look(game: Game, state: State, fill: float = np.nan) -> Seen:
    """Asks everything; the planes are written over `fill`."""
    planes = np.full(game.spec.planes_shape, fill, np.float32)
    state.planes(planes)
    return Seen(state.to_move, legal_of(state), state.outcome, planes.tobytes(), hash(state))


def legal_of(state: State) -> tuple[int, ...]:
    """The legal actions; none also where the rules forgot them in a game that goes on."""
    try:
        return state.legal_actions
    except NoLegalActionError:
        return ()


@dataclass(frozen=True)
class Walk:
    """A game: states[i] answered seen[i], and actions[i] was played there."""

    states: list[State]
    seen: list[Seen]
    actions: list[int]

    @property
    def end(self) -> "End | None":
        """None for a game that was left before its end."""
        outcome = self.seen[-1].outcome
        if outcome is None or not self.actions:
            return None
        return End(outcome.winner, self.seen[-2].to_move, len(self.actions), self.states[-1])


@dataclass(frozen=True)
class End:
    """How a game ended."""

    winner: int | None
    last_mover: int
    actions: int
    state: State


@dataclass(frozen=True)
class Material:
    """Everything that was played, for the checks that are made of it all."""

    walks: list[Walk]
    searched: list[tuple[int, Walk]]  # games in which this player searched and the other moved at random
    positions: list[State]  # of the walk through the game from its start
    ends: list[End]  # of all games, and those that the walk came to
    complete: bool  # whether the walk came to every position that the game has


def difference(one: Seen, other: Seen) -> str:
    """Which answers differ, by the functions of a rules file: `legal() and planes() differ`."""
    answers = {
        "to_move()": one.to_move == other.to_move,
        "legal()": one.legal == other.legal,
        "outcome()": one.outcome == other.outcome,
        "planes()": one.planes == other.planes,
    }
    names = [name for name, same in answers.items() if not same]
    if not names:
        return "something in the state differs that no answer shows"
    return " and ".join(names) + (" differs" if len(names) == 1 else " differ")


def after(state: State) -> str:
    """Where in a game a position is, for people."""
    return f"after the moves {state.moves_text}" if state.moves_text else "at the start"


def has_stones(spec: GameSpec) -> bool:
    """Whether the planes promise to show the stones first: own, then the opponent's."""
    names = [name.lower() for name in spec.plane_names[:2]]
    return len(names) == 2 and names[0].startswith("own") and names[1].startswith("opponent")


def stones(spec: GameSpec, seen: Seen) -> npt.NDArray[np.bool_]:
    """The stones by player, not by who is to move. [2, H, W]"""
    own, opponents = seen.planes_of(spec)[:2] != 0
    return np.stack((own, opponents) if seen.to_move == 0 else (opponents, own))


def some(things: Sequence[T], count: int) -> Iterator[T]:
    """About `count` of them, evenly spread, the first and the last among them."""
    yield from things[: -1 : max(1, len(things) // count)]
    yield from things[-1:]
