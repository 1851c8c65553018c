"""Every kind of layer, computed four ways with random weights: torch, OpenVINO, ONNX and numpy say the same."""

from dataclasses import replace
from typing import get_args

import numpy as np
import openvino
import pytest
from numpy.typing import NDArray
from small_networks import ALL_HEADS, Shape, random_board, settled_file

from tengen.config import NetworkConfig
from tengen.export.onnx_file import onnx_model
from tengen.network import Evaluation, make_evaluator
from tengen.network.architecture import MOST_DENSE_WEIGHTS, Architecture, ArchitectureError, Layer, describe
from tengen.network.checkpoint import NetworkFile
from tengen.network.evaluator import Planes
from tengen.network.layers import KINDS, check_weights, pieces, walk
from tengen.network.numpy_operations import softmax

SHAPES = {
    "cells": Shape((2, 3, 3), 9, "cells"),
    "cells and a pass": Shape((6, 5, 5), 26, "cells"),
    "columns": Shape((3, 6, 7), 7, "columns"),
    "planes": Shape((5, 4, 6), 4 * 6 * 8, "planes"),
    "planes and extras": Shape((5, 4, 6), 4 * 6 * 3 + 2, "planes"),
    "dense": Shape((3, 4, 5), 33, "dense"),
    "chess": Shape((20, 8, 8), 4672, "dense"),
    "chess by planes": Shape((20, 8, 8), 4672, "planes"),
    "one cell": Shape((4, 1, 1), 1, "cells"),
    "one cell, many actions": Shape((4, 1, 1), 12, "planes"),
    "a list of numbers": Shape((30, 1, 1), 7, "dense"),
    "a row": Shape((2, 1, 9), 9, "cells"),
    "a column": Shape((2, 9, 1), 9, "cells"),
    "a row of columns": Shape((2, 1, 6), 6, "columns"),
    "one column": Shape((2, 7, 1), 1, "columns"),
    "one action": Shape((2, 3, 4), 1, "dense"),
    "two cells": Shape((1, 1, 2), 2, "cells"),
    "not square": Shape((2, 3, 11), 33, "cells"),
}
BLOCKS = get_args(NetworkConfig.model_fields["block"].annotation)
WAYS = ["openvino", "onnx", "numpy"]


def answered(file: NetworkFile, planes: Planes, way: str) -> Evaluation:
    if way != "onnx":
        return make_evaluator(file, backend=way, precision="f32")(planes)  # type: ignore[arg-type]
    core = openvino.Core()
    exact = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1}
    read = core.compile_model(core.read_model(onnx_model(file)), "CPU", exact)({"planes": planes})
    outputs: dict[str, NDArray[np.float32]] = {name: value for port, value in read.items() for name in port.names}
    blank = Evaluation(np.zeros((len(planes), file.num_actions)), np.full((len(planes), 3), np.nan))
    wdl = softmax(outputs["wdl_logits"]) if "wdl_logits" in outputs else blank.values
    return Evaluation(outputs.get("policy_logits", blank.logits), wdl)


def check_all_ways(file: NetworkFile, planes: Planes) -> Evaluation:
    expected = make_evaluator(file, backend="torch", precision="f32")(planes)
    for way in WAYS:
        found = answered(file, planes, way)
        np.testing.assert_allclose(found.logits, expected.logits, atol=2e-4, err_msg=way)
        np.testing.assert_allclose(found.values, expected.values, atol=2e-4, err_msg=way)
    return expected


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_four_ways_to_compute_a_network_agree(shape: Shape, block: str) -> None:
    config = NetworkConfig(blocks=3, channels=12, block=block, policy_channels=8, value_channels=8, **ALL_HEADS)
    file = settled_file(shape, config)
    answer = check_all_ways(file, random_board(shape.planes_shape, 5, seed=3))
    assert answer.logits.shape == (5, shape.num_actions)
    if shape.num_actions > 1:
        assert answer.logits.std() > 1e-3  # there is something to agree on
    np.testing.assert_allclose(answer.values.sum(1), 1, atol=1e-5)


