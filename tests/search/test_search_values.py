"""Whose value it is: signs from leaf to root, for both players, also where a player moves twice; and what the numbers
of a finished tree must add up to."""

from typing import Any

import numpy as np
import pytest
from fake_evaluators import ConstantEvaluator, HashEvaluator
from numpy.typing import NDArray
from positions import random_state

from tengen import Evaluation, Forest, Game, SearchParams, SearchResult, State, load, search
from tengen.search import run
from tengen.search.tree import Node

CONNECT_FOUR = load("connect_four")
SELECTIONS = ["puct", "uct", "gumbel"]


@pytest.mark.parametrize("solve", [True, False])
@pytest.mark.parametrize("selection", SELECTIONS)
@pytest.mark.parametrize(("moves", "winner"), [("1 2 1 2 1 2", 0), ("7 1 2 1 2 1 3", 1)])
def test_immediate_win(moves: str, winner: int, selection: str, solve: bool) -> None:
    """Column 1 wins at once for the player to move; nothing else does."""
    state = CONNECT_FOUR.state(moves)
    assert state.to_move == winner
    params = SearchParams(simulations=300, selection=selection, solve=solve, gumbel_considered=7)
    result = search(CONNECT_FOUR, [state], None, params)[0]
    assert result.best_action == 0
    assert result.root_value > 0
    assert result.q[0] == 1.0
    assert result.policy_target.argmax() == 0
    if solve:
        assert result.proven == state.play(0).outcome
        assert (result.distance, result.line, result.stopped) == (1, (0,), "proven")
        assert result.policy_target[0] == 1.0


@pytest.mark.parametrize("selection", SELECTIONS)
@pytest.mark.parametrize(("moves", "loser"), [("4 1 4 1 4 1 7 2 7", 1), ("1 4 1 4 1 4 2 7 2 7 5 7", 0)])
def test_a_threat_is_answered(moves: str, loser: int, selection: str) -> None:
    """The opponent of the player to move would win at once, so every move but one loses."""
    state = CONNECT_FOUR.state(moves)
    assert state.to_move == loser
    answers = [a for a in state.legal_actions if not any_win(state.play(a))]
    result = search(CONNECT_FOUR, [state], simulations=2000, selection=selection)[0]
    assert result.best_action in answers
    for action in set(state.legal_actions) - set(answers):
        assert result.policy_target[action] == 0.0 or result.proven is not None


def any_win(state: State) -> bool:
    return any(state.play(a).outcome is not None and not state.play(a).outcome.is_draw for a in state.legal_actions)


@pytest.mark.parametrize("plies", [0, 1])
@pytest.mark.parametrize("value", [1.0, -0.5])
def test_value_of_a_leaf_is_for_the_player_to_move_there(value: float, plies: int) -> None:
    """A leaf one ply down that is good for the player to move there is as bad for the one who chose it."""
    state = random_state(CONNECT_FOUR, plies, seed=0)
    result = search(CONNECT_FOUR, [state], ConstantEvaluator(CONNECT_FOUR, value), simulations=7)[0]
    assert result.network_value == value
    seen = result.visits == 1
    assert seen.any()
    assert (result.q[seen] == -value).all()


def test_win_draw_loss_is_win_less_loss() -> None:
    for win_draw_loss in (False, True):
        evaluator = HashEvaluator(CONNECT_FOUR, win_draw_loss=win_draw_loss)
        result = search(CONNECT_FOUR, [CONNECT_FOUR.initial_state()], evaluator, simulations=200)[0]
        if not win_draw_loss:
            first = result
    np.testing.assert_array_equal(first.visits, result.visits)
    assert first.root_value == pytest.approx(result.root_value, abs=1e-6)


def othello_before_a_pass(player: int) -> State:
    """A position from which `player` has a move after which the opponent must pass."""
    game = load("othello", size=4)
    rng = np.random.default_rng(player)
    while True:
        state = game.initial_state()
        while state.outcome is None:
            for action in state.legal_actions:
                after = state.play(action)
                if state.to_move == player and after.outcome is None and after.legal_actions == (16,):
                    return state
            state = state.play(int(rng.choice(state.legal_actions)))


