"""Runs of n-tuple tables: they learn, go on bit for bit, keep their minutes, and report like every run."""

import itertools
from dataclasses import replace
from pathlib import Path

import pytest
from small_runs import small_config, what_counts

import tengen
from tengen.config import ConfigError, RunConfig
from tengen.network import make_evaluator
from tengen.network.checkpoint import load_network
from tengen.records.shards import read_games
from tengen.run.diagnostics import find_problems
from tengen.run.folder import RunFolderError, read_reports
from tengen.strength.accuracy import evaluate_network, known_positions
from tengen.train import train

TABLES = {"tuples": 8, "tuple_cells": 6}


def tables_config(iterations: int = 3, **changes: dict[str, object]) -> RunConfig:
    stages = {"network": {"kind": "ntuple"}, "tables": {**TABLES, "games": 1500}, **changes}
    return small_config(iterations, **stages)


def test_tables_learn_tic_tac_toe_in_a_few_thousand_games(tmp_path: Path) -> None:
    network = load_network(train(tables_config(), tmp_path / "run"))
    game = tengen.load("tic_tac_toe")
    found = evaluate_network([make_evaluator(network)], known_positions(game), 16)
    assert found.raw.good > 0.9
    assert found.search is not None
    assert found.search.good > 0.95
    reports = read_reports(tmp_path / "run")
    assert [report.iteration for report in reports] == [1, 2, 3]
    assert all(report.self_play.games == 1500 for report in reports)
    assert reports[-1].learner.value_loss < reports[-1].learner.value_loss_of_mean
    assert reports[-1].learner.learning_rate == pytest.approx(0.1)
    assert network.made_by["run"] == "run"
    assert tengen.Agent(tmp_path / "run", simulations=50).choose(game.state("a1 b1 a2 b2")) == game.parse_action("a3")


def test_games_of_the_run_are_kept_as_records(tmp_path: Path) -> None:
    train(tables_config(2, tables={**TABLES, "games": 50}), tmp_path)
    game = tengen.load("tic_tac_toe")
    records = list(read_games(tmp_path / "games", game))
    assert len(records) == 64
    for record in records:
        record.validate(game)
        assert record.outcome is not None


def test_a_run_that_was_stopped_ends_with_the_same_bits(tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    config = tables_config(3, tables={**TABLES, "games": 70, "stages": 2})
    train(config, whole)
    progress = iter(range(10**6))

    class StopsAfterTwo:
        def run_started(self, report: object) -> None: ...
        def stage(self, name: str, done: int, total: int) -> None: ...
        def iteration_finished(self, report: object) -> None:
            if next(progress) == 1:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(config, parts, StopsAfterTwo())
    train(config, parts)
    assert what_counts(parts) == what_counts(whole)
    other = config.model_copy(update={"tables": config.tables.model_copy(update={"stages": 3})})
    with pytest.raises(RunFolderError, match=r"tables.stages is 2 there and 3 here"):
        train(other, parts)


def test_minutes_are_kept(tmp_path: Path) -> None:
    """By a clock that goes a hundredth of a second at each look."""
    ticks = itertools.count()
    train(tables_config(), tmp_path, minutes=0.5, now=lambda: next(ticks) / 100)
    reports = read_reports(tmp_path)
    assert len(reports) > 5
    assert reports[-1].seconds <= 30
    assert reports[-1].learner.learning_rate < reports[0].learner.learning_rate


def test_what_only_searches_have_is_not_complained_about(tmp_path: Path) -> None:
    config = tables_config(1, tables={**TABLES, "games": 40})
    train(config, tmp_path)
    [report] = read_reports(tmp_path)
    late = replace(report, iteration=50, window_age=50)
    assert find_problems(config, [late]) == ()
    assert find_problems(small_config(), [late]) != ()


def test_a_game_without_pieces_is_refused_before_a_folder_is_made(tmp_path: Path) -> None:
    config = tables_config().model_copy(update={"game": "openspiel:tic_tac_toe"})
    with pytest.raises(ConfigError, match="does not say what stands on its board"):
        train(config, tmp_path / "run")
    assert not (tmp_path / "run").exists()
