"""`overlap = 1`: the next iteration is played while the learner works, and a kill changes nothing."""

import json
from pathlib import Path

import pytest
from small_runs import small_config, what_counts

from tengen.config import ConfigError, RunConfig
from tengen.report import IterationReport, SilentObserver
from tengen.train import train


def overlapping(iterations: int = 4, **stages: dict[str, object]) -> RunConfig:
    return small_config(iterations, **stages).model_copy(update={"overlap": 1})


class Stopped(Exception):
    pass


class StopAfter(SilentObserver):
    def __init__(self, iteration: int) -> None:
        self.iteration = iteration

    def iteration_finished(self, report: IterationReport) -> None:
        if report.iteration == self.iteration:
            raise Stopped


@pytest.mark.parametrize("gating", [False, True])
def test_a_stopped_run_ends_with_the_same_bits(tmp_path: Path, gating: bool) -> None:
    config = overlapping(arena={"gating": gating, "gating_games": 4, "simulations": 2})
    train(config, tmp_path / "whole")
    for stop in (1, 3):
        with pytest.raises(Stopped):
            train(config, tmp_path / "cut", StopAfter(stop))
    train(config, tmp_path / "cut")
    assert what_counts(tmp_path / "cut") == what_counts(tmp_path / "whole")


def test_it_is_played_with_the_network_before_last(tmp_path: Path) -> None:
    """The first two iterations by the blank one, so they are the same games whatever was learned between them."""
    train(overlapping(2), tmp_path / "one")
    train(overlapping(2, learner={"learning_rate": 0.1}), tmp_path / "other")
    assert games(tmp_path / "one") == games(tmp_path / "other")
    train(small_config(2), tmp_path / "plain")
    train(small_config(2, learner={"learning_rate": 0.1}), tmp_path / "plain_other")
    assert games(tmp_path / "plain") != games(tmp_path / "plain_other")


def games(folder: Path) -> list[bytes]:
    return [path.read_bytes() for path in sorted((folder / "games").glob("*.tgr"))]


def test_figures_are_of_the_iteration_that_was_played(tmp_path: Path) -> None:
    train(overlapping(3), tmp_path / "run")
    lines = [json.loads(line) for line in (tmp_path / "run" / "metrics.jsonl").open()]
    assert [line["self_play"]["positions"] >= 64 for line in lines] == [True] * 3


def test_what_it_does_not_go_with_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="--iterations"):
        train(overlapping(), tmp_path / "run", minutes=1.0)
    with pytest.raises(ConfigError, match="grow"):
        train(overlapping(network={"grow": ((0.5, 2, 8),)}), tmp_path / "run")
    with pytest.raises(ConfigError, match="as AlphaZero does"):
        train(overlapping(network={"kind": "ntuple"}), tmp_path / "run")
    assert not (tmp_path / "run").exists()
