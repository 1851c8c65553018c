"""How fast a single game is compared with self-play: evaluations per second of one network on all cores.

    python benchmarks/single_game.py MODEL

Self-play has one thread per core, each with 64 trees and an evaluator of its own. A single game has one tree, several
leaves in a batch and one evaluator with all threads, as in Agent. Every evaluated position counts, mirror images
included. The two take turns; each figure is the median of the rounds.
"""

import os
import statistics
import sys
import threading
import time
from collections.abc import Callable

import tengen
from tengen.agent import DEFAULT_SIMULATIONS
from tengen.network import Evaluator, NetworkEvaluator, make_evaluator
from tengen.network.checkpoint import find_network, game_of, load_network
from tengen.players import playing_evaluator, playing_params
from tengen.search import evaluate_leaves

ROUNDS = 5
SECONDS = 2.0  # of one turn, approximately
TREES = 64


class Counted:
    """An evaluator that counts its positions."""

    def __init__(self, evaluator: NetworkEvaluator) -> None:
        self.evaluator = evaluator
        self.network, self.description = evaluator.network, evaluator.description
        self.positions = 0

    def __call__(self, planes, /):  # type: ignore[no-untyped-def]
        self.positions += len(planes)
        return self.evaluator(planes)


def search_for(game: tengen.Game, evaluator: Evaluator, params: tengen.SearchParams, trees: int) -> None:
    """Searches, one after the other, until the time is up."""
    end = time.perf_counter() + SECONDS
    forest = tengen.Forest(game, trees, params, 0)
    while time.perf_counter() < end:
        for tree in range(trees):
            forest.set_root(tree, game.initial_state())
        forest.begin(noise=trees > 1)
        while forest.searching() and time.perf_counter() < end:
            evaluate_leaves(forest, evaluator)


def rate(evaluators: list[Counted], work: Callable[[Counted], None]) -> float:
    for evaluator in evaluators:
        evaluator.positions = 0
    started = time.perf_counter()
    threads = [threading.Thread(target=work, args=(evaluator,)) for evaluator in evaluators]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(evaluator.positions for evaluator in evaluators) / (time.perf_counter() - started)


def main(model: str) -> None:
    network = load_network(find_network(model))
    game = game_of(network)
    cores = os.cpu_count() or 1
    one = make_evaluator(network)
    alone = [Counted(make_evaluator(network, threads=cores))]
    together = [Counted(one), *(Counted(one.clone()) for _ in range(cores - 1))]
    params = playing_params(network, DEFAULT_SIMULATIONS, game)
    sides: dict[str, Callable[[], float]] = {
        "self-play": lambda: rate(together, lambda evaluator: search_for(game, evaluator, params, TREES))
    }
    for leaves in (8, 16, 32, 64):
        several = params.replace(leaves_per_batch=leaves)
        sides[f"one game, {leaves} leaves"] = lambda several=several: rate(
            alone, lambda evaluator: search_for(game, playing_evaluator(evaluator, game), several, 1)
        )
    found: dict[str, list[float]] = {name: [] for name in sides}
    for _ in range(ROUNDS):
        for name, side in sides.items():
            found[name].append(side())
    for name, rates in found.items():
        share = statistics.median(a / b for a, b in zip(rates, found["self-play"], strict=True))
        print(f"{name:20} {statistics.median(rates):10,.0f} evaluations per second, {share:.0%} of self-play")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "connect_four")
