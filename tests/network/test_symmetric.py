"""The mean over the symmetries of a game: of one opinion about a position and its mirror image."""

import numpy as np
import pytest
from numpy.typing import NDArray

import tengen
from tengen.network import Evaluation, NetworkEvaluator, make_evaluator
from tengen.network.checkpoint import find_network, load_network
from tengen.network.evaluator import Planes
from tengen.network.positions import random_states
from tengen.network.symmetric import SymmetricEvaluator
from tengen.players import make_player, playing_evaluator

NETWORKS = {"connect_four": ("connect_four", {}), "othello": ("othello", {}), "go_9x9": ("go", {"size": 9, "komi": 7})}


def bundled(name: str) -> tuple[tengen.Game, NetworkEvaluator]:
    source, options = NETWORKS[name]
    network = load_network(find_network(name))
    return tengen.load(source, **options), make_evaluator(network, backend="openvino", precision="f32")


@pytest.mark.parametrize("name", NETWORKS)
def test_is_the_mean_and_turns_with_the_board(name: str) -> None:
    game, network = bundled(name)
    states = random_states(game, 6, seed=3)
    planes = np.stack([state.planes() for state in states])
    answer = SymmetricEvaluator(network, game)(planes)
    assert answer.logits.shape == (6, game.spec.num_actions)
    assert answer.values.shape == (6, 3)
    logits, values = np.zeros_like(answer.logits), np.zeros_like(answer.values)
    for symmetry in game.symmetries:
        turned = np.stack([symmetry.planes(np.ascontiguousarray(board)) for board in planes])
        alone, again = network(turned), SymmetricEvaluator(network, game)(turned)
        for row in range(6):
            for action in range(game.spec.num_actions):
                logits[row, action] += alone.logits[row, symmetry.action(action)] / len(game.symmetries)
            np.testing.assert_allclose(
                again.logits[row], symmetry.policy(np.ascontiguousarray(answer.logits[row])), atol=1e-4
            )
        values += alone.values / len(game.symmetries)
        np.testing.assert_allclose(again.values, answer.values, atol=1e-4)
    np.testing.assert_allclose(answer.logits, logits, atol=1e-4)
    np.testing.assert_allclose(answer.values, values, atol=1e-4)
    assert np.abs(network(planes).logits - answer.logits).max() > 0.01  # the network alone is not so


class Counting:
    """A network that counts what it is asked."""

    def __init__(self, evaluator: NetworkEvaluator) -> None:
        self.network, self.description, self._evaluator = evaluator.network, evaluator.description, evaluator
        self.positions = 0

    def __call__(self, planes: Planes, /) -> Evaluation:
        self.positions += len(planes)
        return self._evaluator(planes)

    def ownership(self, planes: Planes, /) -> Planes | None:
        return self._evaluator.ownership(planes)

    def score(self, planes: Planes, /) -> NDArray[np.float32] | None:
        return self._evaluator.score(planes)

    def clone(self) -> "Counting":
        return self


@pytest.mark.parametrize(("name", "times"), [("connect_four", 2), ("othello", 1), ("go_9x9", 1)])
def test_players_ask_for_the_mirror_image_where_there_is_one(name: str, times: int) -> None:
    game, network = bundled(name)
    counting = Counting(network)
    state = game.initial_state()
    make_player(f"search:{name}:8", game, lambda model, game: counting).choose([state], [0])
    assert counting.positions == 9 * times
    counting.positions = 0
    make_player(f"network:{name}", game, lambda model, game: counting).choose([state], [0])
    assert counting.positions == 1
    assert playing_evaluator(counting, game).network is network.network


def test_another_size_of_the_board() -> None:
    game = tengen.load("connect_four", rows=5, columns=8)
    _, network = bundled("connect_four")
    answer = playing_evaluator(network, game)(game.initial_state().planes()[None])
    assert answer.logits.shape == (1, 8)
    np.testing.assert_allclose(answer.logits, answer.logits[:, ::-1], atol=1e-4)