@pytest.mark.parametrize("player", [0, 1])
def test_signs_when_a_player_moves_twice(player: int) -> None:
    """After a pass the same player chooses again: two plies down the sign is that of the root."""
    state = othello_before_a_pass(player)
    game = state.game
    result = search(game, [state], HashEvaluator(game), simulations=400, solve=False)[0]
    passes = 0
    for node in walk(result.tree.root):
        for child in node:
            if child.action == 16 and child.node is not None:
                passes += 1
                assert child.to_move != node.to_move
                before = node.parent
                assert before is not None
                assert before.to_move == child.to_move
    assert passes > 0
    check_tree(result)


def walk(node: Node) -> list[Node]:
    found = [node]
    for child in node:
        if child.node is not None:
            found += walk(child)
    return found


def check_tree(result: SearchResult) -> None:
    """The laws of a tree that was searched one leaf at a time, without proofs."""
    state, evaluator = result.state, HashEvaluator(result.state.game)
    nodes = {(): result.tree.root}
    for node in walk(result.tree.root):
        moves = () if node.parent is None else (*path_of(node.parent), node.action)
        nodes[moves] = node
        here = state
        for action in moves:
            here = here.play(action)
        assert node.to_move == here.to_move
        chooser = here.to_move if node.parent is None else node.parent.to_move
        sign = 1 if chooser == here.to_move else -1
        below = [child for child in node if child.node is not None]
        if here.outcome is not None:
            assert node.value == here.outcome.value_for(chooser)
            assert not node.children
            assert node.value_sum == node.visits * node.value
            continue
        own = float(evaluator(here.planes()[None]).values[0])
        assert node.value == sign * own
        assert sum(child.visits for child in below) == node.visits - 1
        assert {child.action for child in node} == set(here.legal_actions)
        assert sum(child.prior for child in node) == pytest.approx(1.0, abs=1e-5)
        # W of a node: its own evaluation and the W of its children, each turned to the side of the chooser.
        turned = sum(child.value_sum if node.to_move == chooser else -child.value_sum for child in below)
        assert node.value_sum == pytest.approx(sign * own + turned, abs=1e-9)
    assert len(nodes) == len(result.tree)


def path_of(node: Node) -> tuple[int, ...]:
    return () if node.parent is None else (*path_of(node.parent), node.action)


@pytest.mark.parametrize("plies", [0, 5])
@pytest.mark.parametrize("selection", SELECTIONS)
@pytest.mark.parametrize("name", ["tic_tac_toe", "connect_four", "othello"])
def test_numbers_of_a_tree_add_up(name: str, selection: str, plies: int) -> None:
    game = load(name)
    params = SearchParams(simulations=200, selection=selection, solve=False, leaves_per_batch=3)
    check_tree(search(game, [random_state(game, plies, seed=4)], HashEvaluator(game), params)[0])


@pytest.mark.parametrize("changes", [{}, {"selection": "uct", "rollout_weight": 1.0}, {"selection": "gumbel"}])
def test_result_says_what_the_tree_says(changes: dict[str, Any]) -> None:
    game = load("othello")
    state = random_state(game, 7, seed=1)
    result = search(game, [state], HashEvaluator(game), simulations=300, solve=False, **changes)[0]
    root = result.tree.root
    assert result.visits.sum() == result.simulations == 300
    assert result.root_value == pytest.approx(root.value_sum / root.visits, abs=1e-6)
    assert result.network_value == root.value
    assert result.policy_target.sum() == pytest.approx(1.0, abs=1e-5)
    illegal = np.setdiff1d(np.arange(game.spec.num_actions), state.legal_actions)
    assert not result.policy_target[illegal].any()
    assert not result.prior[illegal].any()
    for child in root:
        assert result.visits[child.action] == child.visits
        assert result.prior[child.action] == np.float32(child.prior)
        assert np.isnan(result.q[child.action]) == (child.q is None)
        if child.q is not None:
            assert result.q[child.action] == pytest.approx(child.q, abs=1e-6)
    assert result.line[0] == result.best_action
    at = state
    for action in result.line:
        at = at.play(action)
    if "selection" not in changes:
        assert result.best_action == result.visits.argmax() == root.children[0].action


def test_node_by_number_is_the_node_on_the_way_down() -> None:
    result = search(CONNECT_FOUR, [CONNECT_FOUR.initial_state()], HashEvaluator(CONNECT_FOUR), simulations=60)[0]
    for node in walk(result.tree.root):
        again = result.tree.node(node.node)
        assert (again.visits, again.value_sum, again.prior, again.action) == (
            node.visits,
            node.value_sum,
            node.prior,
            node.action,
        )


