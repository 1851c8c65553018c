"""Reads and writes games as SGF: Go (GM[1]), Othello (GM[2]) and Gomoku (GM[4]).

Only the main line of the first game of a file is read; `trees` reads its variations and comments too. Points are two
letters, column and row from the top left, in all three games. The format: https://www.red-bean.com/sgf/

>>> import tengen
>>> game, state = read_sgf("(;GM[1]SZ[5]KM[0.5];B[cc];W[];B[cd])")
>>> state.moves_text
'C3 pass C2'
>>> read_sgf(write_sgf(state)) == (game, state)
True
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from sgfmill import sgf_grammar

from tengen._core import Game, State, TengenError
from tengen.games import load
from tengen.games.vertices import pass_action

__all__ = [
    "LARGEST_SGF",
    "SgfError",
    "SgfGame",
    "has_sgf",
    "looks_like_sgf",
    "parse_sgf",
    "play_sgf_move",
    "read_sgf",
    "write_sgf",
]

LARGEST_SGF = 1 << 22  # bytes; a hundred times the size of a game with a comment at every move
LETTERS = "abcdefghijklmnopqrstuvwxyz"
GAMES = {"1": "go", "2": "othello", "4": "gomoku"}  # by the property GM
NUMBERS = {name: number for number, name in GAMES.items()}
DEFAULT_SIZES = {"go": 19, "othello": 8, "gomoku": 15}  # of a file without SZ
HANDICAP_KOMI = 0.5  # of a file with HA and without KM
COLOURS = ("black", "white")
LETTERS_OF_CELLS = ".XO"  # in drawings, by the code of State.cells
SET_UP = {"AB": 1, "AW": 2, "AE": 0}  # codes of State.cells
CHARSET = re.compile(rb"CA\s*\[\s*([A-Za-z0-9_:.-]{1,40})\s*\]")

Properties = dict[str, list[str]]  # of one node


class SgfError(TengenError):
    """Invalid SGF, a game that tengen can't play, or a game that SGF does not define."""


@dataclass(frozen=True)
class SgfGame:
    """The content of an SGF file. The moves may be illegal; `state` checks them."""

    start: State  # set-up stones and whose turn it is
    moves: tuple[tuple[int, int], ...] = ()  # player and action; a player may have two in a row
    players: tuple[str, str] = ("", "")  # names: black's, white's
    result: str = ""  # as in SGF: B+3.5, W+R or 0
    date: str = ""
    root: Properties = field(default_factory=dict, compare=False, repr=False)  # of the file's first node

    @property
    def game(self) -> Game:
        return self.start.game

    @property
    def state(self) -> State:
        """The position after the last move. SgfError names the first illegal move.

        Between two moves of one player a pass of the other is inserted if it is legal. Passes after the end of the game
        are ignored.
        """
        state = self.start
        for number, (player, action) in enumerate(self.moves, 1):
            state = play_sgf_move(state, player, action, self._name(number))
        return state

    def _name(self, number: int) -> str:
        player, action = self.moves[number - 1]
        return f"Move {number} of the SGF, {COLOURS[player]} {self.game.action_text(action)},"


def play_sgf_move(state: State, player: int, action: int, name: str) -> State:
    """The position after a move of a file, with a pass before it where the file leaves one out.

    A pass after the end of the game, or out of turn, changes nothing. `name` is what an SgfError calls the move.
    """
    skip = pass_action(state.game)
    if state.outcome is None and state.to_move != player:
        if skip is None or not state.is_legal(skip):
            raise SgfError(f"{name} is out of turn: it is {COLOURS[state.to_move]}'s.")
        if action == skip:
            return state
        state = state.play(skip)
    if state.outcome is not None:
        if action == skip:
            return state
        raise SgfError(f"{name} comes after the end of the game.")
    if not state.is_legal(action):
        raise SgfError(f"{name} is not legal there.")
    return state.play(action)


def has_sgf(game: Game) -> bool:
    """Whether SGF defines this game."""
    return game.spec.source in NUMBERS


