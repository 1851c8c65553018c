"""A network evaluated by numpy: many times slower than OpenVINO, but there wherever tengen is."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from tengen._core import EvaluatorError
from tengen.network.architecture import LOGITS, OWNERSHIP, SCORE, WDL
from tengen.network.checkpoint import NetworkFile
from tengen.network.evaluator import Evaluation, Planes, checked_planes, empty_answer
from tengen.network.folding import folded
from tengen.network.layers import pieces, walk
from tengen.network.numpy_operations import NumpyOperations, softmax

__all__ = ["NumpyEvaluator", "matrices"]

MOST_CELLS = 20_000  # in one pass: the neighbours of a 3x3 convolution take nine times the memory of a board


class NumpyEvaluator:
    """Large batches in pieces. Any thread may ask: nobody changes the weights, and clones share them."""

    def __init__(self, network: NetworkFile, precision: str) -> None:
        if precision != "f32":
            raise EvaluatorError(f"numpy evaluates in f32, not in {precision}; OpenVINO does.")
        if network.architecture.module is not None:
            raise EvaluatorError("numpy can't compute a torch module of one's own; torch and OpenVINO can.")
        self.network = network
        self.description = "numpy f32 on the CPU"
        self._operations = NumpyOperations(matrices(network, (LOGITS, WDL, OWNERSHIP, SCORE)))

    def __call__(self, planes: Planes, /) -> Evaluation:
        planes = checked_planes(self.network, planes)
        answer = empty_answer(self.network, planes)
        step = max(1, MOST_CELLS // (planes.shape[2] * planes.shape[3]))
        for start in range(0, len(planes), step):
            rows = slice(start, start + step)
            found = self._walk(planes[rows], (LOGITS, WDL))
            if LOGITS in found:
                answer.logits[rows] = found[LOGITS].reshape(answer.logits[rows].shape)
            if WDL in found:
                answer.values[rows] = softmax(found[WDL].reshape(-1, 3))
        return answer

    def ownership(self, planes: Planes, /) -> Planes | None:
        planes = checked_planes(self.network, planes)
        if not self.network.has_ownership:
            return None
        logits = self._walk(planes, (OWNERSHIP,))[OWNERSHIP][..., 0]
        return self._operations.sigmoid(logits)

    def score(self, planes: Planes, /) -> NDArray[np.float32] | None:
        planes = checked_planes(self.network, planes)
        if not self.network.has_score:
            return None
        return self._walk(planes, (SCORE,))[SCORE].reshape(len(planes))

    def _walk(self, planes: Planes, wanted: tuple[str, ...]) -> dict[str, NDArray[np.float32]]:
        return walk(self._operations, self.network.architecture, planes.transpose(0, 2, 3, 1), wanted)

    def clone(self) -> NumpyEvaluator:
        other = object.__new__(NumpyEvaluator)
        other.__dict__.update(self.__dict__)
        return other


def matrices(file: NetworkFile, wanted: Collection[str]) -> dict[str, NDArray[np.float32]]:
    """The weights as NumpyOperations multiply with them, of the layers that the wanted outputs need."""
    found: dict[str, NDArray[np.float32]] = {}
    for piece in pieces(file.architecture, file.planes_shape, wanted):
        if piece.operation == "conv_norm":
            weight, bias = folded(file.weights, piece.name)
        else:
            weight, bias = file.weights[f"{piece.name}.weight"], file.weights[f"{piece.name}.bias"]
        square = weight.reshape(*weight.shape[:2], piece.kernel, piece.kernel)  # [outputs, inputs, rows, columns]
        found[f"{piece.name}.weight"] = np.ascontiguousarray(square.transpose(2, 3, 1, 0).reshape(-1, len(weight)))
        found[f"{piece.name}.bias"] = bias
    return found
