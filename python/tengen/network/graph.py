"""The network as OpenVINO plays it: the function of `resnet.py`, built from a file's weights without torch.

Normalisation is folded into the convolution before it. Only what the search asks for is built: policy logits and the
probabilities of win, draw and loss. Heads that merely help training are left out; of these, whose each cell will be
has a model of its own, for people who look on.

For int8 the convolutions of the blocks, nineteen twentieths of the work, multiply bytes. Weights are scaled by output
channel; what enters a convolution is a rectified number, from 0 to the largest that the calibration met there, in 256
steps. The first convolution and the heads stay in floating point: they cost little, a plane may hold any number, and
the answer is not rounded to steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
import openvino as ov
from numpy.typing import NDArray
from openvino import opset13 as ops

from tengen.network.checkpoint import NetworkFile, NetworkFileError
from tengen.network.folding import folded

__all__ = ["build_model", "build_ownership_model", "build_range_model"]

Node = Any  # openvino.Node: its stubs don't know what the operations return
Ranges = Mapping[str, float]  # the largest number that enters each convolution of the blocks, by its name


def build_model(file: NetworkFile, batch: int, height: int, width: int, ranges: Ranges | None = None) -> ov.Model:
    """planes [batch, C, height, width] -> logits [batch, A], wdl [batch, 3]; in int8 if ranges are given."""
    with _fitting(file):
        planes = ops.parameter([batch, file.planes_shape[0], height, width], np.float32, name="planes")
        if ranges is None:
            trunk = _trunk(file, planes, lambda _, x: x, _convolution)
        else:
            trunk = _trunk(file, planes, lambda name, x: _to_bytes(x, ranges[name]), _byte_convolution)
        logits = ops.result(_policy(file, trunk), name="logits")
        wdl = ops.result(_value(file, trunk), name="wdl")
        return ov.Model([logits, wdl], [planes], "tengen")


def build_ownership_model(file: NetworkFile, height: int, width: int) -> ov.Model:
    """planes [1, C, height, width] -> the chance of each cell to be one's own in the end, [1, 1, height, width]."""
    with _fitting(file):
        planes = ops.parameter([1, file.planes_shape[0], height, width], np.float32, name="planes")
        trunk = _trunk(file, planes, lambda _, x: x, _convolution)
        return ov.Model([ops.result(ops.sigmoid(_dense(file, "ownership", trunk)))], [planes], "ownership")


def build_range_model(file: NetworkFile, batch: int, height: int, width: int) -> tuple[ov.Model, list[str]]:
    """planes -> for every convolution of the blocks the largest number that enters it; and their names, in order."""
    planes = ops.parameter([batch, file.planes_shape[0], height, width], np.float32, name="planes")
    largest: dict[str, Node] = {}

    def measured(name: str, x: Node) -> Node:
        largest[name] = ops.result(ops.reduce_max(x, [0, 1, 2, 3]))
        return x

    with _fitting(file):
        _trunk(file, planes, measured, _convolution)
    return ov.Model(list(largest.values()), [planes], "ranges"), list(largest)


@contextmanager
def _fitting(file: NetworkFile) -> Iterator[None]:
    """Names the error of a file whose weights are not those of its config."""
    try:
        yield
    except (KeyError, ValueError, RuntimeError) as error:  # no such weight, or one that OpenVINO can't fit in
        reason = str(error).strip().splitlines()[-1]
        raise NetworkFileError(f"The weights don't fit their own header ({file.config}): {reason}.") from error


def _trunk(
    file: NetworkFile, planes: Node, entering: Callable[[str, Node], Node], convolution: Callable[..., Node]
) -> Node:
    """The stem and the blocks. `entering` sees and may change what enters each convolution of a block."""
    x = ops.relu(_convolution(planes, *folded(file, "stem")))
    for index in range(file.config.blocks):
        name = f"blocks.{index}"
        x = entering(f"{name}.first", x)
        y = convolution(x, *folded(file, f"{name}.first"))
        if f"{name}.bias.weight" in file.weights:
            quarter = file.config.channels // 4
            pooled, y = ops.variadic_split(y, 1, [quarter, file.config.channels - quarter]).outputs()
            y = ops.add(y, _dense(file, f"{name}.bias", _pool(ops.relu(pooled))))
        y = entering(f"{name}.second", ops.relu(y))
        x = ops.relu(ops.add(convolution(y, *folded(file, f"{name}.second")), x))
    return x


