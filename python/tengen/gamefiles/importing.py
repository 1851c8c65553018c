"""Imports games of files as records: a folder of shards, with what became of every game of the files.

`sources.jsonl` says of each record where it comes from and who played it, in the order of the records; `refused.jsonl`
names every game that could not be imported, with file, line and reason; `summary.json` counts. The folder is written
beside its place and moved there at the end, so that it is whole or not there at all.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO

from tengen._core import Game, RecordError, TengenError
from tengen.base.durable import sync_folder
from tengen.gamefiles.filters import Filters
from tengen.gamefiles.found import BadGameError, FoundGame, Played, play_found
from tengen.gamefiles.reading import Entry, games_of_path, kind_of, paths_in
from tengen.records import GameRecord, ShardWriter

__all__ = ["ImportSummary", "import_games"]

BATCH = 256  # games that are written at once
EVERY = 200  # games between two reports of progress
REFUSED, SOURCES, SUMMARY = "refused.jsonl", "sources.jsonl", "summary.json"


@dataclass
class ImportSummary:
    """What became of the games of the files."""

    files: int = 0
    imported: int = 0
    moves: int = 0
    cut: int = 0  # of the imported: moves after the end by the rules were left out
    without_result: int = 0  # of the imported
    refused: Counter[str] = field(default_factory=Counter)  # by reason
    left_out: Counter[str] = field(default_factory=Counter)  # by the filter that did it
    seconds: float = 0.0

    @property
    def games(self) -> int:
        """Of the files, but for those that a filter left out."""
        return self.imported + self.refused.total()

    @property
    def accepted(self) -> float:
        """The share of the wanted games that could be imported."""
        return self.imported / self.games if self.games else 0.0


def import_games(
    paths: Iterable[Path],
    game: Game,
    out: Path,
    filters: Filters = Filters(),  # noqa: B008
    on_progress: Callable[[ImportSummary], None] = lambda summary: None,
) -> ImportSummary:
    """Imports all files and folders of `paths` for `game` into the new folder `out`. Bad games do not stop it."""
    if out.exists() and not (out.is_dir() and not any(out.iterdir())):
        raise RecordError(f"{out} is there already, with something in it; choose another folder for the records.")
    place = out.parent / f".{out.name}.importing"
    shutil.rmtree(place, ignore_errors=True)  # what an import that was killed left behind
    try:
        place.mkdir(parents=True)
        summary = _Import(game, place, filters, on_progress).run(paths)
        if out.is_dir():
            out.rmdir()
        os.replace(place, out)
        sync_folder(out.parent)
    except OSError as error:
        raise RecordError(f"The records can't be written to {out}: {error.strerror or error}.") from error
    finally:
        shutil.rmtree(place, ignore_errors=True)
    return summary


class _Import:
    """An import that goes on."""

    def __init__(self, game: Game, place: Path, filters: Filters, on_progress: Callable[[ImportSummary], None]) -> None:
        self._game = game
        self._place = place
        self._filters = filters
        self._on_progress = on_progress
        self._summary = ImportSummary()
        self._waiting: list[GameRecord] = []

    def run(self, paths: Iterable[Path]) -> ImportSummary:
        summary, began = self._summary, time.perf_counter()
        writer = ShardWriter(self._place, self._game)
        with (self._place / SOURCES).open("w") as sources, (self._place / REFUSED).open("w") as refused:
            for path in paths_in(paths):
                summary.files += 1
                for number, entry in enumerate(games_of_path(path, self._game)):
                    self._take(entry, sources, refused)
                    if len(self._waiting) >= BATCH:
                        self._write(writer)
                    if number % EVERY == 0:
                        summary.seconds = time.perf_counter() - began
                        self._on_progress(summary)
            self._write(writer)
        writer.commit()
        writer.close()
        summary.seconds = time.perf_counter() - began
        content = {**vars(summary), "games": summary.games, "accepted": summary.accepted}
        (self._place / SUMMARY).write_text(json.dumps(content, indent=1) + "\n")
        return summary

    def _write(self, writer: ShardWriter) -> None:
        writer.append(self._waiting)
        self._waiting = []

    def _take(self, entry: Entry, sources: IO[str], refused: IO[str]) -> None:
        found = entry.found if isinstance(entry.found, BadGameError) else self._played(entry.found)
        if isinstance(found, str):
            self._summary.left_out[found] += 1
        elif isinstance(found, BadGameError):
            self._summary.refused[found.kind] += 1
            _append(refused, {**_where(entry), "reason": found.kind, "sentence": str(found)})
        else:
            assert isinstance(entry.found, FoundGame)
            record = found.record
            self._waiting.append(record)
            self._summary.imported += 1
            self._summary.moves += len(record.moves)
            self._summary.cut += found.is_cut
            self._summary.without_result += record.outcome is None
            _append(sources, {**_where(entry), **asdict(entry.found.about), "is_cut": found.is_cut})

    def _played(self, found: FoundGame) -> Played | BadGameError | str:
        """The record of a game, what is wrong with it, or the filter that leaves it out."""
        if reason := self._filters.left_out(found):
            return reason
        try:
            return play_found(self._game, found)
        except BadGameError as error:
            return error
        except TengenError as error:
            return BadGameError(kind_of(str(error)), str(error))


def _where(entry: Entry) -> dict[str, object]:
    return {"file": entry.file, "number": entry.number, "line": entry.line}


def _append(stream: IO[str], content: dict[str, object]) -> None:
    stream.write(json.dumps(content, ensure_ascii=False) + "\n")
