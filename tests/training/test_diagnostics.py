"""Every rule speaks up for the figures it is about, and a healthy run hears nothing."""

import pytest
from reports import report

from tengen.config import load_config
from tengen.report import IterationReport
from tengen.run.diagnostics import find_problems

CONFIG = load_config(game="tic_tac_toe")


def names(*reports: IterationReport, **settings: object) -> list[str]:
    return [finding.name for finding in find_problems(load_config(game="tic_tac_toe", **settings), reports)]


def test_a_healthy_run_hears_nothing() -> None:
    assert find_problems(CONFIG, [report(iteration) for iteration in range(1, 20)]) == ()
    assert find_problems(CONFIG, []) == ()


@pytest.mark.parametrize(
    ("name", "wrong", "setting"),
    [
        ("identical games", report(self_play={"different_games": 0.1}), "self_play.random_start_share"),
        ("all games drawn", report(self_play={"draws": 0.99}), "self_play.random_start_plies"),
        ("one side wins every game", report(self_play={"first_player_score": 0.03}), "self_play.random_start_share"),
        ("one side wins every game", report(self_play={"first_player_score": 0.98}), "self_play.random_start_plies"),
        ("policy collapsed", report(self_play={"prior_entropy": 0.001}), "learner.learning_rate"),
        ("search adds nothing", report(self_play={"surprise": 0.0}), "self_play.simulations"),
        (
            "value head knows no more than the average",
            report(learner={"value_loss": 1.01}),
            "learner.value_weight",
        ),
        ("samples reused too often", report(learner={"samples": 800 * 9}), "learner.samples_per_position"),
    ],
)
def test_a_rule_names_cause_and_remedy(name: str, wrong: IterationReport, setting: str) -> None:
    [finding] = find_problems(CONFIG, [report(9), wrong])
    assert finding.name == name
    assert finding.cause
    assert setting in finding.remedy
    table, _, key = setting.partition(".")
    assert key in type(getattr(CONFIG, table)).model_fields  # a remedy names a setting that exists


@pytest.mark.parametrize(
    "early",
    [
        report(1, self_play={"prior_entropy": 0.001}),
        report(1, self_play={"surprise": 0.0}),
        report(1, learner={"value_loss": 1.01}),
        report(1, learner={"samples": 800 * 9}),
        report(self_play={"games": 5, "different_games": 0.1}),
        report(self_play={"games": 5, "draws": 1.0}),
        report(1, self_play={"first_player_score": 0.0}),
        report(self_play={"games": 5, "first_player_score": 0.0}),
    ],
)
def test_no_alarm_before_there_is_enough_to_say(early: IterationReport) -> None:
    assert names(early) == []


def test_only_the_newest_iteration_counts() -> None:
    assert names(report(self_play={"draws": 0.99}), report()) == []


def test_never_promoted() -> None:
    refused = [report(iteration, promoted=False) for iteration in range(1, 12)]
    assert names(*refused, arena={"gating": True}) == ["no candidate promoted"]
    assert names(*refused) == []
    assert names(*refused[:5], arena={"gating": True}) == []
    assert names(report(0), *refused[:9], arena={"gating": True}) == []


def test_several_findings_at_once() -> None:
    both = report(self_play={"draws": 0.99, "different_games": 0.1})
    assert names(both) == ["identical games", "all games drawn"]
