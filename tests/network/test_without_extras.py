"""A bundled network plays with OpenVINO alone and with numpy alone; what is missing is named with its extra."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from small_networks import ALL_HEADS, SHAPES, random_board, settled_file

import tengen
from tengen.config import ConfigError, LearnerConfig, NetworkConfig, load_config
from tengen.learner import Learner
from tengen.network import check_device, evaluator, make_evaluator
from tengen.network.checkpoint import find_network, load_network
from tengen.network.evaluator import check_has_value
from tengen.players import make_player, playing_params
from tengen.train import train

FORBID = "import sys\nfor name in {names!r}: sys.modules[name] = None\n"
PLAY = """
import tengen
agent = tengen.Agent("tic_tac_toe", simulations=20)
print(agent.evaluator.description)
print(agent.choose(agent.game.state("b2 a1 c3")))
"""


def in_a_new_process(code: str, *, without: tuple[str, ...]) -> str:
    done = subprocess.run(
        [sys.executable, "-c", FORBID.format(names=without) + code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_openvino_is_enough() -> None:
    said = in_a_new_process(PLAY, without=("torch", "onnx", "nncf"))
    assert said.startswith("OpenVINO")
    assert "not installed" not in said


def test_numpy_is_enough_and_says_what_would_be_faster() -> None:
    said = in_a_new_process(PLAY, without=("torch", "openvino", "onnx", "nncf"))
    assert said.startswith("numpy f32 on the CPU")
    assert "OpenVINO, which is much faster on a CPU, is not installed (pip install 'tengen[openvino]')" in said
    assert int(said.splitlines()[-1]) in range(9)


@pytest.mark.parametrize(("backend", "extra"), [("openvino", "openvino"), ("torch", "train")])
def test_what_is_missing_is_named_with_its_extra(backend: str, extra: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluator, "_is_installed", lambda package: False)
    network = load_network(find_network("tic_tac_toe"))
    with pytest.raises(tengen.EvaluatorError, match=rf"is not installed: pip install 'tengen\[{extra}\]'"):
        make_evaluator(network, backend=backend)  # type: ignore[arg-type]


def test_learning_without_torch_names_the_extra() -> None:
    code = "import tengen\ntry:\n    import tengen.learner\nexcept tengen.TengenError as error:\n    print(error)\n"
    assert "pip install 'tengen[train]'" in in_a_new_process(code, without=("torch",))


def test_numpy_says_what_the_others_say_about_a_bundled_network() -> None:
    for name in ("tic_tac_toe", "connect_four"):
        file = load_network(find_network(name))
        planes = random_board(file.planes_shape, 300)
        expected = make_evaluator(file, backend="openvino", precision="f32")(planes)
        found = make_evaluator(file, backend="numpy")(planes)
        np.testing.assert_allclose(found.logits, expected.logits, atol=1e-3)
        np.testing.assert_allclose(found.values, expected.values, atol=1e-4)


def test_numpy_clones_empty_batches_and_ownership() -> None:
    shape = SHAPES["go 9x9"]
    file = settled_file(shape, NetworkConfig(blocks=1, channels=8, **ALL_HEADS))
    ask = make_evaluator(file, backend="numpy")
    assert ask(np.zeros((0, 6, 9, 9), np.float32)).logits.shape == (0, 82)
    planes = random_board(shape.planes_shape, 3)
    assert np.array_equal(ask.clone()(planes).logits, ask(planes).logits)
    expected = make_evaluator(file, backend="torch", precision="f32").ownership(planes)
    np.testing.assert_allclose(ask.ownership(planes), expected, atol=1e-4)
    margins = make_evaluator(file, backend="torch", precision="f32").score(planes)
    assert margins is not None
    np.testing.assert_allclose(ask.score(planes), margins, atol=1e-4)
    np.testing.assert_allclose(
        make_evaluator(file, backend="openvino", precision="f32").score(planes), margins, atol=1e-4
    )
    assert make_evaluator(load_network(find_network("tic_tac_toe")), backend="numpy").ownership(planes[:, :2]) is None
    assert make_evaluator(load_network(find_network("tic_tac_toe")), backend="numpy").score(planes[:, :2]) is None


@pytest.mark.parametrize(
    ("choice", "complaint"), [({"precision": "int8"}, "numpy evaluates in f32"), ({"device": "cuda"}, "on the CPU")]
)
def test_what_numpy_can_not(choice: dict[str, str], complaint: str) -> None:
    with pytest.raises(tengen.EvaluatorError, match=complaint):
        make_evaluator(load_network(find_network("tic_tac_toe")), backend="numpy", **choice)  # type: ignore[arg-type]


# ---- Devices


def test_a_gpu_that_is_not_there_is_named() -> None:
    for device in ("auto", "cpu"):
        check_device(device)
    with pytest.raises(tengen.EvaluatorError, match=r"device = 'xpu:9'.*'auto' takes a GPU if there is one"):
        check_device("xpu:9")


def test_the_learner_says_so_before_anything_else(monkeypatch: pytest.MonkeyPatch) -> None:
    from tengen.network import on_torch

    monkeypatch.setattr(on_torch, "is_there", lambda device: device == "cpu")
    with pytest.raises(tengen.EvaluatorError, match="device = 'cuda', but torch can't use one"):
        Learner(tengen.load("tic_tac_toe"), NetworkConfig(), LearnerConfig(device="cuda"), seed=1, discount=1.0)


def test_one_sample_of_one_cell_can_not_be_normalised() -> None:
    class OneCell:
        class spec:
            name, planes_shape, num_actions, action_layout = "one", (4, 1, 1), 3, "dense"
            height = width = 1

    with pytest.raises(ConfigError, match=r"learner\.batch"):
        Learner(OneCell(), NetworkConfig(), LearnerConfig(batch=1), seed=1, discount=1.0)  # type: ignore[arg-type]


# ---- A policy or a value alone


def test_a_policy_alone_plays_but_does_not_search() -> None:
    file = settled_file(SHAPES["tic-tac-toe"], NetworkConfig(blocks=1, channels=8, kind="policy"))
    ask = make_evaluator(file, backend="openvino")
    game = tengen.load("tic_tac_toe")
    player = make_player("network:any", game, lambda model, game: ask)
    assert player.choose([game.initial_state()], [0])[0] in range(9)
    with pytest.raises(tengen.EvaluatorError, match="has only a policy, and a search needs a value"):
        make_player("search:any:8", game, lambda model, game: ask)
    with pytest.raises(tengen.EvaluatorError, match="needs a value"):
        check_has_value(file)
    with pytest.raises(tengen.EvaluatorError):  # nor does a search take what it says for values
        tengen.search(game, [game.initial_state()], ask, simulations=8)


def test_a_value_alone_searches_with_all_actions_alike() -> None:
    file = settled_file(SHAPES["tic-tac-toe"], NetworkConfig(blocks=1, channels=8, kind="value"))
    game = tengen.load("tic_tac_toe")
    ask = make_evaluator(file, backend="openvino")
    (answer,) = tengen.search(game, [game.initial_state()], ask, playing_params(file, 50, game))
    assert answer.best_action in range(9)


@pytest.mark.parametrize("kind", ["policy", "value"])
def test_each_is_learned_alone(kind: str) -> None:
    from test_own_net import Window

    network = NetworkConfig(blocks=1, channels=8, kind=kind)
    config = LearnerConfig(batch=64, learning_rate=0.01, warmup=0.0, threads=1)
    learner = Learner(tengen.load("tic_tac_toe"), network, config, seed=1, discount=1.0)
    first, last = (
        learner.learn(Window(), steps, np.random.default_rng(1), progress=(0.1, 0.2))  # type: ignore[arg-type]
        for steps in (3, 30)
    )
    losses = {"policy": last.policy_loss, "value": last.value_loss}
    assert 0 < losses.pop(kind) < (first.policy_loss if kind == "policy" else first.value_loss)
    assert list(losses.values()) == [0.0]


# ---- Agents


def test_an_agent_takes_parameters_of_the_search() -> None:
    agent = tengen.Agent("tic_tac_toe", simulations=10, c_puct=2.0)
    assert agent.params.c_puct == 2.0
    assert agent.params.simulations == 10
    assert tengen.Agent("tic_tac_toe", simulations=10).params.c_puct != 2.0


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        ({"cpuct": 2}, "no setting 'cpuct'; did you mean 'c_puct'"),
        ({"c_puct": -1}, "c_puct"),
        ({"zzz": 1}, "there are"),
    ],
)
def test_an_agent_refuses_what_it_does_not_know(wrong: dict[str, float], complaint: str) -> None:
    with pytest.raises(tengen.TengenError, match=complaint):
        tengen.Agent("tic_tac_toe", **wrong)  # type: ignore[arg-type]


def test_the_path_of_a_network_is_enough(tmp_path: Path) -> None:
    copied = tmp_path / "mine.safetensors"
    copied.write_bytes(find_network("tic_tac_toe").read_bytes())
    assert tengen.Agent(copied, simulations=4).game.spec.name == "tic_tac_toe"


def test_a_run_needs_a_value(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"network\.kind: a run searches, and a search needs a value"):
        train(load_config(game="tic_tac_toe", network={"kind": "policy"}), tmp_path / "run")
    assert not (tmp_path / "run").exists()
