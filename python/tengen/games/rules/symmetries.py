"""The symmetries of a rules file: names of turns and mirrors, or tables of its own, as the table that game.h wants."""

from __future__ import annotations

from math import prod
from typing import Any

from tengen._core import RulesError, symmetry_named
from tengen.games.rules.moves import MoveTable

__all__ = ["NamedSymmetry", "read_symmetries"]

RECTANGLE = ["mirror columns", "mirror rows", "rotate 180"]
SQUARE = [*RECTANGLE, "transpose", "rotate left", "rotate right", "anti-transpose"]

NamedSymmetry = tuple[str, list[int], list[int]]  # name, cell_source, action_source (Symmetry of game.h)


def read_symmetries(
    given: Any, board: tuple[int, int], layout: str, num_actions: int, moves: MoveTable | None
) -> list[NamedSymmetry]:
    """What `symmetries = ...` of a file means, the identity first. RulesErrors do not name the file."""
    identity = ("identity", list(range(prod(board))), list(range(num_actions)))
    if isinstance(given, dict):
        return [identity, *(_explicit(name, pair, identity) for name, pair in given.items())]
    groups = {"none": [], "mirror": ["mirror columns"], "dihedral": SQUARE if board[0] == board[1] else RECTANGLE}
    names = groups.get(given) if isinstance(given, str) else given
    if not isinstance(names, (list, tuple)):
        raise RulesError(
            "symmetries must be 'none', 'mirror' or 'dihedral', a list of symmetries such as ['rotate 180'], or "
            f"a dict of name: (cell_source, action_source), not {given!r}."
        )
    return [identity, *(_named(name, board, layout, num_actions, moves) for name in names)]


def _named(name: Any, board: tuple[int, int], layout: str, num_actions: int, moves: MoveTable | None) -> NamedSymmetry:
    if name not in SQUARE:
        raise RulesError(f"{name!r} is not a symmetry; there are: {', '.join(SQUARE)}.")
    if layout == "dense":
        raise RulesError(
            f"the symmetry '{name}' needs actions = 'cells', 'columns' or 'moves' with a move_table, or else a dict "
            "that says what it does to the actions: name: (cell_source, action_source)."
        )
    if layout == "columns" and name != "mirror columns":
        raise RulesError(f"the symmetry '{name}' does not keep columns; only 'mirror columns' does.")
    if name not in RECTANGLE and board[0] != board[1]:
        raise RulesError(f"the symmetry '{name}' needs a square board, not {board[0]} by {board[1]}.")
    found = symmetry_named(name, board, num_actions, layout)
    assert found is not None
    cell_source, action_source = found
    return name, cell_source, action_source if moves is None else _of_moves(name, cell_source, num_actions, moves)


def _of_moves(name: str, cell_source: list[int], num_actions: int, moves: MoveTable) -> list[int]:
    """Cells turn with the board, and so do steps: the new action shows the old one whose step turns into its own."""
    cells = len(cell_source)
    source = list(range(num_actions))
    for plane, step in enumerate(moves.steps):
        before = _turned(step, name)
        if before not in moves.steps:
            raise RulesError(
                f"the symmetry '{name}' turns the step {before} into {step} or back, and only one of them is in the "
                "move_table."
            )
        old_plane = moves.steps.index(before)
        for cell in range(cells):
            source[plane * cells + cell] = old_plane * cells + cell_source[cell]
    return source


def _turned(step: tuple[int, int], name: str) -> tuple[int, int]:
    """The step on the old board that is `step` on the new one, as source_cell() of symmetry.h turns cells."""
    transform = ["identity", *SQUARE].index(name)
    down, right = (step[1], step[0]) if transform & 4 else step
    return (-down if transform & 2 else down, -right if transform & 1 else right)


def _explicit(name: Any, pair: Any, identity: NamedSymmetry) -> NamedSymmetry:
    try:
        cells, actions = ([int(i) for i in source] for source in pair)
    except (TypeError, ValueError):
        raise RulesError(f"the symmetry {name!r} must be (cell_source, action_source).") from None
    for what, source, whole in (("cell", cells, identity[1]), ("action", actions, identity[2])):
        if sorted(source) != whole:
            raise RulesError(f"the {what}_source of the symmetry {name!r} must hold 0 to {whole[-1]} once each.")
    return str(name), cells, actions
