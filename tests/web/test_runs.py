"""Runs on the page: what is said about them, and a real one started, stopped and resumed."""

import json
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from servers import PATIENCE, Server, position, served

from tengen.base.bundled import bundled_folder
from tengen.run.metrics import read_reports

SMALL_TRAIN = (sys.executable, str(Path(__file__).parent / "small_train.py"))


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """A folder with the run that made the bundled network of tic-tac-toe, and something that is no run."""
    shutil.copytree(bundled_folder("models") / "tic_tac_toe", tmp_path / "runs" / "first")
    (tmp_path / "runs" / "notes").mkdir()
    networks = tmp_path / "runs" / "first" / "networks"
    networks.mkdir()
    (networks.parent / "network.safetensors").rename(networks / "000030.safetensors")
    return tmp_path / "runs"


def own_runs(server: Server) -> list[Any]:
    """Without those that come with tengen."""
    return [run for run in server.get("/api/runs").json() if not run["bundled"]]


def until(server: Server, path: str, wanted: Callable[[Any], bool]) -> Any:
    """What the server says once it is as wanted."""
    end = time.monotonic() + PATIENCE
    while not wanted(said := server.get(path).json()):
        assert time.monotonic() < end, said
        time.sleep(0.1)
    return said


def test_a_run_is_listed_with_what_it_reported(runs: Path) -> None:
    reports = read_reports(runs / "first")
    with served(runs=runs) as server:
        (summary,) = own_runs(server)
        assert (summary["name"], summary["game"], summary["running"]) == ("first", "tic_tac_toe", False)
        assert summary["iteration"] == reports[-1].iteration
        details = server.get("/api/runs/first").json()
        assert details["config"]["game"] == "tic_tac_toe"
        assert [point["iteration"] for point in details["points"]] == [report.iteration for report in reports]
        assert details["points"][-1]["learner"]["policy_loss"] == reports[-1].learner.policy_loss
        assert [finding["name"] for finding in details["findings"]] == [f.name for f in reports[-1].findings]
        later = server.get(f"/api/runs/first?after={reports[-2].iteration}").json()
        assert [point["iteration"] for point in later["points"]] == [reports[-1].iteration]
        assert server.get("/api/runs/first/games").json() == []
        assert server.post("/api/runs/first/stop", {}).json()["error"] == "RunStateError"


def test_the_network_of_a_run_can_be_played_with(runs: Path) -> None:
    with served(runs=runs) as server, server.page() as page:
        described = server.get("/api/games").json()[0]
        assert described["models"] == ["tic_tac_toe", "run:first", "rollout", "uniform"]
        moved = page.ask("choose", position=position("tic_tac_toe"), model="run:first", simulations=10)
        assert moved["analysis"]["model"] == "run:first"


def test_what_a_damaged_run_says_is_left_out(runs: Path) -> None:
    metrics = runs / "first" / "metrics.jsonl"
    lines = metrics.read_text().splitlines()
    line = json.loads(lines[-1])
    line["learner"]["policy_loss"] = float("nan")
    metrics.write_text("\n".join([*lines[:2], "{", json.dumps(line)]) + "\n")
    (runs / "broken").mkdir()
    (runs / "broken" / "config.toml").write_text("game = [")
    with served(runs=runs) as server:
        assert {run["name"] for run in own_runs(server)} == {"first", "broken"}
        points = server.get("/api/runs/first").json()["points"]
        assert len(points) == 3
        assert points[-1]["learner"]["policy_loss"] is None
        assert server.get("/api/runs/broken").json()["config"] == {}


def test_a_run_is_started_stopped_and_resumed(tmp_path: Path) -> None:
    with served(runs=tmp_path / "runs", train_command=SMALL_TRAIN) as server, server.page() as page:
        started = server.post("/api/runs", {"game": "tic_tac_toe", "minutes": 5})
        assert started.status_code == 201
        assert (started.json()["name"], started.json()["running"]) == ("tic_tac_toe", True)
        again = server.post("/api/runs", {"game": "tic_tac_toe", "minutes": 5})
        assert (again.status_code, again.json()["error"]) == (409, "RunStateError")
        path = "/api/runs/tic_tac_toe"
        first = until(server, path, lambda run: run["points"])
        assert first["running"]
        assert first["points"][0]["iteration"] == 1
        newest = server.get(f"{path}/games").json()[0]
        state = page.ask("show", position=newest["position"])
        assert state["outcome"] == newest["outcome"]
        assert len(newest["values"]) == len(newest["position"]["moves"])
        server.post(f"{path}/stop", {})
        stopped = until(server, path, lambda run: not run["running"])
        assert stopped["problem"] is None
        assert server.post(f"{path}/resume", {}).json()["running"]
        until(server, path, lambda run: run["iteration"] > stopped["iteration"])
    with served(runs=tmp_path / "runs", train_command=SMALL_TRAIN) as server:  # another one finds it and stops it
        assert server.get(path).json()["running"]
        server.post(f"{path}/stop", {})
        until(server, path, lambda run: not run["running"])


def test_a_run_that_fails_says_why(tmp_path: Path) -> None:
    command = (sys.executable, "-c", "raise SystemExit('no luck today')")
    with served(runs=tmp_path, train_command=command) as server:
        assert server.post("/api/runs", {"game": "go", "minutes": 1}).status_code == 201
        assert until(server, "/api/runs/go", lambda run: not run["running"])["problem"] == "no luck today"


@pytest.mark.parametrize(
    ("asked", "status", "error"),
    [
        ({"game": "no_such_game", "minutes": 1}, 400, "UnknownGameError"),
        ({"game": "go"}, 422, "RequestError"),
        ({"game": "go", "minutes": -1}, 422, "RequestError"),
        ({"game": "go", "minutes": 1, "folder": "/tmp"}, 422, "RequestError"),
    ],
)
def test_a_run_that_can_not_be_is_refused(server: Server, asked: dict[str, Any], status: int, error: str) -> None:
    answer = server.post("/api/runs", asked)
    assert (answer.status_code, answer.json()["error"]) == (status, error)
    assert own_runs(server) == []
