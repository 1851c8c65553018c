"""The network as torch trains it: a residual tower (AlphaGo Zero 2017) with heads that fit any board size.

Every layer is a convolution, or dense over the mean and the maximum of the whole board, so that weights learned on 9x9
play on 19x19. Only games whose actions have no relation to the board ("dense") get a head bound to one size.
`graph.py` builds the same function for OpenVINO: what changes here changes there, and a test compares the two.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from tengen.config import NetworkConfig
from tengen.network.checkpoint import NetworkFile, NetworkFileError

__all__ = ["NetworkOutput", "PolicyValueNet", "network_from_file", "network_weights"]


class BoardShape(Protocol):
    """What the network must know of a game. A GameSpec and a NetworkFile both do."""

    @property
    def planes_shape(self) -> tuple[int, ...]: ...  # planes, height, width
    @property
    def num_actions(self) -> int: ...
    @property
    def action_layout(self) -> str: ...


class NetworkOutput(NamedTuple):
    """Everything the heads say, for the player to move. Heads that the config leaves out say None."""

    logits: Tensor  # [B, A]
    wdl_logits: Tensor  # [B, 3] win, draw, loss
    reply_logits: Tensor | None  # [B, A] what the opponent will answer
    ownership: Tensor | None  # [B, H, W] sigmoid gives the probability that the cell will be one's own
    score: Tensor | None  # [B] own minus opponent's points at the end, divided by the number of cells


class ConvNorm(nn.Module):
    """A convolution without bias and the batch normalisation that follows it: one convolution when playing."""

    def __init__(self, inputs: int, outputs: int, kernel: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, kernel, padding=kernel // 2, bias=False)
        self.norm = nn.BatchNorm2d(outputs)

    def forward(self, x: Tensor) -> Tensor:
        y: Tensor = self.norm(self.conv(x))
        return y


def pool(x: Tensor) -> Tensor:
    """[B, C, H, W] -> [B, 2C]: mean and maximum of every channel over the board.

    Max-pooling, not amax, whose gradient took a tenth of the whole training time.
    """
    return torch.cat([x.mean((2, 3)), functional.adaptive_max_pool2d(x, 1).flatten(1)], dim=1)


def pool_columns(x: Tensor) -> Tensor:
    """[B, C, H, W] -> [B, 2C, 1, W]: mean and maximum of every channel over each column."""
    column = (x.shape[2], 1)
    return torch.cat([functional.avg_pool2d(x, column), functional.max_pool2d(x, column)], dim=1)


class Block(nn.Module):
    """Two convolutions around which the input is carried (He 2015)."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.first = ConvNorm(channels, channels, 3)
        self.second = ConvNorm(channels, channels, 3)

    def forward(self, x: Tensor) -> Tensor:
        return functional.relu(self.second(functional.relu(self.first(x))) + x)


