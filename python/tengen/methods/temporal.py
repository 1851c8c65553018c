"""The stages of a run of tables (network.kind = "ntuple"): playing and learning are one, by temporal differences.

The tables play themselves with a look one move ahead, in C++ and on one core, and learn from every game as soon as it
has ended (`cpp/tengen/tables/learner.h`). Folder, resuming, measuring, reports and page are those of every run.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count

import numpy as np

from tengen._core import Game, TablesFigures, TablesLearning
from tengen.base.crew import Crew
from tengen.config import ConfigError, RunConfig, TablesConfig
from tengen.learner.tables import TablesInTraining
from tengen.methods.alphazero import PROBES, AlphaZero
from tengen.network.checkpoint import NetworkFile
from tengen.records import GameRecord
from tengen.records.record import RecordBuilder
from tengen.report import LearnerReport, Observer, SelfPlayReport
from tengen.run.clock import Clock, Plan, Speed
from tengen.run.folder import RunFolder
from tengen.selfplay import SelfPlayResult

__all__ = ["ROUND", "TemporalDifferences", "learning_at"]

ROUND = 20  # games between two looks at the clock, and at the rates
KEPT_GAMES = 32  # of an iteration, in the records: there are too many to keep them all


class TemporalDifferences(AlphaZero):
    """Self-play without search, and learning from it, in one stage; the others are AlphaZero's."""

    plays_in_units = False
    learner: TablesInTraining  # type: ignore[assignment]

    def __init__(
        self, game: Game, run: RunFolder, learner: TablesInTraining, observer: Observer, crew: Crew | None = None
    ) -> None:
        super().__init__(game, run, learner, observer, crew)  # type: ignore[arg-type]
        self._learned: LearnerReport | None = None  # by the last play()

    @staticmethod
    def new_learner(  # type: ignore[override]
        game: Game, config: RunConfig, start: NetworkFile | None = None
    ) -> TablesInTraining:
        if start is not None:
            raise ConfigError("start: tables learn from blank ones; leave --from out.")
        return TablesInTraining(game, config.tables, seed=config.seed)

    @property
    def evaluator_text(self) -> str:
        return "tables, looked up in C++"

    def play(self, plan: Plan, clock: Clock) -> SelfPlayResult:
        """Games of the tables against themselves, from each of which they learn at once."""
        tables = self.config.tables
        began = clock.seconds()
        is_timed = plan.play_until < math.inf
        counts = _Counts()
        moves: list[tuple[list[int], int]] = []
        for first in count(0, ROUND):
            done = first / tables.games
            if is_timed:
                done = (clock.seconds() - began) / max(1e-6, plan.play_until - began)
            if done >= 1.0 and first:
                break
            games = ROUND if is_timed else min(ROUND, tables.games - first)
            progress = plan.progress[0] + (plan.progress[1] - plan.progress[0]) * min(1.0, done)
            seed = int(np.random.default_rng([self.config.seed, self.iteration]).integers(2**63))
            how = learning_at(self.config, progress)
            figures, played = self.learner.tables.play(first, games, seed, how, KEPT_GAMES)
            counts.add(figures)
            moves = [*moves, *played][-KEPT_GAMES:]
            self.observer.stage("self-play", min(int(1000 * done), 999), 1000)
        self._learned = counts.learner_report(_rate_at(self.config.tables, plan.progress[1]))
        records = tuple(self._record(number, *game) for number, game in enumerate(moves))
        return SelfPlayResult(records, (), counts.self_play_report(records, clock.seconds() - began))

    def learn(self, plan: Plan, clock: Clock, positions: int) -> LearnerReport:
        """It was done while playing. The iteration counts from here on."""
        assert self._learned is not None
        self.iteration += 1
        return self._learned

    def first_speed(self, now: Callable[[], float] = time.perf_counter) -> Speed:
        """The clock sizes searches by it, and there are none: only the length of a game counts."""
        random_games = self.game.random_playouts(PROBES, self.config.seed)
        return Speed(simulations=1e5, plies=max(1.0, random_games.actions / PROBES))

    def _record(self, number: int, moves: list[int], opening_plies: int) -> GameRecord:
        record = RecordBuilder(
            network=self.champion.digest, iteration=self.iteration, seed=number, opening_plies=opening_plies
        )
        for action in moves:
            record.play(action)
        return record.finish(self.game.state(moves).outcome)


def learning_at(config: RunConfig, progress: float) -> TablesLearning:
    """How tables learn when this share of their games is done."""
    tables, play = config.tables, config.self_play
    return TablesLearning(
        rate=_rate_at(tables, progress),
        return_share=tables.return_share,
        epsilon=tables.random_moves,
        random_start_share=play.random_start_share,
        random_start_plies=play.random_start_plies,
        coherence=tables.coherence,
    )


def _rate_at(tables: TablesConfig, progress: float) -> float:
    """Falls by equal factors from the first game to the last."""
    return float(tables.learning_rate * tables.final_rate**progress)


@dataclass
class _Counts:
    """The figures of an iteration so far."""

    games: int = 0
    positions: int = 0
    evaluations: int = 0
    plies: int = 0
    first_wins: int = 0
    draws: int = 0
    squared_error: float = 0.0
    squared_target: float = 0.0

    def add(self, figures: TablesFigures) -> None:
        for name in vars(self):
            setattr(self, name, getattr(self, name) + getattr(figures, name))

    def self_play_report(self, records: tuple[GameRecord, ...], seconds: float) -> SelfPlayReport:
        """A look one move ahead counts as a simulation: both evaluate a position and all that can follow it."""
        games = max(1, self.games)
        return SelfPlayReport(
            games=self.games,
            positions=self.positions,
            simulations=self.positions,
            evaluations=self.evaluations,
            seconds=seconds,
            evaluator_seconds=seconds,
            threads=1,
            mean_length=self.plies / games,
            first_player_score=(self.first_wins + 0.5 * self.draws) / games,
            draws=self.draws / games,
            different_games=len({record.moves.tobytes() for record in records}) / max(1, len(records)),
            target_entropy=0.0,
            prior_entropy=0.0,
            surprise=0.0,
        )

    def learner_report(self, rate: float) -> LearnerReport:
        """The value loss is the mean squared error of the targets; a guess of 0 would have `value_loss_of_mean`."""
        positions = max(1, self.positions)
        return LearnerReport(
            steps=self.positions,
            samples=self.positions,
            seconds=0.0,
            sampling_seconds=0.0,
            policy_loss=0.0,
            value_loss=self.squared_error / positions,
            reply_loss=0.0,
            ownership_loss=0.0,
            score_loss=0.0,
            value_loss_of_mean=self.squared_target / positions,
            learning_rate=rate,
            window=0,
            gradient_norm=0.0,
        )
