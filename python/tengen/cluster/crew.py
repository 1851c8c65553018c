"""The nodes of a Ray cluster as a crew: one worker a node, jobs handed out one by one, answers in their order.

The head keeps all that counts. A node that dies, freezes or leaves costs the jobs it had, which others do again; one
that joins gets jobs at once. Never more than one job a core is out (two nodes at most have the same), so no queue
grows. Ray itself retries nothing.
"""

from __future__ import annotations

import contextlib
import threading
import time
import uuid
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any, TypeVar

import ray
from ray.exceptions import RayError, RayTaskError
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from tengen._core import Game, TengenError
from tengen.base.crew import Done, NodeWork, Work
from tengen.cluster.connecting import ClusterError
from tengen.cluster.facts import NodeFacts
from tengen.cluster.learning import RayPartners
from tengen.cluster.sending import Parcel, SentFiles
from tengen.cluster.worker import Answer, JobKey, Pulse, Worker
from tengen.config import RunConfig

__all__ = ["RayCrew"]

LOOK_SECONDS = 1.0  # between two looks at which nodes there are
WAIT_SECONDS = 0.25  # that an answer is waited for before the rest is looked after
START_SECONDS = 120.0  # until some node must be ready when a crew begins
AWAY_SECONDS = 900.0  # that a stage waits when all nodes are lost: a network comes back, Ray and workers start again
FAILURES = 3  # of a node in a row, without an answer in between, after which it is left alone for a while
REST_SECONDS = 60.0
LATE = 1.5  # times as long as usual: then a job is given to an idle node too
COPIES = 2  # nodes that may have the same job

J = TypeVar("J")
R = TypeVar("R")


@dataclass(eq=False)
class Node:
    """A node with its worker, as the head sees it."""

    id: str
    name: str
    threads: int
    gpus: float
    worker: Any = None  # None: none was started, or it was lost
    starting: Any = None  # what its facts will come from
    facts: NodeFacts | None = None  # None: not ready
    tasks: dict[Any, Task] = field(default_factory=dict)  # what it does, by reference
    asked: Any = None  # for its pulses
    asked_at: float = 0.0
    failures: int = 0
    rests_until: float = 0.0
    why: str = ""  # it failed last

    @property
    def free(self) -> int:
        return self.threads - len(self.tasks) if self.facts is not None else 0


@dataclass(eq=False)
class Task:
    """A job that a node was given."""

    number: int
    node: Node
    since: float
    heard: float  # when it last gave a sign of life
    pulse: Pulse = field(default_factory=Pulse)


