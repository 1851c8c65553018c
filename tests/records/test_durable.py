"""A file is the old one or the new one, whatever goes wrong; a run belongs to one process."""

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tengen.base.durable import DiskFullError, RunInUseError, replacing, run_lock, write_bytes, write_text


def test_a_write_replaces_the_file_and_leaves_nothing_else(tmp_path: Path) -> None:
    write_text(tmp_path / "a.json", "old")
    write_text(tmp_path / "a.json", "new")
    assert (tmp_path / "a.json").read_text() == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]


@pytest.mark.parametrize("failing", ["fsync", "replace"])
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_is_named_and_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str, code: int
) -> None:
    path = tmp_path / "weights"
    write_bytes(path, b"old")

    def fail(*_: object) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, failing, fail)
    with pytest.raises(DiskFullError, match=r"(disk is full|quota is used up).*weights"):
        write_bytes(path, b"new")
    assert path.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["weights"]


def test_another_error_keeps_its_name(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        write_bytes(tmp_path / "no such folder" / "file", b"")


def test_a_writer_that_fails_half_way_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "weights"
    write_bytes(path, b"old")

    def write_half() -> None:
        with replacing(path) as temporary:
            temporary.write_bytes(b"half of the n")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write_half()
    assert path.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["weights"]


_HOLD = """
import sys, time
from pathlib import Path
from tengen.base.durable import run_lock
with run_lock(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(600)
"""


def _holder(folder: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", _HOLD, str(folder)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    return process


def test_a_second_process_is_refused_until_the_first_is_dead(tmp_path: Path) -> None:
    first = _holder(tmp_path)
    try:
        assert first.stdout is not None
        assert first.stdout.readline() == "held\n"
        with pytest.raises(RunInUseError, match=f"in use by process {first.pid} on "), run_lock(tmp_path):
            pass
        second = _holder(tmp_path)
        assert second.wait() != 0
        assert second.stderr is not None
        assert f"RunInUseError: The run {tmp_path} is in use by process {first.pid}" in second.stderr.read()
        first.send_signal(signal.SIGKILL)
        first.wait()
        with run_lock(tmp_path):
            pass
    finally:
        first.kill()
        first.wait()


def test_a_lock_is_let_go_after_an_error(tmp_path: Path) -> None:
    def fail_while_holding_it() -> None:
        with run_lock(tmp_path):
            with pytest.raises(RunInUseError, match=f"process {os.getpid()}"), run_lock(tmp_path):
                pass
            raise ZeroDivisionError

    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            fail_while_holding_it()
