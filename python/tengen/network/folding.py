"""Normalisation as part of the convolution before it: one layer less, where a network plays and does not learn."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

__all__ = ["folded"]

NORM_EPSILON = 1e-5  # torch's BatchNorm2d


def folded(weights: Mapping[str, NDArray[np.float32]], name: str) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Weight [O, I, K, K] and bias [O] of a convolution that does its normalisation too. In f64, rounded once."""
    own = {key: weights[f"{name}.{key}"].astype(np.float64) for key in _CONV_NORM}
    scale = own["norm.weight"] / np.sqrt(own["norm.running_var"] + NORM_EPSILON)  # [O]
    weight = own["conv.weight"] * scale[:, None, None, None]
    bias = own["norm.bias"] - own["norm.running_mean"] * scale
    return weight.astype(np.float32), bias.astype(np.float32)


_CONV_NORM = ("conv.weight", "norm.weight", "norm.bias", "norm.running_mean", "norm.running_var")
