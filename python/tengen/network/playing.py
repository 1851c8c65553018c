"""A network as it plays in a run: the file, and how it is to be evaluated. Other machines make the same of it.

What is here can be pickled; evaluators can't, so whoever plays makes them from this.
"""

from __future__ import annotations

from dataclasses import dataclass

from tengen._core import Game
from tengen.network.checkpoint import NetworkFile
from tengen.network.evaluator import NetworkEvaluator, Planes, Precision, make_evaluator

__all__ = ["PlayingNetwork", "PlayingTables"]


@dataclass(frozen=True, eq=False)
class PlayingNetwork:
    """int8 is calibrated on `calibration`; without it, and on a GPU, bf16 plays instead."""

    network: NetworkFile
    precision: Precision
    device: str  # "cpu", or a GPU of torch
    calibration: Planes | None = None  # [B, C, H, W]

    def evaluators(self, number: int) -> list[NetworkEvaluator]:
        """So many, for a thread each."""
        is_int8 = self.precision == "int8"
        first = make_evaluator(
            self.network,
            backend="openvino" if self.device == "cpu" else "torch",
            precision="bf16" if is_int8 and (self.calibration is None or self.device != "cpu") else self.precision,
            threads=1,
            device=self.device,
            calibration=self.calibration if is_int8 else None,
        )
        return [first, *(first.clone() for _ in range(number - 1))]


@dataclass(frozen=True, eq=False)
class PlayingTables:
    """An n-tuple network: it is looked up, in one way only."""

    network: NetworkFile
    game: Game

    def evaluators(self, number: int) -> list[NetworkEvaluator]:
        """The same for all threads: nothing in it changes."""
        return [make_evaluator(self.network, game=self.game)] * number
