"""Networks for tests: of any shape, and one that has learned a little, so that its answers differ from even."""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

import tengen
from tengen.config import NetworkConfig
from tengen.network.architecture import describe
from tengen.network.checkpoint import NetworkFile
from tengen.network.positions import random_states
from tengen.network.torch_net import TorchNet, network_weights

ALL_HEADS = {"reply_head": True, "ownership_head": True, "score_head": True}


@dataclass(frozen=True)
class Shape:
    """A game as the network sees it."""

    planes_shape: tuple[int, int, int]
    num_actions: int
    action_layout: str


SHAPES = {
    "tic-tac-toe": Shape((2, 3, 3), 9, "cells"),
    "go 9x9": Shape((6, 9, 9), 82, "cells"),
    "connect four": Shape((3, 6, 7), 7, "columns"),
    "numbers": Shape((3, 4, 5), 33, "dense"),
    "from-to moves": Shape((3, 4, 5), 63, "planes"),
}


def file_of(shape: Shape, config: NetworkConfig, net: TorchNet) -> NetworkFile:
    return NetworkFile(
        game="tic_tac_toe",
        source="tic_tac_toe",
        options={},
        rules_digest="",
        planes_shape=shape.planes_shape,
        num_actions=shape.num_actions,
        action_layout=shape.action_layout,
        architecture=describe(shape, config),
        weights=network_weights(net),
    )


def random_board(shape: tuple[int, int, int], count: int, seed: int = 0) -> NDArray[np.float32]:
    """Planes [count, C, H, W] with stones anywhere."""
    return (np.random.default_rng(seed).random((count, *shape)) < 0.3).astype(np.float32)


def settled_net(shape: Shape, config: NetworkConfig, seed: int = 0) -> TorchNet:
    """A blank network whose normalisation has seen positions, and whose logits are not all alike."""
    net = TorchNet(shape, config, seed=seed).train()
    with torch.no_grad():
        for name, weight in net.named_parameters():
            if name.endswith((".out.weight", ".extra.weight")):
                weight.mul_(20.0)
        for i in range(4):
            net(torch.from_numpy(random_board(shape.planes_shape, 64, seed=i)))
    return net.eval()


def trained_file(game: tengen.Game, config: NetworkConfig, steps: int) -> NetworkFile:
    """Learns what a little rollout search says about positions of random games."""
    states = random_states(game, 1024, seed=1)
    params = tengen.SearchParams(selection="uct", rollout_weight=1.0, simulations=48)
    answers = tengen.search(game, states, params=params)
    planes = np.stack([state.planes() for state in states])
    policy = torch.from_numpy(np.stack([answer.policy_target for answer in answers]))
    value = torch.tensor([answer.root_value for answer in answers])
    wdl = torch.stack([(1 + value) / 2, torch.zeros_like(value), (1 - value) / 2], dim=1)
    net = TorchNet(game.spec, config, seed=1).train()
    optimizer = torch.optim.AdamW(net.parameters(), lr=3e-3)
    rows = torch.Generator().manual_seed(1)
    for _ in range(steps):
        batch = torch.randint(len(states), (128,), generator=rows)
        output = net(torch.from_numpy(planes)[batch])
        loss = -(policy[batch] * output.logits.log_softmax(1)).sum(1).mean()
        loss -= (wdl[batch] * output.wdl_logits.log_softmax(1)).sum(1).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return NetworkFile.of(game, config, network_weights(net), {"run": "test"}, iteration=steps)
