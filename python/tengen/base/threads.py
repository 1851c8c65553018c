"""What one thread at a time may use: a second thread is refused with a sentence, as `Forest` does it.

Waiting instead would hide the mistake: two threads that take turns with one search ask it about each other's positions.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from tengen._core import InUseError

__all__ = ["InUse", "one_thread"]

P = ParamSpec("P")
R = TypeVar("R")


class InUse:
    """`with self._in_use:` refuses all other threads meanwhile. The thread that is inside may enter again."""

    def __init__(self, what: str) -> None:
        self._what = what  # as in "This learner"
        self._lock = threading.RLock()

    def __enter__(self) -> None:
        if not self._lock.acquire(blocking=False):
            raise InUseError(f"{self._what} is in use by another thread; give each thread its own.")

    def __exit__(self, *error: object) -> None:
        self._lock.release()


class _Guarded(Protocol):
    _in_use: InUse


Self = TypeVar("Self", bound=_Guarded)


def one_thread(method: Callable[Concatenate[Self, P], R]) -> Callable[Concatenate[Self, P], R]:
    """A method that one thread at a time may call, together with all others that are marked so."""

    @functools.wraps(method)
    def alone(self: Self, /, *args: P.args, **kwargs: P.kwargs) -> R:
        with self._in_use:
            return method(self, *args, **kwargs)

    return alone
