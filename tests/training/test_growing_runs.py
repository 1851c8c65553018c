"""Runs whose network grows: when it does, that nothing is lost, and that they go on after a stop with the same bits."""

from pathlib import Path

import numpy as np
import pytest
from small_runs import Stopped, Stopper, small_config, what_counts

import tengen
from tengen.config import ConfigError, NetworkConfig, RunConfig, load_config
from tengen.learner import Learner
from tengen.network import make_evaluator
from tengen.network.checkpoint import load_network
from tengen.replay import ReplayWindow
from tengen.selfplay import play_games
from tengen.train import train

GAME = tengen.load("tic_tac_toe")
GROW = ((0.4, 2, 8), (0.7, 3, 12))


def growing(**stages: dict[str, object]) -> RunConfig:
    return small_config(iterations=4, network={"grow": GROW}, **stages)


def blocks_of(path: Path) -> int:
    return len(load_network(path).architecture.trunk) - 1


def test_a_run_goes_on_over_its_growth_bit_for_bit(tmp_path: Path) -> None:
    config = growing()
    last = train(config, tmp_path / "whole")
    assert blocks_of(last) == 3
    sizes = []
    for iterations in (1, 2, 3):  # before the first growth, between both, after the second
        with pytest.raises(Stopped):
            train(config, tmp_path / "stopped", Stopper(iterations))
        sizes.append(blocks_of(tmp_path / "stopped" / "networks" / f"{iterations:06d}.safetensors"))
    assert sizes == [1, 1, 2]
    train(config, tmp_path / "stopped")
    assert what_counts(tmp_path / "stopped") == what_counts(tmp_path / "whole")


@pytest.mark.parametrize("optimizer", ["muon", "adamw", "sgd"])
def test_growing_loses_nothing(optimizer: str) -> None:
    """Before it takes a step, the grown network answers as the small one does; what the optimizer knew, it knows."""
    config = growing(learner={"optimizer": optimizer, "precision": "f32"})
    window = ReplayWindow(GAME, config.replay)
    played = play_games(GAME, [tengen.UniformEvaluator(GAME)], config.self_play, seed=1, iteration=0)
    for record in played.records:
        window.add(record)
    learner = Learner(GAME, config.network, config.learner, seed=1, discount=1.0)
    rng = np.random.default_rng(1)
    learner.learn(window, 3, rng, progress=(0.0, 0.3))
    planes = window.sample(16, rng).planes
    small = make_evaluator(learner.network_file(), backend="torch", precision="f32")(planes)
    before = learner.state()
    learner.learn(window, 0, rng, progress=(0.5, 0.6))
    after = learner.state()
    large = make_evaluator(learner.network_file(), backend="torch", precision="f32")(planes)
    np.testing.assert_allclose(large.logits, small.logits, atol=1e-5)
    np.testing.assert_allclose(large.values, small.values, atol=1e-5)
    moments = [name for name in before if name.startswith("optimizer.")]
    assert moments
    for name in moments:
        np.testing.assert_allclose(np.abs(after[name]).sum(), np.abs(before[name]).sum(), rtol=1e-5)


@pytest.mark.parametrize(
    ("grow", "word"),
    [
        ([[0.5, 1, 64]], "at least"),
        ([[0.5, 4, 32]], "at least"),
        ([[0.5, 5, 64], [0.4, 6, 64]], "rise"),
        ([[1.0, 5, 64]], "between 0 and 1"),
        ([[0.5, 5, 64], [0.6, 4, 96]], "at least"),
        ([[0.5, 5, 9999]], "at least"),
    ],
)
def test_wrong_sizes_are_refused(grow: list[list[float]], word: str) -> None:
    with pytest.raises(ConfigError, match=word):
        load_config(game="tic_tac_toe", network={"grow": grow})


def test_neither_a_module_of_ones_own_nor_a_gated_run_grows(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="can't grow"):
        NetworkConfig(module="net.py:Net", grow=GROW)
    with pytest.raises(ConfigError, match=r"arena\.gating"):
        train(growing(arena={"gating": True}), tmp_path / "run")
    assert not (tmp_path / "run").exists()