# --- reuse ----------------------------------------------------------------------------------------------------------


def test_advance_keeps_the_subtree() -> None:
    forest = Forest(CONNECT_FOUR, 1, SearchParams(simulations=500, solve=False), seed=0)
    evaluator = HashEvaluator(CONNECT_FOUR)
    state = CONNECT_FOUR.initial_state()
    forest.begin()
    run(forest, evaluator)
    for _ in range(6):
        action = forest.result(0).best_action
        before = numbers_below(result_tree(forest, state), action)
        forest.advance(0, action)
        state = state.play(action)
        assert numbers_below(result_tree(forest, state), None) == before
        visits = int(forest.tree(0).visits[0])
        forest.begin(simulations=100)
        run(forest, evaluator)
        assert int(forest.tree(0).visits[0]) == visits + 100
        assert forest.result(0).simulations == 100


def result_tree(forest: Forest, state: State) -> Node:
    from tengen.search.tree import SearchTree

    return SearchTree(state, forest.params, forest.tree(0)).root


def numbers_below(root: Node, action: int | None) -> list[tuple[Any, ...]]:
    """Moves from the new root, N, W for the first player, priors."""
    start = root if action is None else next(child for child in root if child.action == action)
    depth = len(path_of(start))
    found = []
    for node in walk(start):
        arrays = node.tree.arrays
        found.append((path_of(node)[depth:], node.visits, float(arrays.value_sum[node.node]), len(node.children)))
    return sorted(found)


@pytest.mark.parametrize("selection", SELECTIONS)
def test_what_is_read_after_advance_is_about_the_new_root(selection: str) -> None:
    forest = Forest(CONNECT_FOUR, 1, SearchParams(simulations=300, selection=selection), seed=0)
    evaluator = HashEvaluator(CONNECT_FOUR)
    forest.begin(noise=True)
    run(forest, evaluator)
    action = forest.result(0).best_action
    forest.advance(0, action)
    visits, target, _, prior = (array[0] for array in forest.root_arrays())
    logits = evaluator(CONNECT_FOUR.initial_state().play(action).planes()[None]).logits[0]
    np.testing.assert_allclose(prior, np.exp(logits) / np.exp(logits).sum(), rtol=1e-5)
    assert target.sum() == pytest.approx(1.0, abs=1e-5)
    assert forest.result(0).best_action == target.argmax()
    assert forest.result(0).line[0] == forest.result(0).best_action
    assert visits.sum() == forest.tree(0).visits[0] - 1


def test_advance_to_an_action_never_tried_starts_afresh() -> None:
    forest = Forest(CONNECT_FOUR, 1, SearchParams(simulations=2), seed=0)
    evaluator = HashEvaluator(CONNECT_FOUR)
    forest.begin()
    run(forest, evaluator)
    untried = int(np.argmin(forest.root_arrays()[0][0]))
    forest.advance(0, untried)
    assert forest.result(0).stopped == "not started"
    forest.begin()
    run(forest, evaluator)
    assert forest.result(0).simulations == 2
    assert forest.tree(0).visits[0] == 3


@pytest.mark.parametrize(("moves", "value"), [("1 2 1 2 1 2 1", -1.0), ("7 1 2 1 2 1 3 1", -1.0)])
def test_a_finished_game_has_its_outcome(moves: str, value: float) -> None:
    """The player to move has lost; set_root() and advance() to the end agree."""
    state = CONNECT_FOUR.state(moves)
    result = search(CONNECT_FOUR, [state])[0]
    assert (result.stopped, result.root_value, result.proven) == ("game over", value, state.outcome)
    *before, last = state.moves
    forest = Forest(CONNECT_FOUR, 1, SearchParams(simulations=50), seed=0)
    forest.set_root(0, CONNECT_FOUR.state(list(before)))
    forest.begin()
    run(forest, ConstantEvaluator(CONNECT_FOUR, 0.0))
    forest.advance(0, last)
    forest.begin()
    answer = forest.result(0)
    assert (answer.stopped, answer.root_value, answer.proven) == ("game over", value, state.outcome)
    assert not forest.searching()


# --- the family -----------------------------------------------------------------------------------------------------


