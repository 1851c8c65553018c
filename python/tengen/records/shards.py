"""Shards: append-only files of whole games, `games/000001.tgr` and so on.

A shard is a row of frames, each with its kind, its length and a checksum: a header that names the game, the games, and,
once the next shard is begun, an end that counts them. So a cut or a flipped bit anywhere is found. What lies before it
is good; the rest is set aside for people to look at, never used.
"""

from __future__ import annotations

import json
import os
import struct
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from tengen._core import Game, RecordError
from tengen.base.durable import aside_path, disk_errors, set_aside, sync_folder, write_bytes
from tengen.base.threads import InUse, one_thread
from tengen.records.identity import GameIdentity
from tengen.records.record import GameRecord, decode, encode

__all__ = [
    "Damage",
    "ShardEnd",
    "ShardWriter",
    "game_of",
    "game_payloads",
    "newest_games",
    "newest_iteration",
    "pack",
    "read_games",
    "unpack",
]

_FRAME = struct.Struct("<4sII")  # kind, bytes that follow, CRC-32 of kind, length and bytes
_HEADER, _GAME, _END = b"TGRH", b"GAME", b"TEND"
_VERSION = 3  # versions 1 and 2 are read too
_COUNT = struct.Struct("<I")
LATER = "games that no checkpoint knows"


class ShardEnd(NamedTuple):
    """How far the games of a run go: in shard number `shard` (from 1; 0: none yet), up to byte `length`."""

    shard: int
    length: int


@dataclass(frozen=True)
class Damage:
    """A shard that was not as it had been written, and what became of it."""

    path: Path
    offset: int  # the games before this byte are good
    cause: str
    set_aside: Path | None  # where the rest is now, if there was any
    is_later: bool = False  # not damaged: games that were written after the commit

    def __str__(self) -> str:
        if self.is_later:
            return f"{self.path} has {self.cause}; they are in {self.set_aside}."
        kept = f"The games before byte {self.offset} are kept" if self.offset else "No game of it could be kept"
        moved = f"; the rest is in {self.set_aside}" if self.set_aside else ""
        return f"{self.path}: {self.cause}. {kept}{moved}."


# ---- Frames


def _frame(kind: bytes, payload: bytes) -> bytes:
    checksum = zlib.crc32(payload, zlib.crc32(kind + _COUNT.pack(len(payload))))
    return _FRAME.pack(kind, len(payload), checksum) + payload


@dataclass(frozen=True)
class _Scan:
    frames: list[tuple[bytes, memoryview]]  # kind and payload
    good: int  # bytes up to the end of the last good frame
    cause: str  # what is wrong after them; empty if nothing is


def _scan(data: memoryview) -> _Scan:
    frames: list[tuple[bytes, memoryview]] = []
    at = 0
    while at < len(data):
        start = at + _FRAME.size
        if start > len(data):
            return _Scan(frames, at, "it ends in the middle of a frame")
        kind, length, checksum = _FRAME.unpack_from(data, at)
        if start + length > len(data):
            return _Scan(frames, at, "it ends in the middle of a frame, or the length of the frame is wrong")
        payload = data[start : start + length]
        if checksum != zlib.crc32(payload, zlib.crc32(data[at : at + 8])):
            return _Scan(frames, at, "a checksum is wrong")
        frames.append((kind, payload))
        at = start + length
    return _Scan(frames, at, "")


def pack(records: Iterable[GameRecord]) -> bytes:
    """Games as bytes with checksums, for a checkpoint: unfinished ones too."""
    return b"".join(_frame(_GAME, encode(record)) for record in records)


def unpack(data: bytes) -> list[GameRecord]:
    scan = _scan(memoryview(data))
    if scan.cause or any(kind != _GAME for kind, _ in scan.frames):
        raise RecordError(f"These packed games are damaged: {scan.cause or 'they have frames of another kind'}.")
    return [decode(payload) for _, payload in scan.frames]


# ---- Shards


@dataclass(frozen=True)
class _Shard:
    games: list[memoryview]  # payloads
    good: int  # bytes
    closed: bool
    cause: str


def _header(game: Game) -> bytes:
    content = {"version": _VERSION, **GameIdentity.of(game).header()}
    return _frame(_HEADER, json.dumps(content).encode())


def _end(games: int) -> bytes:
    return _frame(_END, _COUNT.pack(games))


def _read(path: Path, game: Game, length: int | None = None) -> _Shard:
    """The shard, up to `length` if there is one."""
    try:
        data = memoryview(path.read_bytes())
    except FileNotFoundError:
        return _Shard([], 0, False, "it is missing")
    scan = _scan(data if length is None else data[:length])
    if not scan.frames or scan.frames[0][0] != _HEADER:
        return _Shard([], 0, False, scan.cause or "it does not start with a header")
    _check_header(path, game, bytes(scan.frames[0][1]))
    good = _FRAME.size + len(scan.frames[0][1])
    games: list[memoryview] = []
    closed = False
    for kind, payload in scan.frames[1:]:
        closes = kind == _END and payload == _COUNT.pack(len(games))
        if closed or not (kind == _GAME or closes):
            return _Shard(games, good, closed, "a frame is in the wrong place")
        good += _FRAME.size + len(payload)
        closed = closes
        if kind == _GAME:
            games.append(payload)
    too_short = length is not None and len(data) < length
    return _Shard(games, good, closed, scan.cause or (f"it is shorter than {length} bytes" if too_short else ""))


