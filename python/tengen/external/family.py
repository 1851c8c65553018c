"""Finds the processes that an external program has started, wherever they went.

Each program gets a mark of its own in its environment, which its children inherit. One that has left the process group
(a daemon, or a program that was started by `setsid`) still has the mark, and is found by it. A process that clears its
environment, or that belongs to another user, is not found. Only Linux shows environments (/proc); elsewhere the process
group is all that is ended.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
from pathlib import Path

__all__ = ["SHELL", "VARIABLE", "end_family", "marked_environment"]

VARIABLE = "TENGEN_PROGRAM"
ROUNDS = 100  # a process may start another while it is looked for; one that does so for ever is given up

# The same in a shell, for the guard of a program: $1 is the mark.
SHELL = f"""
rounds=0 again=1
while [ $again = 1 ] && [ $rounds -lt {ROUNDS} ]; do
    again=0 rounds=$((rounds + 1))
    for process in /proc/[0-9]*; do
        if grep -qs -- "$1" "$process/environ"; then kill -s KILL "${{process#/proc/}}" && again=1; fi
    done
done
"""


def marked_environment() -> tuple[str, dict[str, str]]:
    """A new mark, and our environment with it. Marks of programs that we run in ourselves stay."""
    mark = secrets.token_hex(16)
    outer = os.environ.get(VARIABLE, "")
    return mark, {**os.environ, VARIABLE: f"{outer},{mark}".lstrip(",")}


def end_family(mark: str) -> None:
    """Kills every process with this mark."""
    for _ in range(ROUNDS):
        killed = [process for process in Path("/proc").glob("[0-9]*") if _kill(process, mark)]
        if not killed:
            return


def _kill(process: Path, mark: str) -> bool:
    """Whether the process had the mark. A descriptor stands for it meanwhile, so that its number is nobody else's."""
    with contextlib.suppress(OSError):
        descriptor = os.pidfd_open(int(process.name))
        try:
            if mark.encode() in (process / "environ").read_bytes():
                signal.pidfd_send_signal(descriptor, signal.SIGKILL)
                return True
        finally:
            os.close(descriptor)
    return False
