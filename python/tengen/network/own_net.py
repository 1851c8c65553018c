"""A researcher's own torch module as a network: what it must give, and how it plays.

class MyNet(torch.nn.Module):
    def __init__(self, shape, **settings): ...    # shape.planes_shape, shape.num_actions, shape.action_layout
    def forward(self, planes): ...                # [B, C, H, W] -> a dict with "logits" [B, A], "wdl_logits" [B, 3]
    def losses(self, output, batch): ...          # may be left out: further terms of the loss, by name
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from tengen._core import EvaluatorError
from tengen.config import NetworkConfig
from tengen.network.architecture import (
    LOGITS,
    WDL,
    Architecture,
    ArchitectureError,
    BoardShape,
    OwnModule,
    describe,
)
from tengen.network.checkpoint import NetworkFile
from tengen.network.modules import ModuleError, class_for, load_class, remember
from tengen.network.torch_net import NetworkOutput, TorchNet, load_weights, network_from_file

__all__ = ["OwnNet", "converted", "make_net", "net_of"]

_converting = threading.Lock()  # torch traces one module at a time; the threads of self-play ask for theirs at once


class OwnNet(nn.Module):
    """planes [B, C, H, W] -> NetworkOutput, by somebody's module. Its weights are named module.…"""

    def __init__(self, shape: BoardShape, own: OwnModule, made_with: Any, *, seed: int | None = None) -> None:
        super().__init__()
        self.architecture = Architecture(module=own)
        self.name = own.name
        self._num_actions = shape.num_actions
        with torch.random.fork_rng(devices=[], enabled=seed is not None):
            if seed is not None:
                torch.manual_seed(seed)
            try:
                self.module = made_with(shape, **own.settings)
            except Exception as error:  # whatever the user's class may raise
                raise ModuleError(f"{own.name} can't be made: {type(error).__name__}: {error}.") from error
        if not isinstance(self.module, nn.Module):
            raise ModuleError(f"{own.name} is not a torch.nn.Module.")

    def forward(self, planes: Tensor) -> NetworkOutput:
        try:
            answers = self.module(planes)
        except Exception as error:
            raise ModuleError(f"{self.name} failed: {type(error).__name__}: {error}.") from error
        self._check(answers, len(planes))
        known = {name: answers[name] for name in NetworkOutput._fields if name in answers}
        return NetworkOutput(**known | {"own": answers})

    def play(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        """Only what the search asks for: logits [B, A] and wdl_logits [B, 3]."""
        output = self(planes)
        return output.logits, output.wdl_logits

    def own_losses(self, output: NetworkOutput, batch: Any) -> dict[str, Tensor]:
        """What the module's `losses` says, if it has any; each a mean over the batch."""
        if not hasattr(self.module, "losses"):
            return {}
        terms = self.module.losses(output.own, batch)
        for name, term in terms.items() if isinstance(terms, Mapping) else [("losses", None)]:
            if not isinstance(term, Tensor) or term.dim() != 0:
                raise ModuleError(f"{self.name}: losses must give a dict of tensors without dimensions ('{name}').")
        return dict(terms)

    def _check(self, answers: object, rows: int) -> None:
        for name, size in ((LOGITS, self._num_actions), (WDL, 3)):
            found = answers.get(name) if isinstance(answers, Mapping) else None
            if not isinstance(found, Tensor) or tuple(found.shape) != (rows, size):
                given = list(found.shape) if isinstance(found, Tensor) else type(found).__name__
                raise ModuleError(f"{self.name}: forward must give a dict with '{name}' [{rows}, {size}], not {given}.")


def make_net(shape: BoardShape, config: NetworkConfig, *, seed: int | None = None) -> TorchNet | OwnNet:
    """The network that a config asks for, with its first weights. A module that the config names is run."""
    architecture = describe(shape, config)
    if architecture.module is not None:
        return OwnNet(shape, architecture.module, load_class(config.module), seed=seed)
    return TorchNet(shape, architecture, seed=seed)


def net_of(file: NetworkFile, module: str = "") -> TorchNet | OwnNet:
    """The network of a file. A module of one's own must have been named, here or before (`network.modules`)."""
    if file.architecture.tables is not None:
        raise ArchitectureError(
            "An n-tuple network has no layers for torch to compute: 'tengen train' learns its tables, by playing."
        )
    own = file.architecture.module
    if own is None:
        return network_from_file(file)
    made_with = class_for(own.name, own.digest, module)
    net = OwnNet(file, own, made_with)
    load_weights(net, file.weights)
    remember(own.name, own.digest, made_with)
    return net


class _Playing(nn.Module):
    """Logits, and the probabilities of win, draw and loss."""

    def __init__(self, net: nn.Module) -> None:
        super().__init__()
        self.net = net

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        answers = self.net(planes)
        return answers[LOGITS], answers[WDL].softmax(1)


def converted(file: NetworkFile, shape: tuple[int, ...], module: str = "") -> Any:
    """The openvino.Model of a file with a module of its own, for planes of this shape."""
    import openvino as ov

    net = net_of(file, module).eval()
    assert isinstance(net, OwnNet)
    try:
        with _converting:
            return ov.convert_model(_Playing(net.module), example_input=torch.zeros(shape), input=[list(shape)])
    except Exception as error:  # a layer that OpenVINO does not know, or code that can't be traced
        reason = str(error).strip().splitlines()[0]
        raise EvaluatorError(f"OpenVINO can't convert {net.name} ({reason}), but torch computes it") from error
