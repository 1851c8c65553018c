"""Self-play of the next iteration while the learner works (`overlap = 1`), in a thread of its own.

What it plays follows from what was there when it began. So a run that was killed plays it again, with the same games.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait

from tengen.selfplay import SelfPlayResult

__all__ = ["PlayedAhead"]

SECONDS_BETWEEN_REPORTS = 0.25

Stop = Callable[[], bool]
Progress = Callable[[int, int], None]


class PlayedAhead:
    """Begins at once. Whoever wants the result waits for it; whoever does not, leaves."""

    def __init__(self, play: Callable[[Stop, Progress], SelfPlayResult]) -> None:
        self._cancelled = threading.Event()
        self._progress = (0, 1)
        self._pool = ThreadPoolExecutor(1, "self-play ahead")
        self._played = self._pool.submit(play, self._cancelled.is_set, self._on_progress)

    def result(self, on_progress: Progress) -> SelfPlayResult:
        """Tells how far it is in the thread that waits, as every stage does."""
        while not wait([self._played], SECONDS_BETWEEN_REPORTS).done:
            on_progress(*self._progress)
        self._pool.shutdown()
        return self._played.result()

    def leave(self) -> None:
        self._cancelled.set()
        self._pool.shutdown()

    def _on_progress(self, done: int, total: int) -> None:
        self._progress = (done, total)
