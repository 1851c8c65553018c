"""Nothing of a run is deleted without being asked, nobody else gets in, and what is otherwise than before is said."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from small_runs import small_config, what_counts

import tengen
from tengen.base.durable import RunInUseError, lock_owner, run_lock
from tengen.methods import AlphaZero
from tengen.network.checkpoint import NetworkFileError, find_network
from tengen.report import IterationReport, RunReport
from tengen.run.folder import RunFolder, RunFolderError
from tengen.train import train

Begun = Callable[[], Path]


class Notes:
    """An observer that keeps what a run says when it starts."""

    def __init__(self) -> None:
        self.notes: tuple[str, ...] = ()

    def run_started(self, report: RunReport) -> None:
        self.notes = report.notes

    def stage(self, name: str, done: int, total: int) -> None:
        pass

    def iteration_finished(self, report: IterationReport) -> None:
        pass


def go_on(folder: Path, iterations: int = 4, minutes: float | None = None, **stages: dict[str, Any]) -> tuple[str, ...]:
    heard = Notes()
    train(small_config(iterations, **stages), folder, heard, minutes=minutes)
    return heard.notes


def contents(folder: Path) -> dict[str, bytes]:
    """Everything in a folder, but for who holds it."""
    files = (path for path in folder.rglob("*") if path.is_file() and path.name != "lock")
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def everywhere(folder: Path) -> set[bytes]:
    return set(contents(folder).values())


# ---- Nothing is deleted


def test_a_run_that_lost_its_checkpoints_and_figures_is_refused_and_stays(begun: Begun) -> None:
    """A partial restore: state/ and metrics.jsonl are gone, games and a network are there."""
    folder = begun()
    shutil.rmtree(folder / "state")
    (folder / "metrics.jsonl").unlink()
    before = contents(folder)
    with pytest.raises(RunFolderError, match=r"No checkpoint of .* can be used, but its games are kept; there is"):
        go_on(folder)
    assert contents(folder) == before


def test_games_alone_are_enough_to_refuse(begun: Begun) -> None:
    folder = begun()
    for part in ("state", "networks"):
        shutil.rmtree(folder / part)
    (folder / "metrics.jsonl").unlink()
    before = contents(folder)
    with pytest.raises(RunFolderError, match="there are games of iteration 3"):
        go_on(folder)
    assert contents(folder) == before


def test_what_a_first_iteration_left_is_set_aside_and_done_again(
    tmp_path: Path, four_iterations: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed just before its first commit, a run begins anew and ends with the same bits; nothing is lost."""
    folder = tmp_path / "run"
    with monkeypatch.context() as patch:
        patch.setattr(RunFolder, "commit", _killed)
        with pytest.raises(RuntimeError):
            go_on(folder)
    left = everywhere(folder / "games") | everywhere(folder / "networks") | {(folder / "metrics.jsonl").read_bytes()}
    [note] = go_on(folder)
    assert "traces of iteration 1, but there is no checkpoint" in note
    assert left <= everywhere(folder)
    assert what_counts(folder) == what_counts(four_iterations)


def test_an_older_state_sets_the_newer_rest_aside(begun: Begun, four_iterations: Path, tmp_path: Path) -> None:
    """As after a restore of state/ from a copy that is older than the rest."""
    older, newer = begun(), tmp_path / "newer"
    shutil.copytree(four_iterations, newer)
    for path in (newer / "state").iterdir():
        path.unlink()
    for path in (older / "state").iterdir():
        shutil.copy(path, newer / "state" / path.name)
    network = (newer / "networks" / "000004.safetensors").read_bytes()
    figures = (newer / "metrics.jsonl").read_bytes().splitlines(keepends=True)[-1]
    [note] = go_on(newer)
    assert "traces of iteration 4, but the newest checkpoint is of iteration 3" in note
    assert (newer / "networks" / "set_aside" / "000004.safetensors").read_bytes() == network
    assert (newer / "state" / "set_aside" / "metrics.jsonl").read_bytes() == figures
    assert list((newer / "games" / "set_aside").iterdir())
    assert what_counts(newer) == what_counts(four_iterations)


def test_files_of_others_stay_and_are_not_taken_for_networks(begun: Begun, four_iterations: Path) -> None:
    folder = begun()
    network = (folder / "networks" / "000003.safetensors").read_bytes()
    foreign = {
        "notes.txt": b"mine",
        "games/notes.txt": b"mine",
        "games/.draft.tmp": b"mine",
        "state/1.txt": b"mine",
        "state/1.json": b"mine",
        "networks/best.safetensors": network,
        "networks/zzz.safetensors": b"no network",
        "networks/2.safetensors": b"no network",
    }
    for name, content in foreign.items():
        (folder / name).write_bytes(content)
    assert find_network(folder).name == "000003.safetensors"
    assert go_on(folder) == ()
    assert find_network(folder).name == "000004.safetensors"
    for name, content in foreign.items():
        assert (folder / name).read_bytes() == content, name
    for name in foreign:
        (folder / name).unlink()
    assert what_counts(folder) == what_counts(four_iterations)


def test_a_run_removes_only_networks_of_its_own(begun: Begun) -> None:
    """One that somebody copied there under the name of an earlier iteration stays."""
    folder = begun()
    (folder / "networks" / "000001.safetensors").write_bytes(b"somebody's")
    go_on(folder, 5)
    names = {path.name for path in (folder / "networks").iterdir()}
    assert names == {"000001.safetensors", "000005.safetensors"}


