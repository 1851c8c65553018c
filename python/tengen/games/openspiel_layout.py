"""What OpenSpiel does not say of its games: what actions are on the board, and how many can be legal at once.

Nothing is believed by its name. An action counts as a cell or a column only if it changes the planes there, every time,
in random games that are the same whenever the game is loaded.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["find_layout", "find_most_legal"]

GAMES = 4
STEPS = 60  # of one game
ENOUGH = 30.0  # by so many factors of e it must be unlikely that actions hit the cells that change by chance


def find_layout(game: Any, shape: tuple[int, int, int]) -> str:
    """'cells', 'columns', 'planes' or, where none of them is seen to hold, 'dense'."""
    _, height, width = shape
    cells, num_actions = height * width, game.num_distinct_actions()
    if cells == 1:
        return "dense"
    if num_actions in (cells, cells + 1):
        return "cells" if _hits(game, shape, lambda changed, action: changed.ravel()[action], cells) else "dense"
    if num_actions == width and height > 1:
        return "columns" if _hits(game, shape, lambda changed, action: changed[:, action].any(), width) else "dense"
    if num_actions >= 2 * cells and num_actions % cells <= 1:
        of_planes = num_actions // cells * cells
        return (
            "planes"
            if _hits(game, shape, lambda changed, action: changed.ravel()[action % cells], of_planes)
            else "dense"
        )
    return "dense"


Hit = Callable[[NDArray[np.bool_], int], Any]  # whether an action is where cells [H, W] change


def _hits(game: Any, shape: tuple[int, int, int], hit: Hit, count: int) -> bool:
    """Whether all actions below `count` are where the board changes, and that often enough to be no accident."""
    surprise = 0.0
    for action, changed in _changes(game, shape):
        if action >= count:
            continue  # a pass
        if not hit(changed, action):
            return False
        alike = np.mean([hit(changed, other) for other in range(0, count, max(1, count // 100))])
        surprise -= log(max(float(alike), 1 / count))
    return surprise > ENOUGH


def _changes(game: Any, shape: tuple[int, int, int]) -> Iterator[tuple[int, NDArray[np.bool_]]]:
    """Actions of random games, and which cells change in the planes that one player sees. Not counted are planes of one
    value all over, which tell whose turn it is or how long the game has gone on."""
    numbers = random.Random(0)
    for _ in range(GAMES):
        state = game.new_initial_state()
        for _ in range(STEPS):
            if state.is_terminal():
                break
            action = numbers.choice(state.legal_actions())
            before = _planes(state, shape)
            state.apply_action(action)
            after = _planes(state, shape)
            flat = (np.ptp(before, axis=(1, 2)) == 0) & (np.ptp(after, axis=(1, 2)) == 0)
            yield action, (before != after)[~flat].any(axis=0)


def _planes(state: Any, shape: tuple[int, int, int]) -> NDArray[np.float32]:
    return np.array(state.observation_tensor(0), np.float32).reshape(shape[0] - 1, *shape[1:])


def find_most_legal(game: Any) -> int:
    """No state has more legal actions: what is known of this game, or else the number of its actions."""
    bound = _BOUNDS.get(game.get_type().short_name)
    num_actions: int = game.num_distinct_actions()
    return num_actions if bound is None else min(num_actions, bound(game.get_parameters()))


def _breakthrough(parameters: dict[str, int]) -> int:
    """Two rows of men, or one on a low board, with three steps each."""
    return 3 * parameters["columns"] * (2 if parameters["rows"] >= 6 else 1)


def _clobber(parameters: dict[str, int]) -> int:
    """A move takes a neighbour: one for each pair of neighbouring cells."""
    rows, columns = parameters["rows"], parameters["columns"]
    return rows * (columns - 1) + columns * (rows - 1)


def _checkers(parameters: dict[str, int]) -> int:
    """All pieces are kings with four moves each; there are at most as many as half of the dark cells."""
    return parameters["rows"] * parameters["columns"]


_BOUNDS: dict[str, Callable[[dict[str, int]], int]] = {
    "breakthrough": _breakthrough,
    "checkers": _checkers,
    "chess": lambda _: 218,  # the known maximum, promotions counted one by one
    "clobber": _clobber,
    "lines_of_action": lambda _: 12 * 8,  # pieces by directions
    "shogi": lambda _: 593,  # the known maximum, drops included
    "xiangqi": lambda _: 4 * 17 + 2 * 8 + 2 * 4 + 2 * 4 + 4 + 5 * 3,  # rooks and cannons, horses, elephants, ...
}