def _read_closed(path: Path, game: Game) -> _Shard:
    """A shard that has a successor, and so must have an end."""
    shard = _read(path, game)
    return shard if shard.cause or shard.closed else replace(shard, cause="games are missing at its end")


def _check_header(path: Path, game: Game, header: bytes) -> None:
    kept, asked = _identity(path, header), GameIdentity.of(game)
    if kept.is_edited(asked):
        raise RecordError(
            f"{path} holds games of {kept.name}, but by other rules: {game.spec.source} was edited since."
        )
    if not kept.is_same(asked):
        raise RecordError(f"{path} holds games of {kept}, not of {asked}.")


def _identity(path: Path, header: bytes) -> GameIdentity:
    try:
        content = json.loads(header)
        version = content["version"]
        identity = GameIdentity.of_header(content)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise RecordError(f"{path} has a header that this tengen can't read.") from error
    if version not in range(1, _VERSION + 1):
        raise RecordError(f"{path} is of version {version}; this tengen reads versions 1 to {_VERSION}.")
    return identity


def game_of(folder: Path) -> GameIdentity | None:
    """Whose games the shards in the folder hold; None if there is no first shard that can be read."""
    path = _shard_path(folder, 1)
    try:
        scan = _scan(memoryview(path.read_bytes()))
    except OSError:
        return None
    if not scan.frames or scan.frames[0][0] != _HEADER:
        return None
    return _identity(path, bytes(scan.frames[0][1]))


def _shard_path(folder: Path, number: int) -> Path:
    return folder / f"{number:06d}.tgr"


def _numbers(folder: Path) -> list[int]:
    """Of the shards. Files with other names are not ours."""
    numbers = (int(path.stem) for path in folder.glob("*.tgr") if path.stem.isdecimal())
    return sorted(number for number in set(numbers) if _shard_path(folder, number).is_file())


def game_payloads(folder: Path, game: Game, up_to: ShardEnd | None = None) -> Iterator[memoryview]:
    """The encoded games of a folder in order. A damaged shard is a RecordError: `ShardWriter.resume` sets it right."""
    newest = up_to.shard if up_to else max(_numbers(folder), default=0)
    for number in range(1, newest + 1):
        path = _shard_path(folder, number)
        shard = _read(path, game, up_to and up_to.length) if number == newest else _read_closed(path, game)
        if shard.cause:
            raise RecordError(f"{path} is damaged after byte {shard.good}: {shard.cause}.")
        yield from shard.games


def read_games(folder: Path, game: Game, up_to: ShardEnd | None = None) -> Iterator[GameRecord]:
    """The games of a folder in order: up to a commit, or all of them."""
    for payload in game_payloads(folder, game, up_to):
        yield decode(payload)


def newest_games(folder: Path, game: Game, count: int) -> list[GameRecord]:
    """At most so many games, the newest first; also while a run writes. What is damaged or half written is left out."""
    found: list[GameRecord] = []
    for number in reversed(_numbers(folder)):
        shard = _read(_shard_path(folder, number), game)
        found += [decode(payload) for payload in shard.games[::-1][: count - len(found)]]
        if len(found) == count:
            break
    return found


def newest_iteration(folder: Path, after: ShardEnd) -> int:
    """The latest iteration that a whole game after this commit was begun in; -1 if there is no game."""
    newest = -1
    for number in _numbers(folder):
        if number >= after.shard:
            data = memoryview(_shard_path(folder, number).read_bytes())
            for kind, payload in _scan(data[after.length if number == after.shard else 0 :]).frames:
                with suppress(RecordError):
                    newest = max(newest, decode(payload).iteration if kind == _GAME else -1)
    return newest


