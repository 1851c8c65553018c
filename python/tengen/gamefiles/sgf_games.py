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
from tengen.games.sgf import GAMES, SgfGame, parse_sgf
from tengen.games.vertices import pass_action

__all__ = ["ggf_game", "said_by_sgf", "sgf_game", "split_parentheses"]

LARGEST_GAME = 1 << 22  # characters
CHUNK = 1 << 16
TOKEN = re.compile(r"\\.|[\[\]()]", re.DOTALL)
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


def split_parentheses(stream: TextIO) -> Iterator[tuple[int, str | BadGameError]]:
    """The games of a stream, each a text from parenthesis to parenthesis, with the line that it begins at."""
    depth, is_value, line, begin_line = 0, False, 1, 1
    parts: list[str] = []  # of the game that goes on, from earlier chunks
    rest = ""  # a backslash at the end of a chunk belongs to what follows it
    while chunk := stream.read(CHUNK):
        text = rest + chunk
        rest = "\\" if (len(text) - len(text.rstrip("\\"))) % 2 else ""
        text = text[: len(text) - len(rest)]
        begin = 0
        for found in TOKEN.finditer(text):
            token = found[0]
            if is_value:
                is_value = token != "]"
            elif token == "[":
                is_value = depth > 0
            elif token == "(":
                if depth == 0:
                    begin, begin_line = found.start(), line + text.count("\n", 0, found.start())
                depth += 1
            elif token == ")" and depth:
                depth -= 1
                if depth == 0:
                    yield begin_line, _whole([*parts, text[begin : found.end()]])
                    parts = []
        if depth:
            parts = [*parts, text[begin:]] if sum(map(len, parts)) <= LARGEST_GAME else parts
        line += text.count("\n")
    if depth:
        yield begin_line, BadGameError("damaged", "The text ends in the middle of a game.")


def _whole(parts: list[str]) -> str | BadGameError:
    text = "".join(parts)
    if len(text) > LARGEST_GAME:
        return BadGameError("too large", f"The game is larger than {LARGEST_GAME:,} characters.")
    return text


def sgf_game(game: Game, text: str) -> FoundGame:
    """One game of an SGF file, for `game`: komi and other options that do not change the moves may differ."""
    read = parse_sgf(text, like=game if game.spec.source in GAMES.values() else None)
    spec, wanted = read.game.spec, game.spec
    if spec.source != wanted.source:
        raise BadGameError("another game", f"The game is {spec.source}, not {wanted.source}.")
    if (spec.height, spec.width) != (wanted.height, wanted.width):
        raise BadGameError(
            "another board", f"The board is {spec.width}x{spec.height}, not {wanted.width}x{wanted.height}."
        )
    result = read.result or "?"
    return FoundGame(read.moves, text_start(game, read.start), said_by_sgf(result), _about(read))


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
