"""Normalisation as part of the convolution before it: one layer less, where a network plays and does not learn."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tengen.network.checkpoint import NetworkFile

__all__ = ["folded"]

NORM_EPSILON = 1e-5  # torch's BatchNorm2d


def folded(file: NetworkFile, name: str) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Weight [O, I, K, K] and bias [O] of a convolution that does its normalisation too. In f64, rounded once."""
    weights = {key: file.weights[f"{name}.{key}"].astype(np.float64) for key in _CONV_NORM}
    scale = weights["norm.weight"] / np.sqrt(weights["norm.running_var"] + NORM_EPSILON)  # [O]
    weight = weights["conv.weight"] * scale[:, None, None, None]
    bias = weights["norm.bias"] - weights["norm.running_mean"] * scale
    return weight.astype(np.float32), bias.astype(np.float32)


_CONV_NORM = ("conv.weight", "norm.weight", "norm.bias", "norm.running_mean", "norm.running_var")
