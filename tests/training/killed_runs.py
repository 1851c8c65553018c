"""A process that starts training runs and kills them: `python killed_runs.py FOLDER ITERATIONS < plan`.

A plan is a JSON list of kills, one for each time the run is started; then it is left to finish. A kill is either
{"commits": k, "sleep": s}, which waits for k more commits and then s times the length of an iteration, or
{"call": name, "number": n, "when": "before" | "half" | "after"}, at the n-th call of a function of `os`. Runs are forks of
this process, which has everything imported but no threads, so that a start takes no time. Prints how many were killed.
"""

import json
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openvino  # noqa: F401  # imported before the forks
import torch
from small_runs import small_config

from tengen.network import on_openvino  # noqa: F401
from tengen.train import train

PATIENCE = 120.0  # seconds without a commit, after which something is wrong


def start(folder: Path, iterations: int, before: Callable[[], None] = lambda: None) -> int:
    """The process of a run that goes on with the folder."""
    child = os.fork()
    if child == 0:
        try:
            before()
            train(small_config(iterations), folder)
            os._exit(0)
        except BaseException:
            import traceback

            traceback.print_exc()
            os._exit(1)
    return child


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def kill_at_call(name: str, number: int, when: str) -> None:
    """Makes the n-th call of os.<name> the last thing this process does."""
    real = getattr(os, name)
    calls = 0

    def deadly(*arguments: Any, **options: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls < number:
            return real(*arguments, **options)
        if when == "half":  # of a write: descriptor, data, offset
            descriptor, data, offset = arguments
            real(descriptor, data[: len(data) // 2], offset)
        elif when == "after":
            real(*arguments, **options)
        die()

    setattr(os, name, deadly)


def commits(folder: Path) -> int:
    return max((int(path.stem) for path in (folder / "state").glob("*.json")), default=0)


def killed(folder: Path, iterations: int, kill: dict[str, Any], iteration_seconds: float) -> bool:
    """Starts the run and kills it as planned; False if it was done before."""
    if "call" in kill:
        child = start(folder, iterations, lambda: kill_at_call(kill["call"], kill["number"], kill["when"]))
        return os.WIFSIGNALED(os.waitpid(child, 0)[1])
    begun = commits(folder)
    child = start(folder, iterations)
    patience = time.monotonic() + PATIENCE
    while commits(folder) < begun + kill["commits"] and os.waitpid(child, os.WNOHANG) == (0, 0):
        time.sleep(0.005)
        if time.monotonic() > patience:
            raise TimeoutError("The run makes no progress.")
    time.sleep(kill["sleep"] * iteration_seconds)
    try:
        os.kill(child, signal.SIGKILL)
        return os.WIFSIGNALED(os.waitpid(child, 0)[1])
    except (ProcessLookupError, ChildProcessError):
        return False


def finish(folder: Path, iterations: int) -> float:
    """Seconds that it took."""
    started = time.monotonic()
    _, status = os.waitpid(start(folder, iterations), 0)
    assert status == 0, "the run failed"
    return time.monotonic() - started


def main() -> None:
    folder, iterations = Path(sys.argv[1]), int(sys.argv[2])
    torch.optim.AdamW([torch.zeros(1)])  # imports what an optimizer needs
    (folder / "killed").mkdir(parents=True)
    seconds = finish(folder / "whole", iterations) / iterations
    kills = [killed(folder / "killed", iterations, kill, seconds) for kill in json.load(sys.stdin)]
    finish(folder / "killed", iterations)
    print(sum(kills))


if __name__ == "__main__":
    main()
