"""A tree depends on its position, its seed and its evaluator: not on batch sizes, neighbours, cache or threads.

And what must differ differs: noise from search to search, leaves within a batch.
"""

import threading
from typing import Any

import numpy as np
import pytest
from fake_evaluators import HashEvaluator
from numpy.typing import NDArray
from positions import random_state

from tengen import Forest, Game, SearchParams, State, load, search
from tengen.search import evaluate_leaves, run

GAME = load("connect_four")
STATES = [random_state(GAME, plies, seed=2) for plies in (0, 3, 7, 9, 12)]
VARIANTS: dict[str, dict[str, Any]] = {
    "puct": {},
    "several leaves": {"leaves_per_batch": 7},
    "uct": {"selection": "uct"},
    "gumbel": {"selection": "gumbel"},
    "gumbel, several leaves": {"selection": "gumbel", "leaves_per_batch": 5},
    "rollouts": {"selection": "uct", "rollout_weight": 1.0},
    "mixed": {"rollout_weight": 0.5, "leaves_per_batch": 3},
    "symmetry": {"random_symmetry": True, "leaves_per_batch": 2},
}


def columns(forest: Forest, tree: int) -> list[list[float]]:
    """Everything there is to say about a tree, to be compared."""
    arrays = forest.tree(tree)
    names = ("parent", "action", "player", "visits", "value_sum", "value", "prior", "proven", "distance", "edge_prior")
    return [getattr(arrays, name).tolist() for name in names]


def grown(
    states: list[State],
    params: dict[str, Any],
    *,
    seeds: list[int],
    max_leaves: int = 0,
    game: Game = GAME,
) -> list[list[list[float]]]:
    forest = Forest(game, len(states), SearchParams(simulations=150, **params), seed=9)
    for i, (state, seed) in enumerate(zip(states, seeds, strict=True)):
        forest.set_root(i, state, seed)
    forest.begin(noise=True)
    run(forest, HashEvaluator(game), max_leaves)
    return [columns(forest, i) for i in range(len(states))]


SEEDS = [100, 101, 102, 103, 104]


@pytest.fixture(scope="module")
def alone() -> dict[str, list[list[list[float]]]]:
    """Each tree searched in a forest of its own."""
    return {
        name: [grown([state], params, seeds=[seed])[0] for state, seed in zip(STATES, SEEDS, strict=True)]
        for name, params in VARIANTS.items()
    }


Alone = dict[str, list[list[list[float]]]]


@pytest.mark.parametrize("variant", VARIANTS)
def test_neighbours_change_nothing(alone: Alone, variant: str) -> None:
    assert grown(STATES, VARIANTS[variant], seeds=SEEDS) == alone[variant]
    assert grown(STATES[::-1], VARIANTS[variant], seeds=SEEDS[::-1]) == alone[variant][::-1]


@pytest.mark.parametrize("max_leaves", [1, 2, 3, 10, 1000])
@pytest.mark.parametrize("variant", VARIANTS)
def test_batch_size_changes_nothing(alone: Alone, variant: str, max_leaves: int) -> None:
    assert grown(STATES, VARIANTS[variant], seeds=SEEDS, max_leaves=max_leaves) == alone[variant]


@pytest.mark.parametrize("entries", [1, 64, 100_000])
@pytest.mark.parametrize("variant", VARIANTS)
def test_cache_changes_nothing(alone: Alone, variant: str, entries: int) -> None:
    assert grown(STATES, {**VARIANTS[variant], "cache_entries": entries}, seeds=SEEDS) == alone[variant]


def test_two_threads_change_nothing(alone: Alone) -> None:
    found: dict[str, list[list[list[float]]]] = {}

    def work(names: list[str]) -> None:
        for name in names:
            found[name] = grown(STATES, VARIANTS[name], seeds=SEEDS)

    names = list(VARIANTS)
    threads = [threading.Thread(target=work, args=(part,)) for part in (names[::2], names[1::2])]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == alone


