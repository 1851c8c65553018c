"""The replay window: the newest recorded positions in bounded memory, and samples drawn from them.

Games are kept whole, in flat arrays. The C++ core plays the moves of a sampled game again and writes its planes,
targets and a random symmetry of them (search/samples.h).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tengen._core import Game, RecordError, write_samples
from tengen.config import ReplayConfig
from tengen.records import GameRecord

__all__ = ["ReplayWindow", "Samples"]


@dataclass(frozen=True)
class Samples:
    """A batch to learn from. Values, ownership and score are for the player to move."""

    planes: NDArray[np.float32]  # [B, C, H, W]
    legal: NDArray[np.bool_]  # [B, A]
    policy: NDArray[np.float32]  # [B, A] what the search says
    value_outcome: NDArray[np.float32]  # [B] -1, 0 or 1: how the game ended
    value_search: NDArray[np.float32]  # [B] root value of the search
    reply: NDArray[np.float32]  # [B, A] policy at the next ply: its target if it was recorded, else the move played
    reply_weight: NDArray[np.float32]  # [B] 0 if there was no next ply (and then the reply is 0)
    plies_left: NDArray[np.float32]  # [B] to the end of the game
    played_out: NDArray[np.float32]  # [B] 0 if it was resigned: then plies_left, ownership and score are not final
    ownership: NDArray[np.float32] | None  # [B, H, W] at the end of the game: 1 own, -1 the opponent's
    score: NDArray[np.float32] | None  # [B] at the end of the game
    weights: NDArray[np.float32]  # [B] in the loss: all 1, because surprise acts through how often a position is drawn


class ReplayWindow:
    """The newest positions: window_start + window_share * all so far, at most window_most; oldest games leave first.

    What it holds depends only on the games that were added and their order.
    """

    def __init__(self, game: Game, config: ReplayConfig) -> None:
        self.game = game
        self.config = config
        self.total_games = 0  # ever added
        self.total_positions = 0
        # One entry a game; `starts` have one more, and count from the first thing ever added.
        self._move_starts = _Column(np.int64, first=[0])
        self._position_starts = _Column(np.int64, first=[0])
        self._winners = _Column(np.int8)
        self._played_out = _Column(np.bool_)
        self._ownership = _Column(np.int8)
        self._score = _Column(np.float32)
        self._iterations = _Column(np.int32)
        self._moves = _Column(np.uint16)
        # One entry a position.
        self._plies = _Column(np.uint16)
        self._values = _Column(np.float32)
        self._surprise = _Column(np.float32)
        self._policy_starts = _Column(np.int64, first=[0])
        # One entry for each action of a policy target.
        self._actions = _Column(np.uint16)
        self._parts = _Column(np.uint16)
        self._cells = game.spec.height * game.spec.width
        self._running_surprise: NDArray[np.float64] | None = None  # [P], made when a sample asks for it

    @property
    def games(self) -> int:
        """Games in the window."""
        return len(self._winners)

    @property
    def positions(self) -> int:
        """Recorded positions in the window."""
        return len(self._plies)

    @property
    def limit(self) -> int:
        """Positions that the window may hold now."""
        grown = self.config.window_start + int(self.config.window_share * self.total_positions)
        return min(grown, self.config.window_most)

    def add(self, record: GameRecord) -> None:
        """Adds a finished game, and drops the oldest games that are beyond the limit. A wrong record is refused."""
        end = record.validate(self.game)
        if record.outcome is None:
            raise RecordError("Only finished games go into the window.")
        self.total_games += 1
        self.total_positions += len(record.recorded)
        if len(record.recorded) == 0:
            return
        winner = record.outcome.winner
        self._winners.append([-1 if winner is None else winner])
        self._played_out.append([not record.resigned])
        self._iterations.append([record.iteration])
        if end.ownership is not None:
            self._ownership.append(end.ownership.reshape(-1))
            self._score.append([end.score])
        self._moves.append(record.moves)
        self._move_starts.append([self._move_starts.last + len(record.moves)])
        self._position_starts.append([self._position_starts.last + len(record.recorded)])
        self._plies.append(record.recorded)
        self._values.append(record.root_values)
        self._surprise.append(record.surprise)
        self._policy_starts.append(self._policy_starts.last + record.offsets[1:])
        self._actions.append(record.actions)
        self._parts.append(record.parts)
        self._running_surprise = None
        self._drop_oldest()

    def _drop_oldest(self) -> None:
        starts = self._position_starts.view
        beyond = int(np.searchsorted(starts, starts[-1] - self.limit))  # games to drop: the rest is within the limit
        games = min(beyond, self.games - 1)
        if games <= 0:
            return
        positions = int(starts[games] - starts[0])
        moves = int(self._move_starts.view[games] - self._move_starts.view[0])
        entries = int(self._policy_starts.view[positions] - self._policy_starts.view[0])
        for column in (self._move_starts, self._position_starts, self._winners, self._played_out, self._iterations):
            column.drop(games)
        if len(self._score):
            self._ownership.drop(games * self._cells)
            self._score.drop(games)
        self._moves.drop(moves)
        for column in (self._plies, self._values, self._surprise, self._policy_starts):
            column.drop(positions)
        for column in (self._actions, self._parts):
            column.drop(entries)

    def sample(self, batch: int, rng: np.random.Generator) -> Samples:
        """Draws positions with replacement, each under a random symmetry."""
        if self.positions == 0:
            raise RecordError("The window is empty; add games before sampling.")
        positions = self._draw(batch, rng)
        symmetries = rng.integers(len(self.game.symmetries), size=batch)
        return self.samples_of(positions, symmetries)

    def samples_of(self, positions: NDArray[np.int64], symmetries: NDArray[np.int64]) -> Samples:
        """Samples of these positions of the window (0 is the oldest), under these symmetries of the game."""
        arrays: dict[str, Any] = write_samples(
            self.game,
            positions=positions,
            symmetries=symmetries,
            moves=self._moves.view,
            move_starts=self._move_starts.view,
            position_starts=self._position_starts.view,
            winners=self._winners.view,
            played_out=self._played_out.view,
            ownership=self._ownership.view,
            score=self._score.view,
            plies=self._plies.view,
            values=self._values.view,
            policy_starts=self._policy_starts.view,
            actions=self._actions.view,
            parts=self._parts.view,
        )
        return Samples(weights=np.ones(len(positions), np.float32), **arrays)

    def _draw(self, batch: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Positions: `surprise_weight` of the weight is shared in proportion to surprise, the rest evenly."""
        even = rng.integers(self.positions, size=batch)
        by_surprise = rng.random(batch) < self.config.surprise_weight
        where = rng.random(batch)
        if self._running_surprise is None:
            self._running_surprise = np.cumsum(self._surprise.view, dtype=np.float64)
        total = self._running_surprise[-1]
        if total <= 0.0:
            return even
        surprising = np.searchsorted(self._running_surprise, where * total, side="right")
        return np.where(by_surprise, np.minimum(surprising, self.positions - 1), even)


class _Column:
    """Numbers in a row: new ones come at the end, old ones leave at the front. Takes at most 1.5 times their bytes."""

    def __init__(self, dtype: type[np.generic], first: list[int] | None = None) -> None:
        self._data: NDArray[Any] = np.array(first or [], dtype)
        self._begin = 0
        self._end = len(self._data)

    def __len__(self) -> int:
        return self._end - self._begin

    @property
    def view(self) -> NDArray[Any]:
        return self._data[self._begin : self._end]

    @property
    def last(self) -> Any:
        return self._data[self._end - 1]

    @property
    def bytes(self) -> int:
        return self._data.nbytes

    def append(self, values: Any) -> None:
        count = len(values)
        if self._end + count > len(self._data):
            self._make_room(len(self) + count)
        self._data[self._end : self._end + count] = values
        self._end += count

    def drop(self, count: int) -> None:
        self._begin += count

    def _make_room(self, needed: int) -> None:
        data = self._data if 3 * needed <= 2 * len(self._data) else np.empty(needed + needed // 2 + 1, self._data.dtype)
        data[: len(self)] = self.view
        self._end -= self._begin
        self._begin = 0
        self._data = data
