"""`tengen bench learning`: runs that are measured along the way, and the answer to which setting is better."""

from pathlib import Path

import numpy as np
import pytest
from reports import report

from tengen import TengenError, load
from tengen.bench.learning import LearningBench, StoppableClock, known_or_none, minutes_to, side_name
from tengen.run.compare import measures_of
from tengen.run.folder import read_reports
from tengen.run.sequential import WRONG, answer, level_of_a_look

TINY = ("network.preset=tiny", "network.blocks=1", "self_play.positions=64", "self_play.games_per_unit=4")
QUICK = [part for each in TINY for part in ("--set", each)]


@pytest.fixture
def bench(tmp_path: Path) -> LearningBench:
    game = load("tic_tac_toe")
    positions = known_or_none(game, None)
    assert positions is not None
    return LearningBench(game, 0.02, tmp_path, TINY, positions.some(100), simulations=0, points=3, processor_time=True)


def test_a_run_is_measured_at_its_end_in_time_that_does_not_count_and_made_once(bench: LearningBench) -> None:
    side = bench.train(1)
    reports = read_reports(side / "seed1")
    measured = [report.accuracy for report in reports if report.accuracy is not None]
    assert reports[-1].accuracy is measured[-1]
    assert all(accuracy.seconds == 0.0 for accuracy in measured)
    before = (side / "seed1" / "metrics.jsonl").read_bytes()
    bench.train(1)  # finished: nothing is trained again
    assert (side / "seed1" / "metrics.jsonl").read_bytes() == before


def test_measurements_are_spread_over_the_run(bench: LearningBench) -> None:
    class Clock:
        def seconds(self) -> float:
            return now

        def seconds_left(self, iteration: int, reports: object) -> float:
            return max(0.0, 1.2 - now)

    reports, measured = [], []
    for number in range(1, 13):  # a tenth of a second each, of a run of 1.2 seconds with three points
        now = 0.1 * number + 1e-6
        reports.append(report(number, seconds=now))
        if bench.is_time(Clock(), reports):  # type: ignore[arg-type]
            measured.append(number)
    assert measured == [4, 8, 12]


def test_a_stopped_clock_does_not_count() -> None:
    now = 5.0
    clock = StoppableClock(lambda: now)
    with clock.stopped():
        now = 8.0
    now = 9.0
    assert clock() == 6.0


def test_minutes_to_a_mark_are_those_of_the_first_measurement_beyond_it(bench: LearningBench) -> None:
    group = bench.group(bench.train(1), [1])
    [measure, *_] = measures_of([group])
    [curve] = group.curves(measure)
    assert measure.name == "good moves"
    assert minutes_to(group, 0.0, measure) == [curve.minutes[0]]
    assert minutes_to(group, 101.0, measure) == [None]


def test_the_command_says_who_is_better_and_when_marks_were_reached(
    cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    arguments = ["bench", "learning", "tic_tac_toe", "--minutes", "0.01", "--seeds", "2", *QUICK, "--simulations", "0"]
    arguments += ["--marks", "10,100", "--points", "2", "--against", "learner.batch=64"]
    said = cli(*arguments, "--html", "page.html")
    assert "After 2 runs of each: " in said
    marks = next(line for line in said.splitlines() if line.startswith("minutes to"))
    assert "10" in marks
    assert "not reached" in said
    assert {path.name for path in (tmp_path / "runs/learning/tic_tac_toe-0.01").iterdir()} == {
        "base",
        side_name(["learner.batch=64"]),
    }
    assert "good moves" in (tmp_path / "page.html").read_text()


def test_a_game_without_known_positions_is_measured_by_matches(tmp_path: Path) -> None:
    game = load("othello", size=6)
    assert known_or_none(game, None) is None
    sets = (*TINY, "arena.games=2", "arena.simulations=1", 'arena.anchors=["random"]', "arena.opponents=1")
    bench = LearningBench(game, 0.01, tmp_path, sets, points=4, processor_time=True)
    [measure, *_] = measures_of([bench.group(bench.train(1), [1])])
    assert measure.name == "Elo"


def test_wrong_settings_are_refused_before_anything_is_trained(bench: LearningBench) -> None:
    with pytest.raises(TengenError, match=r"learner\.batch"):
        bench.config(1, ["learner.bach=3"])


def test_looks_together_are_wrong_as_often_as_promised() -> None:
    rng = np.random.default_rng(7)
    most, wrong, experiments = 5, 0, 400
    for _ in range(experiments):
        draws = rng.normal(size=(2, most))
        looks = [answer(*draws[:, :runs].tolist(), most=most, smallest=0.0) for runs in range(2, most + 1)]
        wrong += any(look.decision in ("better", "worse") for look in looks)
    assert 0.02 < wrong / experiments < 0.08
    assert level_of_a_look(2) == pytest.approx(WRONG, rel=0.1)
    assert level_of_a_look(8) < level_of_a_look(3) < WRONG


@pytest.mark.parametrize(
    ("first", "second", "decision"),
    [
        ([90.0, 90.3, 89.8], [93.0, 93.2, 92.9], "better"),
        ([93.0, 93.2, 92.9], [90.0, 90.3, 89.8], "worse"),
        ([90.0, 90.1, 90.05], [90.02, 90.08, 90.1], "no difference"),
        ([90.0, 92.0, 88.0], [91.0, 93.0, 89.5], "open"),
        ([90.0], [99.0], "open"),
    ],
)
def test_decisions(first: list[float], second: list[float], decision: str) -> None:
    assert answer(first, second, most=5, smallest=1.0).decision == decision
