"""A network that grows says what it said before, and learns with what is new."""

from typing import get_args

import numpy as np
import pytest
import torch
from small_networks import ALL_HEADS, Shape

from tengen.config import NetworkConfig
from tengen.network.architecture import ArchitectureError, describe
from tengen.network.growth import Growth
from tengen.network.torch_net import TorchNet, load_weights, network_weights

SHAPES = {
    "cells and a pass": Shape((6, 5, 5), 26, "cells"),
    "columns": Shape((3, 6, 7), 7, "columns"),
    "planes and extras": Shape((5, 4, 6), 4 * 6 * 3 + 2, "planes"),
    "dense": Shape((3, 4, 5), 33, "dense"),
}
BLOCKS = get_args(NetworkConfig.model_fields["block"].annotation)


def network(shape: Shape, blocks: int, channels: int, block: str = "residual", *, seed: int) -> TorchNet:
    return TorchNet(shape, NetworkConfig(blocks=blocks, channels=channels, block=block, **ALL_HEADS), seed=seed)


def grown(small: TorchNet, large: TorchNet, shape: Shape) -> TorchNet:
    growth = Growth(small.architecture, large.architecture, shape.planes_shape)
    load_weights(large, growth.weights(network_weights(small), network_weights(large)))
    return large


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("size", [(7, 8), (3, 12), (4, 20)])  # deeper, wider, both; the third block pools
def test_the_large_network_says_what_the_small_one_says(shape: Shape, block: str, size: tuple[int, int]) -> None:
    small, large = network(shape, 3, 8, block, seed=1), network(shape, *size, block, seed=2)
    planes = torch.rand(9, *shape.planes_shape, generator=torch.Generator().manual_seed(3))
    small.train()
    small(planes)  # the averages of the normalisation are no longer 0 and 1
    grown(small, large, shape)
    for mode in (True, False):
        for said, says in zip(small.train(mode)(planes), large.train(mode)(planes), strict=True):
            if said is not None:
                torch.testing.assert_close(says, said, rtol=1e-4, atol=1e-5)


def test_what_is_new_learns() -> None:
    """New channels are listened to, and new blocks do something, as soon as a step was taken."""
    shape = SHAPES["columns"]
    small, large = network(shape, 2, 8, seed=1), network(shape, 3, 12, seed=2)
    grown(small, large, shape)
    before = {name: weight.clone() for name, weight in large.state_dict().items()}
    optimizer = torch.optim.SGD(large.parameters(), lr=0.1)
    for _ in range(2):
        optimizer.zero_grad()
        large(torch.rand(16, *shape.planes_shape)).logits.square().sum().backward()
        optimizer.step()
    after = large.state_dict()
    assert before["policy.local.conv.weight"][:, 8:].abs().max() == 0.0
    assert after["policy.local.conv.weight"][:, 8:].abs().max() > 0.0
    assert before["blocks.2.second.norm.weight"].abs().max() == 0.0
    assert after["blocks.2.second.norm.weight"].abs().max() > 0.0
    for name in ("stem.conv.weight", "blocks.0.first.conv.weight"):
        assert not torch.equal(before[name][8:], after[name][8:])


def test_moments_of_an_optimizer_go_where_their_weights_go() -> None:
    shape = SHAPES["columns"]
    small, large = network(shape, 3, 8, seed=1), network(shape, 3, 12, seed=2)
    growth = Growth(small.architecture, large.architecture, shape.planes_shape)
    zeros = {name: np.zeros_like(weight) for name, weight in network_weights(large).items()}
    weights = growth.weights(network_weights(small), zeros)
    for name, weight in network_weights(small).items():
        np.testing.assert_array_equal(growth.moment(name, weight), weights[name])
    steps = np.float32(7)
    assert growth.moment("stem.conv.weight", np.array(steps)) == steps


@pytest.mark.parametrize(("blocks", "channels"), [(2, 8), (3, 4)])
def test_a_network_can_not_shrink(blocks: int, channels: int) -> None:
    shape = SHAPES["columns"]
    [small, other] = [
        describe(shape, NetworkConfig(blocks=size[0], channels=size[1])) for size in ((3, 8), (blocks, channels))
    ]
    with pytest.raises(ArchitectureError, match="can't grow"):
        Growth(small, other, shape.planes_shape)
