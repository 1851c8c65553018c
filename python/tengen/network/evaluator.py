"""The evaluator seam: anything that turns a batch of planes into policy logits and values.

A network, a uniform prior, a cache around either and a fake in a test are interchangeable: the search calls
`evaluator(planes)` and reads the answer. `make_evaluator` makes one of a network; torch and OpenVINO are imported only
when they are used.
"""

from __future__ import annotations

import importlib.util
import platform
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, get_args

import numpy as np
from numpy.typing import NDArray

from tengen._core import EvaluatorError, Game, TengenError

if TYPE_CHECKING:  # playing without a network needs none of what files need
    from tengen.network.checkpoint import NetworkFile

Planes = NDArray[np.float32]  # [B, C, H, W]
Backend = Literal["auto", "torch", "openvino"]
Precision = Literal["auto", "f32", "bf16", "int8"]

# What `auto` accepts as the same network; int8 of a trained 4x64 is a hundred times closer (docs/networks.md).
MOST_DIVERGENCE = 0.01  # mean KL of the policy
MOST_VALUE_ERROR = 0.02  # mean |dv|
MOST_POSITIONS = 1024  # taken from a larger calibration; half for the ranges, half for the comparison


class Evaluation(NamedTuple):
    """One answer for a batch."""

    logits: NDArray[np.float32]  # [B, A]; softmax over the legal actions gives the priors
    values: NDArray[np.float32]  # [B] in [-1, 1], or [B, 3] as probabilities of win, draw, loss; for the player to move


class Evaluator(Protocol):
    """Any callable on a batch. The planes are only valid during the call."""

    def __call__(self, planes: Planes, /) -> Evaluation: ...


class UniformEvaluator:
    """Knows nothing: every action equally likely, every position even."""

    def __init__(self, game: Game) -> None:
        self._num_actions = game.spec.num_actions
        self._answer = Evaluation(np.zeros((0, self._num_actions), np.float32), np.zeros(0, np.float32))

    def __call__(self, planes: Planes, /) -> Evaluation:
        batch = len(planes)
        if batch > len(self._answer.values):
            self._answer = Evaluation(np.zeros((batch, self._num_actions), np.float32), np.zeros(batch, np.float32))
        if batch == len(self._answer.values):
            return self._answer
        return Evaluation(self._answer.logits[:batch], self._answer.values[:batch])


class NetworkEvaluator(Protocol):
    """A network that answers. For one thread at a time: every thread takes a clone of its own."""

    network: NetworkFile
    description: str  # what computes it, at which precision, and why, in a sentence

    def __call__(self, planes: Planes, /) -> Evaluation:
        """Logits [B, A] and probabilities of win, draw, loss [B, 3]; B, H and W may differ from call to call."""
        ...

    def ownership(self, planes: Planes, /) -> Planes | None:
        """The chance of each cell to be the mover's own in the end, [B, H, W]; None without that head."""
        ...

    def clone(self) -> NetworkEvaluator:
        """The same evaluator for another thread, without calibrating again."""
        ...


class Agreement(NamedTuple):
    """How far an evaluator is from the reference, on average over positions."""

    divergence: float  # KL(reference policy || policy), over all actions
    value_error: float  # |v - reference v|
    positions: int

    @property
    def within_bounds(self) -> bool:
        return self.divergence <= MOST_DIVERGENCE and self.value_error <= MOST_VALUE_ERROR

    def __str__(self) -> str:
        return (
            f"KL {self.divergence:.2g} of at most {MOST_DIVERGENCE}, mean |dv| {self.value_error:.2g} of at most "
            f"{MOST_VALUE_ERROR}, on {self.positions} positions"
        )


def agreement(reference: Evaluation, other: Evaluation) -> Agreement:
    """Compares two answers, with probabilities of win, draw and loss, to the same planes."""
    expected, found = _log_softmax(reference.logits), _log_softmax(other.logits)
    divergence = (np.exp(expected) * (expected - found)).sum(1).mean()
    error = np.abs((reference.values - other.values) @ np.array([1.0, 0.0, -1.0])).mean()
    return Agreement(float(divergence), float(error), len(reference.logits))


def _log_softmax(logits: NDArray[np.float32]) -> NDArray[np.float64]:
    shifted = logits.astype(np.float64) - logits.max(1, keepdims=True)
    answer: NDArray[np.float64] = shifted - np.log(np.exp(shifted).sum(1, keepdims=True))
    return answer


