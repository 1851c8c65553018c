"""Networks as files: what is written is read back, and what is damaged or for something else is refused in words."""

import errno
import hashlib
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import safetensors.numpy
import torch
from small_networks import SHAPES, file_of, settled_file

import tengen
from tengen.config import NetworkConfig
from tengen.network import checkpoint, make_evaluator
from tengen.network.architecture import describe
from tengen.network.checkpoint import (
    NetworkFile,
    NetworkFileError,
    check_fits,
    find_network,
    load_network,
    save_network,
)
from tengen.network.evaluator import Backend
from tengen.network.torch_net import TorchNet, network_from_file, network_weights

CONFIG = NetworkConfig(blocks=1, channels=8, policy_channels=4, value_channels=4)


def network_of(name: str, **options: float) -> NetworkFile:
    game = tengen.load(name, **options)
    weights = network_weights(TorchNet(game.spec, CONFIG, seed=4))
    return NetworkFile.of(game, CONFIG, weights, {"run": "runs/one", "seed": "4"}, discount=0.99, iteration=7)


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "net.safetensors"
    save_network(path, network_of("connect_four"))
    return path


def test_round_trip(saved: Path) -> None:
    expected = network_of("connect_four")
    file = load_network(saved)
    assert file == expected  # all of the header
    assert file.game == "connect_four"
    assert file.planes_shape == (3, 6, 7)
    assert (file.iteration, file.discount) == (7, 0.99)
    assert file.weights.keys() == expected.weights.keys()
    assert all(np.array_equal(file.weights[name], expected.weights[name]) for name in expected.weights)
    assert file.digest == expected.digest
    planes = torch.ones(1, 3, 6, 7)
    net = TorchNet(tengen.load("connect_four").spec, CONFIG, seed=4).eval()
    assert torch.equal(network_from_file(file).eval()(planes).logits, net(planes).logits)


def test_the_digest_tells_networks_apart() -> None:
    one, other = network_of("connect_four"), network_of("connect_four")
    other.weights["stem.norm.bias"][3] += np.float32(1e-7)
    assert one.digest != other.digest
    assert replace(one, made_by={"run": "elsewhere"}).digest == one.digest


def test_saving_leaves_nothing_else_behind(saved: Path) -> None:
    save_network(saved, network_of("connect_four", rows=5))
    assert os.listdir(saved.parent) == ["net.safetensors"]
    assert load_network(saved).planes_shape == (3, 5, 7)


