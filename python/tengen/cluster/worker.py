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


@dataclass
class Pulse:
    """Of one job: `beats` grows as long as it lives."""

    beats: int = 0
    done: int = 0  # as its hand counts


class Worker:
    """Ray calls its methods in threads of two groups, so that one that is asked how it is always has one to answer."""

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self._opened: dict[str, SimpleQueue[Hand[Any, Any]]] = {}  # idle hands of the newest stage
        self._opening = threading.Lock()
        self._opening_since: float | None = None
        self._pulses: dict[JobKey, Pulse] = {}
        self._stopped: set[str] = set()  # stages; the newest only

    def facts(self) -> NodeFacts:
        return facts_here()

    def do(self, parcel: list[Any], stage: str, number: int, job: Any) -> Answer:
        """`parcel` holds a reference: what it refers to comes to this node once, when it is first needed."""
        pulse = self._pulses[stage, number] = Pulse()
        try:
            idle = self._open(parcel[0], stage)
            with _taken(idle) as hand:
                answer = hand(job, should_stop=self._should_stop(stage, pulse), on_progress=_progress(pulse))
                return Answer(answer, pulse.done)
        except TengenError as error:
            return Answer(None, error=str(error))
        finally:
            self._pulses.pop((stage, number), None)

    def pulses(self) -> dict[JobKey, Pulse]:
        """Of the jobs that it has."""
        since = self._opening_since
        if since is not None and time.monotonic() - since < OPENING_SECONDS:
            for pulse in self._pulses.copy().values():
                pulse.beats += 1
        return self._pulses.copy()

    def stop(self, stage: str) -> None:
        """Its jobs end as soon as they can."""
        self._stopped = {*list(self._stopped)[-1:], stage}

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

    def _should_stop(self, stage: str, pulse: Pulse) -> Callable[[], bool]:
        def should_stop() -> bool:
            pulse.beats += 1
            return stage in self._stopped

        return should_stop


def _progress(pulse: Pulse) -> Callable[[int], None]:
    def on_progress(done: int) -> None:
        pulse.done = done

    return on_progress


@contextmanager
def _taken(idle: SimpleQueue[Hand[Any, Any]]) -> Iterator[Hand[Any, Any]]:
    hand = idle.get()
    try:
        yield hand
    finally:
        idle.put(hand)
