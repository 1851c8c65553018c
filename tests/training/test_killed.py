"""A run that is killed at any moment and started again ends with the same bits as one that never was."""

import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from small_runs import what_counts

HERE = Path(__file__).parent


def run_and_kill(folder: Path, iterations: int, plan: list[dict[str, Any]]) -> int:
    """Compares a run that was killed as planned with one that was not; tells how many kills there were."""
    done = subprocess.run(
        [sys.executable, str(HERE / "killed_runs.py"), str(folder), str(iterations)],
        input=json.dumps(plan),
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE), *sys.path])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert what_counts(folder / "killed") == what_counts(folder / "whole")
    figures = [json.loads(line) for line in (folder / "killed" / "metrics.jsonl").read_text().splitlines()]
    assert [line["iteration"] for line in figures] == list(range(1, iterations + 1))
    return int(done.stdout)


def random_moments(count: int, seed: int) -> list[dict[str, Any]]:
    chance = random.Random(seed)
    return [{"commits": chance.randint(0, 1), "sleep": chance.random()} for _ in range(count)]


def test_killed_at_random_moments(tmp_path: Path) -> None:
    assert run_and_kill(tmp_path, 8, random_moments(5, seed=1)) >= 3


@pytest.mark.verify
@pytest.mark.parametrize("seed", range(3))
def test_killed_at_twenty_random_moments(tmp_path: Path, seed: int) -> None:
    assert run_and_kill(tmp_path, 24, random_moments(20, seed)) >= 12


def test_killed_during_writes(tmp_path: Path) -> None:
    """In the middle of a game's bytes, and around the renames and syncs of shards and checkpoints."""
    plan = [
        {"call": "pwrite", "number": 1, "when": "half"},
        {"call": "replace", "number": 4, "when": "before"},
        {"call": "pwrite", "number": 2, "when": "half"},
        {"call": "replace", "number": 5, "when": "after"},
        {"call": "fsync", "number": 9, "when": "before"},
        {"call": "replace", "number": 3, "when": "after"},
        {"call": "fsync", "number": 14, "when": "after"},
    ]
    assert run_and_kill(tmp_path, 5, plan) == len(plan)


@pytest.mark.verify
@pytest.mark.parametrize("call", ["replace", "fsync", "pwrite", "ftruncate", "unlink"])
def test_killed_at_every_call(tmp_path: Path, call: str) -> None:
    moments = ["before", "after"] + ["half"] * (call == "pwrite")
    plan = [{"call": call, "number": number, "when": when} for number in range(1, 21) for when in moments]
    assert run_and_kill(tmp_path, 8, plan) > 5
