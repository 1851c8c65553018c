"""Imitation of recorded games: splits, what is foretold, resuming, early stops, and going on by self-play."""

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_runs import SMALL, what_counts

import tengen
from tengen import RecordError
from tengen.config import ConfigError, RunConfig, load_config
from tengen.gamefiles.found import bare_record
from tengen.interfaces.cli import run as tengen_command
from tengen.interfaces.report_page import build_page
from tengen.methods.imitation import ImitationClock, foretold, imitated, read_split, split_of
from tengen.network.checkpoint import find_network, load_network
from tengen.network.evaluator import Evaluation, UniformEvaluator
from tengen.records import GameRecord, ShardWriter
from tengen.replay import RecordedStarts
from tengen.report import SILENT, ForetoldReport, ImitationReport, IterationReport, SilentObserver
from tengen.run.metrics import read_reports
from tengen.train import train

EXAMPLES = Path(__file__).parents[2] / "examples"


def played(game: tengen.Game, count: int) -> list[GameRecord]:
    """Games in which the player to move always takes one of the two lowest legal actions: easy to foretell."""
    records = []
    for seed in range(count):
        rng, state = random.Random(seed), game.initial_state()
        while state.outcome is None:
            state = state.play(state.legal_actions[: 2 if rng.random() < 0.3 else 1][-1])
        records.append(bare_record(state.moves, outcome=None if seed % 7 == 0 else state.outcome))
    return records


def written(folder: Path, name: str = "tic_tac_toe", count: int = 60) -> Path:
    game = tengen.load(name)
    writer = ShardWriter(folder, game)
    writer.append(played(game, count))
    writer.commit()
    writer.close()
    return folder


def config(records: Path, iterations: int = 3, game: str = "tic_tac_toe", **imitation: Any) -> RunConfig:
    settings = {"steps": 4, "validation_share": 0.2, "test_share": 0.2, **imitation, "records": str(records)}
    parts = {name: SMALL[name] for name in ("network", "learner", "arena")}
    return load_config(game=game, method="imitation", iterations=iterations, imitation=settings, **parts)


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("imitation") / "records")


