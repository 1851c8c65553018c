"""The replay window: the newest recorded positions in bounded memory, and samples drawn from them.

Games are kept whole, in flat arrays. The C++ core plays the moves of a sampled game again and writes its planes,
targets and a random symmetry of them (records/samples.h).
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tengen._core import Game, RecordError, replay_record, write_samples
from tengen.base.threads import InUse, one_thread
from tengen.config import MOST, ReplayConfig
from tengen.records import GameRecord, ShardEnd
from tengen.records.record import decode, positions_in
from tengen.records.shards import game_payloads

__all__ = ["EVERYTHING", "RecordedStarts", "ReplayWindow", "Samples", "has_ownership"]


@dataclass(frozen=True)
class Samples:
    """A batch to learn from. Values, ownership and score are for the player to move."""

    planes: NDArray[np.float32]  # [B, C, H, W]
    legal: NDArray[np.bool_]  # [B, A]
    policy: NDArray[np.float32]  # [B, A] what the search says
    value_outcome: NDArray[np.float32]  # [B] -1, 0 or 1: how the game ended; NaN if nobody knows
    value_search: NDArray[np.float32]  # [B] root value of the search
    reply: NDArray[np.float32]  # [B, A] policy at the next ply: its target if it was recorded, else the move played
    reply_weight: NDArray[np.float32]  # [B] 0 if there was no next ply (and then the reply is 0)
    plies_left: NDArray[np.float32]  # [B] to the end of the game
    player: NDArray[np.int8]  # [B] who is to move
    played_out: NDArray[np.float32]  # [B] 0 if it was resigned: then plies_left, ownership and score are not final
    ownership: NDArray[np.float32] | None  # [B, H, W] at the end of the game: 1 own, -1 the opponent's
    score: NDArray[np.float32] | None  # [B] at the end of the game


# What the window keeps of each game, of each position, of each entry of a policy target and of each move. `starts` tell
# where a game or position begins in the finer columns; they count from the first thing that was ever added.
_GAME_COLUMNS = {
    "move_starts": np.int64,
    "position_starts": np.int64,
    "winners": np.int8,  # player, -1: a draw, UNKNOWN: nobody knows
    "played_out": np.bool_,
    "iterations": np.int32,
    "closest_calls": np.float32,  # lowest value of one who did not lose; NaN unless it was played out to know this
}
_END_COLUMNS = {"ownership": np.int8, "score": np.float32}  # [H * W] and one a game, for the first player
_POSITION_COLUMNS = {
    "plies": np.uint16,
    "values": np.float32,  # by the search, for the player to move
    "surprise": np.float32,
    "policy_starts": np.int64,
}
_ENTRY_COLUMNS = {"actions": np.uint16, "parts": np.uint16}
_MOVE_COLUMNS = {"moves": np.uint16}
_NOT_SAMPLED = ("iterations", "closest_calls", "surprise")

# A window that keeps every game and draws all positions equally often.
EVERYTHING = ReplayConfig(window_start=MOST, window_share=0.0, window_most=MOST, surprise_weight=0.0)

UNKNOWN = -2  # the winner of a game whose result nobody knows
CALIBRATING_GAMES = (100, 1000)  # played out to know when to resign: the fewest that tell, and the newest that count
WRONGLY_RESIGNED = 0.05  # of the games, at most (AlphaGo Zero)


class ReplayWindow:
    """The newest positions: window_start + window_share * all so far, at most window_most; oldest games leave first.

    What it holds depends only on the games that were added and their order.

    For one thread at a time: a call during another thread's raises InUseError.
    """

    def __init__(self, game: Game, config: ReplayConfig) -> None:
        self._in_use = InUse("This window")
        self.game = game
        self.config = config
        self.total_games = 0  # ever added
        self.total_positions = 0
        self._end_columns = _END_COLUMNS if has_ownership(game) else {}
        self._columns = {name: _Column(dtype, width) for name, dtype, width, _ in _layout(game, config)}
        for name in ("move_starts", "position_starts", "policy_starts"):
            self._columns[name].append([0])
        self._boards: deque[str] = deque()  # [G] drawings that the games start from; "": the initial state
        self._running_surprise: NDArray[np.float64] | None = None  # [P], made when a sample asks for it

    @classmethod
    def rebuild(cls, game: Game, config: ReplayConfig, folder: Path, up_to: ShardEnd) -> ReplayWindow:
        """The window as it was when the shards in `folder` ended there. Games that have left it are only counted.

        A game that is beyond the limit once is so for good, because the limit never grows faster than the positions.
        """
        window = cls(game, config)
        positions = [positions_in(payload) for payload in game_payloads(folder, game, up_to)]
        starts = np.cumsum([0, *positions])
        window.total_positions = int(starts[-1])
        first = _first_kept(starts, window.limit)
        window.total_games, window.total_positions = first, int(starts[first])
        for payload in islice(game_payloads(folder, game, up_to), first, None):
            window.add(decode(payload))
        return window

    @staticmethod
    def most_bytes(game: Game, config: ReplayConfig, recorded_share: float = 0.1) -> int:
        """The memory that the window stays under, if at least `recorded_share` of the moves were recorded.

        Everything else is the worst case: every legal action in every target, and one position recorded in a game.
        Drawings of starts, which self-play does not make, are not counted.
        """
        layout = _layout(game, config, recorded_share)
        sizes = [rows * width * np.dtype(dtype).itemsize for _, dtype, width, rows in layout]
        being_moved = max(sizes)
        running_surprise = 8 * config.window_most
        return sum(sizes) * 5 // 4 + being_moved + running_surprise

    @property
    def bytes(self) -> int:
        """The memory it takes now."""
        running = 0 if self._running_surprise is None else self._running_surprise.nbytes
        return running + sum(column.bytes for column in self._columns.values())

    @property
    def games(self) -> int:
        """Games in the window."""
        return len(self._columns["winners"])

    @property
    def positions(self) -> int:
        """Recorded positions in the window."""
        return len(self._columns["plies"])

    @property
    def limit(self) -> int:
        """Positions that the window may hold now."""
        grown = self.config.window_start + int(self.config.window_share * self.total_positions)
        return min(grown, self.config.window_most)

    @property
    def oldest_iteration(self) -> int:
        """The iteration of the run that the oldest game in the window is from."""
        iterations = self._columns["iterations"].view
        return int(iterations[0]) if len(iterations) else 0

    @one_thread
    def add(self, record: GameRecord) -> None:
        """Adds a finished game, and drops the oldest games that are beyond the limit. A wrong record is refused."""
        end = record.validate(self.game)
        if not record.is_over:
            raise RecordError("Only finished games go into the window.")
        self.total_games += 1
        self.total_positions += len(record.recorded)
        if len(record.recorded) == 0:
            return
        columns = self._columns
        winner = UNKNOWN if record.outcome is None else record.outcome.winner
        columns["move_starts"].append([columns["move_starts"].last + len(record.moves)])
        columns["position_starts"].append([columns["position_starts"].last + len(record.recorded)])
        columns["policy_starts"].append(columns["policy_starts"].last + record.offsets[1:])
        columns["winners"].append([-1 if winner is None else winner])
        columns["played_out"].append([not (record.resigned or record.adjudicated)])
        columns["iterations"].append([record.iteration])
        columns["closest_calls"].append([_closest_call(self.game, record)])
        columns["moves"].append(record.moves)
        self._boards.append(record.start or "")
        columns["plies"].append(record.recorded)
        columns["values"].append(record.root_values)
        columns["surprise"].append(record.surprise)
        columns["actions"].append(record.actions)
        columns["parts"].append(record.parts)
        if end.ownership is not None:
            columns["ownership"].append(end.ownership.reshape(1, -1))
            columns["score"].append([end.score])
        self._running_surprise = None
        self._drop_oldest()

    def _drop_oldest(self) -> None:
        columns = self._columns
        games = _first_kept(columns["position_starts"].view, self.limit)
        positions = columns["position_starts"].rise(games)
        entries = columns["policy_starts"].rise(positions)
        moves = columns["move_starts"].rise(games)
        for names, count in (
            (_GAME_COLUMNS, games),
            (self._end_columns, games),
            (_POSITION_COLUMNS, positions),
            (_ENTRY_COLUMNS, entries),
            (_MOVE_COLUMNS, moves),
        ):
            for name in names:
                columns[name].drop(count)
        for _ in range(games):
            self._boards.popleft()

    @one_thread
    def sample(self, batch: int, rng: np.random.Generator) -> Samples:
        """Draws positions with replacement, each under a random symmetry."""
        if self.positions == 0:
            raise RecordError("The window is empty; add games before sampling.")
        positions = self._draw(batch, rng)
        symmetries = rng.integers(len(self.game.symmetries), size=batch)
        return self.samples_of(positions, symmetries)

    @one_thread
    def sample_moves(self, batch: int, rng: np.random.Generator) -> tuple[Samples, Samples]:
        """Positions drawn as by `sample`, and those that the moves played there led to, under the same symmetries.

        For games in which every position after the opening was recorded. A move that ended its game led to no position;
        its row of the second samples is that of the position before the move.
        """
        if self.positions == 0:
            raise RecordError("The window is empty; add games before sampling.")
        positions = self._draw(batch, rng)
        symmetries = rng.integers(len(self.game.symmetries), size=batch)
        before = self.samples_of(positions, symmetries)
        return before, self.samples_of(positions + (before.plies_left > 1), symmetries)

    @one_thread
    def resign_below(self, highest: float) -> float:
        """The value at which to resign: at most `highest`, and so that few who resign would not have lost.

        -1, which is never, until enough games were played out to tell.
        """
        calls = self._columns["closest_calls"].view
        calls = calls[~np.isnan(calls)][-CALIBRATING_GAMES[1] :]
        if len(calls) < CALIBRATING_GAMES[0]:
            return -1.0
        return max(-1.0, min(highest, float(np.quantile(calls, WRONGLY_RESIGNED))))

    @one_thread
    def starts(self, count: int, rng: np.random.Generator) -> list[list[int]]:
        """The moves to `count` positions, drawn as for a sample: new games may begin there (Go-Exploit, 2023).

        Positions of games that did not start at the initial state are left out.
        """
        columns = self._columns
        first_position, first_move = (int(columns[name].view[0]) for name in ("position_starts", "move_starts"))
        found = []
        for position in self._draw(count, rng) if self.positions else ():
            game = np.searchsorted(columns["position_starts"].view, position + first_position, side="right") - 1
            if self._boards[game]:
                continue
            begin = int(columns["move_starts"].view[game]) - first_move
            found.append(columns["moves"].view[begin : begin + int(columns["plies"].view[position])].tolist())
        return found

    @one_thread
    def samples_of(self, positions: NDArray[np.int64], symmetries: NDArray[np.int64]) -> Samples:
        """Samples of these positions of the window (0 is the oldest), under these symmetries of the game."""
        flat: dict[str, Any] = {
            name: column.view.reshape(-1) for name, column in self._columns.items() if name not in _NOT_SAMPLED
        }
        if any(self._boards):
            flat["boards"] = list(self._boards)
        arrays = write_samples(self.game, positions=positions, symmetries=symmetries, **flat)
        if (flat["winners"] == UNKNOWN).any():
            starts = self._columns["position_starts"].view
            games = np.searchsorted(starts, positions + starts[0], side="right") - 1
            arrays["value_outcome"][flat["winners"][games] == UNKNOWN] = np.nan
        return Samples(**arrays)

    def _draw(self, batch: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Positions: `surprise_weight` of the weight is shared in proportion to surprise, the rest evenly."""
        even = rng.integers(self.positions, size=batch)
        by_surprise = rng.random(batch) < self.config.surprise_weight
        where = rng.random(batch)
        if self._running_surprise is None:
            self._running_surprise = np.cumsum(self._columns["surprise"].view, dtype=np.float64)
        total = self._running_surprise[-1]
        if total <= 0.0:
            return even
        surprising = np.searchsorted(self._running_surprise, where * total, side="right")
        return np.where(by_surprise, np.minimum(surprising, self.positions - 1), even)