def test_no_simulations_is_the_raw_network() -> None:
    evaluator = HashEvaluator(CONNECT_FOUR)
    state = CONNECT_FOUR.initial_state()
    result = search(CONNECT_FOUR, [state], evaluator, simulations=0)[0]
    logits, values = evaluator(state.planes()[None])
    policy = np.exp(logits[0] - logits[0].max())
    np.testing.assert_allclose(result.policy_target, policy / policy.sum(), rtol=1e-5)
    assert result.root_value == result.network_value == values[0]
    assert result.best_action == logits[0].argmax()
    assert result.simulations == 0


def test_rollout_weight_mixes_the_value_with_a_playout() -> None:
    """(1 - lambda) v + lambda z, with z one of -1, 0, 1."""
    game = load("tic_tac_toe")
    for weight in (0.25, 0.5):
        result = search(game, [game.initial_state()], HashEvaluator(game), simulations=0, rollout_weight=weight)[0]
        rest = (result.root_value - (1 - weight) * result.network_value) / weight
        assert min(abs(rest - z) for z in (-1, 0, 1)) < 1e-5


def test_rollouts_ask_no_evaluator_and_estimate_the_chances_of_random_play() -> None:
    def evaluator(planes: NDArray[np.float32], /) -> Evaluation:
        raise AssertionError("rollouts alone need no evaluator")

    state = CONNECT_FOUR.initial_state()
    forest_results = search(
        CONNECT_FOUR, [state] * 2000, evaluator, simulations=0, selection="uct", rollout_weight=1.0, seed=2
    )
    counts = CONNECT_FOUR.random_playouts(20000, 1)
    expected = (counts.wins[0] - counts.wins[1]) / counts.games
    assert np.mean([r.root_value for r in forest_results]) == pytest.approx(expected, abs=0.08)


@pytest.mark.parametrize("game", [load("othello"), load("gomoku", size=6), CONNECT_FOUR], ids=lambda g: g.spec.name)
def test_random_symmetry_gives_the_answer_back_in_the_right_place(game: Game) -> None:
    """An evaluator that prefers an action for what it sees prefers the same action in every symmetry."""
    cells = game.spec.height * game.spec.width

    def evaluator(planes: NDArray[np.float32], /) -> Evaluation:
        """Likes cells (or columns) where the mark of the corner position lies, wherever it was moved to."""
        own = planes[:, 0].reshape(len(planes), cells)
        if game.spec.num_actions == game.spec.width:
            logits = planes[:, 0].sum(axis=1)
        else:
            logits = np.pad(own, ((0, 0), (0, game.spec.num_actions - cells)))
        return Evaluation(logits.astype(np.float32), np.zeros(len(planes), np.float32))

    state = random_state(game, 10, seed=3)
    plain = search(game, [state], evaluator, simulations=100)[0]
    for seed in range(8):
        turned = search(game, [state], evaluator, simulations=100, random_symmetry=True, seed=seed)[0]
        np.testing.assert_array_equal(turned.prior, plain.prior)
        np.testing.assert_array_equal(turned.visits, plain.visits)


def test_random_symmetry_shows_the_evaluator_every_symmetry() -> None:
    game = load("othello")
    state = random_state(game, 5, seed=1)
    seen = set()

    def evaluator(planes: NDArray[np.float32], /) -> Evaluation:
        seen.add(planes[0].tobytes())
        return HashEvaluator(game)(planes)

    for seed in range(100):
        search(game, [state], evaluator, simulations=0, random_symmetry=True, seed=seed)
    assert seen == {symmetry.planes(state.planes()).tobytes() for symmetry in game.symmetries}


def test_choose_follows_the_visits() -> None:
    result = search(CONNECT_FOUR, [CONNECT_FOUR.initial_state()], HashEvaluator(CONNECT_FOUR), simulations=100)[0]
    rng = np.random.default_rng(0)
    drawn = np.bincount([result.choose(1.0, rng) for _ in range(5000)], minlength=7) / 5000
    np.testing.assert_allclose(drawn, result.visits / 100, atol=0.03)
    assert result.choose(0.0, rng) == result.best_action
    sharp = np.bincount([result.choose(0.5, rng) for _ in range(5000)], minlength=7) / 5000
    np.testing.assert_allclose(sharp, result.visits**2 / (result.visits**2).sum(), atol=0.03)
