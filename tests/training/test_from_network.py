"""Runs that begin with a network (`--from`): shapes of every kind are kept, and wrong ones refused by a sentence."""

from pathlib import Path
from types import SimpleNamespace

import pytest

import tengen
from tengen.config import NetworkConfig, load_config
from tengen.interfaces.cli import run as tengen_command
from tengen.network.architecture import describe
from tengen.run.start import shape_of

SETS = ("--set", "learner.batch=8", "--set", "arena.every=0", "--set", "arena.final_strength=false")
PLAY = ("--set", "self_play.positions=32", "--set", "self_play.simulations=2", "--set", "self_play.games_per_unit=4")


def command(*words: object) -> int:
    return tengen_command([str(word) for word in words])


@pytest.mark.parametrize("name", ["tic_tac_toe", "connect_four", "go", "chess"])
@pytest.mark.parametrize("kind", ["policy and value", "separate", "policy", "value"])
@pytest.mark.parametrize("block", ["residual", "se"])
def test_the_shape_of_every_kind_of_network_is_kept(name: str, kind: str, block: str) -> None:
    game = tengen.load(name)
    asked = NetworkConfig(kind=kind, block=block, blocks=4, channels=16, value_channels=8)
    network = SimpleNamespace(architecture=describe(game.spec, asked))
    assert describe(game.spec, shape_of(game, network)) == network.architecture


def test_a_run_begins_with_a_network_of_two_towers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    towers = ("--set", "network.preset=tiny", "--set", "network.kind=separate")
    assert command("train", "tic_tac_toe", "--run", tmp_path / "a", "--iterations", 1, *towers, *SETS, *PLAY) == 0
    begun = ("train", "tic_tac_toe", "--from", tmp_path / "a", "--iterations", 1)
    assert command(*begun, "--run", tmp_path / "b", *SETS, *PLAY) == 0
    assert load_config(tmp_path / "b" / "config.toml").network.kind == "separate"
    capsys.readouterr()
    assert command(*begun, "--run", tmp_path / "c", "--set", "network.kind='policy and value'") == 2
    assert "network.kind: the network to begin with has 'separate'" in capsys.readouterr().err
    assert not (tmp_path / "c").exists()


def test_what_is_no_network_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "words.safetensors").write_text("hello")
    for wrong in ("nothing", "empty", "words.safetensors"):
        start = ("train", "tic_tac_toe", "--from", tmp_path / wrong)
        assert command(*start, "--run", tmp_path / "run", "--iterations", 1) == 2
        said = capsys.readouterr().err
        assert "Traceback" not in said
        assert wrong in said
    assert not (tmp_path / "run").exists()
