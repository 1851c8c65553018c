"""SGF and GGF: files of games in parentheses, one or many to a file.

SGF is read for Go, Othello and Gomoku (games/sgf.py). GGF is what Othello servers write, https://skatgame.net/mburo/ggsa/ggf:
(;GM[Othello]PB[..]PW[..]RB[2100.5]RE[+12.00]TY[8]BO[8 ---...--- *]B[d3]W[c3/..]B[PA];)
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TextIO

from tengen._core import Game, Reason, State, TengenError
from tengen.gamefiles.found import About, BadGameError, FoundGame, Said, text_start
from tengen.gamefiles.ranks import date_of, rank_of, rating_of
from tengen.games.sgf import NUMBERS, SgfGame, has_sgf, parse_sgf
from tengen.games.vertices import pass_action

__all__ = ["ggf_game", "said_by_sgf", "sgf_game", "split_parentheses"]

LARGEST_GAME = 1 << 22  # characters
CHUNK = 1 << 16
NO_PROPERTY = re.compile(r"(?<=[\];])\s*\d\w*\[(?:[^\]\\]|\\.)*\]", re.DOTALL)
TOKEN = re.compile(r"\\.|[\[\]()]", re.DOTALL)
ROOT = re.compile(r"\(\s*;\s*(?:GM|FF)\s*\[")  # what begins a game and no variation
PIECE = re.compile(r";\s*[A-Za-z]{1,3}\s*\[")  # of a game, outside of any
RESULT = re.compile(r"\s*(?:black|white|([BW]))[^+]*?\s*(?:\+|wins?(?: by)?)\s*(.*)", re.IGNORECASE)
DRAWS = ("0", "draw", "jigo", "和棋", "持碁")
CHINESE = {"黑胜": 0, "黑勝": 0, "黑中盘胜": 0, "白胜": 1, "白勝": 1, "白中盘胜": 1}
# How a game was won, by the first letter behind the +.
WAYS = {
    "r": (Reason.RESIGNATION, ""),
    "t": (Reason.FORFEIT, "out of time"),
    "f": (Reason.FORFEIT, "forfeit"),
}
GGF_VALUE = re.compile(r"([A-Z]{1,3})\[([^\]]*)\]")
GGF_RESULT = re.compile(r"([+-]?\d+(?:\.\d+)?)(?::([rts]))?")


Part = tuple[int, str | BadGameError]  # with the line that it begins at


def split_parentheses(stream: TextIO) -> Iterator[Part]:
    """The games of a stream, each a text from parenthesis to parenthesis.

    What damage there is must not swallow whole games. So the root of a game begins one even if the game before it has
    no end, and a piece of a game that stands between games is named.
    """
    splitter = _Splitter()
    for text in _lines(stream):
        yield from splitter.split(text)
    if splitter.depth:
        yield splitter.begin, BadGameError("damaged", "The text ends in the middle of a game.")


class _Splitter:
    """Takes line after line."""

    def __init__(self) -> None:
        self.line = self.begin = 1  # the line that comes next, and the one that the game begins at
        self.depth = 0  # parentheses that are open
        self._is_value = False  # between [ and ]
        self._is_stray = False  # a piece between games was named
        self._parts: list[str] = []  # of the game that goes on, from earlier lines
        self._size = 0  # of them

    def split(self, text: str) -> Iterator[Part]:
        begin = after = 0  # where the game begins, and where the last one ended
        for found in TOKEN.finditer(text):
            token, at = found[0], found.start()
            if token == "(" and self.depth and (at == 0 or not self._is_value) and ROOT.match(text, at):
                yield self.begin, BadGameError("damaged", "The game has no end: another one begins before it.")
                self.depth, self._is_value, self._parts, self._size, after = 0, False, [], 0, at
            if self._is_value:
                self._is_value = token != "]"
            elif token == "[":
                self._is_value = self.depth > 0
            elif token == "(":
                if self.depth == 0:
                    yield from self._stray(text[after:at])
                    begin, self.begin, self._is_stray = at, self.line, False
                self.depth += 1
            elif token == ")" and self.depth:
                self.depth -= 1
                if self.depth == 0:
                    yield self.begin, _whole([*self._parts, text[begin : found.end()]])
                    self._parts, self._size, after = [], 0, found.end()
        if self.depth == 0:
            yield from self._stray(text[after:])
        elif self._size <= LARGEST_GAME:
            self._parts.append(text[begin:])
            self._size += len(text) - begin
        self.line += text.count("\n")

    def _stray(self, text: str) -> Iterator[Part]:
        """What stands between two games: a piece of one is named once, and words are passed over."""
        if not self._is_stray and PIECE.search(text):
            self._is_stray = True
            yield self.line, BadGameError("damaged", "A piece of a game stands outside of parentheses.")


def _lines(stream: TextIO) -> Iterator[str]:
    """Lines, long ones in pieces. A backslash at the end of a piece belongs to what follows it."""
    rest = ""
    while read := stream.readline(CHUNK):
        text = rest + read
        rest = "\\" if (len(text) - len(text.rstrip("\\"))) % 2 else ""
        yield text[: len(text) - len(rest)]


def _whole(parts: list[str]) -> str | BadGameError:
    text = "".join(parts)
    if len(text) > LARGEST_GAME:
        return BadGameError("too large", f"The game is larger than {LARGEST_GAME:,} characters.")
    return text


def sgf_game(game: Game, text: str) -> FoundGame:
    """One game of an SGF file, for `game`: komi and other options that do not change the moves may differ."""
    read = parse_sgf(_mended(game, text), like=game if has_sgf(game) else None)
    spec, wanted = read.game.spec, game.spec
    if spec.source != wanted.source:
        raise BadGameError("another game", f"The game is {spec.source}, not {wanted.source}.")
    if (spec.height, spec.width) != (wanted.height, wanted.width):
        raise BadGameError(
            "another board", f"The board is {spec.width}x{spec.height}, not {wanted.width}x{wanted.height}."
        )
    result = read.result or "?"
    return FoundGame(read.moves, text_start(game, read.start), said_by_sgf(result), _about(read))


def _mended(game: Game, text: str) -> str:
    """The text without properties that SGF has no names for (5A), and with GM if it does not say its game."""
    text = NO_PROPERTY.sub("", text)
    if has_sgf(game) and not re.search(r"\bGM\s*\[", text[:5000]):
        return text.replace(";", f";GM[{NUMBERS[game.spec.source]}]", 1)
    return text


def said_by_sgf(text: str) -> Said | None:
    """The result of a property RE: B+3.5, W+R, B+T, 0, Void, ? and what people write instead."""
    if text.strip().lower() in DRAWS:
        return Said(None)
    if text.strip() in CHINESE:
        return Said(CHINESE[text.strip()])
    found = RESULT.match(text)
    if not found:
        return None
    winner = "bw".index(text.strip()[0].lower())
    how = found[2].strip().lower()
    if number := re.match(r"\d+(?:\.\d+)?", how):
        return Said.counted(winner, float(number[0]))
    return Said(winner, *WAYS.get(how[:1], (Reason.AGREEMENT, "")))


def _about(read: SgfGame) -> About:
    first, second = (_first(read, name) for name in ("BR", "WR"))
    handicap = _first(read, "HA")
    return About(
        players=read.players,
        ratings=(rating_of(first), rating_of(second)),
        ranks=(rank_of(first), rank_of(second)),
        date=date_of(read.date),
        handicap=int(handicap) if handicap.isascii() and handicap.isdecimal() and len(handicap) < 3 else 0,
        komi=read.game.spec.options.get("komi"),
    )


def _first(read: SgfGame, name: str) -> str:
    return read.root.get(name, [""])[0].strip()


# --- GGF --------------------------------------------------------------------------------------------------------------


def ggf_game(game: Game, text: str) -> FoundGame:
    """One game of a GGF file."""
    if game.spec.source != "othello":
        raise BadGameError("another game", f"GGF has games of Othello, not of {game.spec.name}.")
    values = GGF_VALUE.findall(text)
    told = {name: value for name, value in reversed(values) if name not in ("B", "W")}
    if told.get("GM", "Othello").lower() != "othello":
        raise BadGameError("another game", f"The game is {told['GM'][:20]}, not Othello.")
    board = told.get("BO", "").split()
    size = game.spec.width
    if len(board) < 3 or board[0] != str(size):
        raise BadGameError("another board", f"BO[{told.get('BO', '')[:20]}] is not a board of {size}x{size}.")
    moves = tuple(("BW".index(name), _ggf_action(game, value)) for name, value in values if name in ("B", "W"))
    return FoundGame(
        moves,
        _ggf_start(game, "".join(board[1:-1]), board[-1]),
        _said_by_ggf(told.get("RE", "?")),
        About(
            players=(told.get("PB", "").strip(), told.get("PW", "").strip()),
            ratings=(rating_of(told.get("RB", "")), rating_of(told.get("RW", ""))),
            date=date_of(told.get("DT", "")),
        ),
    )


def _ggf_action(game: Game, value: str) -> int:
    written = value.partition("/")[0].strip()
    if written.upper() in ("PA", "PASS"):
        skip = pass_action(game)
        assert skip is not None
        return skip
    action = game.parse_action(written.lower())
    if action is None:
        raise BadGameError("illegal move", f"'{written[:20]}' is not a square of the board.")
    return action


def _ggf_start(game: Game, cells: str, turn: str) -> State | None:
    size = game.spec.width
    letters = cells.translate(str.maketrans("-*Oo", ".XOO"))
    if len(letters) != size * size or set(letters) - set(".XO") or turn not in ("*", "O"):
        raise BadGameError("impossible position", "BO has not a disc or a dash for each square, and whose turn it is.")
    rows = [" ".join(letters[first : first + size]) for first in range(0, len(letters), size)]
    drawing = "\n".join([*rows, f"{'X' if turn == '*' else 'O'} to move"])
    try:
        return text_start(game, game.state(board=drawing))
    except TengenError as error:
        raise BadGameError(
            "impossible position", f"The position that it starts from can't be played: {error}"
        ) from None


def _said_by_ggf(text: str) -> Said | None:
    """Points from black's side, and how the game ended: r resigned, t out of time, s agreed."""
    found = GGF_RESULT.fullmatch(text.strip())
    if not found:
        return None
    margin = float(found[1])
    winner = None if margin == 0.0 else 0 if margin > 0.0 else 1
    if found[2] == "r" and winner is not None:
        return Said(winner, Reason.RESIGNATION)
    if found[2] == "t" and winner is not None:
        return Said(winner, Reason.FORFEIT, "out of time")
    return Said.counted(winner, abs(margin))
