"""A run keeps its time: how large its iterations are planned, on a clock that the tests move."""

import math
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from reports import report

from tengen.config import RunConfig, load_config
from tengen.report import GateReport, IterationReport, RatingReport
from tengen.run.clock import AT_ONCE, IterationClock, MinutesClock, Plan, Speed, speed_of


class Machine:
    """Plays a run in thought: every stage takes as long as this machine is fast, noise included."""

    def __init__(
        self, config: RunConfig, minutes: float, *, speed: Speed, guess: float = 1.0, lag: float = 0.0
    ) -> None:
        self.now = lag  # seconds; at first what it takes to start
        self.speed = speed
        self.config = config
        self.reports: list[IterationReport] = []
        self.plans: list[Plan] = []
        self.underway = 0  # positions of games in flight
        guessed = replace(speed, simulations=guess * speed.simulations, step=0.0, rest=0.0)
        self.clock = MinutesClock(config, minutes, lambda: self.now, lambda: guessed)

    def run(self) -> None:
        in_flight = 0
        while (plan := self.clock.plan(len(self.reports), self.reports, in_flight)) is not None:
            self.plans.append(plan)
            assert len(self.plans) < 1000
            began = self.now
            positions, games = self._play(plan)
            in_flight = plan.play.games_per_unit
            played = self.now - began
            learned_from = self.now
            steps = self._learn(plan, positions) if games or any(r.learner.steps for r in self.reports) else 0
            simulations = int(positions * plan.play.simulations)
            newest = report(
                len(self.reports) + 1,
                self_play={"positions": positions, "games": games, "simulations": simulations, "seconds": played},
                learner={"steps": steps, "seconds": self.now - learned_from},
                seconds=self.now,
            )
            newest = replace(newest, self_play=replace(newest.self_play, mean_length=self.speed.plies))
            ladder = self.clock.ladder_seconds(newest.iteration, [*self.reports, newest])
            took = min(ladder, 20.0)
            self.now += took + min(self.clock.final_seconds(newest.iteration, [*self.reports, newest]), 5.0)
            self.now += self.speed.rest
            if took:
                newest = replace(newest, rating=RatingReport("iteration 1", 0.0, 9.0, "random", took))
            self.reports.append(replace(newest, seconds=self.now))

    def _play(self, plan: Plan) -> tuple[int, int]:
        """Positions and finished games, as many as planned or as fit before the deadline. All games end together."""
        a_position = plan.play.simulations / self.speed.simulations
        a_round = int(plan.play.games_per_unit * plan.play.units * self.speed.plies)
        wanted = max(plan.play.positions, a_round - self.underway if plan.least_games else 0)
        fit = wanted if plan.play_until == math.inf else int(max(0.0, plan.play_until - self.now) / a_position)
        positions = min(wanted, fit)
        self.now += positions * a_position
        rounds, self.underway = divmod(self.underway + positions, a_round)
        return positions, rounds * plan.play.games_per_unit * plan.play.units

    def _learn(self, plan: Plan, positions: int) -> int:
        learner = self.config.learner
        steps = max(1, round(positions * learner.samples_per_position / learner.batch))
        fit = max(1, math.ceil((plan.learn_until - self.now) / self.speed.step))
        self.now += min(steps, fit) * self.speed.step
        return min(steps, fit)


def config(**settings: Any) -> RunConfig:
    play = {"units": 2, **settings.pop("self_play", {})}
    return load_config(game="connect_four", self_play=play, **settings)


FAST = Speed(simulations=20_000.0, plies=30.0, step=0.02, rest=0.3)
SLOW = Speed(simulations=1_000.0, plies=200.0, step=0.5, rest=0.5)


@pytest.mark.parametrize("speed", [FAST, SLOW], ids=["fast", "slow"])
@pytest.mark.parametrize("minutes", [1.0, 5.0, 60.0])
@pytest.mark.parametrize("preset", [{}, {"preset": "paper"}], ids=["default", "paper"])
@pytest.mark.parametrize("guess", [0.3, 1.0, 3.0])
def test_it_ends_on_time_with_many_iterations(
    speed: Speed, minutes: float, preset: dict[str, str], guess: float
) -> None:
    machine = Machine(config(**preset), minutes, speed=speed, guess=guess, lag=2.0)
    machine.run()
    assert 0.85 * 60 * minutes <= machine.now <= 60 * minutes + max(2.0, 2 * speed.step)
    assert len(machine.reports) >= 8
    learned = [one for one in machine.reports if one.learner.steps]
    assert len(learned) >= len(machine.reports) - 2
    lengths = [after.seconds - before.seconds for before, after in pairwise(machine.reports)]
    measuring = 0.15 * 60 * minutes
    assert max(lengths[:-1]) <= 60 * minutes / 8 + measuring


