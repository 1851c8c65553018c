"""A torch module of one's own: it learns, plays by torch and OpenVINO, and is never run because a file names it."""

import os
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
from small_networks import random_board
from small_runs import SMALL

import tengen
from tengen.config import ConfigError, LearnerConfig, NetworkConfig, load_config
from tengen.export import ExportError
from tengen.export.kaggle import agent_program
from tengen.export.onnx_file import onnx_model
from tengen.learner import Learner
from tengen.network import make_evaluator, modules
from tengen.network.checkpoint import NetworkFileError, check_fits, load_network, save_network
from tengen.network.modules import ModuleError, ModuleWarning
from tengen.replay import Samples
from tengen.train import train

NETS = Path(__file__).with_name("own_nets.py")
GAME = tengen.load("tic_tac_toe")
PLANES = random_board((2, 3, 3), 5, seed=2)


class Window:
    """Positions whose best action is the first cell, and which are won."""

    positions = 1000

    def sample(self, count: int, rng: np.random.Generator) -> Samples:
        first = np.zeros((count, 9), np.float32)
        first[:, 0] = 1
        rows = {
            "planes": (rng.random((count, 2, 3, 3)) < 0.4).astype(np.float32),
            "legal": np.ones((count, 9), bool),
            "policy": first,
            "reply": first,
            "plies_left": np.full(count, 5, np.float32),
            "ownership": None,
            "score": None,
        }
        ones = np.ones(count, np.float32)  # all else: the outcome, the search's value, the weights
        return Samples(**{field.name: rows.get(field.name, ones) for field in fields(Samples)})


def learner_of(name: str, **settings: object) -> Learner:
    network = NetworkConfig(module=f"{NETS}:{name}", settings=settings)
    config = LearnerConfig(batch=128, learning_rate=0.02, warmup=0.0, threads=2, precision="f32")
    return Learner(GAME, network, config, seed=1, discount=0.9)


def learn(learner: Learner, steps: int = 12):  # type: ignore[no-untyped-def]
    return learner.learn(Window(), steps, np.random.default_rng(1), progress=(0.1, 0.2))  # type: ignore[arg-type]


@pytest.fixture
def file_of_flat(tmp_path: Path) -> Path:
    path = tmp_path / "net.safetensors"
    save_network(path, learner_of("Flat", width=16).network_file())
    return path


@pytest.mark.parametrize("name", ["Flat", "Convolutions"])
@pytest.mark.parametrize("backend", ["torch", "openvino"])
def test_it_learns_and_plays(name: str, backend: str, tmp_path: Path) -> None:
    learner = learner_of(name)
    first, last = learn(learner), learn(learner, 40)
    assert last.policy_loss < 0.5 * first.policy_loss
    assert last.value_loss < min(first.value_loss, last.value_loss_of_mean + 0.05)
    save_network(tmp_path / "net.safetensors", learner.network_file(iteration=2))
    file = load_network(tmp_path / "net.safetensors")
    check_fits(file, GAME)
    answer = make_evaluator(file, backend=backend, precision="f32")(PLANES)  # type: ignore[arg-type]
    assert (answer.logits.argmax(1) == 0).all()
    assert (answer.values[:, 0] > 0.5).all()
    np.testing.assert_allclose(answer.values.sum(1), 1, atol=1e-5)


def test_backends_agree() -> None:
    file = learner_of("Convolutions").network_file()
    one, other = (make_evaluator(file, backend=name, precision="f32")(PLANES) for name in ("torch", "openvino"))
    np.testing.assert_allclose(one.logits, other.logits, atol=1e-4)
    np.testing.assert_allclose(one.values, other.values, atol=1e-4)


def test_its_own_losses_are_learned_and_reported() -> None:
    learner = learner_of("Flat")
    first, last = learn(learner), learn(learner, 60)
    assert set(first.own_losses) == {"length"}
    assert 0 < last.own_losses["length"] < first.own_losses["length"]


def test_a_loss_with_the_name_of_ours_takes_its_place() -> None:
    learner = learner_of("OwnPolicyLoss")
    before = learner.state()["net.module.policy.weight"]
    report = learn(learner)
    assert report.policy_loss == 0
    assert report.own_losses == {}
    np.testing.assert_allclose(learner.state()["net.module.policy.weight"], before, rtol=1e-2)


def test_a_learner_goes_on_with_the_same_bits() -> None:
    whole, first = learner_of("Flat"), learner_of("Flat")
    learn(whole), learn(first)
    rest = learner_of("Flat")
    rest.load_state(first.state())
    learn(whole), learn(rest)
    assert whole.network_file().digest == rest.network_file().digest


def test_a_config_names_it() -> None:
    config = load_config(game="tic_tac_toe", network=f"{NETS}:Flat")
    assert config.network == NetworkConfig(module=f"{NETS}:Flat")
    table = load_config(game="tic_tac_toe", network={"module": f"{NETS}:Flat", "settings": {"width": 8}})
    assert table.network.settings == {"width": 8}


def test_int8_is_given_up_and_says_so() -> None:
    ask = make_evaluator(learner_of("Flat").network_file(), precision="int8")
    assert "int8 needs a network made of layers" in ask.description
    assert "OpenVINO bf16" in ask.description


def test_what_openvino_can_not_convert_is_computed_by_torch() -> None:
    ask = make_evaluator(learner_of("Unconvertible").network_file(), backend="openvino", precision="f32")
    assert ask.description.startswith("torch f32")
    assert "OpenVINO can't convert" in ask.description
    assert ask(PLANES).logits.shape == (5, 9)


