"""`tengen records import`: games of other people and programs as records."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import tyro

from tengen import TengenError
from tengen.interfaces.cli.game_argument import parse_game

if TYPE_CHECKING:
    from tengen.gamefiles.importing import ImportSummary

SECONDS_BETWEEN_LINES = 5.0
DATE = re.compile(r"[12]\d{3}(-\d\d(-\d\d)?)?")
Paths = Annotated[tuple[Path, ...], tyro.conf.Positional, tyro.conf.arg(metavar="FILE")]
Text = Annotated[str | None, tyro.conf.arg(metavar="TEXT")]
Number = Annotated[int | None, tyro.conf.arg(metavar="INT")]
Result = Literal["any", "known", "decisive", "first", "second", "draw"]
RESULTS = {
    "any": frozenset[str](),
    "known": frozenset(("first", "second", "draw")),
    "decisive": frozenset(("first", "second")),
    "first": frozenset(("first",)),
    "second": frozenset(("second",)),
    "draw": frozenset(("draw",)),
}


def run(
    files: Paths,
    *,
    game: Annotated[str, tyro.conf.arg(metavar="GAME")],
    out: Annotated[Path, tyro.conf.arg(metavar="DIR")],
    rank: Text = None,
    rating: Annotated[float | None, tyro.conf.arg(metavar="FLOAT")] = None,
    since: Text = None,
    until: Text = None,
    result: Annotated[Result, tyro.conf.arg(metavar="RESULT")] = "any",
    least_moves: Annotated[int, tyro.conf.arg(metavar="INT")] = 1,
    most_moves: Number = None,
    even: Annotated[bool, tyro.conf.FlagCreatePairsOff] = False,
    komi: Text = None,
) -> int:
    """Imports games: SGF, PGN, GGF, WTHOR, KIF, CSA, move lists, JSON lines, Parquet, Arrow and shards of ours.

    Files may be folders and archives (zip, tar, gz, bz2, xz). A game that can't be imported is set aside in
    refused.jsonl with file, line and reason. The folder is there at the end, whole, or not at all.

    Args:
        files: files, folders and archives, in any mix of formats
        game: the game, as in go:size=9; games of other boards are refused
        out: the new folder for the records
        rank: both players have at least this rank, as in 1d, 5k or 1p
        rating: both players have at least this rating in points, as in 2200
        since: only games from this day on: YYYY, YYYY-MM or YYYY-MM-DD
        until: only games up to this day
        result: any, known, decisive, first, second or draw
        least_moves: games with fewer moves are left out
        most_moves: games with more moves are left out
        even: only games without a handicap, from the initial position
        komi: only games of Go with this komi, as in 7.5 or 5.5:7.5
    """
    from tengen.gamefiles.filters import Filters
    from tengen.gamefiles.importing import import_games

    if not files:
        raise TengenError("Which files? Give at least one file or folder with games.")
    missing = [path for path in files if not path.exists()]
    if missing:
        raise TengenError(f"There is no file or folder {missing[0]}.")
    filters = Filters(
        least_rating=rating,
        least_rank=_rank(rank),
        since=_date("since", since),
        until=_date("until", until),
        results=RESULTS[result],
        least_moves=least_moves,
        most_moves=most_moves,
        even_only=even,
        komi=_komi(komi),
    )
    summary = import_games(files, parse_game(game), out, filters, _Progress())
    print(summary_text(summary, out))
    return 0 if summary.imported else 1


def summary_text(summary: ImportSummary, out: Path) -> str:
    """What became of the games, in sentences."""
    lines = [
        f"{summary.imported:,} games with {summary.moves:,} moves are in {out}; {summary.accepted:.2%} of the wanted "
        f"ones, {(summary.games + summary.left_out.total()) / max(summary.seconds, 1e-9):,.0f} games per second."
    ]
    if summary.cut:
        lines.append(f"{summary.cut:,} of them went on after the end by the rules; those moves are left out.")
    if summary.without_result:
        lines.append(f"{summary.without_result:,} of them have no known result; only their moves can be learned from.")
    if summary.refused:
        lines.append(f"Refused, see {out / 'refused.jsonl'}: {_counts(summary.refused)}.")
    if summary.left_out:
        lines.append(f"Left out by the filters: {_counts(summary.left_out)}.")
    return "\n".join(lines)


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{count:,} {reason}" for reason, count in sorted(counts.items(), key=lambda each: -each[1]))


class _Progress:
    """A line now and then."""

    def __init__(self) -> None:
        self._said = time.monotonic()

    def __call__(self, summary: ImportSummary) -> None:
        now = time.monotonic()
        if now - self._said >= SECONDS_BETWEEN_LINES:
            self._said = now
            refused = summary.refused.total()
            print(f"  {summary.files:,} files, {summary.imported:,} games imported, {refused:,} refused", flush=True)


def _rank(text: str | None) -> float | None:
    from tengen.gamefiles.ranks import rank_of

    if text is None:
        return None
    rank = rank_of(text)
    if rank is None:
        raise TengenError(f"--rank takes a rank, as in 1d, 5k or 1p; found '{text}'.")
    return rank


def _date(name: str, text: str | None) -> str:
    if text is not None and not DATE.fullmatch(text):
        raise TengenError(
            f"--{name} takes a day, a month or a year, as in 2010-05-31, 2010-05 or 2010; found '{text}'."
        )
    return text or ""


def _komi(text: str | None) -> tuple[float, float] | None:
    if text is None:
        return None
    least, _, most = text.partition(":")
    try:
        return float(least), float(most or least)
    except ValueError:
        raise TengenError(f"--komi takes a number or two, as in 7.5 or 5.5:7.5; found '{text}'.") from None
