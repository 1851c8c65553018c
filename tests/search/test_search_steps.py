"""Step mode: what a simulation says it did is what happened to the tree, and its scores are those of the papers."""

import math
from typing import Any

import numpy as np
import pytest
from fake_evaluators import HashEvaluator
from positions import random_state

from tengen import Forest, SearchParams, State, Stepper, load, search
from tengen._core import ChildScore, SelectionStep, SimulationTrace, param_specs
from tengen.search.tree import Node, SearchTree

CONNECT_FOUR = load("connect_four")
VARIANTS: dict[str, dict[str, Any]] = {
    "puct": {},
    "puct, growing c": {"c_puct_base": 100.0},
    "puct, unvisited zero": {"unvisited_value": "zero"},
    "uct": {"selection": "uct"},
    "gumbel": {"selection": "gumbel"},
    "rollouts": {"selection": "uct", "rollout_weight": 1.0},
    "mixed": {"rollout_weight": 0.5},
    "cache": {"cache_entries": 1000},
}


def expected_scores(node: Node, params: SearchParams) -> dict[int, float]:
    """The score of every action at a node of the tree as it was before the step, from the papers' formulas."""
    total = node.visits - 1
    children = node.children
    n = {c.action: c.visits for c in children}
    q = {c.action: c.q for c in children}
    p = {c.action: c.prior for c in children}
    seen = [a for a in n if n[a] > 0]
    if params.selection == "uct":
        return {a: q[a] + params.c_uct * math.sqrt(math.log(max(1, total)) / n[a]) if n[a] else math.inf for a in n}
    mean = node.value_sum / node.visits
    own = mean if node.parent is None or node.parent.to_move == node.to_move else -mean
    value = node.value if node.parent is None or node.parent.to_move == node.to_move else -node.value
    if params.selection == "puct":
        c = params.c_puct
        if params.c_puct_base:
            c += math.log((total + params.c_puct_base + 1) / params.c_puct_base)
        urgency = own - params.fpu_reduction * math.sqrt(sum(p[a] for a in seen))
        unvisited = 0.0 if params.unvisited_value == "zero" else urgency
        return {a: (q[a] if n[a] else unvisited) + c * p[a] * math.sqrt(total) / (1 + n[a]) for a in n}
    mix = value
    if seen:
        weighted = sum(p[a] * q[a] for a in seen) / sum(p[a] for a in seen)
        mix = (value + total * weighted) / (1 + total)
    completed = {a: q[a] if n[a] else mix for a in n}
    low, high = min(completed.values()), max(completed.values())
    scale = (params.gumbel_c_visit + max(n.values())) * params.gumbel_c_scale
    sigma = {a: scale * (completed[a] - low) / max(high - low, 1e-8) for a in n}
    if node.parent is None:
        return {a: math.log(p[a]) + sigma[a] for a in n}  # among those whose turn it is
    weights = {a: p[a] * math.exp(sigma[a] - scale) for a in n}
    return {a: weights[a] / sum(weights.values()) - n[a] / (1 + total) for a in n}


def check_choice(step: SelectionStep) -> None:
    """The chosen child is the first by its standing, and of those the one with the highest score."""
    chosen = next(child for child in step.children if child.action == step.chosen)
    assert chosen.standing not in LAST
    rivals = [child for child in step.children if FIRST.get(child.standing, 0) >= FIRST.get(chosen.standing, 0)]
    assert chosen.score == max(child.score for child in rivals if child.standing not in LAST)


FIRST = {"winning": 2, "forced": 1, "untried": 1}
LAST = {"waiting", "settled"}


def check_step(step: SelectionStep, before: SearchTree, params: SearchParams) -> None:
    node = before.node(step.node)
    by_action = {child.action: child for child in node}
    scores = {child.action: child.score for child in step.children}
    check_choice(step)
    if params.rollout_weight == 1.0 and not by_action:  # got its actions in this step, at its second visit
        assert all(child.visits == 0 for child in step.children)
        return
    gumbel_root = params.selection == "gumbel" and step.node == 0
    assert gumbel_root or scores.keys() == by_action.keys()
    for child in step.children:
        known = by_action[child.action]
        assert child.visits == known.visits
        assert child.prior == pytest.approx(known.prior, abs=1e-6)
        if known.visits:
            assert child.q == pytest.approx(known.q, abs=1e-6)
        if params.selection == "puct":
            assert child.score == pytest.approx(child.q + child.bonus, abs=1e-5)
            if not params.c_puct_base:
                assert child.bonus == pytest.approx(known.u, rel=1e-5, abs=1e-6)
    expected = expected_scores(node, params)
    for action, score in scores.items():
        assert score == pytest.approx(expected[action], rel=1e-4, abs=1e-4)