class RecordedStarts:
    """Positions of the games of a folder, whoever played them, from which new games may begin.

    Nothing in it changes, so that threads can share it.
    """

    def __init__(self, game: Game, folder: Path) -> None:
        place = folder / "games" if (folder / "games").is_dir() else folder
        records = (decode(payload) for payload in game_payloads(place, game)) if place.is_dir() else iter(())
        self._lines = [record.moves for record in records if record.start is None and len(record.moves) > 1]
        if not self._lines:
            raise RecordError(
                f"self_play.archive_records: there are no games in {folder} that begin at the initial position."
            )
        self._ends = np.cumsum([len(moves) for moves in self._lines])

    def starts(self, count: int, rng: np.random.Generator) -> list[list[int]]:
        """The moves to `count` positions; every position that a player had to move in is as likely."""
        found = []
        for position in rng.integers(self._ends[-1], size=count).tolist():
            line = int(np.searchsorted(self._ends, position, side="right"))
            plies = position - (int(self._ends[line - 1]) if line else 0)
            found.append(self._lines[line][:plies].tolist())
        return found


def _closest_call(game: Game, record: GameRecord) -> float:
    """The lowest value that the search gave to a player who then did not lose; NaN if the game might be resigned."""
    if not record.never_resigns:
        return np.nan
    assert record.outcome is not None
    state = record.first_state(game)
    values = dict(zip(record.recorded.tolist(), record.root_values.tolist(), strict=True))
    lowest = 1.0
    for ply, action in enumerate(record.moves.tolist()):
        if record.outcome.value_for(state.to_move) >= 0.0:
            lowest = min(lowest, values.get(ply, 1.0))
        state = state.play(action)
    return lowest


