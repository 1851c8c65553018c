"""Evaluators: OpenVINO says what torch says, faster precisions stay within bounds, and batches don't matter."""

import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from small_networks import ALL_HEADS, SHAPES, Shape, file_of, random_board, settled_net, trained_file

import tengen
from tengen.config import NetworkConfig
from tengen.network import agreement, evaluator, make_evaluator
from tengen.network.checkpoint import NetworkFile, NetworkFileError, save_network
from tengen.network.evaluator import Evaluation, Planes
from tengen.network.on_openvino import BATCHES, calibrate, pieces
from tengen.network.positions import random_states

CONFIG = NetworkConfig(blocks=3, channels=16, policy_channels=8, value_channels=8, **ALL_HEADS)
PRECISIONS = ["f32", "bf16", "int8"]


@pytest.fixture(scope="module")
def trained() -> NetworkFile:
    """A 4x64 network for Connect Four that has learned to tell moves and positions apart."""
    return trained_file(tengen.load("connect_four"), NetworkConfig(), steps=30)


@pytest.fixture(scope="module")
def planes() -> Planes:
    """Positions of random games that nobody trained or calibrated on."""
    return np.stack([state.planes() for state in random_states(tengen.load("connect_four"), 300, seed=9)])


def same(one: Evaluation, other: Evaluation) -> bool:
    return np.array_equal(one.logits, other.logits) and np.array_equal(one.values, other.values)


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_openvino_computes_the_function_of_torch(shape: Shape) -> None:
    file = file_of(shape, CONFIG, settled_net(shape, CONFIG))
    board = random_board(shape.planes_shape, 21, seed=7)
    expected = make_evaluator(file, backend="torch", precision="f32")(board)
    found = make_evaluator(file, backend="openvino", precision="f32")(board)
    np.testing.assert_allclose(found.logits, expected.logits, atol=1e-4)
    np.testing.assert_allclose(found.values, expected.values, atol=1e-4)
    np.testing.assert_allclose(found.values.sum(1), 1, atol=1e-5)
    assert expected.logits.std() > 0.01  # there is something to agree on


@pytest.mark.parametrize("backend", ["torch", "openvino"])
def test_any_board_size(backend: evaluator.Backend) -> None:
    shape = SHAPES["go 9x9"]
    ask = make_evaluator(file_of(shape, CONFIG, settled_net(shape, CONFIG)), backend=backend, precision="f32")
    for size in (9, 13, 9, 19):
        answer = ask(random_board((6, size, size), 2))
        assert answer.logits.shape == (2, size * size + 1)
        assert answer.values.shape == (2, 3)


def test_backends_agree_on_a_larger_board() -> None:
    shape = SHAPES["connect four"]
    file = file_of(shape, CONFIG, settled_net(shape, CONFIG))
    board = random_board((3, 9, 11), 3)
    expected, found = (make_evaluator(file, backend=b, precision="f32")(board) for b in ("torch", "openvino"))
    np.testing.assert_allclose(found.logits, expected.logits, atol=1e-4)


@pytest.mark.parametrize(("backend", "precision"), [("torch", "bf16"), ("openvino", "bf16"), ("openvino", "int8")])
def test_faster_precisions_stay_within_bounds(
    trained: NetworkFile, planes: Planes, backend: evaluator.Backend, precision: evaluator.Precision
) -> None:
    expected = make_evaluator(trained, backend="torch", precision="f32")(planes)
    found = agreement(expected, make_evaluator(trained, backend=backend, precision=precision)(planes))
    assert found.within_bounds, found
    # Rounding can be seen: it is this precision that answered. And the network is not trivially easy to agree with.
    assert found.value_error > 0
    value = expected.values[:, 0] - expected.values[:, 2]
    assert value.std() > 0.1
    assert expected.logits.std(1).mean() > 0.1


@pytest.mark.parametrize("precision", PRECISIONS)
def test_a_row_gives_the_same_bits_in_any_batch(
    trained: NetworkFile, planes: Planes, precision: evaluator.Precision
) -> None:
    ask = make_evaluator(trained, backend="openvino", precision=precision)
    whole = ask(planes)
    for rows in (1, 2, 5, 16, 31, 100, 129):
        part = ask(planes[40 : 40 + rows])
        assert same(part, Evaluation(whole.logits[40 : 40 + rows], whole.values[40 : 40 + rows]))
    shuffled = np.random.default_rng(0).permutation(len(planes))
    assert same(ask(planes[shuffled]), Evaluation(whole.logits[shuffled], whole.values[shuffled]))