def check_changes(trace: SimulationTrace, before: SearchTree, after: SearchTree) -> None:
    changed = {change.node: change for change in trace.changes}
    assert next(iter(changed)) == 0
    assert list(changed)[-1] == trace.leaf
    for node in range(len(after)):
        old_visits = int(before.arrays.visits[node]) if node < len(before) else 0
        old_sum = float(before.arrays.value_sum[node]) if node < len(before) else 0.0
        new = (int(after.arrays.visits[node]), float(after.arrays.value_sum[node]))
        if node not in changed:
            assert new == (old_visits, old_sum)
            continue
        change = changed[node]
        assert (change.visits_before, change.value_sum_before) == (old_visits, old_sum)
        assert (change.visits_after, change.value_sum_after) == new
        assert change.visits_after == change.visits_before + 1
    # The path: each step's choice leads to the next node.
    line = [change.node for change in trace.changes]
    assert [step.node for step in trace.steps] == line[:-1]
    for step, below in zip(trace.steps, line[1:], strict=True):
        assert int(after.arrays.parent[below]) == step.node
        assert int(after.arrays.action[below]) == step.chosen


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("name", ["tic_tac_toe", "connect_four"])
def test_steps_add_up(name: str, variant: str) -> None:
    game = load(name)
    params = SearchParams(simulations=120, solve=False, **VARIANTS[variant])
    state = random_state(game, 2, seed=5)
    stepper = Stepper(state, HashEvaluator(game), params, seed=1)
    before = stepper.tree
    steps = 0
    while not stepper.finished:
        trace = stepper.step()
        after = stepper.tree
        for step in trace.steps:
            check_step(step, before, params)
        check_changes(trace, before, after)
        check_leaf(trace, after, params)
        before = after
        steps += 1
    assert steps == 121  # the first evaluates the root
    assert stepper.result.simulations == 120


def check_leaf(trace: SimulationTrace, after: SearchTree, params: SearchParams) -> None:
    leaf = after.node(trace.leaf)
    assert trace.kind in {"evaluated", "cached", "rollout", "proven"}
    own = float(after.arrays.value[trace.leaf])
    if trace.kind in {"evaluated", "cached"}:
        assert {c.action: c.prior for c in leaf} == dict(zip(trace.actions, trace.priors, strict=True))
        assert sum(trace.priors) == pytest.approx(1.0, abs=1e-5)
        rest = trace.value - (1 - params.rollout_weight) * own
        assert min(abs(rest - params.rollout_weight * z) for z in (-1, 0, 1)) < 1e-6
    else:
        assert trace.value in (-1.0, 0.0, 1.0)


@pytest.mark.parametrize("noise", [False, True])
@pytest.mark.parametrize("solve", [False, True])
@pytest.mark.parametrize("variant", VARIANTS)
def test_steps_equal_the_search_at_once(variant: str, solve: bool, noise: bool) -> None:
    params = SearchParams(simulations=10, solve=solve, **VARIANTS[variant])
    for plies in (0, 5, 20):
        state = random_state(CONNECT_FOUR, plies, seed=8)
        whole = search(CONNECT_FOUR, [state], HashEvaluator(CONNECT_FOUR), params, seed=3, noise=noise)[0]
        stepper = Stepper(state, HashEvaluator(CONNECT_FOUR), params, seed=3, noise=noise)
        for _ in range(11):
            stepper.step()
        assert stepper.finished
        stepped = stepper.result
        np.testing.assert_array_equal(stepped.visits, whole.visits)
        np.testing.assert_array_equal(stepped.policy_target, whole.policy_target)
        np.testing.assert_array_equal(stepped.q, whole.q)
        for name in ("root_value", "best_action", "line", "proven", "distance", "simulations", "stopped"):
            assert getattr(stepped, name) == getattr(whole, name)
        np.testing.assert_array_equal(stepper.tree.arrays.value_sum, whole.tree.arrays.value_sum)


def standings(state: State, params: SearchParams, *, noise: bool = False) -> dict[str, list[ChildScore]]:
    """All children that the steps of a search met, by their standing; every choice is checked."""
    found: dict[str, list[ChildScore]] = {}
    stepper = Stepper(state, HashEvaluator(state.game), params, noise=noise)
    while not stepper.finished:
        for step in stepper.step().steps:
            check_choice(step)
            for child in step.children:
                found.setdefault(child.standing, []).append(child)
    return found


def test_what_is_certain_is_settled() -> None:
    """Its score stays a sum of Q and U."""
    game = load("tic_tac_toe")
    found = standings(game.state("b2 a1 c1 a3"), SearchParams(simulations=300))
    assert found.keys() == {"compared", "settled"}
    for child in found["settled"]:
        assert child.visits > 0
        assert child.score == pytest.approx(child.q + child.bonus)


