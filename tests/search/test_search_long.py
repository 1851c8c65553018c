"""Long runs: the cap on nodes, memory that stays flat, memory per node, games that never seem to end."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fake_evaluators import HashEvaluator

import tengen
from tengen import Forest, SearchParams, UniformEvaluator, load, search
from tengen.search import run

GAME = load("connect_four")


@pytest.mark.parametrize(
    "changes", [{}, {"leaves_per_batch": 16}, {"selection": "uct", "rollout_weight": 1.0}], ids=str
)
def test_node_cap(changes: dict[str, Any]) -> None:
    """The search stops at the cap and says so; what it found is there to use, and advance() makes room."""
    forest = Forest(GAME, 1, SearchParams(max_nodes=1000, simulations=1_000_000, **changes), seed=0)
    evaluator = HashEvaluator(GAME)
    forest.begin()
    run(forest, evaluator)
    answer = forest.result(0)
    assert (answer.stopped, answer.nodes) == ("node cap", 1000)
    assert 900 <= answer.simulations < 5000
    assert forest.root_arrays()[1][0].sum() == pytest.approx(1.0, abs=1e-5)
    assert answer.best_action in GAME.initial_state().legal_actions
    forest.begin()
    run(forest, evaluator)
    assert forest.result(0).stopped == "node cap"
    forest.advance(0, answer.best_action)
    assert forest.result(0).nodes < 1000
    forest.begin()
    run(forest, evaluator)
    assert (forest.result(0).stopped, forest.result(0).nodes) == ("node cap", 1000)


def test_one_tree_at_its_cap_does_not_stop_the_others() -> None:
    states = [GAME.initial_state(), GAME.state("1 2 1 2 1 2")]
    capped, proven = search(GAME, states, simulations=10_000, max_nodes=50)
    assert (capped.stopped, proven.stopped) == ("node cap", "proven")


def test_a_long_search_of_rollouts_can_be_stopped() -> None:
    """select() comes back before it is done, and the search goes on from there as if it had not."""
    forest = Forest(GAME, 1, SearchParams(simulations=50_000, selection="uct", rollout_weight=1.0), seed=0)
    forest.begin()
    rounds = 0
    while forest.searching():
        assert len(forest.select()) == 0
        rounds += 1
    assert rounds >= 5
    assert forest.result(0).simulations == 50_000


def test_ctrl_c_stops_a_search_within_one_call() -> None:
    """One select() of many trees takes long; a signal ends it, and the search goes on from there as if it had not."""
    game = tengen.load("go", size=9)

    def forest_of_rollouts() -> Forest:
        params = SearchParams(simulations=40, selection="uct", rollout_weight=1.0, solve=False)
        forest = Forest(game, 3000, params, seed=0)
        forest.begin()
        return forest

    def press_ctrl_c(*_: object) -> None:
        raise KeyboardInterrupt

    interrupted, whole = forest_of_rollouts(), forest_of_rollouts()
    before = signal.signal(signal.SIGVTALRM, press_ctrl_c)
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.1)  # of processor time
        with pytest.raises(KeyboardInterrupt):
            interrupted.select()
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
    assert interrupted.result(2999).simulations == 0
    run(interrupted, UniformEvaluator(game))
    run(whole, UniformEvaluator(game))
    np.testing.assert_array_equal(interrupted.root_arrays()[0], whole.root_arrays()[0])


def resident_bytes() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


def advance_many(calls: int) -> None:
    """Plays game after game in four trees; after a tenth of the calls, memory must be flat within 1 %."""
    forest = Forest(GAME, 4, SearchParams(simulations=8, leaves_per_batch=4, cache_entries=1000, max_nodes=60), seed=0)
    evaluator = UniformEvaluator(GAME)
    rng = np.random.default_rng(0)
    states = [GAME.initial_state()] * 4
    held = resident = 0
    for call in range(calls // 4):
        forest.begin(noise=True)
        run(forest, evaluator)
        for i, state in enumerate(states):
            action = int(rng.choice(state.legal_actions))
            forest.advance(i, action)
            states[i] = state.play(action)
            if states[i].outcome is not None:
                states[i] = GAME.initial_state()
                forest.set_root(i, states[i], call)
        if call == calls // 40:
            held, resident = forest.bytes, resident_bytes()
    assert resident_bytes() <= 1.01 * resident
    assert forest.bytes <= 1.2 * held  # 50 kB; one of a million trees may still be the largest so far


def test_memory_is_flat_over_many_advance_calls() -> None:
    advance_many(50_000)


@pytest.mark.verify
def test_memory_is_flat_over_a_million_advance_calls() -> None:
    advance_many(1_000_000)


MEMORY_OF_A_TREE = """
import resource, sys
from tengen import Forest, SearchParams, UniformEvaluator, load
from tengen.search import run
game = load("connect_four")
nodes = int(sys.argv[1])
forest = Forest(game, 1, SearchParams(simulations=nodes - 1, leaves_per_batch=512, max_nodes=nodes), 0)
evaluator = UniformEvaluator(game)
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
before = peak()
forest.begin()
run(forest, evaluator)
print(forest.result(0).nodes, 1024 * (peak() - before))
"""


def peak_bytes(nodes: int) -> int:
    """What a tree of so many nodes adds to the memory of a process at its highest, growth of its arrays included."""
    command = [sys.executable, "-c", MEMORY_OF_A_TREE, str(nodes)]
    made, peak = map(int, subprocess.run(command, check=True, capture_output=True, text=True).stdout.split())
    assert made == nodes
    return peak


def test_a_million_nodes_fit_in_a_tenth_of_a_gigabyte() -> None:
    assert peak_bytes(1_000_000) < 2**30 / 10


@pytest.mark.verify
def test_ten_million_nodes_fit_in_a_gigabyte() -> None:
    assert peak_bytes(10_000_000) < 2**30


MEMORY_OF_A_FOREST = """
from test_search_long import resident_bytes
from tengen import Forest, SearchParams, UniformEvaluator, load
from tengen.search import run
game = load("go", size=19)
evaluator = UniformEvaluator(game)
before = resident_bytes()
forest = Forest(game, 4, SearchParams(simulations=3000, leaves_per_batch=16, cache_entries=32_768), 0)
forest.begin()
run(forest, evaluator)
print(forest.bytes, resident_bytes() - before)
"""


def test_a_forest_says_how_much_memory_it_holds() -> None:
    command = [sys.executable, "-c", MEMORY_OF_A_FOREST]
    folder = Path(__file__).parent
    support = folder.parent / "support"
    paths = {"PYTHONPATH": os.pathsep.join(map(str, (folder, support)))}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=os.environ | paths)
    said, taken = map(int, done.stdout.split())
    assert said > 40_000_000
    assert said == pytest.approx(taken, rel=0.15)


def test_a_dropped_forest_frees_its_memory() -> None:
    before = None
    for _ in range(30):
        forest = Forest(GAME, 8, SearchParams(simulations=3000, selection="uct", rollout_weight=1.0), seed=0)
        forest.begin()
        run(forest, UniformEvaluator(GAME))
        del forest
        if before is None:
            before = resident_bytes()
    assert before is not None
    assert resident_bytes() < before + 5_000_000


def test_a_long_game_ends() -> None:
    """Gomoku on 19x19 with a row that no random game makes: 361 plies, searched from every tenth position on."""
    game = load("mnk", m=19, n=19, k=19)
    rng = np.random.default_rng(0)
    state = game.initial_state()
    states = []
    while state.outcome is None:
        if len(state.moves) % 40 == 0:
            states.append(state)
        state = state.play(int(rng.choice(state.legal_actions)))
    for result in search(game, states, None, simulations=50, rollout_weight=0.5, leaves_per_batch=5):
        assert result.simulations == 50 or result.proven is not None
    last = search(game, [states[-1]], simulations=100, selection="uct", rollout_weight=1.0)[0]
    assert last.root_value == 0.0
