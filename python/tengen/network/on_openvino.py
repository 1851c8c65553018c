"""A network evaluated by OpenVINO on the CPU: the fast way, without torch.

OpenVINO is fastest on shapes that it knows beforehand, so a batch is cut into pieces of a few fixed sizes. With one
thread and one stream the work is done in the calling thread: two threads with a clone each fill two cores. (Requests
of one compiled model wait for each other, hence a compiled model per clone.)
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
import openvino as ov
from numpy.typing import NDArray

from tengen._core import EvaluatorError
from tengen.base.threads import InUse, one_thread
from tengen.network.checkpoint import NetworkFile
from tengen.network.evaluator import Evaluation, Planes, checked_planes, empty_answer
from tengen.network.graph import Ranges, build_model, build_ownership_model, build_range_model, build_score_model

__all__ = ["OpenVinoEvaluator", "calibrate", "fast_precisions"]

BATCHES = (1, 4, 16, 32, 64, 128)  # larger ones are not faster
CALL_COST = 2  # what a call costs besides its positions, in positions; measured on 4x64, less on larger networks
CALIBRATION_BATCH = 64


class OpenVinoEvaluator:
    """Compiles for a batch size when it first meets it, which takes about a tenth of a second.

    For one thread at a time: a call during another thread's raises InUseError. `clone` is for any thread.

    `ranges` (from `calibrate`) are for int8, which computes everything but the convolutions of the blocks in f32.
    """

    def __init__(self, network: NetworkFile, precision: str, threads: int, ranges: Ranges | None = None) -> None:
        if precision not in {"f32", "bf16", "int8"}:
            raise EvaluatorError(f"OpenVINO evaluates in f32, bf16 or int8, not in {precision}.")
        if (precision == "int8") != (ranges is not None):
            raise EvaluatorError("int8, and only int8, needs the ranges that calibrate() finds.")
        self.network = network
        self.description = f"OpenVINO {precision} on the CPU, {threads} thread{'s' * (threads != 1)}"
        self._precision = precision
        self._threads = threads
        self._ranges = ranges
        self._in_use = InUse("This evaluator")
        self._requests: dict[tuple[int, ...], _Request] = {}
        self._ownership: dict[tuple[int, ...], ov.InferRequest] = {}
        self._score: dict[tuple[int, ...], ov.InferRequest] = {}

    @one_thread
    def __call__(self, planes: Planes, /) -> Evaluation:
        planes = checked_planes(self.network, planes)
        answer = empty_answer(self.network, planes)
        answered = [*[answer.logits] * self.network.has_policy, *[answer.values] * self.network.has_value]
        start = 0
        for batch in pieces(len(planes)):
            piece = slice(start, min(start + batch, len(planes)))
            self._request(batch, planes)(planes[piece], [column[piece] for column in answered])
            start += batch
        return answer

    @one_thread
    def ownership(self, planes: Planes, /) -> Planes | None:
        planes = checked_planes(self.network, planes)
        if not self.network.has_ownership:
            return None
        request = self._ownership.get(planes.shape[2:])
        if request is None:
            model = build_ownership_model(self.network, planes.shape[2], planes.shape[3])
            request = self._ownership[planes.shape[2:]] = _compiled(model, "f32", self._threads).create_infer_request()
        answers = [request.infer([row[None]])[0][0].copy() for row in planes]
        return np.concatenate(answers) if answers else planes[:, 0]

    @one_thread
    def score(self, planes: Planes, /) -> NDArray[np.float32] | None:
        planes = checked_planes(self.network, planes)
        if not self.network.has_score:
            return None
        request = self._score.get(planes.shape[2:])
        if request is None:
            model = build_score_model(self.network, planes.shape[2], planes.shape[3])
            request = self._score[planes.shape[2:]] = _compiled(model, "f32", self._threads).create_infer_request()
        return np.array([request.infer([row[None]])[0][0, 0] for row in planes], dtype=np.float32)

    def _request(self, batch: int, planes: Planes) -> _Request:
        shape = (batch, *planes.shape[1:])
        request = self._requests.get(shape)
        if request is None:
            request = self._requests[shape] = _Request(self._model(shape), shape, self._precision, self._threads)
        return request

    def _model(self, shape: tuple[int, ...]) -> ov.Model:
        if self.network.architecture.module is not None:
            from tengen.network.own_net import converted

            return converted(self.network, shape)
        return build_model(self.network, shape[0], shape[2], shape[3], self._ranges)

    def clone(self) -> OpenVinoEvaluator:
        other = OpenVinoEvaluator(self.network, self._precision, self._threads, self._ranges)
        other.description = self.description
        return other


@cache
def pieces(rows: int) -> tuple[int, ...]:
    """The batch sizes that `rows` positions are cut into. The last one may have room to spare, if that is cheaper."""
    largest = BATCHES[-1]
    return (largest,) * (rows // largest) + _cut(rows % largest)


def _cut(rows: int) -> tuple[int, ...]:
    if rows == 0:
        return ()
    padded = min(size for size in BATCHES if size >= rows)
    whole = max(size for size in BATCHES if size <= rows)
    cut = (whole, *_cut(rows - whole))
    return (padded,) if padded + CALL_COST <= sum(cut) + CALL_COST * len(cut) else cut


class _Request:
    """One compiled shape, with memory of its own for what goes in and comes out."""

    def __init__(self, model: ov.Model, shape: tuple[int, ...], precision: str, threads: int) -> None:
        self._request = _compiled(model, "bf16" if precision == "bf16" else "f32", threads).create_infer_request()
        # Handing over the caller's array costs more than copying it: 60 us a call, against 2 us for 43 kB.
        self._planes = np.zeros(shape, np.float32)
        self._request.set_input_tensor(ov.Tensor(self._planes, shared_memory=True))
        self._outputs = [self._request.get_output_tensor(index).data for index in range(len(model.outputs))]

    def __call__(self, planes: Planes, answers: Sequence[Planes]) -> None:
        """Writes each output into the array for it. Rows that the planes don't fill are computed in vain."""
        rows = len(planes)
        self._planes[:rows] = planes
        self._request.infer(share_outputs=True)
        for output, answer in zip(self._outputs, answers, strict=True):
            answer[:] = output[:rows]


