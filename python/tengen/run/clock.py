"""How long a run goes on, and how large its next iteration is.

A run of so many iterations has them all as its config says, and no clock has a say in it: the same seed gives the same
bits. A run of so many minutes keeps its time. Its config then gives upper bounds, and each iteration is made as large
as time, machine and game allow: about a twelfth of the minutes, the first one half of that. Where the minutes are few
for the config, the simulations are fewer too, because a run in which no game ends learns nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from tengen.config import RunConfig, SelfPlayConfig
from tengen.report import AccuracyReport, GateReport, IterationReport, RatingReport

__all__ = ["Clock", "IterationClock", "MinutesClock", "Plan", "Speed", "speed_of"]

ITERATIONS = 12  # that a run of minutes has at least, about
FIRST = 0.5  # length of the first iteration, as a share of a usual one
SHORTEST = 0.4  # of a usual iteration: in less time than that none is begun
MEASURED = 3  # iterations by which speed is measured, the newest
GAMES = 60  # that should end in a run, half of which is self-play
AT_ONCE = 4  # games that a unit plays at least
LADDER = 0.08  # share of the time that the ladder may take
LADDER_SECONDS = 30.0  # that are set aside for it at the end, before it is known what it takes
FINAL = 0.05  # share of the time for measuring the last network
FINAL_SECONDS = 10.0  # at most
GATE = 0.15  # share of an iteration that the match of candidate and champion may take
FILES = 0.5  # seconds at the end for the last files and the report
LATE = 1.3  # stages may take so many times as long as planned before they are stopped


@dataclass(frozen=True)
class Plan:
    """The next iteration. Moments are seconds of the run; those of a run without minutes never come."""

    play: SelfPlayConfig  # as it is in this iteration
    progress: tuple[float, float]  # share of the run that is done before and after it
    least_games: int = 0  # that end in it
    play_until: float = math.inf
    learn_until: float = math.inf
    gate_seconds: float = math.inf  # for the match of candidate and champion
    speed: Speed | None = None  # by which it was sized; None in a run without minutes


@dataclass(frozen=True)
class Speed:
    """What this machine does with a game and a network."""

    simulations: float  # per second of self-play, all threads together
    plies: float  # of a game
    step: float = 0.0  # seconds of a step of the learner; 0: not known yet
    rest: float = 0.0  # seconds of an iteration that are neither play nor learning nor matches


class Clock(Protocol):
    """Knows when a run is over, and plans its iterations."""

    def plan(self, iteration: int, reports: Sequence[IterationReport], at_once: int) -> Plan | None:
        """The iteration after so many; None if the run is over. `at_once` games are in flight in a unit."""
        ...

    def seconds(self) -> float:
        """Spent by the run so far, before it was stopped too."""
        ...

    def seconds_left(self, iteration: int, reports: Sequence[IterationReport]) -> float:
        """By what is known after so many iterations; 0 if the run is over."""
        ...

    def ladder_seconds(self, iteration: int, reports: Sequence[IterationReport]) -> float:
        """How long measuring on the ladder may take after so many iterations; 0: not now."""
        ...

    def final_seconds(self, iteration: int, reports: Sequence[IterationReport]) -> float:
        """The same of the comparison with the truth, or with simple players, which is made once, at the end."""
        ...


class IterationClock:
    """A run of so many iterations."""

    def __init__(self, config: RunConfig, seconds: Callable[[], float]) -> None:
        self._config = config
        self.seconds = seconds

    def plan(self, iteration: int, reports: Sequence[IterationReport], at_once: int) -> Plan | None:
        if self._is_over(iteration):
            return None
        play = self._config.self_play
        progress = iteration / self._config.iterations
        return Plan(
            play=play.model_copy(update={"simulations": play.simulations_at(progress)}),
            progress=(progress, (iteration + 1) / self._config.iterations),
            # The first games to end are the shortest. In Go those are two passes and won by White; a network that
            # learns from them alone gives Black up for good.
            least_games=play.games_per_unit * play.units if iteration == 0 else 0,
        )

    def seconds_left(self, iteration: int, reports: Sequence[IterationReport]) -> float:
        left = max(0, self._config.iterations - iteration)
        return self.seconds() * left / iteration if iteration else math.inf

    def ladder_seconds(self, iteration: int, reports: Sequence[IterationReport]) -> float:
        every = self._config.arena.every
        return math.inf if every and (iteration % every == 0 or self._is_over(iteration)) else 0.0

    def final_seconds(self, iteration: int, reports: Sequence[IterationReport]) -> float:
        return math.inf if self._config.arena.final_strength and self._is_over(iteration) else 0.0

    def _is_over(self, iteration: int) -> bool:
        return iteration >= self._config.iterations


class MinutesClock:
    """A run of so many minutes, all parts of it together. `first_speed` is asked while there are no figures yet."""

    def __init__(
        self, config: RunConfig, minutes: float, seconds: Callable[[], float], first_speed: Callable[[], Speed]
    ) -> None:
        self._config = config
        self._whole = minutes * 60.0
        self._usual = self._whole / ITERATIONS
        self.seconds = seconds
        self._first_speed = first_speed
        self._step_share = config.learner.samples_per_position / config.learner.batch  # steps for a position

    def seconds_left(self, iteration: int, reports: Sequence[IterationReport]) -> float:
        return 0.0 if self._is_over(reports) else max(0.0, self._whole - self.seconds())

    def plan(self, iteration: int, reports: Sequence[IterationReport], at_once: int) -> Plan | None:
        if self._is_over(reports):
            return None
        speed = speed_of(reports) or self._first_speed()
        if _has_learned(reports):
            return self._usual_plan(speed, self._learning_end(reports), at_once, self._length(reports))
        return self._first_plan(speed, self._learning_end(reports), at_once)

    def _usual_plan(self, speed: Speed, end: float, at_once: int, length_before: float) -> Plan:
        now = self.seconds()
        left = end - now
        length = left if left < (1.0 + SHORTEST) * length_before else self._usual
        gate_seconds = GATE * length if self._config.arena.gating else 0.0
        work = max(length - speed.rest - gate_seconds, length / 4)
        play = self._sized(speed, work, games=GAMES, within=end / 2, at_once=at_once, progress=now / end)
        playing = LATE * play.positions * _mean_simulations(play) / speed.simulations
        learning = LATE * play.positions * self._step_share * speed.step
        return Plan(
            play=play,
            progress=(min(1.0, now / end), min(1.0, (now + length) / end)),
            play_until=now + speed.rest + min(max(playing, work - learning), work),
            learn_until=now + length - gate_seconds,
            gate_seconds=gate_seconds,
            speed=speed,
        )

    def _first_plan(self, speed: Speed, end: float, at_once: int) -> Plan:
        """Small; and as long as a step of the learner was not measured, half of the time is for learning.

        A run learns at least once, so when the time is over it still goes on until a game has ended.
        """
        now = self.seconds()
        length = FIRST * self._usual
        units = self._config.self_play.units
        play = self._sized(
            speed, length / 2, games=AT_ONCE * units, within=length / 2, at_once=at_once, progress=now / end
        )
        is_late = now >= end
        return Plan(
            play=play,
            progress=(min(1.0, now / end), min(1.0, (now + length) / end)),
            least_games=1 if is_late else play.games_per_unit * units,
            play_until=math.inf if is_late else now + 2.0 * length,
            learn_until=now + 3.0 * length,
            gate_seconds=0.0,
            speed=speed,
        )

    def _sized(
        self, speed: Speed, work: float, *, games: int, within: float, at_once: int, progress: float
    ) -> SelfPlayConfig:
        """Positions and games at once for so many seconds of work; simulations so that `games` end `within` seconds."""
        play = self._config.self_play
        wanted = play.simulations_at(min(1.0, progress))
        affordable = max(1.0, speed.simulations * within / (games * speed.plies))
        scale = min(1.0, affordable / wanted)
        fewer = {
            "simulations": max(1, round(wanted * scale)),
            "fast_simulations": max(1, round(play.fast_simulations * scale)) if play.fast_simulations else 0,
        }
        play = play.model_copy(update=fewer)
        a_position = _mean_simulations(play) / speed.simulations + self._step_share * speed.step
        positions = int(work / a_position)
        positions = min(max(positions, play.units), play.positions)
        # About one game ends in each place in an iteration. Games in flight are kept, so places are only added.
        places = min(max(AT_ONCE, math.ceil(positions / (play.units * speed.plies))), play.games_per_unit)
        return play.model_copy(update={"positions": positions, "games_per_unit": max(places, at_once)})

    def ladder_seconds(self, iteration: int, reports: Sequence[IterationReport]) -> float:
        """At the end what was set aside; between times its share of the time so far, less what it took."""
        arena = self._config.arena
        if arena.every == 0:
            return 0.0
        now = self.seconds()
        if self._is_over(reports):
            return max(0.0, self._whole - now - self._for_final() - self._for_files())
        if iteration % arena.every or self._learning_end(reports) - now < 2.0 * self._length(reports):
            return 0.0
        took = [report.rating.seconds for report in reports if report.rating is not None]
        allowed = LADDER * now - sum(took)
        return allowed if allowed > 0.5 * (took[-1] if took else LADDER * now) else 0.0

    def final_seconds(self, iteration: int, reports: Sequence[IterationReport]) -> float:
        if not self._config.arena.final_strength or not self._is_over(reports):
            return 0.0
        return max(0.0, self._whole - self.seconds() - self._for_files())

    def _is_over(self, reports: Sequence[IterationReport]) -> bool:
        left = self._learning_end(reports) - self.seconds()
        return _has_learned(reports) and left < SHORTEST * self._length(reports)

    def _length(self, reports: Sequence[IterationReport]) -> float:
        """Of an iteration: a share of the whole, or less where the config has smaller ones."""
        if len(reports) < 3:  # the first is small, and the second shows how large they become
            return self._usual
        matches = sum(part.seconds for part in _matches(reports[-1]))
        return min(self._usual, reports[-1].seconds - reports[-2].seconds - matches)

    def _learning_end(self, reports: Sequence[IterationReport]) -> float:
        """When the last iteration should have learned: what comes after it needs time too."""
        took = [report.rating.seconds for report in reports if report.rating is not None]
        ladder = min(LADDER * self._whole, 1.2 * took[-1] if took else LADDER_SECONDS)
        return self._whole - ladder * (self._config.arena.every > 0) - self._for_final() - self._for_files()

    def _for_final(self) -> float:
        return min(FINAL * self._whole, FINAL_SECONDS) if self._config.arena.final_strength else 0.0

    def _for_files(self) -> float:
        return min(FILES, 0.1 * self._whole)


def speed_of(reports: Sequence[IterationReport]) -> Speed | None:
    """By the newest iterations; None while no game has ended."""
    newest = reports[-MEASURED:]
    simulations = sum(report.self_play.simulations for report in newest)
    steps = sum(report.learner.steps for report in newest)
    lengths = [report.self_play.mean_length for report in reports if report.self_play.games]
    if not lengths or simulations == 0:
        return None
    return Speed(
        simulations=simulations / sum(report.self_play.seconds for report in newest),
        plies=max(1.0, lengths[-1]),
        step=sum(report.learner.seconds for report in newest) / steps if steps else 0.0,
        # The first iteration also has what a process does once.
        rest=_rest(reports[-2], reports[-1]) if len(reports) > 1 else 0.0,
    )


def _rest(before: IterationReport, newest: IterationReport) -> float:
    matches = sum(part.seconds for part in _matches(newest))
    known = newest.self_play.seconds + newest.learner.seconds + matches
    return max(0.0, newest.seconds - before.seconds - known)


def _matches(report: IterationReport) -> list[RatingReport | GateReport | AccuracyReport]:
    return [part for part in (report.rating, report.gate, report.accuracy) if part is not None]


def _has_learned(reports: Sequence[IterationReport]) -> bool:
    return any(report.learner.steps for report in reports)


def _mean_simulations(play: SelfPlayConfig) -> float:
    """Of a position, at most: a search that proves its result ends earlier."""
    if play.fast_simulations == 0:
        return float(play.simulations)
    return play.full_share * play.simulations + (1.0 - play.full_share) * play.fast_simulations