def make_evaluator(
    network: NetworkFile,
    *,
    backend: Backend = "auto",
    precision: Precision = "auto",
    threads: int = 1,
    device: str = "auto",
    calibration: Planes | None = None,
) -> NetworkEvaluator:
    """What evaluates this network here. Left to itself it takes the fastest that agrees with f32.

    `calibration` are planes [B, C, H, W] as they occur in play, for int8 and for the comparison with f32; without them
    they come from random games. The choice follows from the network, the positions and the machine's abilities, never
    from a clock: a run that is resumed goes on with the same arithmetic.
    """
    _check_choice("backend", backend, get_args(Backend))
    _check_choice("precision", precision, get_args(Precision))
    from tengen.network.checkpoint import check_finite

    check_finite(network.weights, "The network can't be evaluated")
    device, about_device = _choose_device(backend, device)
    if backend == "auto":
        backend, about_device = _choose_backend(device, about_device)
    if backend == "torch":
        from tengen.network.on_torch import TorchEvaluator

        # A CPU without bf16 emulates it slowly, and torch does not say which it does.
        faster: tuple[str, ...] = ("bf16",) if device != "cpu" else ()

        def made(chosen: str, planes: Planes | None = None) -> NetworkEvaluator:
            return TorchEvaluator(network, chosen, threads, device)
    else:
        if device != "cpu":
            raise EvaluatorError(f"OpenVINO evaluates on the CPU, not on '{device}'; backend='torch' does.")
        from tengen.network.on_openvino import OpenVinoEvaluator, calibrate, fast_precisions

        faster = fast_precisions()

        def made(chosen: str, planes: Planes | None = None) -> NetworkEvaluator:
            ranges = calibrate(network, planes, threads) if planes is not None else None
            return OpenVinoEvaluator(network, chosen, threads, ranges)

    if precision == "auto":
        evaluator, why = _fastest_that_agrees(network, made, faster, calibration)
    else:
        planes = _sample(network, calibration) if precision == "int8" else None
        evaluator, why = made(precision, planes), f"{precision} as asked"
    evaluator.description += f": {why}; {about_device}"
    return evaluator


def _fastest_that_agrees(
    network: NetworkFile,
    made: Callable[..., NetworkEvaluator],
    faster: tuple[str, ...],
    calibration: Planes | None,
) -> tuple[NetworkEvaluator, str]:
    reference = made("f32")
    if not faster:
        return reference, "the reference"
    refused: list[str] = []
    try:
        planes = _sample(network, calibration)
    except TengenError as error:
        return reference, f"there were no positions to check a faster precision on ({error})"
    checked = planes[1::2] if len(planes) > 1 else planes
    expected = reference(checked)
    for precision in faster:
        candidate = made(precision, planes[::2] if precision == "int8" else None)
        found = agreement(expected, candidate(checked))
        if found.within_bounds:
            why = f"the fastest that agrees with f32 ({found})"
            return candidate, "; ".join([why, *refused])
        refused.append(f"{precision} does not ({found})")
    return reference, "; ".join(["nothing faster agrees with it", *refused])


def _sample(network: NetworkFile, calibration: Planes | None) -> Planes:
    """At most MOST_POSITIONS of the calibration, evenly spread; of random games if there is none."""
    if calibration is None:
        from tengen.network.positions import random_positions

        return random_positions(network, MOST_POSITIONS // 4)
    if len(calibration) <= MOST_POSITIONS:
        return calibration
    spread: Planes = calibration[np.linspace(0, len(calibration) - 1, MOST_POSITIONS).astype(int)]
    return spread


def _choose_backend(device: str, about_device: str) -> tuple[Backend, str]:
    if device != "cpu":
        return "torch", about_device
    if importlib.util.find_spec("openvino") is None:
        return "torch", about_device + "; OpenVINO, which is faster on a CPU, is not installed"
    return "openvino", about_device


def _choose_device(backend: str, device: str) -> tuple[str, str]:
    """The device and a word on GPUs: one that is there is used or named, never silently passed over."""
    if device != "auto":
        return device, "device as asked"
    torch_there = importlib.util.find_spec("torch") is not None
    # Asking torch costs a second of imports, so without a trace of a GPU it is not asked.
    if backend != "torch" and "torch" not in sys.modules and not _gpu_traces():
        return "cpu", "no GPU found"
    if not torch_there:
        return "cpu", "there seems to be a GPU, but torch, which would use it, is not installed"
    from tengen.network.on_torch import device_name, find_gpu

    found = find_gpu()
    if found is None:
        return "cpu", "torch sees no GPU"
    if backend == "openvino":
        return "cpu", f"there is {device_name(found)}, which backend='torch' would use"
    return found, "torch sees this GPU; device='cpu' does without it"


def _gpu_traces() -> bool:
    if sys.platform == "darwin":
        return platform.machine() == "arm64"
    drivers = ("/dev/nvidiactl", "/dev/kfd", "/dev/dxg", r"C:\Windows\System32\nvcuda.dll")
    return any(Path(driver).exists() for driver in drivers)


def _check_choice(what: str, given: str, choices: tuple[str, ...]) -> None:
    if given not in choices:
        raise EvaluatorError(f"There is no {what} '{given}'; there are: {', '.join(choices)}.")


def checked_planes(network: NetworkFile, planes: Planes) -> Planes:
    """The planes as both backends take them; EvaluatorError if they are not of this network."""
    if planes.ndim != 4 or planes.shape[1] != network.planes_shape[0]:
        raise EvaluatorError(
            f"This network takes planes [batch, {network.planes_shape[0]}, height, width], not {list(planes.shape)}."
        )
    return np.ascontiguousarray(planes, dtype=np.float32)


def empty_answer(network: NetworkFile, planes: Planes) -> Evaluation:
    """Room for the answer to these planes."""
    num_actions = network.num_actions_on(planes.shape[2], planes.shape[3])
    return Evaluation(np.empty((len(planes), num_actions), np.float32), np.empty((len(planes), 3), np.float32))
