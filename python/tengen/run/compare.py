"""Which of several runs is better, by how much, and how sure that is: at equal time and at equal positions.

Runs whose settings differ in nothing but the seed belong together. What one seed does says little: the differences are
judged by how much seeds differ (Welch's t-test), and where there is one seed only, that is said.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

import numpy as np

from tengen._core import TengenError
from tengen.config import RunConfig, load_config
from tengen.report import IterationReport
from tengen.run.metrics import read_reports

__all__ = [
    "AXES",
    "Axis",
    "Curve",
    "Difference",
    "Group",
    "Measure",
    "common_end",
    "compare",
    "measures_of",
    "read_groups",
]

NEAR = 0.1  # a curve is taken as it is at its ends for so much of its length beyond them
Axis = Literal["minutes", "positions"]
AXES: tuple[Axis, ...] = ("minutes", "positions")


class CompareError(TengenError):
    """Runs that can't be compared."""


@dataclass(frozen=True)
class Curve:
    """A figure in the course of one run."""

    minutes: tuple[float, ...]
    positions: tuple[float, ...]  # self-play, all iterations so far
    values: tuple[float, ...]
    errors: tuple[float, ...]  # 95 %, of measuring; 0 where there is none

    def at(self, axis: Axis, x: float) -> tuple[float, float] | None:
        """Value and error there; None where the curve says nothing."""
        xs = self.minutes if axis == "minutes" else self.positions
        if not xs or not xs[0] * (1 - NEAR) <= x <= xs[-1] * (1 + NEAR):
            return None
        return float(np.interp(x, xs, self.values)), float(np.interp(x, xs, self.errors))

    def end(self, axis: Axis) -> float:
        return (self.minutes if axis == "minutes" else self.positions)[-1]


@dataclass(frozen=True)
class Run:
    folder: Path
    config: RunConfig
    reports: tuple[IterationReport, ...]


@dataclass(frozen=True)
class Group:
    """Runs that differ in their seeds alone."""

    name: str
    runs: tuple[Run, ...]

    def curves(self, measure: Measure) -> list[Curve]:
        return [curve for curve in map(measure.curve, self.runs) if curve.values]


@dataclass(frozen=True)
class Measure:
    """A figure by which runs can be compared."""

    name: str
    unit: str
    figure: Callable[[IterationReport], tuple[float, float] | None]  # value and 95 % error, where it was measured
    higher_is_better: bool
    is_strength: bool

    def curve(self, run: Run) -> Curve:
        positions, points = 0, []
        for report in run.reports:
            positions += report.self_play.positions
            found = self.figure(report)
            if found is not None and all(map(math.isfinite, found)):
                points.append((report.seconds / 60.0, float(positions), *found))
        columns = tuple(zip(*points, strict=True)) if points else ((), (), (), ())
        return Curve(*columns)


def _elo(report: IterationReport) -> tuple[float, float] | None:
    return None if report.rating is None else (report.rating.elo, report.rating.error)


def _good_moves(report: IterationReport) -> tuple[float, float] | None:
    """Only the last iteration has it, where the truth is known; those of `tengen bench learning` have it more often."""
    return None if report.accuracy is None else _percent(report.accuracy.network, report.accuracy.positions)


def _good_moves_with_search(report: IterationReport) -> tuple[float, float] | None:
    accuracy = report.accuracy
    return None if accuracy is None or accuracy.search is None else _percent(accuracy.search, accuracy.positions)


def _percent(share: float, positions: int) -> tuple[float, float]:
    return 100.0 * share, 196.0 * math.sqrt(share * (1.0 - share) / max(1, positions))


MEASURES = (
    Measure("Elo", "Elo", _elo, higher_is_better=True, is_strength=True),
    Measure("good moves", "% of good moves", _good_moves, higher_is_better=True, is_strength=True),
    Measure("good moves with search", "% of good moves", _good_moves_with_search, True, True),
    Measure("policy loss", "policy loss", lambda report: (report.learner.policy_loss, 0.0), False, False),
    Measure("value loss", "value loss", lambda report: (report.learner.value_loss, 0.0), False, False),
)


# ---- Reading


def read_groups(paths: Sequence[Path]) -> list[Group]:
    """The runs of these folders: a run itself, or a folder of runs such as a sweep over seeds makes."""
    found: dict[str, list[tuple[Path, Run]]] = {}
    for path in paths:
        for run in _runs_of(path):
            same = run.config.model_copy(update={"seed": 0, "iterations": 1})
            found.setdefault(same.model_dump_json(), []).append((path, run))
    groups = [
        Group(", ".join(dict.fromkeys(str(path) for path, _ in members)), tuple(run for _, run in members))
        for members in found.values()
    ]
    games = {(run.config.game, str(run.config.options)): run for group in groups for run in group.runs}
    if len(games) > 1:
        one, other, *_ = games.values()
        raise CompareError(
            f"Runs of different games can't be compared: {one.folder} is of {_game(one)}, {other.folder} is of "
            f"{_game(other)}."
        )
    return groups


