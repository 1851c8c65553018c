"""GameRecord: what self-play, replay, arena and viewers exchange about a game.

A record holds moves and search results, no planes: these are rebuilt by playing the moves again. A probability of a
policy target is a whole number of 65535ths, in memory as in files, so that a game read back is the same game. It is
off by less than 1/65535; a target sums to 1 exactly in these parts; what rounds to nothing is left out.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tengen._core import (
    BoardTextError,
    Game,
    IllegalActionError,
    Outcome,
    Reason,
    RecordEnd,
    RecordError,
    State,
    replay_record,
)

__all__ = ["POLICY_PARTS", "GameRecord", "RecordBuilder", "decode", "encode", "policy_parts", "positions_in"]

POLICY_PARTS = 65535


def policy_parts(policy: NDArray[np.floating[Any]]) -> NDArray[np.uint16]:
    """Policies [..., A] in 65535ths that sum to 65535 each. Rounding the running sum keeps every part within one."""
    running = np.cumsum(policy, axis=-1, dtype=np.float64)
    running *= POLICY_PARTS / running[..., -1:]
    return np.diff(np.rint(running), axis=-1, prepend=0.0).astype(np.uint16)


_DTYPES: dict[str, type[np.generic]] = {
    "moves": np.uint16,
    "recorded": np.uint16,
    "offsets": np.int64,
    "actions": np.uint16,
    "parts": np.uint16,
    "root_values": np.float32,
    "surprise": np.float32,
    "values": np.float32,
}


@dataclass(frozen=True, eq=False)
class GameRecord:
    """A game from its start. n moves, r of the positions recorded with the result of a full search."""

    moves: NDArray[np.uint16]  # [n] actions, the random ones of the opening too
    recorded: NDArray[np.uint16]  # [r] plies, increasing; ply 0 is the start
    offsets: NDArray[np.int64]  # [r + 1] policy target i is actions[offsets[i] : offsets[i + 1]]
    actions: NDArray[np.uint16]  # [k]
    parts: NDArray[np.uint16]  # [k] their probabilities in 65535ths
    root_values: NDArray[np.float32]  # [r] by the search, for the player to move
    surprise: NDArray[np.float32]  # [r] KL(policy target || prior)
    outcome: Outcome | None = None  # None: the game goes on or, if it is adjudicated, the result is not known
    network: str = ""  # digest of the weights that played it
    iteration: int = 0  # of the run, when it was begun
    seed: int = 0
    opening_plies: int = 0  # random moves at the start
    resigned: bool = False  # the loser gave up
    adjudicated: bool = False  # the outcome is what the players or a source say, whatever the moves make it
    never_resigns: bool = False  # played out to calibrate resignation
    start: str | None = None  # drawing of the position that it starts from; None: the initial state
    reason: str = ""  # why it ended, as in "resignation"; empty: not known
    sentence: str = ""  # the same for people, as in "two passes: 47 to 34.5"
    # [n + 1] by the search, for the player to move, of every ply that was searched; NaN elsewhere. [0]: not kept
    values: NDArray[np.float32] = field(default_factory=lambda: np.zeros(0, np.float32))

    def __post_init__(self) -> None:
        for name, dtype in _DTYPES.items():
            given = np.asarray(getattr(self, name))
            array = given.astype(dtype)
            fits = array.dtype in (given.dtype, np.float32) or (array == given).all()
            if given.ndim != 1 or not fits:
                raise RecordError(f"{self._name}: {name} must be a row of numbers of type {np.dtype(dtype)}.")
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    @property
    def is_over(self) -> bool:
        return self.outcome is not None or self.adjudicated

    @property
    def probabilities(self) -> NDArray[np.float32]:  # [k]
        return self.parts.astype(np.float32) / np.float32(POLICY_PARTS)

    def policy_target(self, index: int, num_actions: int) -> NDArray[np.float32]:  # [A]
        """The target of the position `recorded[index]`."""
        entries = slice(self.offsets[index], self.offsets[index + 1])
        policy = np.zeros(num_actions, np.float32)
        policy[self.actions[entries]] = self.probabilities[entries]
        return policy

    def first_state(self, game: Game) -> State:
        return self._state(game, [])

    def final_state(self, game: Game) -> State:
        return self._state(game, self.moves.tolist())

    def _state(self, game: Game, moves: list[int]) -> State:
        try:
            return game.state(moves, board=self.start)
        except (IllegalActionError, BoardTextError) as error:
            raise RecordError(f"{self._name}: {error}") from error

    def validate(self, game: Game) -> RecordEnd:
        """Refuses a record that can't have come about in this game, by name of what is wrong; else tells its end."""
        wrong = self._wrong_shape() or self._wrong_numbers()
        if wrong:
            raise RecordError(f"{self._name}: {wrong}")
        try:
            end = replay_record(game, self.moves, self.recorded, self.offsets, self.actions, self.start or "")
        except RecordError as error:
            raise RecordError(f"{self._name}: {error}") from error
        wrong = self._wrong_end(end)
        if wrong:
            raise RecordError(f"{self._name}: {wrong}")
        return end

    def _wrong_shape(self) -> str:
        r, k = len(self.recorded), len(self.actions)
        expected = {"offsets": r + 1, "parts": k, "root_values": r, "surprise": r}
        for name, length in expected.items():
            if getattr(self, name).shape != (length,):
                return f"{name} must be [{length}], not {list(getattr(self, name).shape)}."
        if len(self.values) not in (0, len(self.moves) + 1):
            return f"values must be [{len(self.moves) + 1}], or [0] if they are not kept, not [{len(self.values)}]."
        if self.offsets[0] != 0 or self.offsets[-1] != k or (np.diff(self.offsets) < 1).any():
            return f"the offsets must rise from 0 to the {k} entries of the policy targets, none of them empty."
        return ""

    def _wrong_numbers(self) -> str:
        parts = np.add.reduceat(self.parts, self.offsets[:-1], dtype=np.int64)
        unordered = np.diff(self.actions.astype(np.int64))[_within(self.offsets)] <= 0
        checks = (
            (np.abs(self.root_values) <= 1.0, "a root value is not within [-1, 1]."),
            (np.isnan(self.values) | (np.abs(self.values) <= 1.0), "a value of the search is not within [-1, 1]."),
            (np.isfinite(self.surprise) & (self.surprise >= 0.0), "a surprise is not a number of 0 or more."),
            (np.diff(self.recorded.astype(np.int64)) > 0, "the recorded plies must increase."),
            (parts == POLICY_PARTS, "a policy target does not sum to 1."),
            (self.parts > 0, "a policy target has an empty entry."),
            (~unordered, "the actions of a policy target must increase."),
        )
        wrong = [message for good, message in checks if not good.all()]
        if not 0 <= self.opening_plies <= len(self.moves):
            wrong.append(f"it can't have {self.opening_plies} opening plies in {len(self.moves)} moves.")
        return wrong[0] if wrong else ""

    def _wrong_end(self, end: RecordEnd) -> str:
        if self.resigned:
            if end.outcome is not None or self.outcome is None or self.outcome.is_draw:
                return "it can't have been resigned: the moves end the game, or nobody won."
            if self.adjudicated:
                return "it is either resigned or adjudicated, not both."
        elif not self.adjudicated and self.outcome != end.outcome:
            return f"its outcome is given as {self.outcome}, but the moves make it {end.outcome}."
        return ""

    @property
    def _name(self) -> str:
        return f"The game with seed {self.seed} of iteration {self.iteration}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GameRecord) and encode(self) == encode(other)

    def __hash__(self) -> int:
        return hash(encode(self))

    def __reduce__(self) -> tuple[Callable[[bytes], GameRecord], tuple[bytes]]:
        return decode, (encode(self),)


