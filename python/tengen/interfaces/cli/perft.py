"""`tengen perft`: the number every rules programmer checks first."""

import time
from typing import Annotated

import tyro

from tengen.interfaces.cli.game_argument import GameArgument, parse_game

Depth = Annotated[int, tyro.conf.Positional, tyro.conf.arg(metavar="DEPTH")]


def run(game: GameArgument, depth: Depth) -> None:
    """Counts all move sequences of a game up to a depth.

    Args:
        depth: count sequences of up to this many moves
    """
    rules = parse_game(game)
    print(f"{'depth':>5} {'positions':>20} {'finished':>20}", flush=True)
    start = time.perf_counter()
    counts = rules.perft(depth)
    seconds = time.perf_counter() - start
    for ply, (positions, finished) in enumerate(zip(counts.positions, counts.finished, strict=True)):
        print(f"{ply:5} {positions:20,} {finished:20,}")
    print(f"{seconds:.2f} s, {sum(counts.positions) / seconds:,.0f} positions per second")
