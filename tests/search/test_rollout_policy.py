"""Rollout policies as Python sees them: learned, saved by weights, used by a forest, refused where they don't fit."""

import numpy as np
import pytest

import tengen
from tengen import Forest, SearchParams, TengenError
from tengen._core import RolloutLearner, RolloutPolicy


def games_of(name: str, count: int) -> dict[str, object]:
    """Random games as a learner reads them."""
    game = tengen.load(name)
    rng = np.random.default_rng(5)
    moves: list[list[int]] = []
    for _ in range(count):
        state = game.initial_state()
        while state.outcome is None:
            state = state.play(int(rng.choice(state.legal_actions)))
        moves.append([game.parse_action(text) if isinstance(text, str) else text for text in state.moves])
    return {
        "moves": np.concatenate(moves).astype(np.uint16),
        "starts": np.cumsum([0, *map(len, moves)], dtype=np.int64),
        "first_plies": np.zeros(count, np.int64),
        "boards": [],
    }


def test_learning_goes_on_from_saved_weights_bit_for_bit() -> None:
    game, games = tengen.load("othello"), games_of("othello", 4)
    whole, half = RolloutLearner(game, True), RolloutLearner(game, True)
    for _ in range(2):
        whole.learn(**games, rate=0.1, decay=1e-4)
    half.learn(**games, rate=0.1, decay=1e-4)
    resumed = RolloutLearner(game, True)
    resumed.load(half.weights(), half.sums())
    figures = resumed.learn(**games, rate=0.1, decay=1e-4)
    assert np.array_equal(resumed.weights(), whole.weights())
    assert figures.positions > 0
    assert resumed.measure(**games).log_loss < RolloutLearner(game, True).measure(**games).log_loss


@pytest.mark.parametrize("name", ["chess", "shogi", "openspiel:hex", "examples/dots_and_boxes.py", "gomoku"])
def test_every_game_has_playouts_of_a_policy(name: str) -> None:
    game = tengen.load(name)
    learner = RolloutLearner(game, False)
    policy = RolloutPolicy(game, learner.weights(), False)
    counts = policy.playouts(3, seed=2)
    assert counts.games == 3
    legal = list(game.initial_state().legal_actions)
    assert policy.probabilities(game.initial_state())[legal] == pytest.approx(1 / len(legal))


def test_a_forest_plays_out_by_it() -> None:
    game = tengen.load("go", size=5)
    learner = RolloutLearner(game, True)
    weights = np.random.default_rng(1).normal(size=learner.weights().shape).astype(np.float32)
    policy = RolloutPolicy(game, weights, True)
    params = SearchParams(selection="uct", rollout_weight=1.0, simulations=50)
    found = [
        tengen.search(game, [game.state("C3")], params=params, rollouts=rollouts)[0] for rollouts in (policy, None)
    ]
    assert found[0].visits.tolist() != found[1].visits.tolist()


def test_what_does_not_fit_is_refused() -> None:
    go, othello = tengen.load("go", size=5), tengen.load("othello")
    learner = RolloutLearner(go, True)
    policy = RolloutPolicy(go, learner.weights(), True)
    with pytest.raises(TengenError, match="weights, not"):
        RolloutPolicy(go, learner.weights()[:, :-1].copy(), True)
    with pytest.raises(TengenError, match="not a number"):
        RolloutPolicy(go, np.full_like(learner.weights(), np.nan), True)
    with pytest.raises(TengenError, match="searches othello"):
        Forest(othello, 1, SearchParams(), 1, policy)
    with pytest.raises(TengenError, match="not of othello"):
        policy.playouts(1, 1, othello.initial_state())
    games = games_of("othello", 1)
    with pytest.raises(TengenError, match="not legal"):
        RolloutLearner(tengen.load("tic_tac_toe"), True).measure(**games)
    with pytest.raises(TengenError, match="do not fit together"):
        learner.measure(**{**games, "starts": np.array([0, 5], np.int64)})
