"""A run's folder: gone on with after any damage that is not too great, and refused with a reason otherwise."""

import errno
import hashlib
import json
import os
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import tomli_w
from small_runs import small_config, what_counts

import tengen
from tengen.base.durable import DiskFullError, RunInUseError, run_lock
from tengen.base.memory import MemoryLimitError
from tengen.config import ConfigError
from tengen.interfaces.report_page import build_page
from tengen.learner import TrainingDivergedError
from tengen.methods import AlphaZero
from tengen.network.checkpoint import load_network
from tengen.records import read_games
from tengen.report import IterationReport, RunReport
from tengen.run.clock import Clock, Plan
from tengen.run.folder import RunFolder, RunFolderError, check_same_game
from tengen.run.metrics import read_reports
from tengen.selfplay import SelfPlayResult, play_games
from tengen.train import train

GAME = tengen.load("tic_tac_toe")
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


def iterations_in(metrics: Path) -> list[int]:
    return [json.loads(line)["iteration"] for line in metrics.read_text().splitlines()]


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
    folder = begun()
    heard = go_on(folder)
    assert [report.iteration for report in heard.finished] == [4]
    assert heard.started[0].iteration == 3
    assert heard.started[0].notes == ()
    assert what_counts(folder) == what_counts(four_iterations)
    assert (folder / "config.toml").read_text() == (four_iterations / "config.toml").read_text()


def test_a_finished_run_stays_as_it_is(begun: Begun) -> None:
    folder = begun()
    before = what_counts(folder)
    heard = go_on(folder, 3)
    assert heard.finished == []
    assert what_counts(folder) == before


def test_a_finished_run_may_go_on(begun: Begun) -> None:
    folder = begun()
    go_on(folder, 3)
    assert [report.iteration for report in go_on(folder, 5).finished] == [4, 5]


def test_what_a_killed_run_wrote_after_its_commit_is_cut_off(begun: Begun, four_iterations: Path) -> None:
    folder = begun()
    with (folder / "games" / "000001.tgr").open("ab") as games:
        games.write(b"half a game")
    with (folder / "metrics.jsonl").open("ab") as metrics:
        metrics.write(b'{"iteration": 4, "lo')
    (folder / "state" / "000004.safetensors").write_bytes(b"never committed")
    (folder / "state" / ".000004.json.tmp").write_bytes(b"half a com")
    heard = go_on(folder)
    assert heard.started[0].notes == ()
    assert what_counts(folder) == what_counts(four_iterations)
    assert iterations_in(folder / "metrics.jsonl") == [1, 2, 3, 4]
    assert not list(folder.rglob(".*.tmp"))


def test_a_network_is_kept_for_every_iteration_that_plays(begun: Begun) -> None:
    folder = begun()
    assert [path.name for path in (folder / "networks").iterdir()] == ["000003.safetensors"]
    network = load_network(folder / "networks" / "000003.safetensors")
    assert network.game == "tic_tac_toe"
    assert (network.iteration, network.discount) == (3, 1.0)
    assert network.made_by == {"run": "three", "seed": "1"}


def test_stages_are_told(begun: Begun) -> None:
    heard = go_on(begun())
    assert {"self-play", "learning"} <= set(heard.stages)


# ---- Damage


DAMAGES: dict[str, Callable[[Path], object]] = {
    "flipped": flip,
    "cut": lambda path: path.write_bytes(path.read_bytes()[:-7]),
    "empty": lambda path: path.write_bytes(b""),
    "gone": Path.unlink,
}


