"""A run whose disk forgets or fails at any moment goes on to the same bits, or refuses and says why."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from disk import Journal, after_cut, write_out, written_down

HERE = Path(__file__).parent


def power_cuts(folder: Path, iterations: int, every: int) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, str(HERE / "power_cuts.py"), str(folder), str(iterations), str(every)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert isinstance(found, dict)
    return found


def write_two(folder: Path) -> Journal:
    """A file that is synced and renamed as it should be, and one that is not."""
    journal = Journal(folder)
    folder.mkdir()
    with written_down(journal):
        for name, is_safe in (("good", True), ("bad", False)):
            with (folder / f"{name}.tmp").open("wb") as file:
                file.write(b"0123456789")
                file.flush()
                if is_safe:
                    os.fsync(file.fileno())
            os.replace(folder / f"{name}.tmp", folder / name)
            if is_safe:
                descriptor = os.open(folder, os.O_RDONLY)
                os.fsync(descriptor)
                os.close(descriptor)
    return journal


@pytest.mark.parametrize(
    ("mode", "left"),
    [
        ("kept", {"good": b"0123456789", "bad": b"0123456789"}),
        ("lost", {"good": b"0123456789"}),
        ("names", {"good": b"0123456789", "bad": b""}),
        ("contents", {"good": b"0123456789"}),
        ("torn", {"good": b"0123456789", "bad": b"01234"}),
        ("reordered", {"good": b"0123456789", "bad": b""}),
    ],
)
def test_the_disk_forgets_what_was_not_synced(tmp_path: Path, mode: str, left: dict[str, bytes]) -> None:
    journal = write_two(tmp_path / "written")
    disk = after_cut(journal.operations, mode)
    assert disk == left
    write_out(disk, tmp_path / "left")
    assert {path.name: path.read_bytes() for path in (tmp_path / "left").iterdir()} == left


def test_a_run_goes_on_after_power_cuts_and_failing_writes(tmp_path: Path) -> None:
    found = power_cuts(tmp_path, iterations=3, every=16)
    assert found["wrong"] == []
    assert found["refused"] == {}
    assert found["resumed"] == found["tried"] > 15


@pytest.mark.verify
def test_a_run_goes_on_whatever_the_disk_does(tmp_path: Path) -> None:
    found = power_cuts(tmp_path, iterations=3, every=1)
    assert found["wrong"] == []
    assert found["refused"] == {}
    assert found["resumed"] == found["tried"] > 300
