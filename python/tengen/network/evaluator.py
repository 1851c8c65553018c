"""The evaluator seam: anything that turns a batch of planes into policy logits and values.

A network, a uniform prior, a cache around either and a fake in a test are interchangeable: the search calls
`evaluator(planes)` and reads the answer. `make_evaluator` makes one of a network; torch and OpenVINO are imported only
when they are used, and numpy does without both.
"""

from __future__ import annotations

import importlib.util
import platform
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, get_args

import numpy as np
from numpy.typing import NDArray

from tengen._core import EvaluatorError, Game, State, TengenError

if TYPE_CHECKING:  # playing without a network needs none of what files need
    from tengen.network.checkpoint import NetworkFile

Planes = NDArray[np.float32]  # [B, C, H, W]
Backend = Literal["auto", "openvino", "torch", "numpy"]
Precision = Literal["auto", "f32", "bf16", "int8"]

# What `auto` accepts as the same network; int8 of a trained 4x64 is a hundred times closer (docs/networks.md).
MOST_DIVERGENCE = 0.01  # mean KL of the policy
MOST_VALUE_ERROR = 0.02  # mean |dv|
MOST_POSITIONS = 1024  # taken from a larger calibration; half for the ranges, half for the comparison


class Evaluation(NamedTuple):
    """One answer for a batch. Whoever asked may read it in any thread, until it asks again."""

    logits: NDArray[np.float32]  # [B, A]; softmax over the legal actions gives the priors
    values: NDArray[np.float32]  # [B] in [-1, 1], or [B, 3] as probabilities of win, draw, loss; for the player to move


class Evaluator(Protocol):
    """Any callable on a batch. The planes are only valid during the call.

    A search calls it from the thread that searches. Unless an evaluator says otherwise, each thread has its own.
    """

    def __call__(self, planes: Planes, /) -> Evaluation: ...


class UniformEvaluator:
    """Knows nothing: every action equally likely, every position even. Any thread may ask."""

    def __init__(self, game: Game) -> None:
        self._num_actions = game.spec.num_actions
        self._answer = self._zeros(0)  # of the largest batch so far; never written to

    def __call__(self, planes: Planes, /) -> Evaluation:
        batch = len(planes)
        answer = self._answer  # another thread may put a larger or a smaller one in its place
        if batch > len(answer.values):
            answer = self._answer = self._zeros(batch)
        return answer if batch == len(answer.values) else Evaluation(answer.logits[:batch], answer.values[:batch])

    def _zeros(self, batch: int) -> Evaluation:
        answer = Evaluation(np.zeros((batch, self._num_actions), np.float32), np.zeros(batch, np.float32))
        for part in answer:
            part.flags.writeable = False
        return answer


class NetworkEvaluator(Protocol):
    """A network that answers. For one thread at a time: every thread takes a clone of its own.

    Those of torch and numpy answer any thread; that of OpenVINO refuses a second one with InUseError.
    """

    network: NetworkFile
    description: str  # what computes it, at which precision, and why, in a sentence

    def __call__(self, planes: Planes, /) -> Evaluation:
        """Logits [B, A] and probabilities of win, draw, loss [B, 3]; B, H and W may differ from call to call."""
        ...

    def ownership(self, planes: Planes, /) -> Planes | None:
        """The chance of each cell to be the mover's own in the end, [B, H, W]; None without that head."""
        ...

    def score(self, planes: Planes, /) -> NDArray[np.float32] | None:
        """The final margin that the mover expects, divided by the number of cells, [B]; None without that head."""
        ...

    def clone(self) -> NetworkEvaluator:
        """The same evaluator for another thread, without calibrating again."""
        ...


