"""KIF and CSA: files of shogi games (games/shogi/). KIF has a game a file, CSA may have several, parted by a slash."""

from __future__ import annotations

import re
from collections.abc import Callable

from tengen._core import Game, Outcome, Reason
from tengen.gamefiles.found import About, BadGameError, FoundGame, Said, text_start
from tengen.gamefiles.ranks import date_of
from tengen.games.shogi import read_csa, read_kif
from tengen.games.shogi.csa import is_csa
from tengen.games.shogi.file import ENCODINGS, ShogiGame, decoded_or_none
from tengen.games.shogi.kif import is_kif

__all__ = ["csa_game", "kif_game", "shogi_text", "split_csa"]

VERSION = re.compile(r"V[23]")
MOVE = re.compile(r"[+-]\d{4}[A-Z]{2}")
# Who wins, as counted from the player to move: 0 that player, 1 the other, None: nobody.
ENDS: dict[str, tuple[int | None, Reason, str]] = {
    "投了": (1, Reason.RESIGNATION, ""),
    "%TORYO": (1, Reason.RESIGNATION, ""),
    "切れ負け": (1, Reason.FORFEIT, "out of time"),
    "%TIME_UP": (1, Reason.FORFEIT, "out of time"),
    "反則負け": (1, Reason.FORFEIT, "forfeit"),
    "%ILLEGAL_MOVE": (0, Reason.FORFEIT, "forfeit"),
    "反則勝ち": (0, Reason.FORFEIT, "forfeit"),
    "%ILLEGAL_ACTION": (0, Reason.FORFEIT, "forfeit"),
    "入玉勝ち": (0, Reason.DECLARATION, ""),
    "%KACHI": (0, Reason.DECLARATION, ""),
    "千日手": (None, Reason.REPETITION, ""),
    "%SENNICHITE": (None, Reason.REPETITION, ""),
    "持将棋": (None, Reason.AGREEMENT, ""),
    "%JISHOGI": (None, Reason.AGREEMENT, ""),
    "%HIKIWAKE": (None, Reason.AGREEMENT, ""),
    "詰み": (1, Reason.CHECKMATE, ""),
    "%TSUMI": (1, Reason.CHECKMATE, ""),
}


def shogi_text(content: bytes) -> tuple[str, str]:
    """CSA or KIF, and the text; both empty if it is neither.

    Bytes that are damaged are replaced: a wrong one in the name of a player does not make a game unreadable.
    """
    whole = decoded_or_none(content)
    damaged = (content.decode(encoding, errors="replace") for encoding in ENCODINGS)
    for text in [*([] if whole is None else [whole]), *([] if _is_utf8(content) else damaged)]:
        if is_csa(text) or is_kif(text):
            return ("CSA" if is_csa(text) else "KIF"), text
    return "", ""


def _is_utf8(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


def split_csa(text: str) -> list[tuple[int, str]]:
    """The games of a file of CSA, with the line of each: after a slash, or with a version after moves."""
    found: list[tuple[int, str]] = []
    lines: list[str] = []
    begin, has_moves = 1, False
    for number, line in enumerate([*text.splitlines(), "/"], 1):
        is_slash = line.strip() == "/"
        if is_slash or (has_moves and VERSION.match(line)):
            if any(each.strip() for each in lines):
                found.append((begin, "\n".join(lines)))
            lines, begin, has_moves = [], number + is_slash, False
        if not is_slash:
            lines.append(line)
            has_moves = has_moves or MOVE.match(line) is not None
    return found


def kif_game(game: Game, text: str) -> FoundGame:
    """The game of a file of KIF."""
    return _found(game, text, read_kif)


def csa_game(game: Game, text: str) -> FoundGame:
    """One game of CSA."""
    return _found(game, text, read_csa)


def _found(game: Game, text: str, read: Callable[[str, Game], ShogiGame]) -> FoundGame:
    known = read(text, game)
    if known.game.spec.source != game.spec.source:
        raise BadGameError("another game", f"The game is {known.game.spec.name}, not {game.spec.name}.")
    start = text_start(game, known.start)
    return FoundGame(
        tuple((None, action) for action in known.moves),
        start,
        _said(known),
        About(players=known.players, date=date_of(known.date), handicap=int(start is not None)),
    )


def _said(known: ShogiGame) -> Said | None:
    if known.end not in ENDS:
        by_rules: Outcome | None = known.state.outcome
        return None if by_rules is None else Said(by_rules.winner, by_rules.reason, by_rules.sentence)
    winner, reason, sentence = ENDS[known.end]
    if winner is None:
        return Said(None, reason, sentence)
    to_move = known.state.to_move
    return Said(to_move if winner == 0 else 1 - to_move, reason, sentence)