def has_ownership(game: Game) -> bool:
    """Whether the game knows whose each cell is at the end, and the margin."""
    nothing = np.zeros(0, np.uint16)
    return replay_record(game, nothing, nothing, np.zeros(1, np.int64), nothing).ownership is not None


def _layout(
    game: Game, config: ReplayConfig, recorded_share: float = 1.0
) -> list[tuple[str, type[np.generic], int, int]]:
    """Every column: name, type, numbers in a row, and the most rows it can have."""
    spec = game.spec
    positions = config.window_most + spec.longest_game + 1  # a game is added before others are dropped
    rows = (
        (_GAME_COLUMNS, positions + 1),
        (_END_COLUMNS, positions if has_ownership(game) else 0),
        (_POSITION_COLUMNS, positions + 1),
        (_ENTRY_COLUMNS, positions * spec.most_legal),
        (_MOVE_COLUMNS, int(positions / recorded_share)),
    )
    return [
        (name, dtype, spec.height * spec.width if name == "ownership" else 1, most)
        for columns, most in rows
        for name, dtype in columns.items()
    ]


def _first_kept(starts: NDArray[np.int64], limit: int) -> int:
    """The first game from which on all positions are within the limit; at least the last game that has any."""
    last = np.searchsorted(starts, starts[-1]) - 1
    return max(0, int(min(np.searchsorted(starts, starts[-1] - limit), last)))


