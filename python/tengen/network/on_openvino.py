"""A network evaluated by OpenVINO on the CPU: the fast way, without torch.

OpenVINO is fastest on shapes that it knows beforehand, so a batch is cut into a few fixed sizes and its rest is padded.
With one thread and one stream the work is done in the calling thread: two threads with a clone each fill two cores.
(Two requests of one compiled model would wait for each other, hence a compiled model per clone.)
"""

from __future__ import annotations

import bisect
from functools import cache
from typing import Any

import numpy as np
import openvino as ov

from tengen._core import EvaluatorError
from tengen.network.checkpoint import NetworkFile
from tengen.network.evaluator import Evaluation, Planes
from tengen.network.graph import build_model

__all__ = ["OpenVinoEvaluator"]

# More is not faster: 64 positions fill the vector units and still fit the cache.
BATCHES = (1, 2, 4, 8, 16, 32, 48, 64)


class OpenVinoEvaluator:
    """Compiles for a batch size when it first meets it, which takes about a twentieth of a second."""

    def __init__(self, network: NetworkFile, precision: str, threads: int) -> None:
        if precision not in {"f32", "bf16"}:
            raise EvaluatorError(f"OpenVINO evaluates in f32, bf16 or int8, not in {precision}.")
        self.network = network
        self.description = f"OpenVINO {precision} on the CPU, {threads} thread{'s' * (threads != 1)}"
        self._precision = precision
        self._threads = threads
        self._requests: dict[tuple[int, ...], _Request] = {}

    def __call__(self, planes: Planes, /) -> Evaluation:
        answers = []
        start = 0
        while start < len(planes):
            rest = len(planes) - start
            batch = BATCHES[min(bisect.bisect_left(BATCHES, rest), len(BATCHES) - 1)]
            answers.append(self._request(batch, planes)(planes[start : start + batch]))
            start += batch
        if len(answers) == 1:
            return answers[0]
        return Evaluation(
            np.concatenate([answer.logits for answer in answers]),
            np.concatenate([answer.values for answer in answers]),
        )

    def _request(self, batch: int, planes: Planes) -> _Request:
        shape = (batch, *planes.shape[1:])
        request = self._requests.get(shape)
        if request is None:
            model = build_model(self.network, batch, planes.shape[2], planes.shape[3])
            request = self._requests[shape] = _Request(model, shape, self._precision, self._threads)
        return request

    def clone(self) -> OpenVinoEvaluator:
        return OpenVinoEvaluator(self.network, self._precision, self._threads)


class _Request:
    """One compiled shape and the memory that its answers come in."""

    def __init__(self, model: ov.Model, shape: tuple[int, ...], precision: str, threads: int) -> None:
        settings = {
            "INFERENCE_PRECISION_HINT": precision,
            "INFERENCE_NUM_THREADS": threads,
            "NUM_STREAMS": 1,
            "ENABLE_CPU_PINNING": False,
        }
        self._shape = shape
        self._request: Any = _core().compile_model(model, "CPU", settings).create_infer_request()
        self._padded = np.zeros(shape, np.float32)

    def __call__(self, planes: Planes) -> Evaluation:
        rows = len(planes)
        if rows < self._shape[0]:
            self._padded[:rows] = planes
            planes = self._padded
        self._request.infer([planes], share_inputs=True, share_outputs=True)
        logits, wdl = (self._request.get_output_tensor(index).data[:rows].copy() for index in range(2))
        return Evaluation(logits, wdl)


@cache
def _core() -> ov.Core:
    return ov.Core()
