"""Time on a fake clock: no game is lost on time, and the time that there is gets used."""

import itertools
import math
import random

import pytest

import tengen
from tengen.engine import Standing
from tengen.interfaces.timekeeping import Allowance, Clock, Delays, Pace, allow, moves_to_come

UNCLEAR = Standing(simulations=1, choices=30, lead=0, settled=False)


def spent(allowance: Allowance, batch: float, standing: Standing = UNCLEAR) -> float:
    """How long a search takes whose batches take that long; the first one can't be ended."""
    pace, seconds = Pace(allowance), 0.0
    while True:
        seconds += batch
        if pace.is_enough(seconds, standing):
            return seconds


CLOCKS = [
    pytest.param(left, increment, moves_to_go, byoyomi, id=f"{left:g}+{increment:g}/{moves_to_go}/{byoyomi:g}")
    for left, increment, moves_to_go, byoyomi in [
        (1.0, 0.01, 0, 0.0),
        (1.0, 0.0, 0, 0.0),
        (60.0, 1.0, 0, 0.0),
        (300.0, 0.0, 40, 0.0),
        (5.0, 0.0, 1, 0.0),
        (0.0, 0.0, 0, 1.0),
        (10.0, 0.0, 0, 0.5),
        (0.0, 0.2, 0, 0.2),
        (3600.0, 30.0, 0, 0.0),
    ]
]


@pytest.mark.parametrize(("left", "increment", "moves_to_go", "byoyomi"), CLOCKS)
def test_no_long_game_is_lost_on_time(left: float, increment: float, moves_to_go: int, byoyomi: float) -> None:
    """With searches that always take all they may, and delays of up to 5 ms on the way."""
    rng = random.Random(1)
    lag, batch = 0.03, max(0.002, (left + byoyomi) / 10_000)
    clock, to_go = left, moves_to_go
    for move in range(300 if increment or moves_to_go or byoyomi else 80):
        now = Clock(clock, increment, to_go, byoyomi)
        took = spent(allow(now, max(20.0, 40.0 - move / 2), lag), batch) + rng.uniform(0.0, 0.005)
        assert took <= clock + byoyomi, f"move {move} with {clock:.3f} s left took {took:.3f} s"
        clock = max(0.0, clock - took) + increment
        if moves_to_go:
            to_go -= 1
            if to_go == 0:
                clock, to_go = clock + left, moves_to_go


@pytest.mark.parametrize(("pause", "share"), [(0.2, 0.01), (0.1, 0.03), (0.015, 0.5)])
def test_no_game_is_lost_on_a_machine_on_which_others_work(pause: float, share: float) -> None:
    """One second and 0.01 s a move, from a process that often has to wait for its turn."""
    rng, delays = random.Random(3), Delays()
    for _ in range(50):
        clock = 1.0
        for move in range(120):
            allowance = allow(Clock(clock, 0.01), max(20.0, 40.0 - move / 2), 0.05, delays)
            waits = pause if rng.random() < share else 0.0
            worked = spent(allowance, 0.001)
            took = worked + waits
            assert took <= clock, f"move {move} with {clock:.3f} s left took {took:.3f} s"
            delays.note(took, worked, allowance, Clock(clock, 0.01))
            clock += 0.01 - took


def test_delays_are_learned_and_forgotten() -> None:
    delays, clock = Delays(), Clock(1.0, 0.01)
    calm = allow(clock, 30, 0.05, delays)
    delays.note(0.3, 0.1, Allowance(0.05, 0.1), clock)
    assert delays.longest == pytest.approx(0.2)
    assert allow(clock, 30, 0.05, delays).most < calm.most
    for _ in range(300):
        delays.note(0.05, 0.05, Allowance(0.05, 0.1), clock)
    assert allow(clock, 30, 0.05, delays) == calm


def test_time_lost_on_the_way_is_learned_from_the_clock() -> None:
    """A move that took 0.1 s here, but after which the clock has 0.25 s less: 0.15 s went by where nothing is seen."""
    delays, clock = Delays(), Clock(10.0, 1.0)
    delays.note(0.1, 0.1, Allowance(0.1, 0.2), clock)
    delays.hear(Clock(10.75, 1.0))
    assert delays.longest == pytest.approx(0.15)
    assert delays.usual == pytest.approx(0.015)
    delays.hear(Clock(1.0, 1.0))  # nothing is known of the time between
    assert delays.longest == pytest.approx(0.15)
    for given, later in ((Clock(10.0, 1.0), 30.0), (Clock(10.0, moves_to_go=1), 5.0), (Clock(0.5, byoyomi=5.0), 0.0)):
        delays = Delays()
        delays.note(0.1, 0.1, Allowance(0.1, 0.2), given)
        delays.hear(Clock(later))  # more than expected, or another way to count
        assert delays.longest == 0.0


