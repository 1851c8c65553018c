"""The evaluator seam: anything that turns a batch of planes into policy logits and values.

A network, a uniform prior, a cache around either and a fake in a test are interchangeable: the search calls
`evaluator(planes)` and reads the answer. `make_evaluator` makes one of a network; torch and OpenVINO are imported only
when they are used.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from tengen._core import EvaluatorError, Game
from tengen.network.checkpoint import NetworkFile

Backend = Literal["auto", "torch", "openvino"]
Precision = Literal["auto", "f32", "bf16", "int8"]
Planes = NDArray[np.float32]  # [B, C, H, W]


class Evaluation(NamedTuple):
    """One answer for a batch."""

    logits: NDArray[np.float32]  # [B, A]; softmax over the legal actions gives the priors
    values: NDArray[np.float32]  # [B] in [-1, 1], or [B, 3] as probabilities of win, draw, loss; for the player to move


class Evaluator(Protocol):
    """Any callable on a batch. The planes are only valid during the call."""

    def __call__(self, planes: Planes, /) -> Evaluation: ...


class UniformEvaluator:
    """Knows nothing: every action equally likely, every position even."""

    def __init__(self, game: Game) -> None:
        self._num_actions = game.spec.num_actions
        self._answer = Evaluation(np.zeros((0, self._num_actions), np.float32), np.zeros(0, np.float32))

    def __call__(self, planes: Planes, /) -> Evaluation:
        batch = len(planes)
        if batch > len(self._answer.values):
            self._answer = Evaluation(np.zeros((batch, self._num_actions), np.float32), np.zeros(batch, np.float32))
        return Evaluation(self._answer.logits[:batch], self._answer.values[:batch])


class NetworkEvaluator(Protocol):
    """A network that answers. For one thread at a time: every thread takes a clone of its own."""

    network: NetworkFile
    description: str  # what computes it, at which precision, and why, in a sentence

    def __call__(self, planes: Planes, /) -> Evaluation:
        """Logits [B, A] and probabilities of win, draw, loss [B, 3]; B, H and W may differ from call to call."""
        ...

    def clone(self) -> NetworkEvaluator:
        """The same evaluator for another thread, without calibrating again."""
        ...


def make_evaluator(
    network: NetworkFile,
    *,
    backend: Backend = "auto",
    precision: Precision = "auto",
    threads: int = 1,
    device: str = "auto",
    calibration: Planes | None = None,
) -> NetworkEvaluator:
    """What evaluates this network here."""
    if backend == "torch":
        from tengen.network.on_torch import TorchEvaluator

        return TorchEvaluator(network, "f32" if precision == "auto" else precision, threads, device)
    from tengen.network.on_openvino import OpenVinoEvaluator

    if precision == "int8":
        raise EvaluatorError("int8 is not there yet.")
    return OpenVinoEvaluator(network, "bf16" if precision == "auto" else precision, threads)