def test_cache_saves_evaluations_and_can_be_cleared() -> None:
    evaluator = HashEvaluator(GAME)
    forest = Forest(GAME, 1, SearchParams(simulations=100, cache_entries=10_000), seed=0)
    asked = []
    for _ in range(3):
        forest.set_root(0, STATES[0])
        forest.begin()
        run(forest, evaluator)
        asked.append(sum(evaluator.batches))
        evaluator.batches.clear()
    assert asked[0] > 90
    assert max(asked[1:]) < 10  # two positions may share a slot
    forest.clear_cache()
    forest.set_root(0, STATES[0])
    forest.begin()
    run(forest, evaluator)
    assert sum(evaluator.batches) == asked[0]


def test_batches_hold_no_more_leaves_than_allowed() -> None:
    for leaves_per_batch, max_leaves in ((1, 3), (2, 5), (4, 4), (4, 19)):
        evaluator = HashEvaluator(GAME)
        params = SearchParams(simulations=50, leaves_per_batch=leaves_per_batch)
        search(GAME, 2 * STATES, evaluator, params, max_leaves=max_leaves)  # enough trees to fill a batch
        assert max(evaluator.batches) <= max_leaves
        assert max(evaluator.batches) > max_leaves - leaves_per_batch


def test_trees_take_turns() -> None:
    forest = Forest(GAME, 5, SearchParams(simulations=20), seed=0)
    forest.begin()
    while forest.searching():
        evaluate_leaves(forest, HashEvaluator(GAME), max_leaves=2)
        done = [forest.result(i).simulations for i in range(5)]
        assert max(done) - min(done) <= 1


# --- noise ----------------------------------------------------------------------------------------------------------


def root_priors(forest: Forest) -> NDArray[np.float32]:
    arrays = forest.tree(0)
    edges = slice(int(arrays.edges_from[0]), int(arrays.edges_from[1]))
    return arrays.edge_prior[edges][np.argsort(arrays.edge_action[edges])]


def test_noise_is_drawn_anew_for_every_search() -> None:
    forest = Forest(GAME, 1, SearchParams(simulations=30), seed=0)
    evaluator = HashEvaluator(GAME)
    forest.set_root(0, STATES[0], 1)
    clean = None
    seen = []
    for noise in (True, True, False, True):
        forest.begin(noise=noise)
        run(forest, evaluator)
        clean = forest.root_arrays()[3][0]
        mixed = root_priors(forest)
        seen.append(mixed)
        assert mixed.sum() == pytest.approx(1.0, abs=1e-5)
        assert np.array_equal(mixed, clean) == (not noise)
        drawn = (mixed - 0.75 * clean) / 0.25  # what Dir(alpha) gave
        assert (drawn > -1e-5).all()
        assert drawn.sum() == pytest.approx(1.0, abs=1e-4)
    assert not np.array_equal(seen[0], seen[1])
    assert not np.array_equal(seen[0], seen[3])


def test_noise_differs_between_seeds_and_trees() -> None:
    drawn = set()
    for seed in range(40):
        results = search(GAME, [STATES[0]] * 5, HashEvaluator(GAME), seed=seed, simulations=0, noise=True)
        drawn |= {result.tree.root.children[0].prior for result in results}
    assert len(drawn) == 200


def test_noise_reaches_the_root_only_and_follows_the_legal_actions() -> None:
    """alpha = dirichlet_total / legal actions: its spread tells what alpha was."""
    for moves, legal in (("", 7), ("1 1 1 1 1 1 2 2 2 2 2 2 4 4 4 5 5", 5)):
        state = GAME.state(moves)
        assert len(state.legal_actions) == legal
        draws = []
        for seed in range(300):
            forest = Forest(GAME, 1, SearchParams(simulations=0, noise_fraction=1.0), seed)
            forest.set_root(0, state)
            forest.begin(noise=True)
            run(forest, HashEvaluator(GAME))
            draws.append(root_priors(forest))
        expected = (1 / legal) * (1 - 1 / legal) / (10.83 + 1)
        assert np.var(draws, axis=0).mean() == pytest.approx(expected, rel=0.15)