def test_a_full_disk_leaves_the_old_network(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(tengen.TengenError, match="disk is full"):
        save_network(saved, network_of("connect_four", rows=5))
    assert os.listdir(saved.parent) == ["net.safetensors"]
    assert load_network(saved).planes_shape == (3, 6, 7)


def test_missing(tmp_path: Path) -> None:
    with pytest.raises(NetworkFileError, match="no such file"):
        load_network(tmp_path / "absent.safetensors")


@pytest.mark.parametrize("kept", [0, 3, 8, 200, -1])
def test_truncated(saved: Path, kept: int) -> None:
    saved.write_bytes(saved.read_bytes()[:kept])
    with pytest.raises(NetworkFileError, match="cut short or damaged"):
        load_network(saved)


def test_every_flipped_bit_is_noticed(saved: Path) -> None:
    whole = saved.read_bytes()
    header = 8 + int.from_bytes(whole[:8], "little")
    rng = np.random.default_rng(0)
    # safetensors pads its header with blanks, which mean nothing; the rest must all be as it was.
    solid = [i for i in range(header) if whole[i : i + 1] != b" " or b"}" in whole[i:header]]
    for position in [*rng.choice(solid, 60), *rng.integers(header, len(whole), 40)]:
        damaged = bytearray(whole)
        damaged[position] ^= 1 << int(rng.integers(8))
        saved.write_bytes(bytes(damaged))
        with pytest.raises(NetworkFileError):
            load_network(saved)


def test_safetensors_of_something_else(tmp_path: Path) -> None:
    path = tmp_path / "other.safetensors"
    path.write_bytes(safetensors.numpy.save({"w": np.zeros(3, np.float32)}))
    with pytest.raises(NetworkFileError, match="not of a network of tengen"):
        load_network(path)


def test_no_network_is_taken_for_a_pickle(tmp_path: Path) -> None:
    """The first byte of a file is that of the header's length; 0x80, with which a pickle begins, is one of 32."""
    path = tmp_path / "net.safetensors"
    file = network_of("connect_four")
    first_bytes = set()
    for length in range(0, 256, 8):
        save_network(path, replace(file, made_by={"note": "x" * length}))
        first_bytes.add(path.read_bytes()[0])
        assert load_network(path).made_by["note"] == "x" * length
    assert 0x80 in first_bytes


@pytest.mark.parametrize("name", ["net.pt", "net.safetensors"])
def test_a_pickle_is_refused_unread(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    torch.save({"w": torch.zeros(3)}, path)
    with pytest.raises(NetworkFileError, match="pickle"):
        load_network(path)


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NetworkFileError, match="can't be read"):
        load_network(tmp_path)


def test_weights_that_are_no_numbers_are_neither_saved_nor_loaded(tmp_path: Path) -> None:
    file = network_of("connect_four")
    file.weights["value.out.bias"][1] = np.nan
    with pytest.raises(NetworkFileError, match=r"value\.out\.bias"):
        save_network(tmp_path / "nan.safetensors", file)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("backend", ["torch", "openvino"])
def test_weights_of_another_shape_than_the_header_says(backend: Backend) -> None:
    file = network_of("connect_four")
    twice = np.concatenate([file.weights["stem.conv.weight"]] * 2)
    for wrong in (
        replace(file, architecture=describe(file, CONFIG.model_copy(update={"blocks": 2}))),
        replace(file, weights={**file.weights, "stem.conv.weight": twice}),
    ):
        with pytest.raises(NetworkFileError, match="don't fit their own header"):
            make_evaluator(wrong, backend=backend, precision="f32")(np.zeros((1, 3, 6, 7), np.float32))


def test_another_board_size_fits() -> None:
    check_fits(network_of("connect_four"), tengen.load("connect_four", rows=7, columns=8))
    check_fits(network_of("gomoku", size=9), tengen.load("gomoku", size=15))
    check_fits(network_of("go", size=9), tengen.load("go", size=19))


def test_another_game_does_not_fit() -> None:
    with pytest.raises(NetworkFileError, match="plays gomoku, not connect_four"):
        check_fits(network_of("gomoku"), tengen.load("connect_four"))


def test_other_planes_do_not_fit() -> None:
    with pytest.raises(NetworkFileError, match="planes"):
        check_fits(network_of("go", size=9), tengen.load("go", size=9, history=8))


def test_a_network_bound_to_its_size_says_so() -> None:
    shape = SHAPES["numbers"]
    file = file_of(shape, CONFIG, TorchNet(shape, CONFIG))
    assert file.num_actions_on(4, 5) == 33
    with pytest.raises(tengen.EvaluatorError, match="only on 4x5"):
        file.num_actions_on(5, 5)


def test_a_bundled_network_is_found_by_its_name() -> None:
    found = load_network(find_network("tic_tac_toe"))
    check_fits(found, tengen.load("tic_tac_toe"))


def test_an_unknown_network_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(NetworkFileError, match=r"no network 'nowhere': .*tic_tac_toe"):
        find_network("nowhere")


# ---- Files of before, and files as a function of their content

DIGESTS = {  # of the weights of the networks that come with tengen; records name networks by them
    "tic_tac_toe": "ccb451ad",
    "chess": "3e6040cf",
    "connect_four": "887d2fe9",
    "go_9x9": "81e046ea",
    "gomoku_9x9": "75384706",
    "minichess": "b6d82a6a",
    "minishogi": "c52e4089",
    "othello": "e2545baf",
}


@pytest.mark.parametrize("name", DIGESTS)
def test_bundled_networks_keep_their_digests(name: str) -> None:
    file = load_network(find_network(name))
    assert file.digest.startswith(DIGESTS[name])
    assert file.iteration > 0
    assert file.discount == (0.99 if name in {"connect_four", "gomoku_9x9"} else 1.0)
    assert "iteration" not in file.made_by
    assert file.made_by["run"]


def test_a_file_of_before_becomes_a_file_of_today(tmp_path: Path) -> None:
    old = load_network(find_network("go_9x9"))
    assert old.options == {"size": 9, "komi": 7, "suicide": False, "history": 1, "max_moves": 0}
    save_network(tmp_path / "new.safetensors", old)
    new = load_network(tmp_path / "new.safetensors")
    assert new == old
    assert new.digest == old.digest
    assert b"tengen network 2" in (tmp_path / "new.safetensors").read_bytes()


def old_bytes(file: NetworkFile, config: NetworkConfig, layout: str) -> bytes:
    """As "tengen network 1" was written."""
    header = json.dumps(
        {
            "game": file.source,
            "options": file.options_text,
            "planes_shape": list(file.planes_shape),
            "num_actions": file.num_actions,
            "action_layout": layout,
            "config": config.model_dump(exclude={"kind", "block", "module", "settings"}),
            "made_by": {"run": "old", "iteration": "12", "discount": "0.97"},
        }
    )
    checksum = hashlib.sha256(f"{header}\n{file.digest}".encode()).hexdigest()
    metadata = {"format": "tengen network 1", "header": header, "checksum": checksum}
    return safetensors.numpy.save(file.weights, metadata)


@pytest.mark.parametrize(("name", "layout"), [("numbers", "other"), ("go 9x9", "cells"), ("connect four", "columns")])
def test_old_headers_are_understood(tmp_path: Path, name: str, layout: str) -> None:
    file = settled_file(SHAPES[name], CONFIG)
    path = tmp_path / "old.safetensors"
    path.write_bytes(old_bytes(file, CONFIG, layout))
    found = load_network(path)
    assert found.architecture == file.architecture
    assert found.action_layout == SHAPES[name].action_layout
    assert (found.iteration, found.discount, found.made_by) == (12, 0.97, {"run": "old"})
    planes = np.ones((2, *file.planes_shape), np.float32)
    answers = [make_evaluator(each, backend="openvino", precision="f32")(planes).logits for each in (file, found)]
    assert np.array_equal(*answers)


def test_equal_networks_are_equal_files(tmp_path: Path) -> None:
    """Whatever the order in which their parts were put together, and whichever process wrote them."""
    file = replace(network_of("go"), made_by={"run": "one", "seed": "4"})
    backwards = replace(
        file,
        weights=dict(reversed(file.weights.items())),
        options=dict(reversed(file.options.items())),
        made_by=dict(reversed(file.made_by.items())),
    )
    for name, each in (("one", file), ("other", backwards), ("again", file)):
        save_network(tmp_path / name, each)
    one = (tmp_path / "one").read_bytes()
    assert (tmp_path / "other").read_bytes() == one
    assert (tmp_path / "again").read_bytes() == one
    save_network(tmp_path / "read", load_network(tmp_path / "one"))
    assert (tmp_path / "read").read_bytes() == one
    assert hashlib.sha256(one).hexdigest() == in_another_process(tmp_path / "one")


def in_another_process(path: Path) -> str:
    code = (
        "import sys, hashlib; from tengen.network.checkpoint import load_network, save_network\n"
        "file = load_network(sys.argv[1]); save_network(sys.argv[1] + '2', file)\n"
        "print(hashlib.sha256(open(sys.argv[1] + '2', 'rb').read()).hexdigest())"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_a_file_of_a_newer_tengen_says_so(tmp_path: Path) -> None:
    path = tmp_path / "new.safetensors"
    path.write_bytes(safetensors.numpy.save({"w": np.zeros(3, np.float32)}, {"format": "tengen network 3"}))
    with pytest.raises(NetworkFileError, match="'tengen network 3' of a newer tengen"):
        load_network(path)


@pytest.mark.parametrize(
    "change",
    [
        {"architecture": {}},
        {"architecture": {"trunk": [{"kind": "residual"}], "heads": []}},
        {"architecture": {"trunk": 3, "heads": []}},
        {"architecture": {"module": "x"}},
        {"options": {"size": "__import__('os')"}},
        {"planes_shape": [3, 6]},
        {"discount": "much"},
        {"iteration": None},
        {"made_by": []},
    ],
)
def test_a_header_that_is_none_is_refused_in_words(tmp_path: Path, change: dict[str, object]) -> None:
    path = tmp_path / "net.safetensors"
    file = network_of("connect_four")
    header = json.dumps({**checkpoint._header(file), **change})
    checksum = hashlib.sha256(f"{header}\n{file.digest}".encode()).hexdigest()
    metadata = {"format": checkpoint.FORMAT, "header": header, "checksum": checksum}
    path.write_bytes(safetensors.numpy.save(file.weights, metadata))
    with pytest.raises(NetworkFileError, match="can't be understood"):
        load_network(path)