@pytest.mark.parametrize("name", ["000003.safetensors", "000003.games", "000003.json"])
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_checkpoint_is_named_set_aside_and_done_again(
    begun: Begun, four_iterations: Path, name: str, damage: str
) -> None:
    folder = begun()
    DAMAGES[damage](folder / "state" / name)
    heard = go_on(folder)
    assert [report.iteration for report in heard.finished] == [3, 4]
    assert what_counts(folder) == what_counts(four_iterations)
    assert iterations_in(folder / "metrics.jsonl") == [1, 2, 3, 4]
    *damages, gone = heard.started[0].notes
    assert "There are traces of iteration 3, but the newest checkpoint is of iteration 2" in gone
    assert (folder / "networks" / "set_aside" / "000003.safetensors").exists()
    assert any((folder / "games" / "set_aside").iterdir())
    if (name, damage) == ("000003.json", "gone"):  # as if the run had been killed just before that commit
        assert damages == []
        return
    [note] = damages
    assert "checkpoint of iteration 3 is damaged" in note
    assert {path.stem for path in (folder / "state" / "set_aside").iterdir()} == {"000003", "metrics"}


def test_what_was_set_aside_is_not_written_over(begun: Begun) -> None:
    folder = begun()
    for _ in range(2):
        flip(folder / "state" / "000003.json")
        go_on(folder, 3)
    assert {"000003.json", "000003.json.2"} <= {path.name for path in (folder / "state" / "set_aside").iterdir()}


@pytest.mark.parametrize("damage", ["flipped", "gone"])
def test_no_checkpoint_left_is_refused_and_nothing_deleted(begun: Begun, damage: str) -> None:
    folder = begun()
    games = (folder / "games" / "000001.tgr").read_bytes()
    for path in (folder / "state").glob("*.json"):
        DAMAGES[damage](path)
    for _ in range(2):  # the second time there is nothing left to be found damaged
        with pytest.raises(RunFolderError, match=r"No checkpoint of .* can be used, but its games are kept"):
            go_on(folder)
    assert (folder / "games" / "000001.tgr").read_bytes() == games


@pytest.mark.parametrize("more", ["", "9"])
def test_a_damaged_metrics_line_is_named_and_set_aside(begun: Begun, four_iterations: Path, more: str) -> None:
    folder = begun()
    path = folder / "metrics.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    before, loss, after = lines[1].partition('"policy_loss": ')
    lines[1] = f"{before}{loss}9{after if more else after[1:]}"  # still JSON, but not what was written
    path.write_text("".join(lines))
    [note] = go_on(folder).started[0].notes
    assert "metrics.jsonl was damaged in line 2;" in note
    assert iterations_in(path) == [1, 3, 4]
    assert (folder / "state" / "set_aside" / "metrics.jsonl").read_text() == lines[1]
    assert what_counts(folder) == what_counts(four_iterations)


@pytest.mark.parametrize(("cut", "words"), [(30, "was damaged in line 3"), (None, "bytes shorter than it was")])
def test_metrics_that_were_cut_are_told(begun: Begun, cut: int | None, words: str) -> None:
    folder = begun()
    path = folder / "metrics.jsonl"
    content = path.read_bytes()
    path.write_bytes(content[: -(cut or len(content.splitlines(keepends=True)[2]))])
    [note] = go_on(folder).started[0].notes
    assert words in note
    assert iterations_in(path) == [1, 2, 4]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_shard_is_named_and_set_aside(begun: Begun, damage: str) -> None:
    folder = begun()
    shard = folder / "games" / "000001.tgr"
    before = list(read_games(folder / "games", GAME))
    DAMAGES[damage](shard)
    heard = go_on(folder)
    [note] = heard.started[0].notes
    assert "000001.tgr" in note
    assert any((folder / "games").glob("set_aside/*")) == (damage in ("flipped", "cut"))
    assert [report.iteration for report in heard.finished] == [4]
    games = list(read_games(folder / "games", GAME))
    kept = [game for game in games if game in before]
    assert kept == before[: len(kept)]  # what was before the damage
    assert len(kept) < len(before)
    assert all(game.iteration in (2, 3) for game in games[len(kept) :])  # begun then, finished in the fourth


