"""Searches that were stored whole come out the same; golden_trees.py says how to store them anew."""

import json

import golden_trees
import pytest

# One number a game for all variants of the search. A commit leaves them as they are or says why not.
SIGNATURES = {
    "tic_tac_toe": 2083808226,
    "connect_four": 2450404524,
    "othello": 3209896469,
    "gomoku": 1380513716,
    "shogi": 2214764790,
    "minishogi": 236675538,
}


@pytest.mark.parametrize("case", golden_trees.CASES)
def test_golden_tree(case: str) -> None:
    stored = json.loads((golden_trees.FOLDER / f"{case}.json").read_text())
    found = json.loads(golden_trees.text(golden_trees.document(golden_trees.run_case(case))))
    assert found == stored


def test_every_stored_tree_has_a_case() -> None:
    assert {path.stem for path in golden_trees.FOLDER.glob("*.json")} == golden_trees.CASES.keys()


@pytest.mark.parametrize("name", SIGNATURES)
def test_signature(name: str) -> None:
    game, options = golden_trees.SIGNED_GAMES[name]
    assert golden_trees.signature(game, **options) == SIGNATURES[name]
