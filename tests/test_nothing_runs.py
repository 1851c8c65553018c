"""Opening what a stranger sent runs nothing: neither a rules file nor a module that a file of theirs names."""

from pathlib import Path
from typing import Any

import pytest
from servers import served

import tengen

EXAMPLE = Path(__file__).parents[1] / "examples" / "hex.py"


@pytest.fixture
def run_of_stranger(tmp_path: Path) -> tuple[Path, Path]:
    """A run whose config names Python files, and the file that they would write."""
    traces = tmp_path / "traces"
    evil = tmp_path / "evil.py"
    evil.write_text(f"open({str(traces)!r}, 'a').write('here')\n{EXAMPLE.read_text()}\nclass Net: pass\n")
    runs = tmp_path / "runs"
    for name, config in {
        "rules": f'game = "{evil}"\n',
        "module": f'game = "tic_tac_toe"\nnetwork = "{evil}:Net"\n',
    }.items():
        for part in ("games", "networks", "state"):
            (runs / name / part).mkdir(parents=True)
        (runs / name / "config.toml").write_text(config)
    return runs, traces


def test_the_page_runs_nothing_that_a_run_names(run_of_stranger: tuple[Path, Path]) -> None:
    runs, traces = run_of_stranger
    with served(runs=runs) as server:
        assert sum(not run["bundled"] for run in server.get("/api/runs").json()) == 2
        server.get("/api/games")
        for name in ("rules", "module"):
            server.get(f"/api/runs/{name}")
            server.get(f"/api/runs/{name}/games")
            answer = server.post(f"/api/runs/{name}/resume", {"minutes": 1})
            assert answer.status_code in (400, 409), answer.text
            assert answer.json()["error"] in ("RunStateError", "UnknownGameError")
    assert not traces.exists()


@pytest.mark.parametrize("command", ["report", "compare", "gtp", "export onnx", "export kaggle"])
@pytest.mark.parametrize("name", ["rules", "module"])
def test_commands_run_nothing_that_a_run_names(
    run_of_stranger: tuple[Path, Path], command: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tengen.interfaces.cli import run

    monkeypatch.chdir(tmp_path)
    runs, traces = run_of_stranger
    run([*command.split(), str(runs / name)])
    assert not traces.exists()


def test_train_runs_only_the_rules_that_the_user_names(
    run_of_stranger: tuple[Path, Path], refused: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    runs, traces = run_of_stranger
    for game in (str(EXAMPLE), "tic_tac_toe"):
        assert "is a run of the rules file" in refused("train", game, "--run", str(runs / "rules"))
    assert not traces.exists()
    assert tengen.load(str(tmp_path / "evil.py"))  # named by the user, it is a game like any other
    assert traces.exists()
