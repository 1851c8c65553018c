"""How fast each node plays, and what that makes of a run: a few seconds of its self-play with a blank network."""

from __future__ import annotations

import time
from dataclasses import dataclass

from tengen import games
from tengen.base.crew import Crew
from tengen.config import RunConfig
from tengen.methods import new_learner
from tengen.network.playing import PlayingNetwork
from tengen.report import NodeReport
from tengen.selfplay import play_games

__all__ = ["ClusterSpeed", "measure_speed"]


@dataclass(frozen=True)
class ClusterSpeed:
    """Simulations per second of each node, and the forecast of an iteration."""

    nodes: tuple[NodeReport, ...]
    iteration_seconds: float  # of self-play, with as many units as there are cores

    @property
    def simulations_per_second(self) -> float:
        return sum(node.simulations_per_second for node in self.nodes)


def measure_speed(crew: Crew, config: RunConfig, seconds: float) -> ClusterSpeed:
    """One unit a core, stopped after that many seconds."""
    game = games.load(config.game, **config.options)
    network = new_learner(game, config).network_file()
    play = config.self_play.model_copy(update={"units": crew.threads, "positions": 10**9})
    began = time.monotonic()
    played = play_games(
        game,
        PlayingNetwork(network, config.self_play.precision, "cpu"),
        play,
        seed=config.seed,
        iteration=0,
        crew=crew,
        should_stop=lambda: time.monotonic() - began >= seconds,
    )
    speed = sum(node.simulations_per_second for node in played.report.nodes)
    wanted = config.self_play.positions * config.self_play.simulations
    return ClusterSpeed(played.report.nodes, wanted / speed if speed else 0.0)
