"""A program behind two pipes: started, read line by line, and never left running.

Every failure (it dies, hangs, floods its output) is an ExternalEngineError that names the program and what it did. Even
if Python itself is killed, a guard process kills the programs that it had started.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Iterator, Sequence
from typing import IO, NoReturn

from tengen._core import TengenError
from tengen.external.family import SHELL, end_family, marked_environment

__all__ = ["EngineResignedError", "ExternalEngineError", "Program", "found_command"]

MOST_UNREAD = 1 << 20  # bytes; far more than any valid answer
MOST_SAID = 1 << 24  # characters before an answer: comments of a long search
LAST_WORDS = 500  # bytes at the end of its standard error that an error message quotes
GAMES_FOLDER = "/usr/games"  # where Debian installs engines; not on every PATH
# Waits for a line that is never sent. The pipe closes when Python ends in any way; then process group $0 is killed, and
# whoever has the mark $1, until nobody is found.
GUARD = f'read -r _; kill -s KILL -- "-$0"; {SHELL}'


class ExternalEngineError(TengenError):
    """An external program failed: `engine` is its name, `deed` what it did, as in "closed its output"."""

    def __init__(self, engine: str, deed: str, last_words: str = "") -> None:
        self.engine = engine
        self.deed = deed
        super().__init__(f"{engine} {deed}" + (f"; its standard error ends with: {last_words}" if last_words else "."))


class EngineResignedError(ExternalEngineError):
    """The program resigned: the game is lost, but the program did not fail."""


class Program:
    """A running program with pipes. Its processes are killed by `close`, with this object, or when Python ends.

    One thread asks and reads; `close` is for any thread, and the one that waits for an answer then gets an error.
    """

    def __init__(self, name: str, command: Sequence[str]) -> None:
        self.name = name
        pipe = subprocess.PIPE
        try:
            # It gets its own process group, so that its children are killed with it and Ctrl-C reaches only us.
            mark, environment = marked_environment()
            self._process = subprocess.Popen(
                command, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True, env=environment
            )
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            raise ExternalEngineError(name, f"can't be started: {reason}") from error
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self._output = _Inbox(MOST_UNREAD)
        self._complaints = _Inbox(sys.maxsize, kept=LAST_WORDS)
        self._output.fill_from(self._process.stdout)
        self._complaints.fill_from(self._process.stderr)
        self._end = weakref.finalize(self, _end, self._process, _guard(self._process.pid, mark), mark)

    def send(self, text: str) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(text.encode())
            self._process.stdin.flush()
        except (OSError, ValueError):  # it no longer reads; ValueError: another thread has closed the pipe
            self._blame_silence(0.0)

    def unread(self) -> bytes:
        """Output that has not been read yet, without waiting for more."""
        return self._output.take_all()

    def read_to(self, end: bytes, seconds: float) -> str:
        """Its output up to and including `end`, which ends a line; carriage returns are removed."""
        return self._read_to(end, seconds, seconds)

    def answers(self, end: bytes, seconds: float) -> Iterator[str]:
        """Its output as it comes, in pieces that end with `end`, stripped; empty ones are left out.

        An error when `seconds` are over, whatever it has said until then, or when it has said too much.
        """
        deadline = time.monotonic() + seconds
        length = 0
        while length <= MOST_SAID:
            said = self._read_to(end, max(0.0, deadline - time.monotonic()), seconds)
            length += len(said)
            if said.strip():
                yield said.strip()
        raise self.blame("floods its output")

    def _read_to(self, end: bytes, seconds: float, allowed: float) -> str:
        """`seconds` are left of those that were allowed."""
        said = self._output.take_to(end, seconds)
        if said is None:
            self._blame_silence(allowed)
        return said.decode(errors="replace")

    def wait(self, seconds: float) -> None:
        """Waits until the program has ended by itself, or for so many seconds."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)

    def blame(self, deed: str) -> ExternalEngineError:
        """Ends the program and returns the error to raise."""
        self.close()
        words = self._complaints.take_all()[-LAST_WORDS:].decode(errors="replace")
        return ExternalEngineError(self.name, deed, " ".join(words.split()))

    def close(self) -> None:
        """Kills the program and every process that it started."""
        self._end()

    @property
    def closed(self) -> bool:
        """Whether we ended it; False for a program that died by itself."""
        return not self._end.alive

    def _blame_silence(self, seconds: float) -> NoReturn:
        if self._output.overfull:
            raise self.blame("floods its output")
        self.wait(0.5 if self._output.closed else 0.0)
        code = self._process.returncode
        if code is not None:
            raise self.blame(f"died (exit code {code})" if code >= 0 else f"died (signal {-code})")
        if self._output.closed:
            raise self.blame("closed its output")
        raise self.blame(f"gave no answer within {round(seconds, 2):g} s")


