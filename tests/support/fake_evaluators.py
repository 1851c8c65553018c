"""Evaluators for tests: pure functions of the planes, the same bits on every machine and in every batch."""

import hashlib

import numpy as np
from numpy.typing import NDArray

from tengen import Evaluation, Game


class HashEvaluator:
    """Pseudo-random logits in [-2, 2) and values in [-1, 1), multiples of 2^-15, so that sums of values are exact."""

    def __init__(self, game: Game, *, win_draw_loss: bool = False) -> None:
        self.num_actions = game.spec.num_actions
        self.win_draw_loss = win_draw_loss
        self.batches: list[int] = []  # sizes of the batches answered

    def __call__(self, planes: NDArray[np.float32], /) -> Evaluation:
        self.batches.append(len(planes))
        size = 2 * (self.num_actions + 1)
        rows = [np.frombuffer(hashlib.shake_128(row.tobytes()).digest(size), "<u2") for row in planes]
        numbers = np.array(rows, np.float32).reshape(len(planes), self.num_actions + 1) / 32768 - 1  # [B, A + 1]
        logits, values = 2 * numbers[:, :-1], numbers[:, -1]
        if self.win_draw_loss:
            values = np.stack([(1 + values) / 2, np.zeros_like(values), (1 - values) / 2], axis=1)
        return Evaluation(np.ascontiguousarray(logits), np.ascontiguousarray(values))


class ConstantEvaluator:
    """Even priors, and the same value for whoever is to move, everywhere."""

    def __init__(self, game: Game, value: float) -> None:
        self.num_actions = game.spec.num_actions
        self.value = value

    def __call__(self, planes: NDArray[np.float32], /) -> Evaluation:
        return Evaluation(
            np.zeros((len(planes), self.num_actions), np.float32), np.full(len(planes), self.value, np.float32)
        )
