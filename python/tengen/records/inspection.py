"""A shard looked at game by game, whatever its state: for people who want to know what is good in it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tengen._core import RecordError
from tengen.records.identity import GameIdentity
from tengen.records.shards import _COUNT, _END, _FRAME, _GAME, _HEADER, _identity, _numbers, _scan, _shard_path

__all__ = ["ShardView", "shard_paths", "view_shard"]


@dataclass(frozen=True)
class ShardView:
    """What a shard holds up to the first thing that is wrong with it."""

    path: Path
    identity: GameIdentity | None  # whose games they are
    games: tuple[tuple[int, memoryview], ...]  # where the frame of each begins, and the encoded game
    good: int  # bytes
    closed: bool
    cause: str  # what is wrong after them; empty if nothing is


def shard_paths(folder: Path) -> dict[int, Path]:
    """The shards by number."""
    return {number: _shard_path(folder, number) for number in _numbers(folder)}


def view_shard(path: Path) -> ShardView:
    scan = _scan(memoryview(path.read_bytes()))
    if not scan.frames or scan.frames[0][0] != _HEADER:
        return ShardView(path, None, (), 0, False, scan.cause or "it does not start with a header")
    try:
        identity = _identity(path, bytes(scan.frames[0][1]))
    except RecordError as error:
        return ShardView(path, None, (), 0, False, str(error))
    games: list[tuple[int, memoryview]] = []
    at = _FRAME.size + len(scan.frames[0][1])
    closed = False
    for kind, payload in scan.frames[1:]:
        closes = kind == _END and payload == _COUNT.pack(len(games))
        if closed or not (kind == _GAME or closes):
            return ShardView(path, identity, tuple(games), at, closed, "a frame is in the wrong place")
        closed = closes
        if kind == _GAME:
            games.append((at, payload))
        at += _FRAME.size + len(payload)
    return ShardView(path, identity, tuple(games), at, closed, scan.cause)