def calibrate(network: NetworkFile, planes: Planes, threads: int = 1) -> dict[str, float]:
    """The ranges for int8, from positions such as will be evaluated. A few hundred are enough."""
    if len(planes) == 0:
        raise EvaluatorError("int8 needs positions to be calibrated on, but there are none.")
    planes = checked_planes(network, planes)
    model, names = build_range_model(network, CALIBRATION_BATCH, planes.shape[2], planes.shape[3])
    request = _compiled(model, "f32", threads).create_infer_request()
    largest = np.zeros(len(names), np.float32)
    for start in range(0, len(planes), CALIBRATION_BATCH):
        rows = np.arange(start, start + CALIBRATION_BATCH) % len(planes)  # the last batch is filled from the start
        request.infer([planes[rows]])
        largest = np.maximum(largest, [request.get_output_tensor(index).data.item() for index in range(len(names))])
    return dict(zip(names, largest.tolist(), strict=True))


def fast_precisions() -> tuple[str, ...]:
    """What this CPU computes faster than f32, the fastest first."""
    abilities = _core().get_property("CPU", "OPTIMIZATION_CAPABILITIES")
    return tuple(precision for precision in ("int8", "bf16") if precision.upper() in abilities)


def _compiled(model: ov.Model, precision: str, threads: int) -> ov.CompiledModel:
    settings = {
        "INFERENCE_PRECISION_HINT": precision,
        "INFERENCE_NUM_THREADS": threads,
        "NUM_STREAMS": 1,
        "ENABLE_CPU_PINNING": False,
    }
    return _core().compile_model(model, "CPU", settings)


@cache
def _core() -> ov.Core:
    return ov.Core()
