"""A disk that forgets: writes down what a program does to the files of a folder, and makes what power cuts could leave.

A file system promises little: what was written is there after `fsync` of the file, and that a file got its name, was
renamed or removed, after `fsync` of its folder. Whatever is later may be there or not, in any order. `Journal` notes
every operation; `after_cut(operations, mode)` is the disk after these and a power cut that is bad in one way:

    kept        everything is there: what a killed process leaves
    lost        nothing is there that was not synced
    names       names have changed, but what was not synced of the files is gone (a renamed file is empty)
    contents    the files are there, but names have not changed since the last sync of their folder
    torn        as kept, but of each file's last unsynced write only the first half is there
    reordered   of the unsynced changes of names only the last is there
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

MODES = ("kept", "lost", "names", "contents", "torn", "reordered")


@dataclass(frozen=True)
class Operation:
    """One change. Files are known by a number, whatever they are called."""

    kind: str  # create, write, truncate, sync, rename, unlink, mkdir, sync folder
    file: int = -1
    path: str = ""
    other: str = ""  # the new name
    offset: int = 0
    data: bytes = b""

    @property
    def folder(self) -> str:
        return str(Path(self.other or self.path).parent)


@dataclass
class Journal:
    """What was done, in order, to files below a folder."""

    folder: Path
    operations: list[Operation] = field(default_factory=list)
    fail_at: int | None = None  # the number of the operation that fails with an input/output error, once
    _files: dict[str, int] = field(default_factory=dict)  # by path
    files_open: dict[int, tuple[int, str]] = field(default_factory=dict)  # by descriptor: file (-1: a folder), path
    _next_file: int = 0

    @classmethod
    def of(cls, folder: Path) -> Journal:
        """Of a folder that has files already, all of them durable."""
        journal = cls(folder)
        for path in sorted(folder.rglob("*")):
            name = journal.name(path)
            if path.is_dir():
                journal.add(Operation("mkdir", path=name))
                continue
            journal._next_file += 1
            number = journal._files[name] = journal._next_file
            journal.add(Operation("create", number, name))
            journal.add(Operation("write", number, data=path.read_bytes()))
            journal.add(Operation("sync", number))
        for path in (folder, *(path for path in folder.rglob("*") if path.is_dir())):
            journal.add(Operation("sync folder", path=journal.name(path)))
        return journal

    def is_inside(self, path: Any) -> bool:
        return isinstance(path, (str, os.PathLike)) and str(os.fspath(path)).startswith(str(self.folder))

    def add(self, operation: Operation) -> None:
        if self.fail_at == len(self.operations):
            self.fail_at = None
            raise OSError(5, "Input/output error")
        self.operations.append(operation)

    def name(self, path: Any) -> str:
        return str(Path(os.fspath(path)).relative_to(self.folder))

    def opened(self, descriptor: int, path: Any, flags: int, existed: bool) -> None:
        name = self.name(path)
        if os.path.isdir(path):
            self.files_open[descriptor] = (-1, name)
            return
        if not existed:
            self._next_file += 1
            self._files[name] = self._next_file
        number = self._files[name]
        self.files_open[descriptor] = (number, name)
        if not existed:
            self.add(Operation("create", number, name))
        elif flags & os.O_TRUNC:
            self.add(Operation("truncate", number, offset=0))

    def renamed(self, old: str, new: str) -> None:
        self.add(Operation("rename", path=old, other=new))
        self._files[new] = self._files.pop(old)

    def removed(self, path: str) -> None:
        self.add(Operation("unlink", path=path))
        self._files.pop(path, None)


class _RawFile(io.RawIOBase):
    """A file opened for writing whose writes go through `os`, and so into the journal."""

    def __init__(self, path: Any, mode: str) -> None:
        flags = {"w": os.O_CREAT | os.O_TRUNC, "a": os.O_CREAT, "r": 0, "x": os.O_CREAT | os.O_EXCL}[mode[0]]
        self._descriptor = os.open(path, os.O_RDWR | flags, 0o666)
        if mode[0] == "a":
            os.lseek(self._descriptor, 0, os.SEEK_END)

    def fileno(self) -> int:
        return self._descriptor

    def readable(self) -> bool:
        return True

    def writable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = os.read(self._descriptor, len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def write(self, data: Any) -> int:
        return os.write(self._descriptor, bytes(data))

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        return os.lseek(self._descriptor, offset, whence)

    def tell(self) -> int:
        return os.lseek(self._descriptor, 0, os.SEEK_CUR)

    def truncate(self, size: int | None = None) -> int:
        length = self.tell() if size is None else size
        os.ftruncate(self._descriptor, length)
        return length

    def close(self) -> None:
        if not self.closed:
            os.close(self._descriptor)
        super().close()


class _Watched:
    """The functions of `os` and `io` that change files, each noting what it is about to do."""

    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        self.real: dict[str, Callable[..., Any]] = {
            name: getattr(os, name) for name in (own.removeprefix("os_") for own in dir(self) if own.startswith("os_"))
        }
        self.real_open = io.open

    def os_open(self, path: Any, flags: int, mode: int = 0o777, **options: Any) -> int:
        existed = os.path.exists(path)
        descriptor = int(self.real["open"](path, flags, mode, **options))
        if self.journal.is_inside(path):
            try:
                self.journal.opened(descriptor, path, flags, existed)
            except OSError:
                self.real["close"](descriptor)
                raise
        return descriptor

    def os_close(self, descriptor: int) -> None:
        self.journal.files_open.pop(descriptor, None)
        self.real["close"](descriptor)

    def os_write(self, descriptor: int, data: bytes) -> int:
        if descriptor in self.journal.files_open:
            at = os.lseek(descriptor, 0, os.SEEK_CUR)
            self.journal.add(Operation("write", self.journal.files_open[descriptor][0], offset=at, data=bytes(data)))
        return int(self.real["write"](descriptor, data))

    def os_pwrite(self, descriptor: int, data: bytes, offset: int) -> int:
        if descriptor in self.journal.files_open:
            file = self.journal.files_open[descriptor][0]
            self.journal.add(Operation("write", file, offset=offset, data=bytes(data)))
        return int(self.real["pwrite"](descriptor, data, offset))

    def os_ftruncate(self, descriptor: int, length: int) -> None:
        if descriptor in self.journal.files_open:
            self.journal.add(Operation("truncate", self.journal.files_open[descriptor][0], offset=length))
        self.real["ftruncate"](descriptor, length)

    def os_fsync(self, descriptor: int) -> None:
        """Only noted: nothing is lost in a test, and a real sync takes time."""
        if descriptor in self.journal.files_open:
            file, path = self.journal.files_open[descriptor]
            self.journal.add(Operation("sync folder", path=path) if file < 0 else Operation("sync", file))

    def os_replace(self, old: Any, new: Any, **options: Any) -> None:
        if self.journal.is_inside(old):
            assert not os.path.isdir(old), "a run renames no folders"
            self.journal.renamed(self.journal.name(old), self.journal.name(new))
        self.real["replace"](old, new, **options)

    os_rename = os_replace

    def os_unlink(self, path: Any, **options: Any) -> None:
        if self.journal.is_inside(path) and os.path.exists(path):
            self.journal.removed(self.journal.name(path))
        self.real["unlink"](path, **options)

    def os_mkdir(self, path: Any, *arguments: Any, **options: Any) -> None:
        self.real["mkdir"](path, *arguments, **options)
        if self.journal.is_inside(path):
            self.journal.add(Operation("mkdir", path=self.journal.name(path)))

    def io_open(self, path: Any, mode: str = "r", buffering: int = -1, *arguments: Any, **options: Any) -> Any:
        changes = any(letter in mode for letter in "wax+")
        if not changes or not self.journal.is_inside(path):
            return self.real_open(path, mode, buffering, *arguments, **options)
        raw = _RawFile(path, mode)
        binary = io.BufferedRandom(raw) if "+" in mode else io.BufferedWriter(raw)
        return binary if "b" in mode else io.TextIOWrapper(binary, encoding="utf-8")


@contextmanager
def written_down(journal: Journal) -> Iterator[None]:
    """While this lasts, every change below the journal's folder is noted before it is made."""
    watched = _Watched(journal)
    try:
        for name in watched.real:
            setattr(os, name, getattr(watched, f"os_{name}"))
        io.open = watched.io_open  # type: ignore[assignment]
        yield
    finally:
        io.open = watched.real_open
        for name, function in watched.real.items():
            setattr(os, name, function)


