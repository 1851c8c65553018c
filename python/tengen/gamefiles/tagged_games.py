"""PGN, and move lists with tags like those of PGN, which collections of Othello and other games use.

A file is split into games as a stream, so that one of gigabytes is read in little memory. If a game can't be read as it
is, it is read without its comments and variations: nonsense in them does not spoil the moves that were played.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TextIO

from tengen._core import Game, Reason
from tengen.gamefiles.found import About, BadGameError, FoundGame, Said, text_start
from tengen.gamefiles.move_lists import listed_moves
from tengen.gamefiles.ranks import date_of, rating_of
from tengen.games.pgn import LARGEST_PGN, TAG, PgnError, PgnGame, has_pgn, parse_pgn

__all__ = ["said_by_tags", "split_tagged", "tagged_game"]

BRACES = re.compile(r"[{}]")
LINE_COMMENT = re.compile(r";[^\n]*|^%[^\n]*", re.MULTILINE)
COMMENT = re.compile(r"\{[^}]*\}?")
ENDED = re.compile(r"(?:1-0|0-1|1/2-1/2|\*)\s*$")
FIRST_MOVE = re.compile(r"1\s*\.")
SCORE = re.compile(r"(\d{1,2})-(\d{1,2})")  # discs of Othello
FIRST_NAMES = {"chess": ("White", "Black"), "minichess": ("White", "Black")}  # others: black is the first player


def split_tagged(stream: TextIO) -> Iterator[tuple[int, str | BadGameError]]:
    """The games of a stream, each with the line that it begins at.

    A game begins with tags that follow moves, or with a first move that follows a result. The tag Event begins one even
    in a comment: that comment was never closed, and would swallow the rest of the file.
    """
    lines: list[str] = []
    size, begin, has_moves, has_ended, in_comment = 0, 1, False, False, False
    for number, line in enumerate(_lines(stream), 1):
        in_comment = in_comment and not line.startswith('[Event "')
        is_tag = not in_comment and line.startswith("[") and TAG.match(line) is not None
        if has_moves and (is_tag or (has_ended and FIRST_MOVE.match(line))):
            yield begin, _whole(lines, size)
            lines, size, has_moves = [], 0, False
        if not lines:
            if not line.strip():
                continue
            begin = number
        size += len(line)
        if size <= LARGEST_PGN:
            lines.append(line)
        if not is_tag and line.strip():
            has_moves = True
            for brace in BRACES.finditer(line):
                in_comment = brace[0] == "{"
            has_ended = not in_comment and ENDED.search(line) is not None
    if lines:
        yield begin, _whole(lines, size)


def _lines(stream: TextIO) -> Iterator[str]:
    """Lines of bounded length: a longer one comes in pieces."""
    while line := stream.readline(1 << 16):
        yield line


def _whole(lines: list[str], size: int) -> str | BadGameError:
    if size > LARGEST_PGN:
        return BadGameError("too large", f"The game is larger than {LARGEST_PGN:,} characters.")
    return "".join(lines)


def tagged_game(game: Game, text: str) -> FoundGame:
    """One game of PGN (chess, minichess), or of tags and moves (every other game)."""
    if not has_pgn(game):
        return _listed(game, text)
    try:
        read = parse_pgn(text)
    except PgnError:
        read = parse_pgn(without_comments(text))
    spec, wanted = read.game.spec, game.spec
    if spec.source != wanted.source or spec.width != wanted.width:
        raise BadGameError("another game", f"The game is {spec.name} on {spec.width}x{spec.height}, not {wanted.name}.")
    if spec.options.get("chess960", -1) >= 0 > wanted.options.get("chess960", -1):
        raise BadGameError("another game", "The game is Chess960; import it with --game chess:chess960=518.")
    moves = tuple((None, move.action) for move in read.line)
    is_cut = read.left_out > 0
    return FoundGame(moves, text_start(game, read.start), _said_by_pgn(read), _about(game, read.tags), is_cut)


def without_comments(text: str) -> str:
    """A game without comments, NAGs and variations."""
    last = 0
    for tag in TAG.finditer(text):
        if text[last : tag.start()].strip():
            break
        last = tag.end()
    moves = LINE_COMMENT.sub(" ", COMMENT.sub(" ", text[last:]))
    kept, depth = [], 0
    for part in re.split(r"([()])", moves):
        depth += {"(": 1, ")": -1 if depth else 0}.get(part, 0)
        if depth == 0 and part not in ("(", ")"):
            kept.append(part)
    return text[:last] + "\n\n" + re.sub(r"\$\d*|[!?]+", " ", " ".join(kept))


def _said_by_pgn(read: PgnGame) -> Said | None:
    return said_by_tags({**read.tags, "Result": read.result})


def said_by_tags(tags: Mapping[str, str]) -> Said | None:
    """The result of a chess game. One that was won without mate was resigned, unless Termination says otherwise."""
    result, ended = tags.get("Result", "*"), tags.get("Termination", "").lower()
    if result == "1/2-1/2":
        return Said(None)
    if result not in ("1-0", "0-1"):
        return None
    winner = ("1-0", "0-1").index(result)
    if "time" in ended:
        return Said(winner, Reason.FORFEIT, "out of time")
    if "forfeit" in ended or "infraction" in ended:
        return Said(winner, Reason.FORFEIT, "forfeit")
    if "adjudication" in ended or "abandoned" in ended or "agree" in ended:
        return Said(winner)
    return Said(winner, Reason.RESIGNATION)


def _about(game: Game, tags: Mapping[str, str]) -> About:
    first, second = FIRST_NAMES.get(game.spec.source, ("Black", "White"))
    names = tuple("" if tags.get(name, "?") == "?" else tags[name] for name in (first, second))
    return About(
        players=(names[0], names[1]),
        ratings=(rating_of(tags.get(f"{first}Elo", "")), rating_of(tags.get(f"{second}Elo", ""))),
        date=date_of(tags.get("Date", "")) or date_of(tags.get("UTCDate", "")),
    )


def _listed(game: Game, text: str) -> FoundGame:
    tags: dict[str, str] = {}
    at = 0
    while found := TAG.match(text, at):
        tags[found[1]] = re.sub(r"\\(.)", r"\1", found[2])
        at = found.end() + len(text[found.end() :]) - len(text[found.end() :].lstrip())
    moves, said = listed_moves(game, without_comments(text[at:]))
    score = SCORE.fullmatch(tags.get("Result", "").strip())
    if score and tags["Result"].strip() not in ("1-0", "0-1"):
        black, white = int(score[1]), int(score[2])
        said = Said.counted(None if black == white else int(white > black), abs(black - white))
    elif tags.get("Result") in ("1-0", "0-1", "1/2-1/2"):
        said = said_by_tags(tags)
    return FoundGame(moves, None, said, _about(game, tags))
