"""What a rules file says, checked: its sizes, names and symmetries, its State, and its functions.

Everything wrong here is a RulesError that tells the author what the file should say instead.
"""

import difflib
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from tengen._core import LARGEST_TABLE_STATE, RulesError, symmetry_named
from tengen.games.rules.source import RulesFile

# The functions of a rules file and what each is called with.
FUNCTIONS = {
    "start": ("state",),  # optional: the start is all zeros without it
    "to_move": ("state",),  # optional if State has a field to_move
    "legal": ("state", "mask"),
    "play": ("state", "action"),
    "outcome": ("state",),
    "planes": ("state", "out"),
    "action_text": ("action",),  # optional, as all that follow
    "parse_action": ("text",),
    "board_text": ("state",),
    "set_board": ("state", "cells", "to_move"),
}
REQUIRED = ("legal", "play", "outcome", "planes")

MOST_ACTIONS = 65536  # a policy has a number for each

RECTANGLE = ["mirror columns", "mirror rows", "rotate 180"]
SQUARE = [*RECTANGLE, "transpose", "rotate left", "rotate right", "anti-transpose"]

NamedSymmetry = tuple[str, list[int], list[int]]  # name, cell_source, action_source (Symmetry of game.h)


@dataclass(frozen=True)
class Declaration:
    path: str
    options: dict[str, float]
    digest: str  # of the file's text
    name: str
    board: tuple[int, int]  # height, width
    actions: str  # "cells", "columns" or "numbers"
    num_actions: int
    longest_game: int
    plane_names: tuple[str, ...]
    player_names: tuple[str, str]
    symmetries: list[NamedSymmetry]  # the identity first
    state: np.dtype[np.void]  # aligned
    functions: dict[str, Callable[..., Any]]  # those of FUNCTIONS that the file has, and the defaults
    module: ModuleType  # the file, run

    @property
    def layout(self) -> str:
        """The ActionLayout of game.h."""
        return {"cells": "cells", "columns": "columns", "numbers": "dense"}[self.actions]

    @property
    def pieces(self) -> list[tuple[str, str, int | None, str]]:
        """Stones, if the first two planes are those of either side; or else nothing is known."""
        first, second = (name.lower() for name in (*self.plane_names, "", "")[:2])
        if not (first.startswith("own") and second.startswith("opponent")):
            return []
        return [("stone", "X", 0, ""), ("stone", "O", 1, "")]


def declare(file: RulesFile) -> Declaration:
    """Reads the declaration out of a file that has been run."""
    return _Reader(file).declaration()


def _start_at_zero(state: Any) -> None:
    pass


def _to_move_field(state: Any) -> int:
    return state.to_move  # type: ignore[no-any-return]