def after_cut(operations: list[Operation], mode: str) -> dict[str, bytes | None]:
    """The disk after these operations and a power cut: files by path; None is a folder."""
    return _contents(operations, _names(operations, mode), mode)


def write_out(disk: dict[str, bytes | None], folder: Path) -> None:
    folder.mkdir(parents=True)
    for path, data in sorted(disk.items()):
        if data is None:
            (folder / path).mkdir(parents=True, exist_ok=True)
    for path, data in disk.items():
        if data is not None:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(data)


NAME_CHANGES = ("create", "rename", "unlink")


def _names(operations: list[Operation], mode: str) -> dict[str, int | None]:
    """Which file each path names; None is a folder. Folders are kept: they are made once, before anything counts."""
    left_out = _changes_left_out(operations, mode)
    names: dict[str, int | None] = {}
    files: dict[str, int] = {}  # as the program saw it
    for number, operation in enumerate(operations):
        is_kept = number not in left_out
        if operation.kind == "mkdir":
            names[operation.path] = None
        elif operation.kind == "create":
            files[operation.path] = operation.file
            if is_kept:
                names[operation.path] = operation.file
        elif operation.kind == "rename":
            files[operation.other] = files.pop(operation.path)
            if is_kept:
                names.pop(operation.path, None)
                names[operation.other] = files[operation.other]
        elif operation.kind == "unlink" and files.pop(operation.path, None) is not None and is_kept:
            names.pop(operation.path, None)
    return names


