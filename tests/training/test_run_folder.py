"""A run's folder: gone on with after any damage that is not too great, and refused with a reason otherwise."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from small_runs import small_config, what_counts

import tengen
from tengen.config import ConfigError
from tengen.durable import DiskFullError, RunInUseError, run_lock
from tengen.learner import TrainingDivergedError
from tengen.network.checkpoint import load_network
from tengen.report import IterationReport, RunReport
from tengen.run_folder import RunFolderError
from tengen.train import train

Begun = Callable[[], Path]


class Heard:
    """An observer that remembers."""

    def __init__(self) -> None:
        self.started: list[RunReport] = []
        self.stages: list[str] = []
        self.finished: list[IterationReport] = []

    def run_started(self, report: RunReport) -> None:
        self.started.append(report)

    def stage(self, name: str, done: int, total: int) -> None:
        self.stages.append(name)

    def iteration_finished(self, report: IterationReport) -> None:
        self.finished.append(report)


def go_on(folder: Path, iterations: int = 4, **stages: dict[str, Any]) -> Heard:
    heard = Heard()
    train(small_config(iterations, **stages), folder, heard)
    return heard


def flip(path: Path, where: float = 0.6) -> None:
    content = bytearray(path.read_bytes())
    content[int(len(content) * where)] ^= 0x10
    path.write_bytes(bytes(content))


def state_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (folder / "state").iterdir() if path.is_file()}


# ---- Without damage


def test_same_seed_same_bits(four_iterations: Path, tmp_path: Path) -> None:
    go_on(tmp_path / "again")
    assert what_counts(tmp_path / "again") == what_counts(four_iterations)


def test_another_seed_is_another_run(four_iterations: Path, tmp_path: Path) -> None:
    train(small_config(1, seed=2), tmp_path / "seed")
    train(small_config(1, seed=1), tmp_path / "same")
    assert what_counts(tmp_path / "seed") != what_counts(tmp_path / "same")


def test_goes_on_where_it_stopped(begun: Begun, four_iterations: Path) -> None:
    """The schedule depends on how many iterations there will be, so both are told four from their first start."""
    folder = begun()
    heard = go_on(folder)
    assert [report.iteration for report in heard.finished] == [4]
    assert heard.started[0].iteration == 3
    assert heard.started[0].notes == ()
    assert (folder / "config.toml").read_text() == (four_iterations / "config.toml").read_text()


def test_a_finished_run_stays_as_it_is(begun: Begun) -> None:
    folder = begun()
    before = what_counts(folder)
    heard = go_on(folder, 3)
    assert heard.finished == []
    assert what_counts(folder) == before


def test_what_a_killed_run_wrote_after_its_commit_is_cut_off(begun: Begun) -> None:
    clean, folder = begun(), begun()
    with (folder / "games" / "000001.tgr").open("ab") as games:
        games.write(b"half a game")
    with (folder / "metrics.jsonl").open("ab") as metrics:
        metrics.write(b'{"iteration": 4, "lo')
    (folder / "state" / "000004.safetensors").write_bytes(b"never committed")
    heard = go_on(folder)
    go_on(clean)
    assert heard.started[0].notes == ()
    assert what_counts(folder) == what_counts(clean)


def test_a_network_is_kept_for_every_iteration_that_plays(begun: Begun) -> None:
    folder = begun()
    assert [path.name for path in (folder / "networks").iterdir()] == ["000003.safetensors"]
    network = load_network(folder / "networks" / "000003.safetensors")
    assert network.game == "tic_tac_toe"
    assert network.made_by == {"run": "three", "iteration": "3", "seed": "1", "discount": "1"}


def test_stages_are_told(begun: Begun) -> None:
    heard = go_on(begun())
    assert {"self-play", "learning"} <= set(heard.stages)


def test_memory_stays_under_what_was_said(begun: Begun) -> None:
    heard = go_on(begun())
    assert all(report.memory < heard.started[0].memory_limit for report in heard.finished)


# ---- Damage


@pytest.mark.parametrize("name", ["000003.safetensors", "000003.games", "000003.json"])
@pytest.mark.parametrize("damage", ["flipped", "cut", "gone", "empty"])
def test_a_damaged_checkpoint_is_named_and_set_aside(begun: Begun, name: str, damage: str) -> None:
    clean, folder = begun(), begun()
    path = folder / "state" / name
    if damage == "flipped":
        flip(path)
    elif damage == "cut":
        path.write_bytes(path.read_bytes()[:-7])
    elif damage == "empty":
        path.write_bytes(b"")
    else:
        path.unlink()
    heard = go_on(folder)
    go_on(clean)
    redone = 4 if (name, damage) == ("000003.json", "gone") else 3  # then nothing says that there was a third
    assert [report.iteration for report in heard.finished][0] == 3
    assert what_counts(folder) == what_counts(clean)
    if redone == 3:
        [note] = heard.started[0].notes
        assert "checkpoint of iteration 3 is damaged" in note
        assert any((folder / "state" / "set_aside").iterdir())


def test_no_checkpoint_left_is_refused_and_nothing_deleted(begun: Begun) -> None:
    folder = begun()
    games = (folder / "games" / "000001.tgr").read_bytes()
    for path in (folder / "state").glob("*.json"):
        flip(path)
    with pytest.raises(RunFolderError, match="No checkpoint of .* can be used"):
        go_on(folder)
    assert (folder / "games" / "000001.tgr").read_bytes() == games


def test_a_damaged_metrics_line_is_named_and_set_aside(begun: Begun) -> None:
    folder = begun()
    path = folder / "metrics.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    lines[1] = lines[1].replace('"policy_loss": ', '"policy_loss": 9')  # still JSON, but not what was written
    path.write_text("".join(lines))
    heard = go_on(folder)
    notes = " ".join(heard.started[0].notes)
    assert "metrics.jsonl" in notes
    assert "line 2" in notes
    assert [json.loads(line)["iteration"] for line in path.read_text().splitlines()] == [1, 3, 4]
    assert (folder / "state" / "set_aside" / "metrics.jsonl").read_text() == lines[1]


def test_metrics_that_were_cut_are_told(begun: Begun) -> None:
    folder = begun()
    path = folder / "metrics.jsonl"
    path.write_bytes(path.read_bytes()[:-30])
    heard = go_on(folder)
    assert any("shorter" in note for note in heard.started[0].notes)
    assert [json.loads(line)["iteration"] for line in path.read_text().splitlines()] == [1, 2, 4]


def test_a_damaged_shard_is_named_and_set_aside(begun: Begun) -> None:
    folder = begun()
    flip(folder / "games" / "000001.tgr", 0.5)
    heard = go_on(folder)
    [note] = heard.started[0].notes
    assert "000001.tgr" in note
    assert any((folder / "games" / "set_aside").iterdir())
    assert [report.iteration for report in heard.finished] == [4]


# ---- Refusals


def test_a_second_process_is_refused(begun: Begun) -> None:
    folder = begun()
    with run_lock(folder), pytest.raises(RunInUseError, match="in use by process"):
        go_on(folder)
    go_on(folder)


def test_another_config_is_refused(begun: Begun) -> None:
    folder = begun()
    with pytest.raises(RunFolderError, match="started with another config"):
        go_on(folder, learner={"batch": 33})


def test_a_damaged_config_is_refused(begun: Begun) -> None:
    folder = begun()
    (folder / "config.toml").write_text("game = ")
    with pytest.raises(ConfigError, match="is not TOML"):
        go_on(folder)


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RunFolderError, match="can't be a run's folder"):
        go_on(tmp_path / "file")


# ---- What goes wrong on the way


def test_a_loss_that_is_no_number_leaves_the_last_checkpoint(begun: Begun, monkeypatch: pytest.MonkeyPatch) -> None:
    clean, folder = begun(), begun()
    before = state_of(folder)
    with monkeypatch.context() as patch:
        patch.setattr("tengen.learner.learning_rate_at", lambda config, progress: 1e30)
        with pytest.raises(TrainingDivergedError, match="last checkpoint is intact"):
            go_on(folder)
    assert state_of(folder) == before
    go_on(folder)
    go_on(clean)
    assert what_counts(folder) == what_counts(clean)


@pytest.mark.parametrize("part", ["safetensors", "games", "json"])
def test_a_full_disk_stops_the_run_and_damages_nothing(
    begun: Begun, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    clean, folder = begun(), begun()
    real = Path.write_bytes

    def full(path: Path, data: bytes) -> int:
        if path.name.endswith(f"000004.{part}.tmp"):
            real(path, data[: len(data) // 2])
            raise OSError(28, "No space left on device")
        return real(path, data)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", full)
        with pytest.raises(DiskFullError, match="The disk is full"):
            go_on(folder)
    heard = go_on(folder)
    go_on(clean)
    assert heard.started[0].notes == ()
    assert what_counts(folder) == what_counts(clean)


def test_an_observer_that_raises_stops_after_the_commit(tmp_path: Path) -> None:
    class Impatient(Heard):
        def iteration_finished(self, report: IterationReport) -> None:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(small_config(3), tmp_path / "run", Impatient())
    assert [path.name for path in (tmp_path / "run" / "networks").iterdir()] == ["000001.safetensors"]
    heard = go_on(tmp_path / "run", 2)
    assert [report.iteration for report in heard.finished] == [2]


def test_strength_is_measured_now_and_then(tmp_path: Path) -> None:
    heard = Heard()
    arena = {"every": 2, "games": 4, "simulations": 4, "anchors": ["random", "rollout:5"]}
    train(small_config(2, arena=arena), tmp_path / "run", heard)
    assert heard.finished[0].strength == ()
    assert [strength.opponent for strength in heard.finished[1].strength] == ["random", "rollout:5"]
    for strength in heard.finished[1].strength:
        assert strength.interval[0] <= strength.score <= strength.interval[1]


def test_minutes_end_a_run(tmp_path: Path) -> None:
    heard = Heard()
    train(small_config(10**6), tmp_path / "run", heard, minutes=1e-6)
    assert len(heard.finished) <= 1
    assert tengen.load("tic_tac_toe")
