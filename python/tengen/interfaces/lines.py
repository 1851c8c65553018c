"""Conversations in lines on standard input and output: what GTP, Gomocup, UCI and USI share.

A session answers one line after the other. It thinks in a thread of its own (`Thinker`), so that the next line can be
read meanwhile. A line that it can't obey is refused by a sentence, never by an exception.
"""

from __future__ import annotations

import contextlib
import math
import queue
import sys
import threading
import traceback
import weakref
from collections.abc import Callable
from typing import Protocol

from tengen.engine import Engine
from tengen.interfaces.pipes import LineReader, PatientWriter

__all__ = [
    "LONGEST_LINE",
    "Refusal",
    "Session",
    "Thinker",
    "Write",
    "converse",
    "number",
    "one_line",
    "only_word",
    "whole_number",
    "without_controls",
]

LONGEST_LINE = 1 << 18  # bytes; the longest game of chess that the rules allow has 17,697 plies of up to six
CONTROLS = {**dict.fromkeys((*range(32), 127)), 9: " "}  # control characters are removed; a tab becomes a space

Write = Callable[[str], None]  # sends whole lines, from any thread


class Refusal(Exception):
    """A line that can't be obeyed. The protocol says how to tell."""


class Session(Protocol):
    """One conversation."""

    def obey(self, line: str) -> bool:
        """Answers one line. Returns False if it was the last."""
        ...

    def stop(self) -> None:
        """Ends the search in flight, from any thread: the answer is what it has found by then."""
        ...

    def end(self) -> None:
        """The other side has left: finishes the answer in flight, if it has an end of its own, or ends it."""
        ...


def converse(make_session: Callable[[Write], Session]) -> None:
    """Holds a conversation on standard input and output until the session or the input ends.

    Nothing but the protocol is written to standard output: whatever else is printed goes to standard error.
    """
    writer = PatientWriter(sys.stdout.fileno(), sys.stdin.fileno())

    def write(text: str) -> None:
        is_report = text.startswith("info ") and not text.startswith("info string")
        writer.write(text, report="analysis" if is_report else None)

    with contextlib.redirect_stdout(sys.stderr):
        session = make_session(write)
        writer.on_gone = session.stop
        for line in LineReader(sys.stdin.fileno(), writer.gone, LONGEST_LINE):
            if not session.obey(line.decode(errors="replace")):
                break
        session.end()
        writer.close()


class Thinker:
    """Runs one piece of work at a time in a thread of its own; `stop` ends it early. For one caller at a time.

    The thread stays for the next piece. On a busy machine a new thread waits for its first turn, and what a clock
    measures goes by: 7 ms where 30 others wanted two cores. One that sleeps is woken at once.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._work: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()  # None ends the thread
        self._idle = threading.Event()
        self._idle.set()
        self._thread: threading.Thread | None = None
        self.stopping = False  # read by the work: a stop that came before its search had begun

    @property
    def busy(self) -> bool:
        return not self._idle.is_set()

    def start(self, work: Callable[[], None], otherwise: Callable[[], None]) -> None:
        """Begins the work, after what went on before. `otherwise` answers in its place if it fails."""
        self.wait()
        self.stopping = False
        idle = self._idle

        def run() -> None:
            try:
                work()
            except Exception:  # a bug of ours must not end the game
                with contextlib.suppress(OSError):  # nobody may listen there either
                    traceback.print_exc()  # to standard error
                otherwise()
            finally:
                idle.set()

        idle.clear()
        if self._thread is None:
            self._thread = threading.Thread(target=_run_all, args=(self._work,), name="tengen-session", daemon=True)
            self._thread.start()
            weakref.finalize(self, self._work.put, None)
        self._work.put(run)

    def wait(self) -> None:
        """Waits until the work is done."""
        self._idle.wait()

    def interrupt(self) -> None:
        """Ends the search, from any thread; the work then does what it does with what was found."""
        self.stopping = True
        self._engine.stop()

    def stop(self) -> None:
        """The same. Returns when the work is done."""
        self.interrupt()
        self.wait()


def _run_all(work: queue.SimpleQueue[Callable[[], None] | None]) -> None:
    while (piece := work.get()) is not None:
        piece()
        del piece  # it holds the session, which would never be let go of


def without_controls(line: str) -> str:
    """A line without control characters, and without spaces around it."""
    return line.translate(CONTROLS).strip()


def one_line(text: str) -> str:
    """A sentence of ours, fit for an answer of one line."""
    return " ".join(text.translate(CONTROLS).split()) or "failed"


def only_word(words: list[str]) -> str:
    if not words:
        raise Refusal("syntax error")
    return words[0]


def whole_number(word: str) -> int:
    if not (word.isascii() and word.isdecimal() and len(word) < 10):
        raise Refusal("syntax error")
    return int(word)


def number(word: str) -> float:
    try:
        number = float(word)
    except ValueError:
        raise Refusal("syntax error") from None
    if not math.isfinite(number):
        raise Refusal("syntax error")
    return number
