"""`report.html` of a run: its curves, its strength and its findings in one file that needs no network and no program.

Rebuilt from metrics.jsonl and config.toml alone, so it can be made again at any time: `tengen report RUN`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from html import escape
from pathlib import Path

from tengen._core import TengenError
from tengen.base.durable import write_text
from tengen.config import ConfigError, load_config
from tengen.interfaces.chart import Bar, Line, bars, lines
from tengen.interfaces.observers import amount, duration, final_text, finding_text, gate_text, rating_text
from tengen.report import IterationReport, RunReport
from tengen.run.metrics import read_reports
from tengen.strength.ratings import rate, results_of

__all__ = ["RunPage", "build_page", "whole_page", "write_page"]

SECONDS_BETWEEN_PAGES = 20.0
LADDER_NETWORKS = 10  # that the table shows, the newest


class RunPage:
    """An observer that keeps the page of its run up to date, now and then and when the run ends."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._written = -SECONDS_BETWEEN_PAGES
        self._is_newest = True

    def __enter__(self) -> RunPage:
        return self

    def __exit__(self, *_: object) -> None:
        if not self._is_newest:
            write_page(self._folder)

    def run_started(self, report: RunReport) -> None:
        pass

    def stage(self, name: str, done: int, total: int) -> None:
        pass

    def iteration_finished(self, report: IterationReport) -> None:
        self._is_newest = False
        if time.monotonic() - self._written >= SECONDS_BETWEEN_PAGES:
            write_page(self._folder)
            self._written = time.monotonic()
            self._is_newest = True


def write_page(folder: Path) -> Path:
    """Writes the page whole or not at all."""
    path = folder / "report.html"
    write_text(path, build_page(folder))
    return path


def build_page(folder: Path) -> str:
    """The page as text."""
    try:
        game = load_config(folder / "config.toml").game
        config_text = (folder / "config.toml").read_text(encoding="utf-8")
    except (OSError, ConfigError) as error:
        raise TengenError(f"{folder} is no run: its config.toml can't be read.") from error
    reports = read_reports(folder)
    title = f"{game} · {folder.resolve().name}"
    body = [f"<header><h1>{escape(game)}</h1><p>{escape(_subtitle(folder, reports))}</p></header>"]
    if reports:
        body += [_tiles(reports), _final(reports), _findings(reports), _charts(reports), _ladder(reports)]
    body.append(f"<details><summary>Settings</summary><pre>{escape(config_text)}</pre></details>")
    return whole_page(title, body)


def whole_page(title: str, body: Sequence[str], style: str = "") -> str:
    """A file of its own around the parts of a page."""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}{style}</style></head>"
        f"<body><main>{''.join(body)}</main></body></html>\n"
    )


def _subtitle(folder: Path, reports: Sequence[IterationReport]) -> str:
    name = folder.resolve().name
    if not reports:
        return f"{name}: no iteration is finished yet."
    newest = reports[-1]
    left = "finished" if _is_finished(newest) else f"{duration(newest.seconds_left)} left"
    return f"{name} · iteration {newest.iteration} · {duration(newest.seconds)} so far, {left}"


def _tiles(reports: Sequence[IterationReport]) -> str:
    """The figures that one looks for first."""
    newest = reports[-1]
    rating = next((report.rating for report in reversed(reports) if report.rating is not None), None)
    games = sum(report.self_play.games for report in reports)
    positions = sum(report.self_play.positions for report in reports)
    foretold = newest.imitation and (newest.imitation.test or newest.imitation.validation)
    tiles = [
        ("top-1", f"{foretold.top1:.1%}", f"top-5 {foretold.top5:.1%}")
        if foretold
        else (
            "Elo",
            f"{rating.elo:.0f} <small>± {rating.error:.0f}</small>" if rating else "?",
            f"{escape(rating.zero)} has 0" if rating else "not measured yet",
        ),
        ("games", f"{games:,}", f"{positions:,} positions"),
        ("policy loss", f"{newest.learner.policy_loss:.3f}", f"value {newest.learner.value_loss:.3f}"),
        ("speed", f"{_per_second(newest, newest.self_play.evaluations):,.0f}", "evaluations per second"),
        ("memory", escape(amount(newest.memory)), f"window {newest.learner.window:,} positions"),
    ]
    return '<section class="tiles">{}</section>'.format(
        "".join(f"<div><h3>{name}</h3><p>{figure}</p><small>{below}</small></div>" for name, figure, below in tiles)
    )


