"""How much memory there is, for the machine or the container that this process runs in, and how much it has used."""

from __future__ import annotations

import os
import re
import resource
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tengen._core import TengenError

__all__ = ["Memory", "MemoryLimitError", "gigabytes", "memory_in_use", "memory_there", "parse_memory"]

UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "KI": 2**10, "MI": 2**20, "GI": 2**30, "TI": 2**40}


class MemoryLimitError(TengenError):
    """Something would take, or has taken, more memory than there is or than it may."""


@dataclass(frozen=True)
class Memory:
    """An upper bound, and whose it is: 'this machine has', 'this container may take', '--memory allows'."""

    bytes: int
    whose: str

    def __str__(self) -> str:
        return f"{self.whose} {gigabytes(self.bytes)}"


def memory_there(given: int | None = None, root: Path = Path("/")) -> Memory:
    """The smallest of: the memory of the machine, that of each control group around this process, `given`.

    `root` is the folder that `proc` and `sys` are in.
    """
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    bounds = [Memory(machine, "this machine has")]
    bounds += [Memory(most, "this container may take") for most in _group_limits(root)]
    bounds += [Memory(given, "--memory allows")] if given is not None else []
    return min(bounds, key=lambda bound: bound.bytes)


def parse_memory(text: str) -> int:
    """'4GB', '500 MB', '2GiB', '4G' in bytes."""
    found = re.fullmatch(r"([0-9]{1,15}(?:\.[0-9]{1,15})?)\s*([KMGT]?I?)B?", text.strip().upper())
    size = float(found[1]) * UNITS.get(found[2], 0) if found else 0.0
    if not 1e6 <= size <= 1e18:
        raise MemoryLimitError(f"--memory takes a size such as 4GB or 500MB, at least 1MB; found '{text[:50]}'.")
    return int(size)


def gigabytes(size: float) -> str:
    """In the unit that leaves few digits."""
    if size < 1e9:
        return f"{size / 1e6:.0f} MB"
    return f"{size / 1e9:,.1f} GB" if size < 1e15 else f"{size / 1e9:.1e} GB"


def memory_in_use() -> int:
    """The most that this process has used so far, in bytes."""
    with suppress(OSError):  # Linux; there getrusage still counts what the process was that started this one
        found = re.search(r"VmHWM:\s*(\d+) kB", Path("/proc/self/status").read_text())
        if found is not None:
            return int(found[1]) * 1024
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


def _group_limits(root: Path) -> Iterator[int]:
    """Of the control groups that this process is in and of those around them, as far as they can be seen from here."""
    for folder, name in _groups(root):
        with suppress(OSError, ValueError):  # 'max' is no number: no limit
            yield int((folder / name).read_text())


def _groups(root: Path) -> Iterator[tuple[Path, str]]:
    """The folder of each group, and the file that has its limit: of version 2 in one tree, of version 1 in another."""
    try:
        lines = (root / "proc/self/cgroup").read_text().splitlines()
    except OSError:
        return
    for line in lines:
        number, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if number == "0" and not controllers:
            tops, name = ["sys/fs/cgroup", "sys/fs/cgroup/unified"], "memory.max"
        elif "memory" in controllers.split(","):
            tops, name = ["sys/fs/cgroup/memory"], "memory.limit_in_bytes"
        else:
            continue
        group = Path(path.lstrip("/"))
        for top in tops:
            yield from ((root / top / around, name) for around in (group, *group.parents))