def read_sgf(text: str | bytes, like: Game | None = None) -> tuple[Game, State]:
    """The game of a file, and its position after the last move. See parse_sgf for `like`."""
    read = parse_sgf(text, like)
    return read.game, read.state


def looks_like_sgf(text: str | bytes) -> bool:
    """Whether a text begins with a parenthesis, as SGF does."""
    start = text[:5000] if isinstance(text, str) else text[:5000].decode("latin-1")
    return start.lstrip("\ufeff\xef\xbb\xbf \t\r\n").startswith("(")


def parse_sgf(text: str | bytes, like: Game | None = None) -> SgfGame:
    """The first game of a file. Its moves are not yet checked against the rules.

    SGF does not specify some options, such as the planes of a network: they are taken from `like` if it is the same
    game. If the file does not specify a komi, it is the default one.
    """
    nodes = [properties_of(node) for node in sgf_grammar.main_sequence_iter(parsed_tree(text))]
    root = nodes[0]
    game = _game(root, like)
    first_move = next((i for i, node in enumerate(nodes) if "B" in node or "W" in node), len(nodes))
    if any(SET_UP.keys() & node.keys() for node in nodes[first_move + 1 :]):
        raise SgfError("This SGF sets up stones in the middle of the game; tengen reads a position and then moves.")
    start = _start(game, nodes[: first_move + 1])
    moves = [move for node in nodes[first_move:] for move in moves_of(game, node)]
    return SgfGame(
        start,
        tuple(moves),
        players=(_text(root, "PB"), _text(root, "PW")),
        result=_text(root, "RE"),
        date=_text(root, "DT"),
        root=root,
    )


def write_sgf(
    played: State | SgfGame,
    *,
    players: tuple[str, str] = ("", ""),
    result: str | None = None,
    date: str = "",
    comments: Mapping[int, str] | None = None,
) -> str:
    """The text of a file with one game, on one line.

    `played` is the final position, or an SgfGame. Give an SgfGame for a game that did not begin at the initial
    position: a State that was set up is written as stones without moves. `result` defaults to the outcome of a finished
    game. `comments` are keyed by the number of moves made before them: 0 is the start.
    """
    if isinstance(played, State):
        played = SgfGame(*_past(played), result=result_of(played))
    number = NUMBERS.get(played.game.spec.source)
    if number is None:
        raise SgfError(f"SGF can be written for {', '.join(NUMBERS)}, not for {played.game.spec.name}.")
    comments = comments or {}
    root = {"FF": ["4"], "CA": ["UTF-8"], "AP": ["tengen"], "GM": [number], "SZ": [str(played.game.spec.width)]}
    if (komi := played.game.spec.options.get("komi")) is not None:
        root["KM"] = [f"{komi:g}"]
    told = {
        "PB": players[0] or played.players[0],
        "PW": players[1] or played.players[1],
        "RE": played.result if result is None else result,
        "DT": date or played.date,
    }
    root |= {name: [" ".join(value.split())] for name, value in told.items() if value}
    root |= _set_up(played.start)
    nodes = [root]
    nodes += [{"BW"[player]: [point_of(played.game, action)]} for player, action in played.moves]
    for i, node in enumerate(nodes):
        if comments.get(i):
            node["C"] = [comments[i]]
    tree = sgf_grammar.Coarse_game_tree()
    tree.sequence = list(map(escaped, nodes))
    return serialised(tree)


# --- Reading ----------------------------------------------------------------------------------------------------------


def _decoded(text: str | bytes) -> str:
    """The text; bytes are decoded as CA says, else as UTF-8, else (if that is invalid) as Latin-1, SGF's default."""
    if len(text) > LARGEST_SGF:
        raise SgfError(f"This SGF is too large: {len(text):,} bytes; the limit is {LARGEST_SGF:,}.")
    if isinstance(text, str):
        return text
    named = CHARSET.search(text[:1000])
    for charset in ([named[1].decode()] if named else []) + ["utf-8-sig"]:
        try:
            return text.decode(charset)
        except (LookupError, ValueError):
            continue
    return text.decode("latin-1")


