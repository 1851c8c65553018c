"""The network as torch trains it: the layers of a description, with their weights as parameters."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from tengen.config import NetworkConfig
from tengen.network.architecture import LOGITS, WDL, Architecture, BoardShape, describe
from tengen.network.checkpoint import NetworkFile, NetworkFileError, check_whole
from tengen.network.layers import pieces, walk
from tengen.network.operations import Piece

__all__ = ["NetworkOutput", "TorchNet", "load_weights", "network_from_file", "network_weights"]

# Last layers, which are small at first: a blank network holds all moves for about equal and every position for even,
# and pooled features say nothing.
SMALL_AT_FIRST = (".out", ".extra", ".score", ".bias", ".scale")


class NetworkOutput(NamedTuple):
    """Everything the heads say, for the player to move. Heads that the network has not say None."""

    logits: Tensor | None = None  # [B, A]
    wdl_logits: Tensor | None = None  # [B, 3] win, draw, loss
    reply_logits: Tensor | None = None  # [B, A] what the opponent will answer
    ownership: Tensor | None = None  # [B, H, W] sigmoid gives the probability that the cell will be one's own
    score: Tensor | None = None  # [B] own minus opponent's points at the end, divided by the number of cells
    own: Mapping[str, Tensor] | None = None  # of a module of one's own: everything that it gave


class TorchNet(nn.Module):
    """planes [B, C, H, W] -> NetworkOutput. The first weights follow from `seed`, or else from torch's generator."""

    def __init__(self, shape: BoardShape, network: NetworkConfig | Architecture, *, seed: int | None = None) -> None:
        super().__init__()
        self.architecture = network if isinstance(network, Architecture) else describe(shape, network)
        # The value first: this is the order in which the gradients of the heads are added up, to the last bit.
        heads = sorted(self.architecture.heads, key=lambda head: head.kind != "value")
        self._walked = replace(self.architecture, heads=tuple(heads))
        self._modules_by_name: dict[str, nn.Module] = {}
        with torch.random.fork_rng(devices=[], enabled=seed is not None):
            if seed is not None:
                torch.manual_seed(seed)
            for piece in pieces(self.architecture, tuple(shape.planes_shape)):
                self._add(piece)
            self._initialise()
        self.to(memory_format=torch.channels_last)  # type: ignore[call-overload]

    def _add(self, piece: Piece) -> None:
        *path, name = piece.name.split(".")
        place: nn.Module = self
        for part in path:
            if part not in dict(place.named_children()):
                place.add_module(part, nn.Module())
            place = place.get_submodule(part)
        module = self._modules_by_name[piece.name] = _MODULES[piece.operation](piece)
        place.add_module(name, module)

    def _initialise(self) -> None:
        """He's spread for what is rectified."""
        for name, module in self.named_modules():
            if isinstance(module, nn.Conv2d | nn.Linear):
                nn.init.kaiming_normal_(module.weight, nonlinearity="relu")
                if module.bias is not None:
                    nn.init.zeros_(module.bias)
                if name.endswith(SMALL_AT_FIRST) or name == "ownership":
                    with torch.no_grad():
                        module.weight.mul_(0.05)

    def play(self, planes: Tensor) -> tuple[Tensor | None, Tensor | None]:
        """Only what the search asks for: logits [B, A] and wdl_logits [B, 3]."""
        output = self.outputs(planes, (LOGITS, WDL))
        return output.logits, output.wdl_logits

    def forward(self, planes: Tensor) -> NetworkOutput:
        return self.outputs(planes, self.architecture.outputs)

    def outputs(self, planes: Tensor, wanted: Collection[str]) -> NetworkOutput:
        """The wanted outputs and no others."""
        operations = TorchOperations(self._modules_by_name)
        planes = planes.contiguous(memory_format=torch.channels_last)
        answers = walk(operations, self._walked, planes, wanted)
        for name in ("ownership", "score"):
            if name in answers:
                answers[name] = answers[name].squeeze(1)
        return NetworkOutput(**answers)


