"""AlphaZero with a teacher: in its first part n-tuple tables play the games that the network learns from.

Tables learn from a game in a fraction of a millisecond, and a search asks them ten times as often a second as it asks
layers (docs/lab/ntuple.md). So for the first minutes they are the better player: they learn by temporal differences,
then they search and play, and the network learns from their games what it would learn from its own, later. When
`tables.teach_share` of the run is over, the network goes on by itself.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from itertools import count

import numpy as np

from tengen._core import Game
from tengen.config import RunConfig
from tengen.learner.taught import TaughtLearner
from tengen.methods.alphazero import AlphaZero, discount
from tengen.methods.temporal import ROUND, learning_at
from tengen.network.checkpoint import NetworkFile
from tengen.run.clock import Clock, Plan
from tengen.selfplay import SelfPlayResult

__all__ = ["Taught"]

LEARNING = 0.25  # share of the teacher's time in which it learns itself


class Taught(AlphaZero):
    """AlphaZero; but as long as the learner has a teacher, the teacher plays."""

    learner: TaughtLearner

    @staticmethod
    def new_learner(game: Game, config: RunConfig, start: NetworkFile | None = None) -> TaughtLearner:
        return TaughtLearner(
            game,
            config.network,
            config.learner,
            seed=config.seed,
            discount=discount(config),
            start=start,
            tables=config.tables,
        )

    @property
    def evaluator_text(self) -> str:
        return f"{super().evaluator_text}; tables in the first {self.config.tables.teach_share:.0%} of the run"

    def play(self, plan: Plan, clock: Clock) -> SelfPlayResult:
        """Games of the teacher, which learns before the first; after its time, self-play with the champion."""
        if self.learner.teacher is None or (self.iteration and plan.progress[0] >= self.config.tables.teach_share):
            self.learner.dismiss_teacher()
            return super().play(plan, clock)
        if self.iteration == 0:
            began = clock.seconds()
            self._teach_the_teacher(clock)
            took = clock.seconds() - began
            plan = replace(plan, play_until=plan.play_until + took, learn_until=plan.learn_until + took)
        settings = {"simulations": self.config.tables.teach_simulations, "fast_simulations": 0, "full_share": 1.0}
        plan = replace(plan, play=plan.play.model_copy(update=settings))
        units = self._units(self.learner.teacher_file(), plan, self.iteration, clock)
        played = units(lambda: False, partial(self.observer.stage, "self-play"))
        self.in_flight = played.in_flight
        return played

    def _teach_the_teacher(self, clock: Clock) -> None:
        """By temporal differences, as long as its games last; in a run of minutes for its share of them."""
        assert self.learner.teacher is not None
        tables = self.config.tables
        began = clock.seconds()
        seconds = LEARNING * tables.teach_share * (began + clock.seconds_left(0, []))
        seed = int(np.random.default_rng([self.config.seed, 0]).integers(2**63))
        for first in count(0, ROUND):
            done = first / tables.teach_games
            if seconds < math.inf:
                done = max(done, (clock.seconds() - began) / seconds)
            if done >= 1.0:
                break
            games = min(ROUND, tables.teach_games - first)
            self.learner.teacher.tables.play(first, games, seed, learning_at(self.config, done), 0)
            self.observer.stage("the tables learn", int(1000 * done), 1000)
