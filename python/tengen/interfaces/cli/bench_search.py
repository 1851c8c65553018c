"""`tengen bench search`: our search against OpenSpiel's, side by side."""

import json
import sys
from dataclasses import asdict
from typing import Annotated

import tyro

from tengen import TengenError
from tengen.bench.games import has_openspiel
from tengen.bench.search import NODES, ForestSpeed, measure, measure_forest
from tengen.interfaces.cli.bench_games import INSTALL_OPENSPIEL, as_dict, check_slices, print_table


def run(
    as_json: Annotated[bool, tyro.conf.arg(name="json"), tyro.conf.FlagCreatePairsOff] = False,
    slices: int = 5,
    seconds: float = 0.3,
    simulations: int = 10_000,
    nodes: int = NODES,
) -> None:
    """Measures simulations per second, side by side with OpenSpiel's MCTS, in one thread.

    Args:
        as_json: print one JSON object instead of a table
        slices: the number of turns that each program gets; its median is reported
        seconds: the length of one turn in seconds; a turn has at least one search
        simulations: the number of simulations of each search; it searches the start of the game
        nodes: the number of nodes of the trees whose memory is measured
    """
    check_slices(slices, seconds)
    if not 1 <= simulations <= 10_000_000 or not 2 <= nodes <= 10_000_000:
        raise TengenError("A bench needs 1 to 10 million simulations and 2 to 10 million nodes.")
    speeds = measure(simulations, slices, seconds)
    forests = measure_forest(slices, seconds, nodes)
    if not as_json:
        print_table(speeds, "simulations", of_engine=False)
        for forest in forests:
            print(_sentence(forest))
        return
    if not has_openspiel():
        print(INSTALL_OPENSPIEL, file=sys.stderr)
    answer: dict[str, dict[str, object]] = {speed.key: {**as_dict(speed)} for speed in speeds}
    for forest in forests:
        figures = {name: round(value, 3) for name, value in asdict(forest).items() if name != "key"}
        answer[forest.key]["free_evaluator"] = figures
    print(json.dumps(answer, indent=2))


def _sentence(forest: ForestSpeed) -> str:
    return (
        f"{forest.key}, 64 trees, an evaluator that answers at once: {forest.simulations_per_second:,.0f} simulations "
        f"per second, in two threads {forest.two_threads:.2f}x; 10 million nodes reserve "
        f"{forest.bytes_per_node / 100:.2f} GB ({forest.rollout_bytes_per_node / 100:.2f} GB if play-outs value them)"
    )
