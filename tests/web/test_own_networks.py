"""What a network in a folder adds to the page: its game as it knows it, and whose each cell will be.

Ownership is for the first player, whoever is to move, and the same by both backends.
"""

from pathlib import Path

import numpy as np
import pytest
from servers import position, served

import tengen
from tengen.config import NetworkConfig
from tengen.network import make_evaluator
from tengen.network.checkpoint import NetworkFile, load_network, save_network
from tengen.network.torch_net import TorchNet, network_weights

TINY = NetworkConfig(blocks=1, channels=8, policy_channels=4, value_channels=4, ownership_head=True)


@pytest.fixture
def networks(tmp_path: Path) -> Path:
    """A folder with a network for Go that has learned nothing, but has the head."""
    game = tengen.load("go", size=5)
    weights = network_weights(TorchNet(game.spec, TINY, seed=1))
    rng = np.random.default_rng(0)
    weights["ownership.weight"] = rng.normal(size=weights["ownership.weight"].shape).astype(np.float32)
    save_network(tmp_path / "tiny.safetensors", NetworkFile.of(game, TINY, weights))
    return tmp_path


def test_a_game_is_offered_as_its_first_network_knows_it(tmp_path: Path) -> None:
    game = tengen.load("mnk", m=5, n=4, k=4)
    config = TINY.model_copy(update={"ownership_head": False})
    weights = network_weights(TorchNet(game.spec, config, seed=1))
    with served(model_folders=[tmp_path]) as server:
        before = next(entry for entry in server.get("/api/games").json() if entry["name"] == "mnk")
        assert before["models"] == ["rollout", "uniform"]
        save_network(tmp_path / "tiny.safetensors", NetworkFile.of(game, config, weights))
        after = next(entry for entry in server.get("/api/games").json() if entry["name"] == "mnk")
    assert after["models"] == ["tiny", "rollout", "uniform"]
    assert after["options"] == {"m": 5, "n": 4, "k": 4} != before["options"]
    assert (after["board"]["height"], after["board"]["width"]) == (game.spec.height, game.spec.width) == (4, 5)


def test_an_analysis_says_whose_each_cell_will_be(networks: Path) -> None:
    network = load_network(networks / "tiny.safetensors")
    state = tengen.load("go", size=5).state("C3 B2 D4")
    openvino, torch = (
        make_evaluator(network, backend=backend, precision="f32", device="cpu").ownership(state.planes()[None])
        for backend in ("openvino", "torch")
    )
    assert openvino is not None
    assert torch is not None
    assert openvino.shape == (1, 5, 5)
    np.testing.assert_allclose(openvino, torch, atol=1e-4)
    assert openvino.std() > 0.01
    with served(model_folders=[networks]) as server, server.page() as page:
        asked = {"model": "tiny", "simulations": 5}
        said = page.ask("analyse", position=position("go", "C3 B2 D4", size=5), **asked)["ownership"]
        np.testing.assert_allclose(said, 1.0 - 2.0 * torch.ravel(), atol=1e-4)  # white is to move
        other = page.ask("analyse", position=position("connect_four"), model="rollout", simulations=5)
        assert other["ownership"] is None
