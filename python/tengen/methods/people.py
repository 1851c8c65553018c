"""The recorded games that a run of several stages begins with: those it learns from, and those it is measured on.

They become the first games of the run's folder, so that it goes on without the records. Which games are never learned
from is decided as in imitation, by a hash of their moves.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tengen._core import Game, RolloutLearner
from tengen.config import ConfigError, ImitationConfig
from tengen.methods.imitation import foretold, imitated, split_of
from tengen.network.evaluator import Evaluator
from tengen.records import GameRecord
from tengen.records.shards import read_games
from tengen.replay import EVERYTHING, ReplayWindow, Samples
from tengen.report import ForetoldReport

__all__ = ["PeoplesGames"]


class PeoplesGames:
    """`taught` are learned from, `unseen` are not. To a learner it is the window of what is taught."""

    def __init__(self, game: Game, config: ImitationConfig) -> None:
        self._game = game
        self._config = config
        self._window = ReplayWindow(game, EVERYTHING)
        self._unseen_window = ReplayWindow(game, EVERYTHING)
        self.taught: list[GameRecord] = []
        self.unseen: list[GameRecord] = []

    def read(self) -> tuple[GameRecord, ...]:
        """The games of the folder that the config names, as games of a run; `add` takes them in."""
        folder = Path(self._config.records)
        folder = folder / "games" if (folder / "games").is_dir() else folder
        if not self._config.records or not folder.is_dir():
            raise ConfigError(
                "imitation.records: AlphaGo begins with games to learn from; give a folder of records, such as "
                f"'tengen records import' or 'tengen selfplay' writes (it is '{self._config.records}')."
            )
        records = tuple(
            replace(imitated(record), iteration=0, seed=number)
            for number, record in enumerate(read_games(folder, self._game))
        )
        held_out = sum(self._is_unseen(record) for record in records)
        if not 0 < held_out < len(records):
            raise ConfigError(
                f"imitation.records: {folder} has {len(records)} games, too few to learn from some and to measure on "
                f"others (imitation.test_share = {self._config.test_share:g})."
            )
        return records

    def add(self, record: GameRecord) -> None:
        is_unseen = self._is_unseen(record)
        (self.unseen if is_unseen else self.taught).append(record)
        (self._unseen_window if is_unseen else self._window).add(record)

    @property
    def positions(self) -> int:
        return self._window.positions

    @property
    def oldest_iteration(self) -> int:
        return self._window.oldest_iteration

    def sample(self, batch: int, rng: np.random.Generator) -> Samples:
        return self._window.sample(batch, rng)

    @property
    def mean_length(self) -> float:
        return float(np.mean([len(record.moves) for record in self.taught]))

    def foretold_by(self, evaluator: Evaluator) -> ForetoldReport:
        """How well a network foretells the moves of unseen games."""
        return foretold(self._unseen_window, evaluator, self._config.positions)

    def foretold_by_rollout(self, learner: RolloutLearner) -> ForetoldReport:
        """The same of a rollout policy."""
        figures = learner.measure(**self.rollout_games(self.unseen))
        positions = max(1, figures.positions)
        return ForetoldReport(
            games=len(self.unseen),
            positions=figures.positions,
            top1=figures.first / positions,
            top5=figures.first_five / positions,
            policy_loss=figures.log_loss / positions,
            value_error=None,
        )

    @staticmethod
    def rollout_games(games: list[GameRecord], rng: np.random.Generator | None = None) -> dict[str, Any]:
        """Games as a RolloutLearner reads them, in a random order if it is given."""
        order = range(len(games)) if rng is None else rng.permutation(len(games)).tolist()
        some = [games[number] for number in order]
        nothing: NDArray[np.uint16] = np.zeros(0, np.uint16)
        return {
            "moves": np.concatenate([nothing, *(record.moves for record in some)]),
            "starts": np.cumsum([0, *(len(record.moves) for record in some)], dtype=np.int64),
            "first_plies": np.zeros(len(some), np.int64),
            "boards": [record.start or "" for record in some] if any(record.start for record in some) else [],
        }

    def _is_unseen(self, record: GameRecord) -> bool:
        return split_of(record) < self._config.test_share