def test_what_fills_up_a_batch_does_not_matter(trained: NetworkFile, planes: Planes) -> None:
    """The rest of an earlier, larger batch stays in the padding."""
    ask = make_evaluator(trained, backend="openvino", precision="f32")
    assert pieces(15) == (16,)
    fresh = ask(planes[:15])
    ask(1e3 * planes[100:116])
    assert same(ask(planes[:15]), fresh)


def test_answers_stay_valid_after_the_next_call(trained: NetworkFile, planes: Planes) -> None:
    for backend in ("torch", "openvino"):
        ask = make_evaluator(trained, backend=backend, precision="f32")
        first = ask(planes[:4])
        kept = Evaluation(first.logits.copy(), first.values.copy())
        ask(planes[4:8])
        assert same(first, kept)


@pytest.mark.parametrize("backend", ["torch", "openvino"])
def test_empty_batch(trained: NetworkFile, backend: evaluator.Backend) -> None:
    answer = make_evaluator(trained, backend=backend, precision="f32")(np.zeros((0, 3, 6, 7), np.float32))
    assert answer.logits.shape == (0, 7)
    assert answer.values.shape == (0, 3)


@pytest.mark.parametrize("rows", [*range(1, 140), 300, 200_000])
def test_a_batch_is_cut_into_known_sizes_with_little_waste(rows: int) -> None:
    cut = pieces(rows)
    assert set(cut) <= set(BATCHES)
    assert rows <= sum(cut) <= rows + max(6, rows // 4)
    assert sum(cut[:-1]) < rows


@pytest.mark.parametrize("backend", ["torch", "openvino"])
def test_planes_of_another_game_are_refused(trained: NetworkFile, backend: evaluator.Backend) -> None:
    ask = make_evaluator(trained, backend=backend, precision="f32")
    for shape in [(1, 2, 6, 7), (3, 6, 7)]:
        with pytest.raises(tengen.EvaluatorError, match=r"planes \[batch, 3, height, width\]"):
            ask(np.zeros(shape, np.float32))


def test_planes_in_any_memory_order(trained: NetworkFile, planes: Planes) -> None:
    turned = np.ascontiguousarray(planes[:8, :, :, ::-1])[:, :, :, ::-1]
    read_only = planes[:8].copy()
    read_only.flags.writeable = False
    for backend in ("torch", "openvino"):
        ask = make_evaluator(trained, backend=backend, precision="f32")
        assert same(ask(turned), ask(planes[:8]))
        assert same(ask(read_only), ask(planes[:8]))


@pytest.mark.parametrize(("backend", "precision"), [("torch", "f32"), ("openvino", "int8")])
def test_threads_with_a_clone_each_say_the_same(
    trained: NetworkFile, planes: Planes, backend: evaluator.Backend, precision: evaluator.Precision
) -> None:
    ask = make_evaluator(trained, backend=backend, precision=precision)
    expected = ask(planes[:70])
    answers: dict[int, list[Evaluation]] = {0: [], 1: [], 2: []}

    def work(index: int, own: evaluator.NetworkEvaluator) -> None:
        for _ in range(6):
            answers[index].append(own(planes[:70]))

    clones = [ask.clone() for _ in answers]
    assert clones[0].description == ask.description
    threads = [threading.Thread(target=work, args=pair) for pair in enumerate(clones)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [len(mine) for mine in answers.values()] == [6, 6, 6]
    assert all(same(answer, expected) for mine in answers.values() for answer in mine)


def test_the_number_of_threads_does_not_change_the_bits(trained: NetworkFile, planes: Planes) -> None:
    one, two = (make_evaluator(trained, backend="openvino", precision="int8", threads=n) for n in (1, 2))
    assert "2 threads" in two.description
    assert same(one(planes[:64]), two(planes[:64]))


def test_auto_takes_int8_and_says_why(trained: NetworkFile, planes: Planes) -> None:
    ask = make_evaluator(trained, calibration=planes)
    assert ask.description.startswith("OpenVINO int8 on the CPU, 1 thread: the fastest that agrees with f32 (KL ")
    assert "on 150 positions" in ask.description  # the half that int8 was not calibrated on
    assert "GPU" in ask.description
    again = make_evaluator(trained, calibration=planes)
    assert same(ask(planes), again(planes))


def test_auto_falls_back_and_says_why(trained: NetworkFile, planes: Planes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluator, "MOST_DIVERGENCE", 0.0)
    ask = make_evaluator(trained, calibration=planes[:32])
    assert "f32" in ask.description
    assert "int8 does not" in ask.description
    assert "bf16 does not" in ask.description
    assert same(ask(planes), make_evaluator(trained, backend="openvino", precision="f32")(planes))


def test_auto_without_positions_stays_with_f32(trained: NetworkFile) -> None:
    elsewhere = replace(trained, game="no_such_game", source="no_such_game")
    description = make_evaluator(elsewhere).description
    assert "OpenVINO f32" in description
    assert "no positions to check" in description
    with pytest.raises(tengen.TengenError, match="no_such_game"):
        make_evaluator(elsewhere, precision="int8")


def test_calibration_sees_the_largest_number_of_every_convolution() -> None:
    shape = SHAPES["go 9x9"]
    net = settled_net(shape, CONFIG)
    board = random_board(shape.planes_shape, 70)
    ranges = calibrate(file_of(shape, CONFIG, net), board)
    assert sorted(ranges) == sorted(f"blocks.{i}.{part}" for i in range(3) for part in ("first", "second"))
    seen: dict[str, float] = {}
    for name in ranges:
        module = net.get_submodule(name)
        module.register_forward_pre_hook(lambda _, inputs, name=name: seen.update({name: inputs[0].max().item()}))
    with torch.no_grad():
        net(torch.from_numpy(board))
    assert ranges == pytest.approx(seen, rel=1e-4)


def test_nan_weights_are_refused(trained: NetworkFile) -> None:
    weights = {name: weight.copy() for name, weight in trained.weights.items()}
    weights["blocks.1.first.conv.weight"][0, 0, 0, 0] = np.nan
    broken = replace(trained, weights=weights)
    with pytest.raises(NetworkFileError, match=r"blocks\.1\.first\.conv\.weight"):
        make_evaluator(broken)


@pytest.mark.parametrize(
    ("choice", "complaint"),
    [
        ({"backend": "onnx"}, "no backend 'onnx'"),
        ({"precision": "int4"}, "no precision 'int4'"),
        ({"backend": "torch", "precision": "int8"}, "OpenVINO does int8"),
        ({"backend": "openvino", "device": "cuda"}, "backend='torch' does"),
        ({"backend": "torch", "device": "no_such"}, "device = 'no_such', but torch can't use one"),
    ],
)
def test_impossible_choices(trained: NetworkFile, choice: dict[str, str], complaint: str) -> None:
    with pytest.raises(tengen.EvaluatorError, match=complaint):
        make_evaluator(trained, **choice)  # type: ignore[arg-type]


def test_a_gpu_is_used_or_named_but_never_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    from tengen.network import on_torch

    monkeypatch.setattr(on_torch, "find_gpu", lambda: "cuda")
    monkeypatch.setattr(on_torch, "device_name", lambda device: f"{device} (a GPU)")
    assert evaluator._choose_device("auto", "auto")[0] == "cuda"
    assert "device='cpu'" in evaluator._choose_device("auto", "auto")[1]
    device, about = evaluator._choose_device("openvino", "auto")
    assert device == "cpu"
    assert "cuda (a GPU)" in about
    monkeypatch.setattr(on_torch, "find_gpu", lambda: None)
    assert evaluator._choose_device("auto", "auto") == ("cpu", "torch sees no GPU")


def in_a_new_process(code: str, *arguments: str) -> None:
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_imports_are_light() -> None:
    in_a_new_process(
        "import sys, tengen, tengen.network; heavy = {'torch', 'openvino', 'nncf'} & set(sys.modules);"
        "assert not heavy, heavy"
    )


def test_playing_needs_no_torch(trained: NetworkFile, tmp_path: Path) -> None:
    path = tmp_path / "net.safetensors"
    save_network(path, trained)
    in_a_new_process(
        "import sys, tengen\n"
        "from tengen.network import make_evaluator\n"
        "from tengen.network.checkpoint import load_network\n"
        "sys.modules['torch'] = sys.modules['nncf'] = None  # importing them now fails\n"
        "network = load_network(sys.argv[1])\n"
        "evaluate = make_evaluator(network, backend='openvino')\n"
        "assert 'int8' in evaluate.description, evaluate.description\n"
        "game = tengen.load('connect_four')\n"
        "tengen.search(game, [game.initial_state()], evaluate, simulations=20)\n",
        str(path),
    )
