"""The ONNX file, read and computed by another program (OpenVINO's reader), against our own network."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import openvino
import pytest
import torch
from numpy.typing import NDArray

import tengen
from tengen.config import NetworkConfig
from tengen.export.onnx_file import OPSET, onnx_model
from tengen.network import make_evaluator
from tengen.network.checkpoint import NetworkFile, NetworkFileError, find_network, load_network
from tengen.network.positions import random_positions
from tengen.network.torch_net import TorchNet, network_weights

SMALL = NetworkConfig(blocks=3, channels=16, policy_channels=8, value_channels=8)  # with one pooling block


def blank(game: tengen.Game) -> NetworkFile:
    """With logits that are not all alike."""
    net = TorchNet(game.spec, SMALL, seed=1)
    with torch.no_grad():
        for head in (net.policy, net.value):
            head.out.weight.mul_(20.0)
    return NetworkFile.of(game, SMALL, network_weights(net))


def computed(content: bytes, planes: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The outputs by name, as OpenVINO reads the file."""
    core = openvino.Core()
    exact = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1}
    answer = core.compile_model(core.read_model(content), "CPU", exact)({"planes": planes})
    return answer["policy_logits"], answer["wdl_logits"]


def softmax(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    powers = np.exp(logits - logits.max(1, keepdims=True))
    return powers / powers.sum(1, keepdims=True)


def check_same(content: bytes, file: NetworkFile, planes: NDArray[np.float32]) -> None:
    expected = make_evaluator(file, backend="torch", precision="f32", device="cpu")(planes)
    logits, wdl_logits = computed(content, planes)
    np.testing.assert_allclose(logits, expected.logits, atol=1e-3)
    np.testing.assert_allclose(softmax(wdl_logits), expected.values, atol=1e-4)


@pytest.mark.parametrize("model", ["connect_four", "tic_tac_toe"])
def test_another_program_computes_the_same(model: str) -> None:
    file = load_network(find_network(model))
    content = onnx_model(file)
    for batch in (1, 33):
        check_same(content, file, random_positions(file, batch, seed=batch))


def test_it_plays_other_sizes_and_passes() -> None:
    file = blank(tengen.load("go", size=5))
    larger = tengen.load("go", size=7)
    check_same(onnx_model(file), file, np.stack([state.planes() for state in [larger.state("D4 C3 pass")]]))


def test_actions_that_have_no_relation_to_the_board() -> None:
    spec = tengen.load("tic_tac_toe").spec

    class Other:
        planes_shape, num_actions, action_layout = spec.planes_shape, 5, "dense"

    net = TorchNet(Other(), SMALL, seed=1)
    file = replace(blank(tengen.load("tic_tac_toe")), num_actions=5, action_layout="dense")
    file = replace(file, architecture=net.architecture, weights=network_weights(net))
    planes = random_positions(file, 3)
    check_same(onnx_model(file), file, planes)


def test_a_batch_of_its_own() -> None:
    file = blank(tengen.load("connect_four"))
    content = onnx_model(file, 4)
    check_same(content, file, random_positions(file, 4))
    with pytest.raises(RuntimeError):
        computed(content, random_positions(file, 5))


def test_the_file_says_what_it_is_for() -> None:
    game = tengen.load("go", size=5, komi=3.5)
    model = onnx.load_from_string(onnx_model(blank(game)))
    assert [entry.version for entry in model.opset_import] == [OPSET]
    said = {entry.key: entry.value for entry in model.metadata_props}
    assert said["game"] == "go"
    assert "komi=3.5" in said["options"]
    assert json.loads(said["planes"]) == list(game.spec.plane_names)
    dimensions = model.graph.input[0].type.tensor_type.shape.dim
    assert [entry.dim_param or entry.dim_value for entry in dimensions] == ["batch", 13, "height", "width"]


def test_weights_that_are_missing_are_named() -> None:
    file = blank(tengen.load("tic_tac_toe"))
    del file.weights["value.out.bias"]
    with pytest.raises(NetworkFileError, match=r"value\.out\.bias"):
        onnx_model(file)


def test_the_command(cli: Any, tmp_path: Path) -> None:
    path = tmp_path / "net.onnx"
    assert "opset 17" in cli("export", "onnx", "tic_tac_toe", "--output", str(path), "--batch", "2")
    file = load_network(find_network("tic_tac_toe"))
    assert path.read_bytes() == onnx_model(file, 2)


@pytest.mark.parametrize("batch", ["0", "-1", "many", "²"])
def test_a_wrong_batch_is_refused(refused: Any, batch: str) -> None:
    assert "dynamic" in refused("export", "onnx", "tic_tac_toe", f"--batch={batch}")
