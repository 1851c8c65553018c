"""The network as OpenVINO plays it: the function of `resnet.py`, built from a file's weights without torch.

Normalisation is folded into the convolution before it. Only what the search asks for is built: policy logits and the
probabilities of win, draw and loss. Heads that merely help training are left out.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import openvino as ov
from numpy.typing import NDArray
from openvino import opset13 as ops

from tengen.network.checkpoint import NetworkFile

__all__ = ["build_model"]

NORM_EPSILON = 1e-5  # torch's BatchNorm2d

Node = Any  # openvino.Node: its stubs don't know what the operations return


def build_model(file: NetworkFile, batch: int, height: int, width: int) -> ov.Model:
    """planes [batch, C, height, width] -> logits [batch, A], wdl [batch, 3]."""
    planes = ops.parameter([batch, file.planes_shape[0], height, width], np.float32, name="planes")
    trunk = _trunk(file, planes)
    logits = ops.result(_policy(file, trunk), name="logits")
    wdl = ops.result(_value(file, trunk), name="wdl")
    return ov.Model([logits, wdl], [planes], "tengen")


def _trunk(file: NetworkFile, planes: Node) -> Node:
    x = ops.relu(_conv_norm(file, "stem", planes))
    for index in range(file.config.blocks):
        name = f"blocks.{index}"
        y = _conv_norm(file, f"{name}.first", x)
        if f"{name}.bias.weight" in file.weights:
            quarter = file.config.channels // 4
            pooled, y = ops.variadic_split(y, 1, [quarter, file.config.channels - quarter]).outputs()
            y = ops.add(y, _per_channel(_dense(file, f"{name}.bias", _pool(ops.relu(pooled)))))
        x = ops.relu(ops.add(_conv_norm(file, f"{name}.second", ops.relu(y)), x))
    return x


def _policy(file: NetworkFile, trunk: Node) -> Node:
    local = _conv_norm(file, "policy.local", trunk)  # [B, P, H, W]
    if file.action_layout == "other":
        return _dense(file, "policy.out", ops.reshape(ops.relu(local), [0, -1], True))
    pooled = _pool(ops.relu(local))
    local = ops.relu(ops.add(local, _per_channel(_dense(file, "policy.bias", pooled))))
    if file.action_layout == "columns":
        column = ops.concat([ops.reduce_mean(local, 2), ops.reduce_max(local, 2)], 1)  # [B, 2P, W]
        hidden = ops.relu(_dense(file, "policy.column", ops.transpose(column, [0, 2, 1])))
        return ops.squeeze(_dense(file, "policy.out", hidden), 2)
    weight, bias = file.weights["policy.out.weight"], file.weights["policy.out.bias"]
    cells = ops.reshape(_convolution(local, weight, bias), [0, -1], True)
    if "policy.extra.weight" not in file.weights:
        return cells
    return ops.concat([cells, _dense(file, "policy.extra", pooled)], 1)


def _value(file: NetworkFile, trunk: Node) -> Node:
    pooled = _pool(ops.relu(_conv_norm(file, "value.local", trunk)))
    hidden = ops.relu(_dense(file, "value.hidden", pooled))
    return ops.softmax(_dense(file, "value.out", hidden), 1)


def _pool(x: Node) -> Node:
    """[B, C, H, W] -> [B, 2C]: mean and maximum of every channel over the board."""
    return ops.concat([ops.reduce_mean(x, [2, 3]), ops.reduce_max(x, [2, 3])], 1)


def _per_channel(x: Node) -> Node:
    """[B, C] -> [B, C, 1, 1]"""
    return ops.unsqueeze(x, [2, 3])


def _dense(file: NetworkFile, name: str, x: Node) -> Node:
    weight, bias = file.weights[f"{name}.weight"], file.weights[f"{name}.bias"]
    return ops.add(ops.matmul(x, weight, False, True), bias)


def _conv_norm(file: NetworkFile, name: str, x: Node) -> Node:
    return _convolution(x, *folded(file, name))


def folded(file: NetworkFile, name: str) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Weight [O, I, K, K] and bias [O] of a convolution that does its normalisation too. In f64, rounded once."""
    weights = {key: file.weights[f"{name}.{key}"].astype(np.float64) for key in _CONV_NORM}
    scale = weights["norm.weight"] / np.sqrt(weights["norm.running_var"] + NORM_EPSILON)  # [O]
    weight = weights["conv.weight"] * scale[:, None, None, None]
    bias = weights["norm.bias"] - weights["norm.running_mean"] * scale
    return weight.astype(np.float32), bias.astype(np.float32)


_CONV_NORM = ("conv.weight", "norm.weight", "norm.bias", "norm.running_mean", "norm.running_var")


def _convolution(x: Node, weight: NDArray[np.float32], bias: NDArray[np.float32]) -> Node:
    padding = [weight.shape[2] // 2] * 2
    y = ops.convolution(x, weight, strides=[1, 1], pads_begin=padding, pads_end=padding, dilations=[1, 1])
    return ops.add(y, bias.reshape(1, -1, 1, 1))
