"""Who does the jobs of a stage: this machine's threads, or the nodes of a cluster (`tengen.cluster`).

A stage hands over its *work*, which all of its jobs have in common, and the jobs. What a job gives follows from the
work and the job alone: it makes no difference who does it or when, a lost one is done again, and of two answers to one
job either will do. The answers come in the order of the jobs.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Generic, Protocol, TypeVar

__all__ = ["Crew", "Done", "Hand", "NodeWork", "Threads", "Work"]

SECONDS_BETWEEN_REPORTS = 0.25

J = TypeVar("J")
R = TypeVar("R")
J_contra = TypeVar("J_contra", contravariant=True)
R_co = TypeVar("R_co", covariant=True)


class Hand(Protocol[J_contra, R_co]):
    """Does one job after the other, in one thread.

    It asks `should_stop` now and then, and tells `on_progress` how much of the job is done, in a unit of its own.
    """

    def __call__(
        self, job: J_contra, /, should_stop: Callable[[], bool], on_progress: Callable[[int], None]
    ) -> R_co: ...


class Work(Protocol[J_contra, R_co]):
    """What the jobs of a stage have in common. For a cluster it can be pickled, as jobs and answers can."""

    def hands(self, number: int) -> Sequence[Hand[J_contra, R_co]]:
        """So many, for a thread each. Called once where the jobs are done."""
        ...


@dataclass(frozen=True)
class NodeWork:
    """What one node did of the jobs of a stage."""

    name: str
    threads: int
    jobs: tuple[int, ...]  # whose answers were taken
    lost: int = 0  # jobs that it had begun when it was lost


@dataclass(frozen=True)
class Done(Generic[R]):
    """The answers in the order of the jobs. `nodes` is empty where this machine did them all."""

    answers: list[R]
    nodes: tuple[NodeWork, ...] = ()


class Crew(Protocol):
    """Does jobs, for one stage at a time."""

    @property
    def threads(self) -> int:
        """Jobs that are done side by side."""
        ...

    def do(
        self,
        work: Work[J, R],
        jobs: Sequence[J],
        *,
        should_stop: Callable[[], bool] = lambda: False,
        on_progress: Callable[[int], None] = lambda done: None,
        on_answer: Callable[[int, R], None] = lambda number, answer: None,
    ) -> Done[R]:
        """All jobs. `on_progress` hears now and then, in this thread, what all hands have done so far; `on_answer`
        hears of every answer once, with the number of its job, as it comes.
        """
        ...


@dataclass(frozen=True)
class Threads:
    """The threads of this machine."""

    threads: int

    def do(
        self,
        work: Work[J, R],
        jobs: Sequence[J],
        *,
        should_stop: Callable[[], bool] = lambda: False,
        on_progress: Callable[[int], None] = lambda done: None,
        on_answer: Callable[[int, R], None] = lambda number, answer: None,
    ) -> Done[R]:
        idle: SimpleQueue[Hand[J, R]] = SimpleQueue()
        for hand in work.hands(self.threads):
            idle.put(hand)
        done = [0] * len(jobs)
        cancelled = threading.Event()

        def do_one(number: int) -> R:
            hand = idle.get()
            try:
                return hand(
                    jobs[number],
                    should_stop=lambda: cancelled.is_set() or should_stop(),
                    on_progress=lambda amount: done.__setitem__(number, amount),
                )
            finally:
                idle.put(hand)

        with ThreadPoolExecutor(self.threads) as pool:
            futures = [pool.submit(do_one, number) for number in range(len(jobs))]
            try:
                numbers = {future: number for number, future in enumerate(futures)}
                going_on = set(futures)
                while going_on:
                    ended, going_on = wait(going_on, SECONDS_BETWEEN_REPORTS, FIRST_EXCEPTION)
                    for future in ended:
                        on_answer(numbers[future], future.result())
                    on_progress(sum(done))
            finally:  # when one of them failed, or someone pressed Ctrl-C
                cancelled.set()
        return Done([future.result() for future in futures])