class ShardWriter:
    """Appends whole games to the shards of a folder. What `commit` returned survives whatever happens next.

    For one thread at a time: a call during another thread's raises InUseError.
    """

    def __init__(
        self,
        folder: Path,
        game: Game,
        end: ShardEnd | None = None,
        *,
        shard_bytes: int = 64 << 20,
        keeps_later: bool = False,
    ) -> None:
        """Begins the first shard, or goes on after `end`. A shard that has reached `shard_bytes` is closed."""
        folder.mkdir(parents=True, exist_ok=True)
        if end is None and _numbers(folder):
            raise RecordError(f"There are games in {folder} already; resume them, or choose another folder.")
        self._in_use = InUse("This writer")
        self.damage: tuple[Damage, ...] = ()  # what was found and set right on the way in
        self._folder = folder
        self._game = game
        self._shard_bytes = shard_bytes
        self._descriptor = -1
        if end is None or end.shard == 0:
            self.damage = tuple(self._later_shards(0))
            self._begin_shard(1)
        else:
            self.damage = (*self._go_on(end, keeps_later), *self._later_shards(end.shard))
        sync_folder(folder)

    @classmethod
    def resume(
        cls, folder: Path, game: Game, end: ShardEnd, *, shard_bytes: int = 64 << 20, keeps_later: bool = False
    ) -> ShardWriter:
        """Goes on after `end`, a commit. What is damaged is set aside, and so are shards that were begun later.

        What the last shard has after `end` is cut off, as the iteration under way is done again; `keeps_later` sets it
        aside too. If there was `damage`, the run goes on without those games, and `writer.end` may be before `end`.
        """
        return cls(folder, game, end, shard_bytes=shard_bytes, keeps_later=keeps_later)

    @property
    def end(self) -> ShardEnd:
        """Where the games that were written end."""
        return ShardEnd(self._shard, self._length)

    @one_thread
    def append(self, records: Sequence[GameRecord]) -> None:
        """Writes finished games. They are safe after the next commit."""
        if not all(record.is_over for record in records):
            raise RecordError("Only finished games are written; an unfinished one belongs in a checkpoint.")
        chunk: list[bytes] = []
        size = 0
        for record in records:
            if self._length + size >= self._shard_bytes:
                self._write(b"".join(chunk), len(chunk))
                self._close_shard()
                self._begin_shard(self._shard + 1)
                chunk, size = [], 0
            chunk.append(_frame(_GAME, encode(record)))
            size += len(chunk[-1])
        self._write(b"".join(chunk), len(chunk))

    @one_thread
    def commit(self) -> ShardEnd:
        """Makes the games so far durable, and tells where they end: for `resume`."""
        with disk_errors(self._path):
            os.fsync(self._descriptor)
        return self.end

    @one_thread
    def close(self) -> None:
        """Lets go of the file. The shard stays open for more: `resume` goes on in it."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    @property
    def _path(self) -> Path:
        return _shard_path(self._folder, self._shard)

    def _later_shards(self, shard: int) -> Iterator[Damage]:
        """Sets aside the shards that were begun after the last commit. Those without a game are removed."""
        for leftover in self._folder.glob(".[0-9]*.tgr.tmp"):
            leftover.unlink()
        for number in _numbers(self._folder):
            if number <= shard:
                continue
            path = _shard_path(self._folder, number)
            scan = _scan(memoryview(path.read_bytes()))
            if not scan.cause and all(kind == _HEADER for kind, _ in scan.frames):
                path.unlink()
                continue
            yield Damage(path, 0, LATER, set_aside(path), is_later=True)

    def _go_on(self, end: ShardEnd, keeps_later: bool) -> Iterator[Damage]:
        """Opens the last shard, and sets right the ones that are damaged."""
        for number in range(1, end.shard + 1):
            path = _shard_path(self._folder, number)
            is_last = number == end.shard
            shard = _read(path, self._game, end.length) if is_last else _read_closed(path, self._game)
            if shard.cause:
                yield _set_aside(path, shard.good, shard.cause)
            elif is_last and keeps_later and path.stat().st_size > end.length:
                yield replace(_set_aside(path, end.length, LATER), is_later=True)
            if is_last or shard.cause:
                self._open_shard(number, shard)
            if not is_last and not shard.closed:
                self._close_shard()
            elif not is_last:
                self.close()

    def _begin_shard(self, number: int) -> None:
        path = _shard_path(self._folder, number)
        write_bytes(path, _header(self._game))
        self._shard, self._length, self._games = number, path.stat().st_size, 0
        self._descriptor = os.open(path, os.O_RDWR)

    def _open_shard(self, number: int, shard: _Shard) -> None:
        """Cuts a shard back to its good games, to write after them."""
        if shard.good == 0:
            self._begin_shard(number)
            return
        self._shard, self._length, self._games = number, shard.good, len(shard.games)
        self._descriptor = os.open(self._path, os.O_RDWR)
        os.ftruncate(self._descriptor, self._length)
        os.fsync(self._descriptor)

    def _close_shard(self) -> None:
        self._write(_end(self._games), 0)
        self.commit()
        self.close()

    def _write(self, data: bytes, games: int) -> None:
        """All of it or, on a full disk, nothing."""
        with disk_errors(self._path):
            try:
                written = 0
                while written < len(data):
                    written += os.pwrite(self._descriptor, data[written:], self._length + written)
            except OSError:
                os.ftruncate(self._descriptor, self._length)
                raise
        self._length += len(data)
        self._games += games


def _set_aside(path: Path, good: int, cause: str) -> Damage:
    """Copies what follows the first `good` bytes to `set_aside/`; the caller then cuts it off."""
    rest = path.read_bytes()[good:] if path.exists() else b""
    if not rest:
        return Damage(path, good, cause, None)
    target = aside_path(path, f"{path.name}.from_byte_{good}")
    write_bytes(target, rest)
    return Damage(path, good, cause, target)
