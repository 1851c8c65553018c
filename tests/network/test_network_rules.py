"""A network belongs to rules, not to a path; and opening one never runs a file that it names."""

import hashlib
import warnings
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from small_networks import SHAPES, Shape, random_board, settled_file

import tengen
from tengen.config import NetworkConfig
from tengen.export.onnx_file import onnx_model
from tengen.network import make_evaluator
from tengen.network.checkpoint import (
    NetworkFile,
    NetworkFileError,
    NetworkWarning,
    check_fits,
    find_network,
    game_of,
    load_network,
    save_network,
)
from tengen.network.positions import random_positions

SMALL = NetworkConfig(blocks=1, channels=8, policy_channels=4, value_channels=4)
CELLS = SHAPES["tic-tac-toe"]
EVIL = "from pathlib import Path\nPath(__file__).with_name('was_run').touch()\n"
DIGEST = hashlib.sha256(b"the rules").hexdigest()


def of_rules(source: str, name: str = "my_game", digest: str = DIGEST) -> NetworkFile:
    return replace(settled_file(CELLS, SMALL), game=name, source=source, rules_digest=digest)


def game_with(shape: Shape = CELLS, *, name: str = "my_game", source: str, digest: str = DIGEST) -> Any:
    """What check_fits looks at."""
    planes, height, width = shape.planes_shape
    spec = SimpleNamespace(
        name=name,
        source=source,
        rules_digest=digest,
        options={},
        planes_shape=shape.planes_shape,
        num_planes=planes,
        height=height,
        width=width,
        num_actions=shape.num_actions,
        action_layout=shape.action_layout,
    )
    return SimpleNamespace(spec=spec)


def test_the_folder_of_the_rules_does_not_matter() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_fits(of_rules("/home/a/my_game.py"), game_with(source="elsewhere/my_game.py"))


def test_rules_that_were_changed_are_named_and_played_if_the_shapes_fit() -> None:
    with pytest.warns(NetworkWarning, match=r"rules of my_game were changed since this network was trained"):
        check_fits(of_rules("my_game.py"), game_with(source="my_game.py", digest="f" * 64))


@pytest.mark.parametrize(
    ("shape", "complaint"),
    [
        (Shape((3, 3, 3), 9, "cells"), "trained on 2 planes"),
        (Shape((2, 3, 3), 10, "cells"), "knows 9 actions on 3x3, but my_game has 10"),
        (Shape((2, 3, 3), 9, "dense"), "actions by cells, but my_game has 2 and dense"),
    ],
)
def test_rules_that_were_changed_in_shape_are_refused(shape: Shape, complaint: str) -> None:
    with pytest.raises(NetworkFileError, match=complaint) as refusal:
        check_fits(of_rules("my_game.py"), game_with(shape, source="my_game.py", digest="f" * 64))
    assert "rules of my_game were changed" in str(refusal.value)


@pytest.mark.parametrize(
    ("file", "game"),
    [
        (of_rules("my_game.py"), game_with(name="other", source="other.py")),
        (of_rules("my_game.py"), game_with(name="my_game", source="my_game", digest="")),
        (settled_file(CELLS, SMALL), game_with(name="tic_tac_toe", source="tic_tac_toe.py")),
        (replace(settled_file(CELLS, SMALL), source="openspiel:hex(board_size=3)"), game_with(source="openspiel:hex")),
    ],
)
def test_networks_of_other_games_are_refused(file: NetworkFile, game: Any) -> None:
    with pytest.raises(NetworkFileError, match=r"This network plays .*, not "):
        check_fits(file, game)


@pytest.fixture
def planted(tmp_path: Path) -> Path:
    """A network whose header names a file that should never be run."""
    rules = tmp_path / "evil.py"
    rules.write_text(EVIL)
    path = tmp_path / "net.safetensors"
    save_network(path, of_rules(str(rules), name="evil", digest=""))
    return path


def test_nothing_that_a_network_names_is_run(planted: Path) -> None:
    file = load_network(planted)
    with pytest.raises(NetworkFileError, match=r"evil.*does not run a file because a network names it.*game="):
        game_of(file)
    with pytest.raises(NetworkFileError, match="does not run a file"):
        tengen.Agent(planted)
    with pytest.raises(NetworkFileError, match="does not run a file"):
        random_positions(file, 3)
    with pytest.raises(tengen.TengenError):
        tengen.Agent(planted, game=tengen.load("tic_tac_toe"))
    description = make_evaluator(file).description
    assert "f32" in description
    assert "no positions to check" in description
    onnx_model(file)
    assert not (planted.parent / "was_run").exists()


@pytest.mark.parametrize("source", ["./tic_tac_toe", "connect_four.PY", "nothing", "", "openspiel"])
def test_only_names_of_games_are_loaded(source: str) -> None:
    with pytest.raises(NetworkFileError, match="does not run a file"):
        game_of(replace(settled_file(CELLS, SMALL), source=source))


def test_a_network_of_rules_is_calibrated_on_the_game_that_the_caller_gives() -> None:
    game = tengen.load("tic_tac_toe")
    ask = make_evaluator(of_rules("my_game.py"), game=game)
    assert "no positions" not in ask.description
    assert ask(random_board((2, 3, 3), 2)).logits.shape == (2, 9)


def test_an_agent_of_a_rules_file_is_given_the_game(tmp_path: Path) -> None:
    example = Path(__file__).parents[2] / "examples" / "hex.py"
    here = tmp_path / "hex.py"
    here.write_text(example.read_text())
    game, moved = tengen.load(str(example)), tengen.load(str(here))
    from tengen.network.torch_net import TorchNet, network_weights

    save_network(tmp_path / "net.safetensors", NetworkFile.of(game, SMALL, network_weights(TorchNet(game.spec, SMALL))))
    agent = tengen.Agent(tmp_path / "net.safetensors", simulations=4, game=moved)
    state = moved.initial_state()
    assert agent.choose(state) in state.legal_actions


@pytest.mark.parametrize("name", ["tic_tac_toe", "connect_four", "go_9x9", "gomoku_9x9", "othello"])
def test_bundled_networks_load_their_game(name: str) -> None:
    file = load_network(find_network(name))
    game = game_of(file)
    check_fits(file, game)
    assert game.spec.planes_shape == file.planes_shape
    assert random_positions(file, 2).dtype == np.float32