def test_games_in_the_place_of_lost_ones_are_not_taken_for_them(begun: Begun, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that was killed after damage was set aside goes on as it would have, had it not been killed."""
    folder, killed = begun(), begun()
    for run in (folder, killed):
        DAMAGES["cut"](run / "games" / "000001.tgr")
    with monkeypatch.context() as patch:
        patch.setattr(RunFolder, "append_metrics", _killed)
        with pytest.raises(RuntimeError):
            go_on(killed)
    heard = go_on(killed)
    go_on(folder)
    assert [note[:32] for note in heard.started[0].notes] == ["There are traces of iteration 4,"]
    assert what_counts(killed) == what_counts(folder)


def _killed(*_: object) -> int:
    raise RuntimeError("killed")


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
    go_on(folder)  # the refusal let go of the run


@pytest.mark.parametrize(
    "stages",
    [{"network": {"channels": 16}}, {"network": {"reply_head": False}}, {"learner": {"optimizer": "sgd"}}],
    ids=str,
)
def test_a_network_of_another_shape_is_refused(begun: Begun, stages: dict[str, dict[str, Any]]) -> None:
    """Also when config.toml was changed by hand, which may well be done for a learning rate."""
    folder = begun()
    before = what_counts(folder)
    changed = small_config(4, **stages).model_dump(mode="json")
    (folder / "config.toml").write_text(tomli_w.dumps(changed))
    with pytest.raises(RunFolderError, match="is not the one of the checkpoint"):
        go_on(folder, **stages)
    assert what_counts(folder) == before


def test_a_learning_rate_may_be_changed_by_hand(begun: Begun) -> None:
    """As the message about a loss that is no number advises."""
    folder = begun()
    path = folder / "config.toml"
    path.write_text(path.read_text().replace("learning_rate = 0.002", "learning_rate = 0.001"))
    assert [report.iteration for report in go_on(folder, learner={"learning_rate": 0.001}).finished] == [4]


def test_a_damaged_config_is_refused(begun: Begun) -> None:
    folder = begun()
    (folder / "config.toml").write_text("game = ")
    with pytest.raises(ConfigError, match="is not TOML"):
        go_on(folder)


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RunFolderError, match="can't be a run's folder"):
        go_on(tmp_path / "file")


def test_a_folder_that_can_not_be_written_is_refused(begun: Begun, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("tengen.base.durable.os.open", denied)
    with pytest.raises(RunFolderError, match="can't be a run's folder: Permission denied"):
        go_on(begun())


# ---- What goes wrong on the way


def test_a_loss_that_is_no_number_leaves_the_last_checkpoint(
    begun: Begun, four_iterations: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = begun()
    before = state_of(folder)
    with monkeypatch.context() as patch:
        patch.setattr("tengen.learner.learner.learning_rate_at", lambda config, progress: 1e30)
        with pytest.raises(TrainingDivergedError, match=r"last checkpoint is intact.*learner\.learning_rate = 0.001"):
            go_on(folder)
    assert state_of(folder) == before
    go_on(folder)
    assert what_counts(folder) == what_counts(four_iterations)


FILES = ["state/000004.safetensors", "state/000004.games", "state/000004.json", "networks/000004.safetensors"]


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG], ids=os.strerror)
def test_a_full_disk_stops_the_run_and_damages_nothing(
    begun: Begun, four_iterations: Path, monkeypatch: pytest.MonkeyPatch, name: str, error: int
) -> None:
    folder = begun()
    before = state_of(folder)
    real = Path.write_bytes

    def full(path: Path, data: bytes) -> int:
        if path.parent.name in name and path.name.endswith(f"{Path(name).name}.tmp"):
            real(path, data[: len(data) // 2])
            raise OSError(error, os.strerror(error))
        return real(path, data)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", full)
        with pytest.raises(DiskFullError, match=rf"{name} could not be written. Nothing is damaged"):
            go_on(folder)
    assert before.items() <= state_of(folder).items()
    assert not list(folder.rglob(".*.tmp"))
    heard = go_on(folder)
    has_traces = name.startswith("state/")  # the network and the figures were written before
    assert [note[:32] for note in heard.started[0].notes] == ["There are traces of iteration 4,"] * has_traces
    assert what_counts(folder) == what_counts(four_iterations)


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
    """Not before it has learned something."""
    heard = Heard()
    train(small_config(10**6), tmp_path / "run", heard, minutes=1e-6)
    assert 1 <= len(heard.finished) <= 3
    assert heard.finished[-1].learner.steps >= 1
    assert heard.finished[-1].seconds_left == 0.0
    again = Heard()
    train(small_config(10**6), tmp_path / "run", again, minutes=1e-6)
    assert again.finished == []


def test_stages_stop_when_their_time_is_over(tmp_path: Path) -> None:
    """By a clock that jumps whenever it is looked at: after some hundred looks the run is over."""
    ticks = count()
    heard = Heard()
    large = small_config(
        10**6, self_play={"positions": 10**6, "simulations": 500}, learner={"samples_per_position": 1e4}
    )
    train(large, tmp_path / "run", heard, minutes=0.2, now=lambda: next(ticks) * 0.05)
    assert sum(report.learner.steps for report in heard.finished) >= 1
    assert sum(report.self_play.positions for report in heard.finished) < 10**5
    assert heard.finished[-1].seconds < 20.0


def test_a_network_with_gating_is_not_the_blank_one(tmp_path: Path) -> None:
    """The first candidate of a run of minutes becomes the champion without a match."""
    ticks = count()
    config = small_config(10**6, arena={"gating": True, "gating_games": 400, "simulations": 800})
    path = train(config, tmp_path / "run", minutes=0.2, now=lambda: next(ticks) * 0.1)
    assert load_network(path).iteration >= 1


# ---- Units


def test_the_number_of_units_is_kept_in_the_config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a run moved to another machine plays the same games, with as many threads as that one has."""
    monkeypatch.setattr("tengen.run.folder.os.cpu_count", lambda: 3)
    cores = small_config(2, self_play={"units": 0})
    train(cores, tmp_path / "one")
    assert "units = 3" in (tmp_path / "one" / "config.toml").read_text()
    train(small_config(1, self_play={"units": 0}), tmp_path / "other")
    monkeypatch.setattr("tengen.run.folder.os.cpu_count", lambda: 8)
    train(small_config(2, self_play={"units": 0, "threads": 1}), tmp_path / "other")
    assert what_counts(tmp_path / "other") == what_counts(tmp_path / "one")


def test_a_run_of_before_units_has_as_many_as_it_had_threads(begun: Begun, four_iterations: Path) -> None:
    folder = begun()
    path = folder / "config.toml"
    content = path.read_text().replace("units = 2\n", "").replace("games_per_unit", "games_per_thread")
    assert "games_per_thread = 4" in content
    path.write_text(content)
    go_on(folder, self_play={"units": 0})
    assert what_counts(folder) == what_counts(four_iterations)
    assert "units = 2" in path.read_text()


# ---- A start that fails


def test_a_setting_that_differs_is_named(begun: Begun) -> None:
    with pytest.raises(RunFolderError, match=r"learner\.batch is 128 there and 33 here"):
        go_on(begun(), learner={"batch": 33})
    with pytest.raises(RunFolderError, match=r"self_play\.units is 2 there and 3 here"):
        go_on(begun(), self_play={"units": 3})


def test_a_failed_start_leaves_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(tengen.TengenError):
        train(small_config(learner={"device": "mps"}), tmp_path / "device")
    with pytest.raises(ConfigError, match="ownership_head"):
        train(small_config(network={"ownership_head": True}), tmp_path / "network")
    with monkeypatch.context() as patch:
        patch.setattr("tengen.base.memory.os.sysconf", lambda name: 1000)
        with pytest.raises(MemoryLimitError, match=r"The run may take up to .*B, and this machine has 1 MB\."):
            train(small_config(), tmp_path / "memory")
    with monkeypatch.context() as patch:
        patch.setattr("tengen.run.folder.write_bytes", _killed)
        with pytest.raises(RuntimeError):
            train(small_config(), tmp_path / "config")
    assert list(tmp_path.iterdir()) == []


def test_a_run_of_another_game_is_refused(begun: Begun) -> None:
    folder = begun()
    before = what_counts(folder)
    other = small_config(4).model_copy(update={"game": "mnk", "options": {"m": 3, "n": 3, "k": 3}})
    with pytest.raises(RunFolderError, match=r"is a run of tic_tac_toe \(no options\), not of mnk \(m=3, n=3, k=3"):
        train(other, folder)
    assert what_counts(folder) == before


def test_edited_rules_are_told_as_such(tmp_path: Path) -> None:
    """Not as a broken game: the moves of the run's records may well be illegal by the new rules."""
    source = Path(__file__).parents[2] / "examples" / "connect_four.py"
    rules = tmp_path / "connect_four.py"
    rules.write_text(source.read_text())
    config = small_config(1).model_copy(update={"game": str(rules)})
    train(config, tmp_path / "run")
    moved = tmp_path / "elsewhere" / "connect_four.py"
    moved.parent.mkdir()
    moved.write_text(source.read_text())
    check_same_game(tmp_path / "run", tengen.load(str(moved)))
    rules.write_text(source.read_text() + "\n# edited\n")
    with pytest.raises(RunFolderError, match=r"The rules of .* changed since the run .* began"):
        train(small_config(2).model_copy(update={"game": str(rules)}), tmp_path / "run")


# ---- Methods


def test_a_method_fills_stages_in_its_own_way(tmp_path: Path) -> None:
    """Learning from games of random players, with everything else of a run as it is."""
    asked: list[int] = []

    class FromOthers(AlphaZero):
        def play(self, plan: Plan, clock: Clock) -> SelfPlayResult:
            asked.append(self.iteration)
            evaluators = [tengen.UniformEvaluator(self.game)] * 2
            played = play_games(
                self.game,
                evaluators,
                plan.play,
                seed=3,
                iteration=self.iteration,
                network="others",
                in_flight=self.in_flight,
                least_games=plan.least_games,
            )
            self.in_flight = played.in_flight
            return played

    train(small_config(2), tmp_path / "run", method=FromOthers)
    train(small_config(3), tmp_path / "run", method=FromOthers)
    assert asked == [0, 1, 2]
    assert {record.network for record in read_games(tmp_path / "run" / "games", GAME)} == {"others"}


# ---- The end


def test_the_last_network_is_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Against the truth where it is known, else against simple players; and the page has it."""
    monkeypatch.setattr("tengen.methods.alphazero.ACCURACY_SIMULATIONS", 8)
    train(small_config(2, arena={"final_strength": True}), tmp_path / "known")
    first, last = read_reports(tmp_path / "known")
    assert first.accuracy is None
    assert last.accuracy is not None
    assert last.accuracy.positions == 4520
    assert last.accuracy.search is not None
    assert 0.5 < last.accuracy.network <= last.accuracy.search <= 1.0
    assert "Final strength" in build_page(tmp_path / "known")
    other = small_config(1, arena={"final_strength": True, "games": 2, "simulations": 2})
    train(other.model_copy(update={"game": "connect_four", "options": {"columns": 5}}), tmp_path / "unknown")
    [last] = read_reports(tmp_path / "unknown")
    assert last.accuracy is None
    assert [match.opponent for match in last.strength] == ["random", "rollout:100"]
    page = build_page(tmp_path / "unknown")
    assert "Final strength" in page
    assert "against rollout:100 (2 games)" in page


# ---- Runs of before


def test_a_checkpoint_with_fewer_settings_of_networks_is_gone_on_with(begun: Begun, four_iterations: Path) -> None:
    """Settings that came later had their defaults then."""
    folder = begun()
    for path in (folder / "state").glob("*.json"):
        kept = json.loads(json.loads(path.read_bytes())["commit"])
        game, options, network, optimizer = json.loads(kept["made_for"])
        for name in ("block", "kind", "module", "settings"):
            del network[name]
        text = json.dumps({**kept, "made_for": json.dumps([game, options, network, optimizer])})
        path.write_text(json.dumps({"commit": text, "checksum": hashlib.sha256(text.encode()).hexdigest()}))
    go_on(folder)
    assert what_counts(folder) == what_counts(four_iterations)