class _Column:
    """Rows of numbers: new ones come at the end, old ones leave at the front. Takes at most 1.25 times their bytes."""

    def __init__(self, dtype: type[np.generic], width: int = 1) -> None:
        self._data: NDArray[Any] = np.empty((0, width) if width > 1 else 0, dtype)
        self._begin = 0
        self._end = 0

    def __len__(self) -> int:
        return self._end - self._begin

    @property
    def view(self) -> NDArray[Any]:
        return self._data[self._begin : self._end]

    @property
    def last(self) -> int:
        return int(self._data[self._end - 1])

    @property
    def bytes(self) -> int:
        return self._data.nbytes

    def rise(self, count: int) -> int:
        """Of a column of starts: by how much it rises over the first `count` rows."""
        return int(self._data[self._begin + count] - self._data[self._begin])

    def append(self, rows: NDArray[Any] | list[Any]) -> None:
        count = len(rows)
        if self._end + count > len(self._data):
            self._make_room(len(self) + count)
        self._data[self._end : self._end + count] = rows
        self._end += count

    def drop(self, count: int) -> None:
        self._begin += count

    def _make_room(self, needed: int) -> None:
        """Moves the rows to the front or, where that frees less than a fifth, into a larger array."""
        data = self._data
        if 5 * needed > 4 * len(data):
            data = np.empty((needed + needed // 4, *data.shape[1:]), data.dtype)
        data[: len(self)] = self.view
        self._data, self._begin, self._end = data, 0, len(self)
