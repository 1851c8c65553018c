"""Games of shogi in CSA, the format of computer shogi: http://www2.computer-shogi.org/protocol/record_v22.html

Only the first game of a file is read. Times, comments and what else a file may say of a game are passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tengen._core import Game, State
from tengen.games.shogi.file import (
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

__all__ = ["is_csa", "read_csa", "write_csa"]

PIECES = {
    "FU": "P", "KY": "L", "KE": "N", "GI": "S", "KI": "G", "KA": "B", "HI": "R", "OU": "K",
    "TO": "+P", "NY": "+L", "NK": "+N", "NG": "+S", "UM": "+B", "RY": "+R",
}  # fmt: skip
NAMES = {letter: name for name, letter in PIECES.items()}
COUNTS = {"FU": 18, "KY": 4, "KE": 4, "GI": 4, "KI": 4, "KA": 2, "HI": 2}  # what "AL" deals out
START = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL"
MOVE = re.compile(r"([+-])(\d\d)(\d\d)([A-Z]{2})")


def is_csa(text: str) -> bool:
    """Whether a text is meant as CSA: a version, a name, a position or a move comes first."""
    lines = (line for line in map(str.strip, text.splitlines()[:50]) if line and not line.startswith("'"))
    return re.match(r"(V[23](\.\d)?|N[+-].*|\$[A-Z_]+:.*|PI.*|P[1-9+-].*|[+-])$", next(lines, "")) is not None


def read_csa(content: str | bytes, like: Game | None = None) -> ShogiGame:
    """The first game of a file. Options that CSA does not have are taken from `like`."""
    board, turn, moves, end = Board(9), 0, [], ""
    players, date, set_up = ["", ""], "", False
    for line in _statements(decoded(content)):
        if line.startswith(("N+", "N-")):
            players["+-".index(line[1])] = line[2:].strip()
        elif line.startswith("$START_TIME:"):
            date = line.partition(":")[2].strip()
        elif line.startswith("P"):
            _set_up(board, line)
            set_up = True
        elif line in ("+", "-"):
            turn = "+-".index(line)
        elif line.startswith("%"):
            end = line
            break
        elif line[0] in "+-":
            moves.append(line)
        elif line[0] not in "VT$":
            raise ShogiFileError(f"CSA has no line such as '{line[:40]}'.")
    if not (set_up or moves or end):
        raise ShogiFileError("This is not a game in CSA: it has neither a position nor a move.")
    game = game_like(like)
    start = start_from(game, board.sfen(turn)) if set_up else game.initial_state()
    state = start
    for number, written in enumerate(moves, 1):
        state = played(state, number, _usi(state, number, written), written)
    return ShogiGame(start, state.moves, (players[0], players[1]), end, date)


def write_csa(record: ShogiGame) -> str:
    """The text of a file with one game."""
    if record.game.spec.source != "shogi":
        raise ShogiFileError(f"CSA can be written for shogi, not for {record.game.spec.name}.")
    lines = ["V2.2"]
    lines += [f"N{sign}{' '.join(name.split())}" for sign, name in zip("+-", record.players, strict=True) if name]
    lines += [f"$START_TIME:{' '.join(record.date.split())}"] if record.date else []
    lines += _position(record.start)
    for state, usi in record.usi_moves():
        sign, target = "+-"[state.to_move], square_of(usi[2:4])
        if usi[1] == "*":
            lines.append(f"{sign}00{target[0]}{target[1]}{NAMES[usi[0]]}")
        elif usi != "win":
            source = square_of(usi[:2])
            piece = "+" * usi.endswith("+") + piece_at(state, source)[0]
            lines.append(f"{sign}{source[0]}{source[1]}{target[0]}{target[1]}{NAMES[piece]}")
    lines += [record.end] if record.end.startswith("%") else []
    return "\n".join(lines) + "\n"


def _statements(text: str) -> Iterator[str]:
    """The lines of the first game, without comments; a line may hold several moves with commas between them."""
    for line in text.splitlines():
        if line.startswith("'"):
            continue
        if line.strip() == "/":
            return
        if line.startswith(("N", "$")):
            yield line
        else:
            yield from (part for part in map(str.strip, line.split(",")) if part)


def _set_up(board: Board, line: str) -> None:
    if line.startswith("PI"):
        _initial(board, line)
    elif re.fullmatch(r"P[1-9].*", line):
        _row(board, int(line[1]), line[2:])
    elif line.startswith(("P+", "P-")):
        _single(board, line)
    else:
        raise ShogiFileError(f"A position in CSA begins with PI, P1 to P9, P+ or P-, unlike '{line[:40]}'.")


def _initial(board: Board, line: str) -> None:
    """The first position without the pieces that are named: PI82HI22KA."""
    for rank, row in enumerate(START.split("/"), 1):
        file = 9
        for mark in row:
            if mark.isdigit():
                file -= int(mark)
            else:
                board.pieces[file, rank] = mark
                file -= 1
    for square, _ in _squares(line, line[2:]):
        if square is None or board.pieces.pop(square, None) is None:
            raise ShogiFileError(f"'{line[:40]}' takes a piece away where none is.")


def _row(board: Board, rank: int, row: str) -> None:
    for column, cell in enumerate(re.findall(".{1,3}", row.rstrip())):
        if cell.strip() in ("*", ""):
            continue
        if column >= 9 or cell[0] not in "+-" or cell[1:] not in PIECES:
            raise ShogiFileError(f"'{cell[:3]}' in the row P{rank} of this CSA is not a piece of a row of nine.")
        board.pieces[9 - column, rank] = _owned(cell[0], PIECES[cell[1:]])


def _single(board: Board, line: str) -> None:
    """Pieces of one player, in the hand if they are at 00: P+00KI00FU, P-11OU. 00AL is all that is left."""
    for square, name in _squares(line, line[2:]):
        if name == "AL":
            for kind, count in COUNTS.items():
                letter = PIECES[kind]
                used = sum(piece.upper().lstrip("+") == letter for piece in board.pieces.values())
                used += board.hands.get(letter, 0) + board.hands.get(letter.lower(), 0)
                if count > used:
                    board.hold(_owned(line[1], letter), count - used)
        elif square is None:
            board.hold(_owned(line[1], PIECES[name]))
        else:
            board.pieces[square] = _owned(line[1], PIECES[name])


def _squares(line: str, text: str) -> Iterator[tuple[tuple[int, int] | None, str]]:
    """Squares and pieces such as 82HI; None for the hand."""
    for part in re.findall(".{1,4}", text):
        if not re.fullmatch(r"(00|[1-9]{2})[A-Z]{2}", part) or part[2:] not in {*PIECES, "AL"}:
            raise ShogiFileError(f"'{part}' in '{line[:40]}' is not a square and a piece, such as 82HI.")
        yield None if part[:2] == "00" else (int(part[0]), int(part[1])), part[2:]


def _owned(sign: str, letter: str) -> str:
    return letter if sign == "+" else letter.lower()


def _usi(state: State, number: int, written: str) -> str:
    found = MOVE.fullmatch(written)
    if not found or found[4] not in PIECES or "0" in found[3] or (found[2] != "00" and "0" in found[2]):
        raise ShogiFileError(f"Move {number}, '{written[:20]}', is not a move of CSA, such as +7776FU.")
    if "+-".index(found[1]) != state.to_move:
        raise ShogiFileError(f"Move {number}, {written}, is out of turn.")
    piece, target = PIECES[found[4]], (int(found[3][0]), int(found[3][1]))
    if found[2] == "00":
        return usi_move(None, target, piece, False)
    source = (int(found[2][0]), int(found[2][1]))
    before = piece_at(state, source)[0]
    if piece not in (before, f"+{before}"):
        raise ShogiFileError(f"Move {number}, {written}: the piece at {found[2]} is not that one.")
    return usi_move(source, target, piece, piece != before)


def _position(start: State) -> list[str]:
    if start == start.game.initial_state():
        return ["PI", "+"]
    rows = []
    for rank in range(1, 10):
        cells = []
        for file in range(9, 0, -1):
            piece, owner = piece_at(start, (file, rank))
            cells.append(" * " if owner is None else "+-"[owner] + NAMES[piece])
        rows.append(f"P{rank}{''.join(cells)}")
    for sign, hand in zip("+-", start.hands, strict=True):
        names = "".join(
            f"00{NAMES[start.game.spec.pieces[code - 1].letter.upper()]}" * count for code, count in hand.items()
        )
        rows += [f"P{sign}{names}"] if names else []
    return [*rows, "+-"[start.to_move]]