def test_forced_children_go_first() -> None:
    params = SearchParams(simulations=60, forced_playouts=2.0)
    found = standings(CONNECT_FOUR.initial_state(), params, noise=True)
    assert found.keys() == {"compared", "forced"}
    assert all(child.visits > 0 and child.score < 10 for child in found["forced"])
    assert standings(CONNECT_FOUR.initial_state(), params).keys() == {"compared"}


def test_untried_children_of_uct_have_an_infinite_score() -> None:
    found = standings(CONNECT_FOUR.initial_state(), SearchParams(simulations=60, selection="uct", solve=False))
    assert found.keys() == {"compared", "untried"}
    assert all(child.visits == 0 and child.bonus == child.score == math.inf for child in found["untried"])


def test_sequential_halving_lets_some_wait() -> None:
    found = standings(CONNECT_FOUR.initial_state(), SearchParams(simulations=60, selection="gumbel", solve=False))
    assert found.keys() == {"compared", "waiting"}


def test_an_instant_win_is_taken_whatever_its_score() -> None:
    state = CONNECT_FOUR.state("1 2 1 2 1 2")
    found = standings(state, SearchParams(simulations=20, instant_wins=True))
    assert [child.action for child in found["winning"]] == [0]


def test_everything_says_what_it_is() -> None:
    """No <... object at 0x...> anywhere in a search that is looked at."""
    state = CONNECT_FOUR.state("4 4 3")
    stepper = Stepper(state, params=SearchParams(simulations=5, selection="uct"))
    first = stepper.step()
    trace = stepper.step()
    assert repr(first) == "<SimulationTrace: the root, leaf is node 0, evaluated, value +0.000 for the first player>"
    assert repr(trace).startswith(f"<SimulationTrace: actions {trace.steps[0].chosen}, leaf is node 1, evaluated")
    assert repr(trace.steps[0]) == f"<SelectionStep at node 0: action {trace.steps[0].chosen} chosen among 7>"
    assert repr(trace.steps[0].children[0]).endswith("N=0 Q=+0.000 P=0.143 bonus=inf score=+inf, untried>")
    assert repr(trace.changes[0]) == "<BackupChange of node 0: N 1 -> 2, W +0.000 -> +0.000>"
    assert repr(stepper.tree.arrays) == "<TreeArrays: 2 nodes, 14 edges>"
    assert repr(stepper.tree) == "<SearchTree of connect_four: 2 nodes, 2 visits>"
    assert repr(stepper) == "<Stepper of connect_four: 1 simulations, not finished>"
    assert "is best, value +0.000, line" in repr(stepper.result)
    assert "1 simulations, stopped by 'searching'>" in repr(stepper.result)
    forest = Forest(CONNECT_FOUR, 2, SearchParams(), 0)
    assert repr(forest) == "<Forest of 2 trees for connect_four>"
    assert "0 simulations, 1 nodes, stopped by 'not started'" in repr(forest.result(0))
    assert repr(param_specs()[1]) == "<ParamSpec simulations=400: simulations per search; 0 is the raw network>"


def test_params_say_what_their_selection_needs() -> None:
    """Gumbel's best action is a sample already, and its course depends on the number of simulations."""
    for selection in ("puct", "uct", "gumbel"):
        params = SearchParams(selection=selection)
        assert params.samples_moves == params.needs_budget == (selection == "gumbel")


def test_noise_shows_in_the_steps() -> None:
    """At a noisy root the priors in the scores are the mixed ones."""
    state = CONNECT_FOUR.initial_state()
    stepper = Stepper(state, HashEvaluator(CONNECT_FOUR), SearchParams(simulations=5), noise=True)
    stepper.step()
    children = stepper.step().steps[0].children
    mixed = {child.action: child.prior for child in children}
    assert sum(mixed.values()) == pytest.approx(1.0, abs=1e-5)
    assert any(abs(mixed[a] - stepper.result.prior[a]) > 1e-3 for a in mixed)


def test_steps_past_the_end_change_nothing() -> None:
    stepper = Stepper(CONNECT_FOUR.initial_state(), params=SearchParams(simulations=3))
    for _ in range(4):
        last = stepper.step()
    again = stepper.step()
    assert stepper.finished
    assert again.leaf == last.leaf
    assert stepper.result.simulations == 3


def test_a_proof_ends_the_steps() -> None:
    state = CONNECT_FOUR.state("1 2 1 2 1 2")
    stepper = Stepper(state, params=SearchParams(simulations=100))
    steps = 0
    while not stepper.finished:
        trace = stepper.step()
        steps += 1
    assert trace.kind == "proven"
    assert steps <= 8
    assert stepper.result.stopped == "proven"


def test_the_node_cap_ends_the_steps() -> None:
    stepper = Stepper(CONNECT_FOUR.initial_state(), params=SearchParams(simulations=100, max_nodes=5))
    while not stepper.finished:
        stepper.step()
    assert stepper.result.stopped == "node cap"
    assert len(stepper.tree) == 5
    assert stepper.result.simulations == 4