class _Reader:
    def __init__(self, file: RulesFile) -> None:
        self.file = file
        self.names = vars(file.module)

    def declaration(self) -> Declaration:
        board = self._board()
        actions = self._one_of("actions", ("cells", "columns", "numbers"), "numbers")
        num_actions = self._num_actions(board, actions)
        state = self._state()
        return Declaration(
            path=self.file.path,
            options=self.file.options,
            digest=self.file.digest,
            name=self._text("name", Path(self.file.path).stem),
            board=board,
            actions=actions,
            num_actions=num_actions,
            longest_game=self._positive("longest_game", "the most actions a game can have"),
            plane_names=self._texts("plane_names", None),
            player_names=self._player_names(),
            symmetries=self._symmetries(board, actions, num_actions),
            state=state,
            functions=self._functions(state),
            module=self.file.module,
        )

    def _wrong(self, text: str) -> RulesError:
        return RulesError(f"{self.file.path}: {text}")

    def _missing(self, name: str, meaning: str) -> RulesError:
        taken = set(FUNCTIONS) - {name}
        written = [n for n in self.names if not n.startswith("_") and n not in taken]
        close = difflib.get_close_matches(name, written, n=1, cutoff=0.7)
        return self._wrong(f"there is no {meaning}" + (f"; is it '{close[0]}'?" if close else "."))

    def _positive(self, name: str, meaning: str) -> int:
        if name not in self.names:
            raise self._missing(name, f"`{name}`, {meaning}")
        value = self.names[name]
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
            raise self._wrong(f"{name} must be a whole number from 1, not {value!r}.")
        return int(value)

    def _text(self, name: str, default: str) -> str:
        value = self.names.get(name, default)
        if not isinstance(value, str) or not value:
            raise self._wrong(f"{name} must be a text, not {value!r}.")
        return value

    def _one_of(self, name: str, choices: Sequence[str], default: str) -> str:
        value = self.names.get(name, default)
        if value not in choices:
            raise self._wrong(f"{name} must be one of {', '.join(map(repr, choices))}, not {value!r}.")
        return str(value)

    def _texts(self, name: str, default: Sequence[str] | None) -> tuple[str, ...]:
        if name not in self.names and default is None:
            raise self._missing(name, f"`{name}`, a list with a name for each plane that planes() writes")
        value = self.names.get(name, default)
        if not isinstance(value, (list, tuple)) or not value or not all(isinstance(text, str) for text in value):
            raise self._wrong(f"{name} must be a list of texts, not {value!r}.")
        return tuple(value)

    def _player_names(self) -> tuple[str, str]:
        names = self._texts("player_names", ("X", "O"))
        if len(names) != 2:
            raise self._wrong(f"player_names must be two names, not {names!r}.")
        return names[0], names[1]

    def _board(self) -> tuple[int, int]:
        if "board" not in self.names:
            raise self._missing("board", "`board = (height, width)`")
        value = self.names["board"]
        sizes = [n for n in value if isinstance(n, (int, np.integer)) and n > 0] if isinstance(value, tuple) else []
        if len(sizes) != 2 or len(value) != 2:
            raise self._wrong(f"board must be (height, width), two whole numbers from 1, not {value!r}.")
        return int(sizes[0]), int(sizes[1])

    def _num_actions(self, board: tuple[int, int], actions: str) -> int:
        least = {"cells": prod(board), "columns": board[1], "numbers": 1}[actions]
        if "num_actions" not in self.names and actions != "numbers":
            return least
        count = self._positive("num_actions", "the number of different actions")
        if count > MOST_ACTIONS:
            raise self._wrong(f"num_actions is {count}; at most {MOST_ACTIONS} can be handled.")
        if count < least or (actions == "columns" and count != least):
            raise self._wrong(f"num_actions is {count}, but actions = '{actions}' of this board are {least}.")
        return count

    def _state(self) -> np.dtype[np.void]:
        if "State" not in self.names:
            raise self._missing("State", 'State, such as np.dtype([("cells", np.int8, (3, 3)), ("to_move", np.int8)])')
        try:
            given = np.dtype(self.names["State"])
        except TypeError as error:
            raise self._wrong(f"State must be a numpy dtype with fields: {error}") from error
        if given.names is None or not given.itemsize:
            raise self._wrong(f"State must be a numpy dtype with named fields, not {given!r}.")
        for name in given.names:
            base = given[name].base
            if base.kind not in "biuf" or not base.isnative:
                raise self._wrong(f"the field {name} of State must hold numbers or bools of a fixed size, not {base}.")
        # Aligned, and without the gaps or overlaps that the author's own offsets may have.
        state = np.dtype([(name, given[name]) for name in given.names], align=True)
        if state.itemsize > LARGEST_TABLE_STATE:
            raise self._wrong(f"State takes {state.itemsize} bytes; at most {LARGEST_TABLE_STATE} fit.")
        return state

    def _functions(self, state: np.dtype[np.void]) -> dict[str, Callable[..., Any]]:
        functions: dict[str, Callable[..., Any]] = {"start": _start_at_zero}
        if "to_move" in (state.names or ()):
            functions["to_move"] = _to_move_field
        for name, parameters in FUNCTIONS.items():
            call = f"{name}({', '.join(parameters)})"
            if name not in self.names:
                if name in REQUIRED:
                    raise self._missing(name, f"function {call}")
                if name not in functions and name == "to_move":
                    raise self._missing(name, f"function {call}, nor a field to_move of State")
                continue
            function = getattr(self.names[name], "py_func", self.names[name])  # what an author's own @njit wraps
            if not isinstance(function, FunctionType):
                raise self._wrong(f"{name} must be a function {call}, not {function!r}.")
            if not _takes(function, len(parameters)):
                raise self._wrong(f"{name} must take ({', '.join(parameters)}), not {inspect.signature(function)}.")
            functions[name] = function
        return functions

    def _symmetries(self, board: tuple[int, int], actions: str, num_actions: int) -> list[NamedSymmetry]:
        identity = ("identity", list(range(prod(board))), list(range(num_actions)))
        dihedral = SQUARE if board[0] == board[1] else RECTANGLE
        given = self.names.get("symmetries", "none")
        if isinstance(given, dict):
            return [identity, *(self._explicit(name, pair, identity) for name, pair in given.items())]
        groups = {"none": [], "mirror": ["mirror columns"], "dihedral": dihedral}
        names = groups.get(given) if isinstance(given, str) else given
        if not isinstance(names, (list, tuple)):
            raise self._wrong(
                "symmetries must be 'none', 'mirror' or 'dihedral', a list of symmetries such as ['rotate 180'], or "
                f"a dict of name: (cell_source, action_source), not {given!r}."
            )
        return [identity, *(self._named(name, board, actions, num_actions) for name in names)]

    def _named(self, name: Any, board: tuple[int, int], actions: str, num_actions: int) -> NamedSymmetry:
        layout = "columns" if actions == "columns" else "cells"
        found = symmetry_named(str(name), board, num_actions, layout)
        if found is None or name not in SQUARE:
            raise self._wrong(f"{name!r} is not a symmetry; there are: {', '.join(SQUARE)}.")
        if actions == "numbers":
            raise self._wrong(
                f"the symmetry '{name}' needs actions = 'cells' or 'columns', or else a dict that says what it does to "
                "the actions: name: (cell_source, action_source)."
            )
        if actions == "columns" and name != "mirror columns":
            raise self._wrong(f"the symmetry '{name}' does not keep columns; only 'mirror columns' does.")
        if name not in RECTANGLE and board[0] != board[1]:
            raise self._wrong(f"the symmetry '{name}' needs a square board, not {board[0]} by {board[1]}.")
        return name, *found

    def _explicit(self, name: Any, pair: Any, identity: NamedSymmetry) -> NamedSymmetry:
        try:
            cells, actions = ([int(i) for i in source] for source in pair)
        except (TypeError, ValueError):
            raise self._wrong(f"the symmetry {name!r} must be (cell_source, action_source).") from None
        for what, source, whole in (("cell", cells, identity[1]), ("action", actions, identity[2])):
            if sorted(source) != whole:
                raise self._wrong(f"the {what}_source of the symmetry {name!r} must hold 0 to {whole[-1]} once each.")
        return str(name), cells, actions


def _takes(function: FunctionType, count: int) -> bool:
    try:
        inspect.signature(function).bind(*range(count))
    except TypeError:
        return False
    return True
