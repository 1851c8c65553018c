"""`tengen cluster`: what a Ray cluster has, whether its nodes fit together, and how fast they play."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated

import tyro

from tengen import TengenError, load
from tengen.base.memory import gigabytes
from tengen.interfaces.cli.train import File, OptionalGame, Sets

DEFAULT_GAME = "connect_four"
MOST_SECONDS = 3600.0


def run(
    game: OptionalGame = None,
    *,
    cluster: Annotated[str, tyro.conf.arg(metavar="auto|local|HOST:PORT")] = "auto",
    config: File = None,
    sets: Sets = (),
    seconds: float = 10.0,
    as_json: Annotated[bool, tyro.conf.arg(name="json"), tyro.conf.FlagCreatePairsOff] = False,
) -> None:
    """Shows the nodes of a Ray cluster, what differs between them, their speed, and a forecast.

    Args:
        cluster: the cluster that this machine belongs to, one on its own cores to try, or the address of another
        config: a TOML file with settings of the run that is forecast
        sets: one setting, as in --set self_play.simulations=64; can be given several times
        seconds: how long the nodes play to be measured; 0: they don't
        as_json: print one JSON object instead of words
    """
    if not 0 <= seconds <= MOST_SECONDS:
        raise TengenError(f"Nodes are measured for 0 to {MOST_SECONDS:.0f} seconds, not {seconds:g}.")
    from tengen.cluster.connecting import connect
    from tengen.cluster.facts import differences, facts_here
    from tengen.cluster.sending import SentFiles
    from tengen.run.settings import resolve

    settings = resolve(game if game or config else DEFAULT_GAME, file=config, sets=sets).config
    files = SentFiles.of(load(settings.game, **settings.options), settings.network.module)
    with connect(cluster, files) as crew:
        nodes = crew.facts
        warnings = differences(facts_here(), [facts for facts, _ in nodes])
        speed = None
        if seconds:
            from tengen.cluster.speed import measure_speed

            speed = measure_speed(crew, settings, seconds)
    if as_json:
        content = [{**asdict(facts), "threads": threads} for facts, threads in nodes]
        print(json.dumps({"nodes": content, "warnings": warnings, "speed": asdict(speed) if speed else None}))
        return
    for facts, threads in nodes:
        print(f"{facts.name}: {threads} of {facts.cores} cores, {gigabytes(facts.memory)}, tengen {facts.tengen}")
    print("\n".join(warnings or ["All nodes have the processor, the tengen and the packages of this machine."]))
    if speed is None:
        return
    for node in speed.nodes:
        print(f"{node.name}: {node.simulations_per_second:,.0f} simulations per second")
    play = settings.self_play
    print(
        f"Together {speed.simulations_per_second:,.0f}; the self-play of an iteration of {settings.game} "
        f"({play.positions:,} positions, {play.simulations} simulations) takes {speed.iteration_seconds:,.1f} s, "
        f"if self_play.units is at least {sum(threads for _, threads in nodes)}."
    )