def test_equal_games_are_in_one_part_and_the_shares_are_kept(records: Path) -> None:
    game = tengen.load("tic_tac_toe")
    split = read_split(game, config(records))
    parts = (split.train, split.validation, split.test)
    assert sum(part.games for part in parts) == 60
    lines = [{tuple(start) for start in part.starts(500, np.random.default_rng(1))} for part in parts]
    assert all(lines)
    many = [split_of(bare_record([seed % 9, seed // 9 % 9, seed // 81])) for seed in range(9**3)]
    assert 0.45 < np.mean(many) < 0.55
    assert split_of(bare_record([1, 2])) == split_of(bare_record([1, 2]))


def test_too_few_games_are_refused(tmp_path: Path) -> None:
    game = tengen.load("tic_tac_toe")
    with pytest.raises(RecordError, match="too few"):
        read_split(game, config(written(tmp_path / "few", count=1)))
    with pytest.raises(RecordError, match="no folder"):
        read_split(game, config(tmp_path / "nowhere"))
    with pytest.raises(ConfigError, match="--records"):
        read_split(game, load_config(game="tic_tac_toe", method="imitation"))


def test_what_a_network_foretells_is_counted(records: Path) -> None:
    game = tengen.load("tic_tac_toe")
    window = read_split(game, config(records)).test

    def lowest_first(planes: np.ndarray) -> Evaluation:
        logits = np.tile(-np.arange(9, dtype=np.float32), (len(planes), 1))
        return Evaluation(logits, np.zeros(len(planes), np.float32))

    found = foretold(window, lowest_first, 10**6)
    assert found.positions == window.positions
    assert 0.6 < found.top1 < 0.9
    assert found.top5 == 1.0
    evenly = foretold(window, UniformEvaluator(game), 10**6)
    assert evenly.top1 == 1.0  # nothing is before it
    assert evenly.value_error is not None
    assert 0.0 < evenly.value_error <= 1.0


def test_a_game_without_a_result_teaches_moves_alone(records: Path) -> None:
    game = tengen.load("tic_tac_toe")
    window = read_split(game, config(records)).train
    samples = window.sample(256, np.random.default_rng(0))
    assert np.isnan(samples.value_outcome).any()
    assert not np.isnan(samples.value_outcome).all()
    assert (samples.policy.sum(axis=1) == 1.0).all()


class _StopAfterTwo(SilentObserver):
    def iteration_finished(self, report: IterationReport) -> None:
        if report.iteration == 2:
            raise KeyboardInterrupt


def test_a_stopped_run_ends_with_the_same_bits(records: Path, tmp_path: Path) -> None:
    asked = config(records, iterations=4)
    train(asked, tmp_path / "whole")
    with pytest.raises(KeyboardInterrupt):
        train(asked, tmp_path / "stopped", _StopAfterTwo())
    train(asked, tmp_path / "stopped")
    assert what_counts(tmp_path / "whole") == what_counts(tmp_path / "stopped")
    ours, theirs = (read_reports(tmp_path / name)[-1].imitation for name in ("whole", "stopped"))
    assert ours is not None
    assert theirs is not None
    assert ours.test is not None
    assert replace(ours, seconds=0.0) == replace(theirs, seconds=0.0)


def test_it_learns_and_the_page_shows_it(records: Path, tmp_path: Path) -> None:
    train(config(records, iterations=4, steps=40), tmp_path)
    reports = read_reports(tmp_path)
    first, last = (report.imitation for report in (reports[0], reports[-1]))
    assert first is not None
    assert last is not None
    assert last.test is not None
    assert last.validation.policy_loss < first.validation.policy_loss
    assert last.test.top1 > 0.4
    assert first.test is None
    page = build_page(tmp_path)
    assert "Moves foretold" in page
    assert "top-5" in page
    assert "Games per second" not in page


def test_it_ends_when_it_becomes_no_better(records: Path) -> None:
    asked = config(records, iterations=50, patience=2)
    clock = ImitationClock(asked, None, lambda: 0.0)
    reports = [_with_loss(loss) for loss in (3.0, 2.0, 2.5, 2.1)]
    assert clock.plan(3, reports[:3], 0) is not None
    assert clock.plan(4, reports, 0) is None
    assert clock.seconds_left(4, reports) == 0.0


def _with_loss(loss: float) -> IterationReport:
    found = ImitationReport(ForetoldReport(1, 1, 0.5, 0.9, loss, None), None, 0.0)
    return IterationReport(1, 1, None, None, (), (), False, 0.0, 0.0, 0, imitation=found)  # type: ignore[arg-type]


@pytest.mark.parametrize("game", [str(EXAMPLES / "breakthrough.py"), "chess"])
def test_any_game(game: str, tmp_path: Path) -> None:
    records = written(tmp_path / "records", game, count=12)
    path = train(
        config(records, 1, game, steps=1, positions=32, validation_share=0.3, test_share=0.3), tmp_path / "run"
    )
    assert load_network(path).plays(tengen.load(game))


def test_a_policy_alone_can_imitate(records: Path, tmp_path: Path) -> None:
    asked = config(records, 1)
    policy = asked.model_copy(update={"network": asked.network.model_copy(update={"kind": "policy"})})
    assert not load_network(train(policy, tmp_path)).has_value
    value = asked.model_copy(update={"network": asked.network.model_copy(update={"kind": "value"})})
    with pytest.raises(ConfigError, match="needs a policy"):
        train(value, tmp_path / "value")


# ---- Going on from it


def command(*arguments: object) -> int:
    return tengen_command([str(argument) for argument in arguments])


SETS = tuple(
    text
    for name, value in {
        "learner.batch": 64,
        "learner.threads": 1,
        "arena.every": 0,
        "arena.final_strength": "false",
    }.items()
    for text in ("--set", f"{name}={value}")
)
PLAY = ("--set", "self_play.positions=32", "--set", "self_play.simulations=2", "--set", "self_play.games_per_unit=4")


def test_imitate_then_train_from_it(records: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    imitation, run = tmp_path / "imitation", tmp_path / "run"
    shares = ("--set", "imitation.validation_share=0.2", "--set", "imitation.test_share=0.2")
    small = ("--set", "network.preset=tiny", "--set", "imitation.steps=4", *shares)
    assert (
        command("imitate", "tic_tac_toe", "--records", records, "--run", imitation, "--iterations", 2, *small, *SETS)
        == 0
    )
    assert "Moves foretold in" in capsys.readouterr().out
    started = load_network(find_network(imitation))
    assert command("train", "tic_tac_toe", "--from", imitation, "--run", run, "--iterations", 1, *SETS, *PLAY) == 0
    kept = load_config(run / "config.toml")
    assert kept.start == started.digest
    assert (kept.network.blocks, kept.network.channels) == (2, 16)
    # It goes on without the network that it began with, and knows another one.
    assert command("train", "--run", run, "tic_tac_toe", "--iterations", 2) == 0
    assert len(read_reports(run)) == 2
    capsys.readouterr()
    assert command("train", "tic_tac_toe", "--from", find_network(run), "--run", run, "--iterations", 3) == 2
    assert "began with the network" in capsys.readouterr().err


def test_a_network_of_another_game_or_shape_is_refused(
    records: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = train(config(records, 1), tmp_path / "imitation")
    assert command("train", "connect_four", "--from", path, "--run", tmp_path / "a", "--iterations", 1) == 2
    assert "plays tic_tac_toe, not connect_four" in capsys.readouterr().err
    other = ("--set", "network.channels=32")
    assert command("train", "tic_tac_toe", "--from", path, "--run", tmp_path / "b", "--iterations", 1, *other) == 2
    assert "network.channels: the network to begin with has 8" in capsys.readouterr().err
    assert command("train", "tic_tac_toe", "--from", path, "--run", tmp_path / "c", "--preset", "ntuple") == 2
    assert "tables" in capsys.readouterr().err
    assert not any((tmp_path / name).exists() for name in "abc")


def test_the_weights_are_taken_and_the_optimizer_begins_anew(records: Path, tmp_path: Path) -> None:
    from tengen.methods import AlphaZero

    asked = config(records, 1)
    start = load_network(train(asked, tmp_path))
    learner = AlphaZero.new_learner(tengen.load("tic_tac_toe"), asked, start)
    assert learner.network_file().digest == start.digest
    assert not any(name.startswith("optimizer.") for name in learner.state())


# ---- Starts from records


def test_self_play_starts_from_positions_of_records(records: Path, tmp_path: Path) -> None:
    game = tengen.load("tic_tac_toe")
    starts = RecordedStarts(game, records).starts(200, np.random.default_rng(3))
    lines = {tuple(record.moves.tolist()) for record in played(game, 60)}
    assert all(any(line[: len(start)] == tuple(start) for line in lines) for start in starts)
    assert {len(start) for start in starts} >= {0, 1, 2, 3}
    play = {**SMALL["self_play"], "archive_start_share": 1.0, "archive_records": str(records)}
    parts = {name: SMALL[name] for name in ("network", "learner", "arena", "replay")}
    train(load_config(game="tic_tac_toe", iterations=1, self_play=play, **parts), tmp_path / "run", SILENT)
    missing = {**play, "archive_records": str(tmp_path / "nowhere")}
    with pytest.raises(RecordError, match="archive_records"):
        train(load_config(game="tic_tac_toe", iterations=1, self_play=missing, **parts), tmp_path / "other")


def test_imitated_records_are_good_records() -> None:
    game = tengen.load("tic_tac_toe")
    for record in played(game, 5):
        imitated(record).validate(game)
