"""Tables of an n-tuple network while they learn: what the stages of a run need of a learner, around the C++ one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tengen._core import Game, TablesLearner
from tengen.config import TablesConfig
from tengen.network.architecture import Architecture
from tengen.network.checkpoint import TABLES, NetworkFile
from tengen.network.tables import count_weights, describe_tables

__all__ = ["TablesInTraining"]

Weights = dict[str, NDArray[np.float32]]


class TablesInTraining:
    """Weights, and the step size of each."""

    device = "cpu"

    def __init__(self, game: Game, config: TablesConfig, *, seed: int) -> None:
        self._game = game
        self.described = describe_tables(game, config, seed)
        self.tables = TablesLearner(game, self.described.shape)
        self.num_parameters = count_weights(game, self.described)

    def network_file(self, *, iteration: int = 0, **made_by: str) -> NetworkFile:
        weights = {TABLES: self.tables.weights()}
        return NetworkFile.of(self._game, Architecture(tables=self.described), weights, made_by, iteration=iteration)

    def state(self) -> Weights:
        """Everything needed to go on. Which tuples there are follows from the seed."""
        return {"weights": self.tables.weights(), "sums": self.tables.sums()}

    def load_state(self, state: Weights) -> None:
        self.tables.load(state["weights"], state["sums"])

    def load_weights(self, weights: NDArray[np.float32]) -> None:
        """To play, not to learn on: the step sizes begin anew."""
        self.tables.load(weights, np.zeros_like(self.tables.sums()))
