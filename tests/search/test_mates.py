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


def share_proven(moves: int, count: int, simulations: int = 10_000) -> float:
    """Of the first so many positions with a mate in so many moves, the share whose win is proven."""
    positions = [fen for number, fen in MATES if int(number) == moves][:count]
    proven = 0
    for fen in positions:
        state = CHESS.state(board=fen)
        forest = Forest(CHESS, 1, SearchParams(simulations=simulations, leaves_per_batch=8), 0)
        forest.set_root(0, state, 0)
        forest.begin()
        run(forest, UniformEvaluator(CHESS))
        result = forest.result(0)
        if result.proven is not None:
            assert result.proven.winner == state.to_move
            assert result.distance >= 2 * moves - 1
            proven += 1
    return proven / len(positions)


def test_mates_in_two_are_proven() -> None:
    assert share_proven(2, 20) >= 0.95


def test_mates_in_three_are_proven_with_more_simulations() -> None:
    """Without a network's priors the search is broad: most of them need far more than 10,000 simulations."""
    assert share_proven(3, 5, simulations=40_000) > 0.0


@pytest.mark.verify
def test_how_many_mates_are_proven() -> None:
    shares = {moves: share_proven(moves, 100) for moves in (2, 3)}
    print(f"proven within 10,000 simulations: mates in two {shares[2]:.0%}, in three {shares[3]:.0%}")
    assert shares[2] >= 0.95
