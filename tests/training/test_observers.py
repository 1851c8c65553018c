"""What a person sees of a run: lines in a file, a display on a terminal, both in words."""

import io
import re
from dataclasses import replace

import pytest
from reports import RUN, report
from rich.console import Console

from tengen.interfaces.observers import LiveProgress, PlainProgress, amount, duration, final_text, sparkline
from tengen.report import AccuracyReport, Finding, StrengthReport

STRENGTH = StrengthReport("rollout:100", 40, 0.75, (0.6, 0.86))
FINDING = Finding("all games drawn", "99% of the games were drawn", "raise self_play.random_start_plies")


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.4, "0 s"),
        (59.4, "59 s"),
        (59.9, "1 min 0 s"),
        (200, "3 min 20 s"),
        (3599.9, "1 h 0 min"),
        (7500, "2 h 5 min"),
    ],
)
def test_duration(seconds: float, words: str) -> None:
    assert duration(seconds) == words


def test_amount() -> None:
    assert (amount(640_000_000), amount(1_300_000_000)) == ("640 MB", "1.3 GB")


def test_sparkline() -> None:
    assert sparkline([3.0, 2.0, 1.0]) == "█▅▁"
    assert sparkline([1.0, 1.0]) == "▁▁"


def test_plain_lines(capsys: pytest.CaptureFixture[str]) -> None:
    with PlainProgress() as progress:
        progress.run_started(RUN)
        progress.stage("self-play", 1, 2)
        progress.iteration_finished(report(1, strength=(STRENGTH,), findings=(FINDING,)))
        progress.iteration_finished(report(2, findings=(FINDING,)))
        progress.iteration_finished(report(3))
        progress.iteration_finished(report(4, findings=(FINDING,)))
    lines = capsys.readouterr().out.splitlines()
    figures = (
        "50.0 games/s, 4,500 evaluations/s; loss: policy 1.234, value 0.700; 1 min 15 s so far, 1 h 1 min left; 640 MB"
    )
    warning = "  warning: all games drawn: 99% of the games were drawn; raise self_play.random_start_plies"
    assert lines == [
        "tic_tac_toe starts from a blank network (47,429 parameters); 2 threads, OpenVINO, bf16; memory stays under "
        "1.2 GB; everything is kept in runs/tic_tac_toe",
        f"iteration 1: {figures}",
        "  scores 75% against rollout:100 (60% to 86%, 40 games)",
        warning,
        f"iteration 2: {figures}",  # the warning is not repeated while it lasts
        f"iteration 3: {figures}",
        f"iteration 4: {figures}",
        warning,
    ]


def test_a_pipe_hears_of_stages_now_and_then(capsys: pytest.CaptureFixture[str]) -> None:
    now = 100.0
    progress = PlainProgress(now=lambda: now)
    progress.run_started(replace(RUN, seconds_left=120.0))
    for second in range(30):
        now = 100.0 + second
        progress.stage("self-play", second, 40)
    lines = capsys.readouterr().out.splitlines()[1:]
    assert lines[0] == "  iteration 1, self-play: 5%, 38 s more; 1 min 58 s left of the run"  # after two seconds
    assert [line.partition(":")[2].split(",")[0] for line in lines] == [" 5%", " 18%", " 30%", " 42%", " 55%", " 68%"]
    progress.iteration_finished(report(1))
    progress.stage("learning", 1, 4)
    assert len(capsys.readouterr().out.splitlines()) == 1  # the iteration; the stage is too young for a line


def test_final_strength_in_a_sentence() -> None:
    accuracy = AccuracyReport(500, "positions that come with tengen", 0.9312, 0.96, 100, 2.0)
    assert final_text(report(accuracy=accuracy)) == (
        "Good moves, which keep the win, draw or loss, on 500 positions that come with tengen: network alone 93.12 %, "
        "with 100 simulations 96.00 %."
    )
    assert final_text(report(strength=(STRENGTH,))) == "It scores 75% against rollout:100 (40 games)."
    assert final_text(report()) == ""


def test_damage_is_told_first(capsys: pytest.CaptureFixture[str]) -> None:
    PlainProgress().run_started(replace(RUN, iteration=7, notes=("A shard was damaged.",)))
    first, second = capsys.readouterr().out.splitlines()
    assert first == "warning: A shard was damaged."
    assert "goes on at iteration 8" in second


def shown(progress: LiveProgress) -> str:
    console = Console(file=io.StringIO(), width=120, force_terminal=True, color_system=None)
    console.print(progress._draw())
    return re.sub(r"[ \n]+", " ", console.file.getvalue())  # type: ignore[attr-defined]


def test_live_display_says_everything() -> None:
    progress = LiveProgress(Console(file=io.StringIO(), width=120, force_terminal=True))
    assert "first iteration" in shown(progress)
    progress.run_started(RUN)
    progress.stage("self-play", 30, 120)
    assert "self-play" in shown(progress)
    assert "25%" in shown(progress)
    progress.iteration_finished(report(1, learner={"policy_loss": 2.0}))
    progress.iteration_finished(report(2, strength=(STRENGTH,), findings=(FINDING,)))
    text = shown(progress)
    for words in (
        "tic_tac_toe",
        "iteration 3, 1 h 1 min left",
        "50.0 games/s, 4,500 evaluations/s",
        "first player scores 60%",
        "policy loss 1.234 █▁",
        "value loss 0.700 ▁▁ (guessing the average: 1.000)",
        "scores 75% against rollout:100 (60% to 86%, 40 games) at iteration 2",
        "memory 640 MB of at most 1.2 GB",
        "warning all games drawn",
    ):
        assert words in text


def test_live_display_leaves_lines_behind() -> None:
    console = Console(file=io.StringIO(), width=120, force_terminal=True)
    with LiveProgress(console) as progress:
        progress.run_started(replace(RUN, folder="runs/[bold]", notes=("[0] is damaged.",)))
        progress.iteration_finished(report(5))
        progress.say("Stopping.")
    lines = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", console.file.getvalue()).splitlines()  # type: ignore[attr-defined]
    assert "warning: [0] is damaged." in lines
    assert "Stopping." in lines
    assert any(line.endswith("everything is kept in runs/[bold]") for line in lines)  # no word is taken for a style
    assert lines[-1].startswith("iteration 5: 50.0 games/s")
