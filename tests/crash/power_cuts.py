"""A process that cuts the power of training runs: `python power_cuts.py FOLDER ITERATIONS EVERY`.

A run is written down operation by operation (disk.py): a new one, and two that go on after something happened to their
newest checkpoint. Then, for every operation and every way in which a disk can forget, a run goes on from what the cut
left; EVERY = 10 takes each tenth of these disks. And each operation fails once with an input/output error, after which
the same run goes on. Prints a JSON object with what came of it.

Runs are forks of this process, which has everything imported but no threads, so that a start takes no time.
"""

import hashlib
import json
import os
import pickle
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import openvino  # noqa: F401  # imported before the forks
import torch
from disk import MODES, Journal, Operation, after_cut, write_out, written_down
from small_runs import small_config, what_counts

from tengen import TengenError
from tengen.network import on_openvino  # noqa: F401
from tengen.train import train

DONE, REFUSED, BROKEN, FAILED_DISK = 0, 3, 1, 4


def in_child(work: Callable[[], Any], complaint: Path) -> int:
    """The exit code of a fork that does this; what it says about an error goes into a file."""
    child = os.fork()
    if child == 0:
        code = DONE
        try:
            work()
        except TengenError as error:
            complaint.write_text(f"{type(error).__name__}: {error}")
            code = REFUSED
        except OSError as error:
            complaint.write_text(f"{type(error).__name__}: {error}")
            code = FAILED_DISK
        except BaseException:
            import traceback

            complaint.write_text(traceback.format_exc())
            code = BROKEN
        os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def begun(whole: Path, run: Path, damage: str) -> None:
    """A run that was stopped before its end and that something happened to: a resume has to set things aside."""
    shutil.copytree(whole, run)
    newest = max(int(path.stem) for path in (run / "state").glob("*.json"))
    if damage == "no newest checkpoint":
        for path in (run / "state").glob(f"{newest:06d}.*"):
            path.unlink()
    elif damage == "a flipped bit in the newest checkpoint":
        path = run / "state" / f"{newest:06d}.games"
        path.write_bytes(path.read_bytes()[:-1] + b"?")


STARTS = ("a new run", "no newest checkpoint", "a flipped bit in the newest checkpoint")


def journaled(start: str, whole: Path, run: Path, iterations: int, fail_at: int | None = None) -> tuple[Journal, int]:
    """A run written down, from this start; and how many operations only say what was there at first."""
    if start != STARTS[0]:
        begun(whole, run, start)
    journal = Journal.of(run) if run.exists() else Journal(run)
    before = len(journal.operations)
    journal.fail_at = None if fail_at is None else before + fail_at
    with written_down(journal):
        train(small_config(iterations), run)
    return journal, before


def different_disks(operations: list[Operation], before: int) -> Iterator[tuple[str, dict[str, bytes | None]]]:
    """Every disk that a cut can leave, each once, with its name."""
    seen = set()
    for number in range(before, len(operations) + 1):
        for mode in MODES:
            disk = after_cut(operations[:number], mode)
            digest = hashlib.sha256(repr(sorted(disk.items())).encode()).digest()
            if digest not in seen:
                seen.add(digest)
                yield f"{number}-{mode}", disk


def main() -> None:
    folder, iterations, every = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    torch.optim.AdamW([torch.zeros(1)])  # imports what an optimizer needs
    complaint, kept, whole = folder / "complaint.txt", folder / "journal.pickle", folder / "whole"
    assert in_child(lambda: train(small_config(iterations), whole), complaint) == DONE, complaint.read_text()
    meant = what_counts(whole)
    refused: Counter[str] = Counter()
    wrong: list[str] = []
    tried: Counter[str] = Counter()
    resumed = disks_seen = operations_seen = 0

    def go_on(run: Path, name: str) -> None:
        nonlocal resumed
        tried[name.partition(":")[0]] += 1
        code = in_child(lambda: train(small_config(iterations), run), complaint)
        if code == REFUSED:
            refused[complaint.read_text().replace(str(run), "RUN")] += 1
        elif code != DONE:
            wrong.append(f"{name}: exit {code}: {complaint.read_text()[-2000:] if complaint.exists() else ''}")
        elif what_counts(run) != meant:
            wrong.append(f"{name}: other bits")
        else:
            resumed += 1
        shutil.rmtree(run)

    for start in STARTS:

        def write_down(start: str = start) -> None:
            journal, before = journaled(start, whole, folder / "journaled", iterations)
            kept.write_bytes(pickle.dumps((journal.operations, before)))

        assert in_child(write_down, complaint) == DONE, complaint.read_text()
        shutil.rmtree(folder / "journaled")
        operations: list[Operation]
        operations, before = pickle.loads(kept.read_bytes())  # our own, of a moment ago
        disks = list(different_disks(operations, before))
        operations_seen += len(operations) - before
        disks_seen += len(disks)
        for name, disk in disks[:: every or 1]:
            write_out(disk, folder / "cut")
            go_on(folder / "cut", f"{start}, cut: {name}")
        failing = folder / "failing"
        for number in range(0, len(operations) - before, every or 1):
            code = in_child(partial(journaled, start, whole, failing, iterations, number), complaint)
            if code == BROKEN:
                wrong.append(f"{start}, operation {number} failed: {complaint.read_text()[-2000:]}")
            go_on(failing, f"{start}, failed: operation {number}")
    print(
        json.dumps(
            {
                "operations": operations_seen,
                "disks": disks_seen,
                "tried": sum(tried.values()),
                "tried by kind": tried,
                "resumed": resumed,
                "refused": refused,
                "wrong": wrong,
            }
        )
    )


if __name__ == "__main__":
    main()
