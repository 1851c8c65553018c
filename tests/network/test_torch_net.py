"""The network: shapes for every kind of game, any board size, and what its outputs mean."""

import numpy as np
import pytest
import torch
from small_networks import ALL_HEADS, SHAPES, Shape, random_board, settled_net

from tengen.config import ConfigError, NetworkConfig, load_config
from tengen.network.torch_net import TorchNet, network_weights

CONFIG = NetworkConfig(blocks=3, channels=16, policy_channels=8, value_channels=8, **ALL_HEADS)


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_every_head_has_the_shape_of_its_game(shape: Shape) -> None:
    output = TorchNet(shape, CONFIG)(torch.from_numpy(random_board(shape.planes_shape, 5)))
    assert output.logits.shape == (5, shape.num_actions)
    assert output.wdl_logits.shape == (5, 3)
    assert output.reply_logits.shape == (5, shape.num_actions)
    assert output.ownership.shape == (5, *shape.planes_shape[1:])
    assert output.score.shape == (5,)


def test_heads_left_out_say_none() -> None:
    config = NetworkConfig(blocks=1, channels=8, reply_head=False)
    output = TorchNet(SHAPES["go 9x9"], config)(torch.zeros(1, 6, 9, 9))
    assert (output.reply_logits, output.ownership, output.score) == (None, None, None)


@pytest.mark.parametrize(
    ("name", "board", "actions"),
    [("go 9x9", (13, 13), 170), ("go 9x9", (19, 19), 362), ("go 9x9", (5, 7), 36), ("connect four", (8, 9), 9)],
)
def test_weights_of_one_board_size_play_on_others(name: str, board: tuple[int, int], actions: int) -> None:
    shape = SHAPES[name]
    net = settled_net(shape, CONFIG)
    output = net(torch.from_numpy(random_board((shape.planes_shape[0], *board), 2)))
    assert output.logits.shape == (2, actions)
    assert torch.isfinite(output.logits).all()
    larger = TorchNet(Shape((shape.planes_shape[0], *board), actions, shape.action_layout), CONFIG)
    assert {k: v.shape for k, v in larger.state_dict().items()} == {k: v.shape for k, v in net.state_dict().items()}


def test_the_same_local_shape_far_from_the_edge_looks_the_same_on_a_larger_board() -> None:
    """Without pooling a logit depends on what is near: a stem and one block see 3 cells far."""
    config = NetworkConfig(blocks=1, channels=8, pooling=False)
    net = settled_net(Shape((2, 11, 11), 121, "cells"), config)
    net.policy.bias.weight.data.zero_()
    small = random_board((2, 11, 11), 1)
    large = np.zeros((1, 2, 15, 15), np.float32)
    large[:, :, 2:13, 2:13] = small
    with torch.no_grad():
        here = net(torch.from_numpy(small)).logits.reshape(11, 11)
        there = net(torch.from_numpy(large)).logits.reshape(15, 15)
    torch.testing.assert_close(here[4:7, 4:7], there[6:9, 6:9])


@pytest.mark.parametrize("name", ["go 9x9", "connect four"])
def test_a_mirrored_network_answers_a_mirrored_board_with_mirrored_actions(name: str) -> None:
    """So the logit of an action stands where its cell or column is."""
    shape = SHAPES[name]
    net = settled_net(shape, CONFIG)
    planes = torch.from_numpy(random_board(shape.planes_shape, 3))
    with torch.no_grad():
        before = net(planes)
        for module in net.modules():
            if isinstance(module, torch.nn.Conv2d):
                module.weight.copy_(module.weight.flip(3))
        after = net(planes.flip(3))
    height, width = shape.planes_shape[1:] if shape.action_layout == "cells" else (1, shape.num_actions)
    board = [output.logits[:, : height * width].reshape(3, height, width) for output in (before, after)]
    torch.testing.assert_close(board[0].flip(2), board[1])
    torch.testing.assert_close(before.logits[:, height * width :], after.logits[:, height * width :])
    torch.testing.assert_close(before.wdl_logits, after.wdl_logits)
    torch.testing.assert_close(before.ownership.flip(2), after.ownership)
    assert not torch.allclose(before.logits, after.logits)


def test_weights_follow_from_the_seed_and_leave_the_global_generator_alone() -> None:
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    nets = [TorchNet(SHAPES["connect four"], CONFIG, seed=seed) for seed in (1, 1, 2)]
    assert torch.equal(torch.rand(3), expected)
    first, again, other = (network_weights(net) for net in nets)
    assert all(np.array_equal(first[name], again[name]) for name in first)
    assert not np.array_equal(first["stem.conv.weight"], other["stem.conv.weight"])


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_a_blank_network_is_undecided(shape: Shape) -> None:
    net = TorchNet(shape, NetworkConfig(), seed=3).train()
    output = net(torch.from_numpy(random_board(shape.planes_shape, 64)))
    prior = output.logits.softmax(1)
    assert prior.max() < 1.5 / shape.num_actions
    assert (output.wdl_logits.softmax(1) - 1 / 3).abs().max() < 0.1


def test_every_weight_learns() -> None:
    net = TorchNet(SHAPES["go 9x9"], CONFIG).train()
    output = net(torch.from_numpy(random_board((6, 9, 9), 8)))
    torch.cat([part.flatten() for part in output if part is not None]).square().sum().backward()
    assert [name for name, weight in net.named_parameters() if weight.grad is None or not weight.grad.any()] == []


def test_bfloat16_training_stays_close() -> None:
    net = TorchNet(SHAPES["connect four"], CONFIG, seed=1).train()
    planes = torch.from_numpy(random_board((3, 6, 7), 32))
    exact = net(planes)
    with torch.autocast("cpu", torch.bfloat16):
        rounded = net(planes)
    torch.testing.assert_close(rounded.wdl_logits.float(), exact.wdl_logits, atol=0.02, rtol=0.05)
    torch.testing.assert_close(rounded.logits.float(), exact.logits, atol=0.02, rtol=0.05)


@pytest.mark.parametrize(
    ("preset", "blocks", "channels"), [("tiny", 2, 16), ("small", 4, 64), ("medium", 6, 96), ("alphago_zero", 19, 256)]
)
def test_presets(preset: str, blocks: int, channels: int) -> None:
    config = NetworkConfig.preset(preset)
    assert (config.blocks, config.channels) == (blocks, channels)


def test_alphago_zero_plays_19x19_with_17_planes() -> None:
    shape = Shape((17, 19, 19), 362, "cells")
    net = TorchNet(shape, NetworkConfig.preset("alphago_zero")).eval()
    # 38 convolutions of 256 x 256 x 3 x 3 and one of 17 x 256 x 3 x 3; the rest is normalisation and heads.
    tower = 38 * 256 * 256 * 9 + 17 * 256 * 9
    assert tower < sum(weight.numel() for weight in net.parameters()) < 1.02 * tower
    with torch.no_grad():
        output = net(torch.from_numpy(random_board((17, 19, 19), 2)))
    assert output.logits.shape == (2, 362)


def test_a_config_names_a_preset_and_changes_it() -> None:
    config = load_config(game="go", network={"preset": "medium", "blocks": 8})
    assert (config.network.blocks, config.network.channels) == (8, 96)


def test_an_unknown_preset_is_refused_with_the_likely_one() -> None:
    with pytest.raises(ConfigError, match="did you mean 'medium'"):
        load_config(game="go", network={"preset": "medum"})
