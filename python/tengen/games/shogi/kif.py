"""Games of shogi in KIF, the format of Kifu for Windows and most shogi programs: headers, and a numbered move a line.

   1 ７六歩(77)   ( 0:01/00:00:01)
   2 ３四歩(33)

A comment stands in lines after its move that begin with *. A variation follows the line that it leaves, with the number
of its first move: 変化：3手. Times are ignored. Handicap games are known by name, other positions by their drawing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from tengen._core import Game, State
from tengen.games.shogi.file import (
    HAND_ORDER,
    Board,
    ShogiFileError,
    ShogiGame,
    decoded,
    game_like,
    piece_at,
    played,
    square_of,
    start_from,
    usi_move,
)

__all__ = [
    "KifLine",
    "is_kif",
    "kif_comment",
    "kif_head",
    "kif_move",
    "kif_variation",
    "read_kif",
    "read_kif_lines",
    "write_kif",
]

FILES = "１２３４５６７８９"
RANKS = "一二三四五六七八九"
# As SFEN has them. Several names of one piece: the first is the one that is written.
PIECES = {
    "歩": "P", "香": "L", "桂": "N", "銀": "S", "金": "G", "角": "B", "飛": "R", "玉": "K", "王": "K",
    "と": "+P", "成香": "+L", "杏": "+L", "成桂": "+N", "圭": "+N", "成銀": "+S", "全": "+S",
    "馬": "+B", "龍": "+R", "竜": "+R",
}  # fmt: skip
NAMES = {letter: name for name, letter in reversed(PIECES.items())}
SHORT = {"+L": "杏", "+N": "圭", "+S": "全"}  # one character, in a drawing
HANDICAPS = {
    "平手": "",
    "香落ち": "lnsgkgsn1/1r5b1/",
    "右香落ち": "1nsgkgsnl/1r5b1/",
    "角落ち": "lnsgkgsnl/1r7/",
    "飛車落ち": "lnsgkgsnl/7b1/",
    "飛香落ち": "lnsgkgsn1/7b1/",
    "二枚落ち": "lnsgkgsnl/9/",
    "三枚落ち": "lnsgkgsn1/9/",
    "四枚落ち": "1nsgkgsn1/9/",
    "五枚落ち": "2sgkgsn1/9/",
    "左五枚落ち": "1nsgkgs2/9/",
    "六枚落ち": "2sgkgs2/9/",
    "八枚落ち": "3gkg3/9/",
    "十枚落ち": "4k4/9/",
}
REST = "ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"  # after a handicap white begins
MINISHOGI = ("5五将棋", "５五将棋")
BLACK, WHITE = ("先手", "下手"), ("後手", "上手")
ENDS = (
    "投了",
    "中断",
    "千日手",
    "持将棋",
    "切れ負け",
    "反則勝ち",
    "反則負け",
    "入玉勝ち",
    "詰み",
    "不詰",
    "不戦勝",
    "不戦敗",
)
PIECE = "|".join(sorted(PIECES, key=len, reverse=True))
MOVE = re.compile(
    rf"(?:(?P<file>[{FILES}1-9])(?P<rank>[{RANKS}1-9])|(?P<same>同))[\s　]*(?P<piece>{PIECE})"
    r"(?P<way>成|不成|打)?(?:\((?P<from>[1-9]{2})\))?"
)
VARIATION = re.compile(r"変化[：:][\s　]*([0-9]{1,5})手")
LINE = re.compile(r"\s*([0-9]+)[\s　]+(\S.*)")
HEADER = re.compile(r"([^\s：:*#&|]{1,20})[：:](.*)")
ROW = re.compile(rf"\|((?:[ v^]?(?:・|{'|'.join(map(re.escape, sorted({*PIECES} - {'成香', '成桂', '成銀'})))}))+)\|")
CELL = re.compile(r"([ v^]?)(\S)")
NUMERALS = "〇一二三四五六七八九"


def is_kif(text: str) -> bool:
    """Whether a text is meant as KIF: it has a header of KIF, a drawing or a numbered move in Japanese."""
    words = ("手合割", "手数--", *(player + "：" for player in (*BLACK, *WHITE)), "の持駒")
    if text.lstrip("\ufeff").startswith("#KIF") or any(word in text for word in words):
        return True
    return any((line := LINE.match(row)) and MOVE.match(line[2]) for row in text.splitlines())


@dataclass
class KifLine:
    """The main line or a variation: its moves from move number `first` on, each with its comment."""

    first: int = 1
    moves: list[int] = field(default_factory=list)  # actions
    comments: list[str] = field(default_factory=list)
    written: list[str] = field(default_factory=list)  # the moves as the file has them


@dataclass
class _Parsed:
    """A file by its parts; nothing is checked against the rules yet."""

    headers: dict[str, str]
    rows: list[str]  # of a drawing
    turn: int | None
    lines: list[KifLine]  # the first is the main line
    comment: str  # before the first move
    end: str  # of the main line

    def add_comment(self, text: str) -> None:
        """To the move that was read last."""
        line = self.lines[-1]
        if line.comments:
            line.comments[-1] = f"{line.comments[-1]}\n{text}".strip()
        elif line is self.lines[0]:
            self.comment = f"{self.comment}\n{text}".strip()


def read_kif(content: str | bytes, like: Game | None = None) -> ShogiGame:
    """The main line of a file. Options that KIF does not have are taken from `like`."""
    parsed = _parsed(content)
    start = _start(parsed, like)
    _replay(start, parsed.lines[:1])
    return ShogiGame(
        start,
        tuple(parsed.lines[0].moves),
        (_first_of(parsed.headers, BLACK), _first_of(parsed.headers, WHITE)),
        parsed.end,
        _first_of(parsed.headers, ("開始日時", "対局日")),
    )


def read_kif_lines(content: str | bytes, like: Game | None = None) -> tuple[State, str, list[KifLine]]:
    """The start, the comment on it, and all lines. A variation leaves the line before it."""
    parsed = _parsed(content)
    start = _start(parsed, like)
    _replay(start, parsed.lines)
    return start, parsed.comment, parsed.lines


def write_kif(record: ShogiGame) -> str:
    """The text of a file with one game."""
    lines = kif_head(record)
    number = 0
    for number, (state, usi) in enumerate(record.usi_moves(), 1):
        lines.append(kif_move(number, state, usi))
    if record.end in ENDS:
        lines.append(f"{number + 1:>4} {record.end}")
    return "\n".join(lines) + "\n"


def kif_head(record: ShogiGame) -> list[str]:
    """What comes before the first move."""
    size = record.game.spec.width
    headers = {"開始日時": record.date, "先手": record.players[0], "後手": record.players[1]}
    lines = ["#KIF version=2.0 encoding=UTF-8"]
    lines += [f"{name}：{' '.join(value.split())}" for name, value in headers.items() if value]
    if record.start == record.game.initial_state():
        lines.append(f"手合割：{'平手' if size == 9 else MINISHOGI[0]}")
    else:
        lines += _drawing(record.start)
    return [*lines, "手数----指手---------消費時間--"]


def kif_move(number: int, state: State, usi: str, comment: str = "") -> str:
    """A move of `state`, and what is said about it."""
    return "\n".join([f"{number:>4} {_written(state, usi)}", *kif_comment(comment)])


def kif_variation(number: int) -> str:
    """What comes before a variation that begins with this move."""
    return f"\n変化：{number}手"


def kif_comment(comment: str) -> list[str]:
    """A comment as lines of a file."""
    return [f"*{line.strip()}" for line in comment.splitlines() if line.strip()]


# --- Reading ----------------------------------------------------------------------------------------------------------


def _parsed(content: str | bytes) -> _Parsed:
    parsed = _Parsed({}, [], None, [KifLine()], "", "")
    line, is_over = parsed.lines[0], False
    for text in decoded(content).lstrip("\ufeff").splitlines():
        if variation := VARIATION.match(text):
            line, is_over = KifLine(int(variation[1])), False
            parsed.lines.append(line)
        elif is_over or text.startswith(("#", "&", "まで")):
            continue
        elif text.startswith("*"):
            parsed.add_comment(text[1:].strip())
        elif row := ROW.match(text):
            parsed.rows.append(row[1])
        elif (numbered := LINE.fullmatch(text)) and not HEADER.match(text):
            end = _end(numbered[2])
            is_over = end != ""
            if not is_over:
                line.written.append(numbered[2].strip())
                line.comments.append("")
            elif len(parsed.lines) == 1:
                parsed.end = end
        elif text.strip() in ("先手番", "下手番", "後手番", "上手番"):
            parsed.turn = 0 if text.strip() in ("先手番", "下手番") else 1
        elif header := HEADER.match(text):
            parsed.headers[header[1].strip()] = header[2].strip()
    if not (line.written or parsed.lines[0].written or parsed.rows or parsed.end or "手合割" in parsed.headers):
        raise ShogiFileError("This is not a game in KIF: it has neither a position nor a move.")
    return parsed


def _end(text: str) -> str:
    return next((end for end in ENDS if text.startswith(end)), "")


def _first_of(headers: dict[str, str], names: tuple[str, ...]) -> str:
    return next((headers[name] for name in names if headers.get(name)), "")


def _start(parsed: _Parsed, like: Game | None) -> State:
    headers, rows, turn = parsed.headers, parsed.rows, parsed.turn
    handicap = headers.get("手合割", "平手").replace("　", "").strip()
    if rows:
        size = len(rows)
        if size not in (5, 9):
            raise ShogiFileError(f"The drawing of this KIF has {size} rows; a board of shogi has nine.")
        board = Board(size)
        for rank, row in enumerate(rows, 1):
            _read_row(board, rank, row)
        for player, names in enumerate((BLACK, WHITE)):
            _read_hand(board, player, _first_of(headers, tuple(f"{name}の持駒" for name in names)))
        return start_from(game_like(like, "shogi" if size == 9 else "minishogi"), board.sfen(turn or 0))
    if handicap in MINISHOGI:
        return game_like(like, "minishogi").initial_state()
    if handicap not in HANDICAPS:
        raise ShogiFileError(
            f"This KIF has the handicap '{handicap[:20]}', which has no position here, and no drawing."
        )
    game = game_like(like)
    return game.state(board=HANDICAPS[handicap] + REST) if HANDICAPS[handicap] else game.initial_state()


def _read_row(board: Board, rank: int, row: str) -> None:
    cells = CELL.findall(row)
    if len(cells) != board.size:
        raise ShogiFileError(f"Row {rank} of the drawing has {len(cells)} cells, not {board.size}.")
    for column, (owner, piece) in enumerate(cells):
        if piece != "・":
            letter = PIECES[piece]
            board.pieces[board.size - column, rank] = letter.lower() if owner == "v" else letter


def _read_hand(board: Board, player: int, text: str) -> None:
    """Pieces with numbers, as in 飛　金二　歩十八."""
    for word in re.split(r"[\s　]+", text):
        if word in ("", "なし"):
            continue
        letter, number = PIECES.get(word[0], ""), _number(word[1:])
        if letter not in ("P", "L", "N", "S", "G", "B", "R") or not 1 <= number <= 18:
            raise ShogiFileError(f"'{word[:10]}' is not a piece in the hand with its number, such as 歩三.")
        board.hold(letter.lower() if player else letter, number)


def _number(text: str) -> int:
    """Up to 19 in Chinese numerals or in digits; 1 if it is empty, 0 if it is not a number."""
    if re.fullmatch(r"\d{1,2}", text):
        return int(text)
    found = re.fullmatch(rf"(十?)([{NUMERALS}]?)", text)
    if not found:
        return 0
    return 10 * len(found[1]) + (NUMERALS.index(found[2]) if found[2] else 0) or 1


def _replay(start: State, lines: Iterable[KifLine]) -> None:
    """Finds the actions of all lines, by the rules."""
    path: list[tuple[State, tuple[int, int] | None]] = [(start, None)]  # after each move, and its square
    for line in lines:
        if not 1 <= line.first <= len(path):
            raise ShogiFileError(f"A variation of this KIF begins at move {line.first}, where no line before it comes.")
        del path[line.first :]
        for number, written in enumerate(line.written, line.first):
            state, target = path[-1]
            usi, target = _usi(state, number, written, target)
            state = played(state, number, usi, written[:20])
            line.moves.append(state.moves[-1])
            path.append((state, target))


def _usi(state: State, number: int, written: str, before: tuple[int, int] | None) -> tuple[str, tuple[int, int]]:
    """A move as USI has it, and where it goes; `before` is where the move before it went."""
    move = MOVE.match(written)
    if not move or (move["same"] and before is None):
        raise ShogiFileError(f"Move {number}, '{written[:20]}', is not a move of KIF, such as ７六歩(77).")
    target = before if move["same"] else (_digit(move["file"], FILES), _digit(move["rank"], RANKS))
    assert target is not None
    source = (int(move["from"][0]), int(move["from"][1])) if move["from"] else None
    if max(*target, *(source or ())) > state.game.spec.width:
        raise ShogiFileError(f"Move {number}, {move[0]}, is outside of the board.")
    return usi_move(source, target, PIECES[move["piece"]], move["way"] == "成"), target


def _digit(text: str, digits: str) -> int:
    return int(text) if text.isascii() else digits.index(text) + 1


# --- Writing ----------------------------------------------------------------------------------------------------------


def _written(state: State, usi: str) -> str:
    if usi == "win":
        return "入玉勝ち"
    file, rank = square_of(usi[2:4])
    place = FILES[file - 1] + RANKS[rank - 1]
    if usi[1] == "*":
        return f"{place}{NAMES[usi[0]]}打"
    source = square_of(usi[:2])
    return f"{place}{NAMES[piece_at(state, source)[0]]}{'成' if usi.endswith('+') else ''}({source[0]}{source[1]})"


def _drawing(start: State) -> list[str]:
    size = start.game.spec.width
    hands = [_hand_text(start, player) for player in (0, 1)]
    lines = [
        f"後手の持駒：{hands[1]}",
        " " + "".join(f" {FILES[size - 1 - i]}" for i in range(size)),
        f"+{'-' * 3 * size}+",
    ]
    for rank in range(1, size + 1):
        cells = []
        for file in range(size, 0, -1):
            piece, owner = piece_at(start, (file, rank))
            cells.append(" ・" if owner is None else f"{' v'[owner]}{SHORT.get(piece, NAMES[piece])}")
        lines.append(f"|{''.join(cells)}|{RANKS[rank - 1]}")
    return [*lines, f"+{'-' * 3 * size}+", f"先手の持駒：{hands[0]}", f"{'先後'[start.to_move]}手番"]


def _hand_text(state: State, player: int) -> str:
    held = {state.game.spec.pieces[code - 1].letter.upper(): count for code, count in state.hands[player].items()}
    words = [NAMES[x] + (_numeral(held[x]) if held[x] > 1 else "") for x in HAND_ORDER if x in held]
    return "　".join(words) or "なし"


def _numeral(number: int) -> str:
    return "十" * (number >= 10) + (NUMERALS[number % 10] if number % 10 else "")