def _final(reports: Sequence[IterationReport]) -> str:
    """How strong the network is that a finished run ended with."""
    text = final_text(reports[-1]) if _is_finished(reports[-1]) else ""
    return f'<section class="card wide"><h2>Final strength</h2><p>{escape(text)}</p></section>' if text else ""


def _is_finished(newest: IterationReport) -> bool:
    return newest.seconds_left < 0.5


def _findings(reports: Sequence[IterationReport]) -> str:
    """What is wrong now, and what was."""
    now = {finding.name for finding in reports[-1].findings}
    current = [f'<li class="warning">{escape(finding_text(finding))}.</li>' for finding in reports[-1].findings]
    past: dict[str, list[int]] = {}
    for report in reports:
        for finding in report.findings:
            if finding.name not in now:
                past.setdefault(finding.name, []).append(report.iteration)
    earlier = [
        f"<li>earlier, in iterations {seen[0]} to {seen[-1]}: {escape(name)}</li>"
        if len(seen) > 1
        else f"<li>earlier, in iteration {seen[0]}: {escape(name)}</li>"
        for name, seen in past.items()
    ]
    found = current or ['<li class="fine">The figures of the run show nothing wrong.</li>']
    return f'<section class="card wide"><h2>Findings</h2><ul>{"".join(found + earlier)}</ul></section>'


def _charts(reports: Sequence[IterationReport]) -> str:
    def curve(name: str, figure: Callable[[IterationReport], float], colour: int, dashed: bool = False) -> Line:
        return Line(name, [(report.iteration, figure(report)) for report in reports], colour, dashed)

    played = any(report.self_play.games for report in reports)
    rated = [(report.iteration, report.rating) for report in reports if report.rating is not None]
    elo = Line(
        "Elo",
        [(iteration, rating.elo) for iteration, rating in rated],
        errors=[rating.error for _, rating in rated],
    )
    cards = [
        *_imitation_cards(reports),
        ("Strength", "Elo with 95 % error bars", lines([elo], label=_whole), bool(rated)),
        (
            "Losses",
            "in nats; dashed is a network that knows only the average result",
            lines(
                [
                    curve("policy", lambda r: r.learner.policy_loss, 1),
                    curve("value", lambda r: r.learner.value_loss, 2),
                    curve("average", lambda r: r.learner.value_loss_of_mean, 2, dashed=True),
                ],
                label=_short,
            ),
            True,
        ),
        (
            "Game length",
            "plies, mean of the finished games",
            lines([curve("plies", lambda r: r.self_play.mean_length, 1)], label=_short),
            played,
        ),
        (
            "How games end",
            "share of the finished games",
            lines(
                [
                    curve("first player's score", lambda r: r.self_play.first_player_score, 1),
                    curve("drawn", lambda r: r.self_play.draws, 3),
                ],
                label=_percent,
                from_zero=True,
            ),
            played,
        ),
        (
            "Certainty",
            "entropy of the policies and surprise of the search, in nats",
            lines(
                [
                    curve("network", lambda r: r.self_play.prior_entropy, 1),
                    curve("search", lambda r: r.self_play.target_entropy, 2),
                    curve("surprise", lambda r: r.self_play.surprise, 4),
                ],
                label=_short,
                from_zero=True,
            ),
            played,
        ),
        (
            "Evaluations per second",
            "of the network in self-play",
            lines(
                [curve("evaluations", lambda r: _per_second(r, r.self_play.evaluations), 1)],
                label=_thousands,
                from_zero=True,
            ),
            played,
        ),
        (
            "Games per second",
            "in self-play",
            lines([curve("games", lambda r: _per_second(r, r.self_play.games), 1)], label=_short, from_zero=True),
            played,
        ),
        (
            "Learning rate",
            "at the end of each iteration",
            lines([curve("rate", lambda r: r.learner.learning_rate, 4)], label=lambda y: f"{y:.2g}", from_zero=True),
            True,
        ),
        ("Where the time went", duration(reports[-1].seconds), bars(_times(reports)), True),
    ]
    return '<section class="charts">{}</section>'.format(
        "".join(
            f'<figure class="card"><h2>{escape(title)}</h2><figcaption>{escape(about)}</figcaption>{drawn}</figure>'
            for title, about, drawn, is_shown in cards
            if is_shown
        )
    )


