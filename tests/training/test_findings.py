"""Findings that take more than one figure: made-up histories make each speak, and its remedy names real settings."""

import pytest
from reports import report

from tengen.config import RunConfig, load_config
from tengen.report import Finding, GateReport, IterationReport, RatingReport
from tengen.run.diagnostics import find_problems

CONFIG = load_config(game="tic_tac_toe")
GATING = load_config(game="tic_tac_toe", arena={"gating": True})


def gate(score: float, promoted: bool = False, seconds: float = 0.1) -> GateReport:
    return GateReport(champion=1, games=64, score=score, promoted=promoted, seconds=seconds)


def rating(elo: float, error: float = 40.0, seconds: float = 1.0) -> RatingReport:
    return RatingReport("iteration 5", elo, error, "random", seconds)


def found(config: RunConfig, *reports: IterationReport) -> list[Finding]:
    findings = list(find_problems(config, reports))
    for finding in findings:
        assert finding.cause
        named = [word.strip(",;:") for word in finding.remedy.split() if "." in word.strip(".")]
        assert named
        for setting in named:
            table, key, *_ = setting.split(".")
            assert key in type(getattr(config, table)).model_fields
    return findings


HISTORIES = [
    ("exploration too small", CONFIG, [report(self_play={"target_entropy": 0.01})]),
    ("window too old", CONFIG, [report(50, window_age=49)]),
    (
        "no candidate promoted",
        GATING,
        [report(i, promoted=False, gate=gate(0.4 + i / 100)) for i in range(1, 11)],
    ),
    ("weaker than before", CONFIG, [report(10, rating=rating(500)), report(20, rating=rating(400))]),
    ("much time goes into matches", CONFIG, [report(10, seconds=100.0, rating=rating(0, seconds=40.0))]),
    (
        "much time goes into matches",
        GATING,
        [report(i, seconds=10.0 * i, gate=gate(0.6, True, 5.0)) for i in range(1, 11)],
    ),
]


@pytest.mark.parametrize(("name", "config", "history"), HISTORIES, ids=[name for name, _, _ in HISTORIES])
def test_a_history_that_speaks(name: str, config: RunConfig, history: list[IterationReport]) -> None:
    assert [finding.name for finding in found(config, *history)] == [name]


def test_the_best_refused_candidate_is_told() -> None:
    history = [report(i, promoted=False, gate=gate(0.4 + i / 100)) for i in range(1, 11)]
    assert "the best of them scored 50%" in found(GATING, *history)[0].cause


def test_the_remedy_fits_the_search() -> None:
    lazy = report(self_play={"target_entropy": 0.01})
    assert "gumbel_considered" in found(CONFIG, lazy)[0].remedy
    puct = load_config(game="tic_tac_toe", self_play={"search": {"selection": "puct"}})
    assert "noise_fraction" in found(puct, lazy)[0].remedy


QUIET = [
    [report(39, window_age=38)],  # a short run may see all its games
    [report(100, window_age=60)],
    [report(10, rating=rating(500)), report(20, rating=rating(460))],  # within the errors
    [report(10, rating=rating(500)), report(20, rating=rating(400)), report(21)],  # told when it is measured
    [report(2, self_play={"target_entropy": 0.01})],
    [report(2, seconds=10.0, rating=rating(0, seconds=9.0))],
]


@pytest.mark.parametrize("history", QUIET)
def test_a_history_that_is_fine(history: list[IterationReport]) -> None:
    assert found(CONFIG, *history) == []
