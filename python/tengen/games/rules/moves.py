"""Moves from one cell to another as numbers: `moves = move_table(board, steps=[(-1, -1), (-1, 0), (-1, 1)])`.

Action = plane * cells + cell: the cell is where a piece starts, the plane which step it takes. So a network has one
policy plane for each step, and a step means the same wherever on the board it is made.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["MOST_ACTIONS", "MoveTable", "move_table"]

MOST_ACTIONS = 65536  # a policy has a number for each


class MoveTable(NamedTuple):
    """Every step from every cell; `moves.source[action]` and `moves.target[action]` work in compiled rules too."""

    source: NDArray[np.int64]  # [A] cell
    target: NDArray[np.int64]  # [A] cell; -1: the step leaves the board, so the action is never legal
    board: tuple[int, int]  # height, width
    steps: tuple[tuple[int, int], ...]  # [A / cells] rows down and columns to the right


def move_table(board: tuple[int, int], steps: Sequence[tuple[int, int]], reach: int = 1) -> MoveTable:
    """The moves of pieces that go by these steps: (-1, 0) is one row up.

    With a `reach` of 7 a piece goes 1 to 7 such steps at once, as a rook of chess does along its lines.
    """
    height, width = board
    if len(steps) * reach * height * width > MOST_ACTIONS:
        raise ValueError(
            f"move_table would have {len(steps) * reach * height * width:,} moves (steps * reach * cells); at most "
            f"{MOST_ACTIONS:,} can be handled"
        )
    if reach < 1 or not steps or len(set(steps)) != len(steps) or any(len(step) != 2 for step in steps):
        raise ValueError(f"move_table needs different steps (rows, columns) and a reach from 1, not {steps}, {reach}")
    far = tuple((int(n * down), int(n * right)) for down, right in steps for n in range(1, reach + 1))
    if len(set(far)) != len(far) or (0, 0) in far:
        raise ValueError(f"move_table: two of the steps {steps} lead to the same cell, or one leads nowhere")
    cells = np.arange(height * width)
    source, target = [], []
    for down, right in far:
        row, column = cells // width + down, cells % width + right
        inside = (row >= 0) & (row < height) & (column >= 0) & (column < width)
        source.append(cells)
        target.append(np.where(inside, row * width + column, -1))
    return MoveTable(np.concatenate(source), np.concatenate(target), (height, width), far)