def _policy(file: NetworkFile, trunk: Node) -> Node:
    local = _convolution(trunk, *folded(file, "policy.local"))  # [B, P, H, W]
    if file.action_layout == "dense":
        flat = ops.unsqueeze(_flat(ops.relu(local)), [2, 3])
        return _flat(_dense(file, "policy.out", flat))
    pooled = _pool(ops.relu(local))
    local = ops.relu(ops.add(local, _dense(file, "policy.bias", pooled)))
    if file.action_layout == "columns":
        local = ops.relu(_dense(file, "policy.column", _pool_columns(local)))  # [B, P, 1, W]
    logits = _flat(_dense(file, "policy.out", local))
    if "policy.extra.weight" not in file.weights:
        return logits
    return ops.concat([logits, _flat(_dense(file, "policy.extra", pooled))], 1)


def _value(file: NetworkFile, trunk: Node) -> Node:
    pooled = _pool(ops.relu(_convolution(trunk, *folded(file, "value.local"))))
    hidden = ops.relu(_dense(file, "value.hidden", pooled))
    return ops.softmax(_flat(_dense(file, "value.out", hidden)), 1)


def _pool(x: Node) -> Node:
    """[B, C, H, W] -> [B, 2C, 1, 1]: mean and maximum of every channel over the board."""
    return ops.concat([ops.reduce_mean(x, [2, 3], True), ops.reduce_max(x, [2, 3], True)], 1)


def _pool_columns(x: Node) -> Node:
    """[B, C, H, W] -> [B, 2C, 1, W]: mean and maximum of every channel over each column."""
    column, unit, none = [x.output(0).shape[2], 1], [1, 1], [0, 0]
    mean = ops.avg_pool(x, unit, none, none, column, exclude_pad=True)
    maximum = ops.max_pool(x, unit, unit, none, none, column).output(0)
    return ops.concat([mean, maximum], 1)


def _flat(x: Node) -> Node:
    """[B, ...] -> [B, n]"""
    return ops.reshape(x, [0, -1], True)


def _dense(file: NetworkFile, name: str, x: Node) -> Node:
    """A dense layer, as a convolution of size 1: a matrix product in bf16 rounds differently in small batches."""
    weight, bias = file.weights[f"{name}.weight"], file.weights[f"{name}.bias"]
    return _convolution(x, weight.reshape(*weight.shape[:2], 1, 1), bias)


def _convolution(x: Node, weight: Node | NDArray[np.float32], bias: NDArray[np.float32]) -> Node:
    padding = [weight.shape[2] // 2] * 2
    y = ops.convolution(x, weight, strides=[1, 1], pads_begin=padding, pads_end=padding, dilations=[1, 1])
    return ops.add(y, bias.reshape(1, -1, 1, 1))


def _to_bytes(x: Node, largest: float) -> Node:
    """Rounds what is in [0, largest] to 256 steps; OpenVINO then computes with the bytes themselves."""
    low, high = np.float32(0), np.float32(max(largest, 1e-6))
    return ops.fake_quantize(x, low, high, low, high, 256)


def _byte_convolution(x: Node, weight: NDArray[np.float32], bias: NDArray[np.float32]) -> Node:
    """The convolution with weights in -127 .. 127, scaled by output channel."""
    step = np.maximum(np.abs(weight).max((1, 2, 3), keepdims=True), 1e-8) / np.float32(127)  # [O, 1, 1, 1]
    whole = ops.constant(np.rint(weight / step).astype(np.int8))
    scaled = ops.multiply(ops.convert(whole, np.float32), ops.constant(step))
    return _convolution(x, scaled.output(0), bias)
