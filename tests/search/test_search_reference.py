"""The fast search and the slow one side by side: the same evaluator, the same visits, in the whole tree."""

import pytest
import reference_search
from fake_evaluators import HashEvaluator
from positions import random_state

from tengen import SearchParams, load, search
from tengen.search.tree import Node

GAMES = {
    "tic_tac_toe": load("tic_tac_toe"),
    "connect_four": load("connect_four"),
    "small_connect_four": load("connect_four", rows=4, columns=4, in_a_row=3),
    "othello": load("othello", size=6),
    "gomoku": load("gomoku", size=7),
}
VARIANTS = {
    "puct": SearchParams(simulations=200, solve=False),
    "puct, growing c": SearchParams(simulations=200, solve=False, c_puct_base=500, c_puct=0.8),
    "puct, unvisited zero": SearchParams(simulations=200, solve=False, unvisited_value="zero"),
    "puct, no reduction": SearchParams(simulations=200, solve=False, fpu_reduction=0.0),
    "puct, proofs": SearchParams(simulations=500, solve=True),
    "puct, instant wins": SearchParams(simulations=500, instant_wins=True),
    "gumbel": SearchParams(simulations=200, solve=False, selection="gumbel"),
    "gumbel, few considered": SearchParams(simulations=150, solve=False, selection="gumbel", gumbel_considered=3),
    "gumbel, proofs": SearchParams(simulations=300, solve=True, selection="gumbel"),
    "gumbel, instant wins": SearchParams(simulations=300, instant_wins=True, selection="gumbel"),
}


def assert_same(fast: Node, slow: reference_search.Node) -> int:
    """Compares two trees node by node; returns how many nodes they have."""
    assert fast.visits == slow.visits
    assert fast.value_sum == pytest.approx(slow.total * (1 if fast._chooser == 0 else -1), abs=1e-4)
    proven = None if fast.proven is None else fast.proven.value_for(0)
    assert proven == slow.proven or (slow.proven is None and slow.state.outcome is not None)
    nodes = 1
    for child in fast:
        assert child.action is not None
        assert child.prior == pytest.approx(slow.priors[child.action], rel=1e-5)
        assert (child.node is not None) == (child.action in slow.children)
        if child.node is not None:
            nodes += assert_same(child, slow.children[child.action])
    return nodes


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("name", GAMES)
def test_same_tree_as_the_reference(name: str, variant: str) -> None:
    game, params = GAMES[name], VARIANTS[variant]
    evaluator = HashEvaluator(game)
    proofs = 0
    for plies in (0, 4, 6, *((14,) if game.spec.longest_game > 30 else ())):
        state = random_state(game, plies, seed=1)
        fast = search(game, [state], evaluator, params)[0]
        slow = reference_search.ReferenceSearch(state, evaluator, params).run()
        assert assert_same(fast.tree.root, slow) == len(fast.tree)
        proofs += slow.proven is not None
    if params.solve and name in ("tic_tac_toe", "small_connect_four"):
        assert proofs > 0
