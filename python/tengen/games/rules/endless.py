"""A rules file that never comes back is told so, instead of hanging whatever uses it.

Every `while` loop of the file counts its rounds, compiled or not, in a check as in a training: one that has gone round
MOST_ROUNDS times raises an error on its own line. What hangs in another way (a `for` over an endless generator, a wait
for the keyboard) is found when the file is loaded, which Python has LOADING_SECONDS for.
"""

from __future__ import annotations

import ast
import ctypes
import threading
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["LOADING_SECONDS", "TakesTooLongError", "count_rounds", "time_limit"]

MOST_ROUNDS = 1_000_000  # a millisecond or more when compiled, seconds in Python; no rule needs as many
LOADING_SECONDS = 60.0


class TakesTooLongError(BaseException):
    """Not an Exception: the author's own `except Exception` must not swallow it."""


def count_rounds(tree: ast.Module) -> None:
    """Makes every while loop of the file end with an error after MOST_ROUNDS rounds. Lines keep their numbers."""
    _CountRounds().visit(tree)
    ast.fix_missing_locations(tree)


class _CountRounds(ast.NodeTransformer):
    def visit_While(self, loop: ast.While) -> list[ast.stmt]:
        self.generic_visit(loop)
        rounds = f"_rounds_{loop.lineno}_{loop.col_offset}"
        text = f"this while loop went round {MOST_ROUNDS:,} times; it probably never ends"
        count = f"{rounds} += 1\nif {rounds} > {MOST_ROUNDS}:\n    raise RuntimeError({text!r})"
        first, *counting = ast.parse(f"{rounds} = 0\n{count}").body
        loop.body[:0] = counting
        for statement in (first, *counting):
            for node in ast.walk(statement):
                ast.copy_location(node, loop.test)
        return [first, loop]


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raises TakesTooLongError in the block after that time, as soon as Python runs its next line."""
    thread = ctypes.c_ulong(threading.get_ident())
    lock = threading.Lock()
    is_running = True

    def interrupt() -> None:
        with lock:
            if is_running:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, ctypes.py_object(TakesTooLongError))

    timer = threading.Timer(seconds, interrupt)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        with lock:
            is_running = False
        timer.cancel()
