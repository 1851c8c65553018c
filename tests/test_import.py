"""What `import tengen` does and does not do, each in a Python of its own."""

import enum
import os
import pydoc
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import tengen
from tengen import _core
from tengen._cpu import level

HEAVY = {"torch", "numba", "llvmlite", "pyspiel", "openvino", "nncf", "scipy", "rich", "tyro"}
LEVELS = ["baseline", "v3"] if level() == "v3" else ["baseline"]


def run(program: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env={**os.environ, **environment}, check=False
    )


def test_import_is_light() -> None:
    answer = run("import sys, tengen; tengen.load('tic_tac_toe').initial_state().play('b2'); print(*sys.modules)")
    loaded = {module.partition(".")[0] for module in answer.stdout.split()}
    assert "tengen" in loaded
    assert not loaded & HEAVY


@pytest.mark.parametrize("command", ["--help", "--version"])
def test_help_needs_no_heavy_package(command: str) -> None:
    program = f"import sys; from tengen.interfaces.cli import run; run(['{command}']); print(*sys.modules)"
    loaded = {module.partition(".")[0] for module in run(program).stdout.split()}
    assert "tengen" in loaded
    assert not loaded & (HEAVY - {"rich", "tyro"})


def test_version_is_that_of_the_installed_package() -> None:
    from importlib.metadata import version

    assert tengen.__version__ == version("tengen")


PUBLIC = [
    "ActionCells",
    "ActionTextError",
    "Agent",
    "ArgumentError",
    "BoardTextError",
    "Evaluation",
    "Evaluator",
    "EvaluatorError",
    "Forest",
    "Game",
    "Piece",
    "Reason",
    "ActionCells",
    "GameOptionError",
    "GameSpec",
    "IllegalActionError",
    "InUseError",
    "Outcome",
    "Piece",
    "Reason",
    "RecordError",
    "RulesError",
    "SearchParamError",
    "SearchParams",
    "SearchResult",
    "State",
    "Stepper",
    "Symmetry",
    "TengenError",
    "UniformEvaluator",
    "UnknownGameError",
    "load",
    "search",
]


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_is_there_and_documented(name: str) -> None:
    assert name in dir(tengen)
    value = getattr(tengen, name)
    assert value.__doc__ or issubclass(value, enum.Enum), f"tengen.{name} says nothing of itself"
    assert re.search(rf"\b{name}\b", tengen.__doc__ or ""), f"help(tengen) does not name {name}"


def test_public_names_in_capitals_are_all_listed() -> None:
    assert {name for name in dir(tengen) if name[0].isupper()} == {name for name in PUBLIC if name[0].isupper()}


def test_help_fits_on_a_few_screens() -> None:
    lines = pydoc.plain(pydoc.render_doc(tengen)).splitlines()
    assert len(lines) < 150
    assert max(map(len, lines)) <= 120


def test_the_example_of_the_help_runs(capsys: pytest.CaptureFixture[str]) -> None:
    assert tengen.__doc__ is not None
    example = tengen.__doc__.split("\n\n", 1)[1].split("\n\nNames", 1)[0]
    exec(textwrap.dedent(example), {})
    assert "simulations in" in capsys.readouterr().out


def test_a_type_checker_knows_the_public_names(tmp_path: Path) -> None:
    program = tmp_path / "uses_all.py"
    program.write_text(f"from tengen import {', '.join(PUBLIC)}\nreveal_type(Agent('go').game)\n")
    settings = ["--strict", "--config-file=", "--ignore-missing-imports", "--follow-imports=silent"]
    answer = subprocess.run(
        [sys.executable, "-m", "mypy", *settings, f"--cache-dir={tmp_path}", str(program)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.returncode == 0, answer.stdout + answer.stderr
    assert 'Revealed type is "tengen._core.Game"' in answer.stdout


def test_the_best_build_is_loaded() -> None:
    assert run("import tengen; print(tengen._core.__file__)", TENGEN_CORE="").stdout.split("/")[-2] == level()


def test_every_build_plays_the_same_games() -> None:
    program = "import tengen; print([tengen.load(n).random_playouts(20, 1) for n in tengen.games.names()])"
    answers = {run(program, TENGEN_CORE=name).stdout for name in LEVELS}
    assert len(answers) == 1
    assert "20 games" in answers.pop()


def test_a_build_can_be_named_by_its_path() -> None:
    path = _core.__file__
    assert run("import tengen; print(tengen._core.__file__)", TENGEN_CORE=path).stdout.strip() == path


def test_a_build_that_is_not_there() -> None:
    answer = run("import tengen", TENGEN_CORE="v9")
    assert "ImportError: TENGEN_CORE=v9 is neither a level that was built nor a compiled file." in answer.stderr


def test_stubs_are_those_of_the_core() -> None:
    """`make stubs` writes them anew."""
    from nanobind.stubgen import StubGen

    generator = StubGen(_core)
    generator.put(_core)
    assert generator.get() == (Path(tengen.games.__file__).parents[1] / "_core.pyi").read_text()
