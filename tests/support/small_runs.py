"""The smallest run that has everything: two threads, two units, games in flight, two replicas, an averaged network."""

from pathlib import Path
from typing import Any

from tengen.config import RunConfig, load_config
from tengen.network.checkpoint import load_network
from tengen.report import IterationReport, RunReport

SMALL: dict[str, Any] = {
    "network": {"preset": "tiny", "blocks": 1, "channels": 8, "policy_channels": 4, "value_channels": 4},
    "self_play": {
        "threads": 2,
        "units": 2,
        "games_per_unit": 4,
        "positions": 64,
        "simulations": 4,
        "precision": "bf16",
        "archive_start_share": 0.3,
        "resign_below": -0.5,
    },
    "replay": {"window_start": 40, "window_most": 90},
    "learner": {"batch": 128, "samples_per_position": 4.0, "threads": 2},
    "tables": {},
    "arena": {"every": 0, "final_strength": False},
}


def small_config(iterations: int = 3, seed: int = 1, **stages: dict[str, Any]) -> RunConfig:
    settings = {stage: {**content, **stages.get(stage, {})} for stage, content in SMALL.items()}
    return load_config(game="tic_tac_toe", iterations=iterations, seed=seed, **settings)


def what_counts(folder: Path) -> dict[str, bytes]:
    """Everything of a run that must not depend on when it was killed: games, networks, and the newest checkpoint."""
    newest = max((folder / "state").glob("*.json")).stem
    paths = [
        *sorted((folder / "games").glob("*.tgr")),
        folder / "state" / f"{newest}.safetensors",
        folder / "state" / f"{newest}.games",
    ]
    counts = {str(path.relative_to(folder)): path.read_bytes() for path in paths}
    for path in (folder / "networks").glob("*.safetensors"):  # their headers name the folder
        counts[path.name] = load_network(path).digest.encode()
    return counts


class Stopped(Exception):
    pass


class Stopper:
    """Ends a run after so many iterations."""

    def __init__(self, iterations: int) -> None:
        self._iterations = iterations

    def run_started(self, report: RunReport) -> None: ...
    def stage(self, name: str, done: int, total: int) -> None: ...

    def iteration_finished(self, report: IterationReport) -> None:
        if report.iteration == self._iterations:
            raise Stopped
