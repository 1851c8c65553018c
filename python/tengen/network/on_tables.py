"""An n-tuple network evaluated by the C++ core: values from the tables, priors from the values after each move."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tengen._core import ArgumentError, EvaluatorError, Game, Tables
from tengen.network.checkpoint import TABLES, NetworkFile, NetworkFileError
from tengen.network.evaluator import Evaluation, Planes

__all__ = ["TablesEvaluator"]


class TablesEvaluator:
    """Reads states: a search hands its leaves to `tables` inside of C++, `evaluate_states` asks about any others."""

    def __init__(self, network: NetworkFile, game: Game) -> None:
        described = network.architecture.tables
        assert described is not None
        self.network = network
        try:
            self.tables = Tables(game, described.shape, network.weights[TABLES], described.temperature)
        except ArgumentError as error:
            raise NetworkFileError(f"This network does not fit {game.spec.name}: {error}") from error
        count, cells = len(described.tuples), len(described.tuples[0])
        self.description = f"{count} tables over {cells} cells each, in every symmetry, looked up on the CPU"

    def __call__(self, planes: Planes, /) -> Evaluation:
        raise EvaluatorError(
            "An n-tuple network reads states, not planes; tengen.network.evaluate_states(evaluator, states) asks it."
        )

    def ownership(self, planes: Planes, /) -> Planes | None:
        return None

    def score(self, planes: Planes, /) -> NDArray[np.float32] | None:
        return None

    def clone(self) -> TablesEvaluator:
        return self  # nothing in it changes, so that threads can share it
