"""Small searches with a fixed evaluator, stored whole in tests/golden/search: a changed search is a readable diff.

After a change that is meant, write them anew, and put the new signatures it prints into test_search_golden.py:

    python tests/search/golden_trees.py
"""

import json
import zlib
from pathlib import Path
from typing import Any

from fake_evaluators import HashEvaluator
from positions import random_state

from tengen import SearchParams, SearchResult, load, search
from tengen.search.tree import Node

FOLDER = Path(__file__).parents[1] / "golden" / "search"

# name: game, its options, random plies before the search, parameters, noise
CASES: dict[str, tuple[str, dict[str, float], int, dict[str, Any], bool]] = {
    "puct": ("connect_four", {}, 0, {"simulations": 60, "solve": False}, False),
    "puct_proofs": ("tic_tac_toe", {}, 4, {"simulations": 60}, False),
    "puct_noise": ("connect_four", {}, 5, {"simulations": 60, "forced_playouts": 2.0}, True),
    "puct_leaves": ("gomoku", {"size": 6}, 4, {"simulations": 64, "leaves_per_batch": 8}, False),
    "puct_symmetry": ("othello", {"size": 6}, 6, {"simulations": 60, "random_symmetry": True}, False),
    "uct_rollout": ("connect_four", {}, 0, {"simulations": 80, "selection": "uct", "rollout_weight": 1.0}, False),
    "mixed_rollout": ("othello", {"size": 4}, 0, {"simulations": 60, "rollout_weight": 0.5}, False),
    "gumbel": ("othello", {"size": 6}, 0, {"simulations": 60, "selection": "gumbel"}, False),
    "gumbel_noise": ("connect_four", {}, 3, {"simulations": 60, "selection": "gumbel", "gumbel_considered": 4}, True),
}


def run_case(name: str) -> SearchResult:
    game_name, options, plies, params, noise = CASES[name]
    game = load(game_name, **options)
    state = random_state(game, plies, seed=7)
    return search(game, [state], HashEvaluator(game), SearchParams(**params), seed=11, noise=noise)[0]


def nested(node: Node) -> list[Any]:
    """[action, N, W, P, proven winner or None, children]; a child that was never visited is [action, 0, P]."""
    prior = round(node.prior, 5)
    if node.node is None:
        return [node.action_text, 0, prior]
    proven = None if node.proven is None else ("draw" if node.proven.is_draw else f"{node.proven.winner} wins")
    below = [nested(child) for child in node]
    return [node.action_text or "root", node.visits, round(node.value_sum, 5), prior, proven, below]


def document(result: SearchResult) -> dict[str, Any]:
    return {
        "state": repr(result.state),
        "stopped": result.stopped,
        "root_value": round(result.root_value, 5),
        "best_action": result.state.action_text(result.best_action),
        "line": [result.state.action_text(action) for action in result.line],
        "policy_target": [round(float(share), 5) for share in result.policy_target],
        "tree": nested(result.tree.root),
    }


def text(document: dict[str, Any]) -> str:
    """One line per field, and one per child of the root."""
    *fields, (_, tree) = document.items()
    lines = [f" {json.dumps(key)}: {json.dumps(value)}," for key, value in fields]
    children = ",\n   ".join(json.dumps(child, separators=(",", ":")) for child in tree[-1])
    head = json.dumps(tree[:-1], separators=(",", ":"))[:-1]
    return "\n".join(["{", *lines, f' "tree": {head},[\n   {children}]]', "}"]) + "\n"


def signature(game_name: str, **options: float) -> int:
    """One number for every search variant on a game: a checksum over the visits of all trees."""
    game = load(game_name, **options)
    states = [random_state(game, plies, seed=3) for plies in (0, 2, 4)]
    check = 0
    for _, _, _, params, noise in CASES.values():
        for result in search(game, states, HashEvaluator(game), SearchParams(**params), seed=5, noise=noise):
            check = zlib.crc32(result.tree.arrays.visits.astype("<i8").tobytes(), check)
            check = zlib.crc32(result.tree.arrays.action.astype("<i8").tobytes(), check)
    return check


SIGNED_GAMES: dict[str, tuple[str, dict[str, float]]] = {
    "tic_tac_toe": ("tic_tac_toe", {}),
    "connect_four": ("connect_four", {}),
    "othello": ("othello", {}),
    "gomoku": ("gomoku", {"size": 9}),
    "shogi": ("shogi", {}),
    "minishogi": ("minishogi", {}),
}

if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for case in CASES:
        (FOLDER / f"{case}.json").write_text(text(document(run_case(case))))
    for name, (game_name, options) in SIGNED_GAMES.items():
        print(f'    "{name}": {signature(game_name, **options)},')