def _game(run: Run) -> str:
    options = ", ".join(f"{name}={value}" for name, value in run.config.options.items())
    return f"{run.config.game} ({options})" if options else run.config.game


def _runs_of(path: Path) -> list[Run]:
    folders = (
        [path] if (path / "config.toml").is_file() else [file.parent for file in sorted(path.glob("*/config.toml"))]
    )
    if not folders:
        raise CompareError(f"{path} is no run and no folder of runs: there is no config.toml.")
    runs = [Run(folder, load_config(folder / "config.toml"), tuple(read_reports(folder))) for folder in folders]
    for run in runs:
        if not run.reports:
            raise CompareError(f"{run.folder} has not finished an iteration yet.")
    return runs


def measures_of(groups: Sequence[Group]) -> list[Measure]:
    """What was measured in every run, best evidence first. Elo counts only from the same zero."""
    zeros = {report.rating.zero for group in groups for run in group.runs for report in run.reports if report.rating}
    return [
        measure
        for measure in MEASURES
        if all(len(group.curves(measure)) == len(group.runs) for group in groups)
        and not (measure.name == "Elo" and len(zeros) > 1)
    ]


# ---- Judging


@dataclass(frozen=True)
class Difference:
    """By how much one group is better than another; positive: it is."""

    better: str
    worse: str
    amount: float
    interval: tuple[float, float] | None  # 95 %; None where nothing is known about chance
    sure: float | None  # from 0.5 to 1: that it is better at all
    one_seed: bool  # whether the interval knows only how precisely each was measured

    @property
    def is_clear(self) -> bool:
        return self.interval is not None and self.interval[0] > 0.0


def common_end(groups: Sequence[Group], measure: Measure, axis: Axis) -> float | None:
    """The furthest that all runs came; None where some were not measured there."""
    curves = [curve for group in groups for curve in group.curves(measure)]
    x = min(curve.end(axis) for curve in curves)
    return x if all(curve.at(axis, x) is not None for curve in curves) else None


def compare(groups: Sequence[Group], measure: Measure, axis: Axis) -> list[Difference]:
    """The best group against each of the others, where all runs have come to; empty if that is nowhere."""
    x = common_end(groups, measure, axis)
    if x is None or len(groups) < 2:
        return []
    sign = 1.0 if measure.higher_is_better else -1.0
    found = {group.name: [curve.at(axis, x) for curve in group.curves(measure)] for group in groups}
    values = {name: [(sign * point[0], point[1]) for point in points if point] for name, points in found.items()}
    best = max(values, key=lambda name: float(np.mean([value for value, _ in values[name]])))
    return [_difference(best, values[best], name, points) for name, points in values.items() if name != best]


def _difference(better: str, a: list[tuple[float, float]], worse: str, b: list[tuple[float, float]]) -> Difference:
    amount = float(np.mean([value for value, _ in a]) - np.mean([value for value, _ in b]))
    if min(len(a), len(b)) >= 2:
        (error_a, error_b), degrees = (_squared_error(a), _squared_error(b)), 0.0
        error = math.sqrt(error_a + error_b)
        if error > 0:
            degrees = (error_a + error_b) ** 2 / (error_a**2 / (len(a) - 1) + error_b**2 / (len(b) - 1))
        one_seed = False
    else:
        error = math.sqrt(sum(np.mean([e for _, e in points]) ** 2 / len(points) for points in (a, b))) / 1.96
        degrees, one_seed = 1e6, True
    if error <= 0.0:
        return Difference(better, worse, amount, None, None, one_seed)
    half = error * t_quantile(0.975, degrees)
    return Difference(better, worse, amount, (amount - half, amount + half), t_cdf(amount / error, degrees), one_seed)


def _squared_error(points: list[tuple[float, float]]) -> float:
    """Of the mean, by how much the seeds differ."""
    return float(np.var([value for value, _ in points], ddof=1)) / len(points)


def t_cdf(t: float, degrees: float) -> float:
    """Student's distribution, integrated; with many degrees of freedom the normal one."""
    if degrees > 1e5:
        return 0.5 * (1.0 + math.erf(t / math.sqrt(2.0)))
    # With x = sqrt(degrees) tan(u) the density becomes cos(u)^(degrees - 1), on a bounded range.
    angles = np.linspace(-math.pi / 2, math.pi / 2, 20_001)
    weights = np.cos(angles) ** (degrees - 1.0) if degrees != 1.0 else np.ones_like(angles)
    below = angles <= math.atan(t / math.sqrt(degrees))
    return float(weights[below].sum() / weights.sum())


@cache
def t_quantile(share: float, degrees: float) -> float:
    low, high = 0.0, 1e3
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if t_cdf(middle, degrees) < share else (low, middle)
    return 0.5 * (low + high)
