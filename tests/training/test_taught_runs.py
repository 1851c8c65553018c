"""Runs whose first games are played by tables: who plays when, and that they go on after a stop with the same bits."""

from itertools import count
from pathlib import Path

import pytest
from small_runs import Stopped, Stopper, small_config, what_counts

import tengen
from tengen.config import ConfigError, RunConfig
from tengen.records.shards import read_games
from tengen.run.folder import read_reports
from tengen.train import train


def taught(**changes: dict[str, object]) -> RunConfig:
    """Of four iterations two are played by the teacher."""
    tables = {"tuples": 4, "tuple_cells": 5, "teach_share": 0.5, "teach_games": 200, "teach_simulations": 8}
    return small_config(iterations=4, **{"tables": tables, **changes})


def test_the_teacher_plays_first_and_then_the_network(tmp_path: Path) -> None:
    config = taught()
    with pytest.raises(Stopped):
        train(config, tmp_path, Stopper(1))
    networks = {record.network for record in read_games(tmp_path / "games", tengen.load("tic_tac_toe"))}
    assert len(networks) == 1  # the tables'
    train(config, tmp_path)
    played: dict[int, set[str]] = {}
    for record in read_games(tmp_path / "games", tengen.load("tic_tac_toe")):
        played.setdefault(record.iteration, set()).add(record.network)
    assert played[0] == played[1] == networks
    assert not networks & (played[2] | played[3])


def test_a_taught_run_goes_on_bit_for_bit(tmp_path: Path) -> None:
    config = taught()
    train(config, tmp_path / "whole")
    for iterations in (1, 2, 3):  # with the teacher, with it for the last time, without it
        with pytest.raises(Stopped):
            train(config, tmp_path / "stopped", Stopper(iterations))
    train(config, tmp_path / "stopped")
    assert what_counts(tmp_path / "stopped") == what_counts(tmp_path / "whole")


def test_a_taught_run_of_minutes_keeps_its_time(tmp_path: Path) -> None:
    """By a clock that goes on by 20 ms whenever somebody looks at it."""
    config = taught(tables={"tuples": 4, "tuple_cells": 5, "teach_share": 0.4, "teach_games": 10**6})
    looks = count()
    train(config, tmp_path, minutes=0.5, now=lambda: 0.02 * next(looks))
    reports = read_reports(tmp_path)
    assert 25.0 < reports[-1].seconds < 35.0
    assert all(report.learner.steps for report in reports)


def test_a_teacher_and_playing_ahead_are_refused_together(tmp_path: Path) -> None:
    config = taught().model_copy(update={"overlap": 1})
    with pytest.raises(ConfigError, match="overlap: only methods that play as AlphaZero does can play ahead"):
        train(config, tmp_path / "run")
    assert not (tmp_path / "run").exists()
