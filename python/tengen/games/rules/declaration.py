"""What a rules file says, checked: its sizes, names and symmetries, its State, and its functions.

Everything wrong here is a RulesError that tells the author what the file should say instead.
"""

import inspect
import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from tengen._core import LARGEST_TABLE_STATE, RulesError
from tengen.base.spelling import nearest
from tengen.games.rules.moves import MOST_ACTIONS, MoveTable
from tengen.games.rules.source import RulesFile, said
from tengen.games.rules.symmetries import NamedSymmetry, read_symmetries

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
    "cells": ("state", "out"),
    "action_cells": ("action",),
    "score": ("state",),
    "reason": ("state",),
}
REQUIRED = ("legal", "play", "outcome", "planes")
# The constants that a rules file may have.
CONSTANTS = (
    *("name", "board", "actions", "moves", "num_actions", "most_legal", "longest_game", "plane_names", "player_names"),
    *("misere", "pieces", "shape", "score_name", "symmetries", "State"),
)
ACTIONS = ("cells", "columns", "moves", "numbers")  # what `actions = ...` may say

MOST_CELLS = 16384  # a board of 128 by 128; a State could hold no more
LARGEST_PLANES = 1_000_000  # numbers of all planes of a position together
LONGEST_NAME = 60  # of a game: it becomes a part of file names
MOST_PIECES = 127  # a code is an int8
MOST_PLIES = 1_000_000  # of a game; no training would see the end of a longer one

LETTER = re.compile(r"(?![\d.a])[!-~]")
COLOUR = re.compile("#[0-9a-fA-F]{6}")

PieceKind = tuple[str, str, int | None, str]  # name, letter, owner, colour (Piece of game.h)
STONES: tuple[PieceKind, ...] = (("stone", "X", 0, ""), ("stone", "O", 1, ""))