class PoolingBlock(nn.Module):
    """A quarter of the channels is pooled over the board and says what to add to the others (KataGo 2019)."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.pooled = channels // 4
        self.first = ConvNorm(channels, channels, 3)
        self.bias = nn.Linear(2 * self.pooled, channels - self.pooled)
        self.second = ConvNorm(channels - self.pooled, channels, 3)

    def forward(self, x: Tensor) -> Tensor:
        y = self.first(x)
        bias = self.bias(pool(functional.relu(y[:, : self.pooled])))
        y = functional.relu(y[:, self.pooled :] + bias[:, :, None, None])
        return functional.relu(self.second(y) + x)


class PolicyHead(nn.Module):
    """One logit per action: per cell and for what is left (passes) from the whole board, per column, or dense."""

    def __init__(self, shape: BoardShape, channels: int, hidden: int) -> None:
        super().__init__()
        _, height, width = shape.planes_shape
        self.layout = shape.action_layout
        self.local = ConvNorm(channels, hidden, 1)
        self.out: nn.Linear | nn.Conv2d
        if self.layout == "dense":
            self.out = nn.Linear(hidden * height * width, shape.num_actions)
            return
        self.bias = nn.Linear(2 * hidden, hidden)
        if self.layout == "columns":
            self.column = nn.Conv2d(2 * hidden, hidden, 1)
        self.out = nn.Conv2d(hidden, 1, 1)
        extra = shape.num_actions - height * width if self.layout == "cells" else 0
        self.extra = nn.Linear(2 * hidden, extra) if extra else None

    def forward(self, trunk: Tensor) -> Tensor:
        local = self.local(trunk)  # [B, P, H, W]
        if self.layout == "dense":
            flat: Tensor = self.out(functional.relu(local).flatten(1))
            return flat
        pooled = pool(functional.relu(local))
        local = functional.relu(local + self.bias(pooled)[:, :, None, None])
        if self.layout == "columns":
            local = functional.relu(self.column(pool_columns(local)))  # [B, P, 1, W]
        logits: Tensor = self.out(local).flatten(1)
        return logits if self.extra is None else torch.cat([logits, self.extra(pooled)], dim=1)


class ValueHead(nn.Module):
    """Win, draw, loss and, if wanted, the margin, from the mean and the maximum over the board."""

    def __init__(self, channels: int, hidden: int, score: bool) -> None:
        super().__init__()
        self.local = ConvNorm(channels, hidden, 1)
        self.hidden = nn.Linear(2 * hidden, hidden)
        self.out = nn.Linear(hidden, 3)
        self.score = nn.Linear(hidden, 1) if score else None

    def forward(self, trunk: Tensor) -> tuple[Tensor, Tensor | None]:
        hidden = functional.relu(self.hidden(pool(functional.relu(self.local(trunk)))))
        return self.out(hidden), None if self.score is None else self.score(hidden).squeeze(1)


class PolicyValueNet(nn.Module):
    """planes [B, C, H, W] -> NetworkOutput. The first weights follow from `seed`, or else from torch's generator."""

    def __init__(self, shape: BoardShape, config: NetworkConfig, *, seed: int | None = None) -> None:
        super().__init__()
        channels = config.channels
        with torch.random.fork_rng(devices=[], enabled=seed is not None):
            if seed is not None:
                torch.manual_seed(seed)
            self.stem = ConvNorm(shape.planes_shape[0], channels, 3)
            self.blocks = nn.ModuleList(
                PoolingBlock(channels) if has_pooling(config, index) else Block(channels)
                for index in range(config.blocks)
            )
            self.policy = PolicyHead(shape, channels, config.policy_channels)
            self.value = ValueHead(channels, config.value_channels, config.score_head)
            self.reply = PolicyHead(shape, channels, config.policy_channels) if config.reply_head else None
            self.ownership = nn.Conv2d(channels, 1, 1) if config.ownership_head else None
            self._initialise()
        self.to(memory_format=torch.channels_last)  # type: ignore[call-overload]

    def _initialise(self) -> None:
        """He's spread for what is rectified; small last layers, so that a blank network holds all moves for about equal
        and every position for even; and pooled features that say nothing at first."""
        for name, module in self.named_modules():
            if isinstance(module, nn.Conv2d | nn.Linear):
                nn.init.kaiming_normal_(module.weight, nonlinearity="relu")
                if module.bias is not None:
                    nn.init.zeros_(module.bias)
                if name.endswith((".out", ".extra", ".score", ".bias")) or name == "ownership":
                    with torch.no_grad():
                        module.weight.mul_(0.05)

    def play(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        """Only what the search asks for: logits [B, A] and wdl_logits [B, 3]."""
        x = self.trunk(planes)
        return self.policy(x), self.value(x)[0]

    def trunk(self, planes: Tensor) -> Tensor:
        """planes -> [B, channels, H, W]"""
        x = functional.relu(self.stem(planes.contiguous(memory_format=torch.channels_last)))
        for block in self.blocks:
            x = block(x)
        return x

    def forward(self, planes: Tensor) -> NetworkOutput:
        x = self.trunk(planes)
        wdl_logits, score = self.value(x)
        return NetworkOutput(
            logits=self.policy(x),
            wdl_logits=wdl_logits,
            reply_logits=None if self.reply is None else self.reply(x),
            ownership=None if self.ownership is None else self.ownership(x).squeeze(1),
            score=score,
        )


def has_pooling(config: NetworkConfig, index: int) -> bool:
    """Every third block (KataGo 2019)."""
    return config.pooling and index % 3 == 2


def network_weights(net: nn.Module) -> dict[str, NDArray[np.float32]]:
    """The weights as a NetworkFile keeps them: a copy, in f32, with the averages of the normalisation."""
    return {
        name: tensor.detach().to("cpu", torch.float32, copy=True).contiguous().numpy()
        for name, tensor in net.state_dict().items()
        if not name.endswith("num_batches_tracked")
    }


def network_from_file(file: NetworkFile) -> PolicyValueNet:
    """The network of a file, to be trained on or asked."""
    net = PolicyValueNet(file, file.config)
    load_weights(net, file.weights)
    return net


def load_weights(net: PolicyValueNet, weights: Mapping[str, NDArray[np.float32]]) -> None:
    """Puts weights into a network of the same config; NetworkFileError if they are not of that shape."""
    own = {name: value for name, value in net.state_dict().items() if not name.endswith("num_batches_tracked")}
    for name in own.keys() | weights.keys():
        if name not in weights or name not in own or tuple(own[name].shape) != weights[name].shape:
            raise NetworkFileError(f"The weights don't fit their own header: '{name}' is missing or of another shape.")
    with torch.no_grad():
        for name, tensor in own.items():
            tensor.copy_(torch.from_numpy(np.ascontiguousarray(weights[name])))