def parsed_tree(text: str | bytes) -> sgf_grammar.Coarse_game_tree:
    """The first game of a file, as sgfmill has it: sequences of nodes, and what follows each."""
    try:
        return sgf_grammar.parse_sgf_game(_decoded(text).encode(errors="replace"))
    except ValueError as error:
        reasons = {
            "no SGF data found": "there is no game in it",
            "unexpected end of SGF data": "it is cut short or damaged",
        }
        raise SgfError(f"This is not valid SGF: {reasons.get(str(error), error)}.") from None


def properties_of(node: dict[str, list[bytes]]) -> Properties:
    """The properties of a node, as text."""
    return {name: [sgf_grammar.text_value(value).decode() for value in values] for name, values in node.items()}


def _game(root: Properties, like: Game | None) -> Game:
    number = _text(root, "GM") or "1"
    if number not in GAMES:
        known = ", ".join(f"GM[{number}] {name}" for number, name in GAMES.items())
        raise SgfError(f"This SGF is of a game that tengen can't read, GM[{number[:20]}]; it reads {known}.")
    name = GAMES[number]
    same = like is not None and like.spec.source == name
    options: dict[str, float] = dict(like.spec.options) if same and like is not None else {}
    options.pop("max_moves", None)  # a limit that is set for training only
    options["size"] = _size(root, name)
    if name == "go":
        komi = _komi(root, options["size"])
        options.pop("komi", None)
        if komi is not None:
            options["komi"] = komi
    try:
        return load(name, **options)
    except TengenError as error:
        raise SgfError(f"This SGF is of a game that tengen can't play: {error}") from None


def _size(root: Properties, name: str) -> float:
    written = _text(root, "SZ")
    if not written:
        return DEFAULT_SIZES[name]
    columns, _, rows = written.partition(":")
    if rows and rows.strip() != columns.strip():
        raise SgfError(f"This SGF has a board of {written[:20]}: tengen's boards are square.")
    return _number("SZ", columns)


def _komi(root: Properties, size: float) -> float | None:
    """The komi of the file; None if it does not specify one."""
    written = _text(root, "KM")
    if not written:
        return HANDICAP_KOMI if _text(root, "HA") not in ("", "0", "1") else None
    komi = _number("KM", written)
    if abs(komi) > size * size:
        raise SgfError(f"This SGF has a komi of {komi:g}, more than the board has points.")
    return komi


def _start(game: Game, nodes: list[Properties]) -> State:
    """The position before the first move. `nodes` are those up to and including that of the first move."""
    cells = _cells(game.initial_state())
    turn: int | None = None
    for node in nodes:
        for name, stone in SET_UP.items():
            for cell in _points(game, name, node.get(name, [])):
                cells[cell] = stone
        turn = {"B": 0, "W": 1}.get(_text(node, "PL")[:1].upper(), turn)
    if turn is None:
        after_handicap = game.spec.source == "go" and 1 in cells and 2 not in cells
        turn = 1 if "W" in nodes[-1] or (after_handicap and "B" not in nodes[-1]) else 0
    if cells == _cells(game.initial_state()) and (turn == 0 or pass_action(game) is None):
        return game.initial_state()
    try:
        return game.state(board=_drawing(game, cells, turn))
    except TengenError as error:
        raise SgfError(f"The position that this SGF sets up can't be played: {error}") from None


def moves_of(game: Game, node: Properties) -> Iterator[tuple[int, int]]:
    for player, name in enumerate("BW"):
        for value in node.get(name, []):
            yield player, _action(game, value.strip())


def _action(game: Game, value: str) -> int:
    size = game.spec.width
    if value == "" or (value == "tt" and size <= 19):
        skip = pass_action(game)
        if skip is None:
            raise SgfError(f"This SGF has a pass, which {game.spec.source} does not have.")
        return skip
    cell = _cell(game, value)
    if cell is None:
        raise SgfError(f"'{value[:20]}' is not a point of a board of size {size}.")
    return cell