def _within(offsets: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Of the k - 1 pairs of neighbouring entries, those within one target."""
    same = np.ones(max(int(offsets[-1]) - 1, 0), np.bool_)
    same[offsets[1:-1] - 1] = False
    return same


class RecordBuilder:
    """A record in the making: `target` what the search said, `play` the move, `finish` or `record` at any time.

    For the thread that plays the game; as with a list, nobody checks that.
    """

    def __init__(
        self,
        *,
        network: str = "",
        iteration: int = 0,
        seed: int = 0,
        opening_plies: int = 0,
        never_resigns: bool = False,
        start: str | None = None,
        keep_values: bool = False,
    ) -> None:
        self.start = start
        self.network = network
        self.iteration = iteration
        self.seed = seed
        self.opening_plies = opening_plies
        self.never_resigns = never_resigns
        self.moves: list[int] = []
        self._recorded: list[int] = []
        self._actions: list[NDArray[np.uint16]] = []
        self._parts: list[NDArray[np.uint16]] = []
        self._root_values: list[float] = []
        self._surprise: list[float] = []
        self._values: dict[int, float] | None = {} if keep_values else None  # by ply

    @classmethod
    def resume(cls, record: GameRecord) -> RecordBuilder:
        """Goes on where an unfinished record stopped."""
        if record.is_over:
            raise RecordError("A finished game can't be resumed.")
        builder = cls(
            network=record.network,
            iteration=record.iteration,
            seed=record.seed,
            opening_plies=record.opening_plies,
            never_resigns=record.never_resigns,
            start=record.start,
            keep_values=len(record.values) > 0,
        )
        builder.moves = record.moves.tolist()
        builder._recorded = record.recorded.tolist()
        builder._actions = np.split(record.actions, record.offsets[1:-1]) if builder._recorded else []
        builder._parts = np.split(record.parts, record.offsets[1:-1]) if builder._recorded else []
        builder._root_values = record.root_values.tolist()
        builder._surprise = record.surprise.tolist()
        if builder._values is not None:
            builder._values = {ply: value for ply, value in enumerate(record.values.tolist()) if not math.isnan(value)}
        return builder

    @property
    def mean_surprise(self) -> float:
        """Of the positions recorded so far; 0 if there are none."""
        return sum(self._surprise) / max(1, len(self._surprise))

    def value(self, root_value: float) -> None:
        """What the search made of the position before the next move, whether it gives a target or not."""
        if self._values is not None:
            self._values[len(self.moves)] = root_value

    def target(self, policy: ArrayLike, root_value: float, surprise: float) -> None:
        """Records the position before the next move. policy: [A], or what `policy_parts` made of a whole batch."""
        given = np.asarray(policy)
        parts = given if given.dtype == np.uint16 else policy_parts(given)
        actions = np.flatnonzero(parts)
        if len(parts) > 65536:
            raise RecordError("Records hold games of at most 65536 actions.")
        self._recorded.append(len(self.moves))
        self._actions.append(actions.astype(np.uint16))
        self._parts.append(parts[actions])
        self._root_values.append(root_value)
        self._surprise.append(surprise)

    def play(self, action: int) -> None:
        self.moves.append(action)

    def record(self) -> GameRecord:
        """The game as far as it has come."""
        return self.finish(None)

    def finish(self, outcome: Outcome | None, *, resigned: bool = False) -> GameRecord:
        nothing = np.zeros(0, np.uint16)
        reason = "" if outcome is None else Reason.RESIGNATION.value if resigned else outcome.reason.value
        values = np.full(0 if self._values is None else len(self.moves) + 1, np.nan, np.float32)
        for ply, value in (self._values or {}).items():
            values[ply] = value
        return GameRecord(
            moves=np.array(self.moves, np.uint16),
            recorded=np.array(self._recorded, np.uint16),
            offsets=np.cumsum([0, *map(len, self._actions)], dtype=np.int64),
            actions=np.concatenate([nothing, *self._actions]),
            parts=np.concatenate([nothing, *self._parts]),
            root_values=np.array(self._root_values, np.float32),
            surprise=np.array(self._surprise, np.float32),
            outcome=outcome,
            network=self.network,
            iteration=self.iteration,
            seed=self.seed,
            opening_plies=self.opening_plies,
            resigned=resigned,
            never_resigns=self.never_resigns,
            start=self.start,
            reason=reason,
            sentence="" if outcome is None or resigned else outcome.sentence,
            values=values,
        )


# ---- Bytes, version 3 (docs/run_folder.md). Version 2 is the same without adjudicated games. Version 1 is read too: it
# has a shorter head, no magic bytes, and neither start nor reason, sentence and values.

_MAGIC = b"TGR2"
_HEAD = struct.Struct("<4sIIIIiQHbBBBHH")
_HEAD_1 = struct.Struct("<IIIiQHbBB")


def encode(record: GameRecord) -> bytes:
    texts = [text.encode() for text in (record.network, record.reason, record.start or "", record.sentence)]
    outcome = record.outcome
    try:
        head = _HEAD.pack(
            _MAGIC,
            len(record.moves),
            len(record.recorded),
            len(record.actions),
            len(record.values),
            record.iteration,
            record.seed,
            record.opening_plies,
            -1 if outcome is None else 2 if outcome.winner is None else outcome.winner,
            record.resigned | record.never_resigns << 1 | record.adjudicated << 2,
            *map(len, texts),
        )
    except struct.error as error:
        raise RecordError(f"A record has a number or a text that is too large to be written: {error}.") from error
    arrays = (
        record.moves.astype("<u2"),
        record.recorded.astype("<u2"),
        np.diff(record.offsets).astype("<u2"),
        record.actions.astype("<u2"),
        record.parts.astype("<u2"),
        record.root_values.astype("<f4"),
        record.surprise.astype("<f4"),
        record.values.astype("<f4"),
    )
    return b"".join((head, *texts, *(array.tobytes() for array in arrays)))


def positions_in(data: bytes | memoryview) -> int:
    """How many positions an encoded game has recorded, without decoding it."""
    return _head(data).recorded


class _Head(NamedTuple):
    size: int  # bytes
    moves: int
    recorded: int
    entries: int
    values: int
    iteration: int
    seed: int
    opening_plies: int
    outcome: int
    flags: int
    network: int  # bytes of this text, and of the others
    reason: int = 0
    start: int = 0
    sentence: int = 0

    @property
    def whole(self) -> int:
        """Bytes of the record."""
        texts = self.network + self.reason + self.start + self.sentence
        return (
            self.size
            + texts
            + 2 * (self.moves + 2 * self.recorded + 2 * self.entries)
            + 8 * self.recorded
            + (4 * self.values)
        )


def _head(data: bytes | memoryview) -> _Head:
    is_second = bytes(data[:4]) == _MAGIC
    form = _HEAD if is_second else _HEAD_1
    if len(data) < form.size:
        raise RecordError("These bytes are too few for a game record.")
    if is_second:
        return _Head(form.size, *form.unpack_from(data)[1:])
    moves, recorded, entries, *rest = form.unpack_from(data)
    return _Head(form.size, moves, recorded, entries, 0, *rest)


def decode(data: bytes | memoryview) -> GameRecord:
    """The record that `encode` wrote; a RecordError if these bytes are not one."""
    head = _head(data)
    if len(data) != head.whole or head.outcome not in (-1, 0, 1, 2) or head.flags > 7:
        raise RecordError("These bytes are not a game record.")
    at = head.size

    def text(length: int) -> str:
        nonlocal at
        at += length
        try:
            return str(data[at - length : at], "utf-8")
        except UnicodeDecodeError as error:
            raise RecordError("These bytes are not a game record.") from error

    def take(dtype: str, count: int) -> NDArray[Any]:
        nonlocal at
        array = np.frombuffer(data, dtype, count, at)
        at += array.nbytes
        return array

    network, reason, start, sentence = (text(n) for n in (head.network, head.reason, head.start, head.sentence))
    moves, recorded, counts = (take("<u2", n) for n in (head.moves, head.recorded, head.recorded))
    actions, parts = (take("<u2", head.entries) for _ in range(2))
    root_values, surprise, values = (take("<f4", n) for n in (head.recorded, head.recorded, head.values))
    return GameRecord(
        moves=moves,
        recorded=recorded,
        offsets=np.concatenate(([0], np.cumsum(counts, dtype=np.int64))),
        actions=actions,
        parts=parts,
        root_values=root_values,
        surprise=surprise,
        outcome=_outcome(head.outcome, reason, sentence),
        network=network,
        iteration=head.iteration,
        seed=head.seed,
        opening_plies=head.opening_plies,
        resigned=bool(head.flags & 1),
        never_resigns=bool(head.flags & 2),
        adjudicated=bool(head.flags & 4),
        start=start or None,
        reason=reason,
        sentence=sentence,
        values=values,
    )


def _outcome(number: int, reason: str, sentence: str) -> Outcome | None:
    """0 and 1: who won, 2: a draw, -1: the game goes on."""
    if number == -1:
        return None
    if reason and reason not in list(Reason):
        raise RecordError(f"A game ended for a reason that this tengen does not know: '{reason}'.")
    return Outcome(None if number == 2 else number, reason or Reason.RULES, sentence)