def _imitation_cards(reports: Sequence[IterationReport]) -> list[tuple[str, str, str, bool]]:
    """How well the moves of people are foretold, of a run that imitates them."""
    found = [(report.iteration, report.imitation.validation) for report in reports if report.imitation is not None]
    if not found:
        return []
    shares = [
        Line("top-1", [(iteration, validation.top1) for iteration, validation in found], 1),
        Line("top-5", [(iteration, validation.top5) for iteration, validation in found], 3),
    ]
    losses = [Line("policy", [(iteration, validation.policy_loss) for iteration, validation in found], 1)]
    errors = [(at, each.value_error) for at, each in found if each.value_error is not None]
    losses += [Line("value, squared error", errors, 2)] if errors else []
    return [
        (
            "Moves foretold",
            "share of the moves of validation games",
            lines(shares, label=_percent, from_zero=True),
            True,
        ),
        ("Validation", "losses on games that were not learned from", lines(losses, label=_short), True),
    ]


def _times(reports: Sequence[IterationReport]) -> list[Bar]:
    """The seconds of the run by what they were spent on."""
    in_network = sum(r.self_play.seconds * min(1.0, r.self_play.evaluator_share) for r in reports)
    playing = sum(r.self_play.seconds for r in reports)
    sampling = sum(r.learner.sampling_seconds for r in reports)
    learning = sum(r.learner.seconds for r in reports)
    measuring = sum(r.rating.seconds for r in reports if r.rating is not None)
    measuring += sum(r.imitation.seconds for r in reports if r.imitation is not None)
    gating = sum(r.gate.seconds for r in reports if r.gate is not None)
    known = playing + learning + measuring + gating
    return [
        Bar("self-play: network", in_network, 1),
        Bar("self-play: search", playing - in_network, 2),
        Bar("learning", learning - sampling, 3),
        Bar("sampling", sampling, 4),
        Bar("measuring", measuring, 5),
        Bar("gating", gating, 6),
        Bar("files and the rest", max(0.0, reports[-1].seconds - known), 7),
    ]


def _ladder(reports: Sequence[IterationReport]) -> str:
    """Everyone on the ladder, strongest first, and the newest matches in words."""
    rated = [report for report in reports if report.rating is not None]
    gates = [report for report in reports if report.gate is not None]
    parts = []
    if rated:
        newest = rated[-1]
        assert newest.rating is not None
        ratings = rate(results_of(rated), newest.rating.zero)
        networks = [report.rating.network for report in rated if report.rating is not None]
        shown = (ratings.keys() - set(networks)) | set(networks[-LADDER_NETWORKS:])
        ordered = sorted((name for name in shown if name in ratings), key=lambda name: -ratings[name].elo)
        rows = (
            f"<tr><td>{escape(name)}</td><td>{ratings[name].elo:.0f}</td><td>± {ratings[name].error:.0f}</td></tr>"
            for name in ordered
        )
        parts.append(
            f"<p>{escape(rating_text(newest.rating))}, as of iteration {newest.iteration}. All matches of the run "
            'together rate the anchors and the newest networks so:</p><div class="tables">'
            f"<table><tr><th>player</th><th>Elo</th><th>95 %</th></tr>{''.join(rows)}</table>"
            "<table><tr><th>newest match against</th><th>games</th><th>score</th><th>95 %</th></tr>"
            + "".join(_match_rows(newest))
            + "</table></div>"
        )
    if gates:
        assert gates[-1].gate is not None
        count = sum(report.promoted for report in gates)
        parts.append(
            f"<p>{count} of {len(gates)} candidates were promoted. Iteration {gates[-1].iteration} was "
            f"{escape(gate_text(gates[-1].gate))}.</p>"
        )
    return f'<section class="card wide"><h2>Ladder</h2>{"".join(parts)}</section>' if parts else ""


def _match_rows(report: IterationReport) -> Iterable[str]:
    for match in report.strength:
        low, high = match.interval
        yield (
            f"<tr><td>{escape(match.opponent)}</td><td>{match.games}</td><td>{match.score:.0%}</td>"
            f"<td>{low:.0%} to {high:.0%}</td></tr>"
        )