class RayCrew:
    """All nodes of the cluster that ray is connected to. For one stage at a time: another one waits for it."""

    def __init__(self, files: SentFiles, *, patience: float) -> None:
        self._files = files
        self._patience = patience
        self._nodes: dict[str, Node] = {}
        self._looked = 0.0
        self._one_stage = threading.Lock()
        self._partners: RayPartners | None = None

    def __enter__(self) -> RayCrew:
        began = time.monotonic()
        while not any(node.facts for node in self._nodes.values()):
            self._look_around()
            if time.monotonic() - began > START_SECONDS:
                raise ClusterError(self.nobody())
            time.sleep(0.05)
        self._settle()
        return self

    def __exit__(self, *error: object) -> None:
        if self._partners is not None:
            self._partners.close()
        for node in self._nodes.values():
            self._end(node)

    @property
    def threads(self) -> int:
        return max(1, sum(node.threads for node in self._nodes.values() if node.facts))

    @property
    def facts(self) -> tuple[tuple[NodeFacts, int], ...]:
        """Of every node that is ready, with the number of its threads."""
        return tuple((node.facts, node.threads) for node in self._nodes.values() if node.facts)

    def do(
        self,
        work: Work[J, R],
        jobs: Sequence[J],
        *,
        should_stop: Callable[[], bool] = lambda: False,
        on_progress: Callable[[int], None] = lambda done: None,
        on_answer: Callable[[int, R], None] = lambda number, answer: None,
    ) -> Done[R]:
        with self._one_stage:
            stage = _Stage(self, ray.put(Parcel.pack(work, self._files)), jobs, on_answer)
            try:
                return stage.run(should_stop, on_progress)
            finally:
                stage.leave()

    def partners(self, game: Game, config: RunConfig, discount: float) -> RayPartners:
        """Processes of the cluster that learn together."""
        self._partners = RayPartners(game, config, discount)
        return self._partners

    # ---- Nodes

    def ready(self) -> list[Node]:
        return [node for node in self._nodes.values() if node.facts is not None]

    def look_around(self, now: float) -> None:
        if now - self._looked >= LOOK_SECONDS:
            self._look_around()

    def _look_around(self) -> None:
        """Starts a worker on each node that has none; forgets nodes that have gone."""
        now = self._looked = time.monotonic()
        there = {entry["NodeID"]: entry for entry in ray.nodes() if entry["Alive"]}
        for gone in self._nodes.keys() - there.keys():
            self.lost(self._nodes.pop(gone), "it left the cluster")  # its stage sees that it has no worker
        for id, entry in there.items():
            threads = int(entry["Resources"].get("CPU", 0))
            if threads and id not in self._nodes:
                gpus = entry["Resources"].get("GPU", 0.0)
                self._nodes[id] = Node(id, entry["NodeManagerHostname"], threads, gpus)
        for node in self._nodes.values():
            if node.worker is None and now >= node.rests_until and node.id in there:
                self._start(node)
            elif node.starting is not None:
                self._is_ready(node)

    def _start(self, node: Node) -> None:
        """Its cores, and its GPUs, are taken as long as the worker lives."""
        actor = ray.remote(concurrency_groups={"jobs": node.threads, "talk": 2})(Worker)
        node.worker = actor.options(
            num_cpus=node.threads,
            num_gpus=node.gpus or None,
            scheduling_strategy=NodeAffinitySchedulingStrategy(node.id, soft=False),
            max_restarts=0,
        ).remote(node.threads)
        node.starting = node.worker.facts.options(concurrency_group="talk").remote()

    def _is_ready(self, node: Node) -> None:
        if not ray.wait([node.starting], timeout=0)[0]:
            return
        try:
            node.facts = ray.get(node.starting)
            node.starting = None
        except RayError as error:
            self.lost(node, _sentence(error))

    def _settle(self) -> None:
        """The other nodes get a moment too, so that the first stage finds them all."""
        until = time.monotonic() + 10.0
        while any(node.starting is not None for node in self._nodes.values()) and time.monotonic() < until:
            time.sleep(0.05)
            self._look_around()

    def lost(self, node: Node, why: str) -> None:
        """Its worker is given up. Whoever waits for its jobs hears so from the stage."""
        self._end(node)
        node.failures += 1
        node.why = why
        if node.failures >= FAILURES:
            node.rests_until = time.monotonic() + REST_SECONDS

    def _end(self, node: Node) -> None:
        if node.worker is not None:
            with contextlib.suppress(RayError, ValueError):
                ray.kill(node.worker)
        node.worker = node.starting = node.facts = node.asked = None

    def nobody(self) -> str:
        reasons = [f"{node.name}: {node.why}" for node in self._nodes.values() if node.why]
        if reasons:
            return f"No node of the cluster is ready. {' '.join(reasons)}"
        if not self._nodes:
            return "The cluster has no node with cores; 'ray status' shows what it has."
        return f"No node gave its cores within {START_SECONDS:.0f} s: is another program using the cluster?"

    def feel_pulse(self, node: Node, now: float) -> dict[JobKey, Pulse] | None:
        """The newest answer, if there is one; asks again after an eighth of the patience."""
        if node.asked is not None and ray.wait([node.asked], timeout=0)[0]:
            asked, node.asked = node.asked, None
            with contextlib.suppress(RayError):  # its tasks will say so
                answer: dict[JobKey, Pulse] = ray.get(asked)
                return answer
        if node.asked is None and node.worker is not None and now - node.asked_at >= self._patience / 8:
            node.asked_at = now
            node.asked = node.worker.pulses.options(concurrency_group="talk").remote()
        return None

    def is_silent(self, task: Task, now: float) -> bool:
        return now - task.heard > self._patience