def test_a_slow_way_keeps_more_on_the_clock() -> None:
    """One second and 0.01 s a move: 20 ms of each are lost where the engine can't see it."""
    delays, left = Delays(), 1.0
    for move in range(45):
        clock = Clock(left, 0.01)
        delays.hear(clock)
        allowance = allow(clock, max(20.0, 40.0 - move / 2), 0.05, delays)
        took = spent(allowance, 0.001)
        delays.note(took, took, allowance, clock)
        left += 0.01 - took - 0.02
        assert left > 0.0, f"lost on time in move {move}"


@pytest.mark.parametrize("left", [1.0, 60.0, 600.0])
def test_most_of_the_time_is_used(left: float) -> None:
    """In a game of 60 moves of each side, with sudden death."""
    clock = left
    settled = Standing(simulations=1, choices=30, lead=0, settled=True)
    for move in range(60):
        clock -= spent(allow(Clock(clock), max(20.0, 40.0 - move / 2), 0.01), 0.001, settled)
    assert 0.0 < clock < 0.25 * left


def test_time_that_comes_back_is_spent() -> None:
    assert allow(Clock(0.0, byoyomi=10.0), 40, 0.1) == Allowance(9.9, 9.9)
    assert allow(Clock(per_move=5.0), 40, 0.1) == Allowance(4.9, 4.9)
    assert allow(Clock(), 40, 0.1) == Allowance(math.inf, math.inf)
    last = allow(Clock(5.0, moves_to_go=1), 40, 0.1)
    assert last.most == pytest.approx(4.9)
    assert last.target == pytest.approx(4.9)
    with_increment = allow(Clock(10.0, increment=10.0), 40, 0.1)
    assert 4.0 < with_increment.target < 10.0


def test_nothing_left_means_at_once() -> None:
    for clock in (Clock(0.0), Clock(0.02), Clock(-5.0), Clock(per_move=0.0), Clock(100.0, per_move=0.01)):
        assert allow(clock, 40, 0.05).most == 0.0
    assert spent(Allowance(0.0, 0.0), 0.5) == 0.5  # one batch


def test_more_time_never_means_less_of_it() -> None:
    for moves, to_go in itertools.product((10, 40), (0, 1, 5)):
        targets = [allow(Clock(left, moves_to_go=to_go), moves, 0.05).target for left in (0, 0.1, 1, 5, 60, 3600)]
        assert targets == sorted(targets)


def test_a_search_ends_before_the_limit_not_after() -> None:
    """A batch that would pass the limit is not begun."""
    assert spent(Allowance(1.0, 1.0), 0.3) == pytest.approx(0.9)
    pace = Pace(Allowance(1.0, 1.0))
    assert not pace.is_enough(0.1, UNCLEAR)
    assert not pace.is_enough(0.4, UNCLEAR)  # a long batch
    assert pace.is_enough(0.75, UNCLEAR)


def test_a_search_goes_on_only_where_it_may_change_the_move() -> None:
    allowance = Allowance(1.0, 3.0)
    assert spent(allowance, 0.125, Standing(100, 1, 100, True)) == 0.125  # the only move
    assert spent(allowance, 0.125, Standing(100, 30, 0, True)) == 1.0
    assert spent(allowance, 0.125, Standing(100, 30, 0, False)) == 2.875
    pace = Pace(allowance)
    assert not pace.is_enough(0.5, Standing(1000, 30, 999, True))  # 1000 more may come
    assert pace.is_enough(0.6, Standing(1200, 30, 900, True))  # 800 more may come
    assert not pace.is_enough(0.7, Standing(1400, 30, 900, False))


def test_how_many_moves_are_to_come() -> None:
    gomoku = tengen.load("gomoku")
    assert moves_to_come(gomoku.initial_state()) == pytest.approx(225 / 4)
    assert moves_to_come(gomoku.state("a1 b1 c1 d1")) == pytest.approx(221 / 4)
    assert moves_to_come(tengen.load("tic_tac_toe").initial_state()) == 10.0