def _per_second(report: IterationReport, count: int) -> float:
    return count / max(report.self_play.seconds, 1e-9)


def _short(number: float) -> str:
    return f"{number:.3g}"


def _whole(number: float) -> str:
    return f"{number:.0f}"


def _percent(number: float) -> str:
    return f"{number:.0%}"


def _thousands(number: float) -> str:
    return f"{number / 1000:.3g}k" if abs(number) >= 1000 else f"{number:.3g}"


STYLE = """
:root { color-scheme: light dark; --page: #f4f3ef; --card: #fffefb; --ink: #1c1b19; --soft: #66635c; --grid: #e4e1d9;
  --c1: #2a78d6; --c2: #d9730d; --c3: #1a9a6c; --c4: #8a4fc7; --c5: #cf3e4e; --c6: #b08a00; --c7: #9b978d;
  --warn: #b3261e }
@media (prefers-color-scheme: dark) { :root { --page: #161614; --card: #201f1d; --ink: #f2f0ea; --soft: #a9a59b;
  --grid: #35332f; --c1: #5b9ff0; --c2: #f0944a; --c3: #3fc08f; --c4: #b58ae8; --c5: #f0707c; --c6: #d8b437;
  --c7: #7d796f; --warn: #ff8a80 } }
* { box-sizing: border-box; margin: 0 }
body { background: var(--page); color: var(--ink); font: 16px/1.5 system-ui, sans-serif }
main { max-width: 1200px; margin: 0 auto; padding: 20px 14px 40px; display: grid; gap: 14px }
h1 { font-size: 1.7rem; line-height: 1.2 } h2 { font-size: 1.05rem } h3 { font-size: .85rem; font-weight: 500 }
header p, figcaption, small, h3, .none { color: var(--soft) } figcaption { font-size: .85rem; margin-bottom: 6px }
.card, .tiles > div, details { background: var(--card); border: 1px solid var(--grid); border-radius: 12px;
  padding: 14px; min-width: 0 }
.tiles { display: grid; gap: 10px; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)) }
.tiles p { font-size: 1.55rem; font-weight: 600; line-height: 1.3; font-variant-numeric: tabular-nums }
.tiles p small { font-size: 1rem; font-weight: 400 }
.charts { display: grid; gap: 14px; grid-template-columns: repeat(auto-fit, minmax(min(100%, 340px), 1fr)) }
svg { display: block; width: 100%; height: auto; overflow: visible }
svg text { fill: var(--soft); font-size: 12px; font-variant-numeric: tabular-nums }
.grid { stroke: var(--grid); stroke-width: 1 }
polyline, line:not(.grid) { fill: none; stroke-width: 2; stroke-linejoin: round; stroke-linecap: round;
  stroke: var(--c) }
circle, rect { fill: var(--c) } .dashed { stroke-dasharray: 4 4 }
.legend { display: flex; flex-wrap: wrap; gap: 4px 14px; font-size: .85rem; color: var(--soft); margin-top: 8px }
.legend b { color: var(--ink); font-weight: 600; font-variant-numeric: tabular-nums }
.legend i { display: inline-block; width: 14px; height: 0; border-top: 3px solid var(--c); margin-right: 6px;
  vertical-align: middle } .legend i.dashed { border-top-style: dashed }
.c1 { --c: var(--c1) } .c2 { --c: var(--c2) } .c3 { --c: var(--c3) } .c4 { --c: var(--c4) } .c5 { --c: var(--c5) }
.c6 { --c: var(--c6) } .c7 { --c: var(--c7) }
ul { padding-left: 1.2em } li { margin-top: 4px } .warning { color: var(--warn) } .fine { color: var(--c3) }
.tables { display: grid; gap: 0 40px; grid-template-columns: repeat(auto-fit, minmax(min(100%, 300px), 1fr)) }
table { border-collapse: collapse; width: 100%; margin: 8px 0 14px; align-self: start;
  font-variant-numeric: tabular-nums }
th, td { text-align: right; padding: 4px 8px; border-bottom: 1px solid var(--grid); font-size: .9rem }
td { white-space: nowrap } th { color: var(--soft); font-weight: 500 }
th:first-child, td:first-child { text-align: left; padding-left: 0 }
summary { cursor: pointer } pre { overflow-x: auto; font-size: .8rem; margin-top: 10px }
"""