def test_paper_learns_within_twelve_seconds() -> None:
    machine = Machine(config(preset="paper"), 0.2, speed=replace(FAST, simulations=6000.0, step=1.0), lag=3.0)
    machine.run()
    assert sum(one.learner.steps for one in machine.reports) >= 1
    assert machine.now <= 14.0
    assert machine.plans[0].play.simulations < 100


def test_a_run_learns_at_least_once() -> None:
    """Even where no game can end in the time given."""
    machine = Machine(config(), 0.01, speed=SLOW, lag=3.0)
    machine.run()
    assert machine.plans[-1].play_until == math.inf
    assert machine.plans[-1].least_games == 1
    assert sum(one.learner.steps for one in machine.reports) >= 1


def test_settings_are_upper_bounds() -> None:
    given = config(self_play={"positions": 256, "games_per_unit": 8, "simulations": 16, "fast_simulations": 4})
    machine = Machine(given, 5.0, speed=FAST)
    machine.run()
    for plan in machine.plans:
        assert plan.play.positions <= 256
        assert plan.play.games_per_unit <= 8
        assert plan.play.simulations <= 16
        assert plan.play.fast_simulations <= 4
    assert machine.plans[-1].play.simulations == 16  # there is time enough for all of them


def test_games_in_flight_are_kept() -> None:
    machine = Machine(config(), 3.0, speed=FAST)
    machine.run()
    places = [plan.play.games_per_unit for plan in machine.plans]
    assert places == sorted(places)
    assert places[0] >= AT_ONCE


def test_the_first_iteration_is_small_and_waits_for_its_games() -> None:
    machine = Machine(config(), 10.0, speed=FAST)
    machine.run()
    first, second = machine.plans[:2]
    assert first.least_games == first.play.games_per_unit * 2
    assert second.least_games == 0
    assert first.play.positions < second.play.positions


def test_progress_rises_to_one() -> None:
    machine = Machine(config(), 2.0, speed=FAST)
    machine.run()
    ends = [plan.progress[1] for plan in machine.plans]
    assert ends == sorted(ends)
    assert ends[-1] == pytest.approx(1.0, abs=0.05)
    assert all(begin <= end for begin, end in (plan.progress for plan in machine.plans))


def test_going_on_takes_what_is_left() -> None:
    """A run that was killed halfway: its reports say how fast it is, and how much time it has had."""
    whole = Machine(config(), 4.0, speed=FAST)
    whole.run()
    half = Machine(config(), 4.0, speed=FAST, guess=100.0)  # the guess is not asked for
    half.reports = whole.reports[:6]
    half.now = half.reports[-1].seconds
    half.run()
    assert half.now == pytest.approx(whole.now, abs=4.0)
    done = Machine(config(), 4.0, speed=FAST)
    done.reports, done.now = whole.reports, whole.now
    done.run()
    assert done.plans == []


def test_the_ladder_keeps_to_its_share() -> None:
    machine = Machine(config(arena={"every": 2}), 20.0, speed=FAST)
    machine.run()
    took = [one.rating.seconds for one in machine.reports if one.rating is not None]
    assert sum(took) <= 0.17 * 20 * 60
    assert machine.reports[-1].rating is not None
    never = Machine(config(arena={"every": 0, "final_strength": False}), 20.0, speed=FAST)
    never.run()
    assert not any(one.rating for one in never.reports)
    assert never.clock.final_seconds(len(never.reports), never.reports) == 0.0


def test_speed_is_that_of_the_newest_iterations() -> None:
    one = report(1, learner={"steps": 10, "seconds": 1.0}, seconds=5.0)
    assert speed_of([]) is None
    assert speed_of([replace(one, self_play=replace(one.self_play, games=0))]) is None
    gate = GateReport(0, 8, 0.5, False, 1.5)
    two = replace(one, iteration=2, seconds=10.0, gate=gate)
    found = speed_of([one, two])
    assert found == Speed(simulations=6400.0, plies=8.0, step=0.1, rest=pytest.approx(5.0 - 3.0 - 1.5))


def test_a_run_of_iterations_knows_no_clock() -> None:
    given = config(iterations=20, arena={"every": 8})
    clock = IterationClock(given, lambda: 1e9)
    plans = [clock.plan(iteration, [], 0) for iteration in range(21)]
    assert plans[-1] is None
    for iteration, plan in enumerate(plans[:-1]):
        assert plan is not None
        assert plan.play == given.self_play
        assert plan.progress == (iteration / 20, (iteration + 1) / 20)
        assert plan.play_until == plan.learn_until == plan.gate_seconds == math.inf
        assert plan.least_games == (256 if iteration == 0 else 0)
    assert [iteration for iteration in range(1, 21) if clock.ladder_seconds(iteration, [])] == [8, 16, 20]
    assert [iteration for iteration in range(1, 21) if clock.final_seconds(iteration, [])] == [20]
