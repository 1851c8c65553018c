"""A network evaluated by torch: the reference, and the way to a GPU."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray

from tengen._core import EvaluatorError
from tengen.network.checkpoint import NetworkFile
from tengen.network.evaluator import Evaluation, Planes, check_device, checked_planes, empty_answer
from tengen.network.own_net import net_of

__all__ = ["TorchEvaluator", "device_name", "find_gpu"]


class TorchEvaluator:
    """Any batch in one pass. Any thread may ask: nobody changes the weights, and clones share them."""

    def __init__(self, network: NetworkFile, precision: str, threads: int, device: str) -> None:
        if precision not in {"f32", "bf16"}:
            raise EvaluatorError(f"torch evaluates in f32 or bf16, not in {precision}; OpenVINO does int8.")
        self.network = network
        self._bf16 = precision == "bf16"
        self._threads = threads
        check_device(device)
        self._device = torch.device(device)
        self._net = net_of(network).eval().to(self._device)
        threads_used = f", {threads} thread{'s' * (threads != 1)}" if self._device.type == "cpu" else ""
        self.description = f"torch {precision} on {device_name(device)}{threads_used}"

    def __call__(self, planes: Planes, /) -> Evaluation:
        planes = checked_planes(self.network, planes)
        if len(planes) == 0:
            return empty_answer(self.network, planes)
        # The number is the process's. Putting it back would race with other clones; the learner sets its own.
        if self._device.type == "cpu" and torch.get_num_threads() != self._threads:
            torch.set_num_threads(self._threads)
        with torch.inference_mode(), torch.autocast(self._device.type, torch.bfloat16, enabled=self._bf16):
            writeable = planes if planes.flags.writeable else planes.copy()  # torch warns of others
            logits, wdl_logits = self._net.play(torch.from_numpy(writeable).to(self._device))
            answer = empty_answer(self.network, planes)
            return Evaluation(
                answer.logits if logits is None else logits.float().cpu().numpy(),
                answer.values if wdl_logits is None else wdl_logits.float().softmax(1).cpu().numpy(),
            )

    def ownership(self, planes: Planes, /) -> Planes | None:
        planes = checked_planes(self.network, planes)
        if not self.network.has_ownership:
            return None
        with torch.inference_mode():
            logits = self._net(torch.from_numpy(planes.copy()).to(self._device)).ownership
            assert logits is not None
            chances: Planes = logits.float().sigmoid().cpu().numpy()
            return chances

    def score(self, planes: Planes, /) -> NDArray[np.float32] | None:
        planes = checked_planes(self.network, planes)
        if not self.network.has_score:
            return None
        with torch.inference_mode():
            found = self._net(torch.from_numpy(planes.copy()).to(self._device)).score
            assert found is not None
            margins: NDArray[np.float32] = found.float().cpu().numpy()
            return margins

    def clone(self) -> TorchEvaluator:
        other = object.__new__(TorchEvaluator)
        other.__dict__.update(self.__dict__)
        return other


def find_gpu() -> str | None:
    """The device that torch sees besides the CPU."""
    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else None


def is_there(device: str) -> bool:
    """Whether torch can compute on this device here."""
    try:
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError):  # torch raises either
        return False
    return True


def device_name(device: str) -> str:
    if device.startswith("cuda"):
        return f"{device} ({torch.cuda.get_device_name(device)})"
    return {"cpu": "the CPU", "mps": "mps (Apple GPU)"}.get(device, device)
