"""Random sequences of what happens to the folder of a run: stops, kills, damage, lost parts, foreign files, resumes.

Whatever happened, one of two things is true at the end: the run ends with the bits of a run that nobody touched, or it
refuses and says why. And no byte is lost that only the run had: every game that was ever committed, every network and
every foreign file is there or set aside.
"""

import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from small_runs import small_config, what_counts

import tengen
from tengen.base.durable import lock_owner
from tengen.report import IterationReport, RunReport
from tengen.run.folder import RunFolder, RunFolderError
from tengen.run.verify import repair_run, verify_run
from tengen.train import train

GAME = tengen.load("tic_tac_toe")
ITERATIONS = 4
PARTS = ["games", "networks", "state", "metrics.jsonl"]


class _Stop(Exception):
    """A run that is broken off here."""


class _StopAfter:
    """An observer that breaks off a run after so many stages of work, or at the end of an iteration."""

    def __init__(self, stages: int | None) -> None:
        self._left = stages
        self.notes: tuple[str, ...] = ()

    def run_started(self, report: RunReport) -> None:
        self.notes = report.notes

    def stage(self, name: str, done: int, total: int) -> None:
        if self._left is not None:
            self._left -= 1
            if self._left < 0:
                raise _Stop

    def iteration_finished(self, report: IterationReport) -> None:
        if self._left is None:
            raise _Stop


class RunSequences(RuleBasedStateMachine):
    whole: Path  # a run that nobody touched

    @initialize()
    def begin(self) -> None:
        self.home = Path(tempfile.mkdtemp(prefix="tengen"))
        self.folder = self.home / "run"
        self.foreign: dict[Path, bytes] = {}
        self.is_damaged = False  # bits may differ: games were lost, as the run says

    def teardown(self) -> None:
        if hasattr(self, "home"):
            shutil.rmtree(self.home)

    def _train(self, stages: int | None, iterations: int = ITERATIONS, *, breaks_off: bool = True) -> None:
        observer = _StopAfter(stages if breaks_off else 10**9)
        try:
            train(small_config(iterations), self.folder, observer)
        except _Stop:
            pass
        except RunFolderError:
            before = self._files()
            with pytest.raises(RunFolderError, match="No checkpoint of"):  # it stays so, and nothing changes
                train(small_config(iterations), self.folder)
            assert self._files() == before
            repair_run(verify_run(self.folder, GAME), GAME)

    def _files(self) -> dict[str, bytes]:
        found = (path for path in self.folder.rglob("*") if path.is_file() and path.name != "lock")
        return {str(path.relative_to(self.folder)): path.read_bytes() for path in found}

    @rule(stages=st.integers(0, 200))
    def is_killed_at_work(self, stages: int) -> None:
        self._train(stages)

    @rule()
    def is_stopped_after_an_iteration(self) -> None:
        self._train(None)

    @precondition(lambda self: self.folder.exists())
    @rule(part=st.sampled_from(PARTS))
    def loses_a_part(self, part: str) -> None:
        path = self.folder / part
        if path.is_dir():
            shutil.rmtree(path)
            self.is_damaged |= part == "games"
        else:
            path.unlink(missing_ok=True)

    @precondition(lambda self: self.folder.exists())
    @rule(data=st.data(), where=st.floats(0, 0.999), bit=st.integers(0, 7))
    def a_bit_is_flipped(self, data: st.DataObject, where: float, bit: int) -> None:
        files = [name for name, content in self._files().items() if content and "set_aside" not in name]
        files = [name for name in files if name != "config.toml" and self.folder / name not in self.foreign]
        if not files:
            return
        path = self.folder / data.draw(st.sampled_from(sorted(files)))
        content = bytearray(path.read_bytes())
        content[int(len(content) * where)] ^= 1 << bit
        path.write_bytes(bytes(content))
        self.is_damaged |= path.suffix == ".tgr"

    @precondition(lambda self: self.folder.exists())
    @rule(data=st.data())
    def the_newest_checkpoint_is_deleted(self, data: st.DataObject) -> None:
        newest = max((path.stem for path in (self.folder / "state").glob("*.json")), default=None)
        for path in (self.folder / "state").glob(f"{newest}.*") if newest else ():
            path.unlink()

    @rule(name=st.sampled_from(["notes.txt", "games/a.txt", "networks/mine.safetensors", "state/7.txt", "games/x.tgr"]))
    def somebody_adds_a_file(self, name: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"mine " + name.encode())
        self.foreign[path] = path.read_bytes()

    @precondition(lambda self: self.folder.exists())
    @rule()
    def is_repaired(self) -> None:
        if (self.folder / "config.toml").exists():
            repair_run(verify_run(self.folder, GAME), GAME)
            assert verify_run(self.folder, GAME).findings == ()

    @precondition(lambda self: self.folder.exists())
    @rule()
    def somebody_removes_the_lock_file(self) -> None:
        (self.folder / "lock").unlink(missing_ok=True)

    @rule(batch=st.integers(1, 100))
    def another_config_is_refused_without_a_trace(self, batch: int) -> None:
        before = self._files() if self.folder.exists() else None
        if before is None or "config.toml" not in before:
            return
        with pytest.raises(tengen.TengenError, match=r"learner.batch is 128 there"):
            train(small_config(ITERATIONS, learner={"batch": batch}), self.folder)
        assert self._files() == before

    @invariant()
    def nobody_holds_it(self) -> None:
        if hasattr(self, "folder"):
            assert lock_owner(self.folder) is None

    @invariant()
    def foreign_files_stay(self) -> None:
        everything = {path.read_bytes() for path in self.home.rglob("*") if path.is_file()} if self.foreign else set()
        for path, content in self.foreign.items():
            gone = not path.parent.exists()  # with a part that was lost
            assert gone or content in everything, path

    @rule()
    def goes_on_to_its_end(self) -> None:
        self._train(None, breaks_off=False)
        if not (self.folder / "networks").exists():
            return  # it was refused and set aside as a whole
        with RunFolder(self.folder, small_config(ITERATIONS)) as run:
            commit = run.newest_commit()
        if commit is None:
            return
        assert commit.iteration == ITERATIONS
        assert verify_run(self.folder, GAME).findings == ()
        self.foreign_files_stay()
        for path in self.foreign:
            path.unlink(missing_ok=True)
        self.foreign.clear()
        if not self.is_damaged:
            assert what_counts(self.folder) == what_counts(self.whole)


def _run(whole: Path, examples: int, steps: int) -> None:
    machine = type("Sequences", (RunSequences,), {"whole": whole})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            derandomize=True,
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


def test_sequences(four_iterations: Path) -> None:
    _run(four_iterations, examples=6, steps=8)


@pytest.mark.verify
def test_many_sequences(four_iterations: Path) -> None:
    _run(four_iterations, examples=int(os.environ.get("TENGEN_SEQUENCES", "200")), steps=20)