def _cell(game: Game, value: str) -> int | None:
    """The cell of a point in SGF's letters or, outside of Go, in the game's own notation (some programs write e6)."""
    if value[1:].isdecimal() and game.spec.source != "go":
        return game.parse_action(value)
    column, row = (LETTERS.find(letter) for letter in value) if len(value) == 2 else (-1, -1)
    size = game.spec.width
    return row * size + column if 0 <= column < size and 0 <= row < size else None


def _points(game: Game, name: str, values: list[str]) -> Iterator[int]:
    """Single points, and rectangles as in AB[aa:cc]."""
    size = game.spec.width
    for value in values:
        corners = [_cell(game, corner.strip()) for corner in value.split(":")]
        if len(corners) > 2 or None in corners:
            raise SgfError(f"{name}[{value[:20]}] is not a point of a board of size {size}.")
        (top, left), (bottom, right) = (divmod(corner or 0, size) for corner in (corners[0], corners[-1]))
        for row in range(top, bottom + 1):
            yield from range(row * size + left, row * size + right + 1)


def _text(node: Properties, name: str) -> str:
    return " ".join(node[name][0].split()) if name in node else ""


def _number(name: str, text: str) -> float:
    try:
        number = float(text[:20])
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise SgfError(f"{name}[{text[:20]}] of this SGF is not a number.")
    return number


# --- Writing ----------------------------------------------------------------------------------------------------------


def _past(state: State) -> tuple[State, tuple[tuple[int, int], ...]]:
    """The start of a state and its moves with their players; the state itself and no moves if it was set up."""
    past = state.game.initial_state()
    moves = []
    for action in state.moves:
        if not past.is_legal(action):
            return state, ()
        moves.append((past.to_move, action))
        past = past.play(action)
    return (state.game.initial_state(), tuple(moves)) if past == state else (state, ())


def result_of(state: State) -> str:
    """As in SGF: B+3.5, W+ or 0; empty if the game is not over."""
    if state.outcome is None:
        return ""
    if state.outcome.winner is None:
        return "0"
    return f"{'BW'[state.outcome.winner]}+" + ("" if state.score is None else f"{abs(state.score):g}")


def _set_up(start: State) -> Properties:
    """The set-up properties: stones added to and removed from the initial position, and who is to move."""
    if start == start.game.initial_state():
        return {}
    set_up: Properties = {}
    before = _cells(start.game.initial_state())
    for cell, (was, stone) in enumerate(zip(before, _cells(start), strict=True)):
        if was != stone:
            name = next(name for name, of in SET_UP.items() if of == stone)
            set_up.setdefault(name, []).append(point_of(start.game, cell))
    return {**set_up, "PL": ["BW"[start.to_move]]}


def point_of(game: Game, action: int) -> str:
    """The point of an action, in SGF's letters; empty for a pass."""
    if action == pass_action(game):
        return ""
    row, column = divmod(action, game.spec.width)
    return LETTERS[column] + LETTERS[row]


def escaped(node: Properties) -> dict[str, list[bytes]]:
    """A node as sgfmill writes it."""
    return {
        name: [sgf_grammar.escape_text(value.encode(errors="replace")) for value in values]
        for name, values in node.items()
    }


def serialised(tree: sgf_grammar.Coarse_game_tree) -> str:
    """The text of a file with this game, on one line."""
    written: bytes = sgf_grammar.serialise_game_tree(tree, wrap=None)
    return written.decode().rstrip("\n")


# --- Both ways --------------------------------------------------------------------------------------------------------


def _cells(state: State) -> list[int]:
    """The code of what stands on each cell, row by row from the top."""
    assert state.cells is not None  # all games of GAMES say it
    codes: list[int] = state.cells.ravel().tolist()
    return codes


def _drawing(game: Game, cells: list[int], to_move: int) -> str:
    """What game.state(board=...) reads."""
    size = game.spec.width
    letters = [LETTERS_OF_CELLS[code] for code in cells]
    rows = [" ".join(letters[i : i + size]) for i in range(0, len(letters), size)]
    return "\n".join([*rows, f"{LETTERS_OF_CELLS[1 + to_move]} to move"])