class ConvNorm(nn.Module):
    """A convolution without bias and the batch normalisation that follows it: one convolution when playing."""

    def __init__(self, inputs: int, outputs: int, kernel: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, kernel, padding=kernel // 2, bias=False)
        self.norm = nn.BatchNorm2d(outputs)

    def forward(self, x: Tensor) -> Tensor:
        y: Tensor = self.norm(self.conv(x))
        return y


_MODULES: dict[str, Any] = {
    "conv_norm": lambda piece: ConvNorm(piece.inputs, piece.outputs, piece.kernel),
    "pointwise": lambda piece: nn.Conv2d(piece.inputs, piece.outputs, 1),
    "linear": lambda piece: nn.Linear(piece.inputs, piece.outputs),
}


class TorchOperations:
    """The operations of `network.operations`. A board is [B, C, H, W], channels last in memory; a vector is [B, C]."""

    def __init__(self, modules: Mapping[str, nn.Module]) -> None:
        self._modules = modules

    def conv_norm(self, name: str, x: Tensor, outputs: int, kernel: int) -> Tensor:
        y: Tensor = self._modules[name](x)
        return y

    def pointwise(self, name: str, x: Tensor, outputs: int) -> Tensor:
        y: Tensor = self._modules[name](x)
        return y

    def linear(self, name: str, x: Tensor, outputs: int) -> Tensor:
        y: Tensor = self._modules[name](x)
        return y

    def entering(self, name: str, x: Tensor) -> Tensor:
        return x

    def pool(self, x: Tensor) -> Tensor:
        # Max-pooling, not amax, whose gradient took a tenth of the whole training time.
        return torch.cat([x.mean((2, 3)), functional.adaptive_max_pool2d(x, 1).flatten(1)], dim=1)

    def pool_columns(self, x: Tensor) -> Tensor:
        column = (x.shape[2], 1)
        return torch.cat([functional.avg_pool2d(x, column), functional.max_pool2d(x, column)], dim=1)

    def split(self, x: Tensor, first: int) -> tuple[Tensor, Tensor]:
        return x[:, :first], x[:, first:]

    def spread(self, x: Tensor) -> Tensor:
        return x[:, :, None, None]

    def flat(self, x: Tensor) -> Tensor:
        return x.flatten(1)

    def join(self, parts: Iterable[Tensor]) -> Tensor:
        return torch.cat(list(parts), dim=1)

    def relu(self, x: Tensor) -> Tensor:
        return functional.relu(x)

    def sigmoid(self, x: Tensor) -> Tensor:
        return x.sigmoid()

    def add(self, x: Tensor, y: Tensor) -> Tensor:
        return x + y

    def multiply(self, x: Tensor, y: Tensor) -> Tensor:
        return x * y


def network_weights(net: nn.Module) -> dict[str, NDArray[np.float32]]:
    """The weights as a NetworkFile keeps them: a copy, in f32, with the averages of the normalisation."""
    return {
        name: tensor.detach().to("cpu", torch.float32, copy=True).contiguous().numpy()
        for name, tensor in net.state_dict().items()
        if tensor.is_floating_point()
    }


def network_from_file(file: NetworkFile) -> TorchNet:
    """The network of a file, to be trained on or asked."""
    check_whole(file)
    net = TorchNet(file, file.architecture)
    load_weights(net, file.weights)
    return net


def load_weights(net: nn.Module, weights: Mapping[str, NDArray[np.float32]]) -> None:
    """Puts weights into a network of the same description; NetworkFileError if they are not of that shape."""
    own = {name: value for name, value in net.state_dict().items() if value.is_floating_point()}
    for name in sorted(own.keys() | weights.keys()):
        if name not in weights or name not in own or tuple(own[name].shape) != weights[name].shape:
            raise NetworkFileError(f"The weights don't fit the network: '{name}' is absent or of another shape.")
    with torch.no_grad():
        for name, tensor in own.items():
            tensor.copy_(torch.from_numpy(np.ascontiguousarray(weights[name])))
