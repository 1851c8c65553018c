"""Every way through tengen, with games that none of us wrote it for: learn, be killed, go on, play, export."""

import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import tomli_w
from games import GAMES, AnyGame, write_tutorial_rules
from servers import position, served
from small_runs import SMALL, what_counts

import tengen
from tengen.interfaces.cli import run
from tengen.interfaces.cli.game_argument import parse_game

PROGRAM = "from tengen.interfaces.cli import main; main()"
PATIENCE = 300  # seconds until a program that does not get on is given up

pytestmark = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.label)


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rules")
    write_tutorial_rules(folder)
    return folder


@pytest.fixture(scope="module")
def trained(rules: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[AnyGame], tuple[str, Path]]:
    """The game as the command line names it, and a run of two iterations that was killed after the first."""
    folder = tmp_path_factory.mktemp("runs")
    done: dict[str, Path] = {}

    def train(game: AnyGame) -> tuple[str, Path]:
        argument = game.argument.format(rules=rules)
        if game.label not in done:
            done[game.label] = folder / game.label
            killed_and_resumed(argument, folder / game.label)
        return argument, done[game.label]

    return train


def train_command(argument: str, folder: Path) -> list[str]:
    config = folder.parent / "small.toml"
    if not config.exists():
        config.write_text(tomli_w.dumps(SMALL))
    return ["train", argument, "--run", str(folder), "--config", str(config), "--iterations", "2"]


def killed_and_resumed(argument: str, folder: Path) -> None:
    command = train_command(argument, folder)
    program = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *command],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    end = time.monotonic() + PATIENCE
    while program.poll() is None and time.monotonic() < end and not list((folder / "state").glob("*.json")):
        time.sleep(0.02)
    program.send_signal(signal.SIGKILL)
    _, complaint = program.communicate()
    assert list((folder / "state").glob("*.json")), complaint.decode()
    assert run(command) == 0


def test_a_killed_run_goes_on_to_the_same_bits(
    game: AnyGame, trained: Callable[[AnyGame], tuple[str, Path]], tmp_path: Path
) -> None:
    argument, folder = trained(game)
    lines = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    assert [line["iteration"] for line in lines] == [1, 2]
    assert run(train_command(argument, tmp_path / "whole")) == 0
    assert what_counts(folder) == what_counts(tmp_path / "whole")


def test_it_plays_a_match(
    game: AnyGame, trained: Callable[[AnyGame], tuple[str, Path]], capsys: pytest.CaptureFixture[str]
) -> None:
    argument, folder = trained(game)
    capsys.readouterr()
    assert run(["match", argument, f"search:{folder}:8", "random", "--games", "4", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["wins"] + result["draws"] + result["losses"] == 4


def test_a_person_plays_it(
    game: AnyGame,
    trained: Callable[[AnyGame], tuple[str, Path]],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    argument, folder = trained(game)
    state = parse_game(argument).initial_state()
    moves = []
    while state.to_move == 0:  # in some games several times in a row
        moves.append(state.action_text(state.legal_actions[-1]))
        state = state.play(state.legal_actions[-1])
    typed = "\n".join([*moves, "hint", "undo", "nonsense", "quit"]).encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(typed), encoding="utf-8"))
    capsys.readouterr()
    assert run(["play", argument, f"search:{folder}:8"]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    assert " plays " in printed.out
    assert printed.out.endswith("Goodbye.\n")


def some_moves(game: tengen.Game) -> str:
    state = game.initial_state()
    for number in range(4):
        state = state.play(state.legal_actions[number % len(state.legal_actions)])
    return " ".join(map(state.action_text, state.moves))


def test_its_games_are_reviewed(
    game: AnyGame, trained: Callable[[AnyGame], tuple[str, Path]], capsys: pytest.CaptureFixture[str]
) -> None:
    argument, folder = trained(game)
    moves = some_moves(parse_game(argument))
    capsys.readouterr()
    assert run(["review", argument, "--moves", moves, "--model", str(folder), "--simulations", "8", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["moves"]) == 4


def test_the_page_shows_it(game: AnyGame, trained: Callable[[AnyGame], tuple[str, Path]]) -> None:
    argument, folder = trained(game)
    rules = parse_game(argument)
    name = rules.spec.name
    with served(files=[rules], runs=folder.parent) as server, server.page() as page:
        # A file that has the name of a built-in game gets a number: chess_2.
        games = server.get("/api/games").json()
        entry = [entry for entry in games if re.fullmatch(rf"{name}(_\d+)?", entry["name"])][-1]
        here = position(entry["name"], some_moves(rules))
        assert page.ask("show", position=here)["type"] == "state"
        for model in entry["models"][:2]:
            found = page.ask("analyse", position=here, model=model, simulations=8)
            assert found["type"] == "analysis", found
            assert found["moves"]


def test_it_becomes_an_onnx_file(game: AnyGame, trained: Callable[[AnyGame], tuple[str, Path]], tmp_path: Path) -> None:
    import numpy as np
    import onnx
    from onnx.reference import ReferenceEvaluator

    from tengen.network import make_evaluator
    from tengen.network.checkpoint import find_network, load_network

    argument, folder = trained(game)
    path = tmp_path / "network.onnx"
    assert run(["export", "onnx", str(folder), "--output", str(path)]) == 0
    onnx.checker.check_model(onnx.load(path))
    planes = parse_game(argument).initial_state().planes()[None]
    logits = ReferenceEvaluator(str(path)).run(["policy_logits"], {"planes": planes})[0]
    ours = make_evaluator(load_network(find_network(folder)), precision="f32", threads=1)(planes)
    np.testing.assert_allclose(logits, ours.logits, atol=1e-3)