@pytest.mark.parametrize("kind", ["policy", "value"])
@pytest.mark.parametrize("name", ["cells and a pass", "columns", "planes and extras", "dense"])
def test_one_head_alone(name: str, kind: str) -> None:
    config = NetworkConfig(blocks=1, channels=8, policy_channels=8, value_channels=8, kind=kind)
    shape = SHAPES[name]
    file = settled_file(shape, config)
    answer = check_all_ways(file, random_board(shape.planes_shape, 3))
    assert (file.has_policy, file.has_value) == (kind == "policy", kind == "value")
    if kind == "policy":
        assert np.isnan(answer.values).all()
        assert answer.logits.std() > 0
    else:
        assert not answer.logits.any()
        np.testing.assert_allclose(answer.values.sum(1), 1, atol=1e-5)


@pytest.mark.parametrize("name", ["cells and a pass", "columns", "planes and extras", "dense"])
def test_policy_and_value_with_no_layer_in_common(name: str) -> None:
    config = NetworkConfig(blocks=1, channels=8, policy_channels=8, value_channels=8, kind="separate")
    shape = SHAPES[name]
    file = settled_file(shape, config)
    planes = random_board(shape.planes_shape, 3)
    answer = check_all_ways(file, planes)
    assert Architecture.from_json(file.architecture.as_json()) == file.architecture
    assert file.has_policy
    assert file.has_value
    other = {weight: numbers + ("value_net" in weight) for weight, numbers in file.weights.items()}
    changed = make_evaluator(replace(file, weights=other), backend="torch", precision="f32")(planes)
    np.testing.assert_array_equal(changed.logits, answer.logits)
    assert not np.allclose(changed.values, answer.values)


@pytest.mark.parametrize("name", ["cells and a pass", "columns", "planes and extras", "one cell"])
def test_another_board_size_in_all_ways(name: str) -> None:
    shape = SHAPES[name]
    file = settled_file(shape, NetworkConfig(blocks=3, channels=8, policy_channels=8, value_channels=8))
    answer = check_all_ways(file, random_board((shape.planes_shape[0], 3, 9), 2))
    extra = {"cells and a pass": 27 + 1, "columns": 9, "planes and extras": 27 * 3 + 2, "one cell": 27}
    assert answer.logits.shape == (2, extra[name])


@pytest.mark.parametrize("precision", ["bf16", "int8"])
@pytest.mark.parametrize("name", ["one cell", "a row", "planes and extras", "dense"])
@pytest.mark.parametrize("block", BLOCKS)
def test_faster_precisions_take_every_shape(name: str, block: str, precision: str) -> None:
    shape = SHAPES[name]
    file = settled_file(shape, NetworkConfig(blocks=3, channels=8, block=block, policy_channels=8, value_channels=8))
    planes = random_board(shape.planes_shape, 40)
    ask = make_evaluator(file, backend="openvino", precision=precision, calibration=planes)  # type: ignore[arg-type]
    exact = make_evaluator(file, backend="openvino", precision="f32")(planes)
    np.testing.assert_allclose(ask(planes).values, exact.values, atol=0.1)


def test_every_kind_of_layer_is_compared() -> None:
    """A kind that no config makes would slip through the tests above."""
    seen = set()
    for shape in SHAPES.values():
        for block in BLOCKS:
            architecture = describe(shape, NetworkConfig(block=block, **ALL_HEADS))
            seen |= {(layer.kind, layer.version) for layer in (*architecture.trunk, *architecture.heads)}
    assert seen == set(KINDS)


def test_an_action_of_a_plane_stands_where_its_cell_is() -> None:
    """Turning the weights and the board around turns every plane of the policy."""
    shape = SHAPES["planes and extras"]
    file = settled_file(shape, NetworkConfig(blocks=1, channels=8, policy_channels=8))
    turned = replace(file, weights={name: _mirrored(weight) for name, weight in file.weights.items()})
    planes = random_board(shape.planes_shape, 2)
    before = make_evaluator(file, backend="numpy")(planes).logits
    after = make_evaluator(turned, backend="numpy")(planes[..., ::-1]).logits
    cells = before[:, :72].reshape(2, 3, 4, 6)
    np.testing.assert_allclose(after[:, :72].reshape(2, 3, 4, 6), cells[..., ::-1], atol=1e-4)
    np.testing.assert_allclose(after[:, 72:], before[:, 72:], atol=1e-4)
    assert np.abs(cells - cells[..., ::-1]).max() > 0.01


