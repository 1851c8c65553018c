"""instant_wins: the search sees moves that win at once without asking the network."""

import numpy as np
import pytest
from fake_evaluators import HashEvaluator
from numpy.typing import NDArray
from positions import random_state

from tengen import Forest, Game, SearchParams, State, Stepper, load, search
from tengen.search import evaluate_leaves
from tengen.search.tree import Node

GAMES: dict[str, Game] = {
    "tic_tac_toe": load("tic_tac_toe"),
    "connect_four": load("connect_four"),
    "othello": load("othello", size=6),
    "gomoku": load("gomoku", size=7),
    "go": load("go", size=5),
}
WINS = SearchParams(simulations=300, instant_wins=True)


class Counting:
    """An evaluator that keeps what it was asked about, and thinks little of one action."""

    def __init__(self, game: Game, unlikely: int | None = None) -> None:
        self._evaluator = HashEvaluator(game)
        self._unlikely = unlikely
        self.asked: list[bytes] = []

    def __call__(self, planes: NDArray[np.float32], /) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        self.asked += [position.tobytes() for position in planes]
        logits, values = self._evaluator(planes)
        if self._unlikely is not None:
            logits[:, self._unlikely] = -50.0
        return logits, values


def winning_actions(state: State) -> list[int]:
    ends = ((action, state.play(action).outcome) for action in state.legal_actions)
    return [action for action, end in ends if end is not None and end.winner == state.to_move]


def all_nodes(node: Node, state: State) -> list[tuple[Node, State]]:
    """Every node of a tree that was visited, with its position."""
    found = [(node, state)]
    for child in node:
        if child.node is not None and child.action is not None:
            found += all_nodes(child, state.play(child.action))
    return found


@pytest.mark.parametrize("name", GAMES)
def test_no_position_that_is_won_at_once_is_evaluated_below_the_root(name: str) -> None:
    game = GAMES[name]
    won = 0
    for seed in range(6):
        state = random_state(game, 5 if name == "tic_tac_toe" else 18, seed)
        evaluator = Counting(game)
        tree = search(game, [state], evaluator, WINS)[0].tree
        asked = set(evaluator.asked)
        for node, position in all_nodes(tree.root, state)[1:]:
            # Of Go's moves only passes are looked at; the others end no game of this length.
            if position.outcome is not None or not (wins := winning_actions(position)):
                continue
            won += 1
            assert node.proven is not None
            assert node.proven.winner == position.to_move
            assert [child.action for child in node] == wins[:1]
            assert position.planes().tobytes() not in asked
    assert won > 0


@pytest.mark.parametrize("selection", ["puct", "gumbel", "uct"])
def test_the_root_plays_a_win_that_the_network_does_not_see(selection: str) -> None:
    game = load("connect_four")
    state = game.state("1 2 1 2 1 7")
    evaluator = Counting(game, unlikely=0)
    few = SearchParams(simulations=20, selection=selection, gumbel_considered=1, instant_wins=True)
    for noise in (False, True):
        found = search(game, [state], evaluator, few, noise=noise)[0]
        assert found.best_action == 0
        assert found.simulations == 1
        assert found.stopped == "proven"
        assert found.root_value == 1.0
        assert found.policy_target[0] == 1.0
        assert [child.action for child in found.tree.root if child.prior > 0.05] != [0]  # it is still evaluated


def test_a_win_at_once_below_the_root_costs_one_simulation() -> None:
    """X must stop a row of three: every other move is known to be lost after its first simulation."""
    game = load("connect_four")
    state = game.state("2 1 3 1 2 1")  # O threatens a fourth stone in column 1
    without = search(game, [state], HashEvaluator(game), SearchParams(simulations=30))[0]
    found = search(game, [state], HashEvaluator(game), SearchParams(simulations=30, instant_wins=True))[0]
    lost = [child for child in found.tree.root if child.action != 0 and child.visits > 0]
    assert all(child.visits == 1 and child.proven is not None for child in lost)
    assert found.best_action == 0
    assert sum(child.visits for child in without.tree.root if child.action != 0) > len(lost)


def test_needs_proofs() -> None:
    game = load("connect_four")
    state = game.state("1 2 1 2 1 7")
    plain = search(game, [state], HashEvaluator(game), SearchParams(simulations=50, solve=False))[0]
    found = search(game, [state], HashEvaluator(game), SearchParams(simulations=50, solve=False, instant_wins=True))[0]
    assert found.visits.tolist() == plain.visits.tolist()


def test_a_won_node_that_becomes_the_root_has_all_its_moves_again() -> None:
    game = load("connect_four")
    evaluator = HashEvaluator(game)
    forest = Forest(game, 1, WINS, 1)
    forest.set_root(0, game.state("1 2 1 2 1"), 1)  # O may stop the fourth stone in column 1, or not
    forest.begin(0, simulations=60, noise=False)
    while forest.searching():
        evaluate_leaves(forest, evaluator)
    forest.advance(0, 6)
    forest.begin(0, simulations=60, noise=False)
    while forest.searching():
        evaluate_leaves(forest, evaluator)
    _, target, _, prior = forest.root_arrays([0])
    assert forest.result(0).best_action == 0
    assert np.count_nonzero(prior[0]) == 7
    assert target[0].tolist() == [1, 0, 0, 0, 0, 0, 0]


def test_steps_show_the_move_that_wins() -> None:
    game = load("connect_four")
    stepper = Stepper(game.state("1 2 1 2 1 7"), HashEvaluator(game), WINS)
    stepper.step()  # evaluates the root
    assert [step.chosen for step in stepper.step().steps] == [0]
    assert stepper.finished


def test_go_passes_when_the_count_is_won() -> None:
    game = load("go", size=5, komi=0.5)
    state = game.state("c3 pass")  # Black has the whole board
    found = search(game, [state], Counting(game, unlikely=25), SearchParams(simulations=4, instant_wins=True))[0]
    assert state.action_text(found.best_action) == "pass"
    assert found.stopped == "proven"
    lost = game.state("pass c3 b2 pass")  # a stone each, and White has the komi: Black must not pass
    found = search(game, [lost], HashEvaluator(game), SearchParams(simulations=40, instant_wins=True))[0]
    assert lost.action_text(found.best_action) != "pass"
