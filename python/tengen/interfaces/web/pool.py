"""The cores shared among all who ask: a bounded number of workers, and short turns.

Owners (connections) take turns, and so do the tasks of one owner: whoever asks for much waits for himself, not others
for him. A task that is not done after its turn goes to the end of its owner's queue.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable
from typing import Protocol

__all__ = ["Once", "Owner", "Pool", "Task"]

logger = logging.getLogger(__name__)


class Owner:
    """Whoever tasks are done for: a page."""

    def __init__(self) -> None:
        self.gone = False  # nothing is done for it any more


class Task(Protocol):
    """Something that is done in turns."""

    def turn(self) -> bool:
        """Does a part of it; whether there is more to do. Errors are its own to report."""
        ...


class Once:
    """A task of a single turn."""

    def __init__(self, do: Callable[[], None]) -> None:
        self._do = do

    def turn(self) -> bool:
        self._do()
        return False


class Pool:
    """Workers and the queues they serve."""

    def __init__(self, workers: int) -> None:
        self._changed = threading.Condition()
        self._queues: dict[Owner, deque[Task]] = {}
        self._owners: deque[Owner] = deque()  # those with a task that waits, each once
        self._working = 0
        self._closed = False
        self._threads = [
            threading.Thread(target=self._work, name=f"tengen-worker-{number}", daemon=True)
            for number in range(workers)
        ]
        for thread in self._threads:
            thread.start()

    def add(self, owner: Owner, task: Task) -> None:
        with self._changed:
            self._queue(owner, task)

    def forget(self, owner: Owner) -> None:
        """Does nothing more for this owner; a turn under way is finished."""
        with self._changed:
            owner.gone = True
            if owner in self._owners:
                self._owners.remove(owner)
            self._queues.pop(owner, None)
            self._changed.notify_all()

    def waiting(self) -> int:
        """Tasks that wait for their turn."""
        with self._changed:
            return sum(map(len, self._queues.values()))

    def wait_until_idle(self, timeout: float) -> bool:
        """Whether there was nothing left to do within that many seconds."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._owners and not self._working, timeout)

    def close(self) -> None:
        """Ends the workers after their turns; what waits is given up."""
        with self._changed:
            self._closed = True
            self._owners.clear()
            self._queues.clear()
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()

    def _queue(self, owner: Owner, task: Task) -> None:
        if owner.gone or self._closed:
            return
        waiting = self._queues.setdefault(owner, deque())
        waiting.append(task)
        if owner not in self._owners:
            self._owners.append(owner)
        self._changed.notify()

    def _take(self) -> tuple[Owner, Task] | None:
        with self._changed:
            self._changed.wait_for(lambda: self._owners or self._closed)
            if self._closed:
                return None
            owner = self._owners.popleft()
            task = self._queues[owner].popleft()
            if self._queues[owner]:
                self._owners.append(owner)
            else:
                del self._queues[owner]
            self._working += 1
            return owner, task

    def _work(self) -> None:
        while (taken := self._take()) is not None:
            self._do(*taken)
            del taken  # a worker that waits for the next task would keep the last one, with its tree

    def _do(self, owner: Owner, task: Task) -> None:
        more = False
        try:
            more = task.turn()
        except Exception:
            logger.exception("A task failed.")
        with self._changed:
            self._working -= 1
            if more:
                self._queue(owner, task)
            self._changed.notify_all()
