"""A lineage as one HTML file that needs no network and no program: Elo, over time, cost a move, and who uses what."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import fields
from html import escape

from tengen.interfaces.chart import Line, lines
from tengen.interfaces.observers import duration
from tengen.interfaces.report_page import whole_page
from tengen.lineage import Member, Result, Snapshot
from tengen.report import IterationReport
from tengen.strength.tournament import Standing

__all__ = ["build_lineage_page", "cost_text"]

COLOURS = 7  # of the page
ROW, NAMES, WIDE = 26.0, 110.0, 640.0  # of the chart of ratings: a row's height, the names' width, the whole width


def build_lineage_page(result: Result, title: str, about: str) -> str:
    """The page as text. `about` says the command, the machine and the date."""
    body = [
        f"<header><h1>{escape(title)}</h1><p>{escape(about)}</p></header>",
        _card("Strength", f"Elo with 95 % intervals; {_zero(result)} has 0", _ratings(result), wide=True),
        '<section class="charts">',
        _card("Over time", "Elo after so many minutes of learning; flat lines do not learn", _over_time(result)),
        _card("Strength and cost", "Elo over seconds a move, as powers of ten", _cost_chart(result)),
        _card("Value loss", "of the members that learn, over their minutes; not all learn the same", _losses(result)),
        _card("Positions seen", "thousands of positions of self-play, over minutes", _positions(result)),
        "</section>",
        _card("Who uses what", "", _uses(result), wide=True),
        _card("Training", "", _trainings(result), wide=True),
        _card("Cross table", "points of the row against the column", _cross_table(result), wide=True),
    ]
    return whole_page(title, body, STYLE)


def cost_text(seconds: float) -> str:
    """'0.3 ms', '1.2 s'."""
    return f"{seconds:.2g} s" if seconds >= 1.0 else f"{1000 * seconds:.2g} ms"


def _card(title: str, about: str, content: str, *, wide: bool = False) -> str:
    caption = f"<figcaption>{escape(about)}</figcaption>" if about else ""
    return f'<figure class="card{" wide" * wide}"><h2>{escape(title)}</h2>{caption}{content}</figure>'


def _zero(result: Result) -> str:
    zero = result.tournament.plan.zero
    found = next((each.player for each in result.tournament.standings if each.elo == 0.0), "")
    return next((each.member.name for each in result.snapshots if each.player == (zero or found)), found)


def _rated(result: Result) -> list[tuple[Snapshot, Standing]]:
    """The members as they ended, the strongest first."""
    found = ((snapshot, result.standing(snapshot)) for snapshot in result.finals)
    return [(snapshot, standing) for snapshot, standing in found if standing is not None]


def _ratings(result: Result) -> str:
    """A row for each member: a dot and its interval."""
    rows = _rated(result)
    low = min(standing.interval[0] for _, standing in rows)
    high = max(standing.interval[1] for _, standing in rows)
    span = max(1.0, high - low)

    def across(elo: float) -> float:
        return NAMES + 10 + (elo - low) / span * (WIDE - NAMES - 70)

    parts = [f'<svg viewBox="0 0 {WIDE:g} {ROW * len(rows):g}" role="img">']
    for place, (snapshot, standing) in enumerate(rows):
        y = ROW * (place + 0.5)
        begin, end = (across(elo) for elo in standing.interval)
        parts.append(
            f'<text x="0" y="{y + 4:g}">{escape(snapshot.member.name)}</text>'
            f'<line class="c1" x1="{begin:.1f}" x2="{end:.1f}" y1="{y:g}" y2="{y:g}"/>'
            f'<circle class="c1" cx="{across(standing.elo):.1f}" cy="{y:g}" r="4.5"/>'
            f'<text x="{end + 8:.1f}" y="{y + 4:g}">{standing.elo:.0f}</text>'
        )
    return "".join([*parts, "</svg>"])


def _over_time(result: Result) -> str:
    curves = []
    for place, (final, _) in enumerate(_rated(result)):
        colour, dashed = place % COLOURS + 1, place >= COLOURS
        mine = [each for each in result.snapshots if each.member == final.member]
        found = [(each.minutes, standing) for each in mine if (standing := result.standing(each)) is not None]
        if not final.member.learns:
            found = [(minutes, found[0][1]) for minutes in (0.0, result.contest.minutes)]
        points = [(minutes, standing.elo) for minutes, standing in found]
        errors = [(standing.interval[1] - standing.interval[0]) / 2 for _, standing in found]
        curves.append(
            Line(final.member.name, points, colour, dashed, errors if final.member.learns else (), band=False)
        )
    return lines(curves, label=lambda elo: f"{elo:.0f}", x_name="minutes")


def _cost_chart(result: Result) -> str:
    curves = [
        Line(
            snapshot.member.name,
            [(math.log10(max(1e-7, result.costs[snapshot.member.name])), standing.elo)],
            place % COLOURS + 1,
            dots=True,
        )
        for place, (snapshot, standing) in enumerate(_rated(result))
        if snapshot.member.name in result.costs
    ]
    return lines(curves, label=lambda elo: f"{elo:.0f}", x_name="10^x s")


def _losses(result: Result) -> str:
    return _run_curves(result, lambda report: report.learner.value_loss)


def _positions(result: Result) -> str:
    curves = []
    for place, (name, reports) in enumerate(result.reports.items()):
        seen, points = 0, []
        for report in reports:
            seen += report.self_play.positions
            points.append((report.seconds / 60.0, seen / 1000.0))
        curves.append(Line(name, points, place % COLOURS + 1))
    return lines(curves, label=lambda y: f"{y:.0f}", from_zero=True, x_name="minutes")


def _run_curves(result: Result, figure: Callable[[IterationReport], float]) -> str:
    curves = [
        Line(name, [(report.seconds / 60.0, figure(report)) for report in reports], place % COLOURS + 1)
        for place, (name, reports) in enumerate(result.reports.items())
    ]
    return lines(curves, label=lambda y: f"{y:.3g}", x_name="minutes")


def _uses(result: Result) -> str:
    heads = ("", "since", "Elo", "a move", "people's games", "self-play", "networks", "search", "rollouts", "gate",
             "chance")  # fmt: skip
    rows = []
    for snapshot, standing in _rated(result):
        member, uses = snapshot.member, snapshot.member.uses
        cost = result.costs.get(member.name)
        cells = (
            _named(member),
            escape(member.year),
            _elo(standing),
            "" if cost is None else cost_text(cost),
            *(escape(result.contest.filled(getattr(uses, kind.name))) or "no" for kind in fields(uses)),
        )
        rows.append(cells)
    return _table(heads, rows)


def _named(member: Member) -> str:
    source = f' title="{escape(member.source)}"' if member.source else ""
    return f"<b{source}>{escape(member.name)}</b>"


def _elo(standing: Standing) -> str:
    low, high = standing.interval
    return f"{standing.elo:.0f} <small>({low:.0f} to {high:.0f})</small>"


def _trainings(result: Result) -> str:
    heads = ("", "minutes", "iterations", "games", "positions", "steps", "report")
    rows = []
    for snapshot, _ in _rated(result):
        runs = result.reports.get(snapshot.member.name, ())
        if not runs:
            continue
        page = f"runs/{snapshot.member.key}/report.html"
        rows.append(
            (
                _named(snapshot.member),
                escape(duration(runs[-1].seconds)),
                f"{len(runs)}",
                f"{sum(report.self_play.games for report in runs):,}",
                f"{sum(report.self_play.positions for report in runs):,}",
                f"{sum(report.learner.steps for report in runs):,}",
                f'<a href="{page}">report</a>',
            )
        )
    return _table(heads, rows)


def _cross_table(result: Result) -> str:
    rated = _rated(result)
    rows = []
    for snapshot, standing in rated:
        cells = [
            "" if (met := standing.against.get(other.player)) is None else f"{met[0]:g}/{met[1]}" for other, _ in rated
        ]
        rows.append((_named(snapshot.member), *cells))
    return _table(("", *(escape(snapshot.member.name) for snapshot, _ in rated)), rows)


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f"<th>{cell}</th>" for cell in heads)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f'<div class="scroll"><table><tr>{head}</tr>{body}</table></div>'


STYLE = """
.scroll { overflow-x: auto } td { white-space: normal; vertical-align: top } th, td { text-align: left }
.scroll td:nth-child(n+2) { min-width: 3em } figure { margin: 0 }
"""
