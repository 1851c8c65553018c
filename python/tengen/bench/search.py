"""How fast the search is, and how much memory it takes.

`measure` sets it beside OpenSpiel's MCTS: one thread, UCT with the same constant, one random play-out a leaf, nothing
proven, nothing cached, the same number of simulations from the start of the game, a new tree each time.
`measure_forest` is about searches guided by a network, less the network: the evaluator answers at once.
"""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from tengen._core import Forest, Game, SearchParams
from tengen.bench.games import CONTESTS, Contest, Speed, Work, has_openspiel, openspiel_searches, rates
from tengen.games import load, names
from tengen.network import UniformEvaluator
from tengen.search import run

__all__ = ["FOREST_KEYS", "ForestSpeed", "bytes_per_node", "measure", "measure_forest", "rollout_search"]

KEYS = ("tic_tac_toe", "connect_four", "othello", "go_9x9")
FOREST_KEYS = ("connect_four", "go_9x9")

GUIDED_SIMULATIONS = 400
GUIDED = SearchParams(simulations=GUIDED_SIMULATIONS)
ROLLOUTS = SearchParams(selection="uct", rollout_weight=1.0, solve=False)
TREES = 64
TREES_PER_THREAD = 128  # as many games as a thread of self-play has in flight

# A tree's arrays grow by an eighth once they are large, so that the bytes per node hardly depend on the size.
NODES = 1_000_000


@dataclass(frozen=True)
class ForestSpeed:
    """A forest of 64 trees with the default parameters and an evaluator that answers at once."""

    key: str
    simulations_per_second: float  # of one thread
    two_threads: float  # how many times the work of one: two forests of 128 trees in two Python threads
    bytes_per_node: float  # in a tree of 10 million nodes, guided by a network
    rollout_bytes_per_node: float  # the same, valued by play-outs


def measure(simulations: int, slices: int, seconds: float) -> Iterator[Speed]:
    """Simulations per second of every game, one after the other; each side gets `slices` turns of about `seconds`.

    A turn is at least one whole search.
    """
    for contest in _contests(KEYS):
        sides: dict[str, Work] = {"tengen": _ours(load(contest.name, **contest.options), simulations)}
        if contest.openspiel is not None and has_openspiel():
            sides["openspiel"] = _theirs(contest.openspiel, simulations)
        found = {side: simulations * rate for side, rate in rates(sides, slices, seconds).items()}
        yield Speed(contest.key, found["tengen"], found.get("openspiel"))


def measure_forest(slices: int, seconds: float, nodes: int = NODES) -> Iterator[ForestSpeed]:
    """What a forest does with a free evaluator, game by game. `nodes`: size of the trees whose memory is measured."""
    for contest in _contests(FOREST_KEYS):
        game = load(contest.name, **contest.options)
        alone = rates({"one": _guided_searches(game, TREES)}, slices, seconds)["one"]
        yield ForestSpeed(
            key=contest.key,
            simulations_per_second=alone * TREES * GUIDED_SIMULATIONS,
            two_threads=_gain_of_two_threads(game, slices, seconds),
            bytes_per_node=bytes_per_node(game, GUIDED.replace(leaves_per_batch=16), nodes),
            rollout_bytes_per_node=bytes_per_node(game, ROLLOUTS, nodes),
        )


def _guided_searches(game: Game, trees: int) -> Work:
    """Searches from the start of the game in all trees of a forest, which is kept as self-play keeps it."""
    forest = Forest(game, trees, GUIDED, 0)
    evaluator = UniformEvaluator(game)
    start = game.initial_state()

    def work(searches: int, seed: int) -> None:
        for i in range(searches):
            for tree in range(trees):
                forest.set_root(tree, start, seed + i)
            forest.begin()
            run(forest, evaluator)

    return work


def _gain_of_two_threads(game: Game, slices: int, seconds: float) -> float:
    """How much more two threads do than one in the same time, each with a forest of its own.

    The time is that on the wall, so the best slice of each side counts: in the others something else had the core.
    """
    first, second = _guided_searches(game, TREES_PER_THREAD), _guided_searches(game, TREES_PER_THREAD)
    with ThreadPoolExecutor(2) as pool:

        def both(searches: int, seed: int) -> None:
            list(pool.map(lambda work: work(searches, seed), (first, second)))

        turns = [rates({"one": first, "two": both}, 1, seconds, time.perf_counter) for _ in range(slices)]
    return 2 * max(turn["two"] for turn in turns) / max(turn["one"] for turn in turns)


def rollout_search(game: Game, simulations: int, seed: int, forest: Forest | None = None) -> Forest:
    """One search of ours as it is set beside OpenSpiel's: from the start, in a new tree.

    `forest`: one to search in again, as a program that plays many moves does; only its memory is kept.
    """
    forest = forest or Forest(game, 1, ROLLOUTS, seed)
    forest.set_root(0, game.initial_state(), seed)
    forest.begin(simulations=simulations)
    run(forest, UniformEvaluator(game))
    return forest


def bytes_per_node(game: Game, params: SearchParams, nodes: int) -> float:
    """Memory of a tree of that many nodes, all of its arrays, per node."""
    forest = Forest(game, 1, params.replace(max_nodes=nodes, simulations=100 * nodes), 0)
    forest.begin()
    run(forest, UniformEvaluator(game))
    return forest.bytes / forest.result(0).nodes


def _contests(keys: tuple[str, ...]) -> list[Contest]:
    return [contest for contest in CONTESTS if contest.key in keys and contest.name in names()]


def _ours(game: Game, simulations: int) -> Work:
    forest = Forest(game, 1, ROLLOUTS, 0)

    def work(searches: int, seed: int) -> None:
        for i in range(searches):
            rollout_search(game, simulations, seed + i, forest)

    return work


def _theirs(name: str, simulations: int) -> Work:
    search = openspiel_searches(name)

    def work(searches: int, seed: int) -> None:
        for i in range(searches):
            search(simulations, 1, seed + i)

    return work
