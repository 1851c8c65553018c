"""The evaluator seam: anything that turns a batch of planes into policy logits and values.

A network, a uniform prior, a cache around either and a fake in a test are interchangeable: the search calls
`evaluator(planes)` and reads the answer.
"""

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from tengen._core import Game

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
