"""The TensorBoard event file of a run, written without TensorBoard: `tensorboard --logdir runs`.

It is a function of metrics.jsonl. Every start of a run repairs in place what a kill left at the end of the file, so
that no point is written twice and a running TensorBoard is not disturbed. The format is that of TensorFlow's
`record_writer` and `event.proto`: records with masked CRC-32C checksums, each a protocol buffer.
"""

from __future__ import annotations

import os
import struct
import time
from dataclasses import asdict
from pathlib import Path

from tengen.base.durable import disk_errors
from tengen.report import IterationReport, RunReport
from tengen.run.metrics import read_reports

__all__ = ["EventFile", "scalars"]


class EventFile:
    """An observer that writes the file in a run's folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path = folder / "tensorboard" / "events.out.tfevents.tengen"  # TensorBoard wants "tfevents" in it
        self._origin = 0.0  # the start time of the run, as if it had never been stopped

    def run_started(self, report: RunReport) -> None:
        """Keeps the part of the file that agrees with the metrics, and writes the rest again."""
        reports = read_reports(self._folder)
        self._path.parent.mkdir(exist_ok=True)
        self._path.touch()
        with disk_errors(self._path), self._path.open("r+b") as file:
            found = file.read()
            self._origin = _origin(found) or time.time() - (reports[-1].seconds if reports else 0.0)
            meant = _head(self._origin) + b"".join(map(self._points, reports))
            same = len(os.path.commonprefix([found, meant]))  # noqa: RUF071  # of bytes, as meant
            file.seek(same)
            file.truncate()
            file.write(meant[same:])

    def stage(self, name: str, done: int, total: int) -> None:
        pass

    def iteration_finished(self, report: IterationReport) -> None:
        with disk_errors(self._path), self._path.open("ab") as file:
            file.write(self._points(report))

    def _points(self, report: IterationReport) -> bytes:
        values = b"".join(
            _message(1, _text(1, tag) + b"\x15" + struct.pack("<f", number)) for tag, number in scalars(report).items()
        )
        return _record(_event(self._origin + report.seconds, report.iteration, _message(5, values)))


def scalars(report: IterationReport) -> dict[str, float]:
    """The numbers of an iteration by tag, such as 'learner/policy_loss'."""
    found = {
        "run/seconds": report.seconds,
        "run/memory": float(report.memory),
        "run/promoted": float(report.promoted),
        "run/findings": float(len(report.findings)),
        "run/window_age": float(report.window_age),
    }
    for name, part in (("self_play", report.self_play), ("learner", report.learner)):
        numbers = asdict(part)
        numbers |= {f"{key}_loss": value for key, value in numbers.pop("own_losses", {}).items()}
        found |= {f"{name}/{key}": float(value) for key, value in numbers.items() if key != "nodes"}
    seconds = max(report.self_play.seconds, 1e-9)
    found["speed/games_per_second"] = report.self_play.games / seconds
    found["speed/evaluations_per_second"] = report.self_play.evaluations / seconds
    if report.rating is not None:
        elo, error = report.rating.elo, report.rating.error
        found |= {"strength/elo": elo, "strength/elo_low": elo - error, "strength/elo_high": elo + error}
    if report.gate is not None:
        found["strength/score_against_champion"] = report.gate.score
    return found | {f"score_against/{match.opponent}": match.score for match in report.strength}


def _head(origin: float) -> bytes:
    return _record(_event(origin, 0, _text(3, "brain.Event:2")))


def _origin(content: bytes) -> float | None:
    """The time in the first record of a file; None if the record is not complete."""
    if len(content) < len(_head(0.0)):
        return None
    (origin,) = struct.unpack("<d", content[13:21])  # after the record's length, its checksum, and a key
    return origin if content.startswith(_head(origin)) else None


# ---- Protocol buffers: a key (field number and wire type), then a number or a length and bytes.


def _varint(number: int) -> bytes:
    parts = bytearray()
    while number > 127:
        parts.append(number & 127 | 128)
        number >>= 7
    return bytes([*parts, number])


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _message(field: int, content: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(content)) + content


def _text(field: int, value: str) -> bytes:
    return _message(field, value.encode())


def _event(wall_time: float, step: int, content: bytes) -> bytes:
    return b"\x09" + struct.pack("<d", wall_time) + _number(2, step) + content


# ---- Records


def _record(content: bytes) -> bytes:
    length = struct.pack("<Q", len(content))
    return length + _masked(length) + content + _masked(content)


def _masked(content: bytes) -> bytes:
    """The CRC with TensorFlow's mask, so that a checksum of data that contains checksums is not weaker."""
    crc = crc32c(content)
    return struct.pack("<I", (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF)


def _crc_table() -> list[int]:
    table = []
    for byte in range(256):
        crc = byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
        table.append(crc)
    return table


_TABLE = _crc_table()


def crc32c(content: bytes) -> int:
    """CRC-32C (Castagnoli), which zlib does not have."""
    crc = 0xFFFFFFFF
    for byte in content:
        crc = crc >> 8 ^ _TABLE[(crc ^ byte) & 255]
    return crc ^ 0xFFFFFFFF
