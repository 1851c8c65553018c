"""`tengen bench learning`: strength over time, of several seeds, and whether another setting learns faster."""

from __future__ import annotations

import importlib.util
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from tengen import TengenError
from tengen.interfaces.cli.compare import page, report
from tengen.interfaces.cli.game_argument import GameArgument, parse_game
from tengen.interfaces.cli.train import MOST_SEEDS, Sets, folder_name

if TYPE_CHECKING:
    from tengen.bench.learning import LearningBench
    from tengen.run.compare import Group, Measure
    from tengen.run.sequential import Answer

Changes = Annotated[tuple[str, ...], tyro.conf.arg(metavar="NAME=VALUE"), tyro.conf.UseAppendAction]
Folders = Annotated[tuple[Path, ...], tyro.conf.arg(metavar="DIR"), tyro.conf.UseAppendAction]


def run(
    game: GameArgument,
    *,
    minutes: float = 5.0,
    seeds: int = 3,
    processor_time: Annotated[bool, tyro.conf.FlagCreatePairsOff] = False,
    sets: Sets = (),
    against: Changes = (),
    beside: Folders = (),
    smallest: float = 1.0,
    marks: Annotated[str, tyro.conf.arg(metavar="FLOAT,FLOAT...")] = "85,90,93,95,97",
    points: int = 8,
    simulations: int = 100,
    positions: Annotated[Path | None, tyro.conf.arg(metavar="FILE")] = None,
    run: Annotated[Path | None, tyro.conf.arg(metavar="DIR")] = None,
    html: Annotated[Path | None, tyro.conf.arg(metavar="FILE")] = None,
) -> None:
    """Measures how fast a game is learned: trains from zero with several seeds and measures along the way.

    Strength is the share of good moves on positions with exact answers; without any, Elo against the players of the
    ladder. The time of measuring does not count. Stopped or killed, the same command goes on; runs that are there are
    not made again.

    Args:
        minutes: of each run
        seeds: runs of each side, with the seeds 1, 2, 3...; with --against at most so many
        processor_time: count the minutes of the processor, not of the clock, and learn in one thread: other work on
            the machine then hardly changes the answer
        sets: one setting of all runs, as in --set network.channels=48; can be given several times
        against: one setting of the other side, as in --against learner.batch=64; can be given several times. Ends as
            soon as it is decided which side is better
        beside: a folder of runs made before, such as by another version of tengen, to be shown beside these
        smallest: the smallest difference that matters, in percentage points or Elo
        marks: the figures of which the table says when they were reached
        points: measurements of a run
        simulations: of the search that is measured besides the network alone; 0 measures the network alone
        positions: JSON lines with board or moves, and "move score"; by default those that come with tengen
        run: the folder of the runs; without it runs/learning/GAME-MINUTES
        html: also write the curves and the verdict as a page
    """
    if importlib.util.find_spec("torch") is None:
        raise TengenError("Training needs torch and OpenVINO: pip install 'tengen[train]'.")
    from tengen.base.durable import write_text
    from tengen.bench.learning import LearningBench, known_or_none
    from tengen.run.compare import measures_of, read_groups

    if not 0 < minutes < 1e6:
        raise TengenError("A run takes more than 0 and less than a million minutes.")
    if not 1 <= seeds <= MOST_SEEDS or points < 1 or simulations < 0 or smallest < 0:
        raise TengenError(f"A bench has 1 to {MOST_SEEDS} seeds, at least one point, and nothing below 0.")
    wanted_marks = _numbers(marks)
    rules = parse_game(game)
    name = f"{folder_name(game)}-{minutes:g}{'-processor' * processor_time}"
    folder = run or Path("runs") / "learning" / name
    known = known_or_none(rules, positions)
    bench = LearningBench(rules, minutes, folder, sets, known, simulations, points, processor_time)
    for changes in ((), against):
        bench.config(1, changes)  # a wrong setting is refused before anything is trained
    groups = _trained(bench, seeds, against, smallest)
    groups += read_groups(beside)
    measures = measures_of(groups)
    print("\n".join([*report(groups, measures), "", *_marks(groups, measures[0], wanted_marks)]))
    if html is not None:
        write_text(html, page(groups, measures))
        print(f"Written: {html}")


def _numbers(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError as error:
        raise TengenError(f"--marks takes numbers, as in 90,95; found '{text}'.") from error


def _trained(bench: LearningBench, seeds: int, against: Sequence[str], smallest: float) -> list[Group]:
    """One run of each side after the other, until all are there or it is decided."""
    from tengen.run.compare import measures_of
    from tengen.run.sequential import answer

    sides = [(), tuple(against)] if against else [()]
    groups: list[Group] = []
    for seed in range(1, seeds + 1):
        places = []
        for changes in sides:
            places.append(bench.train(seed, changes))
        groups = [bench.group(place, range(1, seed + 1)) for place in places]
        measure = measures_of(groups)[0]
        for group in groups:
            print(f"seed {seed}, {group.name}: {_last(group, measure)[-1]:.4g} {measure.unit}", flush=True)
        if against:
            first, second = (_last(group, measure) for group in groups)
            found = answer(first, second, most=seeds, smallest=smallest)
            print(_sentence(found, groups[1].name, measure.unit, smallest), flush=True)
            if found.decision != "open":
                break
    return groups


def _last(group: Group, measure: Measure) -> list[float]:
    """The last figure of each run; higher is better."""
    sign = 1.0 if measure.higher_is_better else -1.0
    return [sign * curve.values[-1] for curve in group.curves(measure)]


def _sentence(found: Answer, name: str, unit: str, smallest: float) -> str:
    if found.interval is None:
        return f"After one run of each: {name} has {found.difference:+.3g} {unit}; what chance does is not known yet."
    low, high = found.interval
    said = {
        "better": f"{name} is better",
        "worse": f"{name} is worse",
        "no difference": f"no difference of {smallest:g} or more",
        "open": "not decided yet",
    }[found.decision]
    return (
        f"After {found.runs} runs of each: {said}; {found.difference:+.3g} {unit} "
        f"(95 % interval for all looks together {low:+.3g} to {high:+.3g})."
    )


def _marks(groups: Sequence[Group], measure: Measure, marks: Sequence[float]) -> list[str]:
    """When each group reached each mark, in the median of its seeds; later than the end if half of them did not."""
    from tengen.bench.learning import minutes_to

    width = max(len(group.name) for group in groups)
    rows = [f"{'minutes to':{width}}  " + " ".join(f"{mark:>12g}" for mark in marks) + f"  {measure.unit}"]
    for group in groups:
        cells = []
        for mark in marks:
            found = minutes_to(group, mark, measure)
            median = statistics.median(minutes if minutes is not None else float("inf") for minutes in found)
            cells.append(f"{median:>12.3g}" if median < float("inf") else f"{'not reached':>12}")
        rows.append(f"{group.name:{width}}  " + " ".join(cells))
    return rows
