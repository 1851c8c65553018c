"""`tengen compare`: curves of several runs, and which is better, by how much, and how sure that is."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import tyro

if TYPE_CHECKING:
    from tengen.interfaces.chart import Line
    from tengen.run.compare import Axis, Difference, Group, Measure

COLUMNS = 6  # of a curve in the terminal
HTML_POINTS = 60
COLOURS = 7  # of the page
NOT_STRENGTH = "A loss is not strength: runs with other targets or another search have other losses."


def run(
    runs: Annotated[tuple[Path, ...], tyro.conf.Positional, tyro.conf.arg(metavar="RUN")],
    *,
    html: Annotated[Path | None, tyro.conf.arg(metavar="FILE")] = None,
) -> None:
    """Compares runs: their curves, and which is better at equal time and at equal positions.

    Runs that differ in their seed alone count as one, with the spread of the seeds as a band. A folder of runs, as
    `tengen train --seeds 1,2,3` makes it, stands for all of them.

    Args:
        runs: the folders of runs, or folders of such folders
        html: also write the curves and the verdict as a page
    """
    from tengen.base.durable import write_text
    from tengen.run.compare import measures_of, read_groups

    groups = read_groups(runs)
    measures = measures_of(groups)
    print("\n".join(report(groups, measures)))
    if html is not None:
        write_text(html, page(groups, measures))
        print(f"Written: {html}")


def report(groups: Sequence[Group], measures: Sequence[Measure]) -> list[str]:
    """Everything in words and tables."""
    lines = [f"{group.name}: {seeds_text(group)}" for group in groups]
    for measure in measures:
        lines += ["", *_table(groups, measure)]
    return [*lines, "", *verdict(groups, measures)]


def seeds_text(group: Group) -> str:
    seeds = ", ".join(str(run.config.seed) for run in group.runs)
    last = [run.reports[-1] for run in group.runs]
    minutes = np.mean([report.seconds / 60.0 for report in last])
    positions = np.mean([sum(report.self_play.positions for report in run.reports) for run in group.runs])
    return f"seed{'s' * (len(group.runs) > 1)} {seeds}; {minutes:.1f} minutes, {positions:,.0f} positions"


def _table(groups: Sequence[Group], measure: Measure) -> list[str]:
    """A row a group: the mean over its seeds at some times, with how much seeds differ."""
    from tengen.run.compare import common_end

    end = common_end(groups, measure, "minutes")
    if end is None:
        return [f"{measure.name}: the runs were not measured at the same times."]
    width = max(len(group.name) for group in groups)
    times = [end * (number + 1) / COLUMNS for number in range(COLUMNS)]
    rows = [f"{measure.name:{width}}  " + " ".join(f"{time:>12.3g}" for time in times) + "  minutes"]
    for group in groups:
        cells = [f"{_cell(group, measure, time):>12}" for time in times]
        rows.append(f"{group.name:{width}}  " + " ".join(cells))
    return rows


def _cell(group: Group, measure: Measure, minutes: float) -> str:
    found = _mean_and_spread(group, measure, "minutes", minutes)
    if found is None:
        return ""
    mean, spread = found
    return f"{mean:.4g} ± {spread:.2g}" if spread > 0 else f"{mean:.4g}"


def _mean_and_spread(group: Group, measure: Measure, axis: Axis, x: float) -> tuple[float, float] | None:
    """Over the seeds; None where not all of them were measured."""
    points = [curve.at(axis, x) for curve in group.curves(measure)]
    values = [point[0] for point in points if point is not None]
    if len(values) < len(points):
        return None
    return float(np.mean(values)), float(np.std(values, ddof=1)) if len(values) > 1 else 0.0


# ---- The verdict


def verdict(groups: Sequence[Group], measures: Sequence[Measure]) -> list[str]:
    """By the best evidence that all runs have: sentences for equal time and for equal positions."""
    from tengen.run.compare import AXES, common_end, compare

    if len(groups) < 2:
        return ["These runs differ in their seed alone; give another run to compare them with."]
    measure = measures[0]
    said = []
    for axis in AXES:
        x = common_end(groups, measure, axis)
        if x is None:
            said.append(f"At equal {_axis_name(axis)}: the runs were not measured at the same point.")
            continue
        said += [
            f"At equal {_axis_name(axis)} ({_axis_text(axis, x)}): {difference_text(difference, measure)}"
            for difference in compare(groups, measure, axis)
        ]
    if not measure.is_strength:
        said.append(NOT_STRENGTH)
    return said


def difference_text(difference: Difference, measure: Measure) -> str:
    """'A is better than B by 45 Elo (95 % interval +10 to +80, 98 % sure).'"""
    amount = f"{difference.amount:.3g} {measure.unit}"
    if difference.interval is None or difference.sure is None:
        return (
            f"{difference.better} is ahead of {difference.worse} by {amount}; whether that is chance is not known: "
            "give both several seeds (tengen train --seeds 1,2,3)."
        )
    low, high = difference.interval
    sure = "over 99 %" if difference.sure > 0.99 else f"{100 * difference.sure:.0f} %"  # never rounded up to 100
    bounds = f"95 % interval {low:+.3g} to {high:+.3g}, {sure} sure"
    if not difference.is_clear:
        sentence = f"no clear difference between {difference.better} and {difference.worse}: {amount} ({bounds})."
    else:
        sentence = f"{difference.better} is better than {difference.worse} by {amount} ({bounds})."
    if difference.one_seed:
        sentence += " That is how precisely they were measured; with one seed, how much seeds differ is not known."
    return sentence


def _axis_name(axis: Axis) -> str:
    return "time" if axis == "minutes" else "positions"


def _axis_text(axis: Axis, x: float) -> str:
    return f"{x:.3g} minutes" if axis == "minutes" else f"{x:,.0f}"


# ---- The page


def page(groups: Sequence[Group], measures: Sequence[Measure]) -> str:
    from tengen.interfaces.report_page import whole_page
    from tengen.run.compare import AXES

    game = groups[0].runs[0].config.game
    names = "".join(f"<li>{escape(group.name)}: {escape(seeds_text(group))}</li>" for group in groups)
    sentences = "".join(f"<li>{escape(sentence)}</li>" for sentence in verdict(groups, measures))
    cards = [_card(groups, measure, axis) for measure in measures for axis in AXES]
    body = [
        f"<header><h1>{escape(game)}</h1><p>{len(groups)} settings compared</p></header>",
        f'<section class="card wide"><h2>Verdict</h2><ul>{sentences}</ul></section>',
        f'<section class="card wide"><h2>Runs</h2><ul>{names}</ul></section>',
        f'<section class="charts">{"".join(cards)}</section>',
    ]
    return whole_page(f"{game} · compared", body)


def _card(groups: Sequence[Group], measure: Measure, axis: Axis) -> str:
    from tengen.interfaces.chart import lines

    curves = [_line(group, measure, axis, number % COLOURS + 1) for number, group in enumerate(groups)]
    chart = lines(curves, label=lambda value: f"{value:.4g}", x_name=axis)
    return (
        f'<figure class="card"><h2>{escape(measure.name)}</h2><figcaption>mean over the seeds, with a band of one '
        f"standard deviation</figcaption>{chart}</figure>"
    )


def _line(group: Group, measure: Measure, axis: Axis, colour: int) -> Line:
    from tengen.interfaces.chart import Line

    curves = group.curves(measure)
    first = max((curve.minutes if axis == "minutes" else curve.positions)[0] for curve in curves)
    last = min(curve.end(axis) for curve in curves)
    points, spreads = [], []
    for x in np.linspace(first, last, HTML_POINTS if last > first else 1).tolist():
        found = _mean_and_spread(group, measure, axis, x)
        if found is not None:
            points.append((x, found[0]))
            spreads.append(found[1])
    return Line(group.name, points, colour, errors=spreads if any(spreads) else (), band=True)
