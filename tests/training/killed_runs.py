"""A process that starts training runs and ends them: `python killed_runs.py FOLDER ITERATIONS KIND < plan`.

A plan is a JSON list of ends, one for each time the run is started; then it is left to finish. An end is one of

    {"commits": k, "sleep": s}    SIGKILL after k more commits and then s times the length of an iteration
    {"call": name, "number": n, "when": "before" | "half" | "after"}    SIGKILL at the n-th call of that function of
                                  `os`, or of Path.write_bytes; "half" has written half of its bytes
    {"largest_file": bytes}       no file can grow beyond that, as on a full disk

Runs are forks of this process, which has everything imported but no threads, so that a start takes no time. A run that
was done before its end came is left alone, and another one begun. `FOLDER/whole` is a run that nobody disturbed,
`FOLDER/1` and so on are the others. Prints the messages of the runs that stopped by themselves.
"""

import json
import os
import resource
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openvino  # noqa: F401  # imported before the forks
import torch
from small_runs import small_config

from tengen import TengenError
from tengen.network import on_openvino  # noqa: F401
from tengen.train import train

PATIENCE = 120.0  # seconds without a commit, after which something is wrong
MOST_RUNS = 5
KIND = sys.argv[3]  # of the network: "policy and value" or "ntuple"; "exact": the first, with exact results
EXACT = {"network": {"kind": "policy and value"}, "self_play": {"exact_nodes": 60}}  # settles some positions, not all
STOPPED = 3  # the exit code of a run that says why


def start(folder: Path, iterations: int, before: Callable[[], None] = lambda: None) -> int:
    """The process of a run that goes on with the folder."""
    child = os.fork()
    if child == 0:
        try:
            before()
            stages: dict[str, Any] = EXACT if KIND == "exact" else {"network": {"kind": KIND}, "tables": {"games": 30}}
            train(small_config(iterations, **stages), folder)
            os._exit(0)
        except TengenError as error:
            print(f"{type(error).__name__}: {error}", flush=True)
            os._exit(STOPPED)
        except BaseException:
            import traceback

            traceback.print_exc()
            os._exit(1)
    return child


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def kill_at_call(name: str, number: int, when: str) -> None:
    """Makes the n-th call of a function the last thing this process does."""
    owner = Path if name == "write_bytes" else os
    real = getattr(owner, name)
    calls = 0

    def deadly(*arguments: Any, **options: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls < number:
            return real(*arguments, **options)
        if when == "half":
            where, data, *rest = arguments
            real(where, data[: len(data) // 2], *rest)
        elif when == "after":
            real(*arguments, **options)
        die()

    setattr(owner, name, deadly)


def limit_files(largest: int) -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (largest, resource.RLIM_INFINITY))


def commits(folder: Path) -> int:
    return max((int(path.stem) for path in (folder / "state").glob("*.json")), default=0)


def ended(folder: Path, iterations: int, end: dict[str, Any], iteration_seconds: float) -> bool:
    """Starts the run and ends it as planned; False if it was done before."""
    if "commits" in end:
        return killed_at_moment(folder, iterations, end["commits"], end["sleep"] * iteration_seconds)
    if "call" in end:
        child = start(folder, iterations, lambda: kill_at_call(end["call"], end["number"], end["when"]))
        return os.WIFSIGNALED(os.waitpid(child, 0)[1])
    child = start(folder, iterations, lambda: limit_files(end["largest_file"]))
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == STOPPED


def killed_at_moment(folder: Path, iterations: int, more_commits: int, seconds: float) -> bool:
    begun = commits(folder)
    child = start(folder, iterations)
    patience = time.monotonic() + PATIENCE
    while commits(folder) < begun + more_commits:
        if os.waitpid(child, os.WNOHANG) != (0, 0):
            return False
        if time.monotonic() > patience:
            raise TimeoutError("The run makes no progress.")
        time.sleep(0.005)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)  # it is there, if only as a zombie that was not waited for
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


def finish(folder: Path, iterations: int) -> float:
    """Seconds that it took."""
    started = time.monotonic()
    _, status = os.waitpid(start(folder, iterations), 0)
    assert status == 0, "the run failed"
    return time.monotonic() - started


def main() -> None:
    folder, iterations = Path(sys.argv[1]), int(sys.argv[2])
    torch.optim.AdamW([torch.zeros(1)])  # imports what an optimizer needs
    seconds = finish(folder / "whole", iterations) / iterations
    plan = json.load(sys.stdin)
    for number in range(1, MOST_RUNS + 1):
        run = folder / str(number)
        while plan and ended(run, iterations, plan[0], seconds):
            del plan[0]
        finish(run, iterations)
        if not plan:
            return
    raise AssertionError(f"{MOST_RUNS} runs were done before {plan[0]} came")


if __name__ == "__main__":
    main()