def evaluate_states(evaluator: Evaluator, states: Sequence[State]) -> Evaluation:
    """Asks about states instead of planes, which every evaluator can answer. Tables answer nothing else."""
    tables = getattr(evaluator, "tables", None)
    if tables is None:
        return evaluator(np.stack([state.planes() for state in states]))
    logits, values = tables.evaluate(list(states))
    return Evaluation(logits, np.stack([(1.0 + values) / 2.0, np.zeros_like(values), (1.0 - values) / 2.0], axis=1))


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
    """Compares two answers, with probabilities of win, draw and loss, to the same planes. Values that neither has
    (NaN: a network with a policy alone) are equal."""
    expected, found = _log_softmax(reference.logits), _log_softmax(other.logits)
    divergence = (np.exp(expected) * (expected - found)).sum(1).mean()
    neither = np.isnan(reference.values) & np.isnan(other.values)
    error = np.abs(np.where(neither, 0.0, reference.values - other.values) @ np.array([1.0, 0.0, -1.0])).mean()
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
    game: Game | None = None,
    module: str = "",
) -> NetworkEvaluator:
    """What evaluates this network here. Left to itself it takes the fastest that agrees with f32.

    `calibration` are planes [B, C, H, W] as they occur in play, for int8 and for the comparison with f32; without them
    they come from random games, for which a network of a rules file needs the `game`. The choice follows from the
    network, the positions and the machine's abilities, never from a clock: a run that is resumed goes on with the same
    arithmetic. `module` names the file of a network that is a torch module of one's own (`network.modules`).
    """
    _check_choice("backend", backend, get_args(Backend))
    _check_choice("precision", precision, get_args(Precision))
    from tengen.network.checkpoint import check_finite, check_whole

    check_finite(network.weights, "The network can't be evaluated")
    check_whole(network)
    if network.architecture.tables is not None:
        return _tables_evaluator(network, backend, precision, game)
    device, about = _choose_device(backend, device)
    if backend == "auto":
        backend, about = _choose_backend(device, about)
    _check_installed(backend, needs_torch=network.architecture.module is not None)
    if network.architecture.module is not None:
        backend, precision, about = _prepare_module(network, module, backend, precision, about)
    makers = {"torch": _torch_maker, "openvino": _openvino_maker, "numpy": _numpy_maker}
    made, faster = makers[backend](network, threads, device)
    if precision == "auto":
        evaluator, why = _fastest_that_agrees(network, made, faster, calibration, game)
    else:
        planes = _sample(network, calibration, game) if precision == "int8" else None
        evaluator, why = made(precision, planes), f"{precision} as asked"
    evaluator.description += f": {why}; {about}"
    return evaluator


def _tables_evaluator(
    network: NetworkFile, backend: Backend, precision: Precision, game: Game | None
) -> NetworkEvaluator:
    from tengen.network.checkpoint import game_of
    from tengen.network.on_tables import TablesEvaluator

    if backend != "auto" or precision not in {"auto", "f32"}:
        raise EvaluatorError(
            f"The tables of an n-tuple network are looked up by tengen's own code in f32, not by {backend} in "
            f"{precision}; leave backend and precision as they are."
        )
    return TablesEvaluator(network, game or game_of(network))


Maker = Callable[[str, Planes | None], NetworkEvaluator]


def _torch_maker(network: NetworkFile, threads: int, device: str) -> tuple[Maker, tuple[str, ...]]:
    from tengen.network.on_torch import TorchEvaluator

    # A CPU without bf16 emulates it slowly, and torch does not say which it does.
    faster = ("bf16",) if device != "cpu" else ()
    return lambda precision, planes: TorchEvaluator(network, precision, threads, device), faster


def _openvino_maker(network: NetworkFile, threads: int, device: str) -> tuple[Maker, tuple[str, ...]]:
    if device != "cpu":
        raise EvaluatorError(f"OpenVINO evaluates on the CPU, not on '{device}'; backend='torch' does.")
    from tengen.network.on_openvino import OpenVinoEvaluator, calibrate, fast_precisions

    def made(precision: str, planes: Planes | None) -> NetworkEvaluator:
        ranges = calibrate(network, planes, threads) if planes is not None else None
        return OpenVinoEvaluator(network, precision, threads, ranges)

    faster = fast_precisions()
    if network.architecture.module is not None:
        faster = tuple(precision for precision in faster if precision != "int8")
    return made, faster


def _numpy_maker(network: NetworkFile, threads: int, device: str) -> tuple[Maker, tuple[str, ...]]:
    if device != "cpu":
        raise EvaluatorError(f"numpy evaluates on the CPU, not on '{device}'; backend='torch' does.")
    from tengen.network.on_numpy import NumpyEvaluator

    return lambda precision, planes: NumpyEvaluator(network, precision), ()


