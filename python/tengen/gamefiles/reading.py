"""The games of a file, whatever its format, which is known by the content. Compressed files and archives are opened.

Every game, and everything that should have been one, comes as an Entry with its place in the file. Nothing that stands
in a file raises an error here.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, TextIO, cast

from tengen._core import Game, TengenError
from tengen.gamefiles.encodings import encoding_of
from tengen.gamefiles.found import BadGameError, FoundGame
from tengen.gamefiles.move_lists import list_game, split_lines
from tengen.gamefiles.record_files import found_record, json_game, read_table
from tengen.gamefiles.sgf_games import ggf_game, sgf_game, split_parentheses
from tengen.gamefiles.shogi_games import csa_game, kif_game, shogi_text, split_csa
from tengen.gamefiles.tagged_games import split_tagged, tagged_game
from tengen.gamefiles.wthor import is_wthor, player_names, wthor_games
from tengen.games.pgn import looks_like_pgn
from tengen.games.sgf import looks_like_sgf
from tengen.records.inspection import view_shard
from tengen.records.record import decode

__all__ = ["Entry", "Source", "file_format", "games_of_path", "paths_in"]

HEAD = 1 << 20  # bytes by which format and encoding are known
LARGEST_WHOLE = 1 << 24  # bytes of a file of KIF or CSA, which is read whole
MOST_NESTED = 1 << 33  # bytes that a member of an archive may unpack to
NODE = re.compile(rb"\(\s*;\s*[A-Za-z]{1,12}\s*\[")  # what a game of SGF or GGF begins with, whatever stands before it
GGF = re.compile(rb"\(\s*;\s*GM\s*\[\s*Othello\s*\]", re.IGNORECASE)
BROKEN = (OSError, EOFError, zlib.error, lzma.LZMAError, tarfile.TarError, zipfile.BadZipFile, RuntimeError)
ARCHIVES = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")

# What is said of an error of a reader, by what its sentence says.
KINDS = (
    ("illegal move", "is not legal|not a legal move|not a point|not a square|does not have"),
    ("out of turn", "out of turn"),
    ("another game", "a game that tengen can't|variant|boards are square"),
    ("set up in the middle", "in the middle of"),
    ("impossible position", "sets up|no position|handicap|drawing"),
    ("after the end", "after the end|is over before"),
    ("too large", "too large|more than"),
    ("damaged", "not valid|is not|damaged|no game|not closed|did not begin|has no line"),
)


@dataclass(frozen=True)
class Entry:
    """A game of a file, or what is wrong with it."""

    file: str  # its path; of a member of an archive with the name of the member behind it
    number: int  # of the game in the file, from 1
    line: int  # that it begins at; in WTHOR the byte, in a table the row; 0: the file as a whole
    found: FoundGame | BadGameError


@dataclass(frozen=True)
class Source:
    """An opened file."""

    name: str
    path: Path  # that it is, or is in
    stream: BinaryIO


def paths_in(paths: Iterable[Path]) -> Iterator[Path]:
    """Every file among these and in the folders among these, in order."""
    for path in paths:
        if path.is_dir():
            yield from sorted(each for each in path.rglob("*") if each.is_file())
        else:
            yield path


def games_of_path(path: Path, game: Game) -> Iterator[Entry]:
    """The games of a file or of an archive of files."""
    at = str(path)
    try:
        if path.suffix == ".tgr":
            yield from _shard(path, game)
            return
        for source in _sources(path):
            at = source.name
            yield from _games(source, game)
    except BROKEN as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error) or "it is cut short"
        yield Entry(at, 1, 0, BadGameError("can't be read", f"The file can't be read: {reason[:120]}."))


# --- Opening ----------------------------------------------------------------------------------------------------------


def _sources(path: Path) -> Iterator[Source]:
    name = path.name.lower()
    if name.endswith(ARCHIVES):
        with tarfile.open(path, "r|*") as archive:
            for member in archive:
                stream = archive.extractfile(member) if member.isfile() else None
                if stream is not None:
                    yield Source(f"{path}!{member.name}", path, io.BytesIO(stream.read(MOST_NESTED)))
    elif name.endswith(".zip"):
        with zipfile.ZipFile(path) as pack:
            for info in pack.infolist():
                if not info.is_dir():
                    with pack.open(info) as opened:
                        yield Source(f"{path}!{info.filename}", path, io.BufferedReader(cast("io.RawIOBase", opened)))
    else:
        with _decompressed(path) as stream:
            yield Source(str(path), path, stream)


@contextmanager
def _decompressed(path: Path) -> Iterator[BinaryIO]:
    openers: dict[str, Callable[[Path], Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
    opened = openers[path.suffix.lower()](path) if path.suffix.lower() in openers else path.open("rb")
    with io.BufferedReader(opened, HEAD) as stream:
        yield stream


# --- Formats ----------------------------------------------------------------------------------------------------------


def file_format(head: bytes) -> str:
    """WTHOR, Parquet, Arrow, GGF, SGF, JSON, PGN, CSA, KIF or moves; empty if it is none of them."""
    first, start = head[:5000], head[:5000].lstrip(b"\xef\xbb\xbf \t\r\n")
    is_tagged = looks_like_pgn(head)
    checks: tuple[tuple[str, Callable[[], object]], ...] = (
        ("", lambda: not start),
        ("Parquet", lambda: head.startswith(b"PAR1")),
        ("Arrow", lambda: head.startswith(b"ARROW1")),
        ("PGN", lambda: is_tagged or start.startswith((b"%", b";"))),
        ("GGF", lambda: GGF.search(first)),
        ("SGF", lambda: looks_like_sgf(head) or NODE.search(first)),
        ("JSON", lambda: start.startswith(b"{")),
        ("WTHOR", lambda: b"\0" in head[:100] and is_wthor(head)),
        ("", lambda: b"\0" in first),
    )
    return next((name for name, is_it in checks if is_it()), shogi_text(head)[0] or "moves")


Splitter = Callable[[TextIO], Iterable[tuple[int, str | BadGameError]]]
TEXTS: dict[str, tuple[Splitter, Callable[[Game, str], FoundGame]]] = {
    "SGF": (split_parentheses, sgf_game),
    "GGF": (split_parentheses, ggf_game),
    "PGN": (split_tagged, tagged_game),
    "JSON": (split_lines, json_game),
    "moves": (split_lines, list_game),
}


def _games(source: Source, game: Game) -> Iterator[Entry]:
    stream = source.stream if source.stream.seekable() else io.BytesIO(source.stream.read(MOST_NESTED))
    head = stream.read(HEAD)
    stream.seek(0)
    found = file_format(head)
    number = 0
    for number, (line, read) in enumerate(_read(found, source, stream, head, game), 1):
        yield Entry(source.name, number, line, read)
    if number == 0:
        kind, sentence = ("empty", "The file is empty.") if not head.strip() else ("no game", "There is no game in it.")
        yield Entry(source.name, 1, 0, BadGameError(kind, sentence))


def _read(
    found: str, source: Source, stream: BinaryIO, head: bytes, game: Game
) -> Iterator[tuple[int, FoundGame | BadGameError]]:
    if found in TEXTS:
        split, read = TEXTS[found]
        encoding = encoding_of(head, is_sgf=found in ("SGF", "GGF"))
        text = io.TextIOWrapper(stream, encoding=encoding, errors="replace")
        for line, part in split(text):
            yield line, part if isinstance(part, BadGameError) else _attempt(read, game, part)
        text.detach()
    elif found == "WTHOR":
        yield from wthor_games(stream, game, player_names(source.path))
    elif found in ("Parquet", "Arrow"):
        yield from read_table(stream, game, is_parquet=found == "Parquet")
    elif found in ("CSA", "KIF"):
        whole = stream.read(LARGEST_WHOLE + 1)
        if len(whole) > LARGEST_WHOLE:
            yield 0, BadGameError("too large", f"A file of {found} may have {LARGEST_WHOLE:,} bytes.")
            return
        decoded = shogi_text(whole)[1]
        games = split_csa(decoded) if found == "CSA" else [(1, decoded)]
        for line, one in games:
            yield line, _attempt(csa_game if found == "CSA" else kif_game, game, one)
    elif head.strip():
        yield 0, BadGameError("unknown format", "The file is in none of the formats that tengen reads.")


def _attempt(read: Callable[[Game, str], FoundGame], game: Game, text: str) -> FoundGame | BadGameError:
    try:
        return read(game, text)
    except BadGameError as error:
        return error
    except TengenError as error:
        return BadGameError(kind_of(str(error)), str(error))
    except RecursionError:
        return BadGameError("damaged", "Its variations are too deep in each other.")


def kind_of(sentence: str) -> str:
    """A few words for an error of a reader, which the summary counts by."""
    return next((kind for kind, pattern in KINDS if re.search(pattern, sentence)), "other")


def _shard(path: Path, game: Game) -> Iterator[Entry]:
    """The good games of a shard of ours."""
    from tengen.records import GameIdentity

    view = view_shard(path)
    name = str(path)
    if view.identity is not None and not view.identity.is_same(GameIdentity.of(game)):
        yield Entry(name, 1, 0, BadGameError("another game", f"The shard holds games of {view.identity}."))
        return
    number = 0
    for number, (at, payload) in enumerate(view.games, 1):
        try:
            record = decode(payload)
            record.validate(game)
            yield Entry(name, number, at, found_record(record))
        except TengenError as error:
            yield Entry(name, number, at, BadGameError("damaged", str(error)))
    if view.cause:
        yield Entry(name, number + 1, view.good, BadGameError("damaged", f"After byte {view.good}: {view.cause}."))
