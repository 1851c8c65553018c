"""Strength over time: runs of several seeds, measured along the way on positions with exact answers.

The time that measuring takes does not count, and the clock may be that of the processor, so that other work on the
machine does not change the answer. Two settings are compared seed by seed (`run.sequential`): one more run of each is
trained at a time, until the answer is known.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tengen._core import Game
from tengen.config import RunConfig
from tengen.methods import AlphaZero, Measured
from tengen.report import SILENT, IterationReport, Observer
from tengen.run.clock import Clock
from tengen.run.compare import Group, Measure, read_groups
from tengen.run.settings import ONE_CORE, resolve
from tengen.strength.accuracy import PositionsError, ScoredPositions, known_positions
from tengen.train import train

__all__ = ["BASE", "LearningBench", "known_or_none", "minutes_to", "side_name"]

BASE = "base"  # the side that is as the settings common to both sides say
NO_MATCHES = ("arena.every=0", "arena.final_strength=false")  # measured here, in time that does not count


class StoppableClock:
    """Seconds of a clock, less those during which it was stopped."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._stopped = 0.0

    def __call__(self) -> float:
        return self._now() - self._stopped

    @contextmanager
    def stopped(self) -> Iterator[None]:
        began = self._now()
        try:
            yield
        finally:
            self._stopped += self._now() - began


@dataclass(frozen=True)
class LearningBench:
    """What is common to all runs of a comparison."""

    game: Game
    minutes: float  # of a run
    folder: Path  # of all runs: SIDE/seedN
    sets: tuple[str, ...] = ()
    positions: ScoredPositions | None = None  # None: matches on the ladder of the run tell how strong it is
    simulations: int = 100  # with which it is measured, besides the network alone
    points: int = 8  # measurements of a run, evenly spread
    processor_time: bool = False  # whether minutes are those of the processor; then a run has one thread

    def config(self, seed: int, changes: Sequence[str] = ()) -> RunConfig:
        """Of one run, with the changes of its side."""
        fixed = (*NO_MATCHES, *(ONE_CORE if self.processor_time else ()))
        cores = 1 if self.processor_time else None
        sets = (*fixed, *self.sets, *changes)
        return resolve(self.game, minutes=self.minutes, sets=sets, seed=seed, cores=cores).config

    def train(self, seed: int, changes: Sequence[str] = (), observer: Observer = SILENT) -> Path:
        """Trains a run, or goes on with it; one that is finished stays as it is. Gives the folder of its side."""
        side = self.folder / side_name(changes)
        clock = StoppableClock(time.process_time if self.processor_time else time.perf_counter)
        train(
            self.config(seed, changes),
            side / f"seed{seed}",
            observer,
            minutes=self.minutes,
            method=self._method(clock),
            now=clock,
        )
        return side

    def group(self, side: Path, seeds: Sequence[int]) -> Group:
        """The runs of a side with these seeds."""
        [group] = read_groups([side / f"seed{seed}" for seed in seeds])
        return Group(side.name, group.runs)

    def _method(self, run_clock: StoppableClock) -> type[AlphaZero]:
        bench = self

        class Measuring(AlphaZero):
            """AlphaZero that measures at the bench's points, while the clock of the run stands still."""

            def measure(self, clock: Clock, reports: Sequence[IterationReport]) -> Measured:
                with run_clock.stopped():
                    if not bench.is_time(clock, reports):
                        return Measured()
                    if bench.positions is not None:
                        return Measured(accuracy=self._compared(bench.positions, bench.simulations))
                    strength, rating = self._ladder(reports, float("inf"), self.config.arena.anchors)
                    return Measured(strength, rating)

        return Measuring

    def is_time(self, clock: Clock, reports: Sequence[IterationReport]) -> bool:
        """After every part of the minutes, and at the end."""
        before = reports[-2].seconds if len(reports) > 1 else 0.0
        part = 60.0 * self.minutes / self.points
        is_over = clock.seconds_left(reports[-1].iteration, reports) == 0.0
        return is_over or int(clock.seconds() / part) > int(before / part)


def known_or_none(game: Game, path: Path | None) -> ScoredPositions | None:
    """Positions with exact answers; None where there are none and matches must do."""
    try:
        return known_positions(game, path)
    except PositionsError:
        if path is not None:
            raise
        return None


def side_name(changes: Sequence[str]) -> str:
    """The folder of a side: BASE, or what it changes."""
    return re.sub(r"[^\w.=,-]+", "_", ",".join(changes)).strip("_") or BASE


def minutes_to(group: Group, mark: float, measure: Measure) -> list[float | None]:
    """For each run: when it was first measured at the mark or beyond; None if it never was."""
    sign = 1.0 if measure.higher_is_better else -1.0
    found: list[float | None] = []
    for curve in group.curves(measure):
        reached = zip(curve.minutes, curve.values, strict=True)
        found.append(next((minutes for minutes, value in reached if sign * (value - mark) >= 0.0), None))
    return found