def _prepare_module(
    network: NetworkFile, module: str, backend: Backend, precision: Precision, about: str
) -> tuple[Backend, Precision, str]:
    """How a torch module of one's own is evaluated: not in int8, and by torch where OpenVINO can't convert it."""
    from tengen.network.own_net import converted, net_of

    net_of(network, module)  # names the module, or says that nobody has
    if precision == "int8":
        precision, about = "bf16", f"int8 needs a network made of layers; {about}"
    if backend == "openvino":
        try:
            converted(network, (1, *network.planes_shape))
        except EvaluatorError as error:
            backend, about = "torch", f"{error}; {about}"
    return backend, precision, about


def _fastest_that_agrees(
    network: NetworkFile, made: Maker, faster: tuple[str, ...], calibration: Planes | None, game: Game | None
) -> tuple[NetworkEvaluator, str]:
    reference = made("f32", None)
    if not faster:
        return reference, "the reference"
    refused: list[str] = []
    try:
        planes = _sample(network, calibration, game)
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


def _sample(network: NetworkFile, calibration: Planes | None, game: Game | None) -> Planes:
    """At most MOST_POSITIONS of the calibration, evenly spread; of random games if there is none."""
    if calibration is None:
        from tengen.network.positions import random_positions

        return random_positions(network, MOST_POSITIONS // 4, game=game)
    if len(calibration) <= MOST_POSITIONS:
        return calibration
    spread: Planes = calibration[np.linspace(0, len(calibration) - 1, MOST_POSITIONS).astype(int)]
    return spread


def _choose_backend(device: str, about_device: str) -> tuple[Backend, str]:
    if device != "cpu":
        return "torch", about_device
    if _is_installed("openvino"):
        return "openvino", about_device
    missing = "OpenVINO, which is much faster on a CPU, is not installed (pip install 'tengen[openvino]')"
    return "torch" if _is_installed("torch") else "numpy", f"{missing}; {about_device}"


def _is_installed(package: str) -> bool:
    return importlib.util.find_spec(package) is not None


def _check_installed(backend: str, *, needs_torch: bool) -> None:
    if backend == "openvino" and not _is_installed("openvino"):
        raise EvaluatorError("OpenVINO is not installed: pip install 'tengen[openvino]'.")
    if (backend == "torch" or needs_torch) and not _is_installed("torch"):
        what = "A torch module of one's own needs torch, which" if needs_torch else "torch"
        raise EvaluatorError(f"{what} is not installed: pip install 'tengen[train]'.")


def check_device(device: str) -> None:
    """EvaluatorError if torch can't learn or evaluate on this device ("auto", "cpu", "cuda", "mps") here."""
    if device in {"auto", "cpu"}:
        return
    _check_installed("torch", needs_torch=False)
    from tengen.network.on_torch import is_there

    if not is_there(device):
        raise EvaluatorError(
            f"device = '{device}', but torch can't use one on this machine; 'auto' takes a GPU if there is one, and "
            "'cpu' always works."
        )


def _choose_device(backend: str, device: str) -> tuple[str, str]:
    """The device and a word on GPUs: one that is there is used or named, never silently passed over."""
    if device != "auto":
        return device, "device as asked"
    torch_there = _is_installed("torch")
    # Asking torch costs a second of imports, so without a trace of a GPU it is not asked.
    if backend == "numpy" or (backend != "torch" and sys.modules.get("torch") is None and not _gpu_traces()):
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
    """The planes as all backends take them; EvaluatorError if they are not of this network."""
    if planes.ndim != 4 or planes.shape[1] != network.planes_shape[0] or min(planes.shape[2:]) < 1:
        raise EvaluatorError(
            f"This network takes planes [batch, {network.planes_shape[0]}, height, width], not {list(planes.shape)}."
        )
    return np.ascontiguousarray(planes, dtype=np.float32)


def empty_answer(network: NetworkFile, planes: Planes) -> Evaluation:
    """Room for the answer to these planes: all actions alike, and values that no search takes for an answer."""
    num_actions = network.num_actions_on(planes.shape[2], planes.shape[3])
    logits = np.zeros((len(planes), num_actions), np.float32)
    return Evaluation(logits, np.full((len(planes), 3), np.nan, np.float32))


def check_has_value(network: NetworkFile) -> None:
    """EvaluatorError for a network that says nothing of who will win: a search can't do without."""
    if not network.has_value:
        raise EvaluatorError(
            f"This network for {network.game} has only a policy, and a search needs a value; it can play without one "
            "('network:MODEL')."
        )
