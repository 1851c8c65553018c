"""The operations of `network.operations` in numpy: slow, but numpy is always there.

`tengen export kaggle` copies the class into the file that it writes, so it needs numpy and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

__all__ = ["NumpyOperations", "softmax"]

Array = np.ndarray[Any, Any]


class NumpyOperations:
    """What a layer is made of. A board is [B, H, W, channels], so that every layer is a product with a matrix.

    `weights` has for each layer a `weight` [inputs, outputs] and a `bias` [outputs]. The inputs of a 3x3 convolution
    are the nine cells row by row, and the channels of each. A vector is a board of one cell.
    """

    def __init__(self, weights: dict[str, Array]) -> None:
        self.weights = weights

    def conv_norm(self, name: str, x: Array, outputs: int, kernel: int) -> Array:
        """3x3: every cell with its eight neighbours (beyond the edge is 0) is laid out in a row, then one product."""
        if kernel == 1:
            return self.linear(name, x, outputs)
        batch, height, width, channels = x.shape
        padded = np.zeros((batch, height + 2, width + 2, channels), np.float32)
        padded[:, 1:-1, 1:-1] = x
        around = np.empty((batch, height, width, 9, channels), np.float32)
        for index in range(9):
            down, right = divmod(index, 3)
            around[..., index, :] = padded[:, down : down + height, right : right + width]
        return self.linear(name, around.reshape(batch, height, width, 9 * channels), outputs)

    def linear(self, name: str, x: Array, outputs: int) -> Array:
        flat: Array = x.reshape(-1, x.shape[-1]) @ self.weights[f"{name}.weight"]
        flat += self.weights[f"{name}.bias"]
        return flat.reshape(*x.shape[:-1], outputs)

    pointwise = linear

    def entering(self, name: str, x: Array) -> Array:
        return x

    def pool(self, x: Array) -> Array:
        """Mean and maximum of every channel over the board."""
        return np.concatenate([x.mean((1, 2), keepdims=True), x.max((1, 2), keepdims=True)], axis=-1)

    def pool_columns(self, x: Array) -> Array:
        """Mean and maximum of every channel over each column."""
        return np.concatenate([x.mean(1, keepdims=True), x.max(1, keepdims=True)], axis=-1)

    def split(self, x: Array, first: int) -> tuple[Array, Array]:
        return x[..., :first], x[..., first:]

    def spread(self, x: Array) -> Array:
        return x

    def flat(self, x: Array) -> Array:
        """Channel by channel, and each row by row."""
        batch, height, width, channels = x.shape
        return x.transpose(0, 3, 1, 2).reshape(batch, 1, 1, channels * height * width)

    def join(self, parts: Iterable[Array]) -> Array:
        return np.concatenate(list(parts), axis=-1)

    def relu(self, x: Array) -> Array:
        return np.maximum(x, 0)

    def sigmoid(self, x: Array) -> Array:
        y: Array = 1 / (1 + np.exp(-np.clip(x, -30, 30)))
        return y

    def add(self, x: Array, y: Array) -> Array:
        z: Array = x + y
        return z

    def multiply(self, x: Array, y: Array) -> Array:
        z: Array = x * y
        return z


def softmax(logits: Array) -> Array:
    """[B, n] -> [B, n], which sum to 1."""
    powers = np.exp(logits - logits.max(-1, keepdims=True))
    shares: Array = powers / powers.sum(-1, keepdims=True)
    return shares