def _mirrored(weight: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.ascontiguousarray(weight[..., ::-1]) if weight.ndim == 4 else weight


def test_a_dense_head_stays_small_whatever_the_number_of_actions() -> None:
    for name in ("chess", "dense", "one action"):
        shape = SHAPES[name]
        (head,) = (head for head in describe(shape, NetworkConfig()).heads if head.name == "policy")
        cells = shape.planes_shape[1] * shape.planes_shape[2]
        assert head.sizes["hidden"] * cells * shape.num_actions <= MOST_DENSE_WEIGHTS
        assert head.sizes["hidden"] == min(32, MOST_DENSE_WEIGHTS // (cells * shape.num_actions))


@pytest.mark.parametrize(
    ("shape", "complaint"),
    [
        (Shape((3, 6, 7), 7, "cells"), "only 7 actions on a board of 6x7"),
        (Shape((3, 6, 7), 41, "planes"), "only 41 actions"),
        (Shape((3, 6, 7), 8, "columns"), "8 actions on a board of 6x7"),
        (Shape((3, 6, 7), 7, "rows"), "no action layout 'rows'"),
        (Shape((0, 6, 7), 42, "cells"), "at least one plane"),
        (Shape((3, 6, 7), 0, "dense"), "at least one plane, one cell and one action"),
    ],
)
def test_games_that_contradict_themselves_are_refused_in_words(shape: Shape, complaint: str) -> None:
    with pytest.raises(ArchitectureError, match=complaint):
        describe(shape, NetworkConfig())


def test_a_description_is_plain_data_and_comes_back_the_same() -> None:
    for shape in SHAPES.values():
        architecture = describe(shape, NetworkConfig(**ALL_HEADS))
        assert Architecture.from_json(architecture.as_json()) == architecture


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"kind": "attention"}, "no layer 'attention' of version 1"),
        ({"version": 2}, "no layer 'residual' of version 2 here; a newer tengen"),
        ({"sizes": {"width": 8}}, "has the sizes channels, not width"),
        ({"sizes": {"channels": 9}}, "8 channels|9 channels"),
        ({"name": "stem"}, "two layers are called 'stem'|absent"),
        ({"name": "blocks.7"}, r"'blocks\.0\.first\.conv\.weight' should be absent"),
    ],
)
def test_a_description_that_does_not_fit_is_refused_in_words(change: dict[str, object], complaint: str) -> None:
    shape = SHAPES["cells"]
    file = settled_file(shape, NetworkConfig(blocks=1, channels=8))
    stem, block = file.architecture.trunk
    broken = replace(file.architecture, trunk=(stem, replace(block, **change)))
    with pytest.raises(ArchitectureError, match=complaint):
        check_weights(broken, shape, file.weights)


def test_a_head_computes_no_answer_that_nobody_wants() -> None:
    file = settled_file(SHAPES["cells"], NetworkConfig(blocks=1, channels=8, **ALL_HEADS))
    needed = {piece.name for piece in pieces(file.architecture, file.planes_shape, ("logits", "wdl_logits"))}
    assert "value.out" in needed
    assert not {"value.score", "ownership", "reply.out"} & needed
    everything = {piece.name for piece in pieces(file.architecture, file.planes_shape)}
    assert {"value.score", "ownership", "reply.out"} <= everything


def test_a_new_kind_is_one_function(monkeypatch: pytest.MonkeyPatch) -> None:
    """What docs/networks.md says: a function and a line in KINDS, and all four compute it."""

    def bottleneck(net, name, x, *, channels, inner):  # type: ignore[no-untyped-def]
        y = net.relu(net.conv_norm(f"{name}.down", x, inner, 1))
        y = net.relu(net.conv_norm(f"{name}.middle", y, inner, 3))
        return net.relu(net.add(net.conv_norm(f"{name}.up", y, channels, 1), x))

    monkeypatch.setitem(KINDS, ("bottleneck", 1), bottleneck)
    shape = SHAPES["columns"]
    plain = describe(shape, NetworkConfig(blocks=1, channels=8))
    block = Layer("bottleneck", "blocks.0", {"channels": 8, "inner": 4})
    file = settled_file(shape, replace(plain, trunk=(plain.trunk[0], block)))
    check_all_ways(file, random_board(shape.planes_shape, 4))


def test_walking_gives_only_what_was_asked_for() -> None:
    file = settled_file(SHAPES["cells"], NetworkConfig(blocks=1, channels=8, **ALL_HEADS))
    from tengen.network.operations import Pieces

    answers = walk(Pieces(), file.architecture, file.planes_shape, ("score",))
    assert answers == {"score": (1,)}
