"""Records of ours in files that other programs read: JSON lines, and tables of Parquet or Arrow (through pyarrow).

Both hold everything that a record has, so that a game read again is the same. `moves` are the actions as numbers;
`text` has them as the game writes them, for people, and is not read again.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, TextIO

import numpy as np

from tengen._core import Game, Outcome, RecordError
from tengen.gamefiles.found import BadGameError, FoundGame, Said
from tengen.records import GameIdentity, GameRecord

__all__ = [
    "COLUMNS",
    "json_game",
    "read_table",
    "record_row",
    "row_record",
    "write_arrow",
    "write_json",
    "write_parquet",
]

ROWS = 1024  # of a batch of a table
ARRAYS = ("moves", "recorded", "offsets", "actions", "parts", "root_values", "surprise", "values")
PLAIN = (
    "network", "iteration", "seed", "opening_plies", "resigned", "never_resigns", "adjudicated", "start", "reason",
    "sentence",
)  # fmt: skip
COLUMNS = ("game", "options", "text", "result", *ARRAYS, *PLAIN)
FLOATS = ("root_values", "surprise", "values")


def record_row(game: Game, record: GameRecord) -> dict[str, Any]:
    """A record as a mapping of plain values. `result` is "first", "second", "draw", or None if it is not known."""
    identity = GameIdentity.of(game)
    state, texts = record.first_state(game), []
    for action in record.moves.tolist():
        texts.append(state.action_text(action))
        state = state.play(action)
    row: dict[str, Any] = {"game": identity.source, "options": identity.options, "text": " ".join(texts)}
    row["result"] = None if record.outcome is None else _SIDES[record.outcome.winner]
    for name in ARRAYS:
        values = getattr(record, name).tolist()
        row[name] = [None if math.isnan(value) else value for value in values] if name in FLOATS else values
    return row | {name: getattr(record, name) for name in PLAIN}


def row_record(game: Game, row: dict[str, Any]) -> GameRecord:
    """The record of a row. BadGameError if it is of another game, or not a record."""
    identity = GameIdentity.of(game)
    try:
        if row["game"] != identity.source and not identity.rules_digest:
            raise BadGameError("another game", f"The game is {str(row['game'])[:60]}, not {identity.source}.")
        arrays = {name: [math.nan if value is None else value for value in row[name]] for name in ARRAYS}
        result = row["result"]
        outcome = None if result is None else Outcome(_WINNERS[result], row["reason"] or "rules", row["sentence"])
        fields: dict[str, Any] = {
            **{name: np.asarray(values, np.float32 if name in FLOATS else np.int64) for name, values in arrays.items()},
            **{name: row[name] for name in PLAIN},
        }
        record = GameRecord(**fields, outcome=outcome)
        record.validate(game)
    except BadGameError:
        raise
    except RecordError as error:
        raise BadGameError("not a record of this game", str(error)) from None
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise BadGameError("damaged", f"This is not a record: {type(error).__name__}: {str(error)[:80]}.") from None
    return record


def json_game(game: Game, text: str) -> FoundGame:
    """The record of a line of JSON."""
    try:
        row = json.loads(text)
    except (ValueError, RecursionError):
        raise BadGameError("damaged", "This line is not JSON.") from None
    if not isinstance(row, dict):
        raise BadGameError("damaged", "This line is not a JSON object.")
    return found_record(row_record(game, row))


def found_record(record: GameRecord) -> FoundGame:
    """A record of ours among the games of a collection."""
    outcome = record.outcome
    return FoundGame((), None, None if outcome is None else Said(outcome.winner, outcome.reason), record=record)


_SIDES: dict[int | None, str] = {0: "first", 1: "second", None: "draw"}
_WINNERS = {name: winner for winner, name in _SIDES.items()}


# --- Writing ----------------------------------------------------------------------------------------------------------


def write_json(stream: TextIO, game: Game, records: Iterable[GameRecord]) -> int:
    """A line a game; gives how many there were."""
    count = 0
    for record in records:
        stream.write(json.dumps(record_row(game, record), ensure_ascii=False) + "\n")
        count += 1
    return count


def write_parquet(path: Path, game: Game, records: Iterable[GameRecord]) -> int:
    """A table of Parquet, written in batches of rows."""
    from pyarrow import parquet

    with parquet.ParquetWriter(path, _schema()) as writer:
        return _write_batches(writer, game, records)


def write_arrow(path: Path, game: Game, records: Iterable[GameRecord]) -> int:
    """A table of Arrow's IPC format (Feather)."""
    import pyarrow

    with pyarrow.ipc.new_file(path, _schema()) as writer:
        return _write_batches(writer, game, records)


def _write_batches(writer: Any, game: Game, records: Iterable[GameRecord]) -> int:
    import pyarrow

    rows = (record_row(game, record) for record in records)
    count = 0
    while batch := list(islice(rows, ROWS)):
        writer.write_batch(pyarrow.RecordBatch.from_pylist(batch, schema=_schema()))
        count += len(batch)
    return count


def _schema() -> Any:
    import pyarrow

    types = {name: pyarrow.list_(pyarrow.float32() if name in FLOATS else pyarrow.int32()) for name in ARRAYS}
    types |= dict.fromkeys(
        ("game", "options", "text", "result", "network", "start", "reason", "sentence"), pyarrow.string()
    )
    types |= {"iteration": pyarrow.int32(), "seed": pyarrow.uint64(), "opening_plies": pyarrow.int32()}
    types |= dict.fromkeys(("resigned", "never_resigns", "adjudicated"), pyarrow.bool_())
    return pyarrow.schema([(name, types[name]) for name in COLUMNS])


# --- Reading ----------------------------------------------------------------------------------------------------------


def read_table(stream: BinaryIO, game: Game, *, is_parquet: bool) -> Iterator[tuple[int, FoundGame | BadGameError]]:
    """The games of a table of Parquet or Arrow, with the number of each row."""
    import pyarrow
    from pyarrow import parquet

    try:
        if is_parquet:
            batches = parquet.ParquetFile(stream).iter_batches(batch_size=ROWS)
        else:
            opened = pyarrow.ipc.open_file(stream)
            batches = (opened.get_batch(index) for index in range(opened.num_record_batches))
        number = 0
        for batch in batches:
            for row in batch.to_pylist():
                number += 1
                try:
                    yield number, found_record(row_record(game, row))
                except BadGameError as error:
                    yield number, error
    except (pyarrow.ArrowException, OSError) as error:
        yield 0, BadGameError("damaged", f"The table can't be read: {str(error)[:80]}.")