def test_advance_takes_no_noise_along() -> None:
    """The new root has the evaluator's priors, whatever noise its parent had."""
    forest = Forest(GAME, 1, SearchParams(simulations=60), seed=4)
    evaluator = HashEvaluator(GAME)
    forest.set_root(0, STATES[0])
    for _ in range(4):
        forest.begin(noise=True)
        run(forest, evaluator)
        best = forest.result(0).best_action
        forest.advance(0, best)
    forest.begin(noise=False)
    run(forest, evaluator)
    np.testing.assert_array_equal(root_priors(forest), forest.root_arrays()[3][0])


def test_gumbel_noise_moves_the_choice_and_is_absent_without() -> None:
    def chosen(seed: int, noise: bool) -> int:
        params = SearchParams(selection="gumbel", simulations=4, gumbel_considered=2)
        return search(GAME, [STATES[0]], HashEvaluator(GAME), params, seed=seed, noise=noise)[0].best_action

    assert len({chosen(seed, noise=True) for seed in range(60)}) >= 5
    assert len({chosen(seed, noise=False) for seed in range(10)}) == 1


def test_gumbel_top_k_samples_from_the_prior() -> None:
    """argmax of g + log p is a sample of p (the Gumbel-max trick)."""
    params = SearchParams(selection="gumbel", simulations=1, gumbel_considered=1)
    forest = Forest(GAME, 4000, params, seed=1)
    for i in range(4000):
        forest.set_root(i, STATES[0])
    forest.begin(noise=True)
    run(forest, HashEvaluator(GAME))
    visits, _, _, prior = forest.root_arrays()
    np.testing.assert_allclose(visits.mean(axis=0), prior[0], atol=0.03)


# --- leaves ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("virtual_loss", [0.0, 1.0, 3.0])
@pytest.mark.parametrize("selection", ["puct", "uct", "gumbel"])
@pytest.mark.parametrize("name", ["tic_tac_toe", "connect_four", "othello"])
def test_leaves_of_a_batch_are_different_nodes(name: str, selection: str, virtual_loss: float) -> None:
    """Every row of a batch expands a node that had not been expanded: so no node was asked for twice."""
    game = load(name)
    params = SearchParams(
        simulations=1000, leaves_per_batch=16, selection=selection, virtual_loss=virtual_loss, solve=False
    )
    forest = Forest(game, 1, params, seed=0)
    forest.begin()
    evaluator = HashEvaluator(game)
    expanded = 0
    while forest.searching():
        evaluate_leaves(forest, evaluator)
        before, expanded = expanded, int(np.count_nonzero(np.diff(forest.tree(0).edges_from)))
        if evaluator.batches:
            assert expanded - before == evaluator.batches.pop()
    assert forest.result(0).simulations == 1000


def test_several_leaves_make_batches_full() -> None:
    evaluator = HashEvaluator(GAME)
    search(GAME, [STATES[0]], evaluator, simulations=1600, leaves_per_batch=16)
    assert np.mean(evaluator.batches) > 14


@pytest.mark.parametrize("selection", ["puct", "gumbel"])
def test_collisions_leave_no_trace(selection: str) -> None:
    """They make a batch fuller; when it has been answered nothing is on its way, and visits add up."""
    fill = {}
    for most in (0, 64):
        evaluator = HashEvaluator(GAME)
        params = SearchParams(
            simulations=300, leaves_per_batch=16, most_collisions=most, selection=selection, solve=False
        )
        forest = Forest(GAME, 1, params, seed=0)
        forest.set_root(0, STATES[0])
        forest.begin()
        while forest.searching():
            evaluate_leaves(forest, evaluator)
            visits = forest.tree(0).visits
            assert visits[0] == 1 + forest.root_arrays()[0][0].sum()
        assert forest.result(0).simulations == 300
        fill[most] = np.mean(evaluator.batches)
    assert fill[64] > fill[0]
