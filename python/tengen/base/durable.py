"""Writes that survive a kill at any moment, setting aside instead of deleting, and the lock of a run.

A file is either the old one or the new one, never half of each: temp -> fsync -> rename -> fsync folder.
"""

from __future__ import annotations

import errno
import os
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import chain, count
from pathlib import Path

from tengen._core import TengenError

__all__ = [
    "DiskFullError",
    "HeldFolder",
    "RunInUseError",
    "append_bytes",
    "aside_path",
    "disk_errors",
    "lock_owner",
    "replacing",
    "run_lock",
    "set_aside",
    "sync_file",
    "sync_folder",
    "write_bytes",
    "write_text",
]


SET_ASIDE = "set_aside"  # the folder beside a file that it is moved to instead of being deleted
UNKNOWN_OWNER = "another process"
LOCK_TRIES = 5  # whoever asks for the owner holds the lock for a moment


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


def aside_path(path: Path, name: str = "") -> Path:
    """A free name in the folder `set_aside` beside a file: its own, or `name`, or one of these with a number."""
    folder = path.parent / SET_ASIDE
    folder.mkdir(exist_ok=True)
    wanted = name or path.name
    numbered = (folder / f"{wanted}.{number}" for number in count(2))
    return next(free for free in chain([folder / wanted], numbered) if not os.path.lexists(free))


def set_aside(path: Path) -> Path:
    """Moves a file there; gives its new path. It is durable when the folder it comes from is synced next."""
    target = aside_path(path)
    path.rename(target)
    sync_folder(target.parent)
    return target


class HeldFolder:
    """A folder that this process holds, with the lock that keeps others off it."""

    def __init__(self, folder: Path, descriptor: int) -> None:
        self._folder = folder
        self._descriptor = descriptor

    def check(self) -> None:
        """RunInUseError if the path names another folder by now, which another process may hold."""
        if not self._is_there():
            raise RunInUseError(
                f"The folder {self._folder} was moved, removed or replaced while a process worked in it; nothing more "
                "is written there. Put it back and start again."
            )

    def _is_there(self) -> bool:
        try:
            return os.path.samestat(os.fstat(self._descriptor), os.stat(self._folder))
        except OSError:
            return False


@contextmanager
def run_lock(folder: Path) -> Iterator[HeldFolder]:
    """Holds a run for this process. The system lets go of it however the process ends.

    The lock is on the folder itself, which can't be removed while there is anything in it. The file `lock` says whose
    it is; it is locked too, because NFS, where a lock of one machine may not be seen by another, locks no folders.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as held:
        descriptor = _opened(held, folder, os.O_RDONLY)
        owner = None if _lock(descriptor, is_folder=True) else lock_owner(folder) or UNKNOWN_OWNER
        if owner is None:
            file = _opened(held, folder / "lock", os.O_RDWR | os.O_CREAT)
            owner = None if _lock(file) else _owner(file)
        if owner is not None:
            raise RunInUseError(f"The run {folder} is in use by {owner}; stop that first, or choose another folder.")
        holding = HeldFolder(folder, descriptor)
        holding.check()  # whoever had it may have removed it just now
        os.ftruncate(file, 0)
        os.pwrite(file, f"process {os.getpid()} on {socket.gethostname()}\n".encode(), 0)
        yield holding


def lock_owner(folder: Path) -> str | None:
    """Who holds a run, as 'process 123 on host', or 'another process' if that is not known; None: nobody."""
    with ExitStack() as held:
        try:
            free = _lock(_opened(held, folder, os.O_RDONLY), shared=True, is_folder=True)
        except OSError:
            return None
        try:
            file = _opened(held, folder / "lock", os.O_RDONLY)
        except OSError:
            return None if free else UNKNOWN_OWNER
        return None if free and _lock(file, shared=True) else _owner(file)


def _opened(held: ExitStack, path: Path, flags: int) -> int:
    descriptor = os.open(path, flags, 0o644)
    held.callback(os.close, descriptor)
    return descriptor


def _lock(descriptor: int, *, shared: bool = False, is_folder: bool = False) -> bool:
    """Whether nobody else has it. True of a folder if this file system locks none."""
    import fcntl

    for _ in range(1 if shared else LOCK_TRIES):
        try:
            fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(0.0 if shared else 0.01)
        except OSError:
            if not is_folder:
                raise
            return True
        else:
            return True
    return False


def _owner(file: int) -> str:
    return os.pread(file, 200, 0).decode(errors="replace").strip() or UNKNOWN_OWNER