def _changes_left_out(operations: list[Operation], mode: str) -> set[int]:
    """Changes of names that the disk has forgotten."""
    if mode in ("kept", "names", "torn"):
        return set()
    synced = {operation.path: number for number, operation in enumerate(operations) if operation.kind == "sync folder"}
    unsynced = [
        number
        for number, operation in enumerate(operations)
        if operation.kind in NAME_CHANGES and number > synced.get(operation.folder, -1)
    ]
    return set(unsynced[:-1] if mode == "reordered" else unsynced)


def _contents(operations: list[Operation], names: dict[str, int | None], mode: str) -> dict[str, bytes | None]:
    last_sync: dict[int, int] = {}
    for number, operation in enumerate(operations):
        if operation.kind == "sync":
            last_sync[operation.file] = number
    content: dict[int, bytearray] = {}
    last_write: dict[int, int] = {}
    for number, operation in enumerate(operations):
        if operation.kind == "write":
            last_write[operation.file] = number
    for number, operation in enumerate(operations):
        if operation.kind not in ("create", "write", "truncate"):
            continue
        data = content.setdefault(operation.file, bytearray())
        is_synced = number <= last_sync.get(operation.file, -1)
        if not is_synced and mode in ("lost", "names", "reordered"):
            continue
        if operation.kind == "truncate":
            del data[operation.offset :]
            data.extend(bytes(operation.offset - len(data)))
        elif operation.kind == "write":
            written = operation.data
            if mode == "torn" and not is_synced and number == last_write[operation.file]:
                written = written[: len(written) // 2]
            data.extend(bytes(max(0, operation.offset - len(data))))
            data[operation.offset : operation.offset + len(written)] = written
    return {path: None if file is None else bytes(content.get(file, b"")) for path, file in names.items()}
