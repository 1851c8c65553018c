"""The C++ core of tengen."""

from collections.abc import Mapping, Sequence
import enum
from typing import Annotated

import numpy
from numpy.typing import NDArray


class TengenError(ValueError):
    """Any error of tengen's own."""

class UnknownGameError(TengenError):
    """No game of that name."""

class GameOptionError(TengenError):
    """No such option, or a value out of its range."""

class IllegalActionError(TengenError):
    """The rules do not allow this action here."""

class ActionTextError(TengenError):
    """A text that names no action of this game."""

class BoardTextError(TengenError):
    """A drawing that is not a board of this game."""

class ArgumentError(TengenError):
    """A number, count or shape that the function cannot use."""

class RulesError(TengenError):
    """A game written by a user broke its promise."""

class Outcome:
    """How a finished game ended."""

    def __init__(self, winner: int | None) -> None: ...

    @property
    def winner(self) -> int | None:
        """0 for the first player, 1 for the second, None for a draw."""

    @property
    def is_draw(self) -> bool:
        """Whether nobody won."""

    @property
    def returns(self) -> tuple[float, float]:
        """+1, -1 or 0 for each player, the first player's first."""

    def value_for(self, player: int) -> float:
        """The result as a value for that player."""

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __repr__(self) -> str: ...

class Symmetry:
    """A symmetry of the board, acting on planes, policies and actions."""

    @property
    def name(self) -> str: ...

    def planes(self, planes: Annotated[NDArray[numpy.float32], dict(shape=(None, None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float32], dict(order='C')]:
        """The planes [C, H, W] of the symmetric position."""

    def policy(self, policy: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float32], dict(order='C')]:
        """The policy [A] of the symmetric position."""

    def action(self, action: int) -> int:
        """The action that does on the symmetric board what `action` does here."""

    def __repr__(self) -> str: ...

class GameSpec:
    """Names and sizes of a game."""

    @property
    def name(self) -> str: ...

    @property
    def source(self) -> str:
        """What load() takes to make this game."""

    @property
    def options(self) -> str:
        """The options in force, as they are written in a call of load()."""

    @property
    def num_planes(self) -> int: ...

    @property
    def height(self) -> int: ...

    @property
    def width(self) -> int: ...

    @property
    def num_actions(self) -> int: ...

    @property
    def longest_game(self) -> int:
        """No game has more actions than this."""

    @property
    def plane_names(self) -> list[str]: ...

    @property
    def player_names(self) -> list[str]: ...

    @property
    def planes_shape(self) -> tuple[int, int, int]:
        """The shape [C, H, W] of State.planes()."""

    def __repr__(self) -> str: ...

class Perft:
    """Counts of a full enumeration, one entry per depth from 0."""

    @property
    def positions(self) -> list[int]:
        """Action sequences of that length."""

    @property
    def finished(self) -> list[int]:
        """Those of them that end the game."""

    def __repr__(self) -> str: ...

class PlayoutCounts:
    """What many random games came to."""

    @property
    def games(self) -> int: ...

    @property
    def actions(self) -> int:
        """Of all games together."""

    @property
    def wins(self) -> list[int]:
        """By player."""

    @property
    def draws(self) -> int: ...

    def __repr__(self) -> str: ...

class State:
    """A position: a value that never changes. play() gives the next one."""

    @property
    def game(self) -> Game:
        """The rules it is played by."""

    @property
    def to_move(self) -> int:
        """0 for the first player, 1 for the second."""

    @property
    def legal_actions(self) -> tuple[int, ...]:
        """Legal actions in increasing order; empty when the game is over."""

    def legal_mask(self) -> Annotated[NDArray[numpy.bool_], dict(order='C')]:
        """The same as an array of bool, one for each action."""

    def is_legal(self, action: int | str) -> bool:
        """Whether play(action) would do; False too for what is no action at all."""

    def play(self, action: int | str) -> State:
        """The state after `action`, given as a number or as text."""

    @property
    def outcome(self) -> Outcome | None:
        """None while the game goes on."""

    @property
    def moves(self) -> tuple[int, ...]:
        """The actions played so far."""

    @property
    def moves_text(self) -> str:
        """The same as text, as state() takes it."""

    def planes(self, out: Annotated[NDArray[numpy.float32], dict(shape=(None, None, None), order='C', device='cpu')] | None = None) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None, None), order='C', device='cpu')]:
        """
        What a network sees: float32 [C, H, W], from the side of the player to move; written into `out` if given.
        """

    def action_text(self, action: int) -> str:
        """The name of an action, as people write it."""

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __copy__(self) -> State: ...

    def __deepcopy__(self, memo: object, /) -> State: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class Game:
    """Rules and sizes. Made by tengen.load()."""

    @property
    def spec(self) -> GameSpec:
        """Names and sizes."""

    @property
    def backend(self) -> str:
        """
        What runs the rules: 'c++', or for a Python file 'compiled' or 'interpreted'.
        """

    @property
    def symmetries(self) -> tuple[Symmetry, ...]:
        """Symmetries of the board, the identity first."""

    def initial_state(self) -> State:
        """The state that every game starts from."""

    def state(self, moves: str | Sequence[int | str] = '', board: str | None = None) -> State:
        """
        The state after `moves` (a text or a list) from the start, or from a board drawing.
        """

    def action_text(self, action: int) -> str:
        """The name of an action, as people write it."""

    def parse_action(self, text: str) -> int | None:
        """The action of that name, or None."""

    def perft(self, depth: int, state: State | None = None) -> Perft:
        """
        Counts every action sequence up to `depth`, or to the end of the longest game.
        """

    def random_playouts(self, games: int, seed: int, state: State | None = None) -> PlayoutCounts:
        """Plays uniformly random games to their end."""

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __copy__(self) -> Game: ...

    def __deepcopy__(self, memo: object, /) -> Game: ...

    def __repr__(self) -> str: ...

class OptionKind(enum.Enum):
    INTEGER = 0

    NUMBER = 1

    FLAG = 2

class OptionSpec:
    """One option of a game."""

    @property
    def name(self) -> str: ...

    @property
    def kind(self) -> OptionKind: ...

    @property
    def default(self) -> float: ...

    @property
    def lowest(self) -> float: ...

    @property
    def highest(self) -> float: ...

    @property
    def help(self) -> str: ...

class GameEntry:
    """A game of the registry."""

    @property
    def name(self) -> str: ...

    @property
    def summary(self) -> str: ...

    @property
    def options(self) -> list[OptionSpec]: ...

def game_entries() -> list[GameEntry]:
    """The built-in games."""

def make_game(name: str, options: Mapping[str, float]) -> Game: ...

LARGEST_TABLE_STATE: int = 16384

def make_table_game(rules: object, *, name: str, source: str, options: str, board: tuple[int, int], num_actions: int, longest_game: int, plane_names: Sequence[str], player_names: Sequence[str], symmetries: Sequence[tuple[str, Sequence[int], Sequence[int]]], actions: str, state_size: int, addresses: Mapping[str, int] | None) -> Game:
    """
    A game whose rules are compiled functions at `addresses`, or, without them, methods of `rules`.
    """

def symmetry_named(name: str, board: tuple[int, int], num_actions: int, actions: str) -> tuple[list[int], list[int]] | None:
    """The cell_source and action_source of a symmetry of the board, or None."""