class _Stage:
    """The jobs of one piece of work, until all are answered."""

    def __init__(self, crew: RayCrew, parcel: Any, jobs: Sequence[Any], on_answer: Callable[[int, Any], None]) -> None:
        self._crew = crew
        self._parcel = parcel
        self._jobs = jobs
        self._on_answer = on_answer
        self._name = uuid.uuid4().hex
        self._waiting = deque(range(len(jobs)))
        self._tasks: dict[Any, Task] = {}  # that are out, by reference
        self._answers: dict[int, Any] = {}
        self._amounts: dict[int, int] = {}  # of answered jobs, as their hands counted
        self._seconds: list[float] = []  # that jobs took
        self._did: dict[Node, list[int]] = {}
        self._lost: dict[Node, int] = {}
        self._stopped = False
        self._somebody = time.monotonic()  # when a node was last ready

    def run(self, should_stop: Callable[[], bool], on_progress: Callable[[int], None]) -> Done[Any]:
        while len(self._answers) < len(self._jobs):
            now = time.monotonic()
            self._crew.look_around(now)
            self._hand_out(now)
            self._hear()
            self._feel_pulses(now)
            self._check_somebody(now)
            if not self._stopped and should_stop():
                self._stop()
            on_progress(sum(self._amounts.values()) + sum(task.pulse.done for task in self._tasks.values()))
        nodes = dict.fromkeys([*self._did, *self._lost])
        return Done(
            [self._answers[number] for number in range(len(self._jobs))],
            tuple(NodeWork(n.name, n.threads, tuple(self._did.get(n, ())), self._lost.get(n, 0)) for n in nodes),
        )

    def leave(self) -> None:
        """Nobody waits for what is still out: it may stop, and its nodes are free for the next stage."""
        self._stop()
        for reference, task in self._tasks.items():
            task.node.tasks.pop(reference, None)

    def _stop(self) -> None:
        """Jobs end as soon as they can. Those that are handed out later end at once."""
        self._stopped = True
        for node in {task.node for task in self._tasks.values()}:
            self._tell_to_stop(node)

    def _tell_to_stop(self, node: Node) -> None:
        if node.worker is not None:
            node.worker.stop.options(concurrency_group="talk").remote(self._name)

    # ---- Handing out

    def _hand_out(self, now: float) -> None:
        """To every free core a job: one that nobody has, else one that takes another node too long."""
        for node in sorted(self._crew.ready(), key=lambda node: -node.free):
            while node.free > 0 and (number := self._next_for(node, now)) is not None:
                self._give(node, number, now)

    def _next_for(self, node: Node, now: float) -> int | None:
        while self._waiting:
            number = self._waiting.popleft()
            if number not in self._answers:  # a copy may have been answered since it was lost
                return number
        if not self._seconds:
            return None
        usual = median(self._seconds)
        out: dict[int, list[Task]] = {}
        for task in self._tasks.values():
            out.setdefault(task.number, []).append(task)
        late = [
            (tasks[0].since, number)
            for number, tasks in out.items()
            if len(tasks) < COPIES and tasks[0].node is not node and now - tasks[0].since > LATE * usual
        ]
        return min(late)[1] if late else None

    def _give(self, node: Node, number: int, now: float) -> None:
        if self._stopped:
            self._tell_to_stop(node)
        reference = node.worker.do.options(concurrency_group="jobs").remote(
            [self._parcel], self._name, number, self._jobs[number]
        )
        node.tasks[reference] = self._tasks[reference] = Task(number, node, since=now, heard=now)

    # ---- Hearing

    def _hear(self) -> None:
        """Takes the answers that have come, or waits a moment for the first."""
        if not self._tasks:
            time.sleep(WAIT_SECONDS / 5)
            return
        waiting = list(self._tasks)
        come, rest = ray.wait(waiting, timeout=WAIT_SECONDS)
        if rest:
            come += ray.wait(rest, num_returns=len(rest), timeout=0)[0]
        for reference in come:
            if reference in self._tasks:  # its node may just have been lost
                self._take(reference)

    def _take(self, reference: Any) -> None:
        task = self._tasks.pop(reference)
        task.node.tasks.pop(reference, None)
        try:
            answer: Answer = ray.get(reference)
        except RayTaskError:
            raise  # a mistake in the program, which another node would make too
        except RayError as error:
            self._put_back(task)
            self._lose(task.node, _sentence(error))
            return
        if answer.error:
            raise TengenError(answer.error)
        if task.number not in self._answers:
            task.node.failures = 0
            self._answers[task.number] = answer.answer
            self._amounts[task.number] = answer.done
            self._did.setdefault(task.node, []).append(task.number)
            self._seconds.append(time.monotonic() - task.since)
            self._on_answer(task.number, answer.answer)

    def _feel_pulses(self, now: float) -> None:
        """Hears how far the jobs are. A node of whose job nothing was heard for too long is given up."""
        for node in {task.node for task in self._tasks.values()}:
            pulses = self._crew.feel_pulse(node, now)
            for task in node.tasks.values():
                pulse = pulses.get((self._name, task.number)) if pulses else None
                if pulse is not None and pulse != task.pulse:
                    task.pulse, task.heard = pulse, now
            if node.worker is None or any(self._crew.is_silent(task, now) for task in node.tasks.values()):
                self._lose(node, "nothing was heard of it for too long")

    def _lose(self, node: Node, why: str) -> None:
        for reference, task in list(node.tasks.items()):
            del node.tasks[reference]
            if self._tasks.pop(reference, None) is not None:
                self._put_back(task)
        if node.worker is not None:
            self._crew.lost(node, why)

    def _put_back(self, task: Task) -> None:
        """First in the queue: the longer it waits, the longer the stage."""
        self._lost[task.node] = self._lost.get(task.node, 0) + 1
        self._waiting.appendleft(task.number)

    def _check_somebody(self, now: float) -> None:
        """Waits for nodes that may come back, but not for ever."""
        if self._crew.ready():
            self._somebody = now
        elif now - self._somebody > AWAY_SECONDS:
            raise ClusterError(self._crew.nobody())


def _sentence(error: RayError) -> str:
    """Ray explains over many lines; the first says what happened."""
    if "No module named 'tengen" in str(error):
        return "tengen is not installed there."
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (lines[0] if lines else type(error).__name__)[:200]
