"""metrics.jsonl: a line for each iteration, with a checksum of its own."""

from __future__ import annotations

import json
import zlib
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tengen.report import IterationReport, iteration_report

__all__ = ["Metrics", "read_metrics", "read_reports", "with_crc"]


@dataclass(frozen=True)
class Metrics:
    """The lines of a file, with their ends of line, as seen from a commit."""

    content: bytes
    good: tuple[bytes, ...]  # of iterations up to the commit
    later: dict[int, bytes]  # of iterations after it, by iteration
    damaged: dict[int, bytes]  # of those that the commit knows, by the number of the line


def read_metrics(path: Path, iteration: int, length: int) -> Metrics:
    """`path` as seen from the commit of an iteration, which knows the first `length` bytes."""
    content = path.read_bytes() if path.exists() else b""
    good, later, damaged = [], {}, {}
    start = 0
    for number, line in enumerate(content.splitlines(keepends=True), 1):
        about = _iteration_of(line)
        if about is None and start < length:
            damaged[number] = line
        elif about is not None and about <= iteration:
            good.append(line)
        elif about is not None:
            later[about] = line
        start += len(line)
    return Metrics(content, tuple(good), later, damaged)


def read_reports(folder: Path) -> list[IterationReport]:
    """The reports of a run, also while it goes on. Lines that can't be understood are left out."""
    path = folder / "metrics.jsonl"
    found = []
    for line in path.read_bytes().splitlines() if path.exists() else ():
        with suppress(ValueError, LookupError, TypeError, AttributeError, RecursionError):
            found.append(iteration_report(json.loads(line)))
    return found


def with_crc(line: dict[str, Any]) -> bytes:
    crc = zlib.crc32(json.dumps(line).encode())
    return json.dumps({**line, "crc32": crc}).encode() + b"\n"


def _iteration_of(line: bytes) -> int | None:
    """The iteration that a line is about; None if it is not as it was written."""
    try:
        content = json.loads(line)
        content.pop("crc32")
        return int(content["iteration"]) if with_crc(content) == line else None
    except (ValueError, KeyError, AttributeError, TypeError, RecursionError):
        return None
