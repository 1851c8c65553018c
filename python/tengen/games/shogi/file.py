"""What KIF and CSA have in common: a game with its players, the position it starts from, and the bytes of a file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tengen._core import Game, State, TengenError
from tengen.games import load
from tengen.games.lines import last_state

__all__ = [
    "HAND_ORDER",
    "LARGEST_FILE",
    "PROMOTED",
    "Board",
    "ShogiFileError",
    "ShogiGame",
    "decoded",
    "game_like",
    "piece_at",
    "played",
    "square_of",
    "start_from",
    "usi_move",
]

LARGEST_FILE = 1 << 22  # bytes; a hundred times the size of a game with a comment at every move
HAND_ORDER = "RBGSNLP"  # of SFEN
# In a drawing a piece is one letter; SFEN has a + before those that are promoted.
PROMOTED = {"T": "+P", "U": "+L", "V": "+N", "W": "+S", "H": "+B", "D": "+R"}
ENCODINGS = ("utf-8-sig", "cp932", "euc_jp")  # cp932 is Shift-JIS as Windows writes it


class ShogiFileError(TengenError):
    """A file that is not a game of shogi in this format, or one with an illegal move."""


@dataclass(frozen=True)
class ShogiGame:
    """A game as a file has it: its main line."""

    start: State
    moves: tuple[int, ...] = ()  # actions, legal one after the other
    players: tuple[str, str] = ("", "")  # names: black's, white's
    end: str = ""  # how the file says it ended, in the format's own word: 投了, %TORYO
    date: str = ""

    @property
    def game(self) -> Game:
        return self.start.game

    @property
    def state(self) -> State:
        """The position after the last move."""
        return last_state(self.start, self.moves)

    def usi_moves(self) -> Iterator[tuple[State, str]]:
        """Each move as USI has it, with the state before it."""
        state = self.start
        for action in self.moves:
            yield state, state.action_text(action)
            state = state.play(action)


def decoded(content: str | bytes) -> str:
    """The text of a file: UTF-8 if it is, else Shift-JIS or EUC."""
    if len(content) > LARGEST_FILE:
        raise ShogiFileError(f"This file is too large: {len(content):,} bytes; the limit is {LARGEST_FILE:,}.")
    if isinstance(content, str):
        return content
    text = decoded_or_none(content)
    if text is None:
        raise ShogiFileError("This file is text in none of the encodings of shogi files: UTF-8, Shift-JIS or EUC.")
    return text


def decoded_or_none(content: bytes) -> str | None:
    """The same; None if it is in none of these encodings."""
    for encoding in ENCODINGS:
        try:
            return content.decode(encoding)
        except ValueError:
            continue
    return None


def game_like(like: Game | None, name: str = "shogi") -> Game:
    """The game of a file. Options that files do not have, such as the planes of a network, are those of `like`."""
    options = dict(like.spec.options) if like is not None and like.spec.source == name else {}
    options.pop("max_moves", None)  # a limit that is set for training only
    return load(name, **options)


class Board:
    """Pieces by square (file, rank), as letters of SFEN, and the hands: a position that a file sets up."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.pieces: dict[tuple[int, int], str] = {}
        self.hands: dict[str, int] = {}  # by letter, capitals for black

    def hold(self, letter: str, count: int = 1) -> None:
        """Adds to a hand."""
        self.hands[letter] = self.hands.get(letter, 0) + count

    def sfen(self, to_move: int) -> str:
        """The position as programs exchange it."""
        rows = ("".join(self._row(rank)) for rank in range(1, self.size + 1))
        letters = [*HAND_ORDER, *HAND_ORDER.lower()]
        hands = "".join(f"{count if count > 1 else ''}{x}" for x in letters if (count := self.hands.get(x, 0)))
        return f"{'/'.join(rows)} {'bw'[to_move]} {hands or '-'} 1"

    def _row(self, rank: int) -> Iterable[str]:
        empty = 0
        for file in range(self.size, 0, -1):
            piece = self.pieces.get((file, rank))
            empty += piece is None
            if piece is not None or file == 1:
                if empty:
                    yield str(empty)
                empty = 0
            if piece is not None:
                yield piece


def start_from(game: Game, sfen: str) -> State:
    """The position that a file sets up."""
    try:
        state = game.state(board=sfen)
    except TengenError as error:
        raise ShogiFileError(f"The position that this file sets up can't be played: {error}") from None
    return game.initial_state() if state == game.initial_state() else state


def played(state: State, number: int, usi: str, written: str) -> State:
    """The state after a move that the file has as `written`."""
    if state.outcome is not None:
        raise ShogiFileError(f"Move {number}, {written}, comes after the end of the game.")
    if not state.is_legal(usi):
        raise ShogiFileError(f"Move {number}, {written}, which is {usi}, is not legal there.")
    return state.play(usi)


def piece_at(state: State, square: tuple[int, int]) -> tuple[str, int | None]:
    """The piece on a square (file, rank) as SFEN has it, in capitals, and its owner; ("", None) if there is none."""
    assert state.cells is not None  # shogi says what stands on its board
    code = int(state.cells[square[1] - 1, state.game.spec.width - square[0]])
    if code == 0:
        return "", None
    piece = state.game.spec.pieces[code - 1]
    letter = piece.letter.upper()
    return PROMOTED.get(letter, letter), piece.owner


def usi_move(source: tuple[int, int] | None, target: tuple[int, int], piece: str, promotes: bool) -> str:
    """A move as USI has it; squares are (file, rank), and without a source it is a drop."""
    if source is None:
        return f"{piece}*{_square(target)}"
    return f"{_square(source)}{_square(target)}{'+' if promotes else ''}"


def _square(square: Sequence[int]) -> str:
    return f"{square[0]}{'abcdefghi'[square[1] - 1]}"


def square_of(text: str) -> tuple[int, int]:
    """(file, rank) of a square as USI has it."""
    return int(text[0]), "abcdefghi".index(text[1]) + 1
