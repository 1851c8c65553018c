"""exact_leaf_nodes and exact_root_nodes: nodes and roots that a search by the rules alone settles."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from fake_evaluators import HashEvaluator
from numpy.typing import NDArray
from positions import random_state
from tiny_networks import save_tiny

from tengen import Agent, Forest, Game, SearchParamError, SearchParams, State, Stepper, load, search
from tengen.engine import Engine, Limit
from tengen.external.solvers import solve_all
from tengen.games.rules import load_interpreted
from tengen.players import PlayerSpecError, SearchPlayer, answers_in_batches, make_player, search_changes
from tengen.search import run

EXAMPLES = Path(__file__).parents[2] / "examples"
GAMES = {
    "tic_tac_toe": load("tic_tac_toe"),
    "connect_four": load("connect_four", rows=4, columns=4, in_a_row=3),
    "mnk": load("mnk", m=3, n=4, k=3),
    "othello": load("othello", size=4),
    "rules file": load(str(EXAMPLES / "hex.py"), size=3),
    "moves again": load(str(EXAMPLES / "dots_and_boxes.py"), rows=1, columns=3),
    "openspiel": load("openspiel:tic_tac_toe"),
}
ROOTS = SearchParams(simulations=200, exact_root_nodes=20_000)
LEAVES = SearchParams(simulations=60, exact_leaf_nodes=200)
FOUR = load("connect_four")
TWO_ENDS = FOUR.state("4 4 3 3")  # X wins in three plies, with column 2 or 5


def truth_of(name: str) -> Callable[[State], NDArray[np.float64]]:
    """The score of each action of a state. States of OpenSpiel differ by their moves, so they are looked up in ours."""
    ours = GAMES["tic_tac_toe" if name == "openspiel" else name]
    solved = solve_all(ours, most_states=300_000)
    return lambda state: solved[ours.state(state.moves) if name == "openspiel" else state]


@pytest.mark.parametrize("name", GAMES)
def test_a_settled_root_has_the_true_result_and_the_best_actions(name: str) -> None:
    game = GAMES[name]
    truth = truth_of(name)
    states = [random_state(game, plies, seed) for plies in (2, 3, 4) for seed in range(4)]
    found = search(game, states, HashEvaluator(game), ROOTS)
    for state, result in zip(states, found, strict=True):
        scores = truth(state)
        best = np.nanmax(scores)
        assert result.stopped == "proven"
        assert result.proven is not None
        assert result.proven.value_for(state.to_move) == np.sign(best)
        assert result.root_value == np.sign(best)
        shares = np.flatnonzero(result.policy_target)
        assert result.policy_target.sum() == pytest.approx(1.0)
        assert result.best_action in shares
        if game.spec.score_name:  # the best score, among those that keep the result
            assert (np.sign(scores[shares]) == np.sign(best)).all()
        else:
            assert shares.tolist() == np.flatnonzero(scores == best).tolist() or result.simulations > 0
            assert scores[result.best_action] == best
    assert any(result.simulations == 0 for result in found)


@pytest.mark.parametrize("name", GAMES)
def test_settled_leaves_are_right_and_save_evaluations(name: str) -> None:
    game = GAMES[name]
    truth = truth_of(name)
    state = random_state(game, 2, seed=1)
    (plain,) = search(game, [state], HashEvaluator(game), LEAVES.replace(exact_leaf_nodes=0))
    (found,) = search(game, [state], HashEvaluator(game), LEAVES)
    assert len(found.tree) <= len(plain.tree)
    proven = 0
    nodes = [(found.tree.root, state)]
    while nodes:
        node, at = nodes.pop()
        if node.proven is not None and at.outcome is None:
            proven += 1
            assert node.proven.value_for(at.to_move) == np.sign(np.nanmax(truth(at)))
        nodes += [(c, at.play(c.action)) for c in node if c.node is not None and c.action is not None]
    assert proven > 0


def test_a_settled_root_is_evaluated_and_its_moves_have_visits() -> None:
    (result,) = search(FOUR, [TWO_ENDS], HashEvaluator(FOUR), ROOTS)
    assert result.simulations == 0
    assert (result.stopped, result.distance) == ("proven", 3)
    assert result.policy_target.tolist() == [0, 0.5, 0, 0, 0.5, 0, 0]
    assert result.visits.tolist() == [0, 1, 0, 0, 1, 0, 0]
    priors = {child.action: child.prior for child in result.tree.root}
    assert len(priors) == 7
    assert result.best_action == max((1, 4), key=lambda action: priors[action])
    engine = Engine(FOUR, HashEvaluator(FOUR), ROOTS)
    engine.set_position(TWO_ENDS)
    analysis = engine.think(Limit(simulations=100))
    assert {move.action for move in analysis.moves} == {1, 4}
    assert all(move.win_rate == 1.0 and move.visits == 1 for move in analysis.moves)
    assert engine.think(Limit(simulations=300)).moves == analysis.moves
    engine.play(analysis.best_action)
    reply = engine.think(Limit(simulations=100))  # from a root that begins anew
    assert reply.proven is not None
    assert reply.value == -1.0
    only = engine.think(Limit(simulations=50), only=[6])
    assert [move.action for move in only.moves] == [6]


def test_few_simulations_get_few_positions() -> None:
    """Fifty positions for each simulation; none for a network alone."""
    state = random_state(FOUR, 18, seed=3)
    ask = HashEvaluator(FOUR)
    settled = [search(FOUR, [state], ask, ROOTS.replace(simulations=n))[0].simulations == 0 for n in (1, 10, 100, 1000)]
    assert settled == sorted(settled)
    assert settled[-1]
    (alone,) = search(FOUR, [TWO_ENDS], ask, ROOTS.replace(simulations=0))
    assert alone.proven is None


def test_steps_say_that_a_leaf_was_settled_exactly() -> None:
    stepper = Stepper(random_state(FOUR, 24, seed=5), HashEvaluator(FOUR), LEAVES)
    kinds = []
    while not stepper.finished and len(kinds) < 60:
        kinds.append(stepper.step().kind)
    assert kinds[0] == "evaluated"
    assert "exact" in kinds


def test_needs_proofs() -> None:
    ask = HashEvaluator(FOUR)
    state = random_state(FOUR, 20, seed=1)
    off = SearchParams(simulations=50, solve=False)
    on = off.replace(exact_leaf_nodes=1000, exact_root_nodes=10_000)
    assert search(FOUR, [state], ask, on)[0].visits.tolist() == search(FOUR, [state], ask, off)[0].visits.tolist()


@pytest.mark.parametrize("name", ["chess", "shogi", "go", "gomoku"])
def test_hopeless_positions_are_searched_as_without(name: str) -> None:
    """Where a game is far from its end nothing is settled, and the tree is the same."""
    game = load(name)
    state = random_state(game, 6, seed=2)
    ask = HashEvaluator(game)
    off = SearchParams(simulations=80)
    on = off.replace(exact_leaf_nodes=300, exact_root_nodes=3000)
    assert search(game, [state], ask, on)[0].visits.tolist() == search(game, [state], ask, off)[0].visits.tolist()


def test_memory_is_counted() -> None:
    plain, exact = (Forest(FOUR, 1, params, 1) for params in (SearchParams(), ROOTS.replace(exact_root_nodes=1 << 20)))
    assert exact.bytes - plain.bytes > 1 << 24
    exact.set_root(0, TWO_ENDS, 1)
    exact.begin(0, simulations=100)
    run(exact, HashEvaluator(FOUR))
    assert exact.result(0).stopped == "proven"


@pytest.mark.parametrize(
    ("name", "value"), [("exact_leaf_nodes", -1), ("exact_leaf_nodes", 2_000_000), ("exact_root_nodes", -5)]
)
def test_bad_values_are_refused_by_name(name: str, value: int) -> None:
    with pytest.raises(SearchParamError, match=name):
        SearchParams(**{name: value})
    with pytest.raises(PlayerSpecError, match=name):
        make_player(f"uniform:10:{name}={value}", FOUR)


def test_players_take_parameters_of_the_search() -> None:
    player = make_player("uniform:50:exact_leaf_nodes=70:c_puct=2.5:solve=true", FOUR)
    assert isinstance(player, SearchPlayer)
    assert player.params == SearchParams(simulations=50, exact_leaf_nodes=70, c_puct=2.5)
    network = make_player("search:connect_four:40:exact_root_nodes=0", FOUR)
    assert isinstance(network, SearchPlayer)
    assert network.params.exact_root_nodes == 0
    assert network.params.exact_leaf_nodes > 0
    assert search_changes(["selection=gumbel", "solve=false"]) == {"selection": "gumbel", "solve": False}
    assert answers_in_batches("search:connect_four:400:c_puct=2")
    assert not answers_in_batches("search:connect_four:2s:c_puct=2")
    for text, cause in {
        "uniform:10:exact_nodes=3": "did you mean 'exact_",
        "uniform:10:exact_leaf_nodes=many": "whole number",
        "uniform:10:c_puct=x": "is a number",
        "uniform:10:solve=1": "true or false",
        "uniform:10:selection=best": "selection",
        "uniform:10:simulations=3": "no parameter 'simulations'",
    }.items():
        with pytest.raises(PlayerSpecError, match=cause):
            make_player(text, FOUR)


@pytest.mark.parametrize(
    ("game", "is_on"),
    [
        (load("tic_tac_toe"), True),
        (load(str(EXAMPLES / "hex.py"), size=3), True),
        (load_interpreted(str(EXAMPLES / "hex.py"), size=3), False),
        (load("openspiel:tic_tac_toe"), False),
    ],
    ids=["engine", "compiled", "interpreted", "openspiel"],
)
def test_play_settles_nothing_where_python_runs_the_rules(game: Game, is_on: bool, tmp_path: Path) -> None:
    network = save_tiny(tmp_path / "tiny.safetensors", game)
    player = make_player(f"search:{network}:8", game)
    assert isinstance(player, SearchPlayer)
    assert (player.params.exact_leaf_nodes > 0, player.params.exact_root_nodes > 0) == (is_on, is_on)
    assert (Agent(network, game=game, simulations=8).params.exact_leaf_nodes > 0) == is_on
    asked = make_player(f"search:{network}:8:exact_leaf_nodes=50", game)
    assert isinstance(asked, SearchPlayer)
    assert asked.params.exact_leaf_nodes == 50
