"""Writes that survive a kill at any moment, and the lock that keeps a second process off a run.

A file is either the old one or the new one, never half of each: temp -> fsync -> rename -> fsync folder.
"""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tengen._core import TengenError

__all__ = [
    "DiskFullError",
    "RunInUseError",
    "append_bytes",
    "disk_errors",
    "replacing",
    "run_lock",
    "sync_file",
    "sync_folder",
    "write_bytes",
    "write_text",
]


class DiskFullError(TengenError):
    """There was no room for a write; what was there before is as it was."""


class RunInUseError(TengenError):
    """Another process works on this run."""


_NO_ROOM = {
    errno.ENOSPC: "The disk is full",
    errno.EDQUOT: "The disk quota is used up",
    errno.EFBIG: "The largest size of a file is reached (ulimit -f tells that of this shell)",
}


@contextmanager
def disk_errors(path: Path) -> Iterator[None]:
    """Names a full disk, quota or file for what it is."""
    try:
        yield
    except OSError as error:
        if error.errno not in _NO_ROOM:
            raise
        raise DiskFullError(
            f"{_NO_ROOM[error.errno]}: {path} could not be written. Nothing is damaged; make room and go on."
        ) from error


def sync_file(path: Path) -> None:
    descriptor = os.open(path, os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_folder(folder: Path) -> None:
    """Makes the names in a folder durable: files that were made, renamed or removed."""
    if os.name != "posix":  # elsewhere a folder can't be opened, and needs no sync
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary file beside `path` to write into; it becomes `path` when the block ends without an error.

    Its name is always the same, so that kills leave at most one behind; the next write takes its place.
    """
    temporary = path.with_name(f".{path.name}.tmp")
    try:
        with disk_errors(path):
            yield temporary
            sync_file(temporary)
            os.replace(temporary, path)
            sync_folder(path.parent)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def write_bytes(path: Path, data: bytes) -> None:
    with replacing(path) as temporary:
        temporary.write_bytes(data)


def write_text(path: Path, text: str) -> None:
    write_bytes(path, text.encode())


def append_bytes(path: Path, data: bytes) -> None:
    """On the disk when this returns. A kill may leave a part of it at the end of the file."""
    with disk_errors(path), path.open("ab") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def run_lock(folder: Path) -> Iterator[None]:
    """Holds a run for this process. The system lets go of it however the process ends."""
    import fcntl

    folder.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o644)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            owner = os.read(descriptor, 200).decode(errors="replace").strip() or "another process"
            raise RunInUseError(
                f"The run {folder} is in use by {owner}; stop that first, or choose another folder."
            ) from None
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"process {os.getpid()} on {socket.gethostname()}\n".encode(), 0)
        yield
    finally:
        os.close(descriptor)
