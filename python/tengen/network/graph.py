"""The network as OpenVINO plays it, built from a file's weights without torch.

Normalisation is folded into the convolution before it. Only what the search asks for is built: policy logits and the
probabilities of win, draw and loss. Heads that merely help training are left out; of these, whose each cell will be
has a model of its own, for people who look on.

For int8 the convolutions of the blocks, nineteen twentieths of the work, multiply bytes. Weights are scaled by output
channel; what enters a convolution is a rectified number, from 0 to the largest that the calibration met there, in 256
steps. The first convolution and the heads stay in floating point: they cost little, a plane may hold any number, and
the answer is not rounded to steps.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import openvino as ov
from numpy.typing import NDArray
from openvino import opset13 as ops

from tengen.network.architecture import LOGITS, OWNERSHIP, SCORE, WDL
from tengen.network.checkpoint import NetworkFile
from tengen.network.folding import folded
from tengen.network.layers import walk

__all__ = ["Ranges", "build_model", "build_ownership_model", "build_range_model", "build_score_model"]

Node = Any  # openvino.Node: its stubs don't know what the operations return
Ranges = Mapping[str, float]  # the largest number that enters each convolution of the blocks, by its name


def build_model(file: NetworkFile, batch: int, height: int, width: int, ranges: Ranges | None = None) -> ov.Model:
    """planes [batch, C, height, width] -> logits [batch, A], wdl [batch, 3]; in int8 if ranges are given.

    A network that has only one of the heads has only that output.
    """
    planes = ops.parameter([batch, file.planes_shape[0], height, width], np.float32, name="planes")
    answers = walk(OpenVinoOperations(file, ranges or {}), file.architecture, planes, (LOGITS, WDL))
    results = []
    if LOGITS in answers:
        results.append(ops.result(_flat(answers[LOGITS]), name="logits"))
    if WDL in answers:
        results.append(ops.result(ops.softmax(_flat(answers[WDL]), 1), name="wdl"))
    return ov.Model(results, [planes], "tengen")


def build_ownership_model(file: NetworkFile, height: int, width: int) -> ov.Model:
    """planes [1, C, height, width] -> the chance of each cell to be one's own in the end, [1, 1, height, width]."""
    planes = ops.parameter([1, file.planes_shape[0], height, width], np.float32, name="planes")
    logits = walk(OpenVinoOperations(file, {}), file.architecture, planes, (OWNERSHIP,))[OWNERSHIP]
    return ov.Model([ops.result(ops.sigmoid(logits))], [planes], "ownership")


def build_score_model(file: NetworkFile, height: int, width: int) -> ov.Model:
    """planes [1, C, height, width] -> the mover's final margin, divided by the number of cells, [1, 1]."""
    planes = ops.parameter([1, file.planes_shape[0], height, width], np.float32, name="planes")
    score = walk(OpenVinoOperations(file, {}), file.architecture, planes, (SCORE,))[SCORE]
    return ov.Model([ops.result(_flat(score))], [planes], "score")


def build_range_model(file: NetworkFile, batch: int, height: int, width: int) -> tuple[ov.Model, list[str]]:
    """planes -> for every convolution of the blocks the largest number that enters it; and their names, in order."""
    planes = ops.parameter([batch, file.planes_shape[0], height, width], np.float32, name="planes")
    operations = _Measuring(file)
    walk(operations, file.architecture, planes, ())
    return ov.Model(list(operations.largest.values()), [planes], "ranges"), list(operations.largest)


class OpenVinoOperations:
    """The operations of `network.operations`. A board is [B, C, H, W]; a vector is [B, C, 1, 1].

    Dense layers are convolutions of size 1: a matrix product in bf16 rounds differently in small batches.
    """

    def __init__(self, file: NetworkFile, ranges: Ranges) -> None:
        self._file = file
        self._ranges = ranges

    def conv_norm(self, name: str, x: Node, outputs: int, kernel: int) -> Node:
        weight, bias = folded(self._file.weights, name)
        return _convolution(x, _as_bytes(weight) if name in self._ranges else weight, bias)

    def pointwise(self, name: str, x: Node, outputs: int) -> Node:
        weight, bias = self._file.weights[f"{name}.weight"], self._file.weights[f"{name}.bias"]
        return _convolution(x, weight.reshape(*weight.shape[:2], 1, 1), bias)

    linear = pointwise

    def entering(self, name: str, x: Node) -> Node:
        """Rounds what is in [0, largest] to 256 steps; OpenVINO then computes with the bytes themselves."""
        if name not in self._ranges:
            return x
        low, high = np.float32(0), np.float32(max(self._ranges[name], 1e-6))
        return ops.fake_quantize(x, low, high, low, high, 256)

    def pool(self, x: Node) -> Node:
        return ops.concat([ops.reduce_mean(x, [2, 3], True), ops.reduce_max(x, [2, 3], True)], 1)

    def pool_columns(self, x: Node) -> Node:
        column, unit, none = [x.output(0).shape[2], 1], [1, 1], [0, 0]
        mean = ops.avg_pool(x, unit, none, none, column, exclude_pad=True)
        maximum = ops.max_pool(x, unit, unit, none, none, column).output(0)
        return ops.concat([mean, maximum], 1)

    def split(self, x: Node, first: int) -> tuple[Node, Node]:
        channels = x.output(0).shape[1]
        one, other = ops.variadic_split(x, 1, [first, channels - first]).outputs()
        return one, other

    def spread(self, x: Node) -> Node:
        return x

    def flat(self, x: Node) -> Node:
        return ops.unsqueeze(_flat(x), [2, 3])

    def join(self, parts: Iterable[Node]) -> Node:
        return ops.concat(list(parts), 1)

    def relu(self, x: Node) -> Node:
        return ops.relu(x)

    def sigmoid(self, x: Node) -> Node:
        return ops.sigmoid(x)

    def add(self, x: Node, y: Node) -> Node:
        return ops.add(x, y)

    def multiply(self, x: Node, y: Node) -> Node:
        return ops.multiply(x, y)


class _Measuring(OpenVinoOperations):
    """Computes in f32, and remembers the largest number that enters each convolution."""

    def __init__(self, file: NetworkFile) -> None:
        super().__init__(file, {})
        self.largest: dict[str, Node] = {}

    def entering(self, name: str, x: Node) -> Node:
        self.largest[name] = ops.result(ops.reduce_max(x, [0, 1, 2, 3]))
        return x


def _flat(x: Node) -> Node:
    """[B, ...] -> [B, n]"""
    return ops.reshape(x, [0, -1], True)


def _convolution(x: Node, weight: Node | NDArray[np.float32], bias: NDArray[np.float32]) -> Node:
    padding = [weight.shape[2] // 2] * 2
    y = ops.convolution(x, weight, strides=[1, 1], pads_begin=padding, pads_end=padding, dilations=[1, 1])
    return ops.add(y, bias.reshape(1, -1, 1, 1))


def _as_bytes(weight: NDArray[np.float32]) -> Node:
    """Weights in -127 .. 127, scaled by output channel."""
    step = np.maximum(np.abs(weight).max((1, 2, 3), keepdims=True), 1e-8) / np.float32(127)  # [O, 1, 1, 1]
    whole = ops.constant(np.rint(weight / step).astype(np.int8))
    return ops.multiply(ops.convert(whole, np.float32), ops.constant(step)).output(0)