def test_a_run_without_networks_has_none(begun: Begun) -> None:
    folder = begun()
    shutil.copy(folder / "networks" / "000003.safetensors", folder / "best.safetensors")
    (folder / "networks" / "000003.safetensors").unlink()
    with pytest.raises(NetworkFileError, match="There is no network in"):
        find_network(folder)


def test_what_is_set_aside_never_replaces_what_was(tmp_path: Path) -> None:
    from tengen.base.durable import set_aside

    aside = tmp_path / "set_aside"
    for number in range(4):
        (tmp_path / "file").write_text(str(number))
        set_aside(tmp_path / "file")
        if number == 2:
            (aside / "file").unlink()  # by somebody
    assert {path.name: path.read_text() for path in aside.iterdir()} == {"file": "3", "file.2": "1", "file.3": "2"}


# ---- The lock

HOLD = """
import sys, time
from pathlib import Path
from tengen.base.durable import run_lock
with run_lock(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.readline()
"""


def test_a_lock_file_that_is_removed_lets_nobody_in(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    ) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        assert lock_owner(tmp_path) == f"process {holder.pid} on {os.uname().nodename}"
        (tmp_path / "lock").unlink()
        with pytest.raises(RunInUseError, match="in use by another process"), run_lock(tmp_path):
            pass
        assert lock_owner(tmp_path) == "another process"
        holder.communicate(b"\n")
    assert lock_owner(tmp_path) is None
    with run_lock(tmp_path):
        pass


def test_a_folder_that_is_replaced_is_not_written_to(begun: Begun) -> None:
    """Whoever moves the folder of a run away and puts another there has two runs, not a mixture."""
    folder = begun()

    class Replaces(Notes):
        def stage(self, name: str, done: int, total: int) -> None:
            if not folder.with_name("moved").exists():
                folder.rename(folder.with_name("moved"))
                shutil.copytree(folder.with_name("moved"), folder)

    before = contents(folder)
    with pytest.raises(RunInUseError, match="was moved, removed or replaced"):
        train(small_config(4), folder, Replaces())
    assert contents(folder) == before


# ---- Refusals leave no trace


class Refuses(AlphaZero):
    def __init__(self, *arguments: Any) -> None:
        raise tengen.TengenError("refused")


@pytest.mark.parametrize("is_there", [False, True])
def test_a_refused_run_leaves_no_trace(tmp_path: Path, is_there: bool) -> None:
    folder = tmp_path / "run"
    if is_there:
        folder.mkdir()
        (folder / "notes.txt").write_text("mine")
    with pytest.raises(tengen.TengenError, match="refused"):
        train(small_config(1, seed=2), folder, method=Refuses)
    assert sorted(path.name for path in tmp_path.rglob("*")) == (["notes.txt", "run"] if is_there else [])
    train(small_config(1), folder)  # the right one is not refused because of the wrong one


def test_a_refusal_names_every_setting_that_differs(begun: Begun) -> None:
    with pytest.raises(RunFolderError, match=r"learner.batch is 128 there and 33 here, arena.every is 0 there and 2"):
        go_on(begun(), learner={"batch": 33}, arena={"every": 2})


# ---- What is otherwise than before is said


def test_fewer_iterations_than_done_are_said_and_not_kept(begun: Begun) -> None:
    folder = begun()
    go_on(folder, 4)
    before = contents(folder)
    [note] = go_on(folder, 2)
    assert note == "2 iterations were asked for, and the run has done 4: nothing is left to do."
    assert contents(folder) == before


def test_other_iterations_and_minutes_are_said(begun: Begun) -> None:
    folder = begun()
    [note] = go_on(folder, 5)
    assert note.startswith("The run was given 4 iterations before and 5 iterations now.")
    [note] = go_on(folder, 5, minutes=1e-3)
    assert note.startswith("The run was given 5 iterations before and 0.001 minutes now.")


def test_a_deleted_newest_checkpoint_is_said(begun: Begun, four_iterations: Path) -> None:
    folder = begun()
    for path in (folder / "state").glob("000003.*"):
        path.unlink()
    [note] = go_on(folder)
    assert "the newest checkpoint is of iteration 2" in note
    assert "or that was deleted" in note
    assert what_counts(folder) == what_counts(four_iterations)


def test_a_checkpoint_under_another_number_is_set_aside(begun: Begun, four_iterations: Path) -> None:
    folder = begun()
    for path in (folder / "state").glob("000002.*"):
        shutil.copy(path, path.with_name(path.name.replace("000002", "000009")))
    assert "checkpoint of iteration 9 is damaged (it is of iteration 2)" in go_on(folder)[0]
    assert what_counts(folder) == what_counts(four_iterations)


def _killed(*_: object, **__: object) -> None:
    raise RuntimeError("killed")


def test_metrics_that_are_nested_too_deep_are_damage(begun: Begun) -> None:
    folder = begun()
    path = folder / "metrics.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    lines[1] = b"[" * 100_000 + b"]" * 100_000 + b"\n"
    path.write_bytes(b"".join(lines))
    assert "damaged in line 2" in go_on(folder)[0]
    assert [json.loads(line)["iteration"] for line in path.read_bytes().splitlines()] == [1, 3, 4]
