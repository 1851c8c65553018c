"""A learner of layers that has a teacher for a while: n-tuple tables, whose weights are then part of its state."""

from __future__ import annotations

from typing import Any

from tengen.config import TablesConfig
from tengen.learner.learner import Learner, Weights
from tengen.learner.tables import TablesInTraining
from tengen.network.checkpoint import NetworkFile

__all__ = ["TaughtLearner"]

TEACHER = "teacher"  # the weights of its tables, in the state of the learner


class TaughtLearner(Learner):
    """Its teacher is blank at first, then it has learned, and in the end it is gone."""

    def __init__(self, *game_and_configs: Any, tables: TablesConfig, seed: int, **others: Any) -> None:
        super().__init__(*game_and_configs, seed=seed, **others)
        self.teacher: TablesInTraining | None = TablesInTraining(game_and_configs[0], tables, seed=seed)

    def dismiss_teacher(self) -> None:
        self.teacher = None

    def teacher_file(self) -> NetworkFile:
        assert self.teacher is not None
        return self.teacher.network_file()

    def state(self) -> Weights:
        """With the weights of the teacher, as long as there is one."""
        state = super().state()
        return state if self.teacher is None else {**state, TEACHER: self.teacher.tables.weights()}

    def load_state(self, state: Weights) -> None:
        """Without a teacher, if there was none any more."""
        super().load_state(state)
        if TEACHER not in state:
            self.dismiss_teacher()
        elif self.teacher is not None:
            self.teacher.load_weights(state[TEACHER])
