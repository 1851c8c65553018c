"""`tengen records export`: records as files that other programs read."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import tyro

from tengen import TengenError
from tengen.interfaces.cli.game_argument import parse_game

Format = Literal["auto", "sgf", "pgn", "jsonl", "parquet", "arrow"]
SUFFIXES = {
    ".sgf": "sgf",
    ".pgn": "pgn",
    ".jsonl": "jsonl",
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
}


def run(
    records: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="DIR")],
    *,
    game: Annotated[str, tyro.conf.arg(metavar="GAME")],
    out: Annotated[Path, tyro.conf.arg(metavar="FILE")],
    format: Annotated[Format, tyro.conf.arg(metavar="FORMAT")] = "auto",
) -> None:
    """Writes records into one file: SGF, PGN, JSON lines, Parquet or Arrow.

    Importing the file gives equal records. SGF and PGN hold start, moves and result; the others all of a record.

    Args:
        records: a folder of records, or the folder of a run
        game: the game, as in go:size=9
        out: the file; it is written whole or not at all
        format: sgf, pgn, jsonl, parquet or arrow; auto: by the ending of the file
    """
    from tengen.gamefiles.exporting import FORMATS, export_games

    kind = SUFFIXES.get(out.suffix.lower(), "") if format == "auto" else format
    if not kind:
        raise TengenError(f"In which format? {out.name} does not say it; give --format, one of {', '.join(FORMATS)}.")
    count = export_games(records, parse_game(game), out, kind)
    print(f"{count:,} games are in {out}, as {FORMATS[kind]}.")
