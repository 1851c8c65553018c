"""What runs on a node: one process, which does as many jobs side by side as the node has cores."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any

import ray

from tengen._core import TengenError
from tengen.base.crew import Hand
from tengen.cluster.facts import NodeFacts, facts_here
from tengen.cluster.sending import Parcel

__all__ = ["Answer", "JobKey", "Pulse", "Worker"]

OPENING_SECONDS = 600.0  # that a node may take to open its work: rules are compiled, a network is calibrated

JobKey = tuple[str, int]  # stage and number


@dataclass(frozen=True)
class Answer:
    """What came of a job. An error that is the user's to read travels as its sentence."""

    answer: Any
    done: int = 0  # as its hand counted
    error: str = ""


@dataclass(frozen=True)
class Pulse:
    """Of one job. It lives as long as any of this changes."""

    seconds: float = (
        0.0  # of processor time that its thread has taken, and that it has waited for its work to be opened
    )
    asked: int = 0  # times that it asked whether to stop: what a GPU computes takes no time of the processor
    done: int = 0  # as its hand counts


class _Going:
    """A job that is being done in this thread."""

    def __init__(self, is_stopped: Callable[[], bool]) -> None:
        self._is_stopped = is_stopped
        self._clock = time.pthread_getcpuclockid(threading.get_ident())
        self._asked = 0
        self.waited = 0.0
        self.done = 0

    def should_stop(self) -> bool:
        self._asked += 1
        return self._is_stopped()

    def on_progress(self, done: int) -> None:
        self.done = done

    def pulse(self) -> Pulse:
        return Pulse(time.clock_gettime(self._clock) + self.waited, self._asked, self.done)


class Worker:
    """Ray calls its methods in threads of two groups, so that one that is asked how it is always has one to answer."""

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self._opened: dict[str, SimpleQueue[Hand[Any, Any]]] = {}  # idle hands of the newest stage
        self._opening = threading.Lock()
        self._opening_since: float | None = None
        self._going: dict[JobKey, _Going] = {}
        self._stopped: list[str] = []  # stages; the newest only

    def facts(self) -> NodeFacts:
        return facts_here()

    def do(self, parcel: list[Any], stage: str, number: int, job: Any) -> Answer:
        """`parcel` holds a reference: what it refers to comes to this node once, when it is first needed."""
        going = self._going[stage, number] = _Going(lambda: stage in self._stopped)
        try:
            idle = self._open(parcel[0], stage)
            with _taken(idle) as hand:
                answer = hand(job, should_stop=going.should_stop, on_progress=going.on_progress)
                return Answer(answer, going.done)
        except TengenError as error:
            return Answer(None, error=str(error))
        finally:
            self._going.pop((stage, number), None)

    def pulses(self) -> dict[JobKey, Pulse]:
        """Of the jobs that it has."""
        since = self._opening_since
        waited = min(time.monotonic() - since, OPENING_SECONDS) if since is not None else 0.0
        for going in self._going.copy().values():
            going.waited = waited
        return {key: going.pulse() for key, going in self._going.copy().items()}

    def stop(self, stage: str) -> None:
        """Its jobs end as soon as they can."""
        self._stopped = [*self._stopped[-3:], stage]

    def _open(self, parcel: Any, stage: str) -> SimpleQueue[Hand[Any, Any]]:
        with self._opening:
            if stage not in self._opened:
                self._opening_since = time.monotonic()
                try:
                    contents: Parcel = ray.get(parcel)
                    idle: SimpleQueue[Hand[Any, Any]] = SimpleQueue()
                    for hand in contents.open().hands(self._threads):
                        idle.put(hand)
                    self._opened = {stage: idle}  # the one before is dropped when its last job ends
                finally:
                    self._opening_since = None
            return self._opened[stage]


@contextmanager
def _taken(idle: SimpleQueue[Hand[Any, Any]]) -> Iterator[Hand[Any, Any]]:
    hand = idle.get()
    try:
        yield hand
    finally:
        idle.put(hand)
