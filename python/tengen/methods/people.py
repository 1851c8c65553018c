"""The recorded games that a run begins with: those that are learned from, and those that are only measured on.

A game is one or the other for good, by its number. Every move that was not drawn at random is a target by itself,
whatever a search may have said about it.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tengen._core import Game, RolloutFigures, RolloutLearner
from tengen.config import MOST, AlphaGoConfig, ConfigError, ReplayConfig
from tengen.network.evaluator import Evaluator
from tengen.records import GameRecord
from tengen.records.record import POLICY_PARTS
from tengen.records.shards import read_games
from tengen.replay import ReplayWindow
from tengen.report import AccuracyReport

__all__ = ["PeoplesGames"]

_ALL = ReplayConfig(window_start=MOST, window_most=MOST, surprise_weight=0.0)
ABOUT = "moves of unseen games"
BATCH = 256  # positions that are measured at once


class PeoplesGames:
    """Games by their number: `taught` are learned from, `unseen` are not. A window for whoever samples positions."""

    def __init__(self, game: Game, config: AlphaGoConfig) -> None:
        self._game = game
        self._config = config
        self.window = ReplayWindow(game, _ALL)
        self._unseen_window = ReplayWindow(game, _ALL)
        self.taught: list[GameRecord] = []
        self.unseen: list[GameRecord] = []

    def read(self) -> tuple[GameRecord, ...]:
        """The games with a result in the folder that the config names, as games of a run; `add` takes them in."""
        folder = Path(self._config.records)
        if not self._config.records or not folder.is_dir():
            raise ConfigError(
                "alphago.records: AlphaGo begins with games to learn from; give a folder of records, such as "
                f"'tengen selfplay' writes (it is '{self._config.records}')."
            )
        records = tuple(
            _taught(record, number)
            for number, record in enumerate(each for each in read_games(folder, self._game) if each.outcome is not None)
        )
        shares = [self._is_unseen(record) for record in records]
        if all(shares) or not any(shares):
            raise ConfigError(
                f"alphago.records: {folder} has {len(records)} games, too few to learn from some and to measure on "
                f"others (alphago.test_share = {self._config.test_share:g})."
            )
        return records

    def add(self, record: GameRecord) -> None:
        if self._is_unseen(record):
            self.unseen.append(record)
            self._unseen_window.add(record)
        else:
            self.taught.append(record)
            self.window.add(record)

    # What a training loop asks of a window.

    @property
    def positions(self) -> int:
        return self.window.positions

    @property
    def oldest_iteration(self) -> int:
        return self.window.oldest_iteration

    def sample(self, batch: int, rng: np.random.Generator) -> Any:
        return self.window.sample(batch, rng)

    @property
    def mean_length(self) -> float:
        return float(np.mean([len(record.moves) for record in self.taught]))

    def accuracy_of(self, evaluator: Evaluator) -> AccuracyReport:
        """How many moves of unseen games the policy holds for the likeliest; with those among its first five."""
        count = min(self._config.test_positions, self._unseen_window.positions)
        chosen = np.linspace(0, self._unseen_window.positions - 1, count).astype(np.int64)
        first = five = 0
        for start in range(0, count, BATCH):
            some = chosen[start : start + BATCH]
            samples = self._unseen_window.samples_of(some, np.zeros_like(some))
            logits = np.where(samples.legal, evaluator(samples.planes).logits, -np.inf)
            played = samples.policy.argmax(axis=1)
            better = (logits > np.take_along_axis(logits, played[:, None], axis=1)).sum(axis=1)
            first += int((better < 1).sum())
            five += int((better < 5).sum())
        return _accuracy(first, five, count)

    def rollout_accuracy(self, learner: RolloutLearner) -> AccuracyReport:
        figures: RolloutFigures = learner.measure(**self.rollout_games(self.unseen))
        return _accuracy(figures.first, figures.first_five, figures.positions)

    @staticmethod
    def rollout_games(games: list[GameRecord], rng: np.random.Generator | None = None) -> dict[str, Any]:
        """Games as a RolloutLearner reads them, in a random order if it is given."""
        order = range(len(games)) if rng is None else rng.permutation(len(games)).tolist()
        some = [games[number] for number in order]
        nothing: NDArray[np.uint16] = np.zeros(0, np.uint16)
        return {
            "moves": np.concatenate([nothing, *(record.moves for record in some)]),
            "starts": np.cumsum([0, *(len(record.moves) for record in some)], dtype=np.int64),
            "first_plies": np.array([record.opening_plies for record in some], np.int64),
            "boards": [record.start or "" for record in some] if any(record.start for record in some) else [],
        }

    def _is_unseen(self, record: GameRecord) -> bool:
        """By the number of the game, evenly spread over the folder."""
        share = self._config.test_share
        return int((record.seed + 1) * share) > int(record.seed * share)


def _taught(record: GameRecord, number: int) -> GameRecord:
    """The same game with every move that was chosen as the target of its position."""
    plies = np.arange(record.opening_plies, len(record.moves))
    return replace(
        record,
        recorded=plies,
        offsets=np.arange(len(plies) + 1, dtype=np.int64),
        actions=record.moves[plies],
        parts=np.full(len(plies), POLICY_PARTS, np.uint16),
        root_values=np.zeros(len(plies), np.float32),
        surprise=np.zeros(len(plies), np.float32),
        values=np.zeros(0, np.float32),
        iteration=0,
        seed=number,
    )


def _accuracy(first: float, five: float, positions: int) -> AccuracyReport:
    positions = max(1, positions)
    return AccuracyReport(
        positions=positions,
        about=f"{ABOUT}; {five / positions:.1%} are among its first five",
        network=first / positions,
        search=None,
        simulations=0,
        seconds=0.0,
    )
