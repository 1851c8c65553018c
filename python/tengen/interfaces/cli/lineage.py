"""`tengen lineage`: every method from random play to today's on one game, measured on the same machine time."""

from __future__ import annotations

import datetime
import importlib.util
import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from tengen import TengenError
from tengen.interfaces.cli.bench_games import cpu_name
from tengen.interfaces.cli.game_argument import GameArgument, parse_game
from tengen.interfaces.cli.player_argument import check_seed
from tengen.interfaces.cli.train import folder_name

if TYPE_CHECKING:
    from tengen.lineage import Contest, Member, Result

MOST_GAMES = 10_000
INTERRUPTED = 130


def run(
    game: GameArgument,
    *,
    minutes: float = 10.0,
    members: Annotated[tuple[str, ...], tyro.conf.arg(metavar="NAME...")] = (),
    folder: Annotated[Path | None, tyro.conf.arg(metavar="DIR")] = None,
    records: Annotated[Path | None, tyro.conf.arg(metavar="DIR")] = None,
    games: int = 20,
    simulations: int = 100,
    rollouts: int = 1000,
    depth: int = 4,
    seed: int = 1,
    processor_time: Annotated[bool, tyro.conf.FlagCreatePairsOff] = False,
) -> int:
    """Trains every method on the same machine time, lets all play all, and writes a page. Killed, it goes on.

    Args:
        minutes: that each member learns
        members: only these, as in --members random dqn tengen; by default all there are
        folder: where runs, games and the page are kept; by default lineages/ and the game's name
        records: games that exist, for imitation and AlphaGo; by default those of the strongest member before them
        games: of each two players; two at a time share an opening, with colours swapped
        simulations: a move of the members that search with a network
        rollouts: simulations a move of classic MCTS
        depth: plies that alpha-beta looks ahead
        seed: another seed, another lineage
        processor_time: count the minutes of the processor, not of the clock, and learn in one thread: other work on
            the machine then hardly changes the answer
    """
    if importlib.util.find_spec("torch") is None:
        raise TengenError("A lineage trains networks: pip install 'tengen[train]'.")
    from tengen.base.durable import write_text
    from tengen.interfaces.lineage_page import build_lineage_page
    from tengen.interfaces.observers import run_progress
    from tengen.interfaces.report_page import write_page
    from tengen.lineage import Contest, hold, members_named

    rules = parse_game(game)
    check_seed(seed)
    if not 0 < minutes < 1e6:
        raise TengenError("A member learns for more than 0 and less than a million minutes.")
    if not 2 <= games <= MOST_GAMES or games % 2:
        raise TengenError(f"Two players of a lineage play an even number of games from 2 to {MOST_GAMES}, not {games}.")
    for name, value in (("simulations", simulations), ("rollouts", rollouts), ("depth", depth)):
        if value < 1:
            raise TengenError(f"--{name} must be at least 1, not {value}.")
    if records is not None and not records.is_dir():
        raise TengenError(f"--records: {records} is not a folder.")
    contest = Contest(
        rules, members_named(members), minutes, seed, games, simulations, rollouts, depth, records, processor_time
    )
    place = folder or Path("lineages") / folder_name(game)
    try:
        with run_progress() as progress:

            def on_member(member: Member, number: int, total: int) -> None:
                progress.say(f"{member.name} ({number} of {total}), {minutes:g} minutes:")

            result = hold(
                contest,
                place,
                observer=progress,
                threads=1 if processor_time else os.cpu_count() or 1,
                on_member=on_member,
                on_tournament=lambda done, total: progress.stage("round robin", done, total),
            )
    except KeyboardInterrupt:
        print(f"Stopped; everything so far is in {place}. The same command goes on.")
        return INTERRUPTED
    for member in contest.members:
        if member.learns:
            write_page(place / "runs" / member.key)
    path = place / "lineage.html"
    write_text(path, build_lineage_page(result, f"The lineage of {rules.spec.name}", _about(contest, game)))
    print("\n".join([*result.notes, lineage_table(result)]))
    print(f"The page is {path}.")
    return 0


def _about(contest: Contest, game: str) -> str:
    command = ["tengen", "lineage", game, "--minutes", f"{contest.minutes:g}", "--seed", str(contest.seed)]
    command += ["--processor-time"] * contest.processor_time
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    return f"{shlex.join(command)}, on {os.cpu_count()} cores of {cpu_name()}, {today}"


def lineage_table(result: Result) -> str:
    """The members, the strongest first, in Markdown that is readable as plain text."""
    from tengen.interfaces.lineage_page import cost_text

    rows = [["member", "Elo", "95 % interval", "cost a move"]]
    for snapshot in result.finals:
        standing = result.standing(snapshot)
        assert standing is not None
        low, high = standing.interval
        cost = cost_text(result.costs[snapshot.member.name])
        rows.append([snapshot.member.name, f"{standing.elo:.0f}", f"{low:.0f} to {high:.0f}", cost])
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    text = [f"| {' | '.join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))} |" for row in rows]
    text.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(text)
