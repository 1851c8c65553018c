"""Mates of chess are proven by the search alone, with a network that knows nothing.

The positions are of our own making: benchmarks/chess_mates.cpp 100 1.
"""

from pathlib import Path

import pytest

import tengen
from tengen import Forest, SearchParams, UniformEvaluator
from tengen.search import run

CHESS = tengen.load("chess")
MATES = [line.split(" ", 1) for line in (Path(__file__).parent / "chess_mates.txt").read_text().splitlines()]


def share_proven(moves: int, count: int) -> float:
    """Of the first so many positions with a mate in so many moves, the share whose win 10,000 simulations prove.

    The search is that of players, who see where a move wins at once (`instant_wins`).
    """
    params = SearchParams(simulations=10_000, leaves_per_batch=8, instant_wins=True)
    positions = [fen for number, fen in MATES if int(number) == moves][:count]
    proven = 0
    for fen in positions:
        state = CHESS.state(board=fen)
        forest = Forest(CHESS, 1, params, 0)
        forest.set_root(0, state, 0)
        forest.begin()
        run(forest, UniformEvaluator(CHESS))
        result = forest.result(0)
        if result.proven is not None:
            assert result.proven.winner == state.to_move
            proven += 1
    return proven / len(positions)


@pytest.mark.parametrize(("moves", "least"), [(2, 0.95), (3, 0.8)])
def test_mates_are_proven(moves: int, least: float) -> None:
    assert share_proven(moves, 100) >= least
