"""A size of memory as it is written on the command line: `--memory 4GB`."""

from typing import Annotated

import tyro

from tengen.base.memory import MemoryLimitError, gigabytes, memory_in_use, parse_memory

LIBRARIES = 200 << 20  # that evaluating networks takes on top of what is loaded at first
LEAST_TREES = 32 << 20
MemoryArgument = Annotated[str | None, tyro.conf.arg(metavar="SIZE")]


def memory_bytes(text: str | None) -> int | None:
    """None if nothing was said. Refuses less than this process has taken already."""
    if text is None:
        return None
    size = parse_memory(text)
    if size <= (used := memory_in_use()):
        raise MemoryLimitError(f"--memory {text} is less than tengen takes to begin with ({gigabytes(used)}).")
    return size


def left_for_trees(limit: int) -> int:
    """What search trees may take of a limit. An array that grows is there twice for a moment."""
    left = (limit - memory_in_use() - LIBRARIES) // 2
    if left < LEAST_TREES:
        least = memory_in_use() + LIBRARIES + 2 * LEAST_TREES
        raise MemoryLimitError(
            f"--memory is too small for searches with this network: give {gigabytes(least)} or more."
        )
    return left
