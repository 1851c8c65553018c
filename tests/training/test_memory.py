"""Memory stays under the figure that is stated at the start, measured in a process of its own."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import tengen
from tengen.config import load_config
from tengen.run.footprint import most_more_memory

HERE = Path(__file__).parent
FEW = {"threads": 2, "games_per_unit": 16, "positions": 128, "simulations": 4, "precision": "bf16"}
SMALL: dict[str, Any] = {
    "game": "tic_tac_toe",
    "iterations": 2,
    "network": {"blocks": 1, "channels": 96},
    "self_play": FEW,
    "replay": {"window_most": 10_000},
    "learner": {"batch": 512, "samples_per_position": 8.0, "threads": 2},
    "arena": {"every": 1, "games": 4, "simulations": 16, "anchors": ["rollout:100"]},
}
NO_ARENA = {"arena": {"every": 0}}
# What takes the memory in each: the window, the weights, the batch, the trees, the tables of exact searches.
LARGE: dict[str, dict[str, Any]] = {
    "many positions": {
        "iterations": 6,
        "network": {"preset": "tiny"},
        "self_play": {"threads": 2, "positions": 20_000, "simulations": 2},
        "learner": {"batch": 128, "samples_per_position": 0.1},
    },
    "many weights": {"network": {"blocks": 2, "channels": 512}, **NO_ARENA},
    "large batches": {"network": {"blocks": 6, "channels": 96}, "learner": {"batch": 2048}, **NO_ARENA},
    "large trees": {
        "game": "go",
        "options": {"size": 13},
        "network": {"preset": "tiny"},
        "self_play": {**FEW, "simulations": 200, "games_per_unit": 64},
    },
    "large exact searches": {"network": {"preset": "tiny"}, "self_play": {**FEW, "exact_nodes": 1_000_000}, **NO_ARENA},
}


def figures(folder: Path, settings: dict[str, Any]) -> dict[str, int]:
    done = subprocess.run(
        [sys.executable, str(HERE / "measured_run.py"), str(folder / "run")],
        input=json.dumps(settings),
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answer: dict[str, int] = json.loads(done.stdout)
    return answer


def check(found: dict[str, int]) -> None:
    assert found["at_first"] < found["reported"] <= found["taken"] < found["stated"]


def test_memory_stays_under_the_figure_stated(tmp_path: Path) -> None:
    found = figures(tmp_path, SMALL)
    check(found)
    assert found["stated"] < 3 * found["taken"]  # and the figure means something


@pytest.mark.verify
@pytest.mark.parametrize("name", LARGE)
def test_memory_of_large_runs_stays_under_the_figure_stated(tmp_path: Path, name: str) -> None:
    check(figures(tmp_path, {**SMALL, "game": "connect_four", **LARGE[name]}))


@pytest.mark.parametrize(
    "more",
    [
        {"network": {"channels": 128}},
        {"network": {"blocks": 6}},
        {"self_play": {"games_per_unit": 512}},
        {"self_play": {"simulations": 400}},
        {"self_play": {"exact_nodes": 100_000}},
        {"self_play": {"search": {"exact_root_nodes": 100_000}}},
        {"replay": {"window_most": 1_000_000}},
        {"learner": {"batch": 1024}},
        {"arena": {"anchors": ["rollout:100000"]}},
    ],
    ids=str,
)
def test_whatever_is_larger_takes_more(more: dict[str, Any]) -> None:
    game = tengen.load("connect_four")
    usual, larger = (load_config(game="connect_four", **settings) for settings in ({}, more))
    parameters = 300_000 * (larger.network.channels // usual.network.channels) ** 2
    assert most_more_memory(game, larger, parameters=parameters, threads=2) > most_more_memory(
        game, usual, parameters=300_000, threads=2
    )
