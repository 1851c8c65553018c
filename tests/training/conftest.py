"""torch on one thread, and one small finished run that tests copy and damage."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from one_thread import one_thread  # noqa: F401  # a fixture
from small_runs import small_config

from tengen.report import IterationReport, RunReport
from tengen.train import train


class _StopAfterThree:
    """An observer that breaks off a run, as Ctrl-C would."""

    def run_started(self, report: RunReport) -> None:
        pass

    def stage(self, name: str, done: int, total: int) -> None:
        pass

    def iteration_finished(self, report: IterationReport) -> None:
        if report.iteration == 3:
            raise KeyboardInterrupt


@pytest.fixture(scope="session")
def three_iterations(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of four iterations that was stopped after three. Not to be changed: `begun` gives copies."""
    folder = tmp_path_factory.mktemp("runs") / "three"
    with pytest.raises(KeyboardInterrupt):
        train(small_config(iterations=4), folder, _StopAfterThree())
    return folder


@pytest.fixture(scope="session")
def four_iterations(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same run, never stopped."""
    folder = tmp_path_factory.mktemp("runs") / "four"
    train(small_config(iterations=4), folder)
    return folder


@pytest.fixture
def begun(three_iterations: Path, tmp_path: Path) -> Callable[[], Path]:
    """Copies of the run that was stopped after three iterations, to go on with."""
    count = 0

    def copy() -> Path:
        nonlocal count
        count += 1
        folder = tmp_path / f"run{count}"
        shutil.copytree(three_iterations, folder)
        return folder

    return copy
