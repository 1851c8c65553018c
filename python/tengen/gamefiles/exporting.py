"""Writes records as files that other programs read: SGF, PGN, JSON lines, Parquet, Arrow. Import gives them back.

SGF and PGN hold the game: start, moves and result. What a search thought of it, they have no words for; the other
formats hold all that a record has. The names of players come from `sources.jsonl`, if the records were imported.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from tengen._core import Game, Reason, RecordError
from tengen.gamefiles.found import BY_COUNT
from tengen.gamefiles.record_files import write_arrow, write_json, write_parquet
from tengen.games.pgn import PgnGame, PgnMove, has_pgn, write_pgn
from tengen.games.sgf import SgfGame, has_sgf, result_of, write_sgf
from tengen.records import GameRecord, read_games

__all__ = ["FORMATS", "export_games"]

FORMATS = {"sgf": "SGF", "pgn": "PGN", "jsonl": "JSON lines", "parquet": "Parquet", "arrow": "Arrow"}
RESULTS = {0: "1-0", 1: "0-1", None: "1/2-1/2"}


@dataclass(frozen=True)
class _Names:
    """Who played a record, and when; empty where nobody knows."""

    players: tuple[str, str] = ("", "")
    date: str = ""


def export_games(folder: Path, game: Game, out: Path, kind: str) -> int:
    """Writes the records of a folder into one file, whole or not at all; gives how many games it has."""
    place = folder / "games" if (folder / "games").is_dir() else folder
    if not place.is_dir():
        raise RecordError(f"There is no folder {folder} with records.")
    if kind == "sgf" and not has_sgf(game):
        raise RecordError(
            f"SGF is for go, othello and gomoku, not for {game.spec.name}; --format jsonl is for all games."
        )
    if kind == "pgn" and not has_pgn(game):
        raise RecordError(f"PGN is for chess and minichess, not for {game.spec.name}; --format jsonl is for all games.")
    records = read_games(place, game)
    writers: dict[str, Callable[[Path], int]] = {
        "parquet": lambda path: write_parquet(path, game, records),
        "arrow": lambda path: write_arrow(path, game, records),
        "jsonl": lambda path: _texts(path, lambda stream: write_json(stream, game, records)),
        "sgf": lambda path: _texts(path, lambda stream: _lines(stream, _named(place, records), game, _sgf)),
        "pgn": lambda path: _texts(path, lambda stream: _lines(stream, _named(place, records), game, _pgn)),
    }
    temporary = out.with_name(f".{out.name}.writing")
    try:
        count = writers[kind](temporary)
        if count == 0:
            raise RecordError(f"There are no games in {folder}; {out} was not written.")
        temporary.replace(out)
    except OSError as error:
        raise RecordError(f"The games can't be written to {out}: {error.strerror or error}.") from error
    finally:
        temporary.unlink(missing_ok=True)
    return count


def _texts(path: Path, write: Callable[[TextIO], int]) -> int:
    with path.open("w", encoding="utf-8", newline="\n") as stream:
        return write(stream)


def _lines(
    stream: TextIO,
    records: Iterable[tuple[GameRecord, _Names]],
    game: Game,
    text: Callable[[Game, GameRecord, _Names], str],
) -> int:
    count = 0
    for record, names in records:
        stream.write(text(game, record, names).rstrip("\n") + "\n\n")
        count += 1
    return count


def _named(folder: Path, records: Iterable[GameRecord]) -> Iterator[tuple[GameRecord, _Names]]:
    """Each record with who played it. Lines of sources.jsonl stand in the order of the records."""
    path = folder / "sources.jsonl"
    if not path.is_file():
        yield from ((record, _Names()) for record in records)
        return
    with path.open(encoding="utf-8") as lines:
        for record in records:
            yield record, _names(lines.readline())


def _names(line: str) -> _Names:
    with suppress(ValueError, KeyError, TypeError):
        content: dict[str, Any] = json.loads(line)
        first, second = map(str, content["players"])
        return _Names((first, second), str(content["date"]))
    return _Names()


def _sgf(game: Game, record: GameRecord, names: _Names) -> str:
    state = start = record.first_state(game)
    moves = []
    for action in record.moves.tolist():
        moves.append((state.to_move, action))
        state = state.play(action)
    return write_sgf(SgfGame(start, tuple(moves), names.players, _sgf_result(record, result_of(state)), names.date))


def _sgf_result(record: GameRecord, by_rules: str) -> str:
    outcome = record.outcome
    if outcome is None:
        return "?"
    if not (record.adjudicated or record.resigned):
        return by_rules
    if outcome.winner is None:
        return "0"
    ways = {"out of time": "T", "forfeit": "F"}
    how = "R" if outcome.reason == Reason.RESIGNATION else ways.get(record.sentence, "")
    return f"{'BW'[outcome.winner]}+{how or record.sentence.removeprefix(BY_COUNT)}"


def _pgn(game: Game, record: GameRecord, names: _Names) -> str:
    outcome = record.outcome
    moves = tuple(PgnMove(action) for action in record.moves.tolist())
    tags = {} if outcome is None or not record.adjudicated else _termination(record)
    result = "*" if outcome is None else RESULTS[outcome.winner]
    played = PgnGame(record.first_state(game), moves, tags, result=result)
    return write_pgn(played, players=names.players, date=names.date)


def _termination(record: GameRecord) -> dict[str, str]:
    assert record.outcome is not None
    ways = {"out of time": "time forfeit", "forfeit": "rules infraction"}
    if record.outcome.winner is None or record.outcome.reason == Reason.RESIGNATION:
        return {}
    return {"Termination": ways.get(record.sentence, "adjudication")}
