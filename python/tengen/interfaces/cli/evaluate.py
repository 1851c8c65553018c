"""`tengen evaluate`: how good a network's moves are, against the truth."""

import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import tyro

from tengen import TengenError
from tengen.interfaces.cli.cluster_argument import ClusterArgument, crew_of
from tengen.interfaces.cli.game_argument import GameArgument, parse_game
from tengen.interfaces.cli.stage_settings import Sets
from tengen.network.modules import VARIABLE

MOST_SIMULATIONS = 1_000_000


def run(
    game: GameArgument,
    *,
    model: Annotated[str, tyro.conf.arg(metavar="FILE|RUN")],
    simulations: int = 100,
    positions: Annotated[Path | None, tyro.conf.arg(metavar="FILE")] = None,
    sets: Sets = (),
    cluster: ClusterArgument = None,
    as_json: Annotated[bool, tyro.conf.arg(name="json"), tyro.conf.FlagCreatePairsOff] = False,
) -> None:
    """Measures how many moves of a network are good and perfect, alone and with search.

    Args:
        model: the network's file, or the folder of a run
        simulations: of the search; 0 measures the network alone
        positions: JSON lines with board or moves, and "move score"; by default those that come with tengen or, in a
            small game, all positions
        sets: parameters of the search that differ from those of play, as in exact_root_nodes=0 (docs/search.md)
        cluster: who answers: the nodes of a Ray cluster; auto, local, or HOST:PORT (docs/cluster.md)
        as_json: print one JSON object instead of a table
    """
    from tengen.players import model_evaluators, search_changes
    from tengen.strength.accuracy import evaluate_network, known_positions

    if not 0 <= simulations <= MOST_SIMULATIONS:
        raise TengenError(f"A search has 0 to {MOST_SIMULATIONS} simulations, not {simulations}.")
    changes = search_changes(sets)
    rules = parse_game(game)
    known = known_positions(rules, positions)
    evaluators = model_evaluators(model, rules)
    with crew_of(cluster, rules, os.environ.get(VARIABLE, "")) as crew:
        evaluated = evaluate_network(evaluators, known, simulations, crew, changes)
    if as_json:
        answer: dict[str, dict[str, float]] = {"raw": asdict(evaluated.raw)}
        if evaluated.search is not None:
            answer["search"] = {"simulations": simulations, **asdict(evaluated.search)}
        print(json.dumps(answer))
        return
    print(f"{len(known):,} {known.about}; {evaluators[0].description}")
    print(f"{'':>20} {'good':>8} {'perfect':>8}")
    for title, quality in (("network alone", evaluated.raw), (f"{simulations} simulations", evaluated.search)):
        if quality is not None:
            print(f"{title:>20} {percent(quality.good):>8} {percent(quality.perfect):>8}")
    print("A good move keeps the win, draw or loss; a perfect one has the best score of all moves.")


def percent(share: float) -> str:
    """Never rounded up to 100."""
    return f"{int(share * 10_000) / 100:.2f} %"
