"""A network evaluated by torch: the reference, and the way to a GPU."""

from __future__ import annotations

from typing import cast

import numpy as np
import torch

from tengen._core import EvaluatorError
from tengen.network.checkpoint import NetworkFile
from tengen.network.evaluator import Evaluation, Planes
from tengen.network.resnet import NetworkOutput, network_from_file

__all__ = ["TorchEvaluator"]


class TorchEvaluator:
    """Any batch in one pass. Clones share the weights, which nobody changes."""

    def __init__(self, network: NetworkFile, precision: str, threads: int, device: str) -> None:
        if precision not in {"f32", "bf16"}:
            raise EvaluatorError(f"torch evaluates in f32 or bf16, not in {precision}; OpenVINO does int8.")
        self.network = network
        self._device = torch.device("cpu" if device == "auto" else device)
        self._bf16 = precision == "bf16"
        self._threads = threads
        self._net = network_from_file(network).eval().to(self._device)
        self.description = f"torch {precision} on {self._device}"

    def __call__(self, planes: Planes, /) -> Evaluation:
        before = torch.get_num_threads()
        if self._device.type == "cpu" and before != self._threads:
            torch.set_num_threads(self._threads)
        try:
            return self._evaluate(planes)
        finally:
            if torch.get_num_threads() != before:
                torch.set_num_threads(before)

    def _evaluate(self, planes: Planes) -> Evaluation:
        with torch.inference_mode(), torch.autocast(self._device.type, torch.bfloat16, enabled=self._bf16):
            # The planes may be read-only, which torch only warns about: it does not write to them.
            output = cast(NetworkOutput, self._net(torch.from_numpy(np.asarray(planes)).to(self._device)))
            wdl = output.wdl_logits.float().softmax(1)
            return Evaluation(output.logits.float().cpu().numpy(), wdl.cpu().numpy())

    def clone(self) -> TorchEvaluator:
        other = object.__new__(TorchEvaluator)
        other.__dict__.update(self.__dict__)
        return other
