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
End = dict[str, Any]  # as in killed_runs.py

# In the middle of a game's bytes and of a checkpoint's, and around the renames and syncs of shards and checkpoints.
DURING_WRITES: list[End] = [
    {"call": "pwrite", "number": 1, "when": "half"},
    {"call": "write_bytes", "number": 3, "when": "half"},
    {"call": "replace", "number": 4, "when": "before"},
    {"call": "pwrite", "number": 2, "when": "half"},
    {"call": "write_bytes", "number": 5, "when": "half"},
    {"call": "replace", "number": 5, "when": "after"},
    {"call": "fsync", "number": 9, "when": "before"},
    {"call": "replace", "number": 3, "when": "after"},
    {"call": "fsync", "number": 14, "when": "after"},
    {"call": "unlink", "number": 1, "when": "after"},
]


def run_and_end(folder: Path, iterations: int, plan: list[End], kind: str = "policy and value") -> list[str]:
    """Compares runs that were ended as planned with one that was not; gives what those said that stopped."""
    done = subprocess.run(
        [sys.executable, str(HERE / "killed_runs.py"), str(folder), str(iterations), kind],
        input=json.dumps(plan),
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    whole, *runs = sorted(folder.iterdir(), reverse=True)
    assert whole.name == "whole"
    assert runs
    for run in runs:
        assert what_counts(run) == what_counts(whole)
        figures = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
        assert [line["iteration"] for line in figures] == list(range(1, iterations + 1))
        assert not list(run.glob("state/set_aside/*.json"))  # a kill damages nothing
        assert not list(run.rglob(".*.tmp"))
    return done.stdout.splitlines()


def random_moments(count: int, chance: random.Random) -> list[End]:
    return [{"commits": chance.randint(0, 1), "sleep": chance.random()} for _ in range(count)]


def test_killed_twenty_times(tmp_path: Path) -> None:
    chance = random.Random(1)
    plan = [*random_moments(10, chance), *DURING_WRITES]
    chance.shuffle(plan)
    assert len(plan) == 20
    assert run_and_end(tmp_path, 12, plan) == []


def test_tables_killed_ten_times(tmp_path: Path) -> None:
    plan = [*random_moments(4, random.Random(2)), *DURING_WRITES[:6]]
    assert run_and_end(tmp_path, 10, plan, "ntuple") == []


def test_exact_results_killed_ten_times(tmp_path: Path) -> None:
    plan = [*random_moments(4, random.Random(3)), *DURING_WRITES[:6]]
    assert run_and_end(tmp_path, 10, plan, "exact") == []


def test_no_room_for_files(tmp_path: Path) -> None:
    """The system refuses the bytes beyond a size, first in config.toml, then in whatever grows."""
    said = run_and_end(tmp_path, 4, [{"largest_file": size} for size in (500, 1_500, 5_000, 10_000, 28_000)])
    assert len(said) == 5
    assert all(line.startswith("DiskFullError: The largest size of a file is reached") for line in said)
    assert "config.toml could not be written. Nothing is damaged" in said[0]
    # Twice in the first iteration: the figures that are set aside are no trace of a checkpoint.
    assert len(run_and_end(tmp_path / "twice", 2, [{"largest_file": 20_000}, {"largest_file": 24_000}])) == 2
    files = {"/".join(line.partition(" could not")[0].split("/")[-2:]) for line in said}
    assert {"networks/000001.safetensors", "state/000001.safetensors"} < files


@pytest.mark.verify
@pytest.mark.parametrize("seed", range(3))
def test_killed_at_many_random_moments(tmp_path: Path, seed: int) -> None:
    run_and_end(tmp_path, 24, random_moments(60, random.Random(seed)))


@pytest.mark.verify
@pytest.mark.parametrize("call", ["replace", "fsync", "pwrite", "ftruncate", "unlink", "write_bytes"])
def test_killed_at_every_call(tmp_path: Path, call: str) -> None:
    moments = ["before", "after"] + ["half"] * (call in ("pwrite", "write_bytes"))
    most = {"ftruncate": 1, "pwrite": 3, "unlink": 6}.get(call, 12)  # of a run that goes on
    plan = [{"call": call, "number": number, "when": when} for number in range(1, most + 1) for when in moments]
    run_and_end(tmp_path, 24, plan)