class _Inbox:
    """Bytes from a pipe, read by a thread of its own up to an upper bound."""

    def __init__(self, most: int, kept: int | None = None) -> None:
        self.closed = False
        self.overfull = False
        self._most = most
        self._kept = kept  # if given, only so many of the last bytes are kept
        self._bytes = bytearray()
        self._news = threading.Condition()

    def fill_from(self, pipe: IO[bytes]) -> None:
        threading.Thread(target=self._fill, args=(pipe,), daemon=True).start()

    def _fill(self, pipe: IO[bytes]) -> None:
        with contextlib.suppress(OSError), pipe:
            while (chunk := os.read(pipe.fileno(), 1 << 16)) and not self.overfull:
                with self._news:
                    self._bytes += chunk.replace(b"\r", b"")
                    if self._kept is not None:
                        del self._bytes[: -self._kept]
                    self.overfull = len(self._bytes) > self._most
                    self._news.notify_all()
        with self._news:
            self.closed = True
            self._news.notify_all()

    def take_all(self) -> bytes:
        with self._news:
            taken = bytes(self._bytes)
            self._bytes.clear()
            return taken

    def take_to(self, end: bytes, seconds: float) -> bytes | None:
        """The bytes up to and including `end`; None if it does not come in time or the pipe is closed or overfull."""
        with self._news:
            self._news.wait_for(lambda: end in self._bytes or self.closed or self.overfull, seconds)
            if self.overfull or end not in self._bytes:
                return None
            length = self._bytes.index(end) + len(end)
            taken = bytes(self._bytes[:length])
            del self._bytes[:length]
            return taken


def _guard(group: int, mark: str) -> subprocess.Popen[bytes] | None:
    """A shell process that kills the process group, and whoever left it, when Python has ended."""
    if os.name != "posix":
        return None
    silent = subprocess.DEVNULL
    return subprocess.Popen(
        ["/bin/sh", "-c", GUARD, str(group), mark],
        stdin=subprocess.PIPE,
        stdout=silent,
        stderr=silent,
        start_new_session=True,
    )


def _end(process: subprocess.Popen[bytes], guard: subprocess.Popen[bytes] | None, mark: str) -> None:
    """Kills the process group of the program, and whoever left it, and waits until the program has ended."""
    if guard is not None:
        guard.kill()  # before the group: the id of a group that has ended may be reused by another program
        guard.communicate()
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.wait()
    end_family(mark)
    if process.stdin is not None:
        with contextlib.suppress(OSError):
            process.stdin.close()  # the other pipes are closed by the threads that read them


def found_command(name: str, command: str) -> list[str]:
    """The words of a command, with the full path of the program."""
    try:
        words = shlex.split(command)
    except ValueError as error:  # an unclosed quotation mark
        raise ExternalEngineError(name, f"can't be started: {error}") from error
    if not words:
        raise ExternalEngineError(name, "can't be started: there is no command")
    places = os.pathsep.join([os.environ.get("PATH", os.defpath), GAMES_FOLDER])
    program = shutil.which(words[0], path=places)
    if program is None:
        raise ExternalEngineError(name, f"can't be started: there is no program '{words[0]}'")
    return [program, *words[1:]]