@dataclass(frozen=True)
class Declaration:
    path: str
    options: dict[str, float]
    digest: str  # of the file's text
    name: str
    board: tuple[int, int]  # height, width
    layout: str  # ActionLayout of game.h: "cells", "columns", "planes" or "dense"
    num_actions: int
    most_legal: int
    action_cells: list[tuple[int, int]]  # source and target of each action, -1 for none; empty: what the layout says
    longest_game: int
    plane_names: tuple[str, ...]
    player_names: tuple[str, str]
    symmetries: list[NamedSymmetry]  # the identity first
    pieces: tuple[PieceKind, ...]  # empty: nothing is known of what stands on the board
    shape: str  # "square" or "hex"
    score_name: str  # empty: there is no score
    state: np.dtype[np.void]  # aligned
    functions: dict[str, Callable[..., Any]]  # those of FUNCTIONS that the file has, and the defaults
    module: ModuleType  # the file, run


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
        actions = self._one_of("actions", ACTIONS, "numbers")
        moves = self._moves(board) if actions == "moves" else None
        layout = actions if actions in ("cells", "columns") else "planes" if moves else "dense"
        num_actions = self._num_actions(board, actions, moves)
        state = self._state()
        functions = self._functions(state)
        plane_names = self._plane_names(board)
        pieces = self._pieces(plane_names, functions)
        return Declaration(
            path=self.file.path,
            options=self.file.options,
            digest=self.file.digest,
            name=self._name(),
            board=board,
            layout=layout,
            num_actions=num_actions,
            most_legal=self._most_legal(num_actions),
            action_cells=self._action_cells(prod(board), num_actions, moves, functions),
            longest_game=self._longest_game(),
            plane_names=plane_names,
            player_names=self._player_names(pieces),
            symmetries=self._symmetries(board, layout, num_actions, moves),
            pieces=pieces,
            shape=self._one_of("shape", ("square", "hex"), "square"),
            score_name=self._score_name(functions),
            state=state,
            functions=functions,
            module=self.file.module,
        )

    def _wrong(self, text: str) -> RulesError:
        return RulesError(f"{self.file.path}: {text}")

    def _missing(self, name: str, meaning: str) -> RulesError:
        taken = set(FUNCTIONS) - {name}
        written = [n for n in self.names if not n.startswith("_") and n not in taken]
        close = nearest(name, written, likeness=0.7)
        return self._wrong(f"there is no {meaning}" + (f"; is it '{close}'?" if close else "."))

    def _positive(self, name: str, meaning: str) -> int:
        if name not in self.names:
            raise self._missing(name, f"`{name}`, {meaning}")
        value = self.names[name]
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
            raise self._wrong(f"{name} must be a whole number from 1, not {value!r}.")
        return int(value)

    def _longest_game(self) -> int:
        longest = self._positive("longest_game", "the most actions a game can have")
        if longest > MOST_PLIES:
            raise self._wrong(f"longest_game is {longest:,}; at most {MOST_PLIES:,} can be handled.")
        return longest

    def _text(self, name: str, default: str) -> str:
        value = self.names.get(name, default)
        if not isinstance(value, str) or not value.strip() or not value.isprintable():
            raise self._wrong(f"{name} must be a text on one line, not {value!r}.")
        return value

    def _name(self) -> str:
        name = self._text("name", Path(self.file.path).stem)
        if len(name) > LONGEST_NAME or name != name.strip() or name[0] == "." or set("/\\") & set(name):
            raise self._wrong(
                f"name = {name[:80]!r} is no name of a game: it becomes a part of file names, so it has at most "
                f"{LONGEST_NAME} characters, no '/' or '\\' and no dot or blank at its beginning."
            )
        return name

    def _one_of(self, name: str, choices: Sequence[str], default: str) -> str:
        value = self.names.get(name, default)
        if not isinstance(value, str) or value not in choices:
            raise self._wrong(f"{name} must be one of {', '.join(map(repr, choices))}, not {value!r}.")
        return value

    def _texts(self, name: str, default: Sequence[str] | None) -> tuple[str, ...]:
        if name not in self.names and default is None:
            raise self._missing(name, f"`{name}`, a list with a name for each plane that planes() writes")
        value = self.names.get(name, default)
        if not isinstance(value, (list, tuple)) or not value or not all(isinstance(text, str) for text in value):
            raise self._wrong(f"{name} must be a list of texts, not {value!r}.")
        return tuple(value)

    def _plane_names(self, board: tuple[int, int]) -> tuple[str, ...]:
        names = self._texts("plane_names", None)
        if not all(map(str.isprintable, names)):
            raise self._wrong(f"plane_names must be texts of one line each, not {list(names)!r}.")
        if len(names) * prod(board) > LARGEST_PLANES:
            raise self._wrong(
                f"{len(names):,} planes of {board[0]} by {board[1]} cells are {len(names) * prod(board):,} numbers; at "
                f"most {LARGEST_PLANES:,} can be handled."
            )
        return names

    def _player_names(self, pieces: Sequence[PieceKind]) -> tuple[str, str]:
        names = self._texts("player_names", _default_names(pieces))
        if len(names) != 2 or names[0] == names[1] or not all(name.isprintable() and name.strip() for name in names):
            raise self._wrong(f"player_names must be two different names, each on one line, not {list(names)!r}.")
        return names[0], names[1]

    def _board(self) -> tuple[int, int]:
        if "board" not in self.names:
            raise self._missing("board", "`board = (height, width)`")
        value = self.names["board"]
        sizes = (
            [n for n in value if isinstance(n, (int, np.integer)) and n > 0] if isinstance(value, (tuple, list)) else []
        )
        if len(sizes) != 2 or len(value) != 2:
            raise self._wrong(f"board must be (height, width), two whole numbers from 1, not {value!r}.")
        if sizes[0] * sizes[1] > MOST_CELLS:
            raise self._wrong(
                f"board = {value!r} has {sizes[0] * sizes[1]:,} cells; at most {MOST_CELLS:,} can be handled."
            )
        return int(sizes[0]), int(sizes[1])

    def _moves(self, board: tuple[int, int]) -> MoveTable | None:
        moves = self.names.get("moves")
        if moves is None and "action_cells" in self.names:
            return None
        if not isinstance(moves, MoveTable):
            raise self._wrong(
                "actions = 'moves' needs `moves = move_table(board, steps=[(-1, 0), ...])` from tengen.games.rules, or "
                "a function action_cells(action) that returns (source, target)."
            )
        if moves.board != board:
            raise self._wrong(f"moves is a move_table of a board {moves.board}, but this board is {board}.")
        return moves

    def _num_actions(self, board: tuple[int, int], actions: str, moves: MoveTable | None) -> int:
        least = {"cells": prod(board), "columns": board[1]}.get(actions, 1) if moves is None else len(moves.source)
        if "num_actions" not in self.names and (moves or actions in ("cells", "columns")):
            return least  # of which there can't be too many: MOST_CELLS, and move_table() counts
        count = self._positive("num_actions", "the number of different actions")
        if count > MOST_ACTIONS:
            raise self._wrong(f"num_actions is {count:,}; at most {MOST_ACTIONS:,} can be handled.")
        if count < least or (actions == "columns" and count != least):
            raise self._wrong(f"num_actions is {count}, but actions = '{actions}' of this board are {least}.")
        return count

    def _most_legal(self, num_actions: int) -> int:
        if "most_legal" not in self.names:
            return num_actions
        most = self._positive("most_legal", "the most legal actions of one state")
        if most > num_actions:
            raise self._wrong(f"most_legal is {most}, but there are only {num_actions} actions.")
        return most

    def _action_cells(
        self, cells: int, num_actions: int, moves: MoveTable | None, functions: dict[str, Callable[..., Any]]
    ) -> list[tuple[int, int]]:
        """Source and target of each action, -1 for none."""
        if moves is not None:
            on_board = moves.target >= 0
            pairs = zip(np.where(on_board, moves.source, -1).tolist(), moves.target.tolist(), strict=True)
            return [*pairs, *[(-1, -1)] * (num_actions - len(on_board))]
        if "action_cells" not in functions:
            return []
        found = [self._cells_of(functions["action_cells"], action, cells) for action in range(num_actions)]
        placed = [pair for pair in found if pair[1] >= 0]
        if len(set(placed)) < len(placed) and "action_text" not in functions:
            raise self._wrong(
                "two actions have the same action_cells(), so their names would be the same; a function "
                "action_text(action) gives them names."
            )
        return found

    def _cells_of(self, function: Callable[..., Any], action: int, cells: int) -> tuple[int, int]:
        try:
            source, target = (-1 if cell is None else operator.index(cell) for cell in function(action))
        except Exception as error:
            raise self._wrong(f"action_cells({action}) must return (source, target): {said(error)}") from error
        if not (-1 <= source < cells and -1 <= target < cells):
            raise self._wrong(
                f"action_cells({action}) returned {(source, target)}; a cell is 0 to {cells - 1}, or None for no cell."
            )
        return source, target

    def _pieces(self, plane_names: Sequence[str], functions: dict[str, Callable[..., Any]]) -> tuple[PieceKind, ...]:
        """What the file says, or stones if the first two planes are those of either side. Only here is that decided."""
        first, second = (name.lower() for name in (*plane_names, "", "")[:2])
        shows_stones = first.startswith("own") and second.startswith("opponent")
        if "pieces" not in self.names:
            if "cells" in functions:
                raise self._wrong('cells() needs `pieces`, a list such as [("man", "m", 0), ("man", "M", 1)].')
            return STONES if shows_stones else ()
        given = self.names["pieces"]
        pieces = tuple(map(self._piece, given)) if isinstance(given, (list, tuple)) else ()
        if not 1 <= len(pieces) <= MOST_PIECES:
            raise self._wrong(
                f"pieces must be a list of 1 to {MOST_PIECES} pieces (name, letter, owner), not {given!r}."
            )
        if len({letter for _, letter, _, _ in pieces}) < len(pieces):
            raise self._wrong("two pieces have the same letter; each needs one of its own.")
        if "cells" not in functions and not (shows_stones and [owner for _, _, owner, _ in pieces] == [0, 1]):
            raise self._missing("cells", "function cells(state, out), which writes the codes of `pieces`")
        return pieces

    def _piece(self, given: Any) -> PieceKind:
        match given:
            case (str(name), str(letter), 0 | 1 | None as owner, *rest) if _is_name(name) and type(owner) is not bool:
                colour = rest[0] if rest else ""
                if len(rest) > 1 or not (colour == "" or (isinstance(colour, str) and COLOUR.fullmatch(colour))):
                    raise self._wrong(f"the colour of the piece {name!r} must be a text '#rrggbb', not {rest!r}.")
                if not LETTER.fullmatch(letter):
                    raise self._wrong(
                        f"the letter of the piece {name!r} must be one character of ASCII that is no digit, blank, '.' "
                        f"or 'a' (which names a column), not {letter!r}."
                    )
                return name, letter, owner, colour
        raise self._wrong(
            f"a piece is (name, letter, owner) or (name, letter, owner, '#rrggbb'), owner 0, 1 or None, not {given!r}."
        )

    def _score_name(self, functions: dict[str, Callable[..., Any]]) -> str:
        if "score" not in functions:
            if "score_name" in self.names:
                raise self._missing("score", "function score(state), although there is a score_name")
            return ""
        return self._text("score_name", "points")

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
            if name == "cells" and not isinstance(function, FunctionType) and "pieces" not in self.names:
                continue  # a constant of the author's, such as cells = size * size
            if not isinstance(function, FunctionType):
                raise self._wrong(f"{name} must be a function {call}, not {function!r}.")
            if not _takes(function, len(parameters)):
                raise self._wrong(f"{name} must take ({', '.join(parameters)}), not {inspect.signature(function)}.")
            functions[name] = function
        return functions

    def _symmetries(
        self, board: tuple[int, int], layout: str, num_actions: int, moves: MoveTable | None
    ) -> list[NamedSymmetry]:
        try:
            return read_symmetries(self.names.get("symmetries", "none"), board, layout, num_actions, moves)
        except RulesError as error:
            raise self._wrong(str(error)) from None


def _default_names(pieces: Sequence[PieceKind]) -> tuple[str, str]:
    """Players without names are called as the drawing shows them: by their letter, if each has one kind of piece."""
    letters = [[letter for _, letter, owner, _ in pieces if owner == player] for player in (0, 1)]
    match letters:
        case [[first], [second]]:
            return first, second
        case [[], []]:
            return "X", "O"
    return "first player", "second player"


def _is_name(text: str) -> bool:
    return bool(text.strip()) and text.isprintable()


def _takes(function: FunctionType, count: int) -> bool:
    try:
        inspect.signature(function).bind(*range(count))
    except TypeError:
        return False
    return True
