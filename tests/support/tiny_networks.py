"""Networks that know nothing, made in no time: random weights for real files, and an evaluator without any."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import tengen
from tengen import Evaluation
from tengen.config import NetworkConfig
from tengen.network.checkpoint import NetworkFile, save_network

TINY = NetworkConfig(blocks=1, channels=8, policy_channels=4, value_channels=4)


def save_tiny(path: Path, game: tengen.Game) -> Path:
    """A file with a random network for this game."""
    from tengen.network.torch_net import TorchNet, network_weights

    save_network(path, NetworkFile.of(game, TINY, network_weights(TorchNet(game.spec, TINY, seed=1))))
    return path


class LooksAtTheBoard:
    """In place of a network: any board size, priors and values that depend on the planes and are always the same."""

    description = "a fake"

    def __init__(self, game: tengen.Game) -> None:
        self.network = NetworkFile.of(game, TINY, {})
        self.positions = 0

    def __call__(self, planes: NDArray[np.float32], /) -> Evaluation:
        self.positions += len(planes)
        actions = self.network.num_actions_on(planes.shape[2], planes.shape[3])
        seen = planes.reshape(len(planes), -1)
        weights = np.sin(np.arange(seen.shape[1], dtype=np.float32) + 1.0)
        value = np.tanh(seen @ weights / 10.0)
        logits = np.sin(value[:, None] * 50.0 + np.arange(actions, dtype=np.float32))
        logits[:, 81:] -= 3.0  # passes only when little is left
        return Evaluation(logits.astype(np.float32), value.astype(np.float32))

    def ownership(self, planes: NDArray[np.float32], /) -> NDArray[np.float32]:
        """Whoever has a stone there keeps it."""
        return (1.0 + planes[:, 0] - planes[:, 1]) / 2.0

    def score(self, planes: NDArray[np.float32], /) -> NDArray[np.float32]:
        """Whoever has more stones is so far ahead."""
        return (planes[:, 0] - planes[:, 1]).mean(axis=(1, 2))

    def clone(self) -> "LooksAtTheBoard":
        return self
