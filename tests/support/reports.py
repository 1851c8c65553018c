"""Reports of a healthy run, to be changed where a test wants something to be wrong."""

from dataclasses import replace
from typing import Any

from tengen.report import IterationReport, LearnerReport, RunReport, SelfPlayReport

RUN = RunReport(
    game="tic_tac_toe",
    folder="runs/tic_tac_toe",
    iteration=0,
    iterations=20,
    evaluator="OpenVINO, bf16",
    threads=2,
    memory_limit=1_234_000_000,
    parameters=47_429,
)
SELF_PLAY = SelfPlayReport(
    games=100,
    positions=800,
    simulations=12_800,
    evaluations=9_000,
    seconds=2.0,
    evaluator_seconds=3.0,
    threads=2,
    mean_length=8.0,
    first_player_score=0.6,
    draws=0.3,
    different_games=0.95,
    target_entropy=0.8,
    prior_entropy=1.2,
    surprise=0.2,
)
LEARNER = LearnerReport(
    steps=10,
    samples=2560,
    seconds=1.0,
    sampling_seconds=0.1,
    policy_loss=1.2345,
    value_loss=0.7,
    reply_loss=1.5,
    ownership_loss=0.0,
    score_loss=0.0,
    value_loss_of_mean=1.0,
    learning_rate=0.002,
    window=5000,
    gradient_norm=0.5,
)


def report(
    iteration: int = 10,
    self_play: dict[str, Any] | None = None,
    learner: dict[str, Any] | None = None,
    **changes: Any,
) -> IterationReport:
    healthy = IterationReport(
        iteration=iteration,
        iterations=20,
        self_play=replace(SELF_PLAY, **self_play or {}),
        learner=replace(LEARNER, **learner or {}),
        strength=(),
        findings=(),
        promoted=True,
        seconds=75.0,
        seconds_left=3700.0,
        memory=640_000_000,
    )
    return replace(healthy, **changes)
