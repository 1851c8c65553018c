"""Standard input and output of a protocol in lines, when the program at the other end may be gone, or may not read.

What a pipe does not take at once a thread of its own writes. So no answer and no analysis waits for a reader that has
stalled: of reports that nobody has read yet only the newest is kept. When the reader has gone, or has stalled after the
input ended, `gone` is set, and the `on_gone` is called again and again until the conversation has ended: it stops
searches, which may be many.
"""

from __future__ import annotations

import os
import select
import stat
import threading
import time
from collections.abc import Callable, Iterator

__all__ = ["LineReader", "PatientWriter"]

STALLED = 0.5  # seconds without a byte taken, after which a reader whose side of the input has ended counts as gone
MOST_WAITING = 1 << 20  # bytes of answers that wait to be read; whoever asks for more waits
STEP = 0.1  # seconds between two looks
PIPE_BUF = 4096  # bytes: so many can be written without waiting once poll() says that there is room


class PatientWriter:
    """Writes texts to `output`. `input` is where the other end's requests come from. Any thread may call any method."""

    def __init__(self, output: int, input: int) -> None:
        self.gone = threading.Event()
        self._output, self._input = output, input
        self._is_pipe = stat.S_ISFIFO(os.fstat(output).st_mode)
        self.on_gone: Callable[[], None] = lambda: None
        self._changed = threading.Condition()
        self._waiting: dict[object, bytes] = {}  # the oldest first
        self._rest = b""  # of the text that is being written
        self._moved = time.monotonic()  # when a byte was last taken
        self._closed = False
        self._thread = threading.Thread(target=self._work, name="tengen-writer", daemon=True)
        self._thread.start()

    def write(self, text: str, *, report: object = None) -> None:
        """Sends a text. One that is a `report` gives way to the next report of the same name, if nobody has read it."""
        data = text.encode(errors="replace")
        with self._changed:
            if report is None:
                self._changed.wait_for(lambda: self.gone.is_set() or self._size() < MOST_WAITING)
            else:
                self._waiting.pop(report, None)
            if not self._size():
                self._moved = time.monotonic()
            if not self.gone.is_set() and not self._taken_at_once(data):
                self._waiting[object() if report is None else report] = data
            self._changed.notify_all()

    def _taken_at_once(self, data: bytes) -> bool:
        """Writes a short text without the thread, which may have to wait for a processor, if nothing waits before it.

        A pipe with room takes it whole; of anything else, such as a terminal, nobody knows.
        """
        if not self._is_pipe or self._closed or self._size() or len(data) > PIPE_BUF:
            return False
        poll = select.poll()
        poll.register(self._output, select.POLLOUT)
        if dict(poll.poll(0)).get(self._output) != select.POLLOUT:
            return False
        try:
            return os.write(self._output, data) == len(data)
        except OSError:
            return False  # the thread finds out why

    def close(self, seconds: float = STALLED) -> None:
        """Gives the reader so many seconds for what is left, and then gives up."""
        with self._changed:
            self._changed.wait_for(lambda: self.gone.is_set() or not self._size(), seconds)
            self._closed = True
            self._waiting.clear()
            self._rest = b""
            self._changed.notify_all()
        self._thread.join(STALLED)

    def _size(self) -> int:
        return len(self._rest) + sum(map(len, self._waiting.values()))

    def _work(self) -> None:
        while not self._closed:
            if self.gone.is_set():
                self.on_gone()
                with self._changed:
                    self._changed.wait_for(lambda: self._closed, STEP)
                continue
            with self._changed:
                self._changed.wait_for(lambda: bool(self._size()) or self._closed, STEP)
                if not self._rest and self._waiting:
                    self._rest = self._waiting.pop(next(iter(self._waiting)))
                part = self._rest[:PIPE_BUF]
            if self._has_gone(self._write_part(part)):
                self._give_up()

    def _write_part(self, part: bytes) -> bool | None:
        """Whether the reader took something; None if it has closed its end."""
        poll = select.poll()
        poll.register(self._output, select.POLLOUT if part else 0)
        events = dict(poll.poll(1000.0 * STEP if part else 0.0)).get(self._output, 0)
        if events & (select.POLLERR | select.POLLNVAL) or (events & select.POLLHUP and not events & select.POLLOUT):
            return None
        if not part or not events & select.POLLOUT:
            return False
        try:
            taken = os.write(self._output, part)
        except OSError:
            return None
        with self._changed:
            self._rest = self._rest[taken:]
            self._moved = time.monotonic()
            self._changed.notify_all()
        return True

    def _has_gone(self, took: bool | None) -> bool:
        if took is None:
            return True
        stalled = not took and self._size() > 0 and time.monotonic() - self._moved > STALLED
        return stalled and _has_ended(self._input)

    def _give_up(self) -> None:
        with self._changed:
            self.gone.set()
            self._waiting.clear()
            self._rest = b""
            self._changed.notify_all()


def _has_ended(input: int) -> bool:
    """Whether nobody can write to the input any more."""
    poll = select.poll()
    poll.register(input, 0)
    return bool(poll.poll(0))


class LineReader:
    """The lines of `input` until it ends or `gone` is set. What is longer than `longest` bytes is cut off."""

    def __init__(self, input: int, gone: threading.Event, longest: int) -> None:
        self._input = input
        self._gone = gone
        self._longest = longest
        self._bytes = b""

    def __iter__(self) -> Iterator[bytes]:
        cut = False  # the beginning of this line was long enough to be obeyed
        while not self._gone.is_set():
            line, newline, rest = self._bytes.partition(b"\n")
            if not newline and len(line) >= self._longest:
                if not cut:
                    yield line[: self._longest]
                cut, self._bytes = True, b""
            elif newline:
                self._bytes = rest
                if not cut:
                    yield line[: self._longest]
                cut = False
            elif not self._read():
                if self._bytes and not cut:
                    yield self._bytes
                return

    def _read(self) -> bool:
        """Waits for more. False if there is none to come."""
        poll = select.poll()
        poll.register(self._input, select.POLLIN)
        while not self._gone.is_set():
            if poll.poll(1000.0 * STEP):
                data = os.read(self._input, 1 << 16)
                self._bytes += data
                return bool(data)
        return False