def test_exports_are_refused_in_words() -> None:
    file = learner_of("Flat").network_file()
    with pytest.raises(ExportError, match=r"torch\.onnx\.export"):
        onnx_model(file)
    with pytest.raises(ExportError):
        agent_program(file)
    with pytest.raises(tengen.EvaluatorError, match="numpy can't compute a torch module"):
        make_evaluator(file, backend="numpy")


def test_it_plays_one_board_size() -> None:
    game = tengen.load("gomoku", size=9)
    network = NetworkConfig(module=f"{NETS}:Flat")
    file = Learner(game, network, LearnerConfig(batch=64), seed=1, discount=1.0).network_file()
    with pytest.raises(NetworkFileError, match="made for one size"):
        check_fits(file, tengen.load("gomoku", size=15))


def in_a_new_process(path: Path, *arguments: str, **environment: str) -> str:
    code = (
        "import sys, warnings, numpy as np, tengen\n"
        "from tengen.network import make_evaluator\n"
        "from tengen.network.checkpoint import load_network\n"
        "file = load_network(sys.argv[1])\n"
        "try:\n"
        "    ask = make_evaluator(file, precision='f32', module=sys.argv[2] if len(sys.argv) > 2 else '')\n"
        "    print(ask(np.zeros((1, 2, 3, 3), np.float32)).logits.shape)\n"
        "except tengen.TengenError as error:\n"
        "    print(type(error).__name__, error)\n"
    )
    command = [sys.executable, "-c", code, str(path), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ, **environment})
    return done.stdout


def test_the_file_is_not_run_unless_the_user_names_it(file_of_flat: Path) -> None:
    said = in_a_new_process(file_of_flat)
    assert said.startswith("ModuleError")
    assert "own_nets.py:Flat" in said
    assert "TENGEN_MODULE" in said
    assert in_a_new_process(file_of_flat, f"{NETS}:Flat") == "(1, 9)\n"
    assert in_a_new_process(file_of_flat, TENGEN_MODULE=f"{NETS}:Flat") == "(1, 9)\n"


def test_a_module_that_was_changed_since_is_named(file_of_flat: Path, tmp_path: Path) -> None:
    changed = tmp_path / "changed.py"
    changed.write_text(NETS.read_text() + "\n# a remark\n")
    file = load_network(file_of_flat)
    with pytest.warns(ModuleWarning, match="changed since"):
        make_evaluator(file, backend="torch", module=f"{changed}:Flat")
    with (
        pytest.warns(ModuleWarning),
        pytest.raises(NetworkFileError, match=r"'module\.blocks\.0\.weight' is absent or of another shape"),
    ):
        make_evaluator(file, backend="torch", module=f"{changed}:Convolutions")


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("WrongShape", r"'wdl_logits' \[\d+, 3\], not \[\d+\]"),
        ("NoDict", "must give a dict with 'logits'"),
        ("Fails", "Fails failed: RuntimeError"),
        ("WrongLosses", "losses must give a dict of tensors without dimensions"),
        ("not_a_module", "is not a torch.nn.Module"),
        ("Nobody", "There is no class Nobody"),
    ],
)
def test_mistakes_in_a_module_are_named(name: str, complaint: str) -> None:
    with pytest.raises(ModuleError, match=complaint):
        learn(learner_of(name), 1)


@pytest.mark.parametrize(
    ("module", "complaint"),
    [
        ("my_net", "named as FILE.py:CLASS"),
        ("my_net.py", "named as FILE.py:CLASS"),
        ("no_such_file.py:Net", "can't be read"),
        ("my_net.py:not a name", "named as FILE.py:CLASS"),
    ],
)
def test_a_module_that_is_not_there(module: str, complaint: str) -> None:
    with pytest.raises(ModuleError, match=complaint):
        Learner(GAME, NetworkConfig(module=module), LearnerConfig(), seed=1, discount=1.0)


def test_settings_that_the_class_does_not_take() -> None:
    with pytest.raises(ModuleError, match=r"can't be made: TypeError.*depth"):
        learner_of("Flat", depth=3)


def test_a_file_that_fails_is_named(tmp_path: Path) -> None:
    broken = tmp_path / "broken.py"
    broken.write_text("1 / 0\n")
    with pytest.raises(ModuleError, match=r"broken\.py can't be run: ZeroDivisionError"):
        modules.load_class(f"{broken}:Net")


def test_an_unknown_kind_of_network_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"network\.kind"):
        load_config(game="tic_tac_toe", network={"kind": "both"})
    with pytest.raises(ConfigError, match="margin is predicted by the value head"):
        load_config(game="go", network={"kind": "policy", "score_head": True})


def test_the_example_of_the_documentation_is_trained_and_plays(tmp_path: Path) -> None:
    """As docs/networks.md has it: from the file and the config to a run, and to an agent that is told the module."""
    text = (Path(__file__).parents[2] / "docs" / "networks.md").read_text()
    blocks = {part.splitlines()[1]: part.partition("\n")[2] for part in text.split("```") if "\n# my_" in part}
    module, config = tmp_path / "my_net.py", tmp_path / "my_run.toml"
    module.write_text(blocks["# my_net.py"])
    config.write_text(blocks["# my_run.toml"].replace("my_net.py:MyNet", f"{module}:MyNet"))
    small = {stage: content for stage, content in SMALL.items() if stage != "network"}
    train(load_config(config, iterations=1, **small), tmp_path / "run")
    (path,) = (tmp_path / "run" / "networks").glob("*.safetensors")
    file = load_network(path)
    assert file.architecture.module is not None
    assert file.architecture.module.name == f"{module}:MyNet"
    assert file.iteration == 1
    agent = tengen.Agent(path, simulations=8, module=f"{module}:MyNet")
    assert agent.choose(GAME.initial_state()) in range(9)
