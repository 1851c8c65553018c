"""`tengen train` and `tengen evaluate`, and players with a network, as a person meets them."""

import itertools
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
import tomli_w
from small_runs import SMALL
from tiny_networks import save_tiny

import tengen
from tengen.config import NetworkConfig, load_config
from tengen.interfaces.cli import train_end
from tengen.interfaces.cli.game_argument import parse_game
from tengen.interfaces.cli.train import folder_name
from tengen.network.checkpoint import NetworkFile, save_network
from tengen.network.torch_net import TorchNet, network_weights
from tengen.players import make_player

BREAKTHROUGH = "openspiel:breakthrough(columns={0},rows={0})"
COMMAND = [sys.executable, "-c", "from tengen.interfaces.cli import main; main()"]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with a small experiment."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "experiments").mkdir()
    (tmp_path / "experiments" / "tic_tac_toe.toml").write_text(tomli_w.dumps({**SMALL, "game": "tic_tac_toe"}))
    return tmp_path


@pytest.fixture
def model(three_iterations: Path) -> str:
    return str(three_iterations)


# ---- train


def test_trains_goes_on_and_tells_how_to_play(place: Path, cli) -> None:
    strong = ("--set", "arena.final_strength=true")
    lines = cli("train", "tic_tac_toe", "--iterations", "2", *strong).splitlines()
    assert "starts from a blank network" in lines[0]
    assert [line.partition(":")[0] for line in lines[1:3]] == ["iteration 1", "iteration 2"]
    assert "networks/000002.safetensors" in lines[-6]
    assert lines[-5].startswith("Good moves, which keep the win, draw or loss, on 4,520 positions")
    assert lines[-1] == "To play it: tengen play tic_tac_toe search:runs/tic_tac_toe:100"
    again = cli("train", "tic_tac_toe", "--iterations", "3", *strong)
    assert "goes on at iteration 3" in again
    assert "iteration 3:" in again
    assert "iteration 2:" not in again


def test_a_run_keeps_its_config_whatever_becomes_of_the_experiment(place: Path, cli) -> None:
    cli("train", "tic_tac_toe", "--iterations", "1", "--seed", "5", "--run", "here")
    (place / "experiments" / "tic_tac_toe.toml").write_text("[learner]\nbatch = 1000\n")
    assert "goes on" in cli("train", "tic_tac_toe", "--iterations", "2", "--run", "here")
    assert "seed = 5" in (place / "here" / "config.toml").read_text()


def test_a_given_config_is_used(place: Path, cli) -> None:
    config = {**SMALL, "game": "tic_tac_toe", "iterations": 1, "seed": 9}
    (place / "other.toml").write_text(tomli_w.dumps(config))
    assert "iteration 1:" in cli("train", "tic_tac_toe", "--config", "other.toml")
    assert "seed = 9" in (place / "runs" / "tic_tac_toe" / "config.toml").read_text()


def test_a_config_needs_no_game_if_it_names_one(place: Path, cli) -> None:
    (place / "mine.toml").write_text('game = "tic_tac_toe"\niterations = 1\nseed = 9\n')
    assert "iteration 1:" in cli("train", "--config", "mine.toml")
    kept = load_config(place / "runs" / "mine" / "config.toml")
    assert (kept.seed, kept.network.channels) == (9, 8)  # on top of the experiment, which stays
    again = cli("train", "--run", "runs/mine", "--iterations", "2")
    assert "goes on at iteration 2" in again


def test_the_settings_are_shown_and_nothing_is_made(place: Path, cli) -> None:
    shown = cli("train", "tic_tac_toe", "--set", "learner.batch=64", "--set", "seed=3", "--show-config")
    lines = {line.partition(" = ")[0]: line for line in shown.splitlines()}
    assert re.fullmatch(r"batch = 64 +# --set", lines["batch"])
    assert re.fullmatch(r"channels = 8 +# experiments/tic_tac_toe.toml", lines["channels"])
    assert list(place.iterdir()) == [place / "experiments"]


def test_a_sweep_is_a_run_for_each_seed_and_can_go_on(place: Path, cli) -> None:
    first = cli("train", "tic_tac_toe", "--iterations", "1", "--seeds", "3,1")
    assert "Seed 3, run 1 of 2:" in first
    assert "tengen compare runs/tic_tac_toe OTHER" in first
    folders = [place / "runs" / "tic_tac_toe" / name for name in ("seed1", "seed3")]
    assert [load_config(folder / "config.toml").seed for folder in folders] == [1, 3]
    again = cli("train", "tic_tac_toe", "--iterations", "1", "--seeds", "1,3,4")
    assert again.count("has done 1 iterations, and 1 were asked for") == 2
    assert again.count("starts from a blank network") == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["othello"], "runs/tic_tac_toe is a run of tic_tac_toe, not of othello (size=8)"),
        (["tic_tac_toe", "--set", "learner.batch=3"], "learner.batch is 128 there, not 3. A run keeps its settings"),
        (["--config", "other.toml"], "self_play.simulations is 4 there, not 7"),
    ],
)
def test_a_begun_run_keeps_its_game_and_settings(place: Path, cli, refused, arguments: list[str], words: str) -> None:
    cli("train", "tic_tac_toe", "--iterations", "1")
    (place / "other.toml").write_text("[self_play]\nsimulations = 7\n")
    assert words in refused("train", *arguments, "--run", "runs/tic_tac_toe")


def test_a_run_that_is_over_says_so(place: Path, cli) -> None:
    cli("train", "tic_tac_toe", "--iterations", "2")
    fewer = cli("train", "tic_tac_toe", "--iterations", "1")
    assert "has done 2 iterations, and 1 were asked for: --iterations 4 would go on." in fewer
    assert load_config(place / "runs" / "tic_tac_toe" / "config.toml").iterations == 2
    no_more = cli("train", "tic_tac_toe", "--minutes", "0.0001")
    assert "minutes already, and --minutes counts the whole run" in no_more
    assert "To play it: " in no_more


def test_a_device_that_is_not_there_leaves_no_folder(place: Path, refused, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tengen.network.on_torch.is_there", lambda device: False)
    said = refused("train", "tic_tac_toe", "--set", "learner.device=cuda")
    assert "device = 'cuda', but torch can't use one on this machine" in said
    assert not (place / "runs").exists()


def test_where_the_truth_is_not_known_simple_players_are_met(place: Path, cli) -> None:
    (place / "small.toml").write_text(
        tomli_w.dumps({**SMALL, "arena": {"every": 0}, "game": "othello", "options": {"size": 6}})
    )
    said = cli("train", "--config", "small.toml", "--iterations", "1", "--run", "here")
    assert re.search(r"[Ii]t scores \d+% against random \(\d+ games\) and \d+% against roll", said)
    assert said.splitlines()[-1] == "To play it: tengen play othello:size=6 search:here:100"
    assert "To measure it: tengen match othello:size=6 search:here:100 rollout:1000" in said
    assert "To see how it learned: here/report.html" in said


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["tic_tac_two"], "There is no game called 'tic_tac_two'"),
        (["tic_tac_toe", "--config", "nowhere.toml"], "nowhere.toml can't be read"),
        (["tic_tac_toe", "--config", "wrong.toml"], "no setting 'learner.bach'; did you mean 'batch'?"),
        (["tic_tac_toe", "--config", "othello.toml"], "is of othello, not of tic_tac_toe"),
        (["tic_tac_toe", "--minutes", "1", "--iterations", "1"], "Give --minutes or --iterations, not both."),
        (["tic_tac_toe", "--minutes", "0"], "A run takes more than 0"),
        (["tic_tac_toe", "--minutes", "nan"], "A run takes more than 0"),
        (["tic_tac_toe", "--iterations", "0"], "iterations: "),
        (["tic_tac_toe", "--seed", "-1"], "A seed is a whole number"),
        (["tic_tac_toe", "--seed", "1", "--seeds", "1,2"], "Give --seed or --seeds, not both."),
        (["tic_tac_toe", "--seeds", "1,x"], "--seeds takes up to 100 different whole numbers"),
        (["tic_tac_toe", "--set", "learner.bach=3"], "no setting 'learner.bach'; did you mean 'learner.batch'?"),
        ([], "Which game? Give GAME"),
        (["--config", "wrong.toml"], "Which game? wrong.toml names none"),
        (["tic_tac_toe", "--run", "wrong.toml"], "wrong.toml can't be a run's folder"),
    ],
)
def test_wrong_command_lines(place: Path, refused, arguments: list[str], words: str) -> None:
    (place / "wrong.toml").write_text("[learner]\nbach = 3\n")
    (place / "othello.toml").write_text('game = "othello"\n')
    assert words in refused("train", *arguments)
    assert not (place / "runs").exists()


def test_another_seed_for_a_begun_run_is_refused(place: Path, cli, refused) -> None:
    cli("train", "tic_tac_toe", "--iterations", "1")
    assert "started with another config" in refused("train", "tic_tac_toe", "--seed", "8")


@pytest.mark.parametrize(
    ("game", "name"),
    [
        ("tic_tac_toe", "tic_tac_toe"),
        ("go:size=9,komi=7.5", "go_size_9_komi_7.5"),
        ("../my_game.py", "my_game"),
        ("openspiel:hex(board_size=5)", "openspiel_hex_board_size_5"),
        ("my game-2.py", "my_game_2"),
    ],
)
def test_the_folder_of_a_run(game: str, name: str) -> None:
    assert folder_name(game) == name


def test_long_games_do_not_hold_up_the_end_of_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every look at this clock takes a second, and a game of five in a row has nine moves at least."""
    seconds = itertools.count()
    monkeypatch.setattr(train_end, "time", SimpleNamespace(perf_counter=lambda: float(next(seconds))))
    game = tengen.load("gomoku", size=7)
    text = train_end.strength_text(game, save_tiny(tmp_path / "tiny.safetensors", game))
    assert text.startswith("Its strength was not measured")
    assert next(seconds) < 20


def test_a_name_without_a_latin_letter_is_not_the_folder_of_all_runs() -> None:
    names = [folder_name("将棋.py"), folder_name("囲碁.py")]
    assert all(name.startswith("game_") and name.isascii() for name in names)
    assert names[0] != names[1]


def start_training(place: Path) -> "subprocess.Popen[str]":
    """A run that would take very long, after its first iteration."""
    process = subprocess.Popen(
        [*COMMAND, "train", "tic_tac_toe", "--iterations", "100000"],
        cwd=place,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith("iteration 1:"):
            return process
    raise AssertionError("it did not start")


def test_one_process_a_run_and_one_interrupt_to_finish_the_iteration(place: Path, refused) -> None:
    process = start_training(place)
    said = refused("train", "tic_tac_toe", "--iterations", "100000")
    assert f"The run runs/tic_tac_toe is in use by process {process.pid} on" in said
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "Stopping when this iteration is done" in out
    assert "The same command goes on." in out
    assert "To play what there is: tengen play tic_tac_toe search:runs/tic_tac_toe:100" in out
    assert "Traceback" not in out


def test_two_interrupts_stop_at_once(place: Path) -> None:
    process = start_training(place)
    for _ in range(6):  # more than two: some may be heard as one, and a person does not count
        process.send_signal(signal.SIGINT)
        time.sleep(0.1)
    out, _ = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "Traceback" not in out


# ---- evaluate


def test_evaluate_in_words_and_as_json(cli, model: str) -> None:
    words = cli("evaluate", "tic_tac_toe", "--model", model, "--simulations", "8")
    assert words.startswith("4,520 positions, all that can be reached; OpenVINO")
    answer = json.loads(cli("evaluate", "tic_tac_toe", "--model", model, "--simulations", "8", "--json"))
    assert answer.keys() == {"raw", "search"}
    assert answer["search"].keys() == {"simulations", "good", "perfect"}
    assert answer["search"]["simulations"] == 8
    assert 0.5 < answer["raw"]["good"] < answer["search"]["good"] <= 1
    assert all(share["perfect"] <= share["good"] for share in answer.values())


def test_evaluate_the_network_alone(cli, model: str) -> None:
    file = str(Path(model) / "networks" / "000003.safetensors")
    answer = json.loads(cli("evaluate", "tic_tac_toe", "--model", file, "--simulations", "0", "--json"))
    assert answer.keys() == {"raw"}


def test_the_bundled_tic_tac_toe_is_perfect(cli) -> None:
    """In every position that can come up; its network alone in nearly all."""
    answer = json.loads(cli("evaluate", "tic_tac_toe", "--model", "tic_tac_toe", "--simulations", "50", "--json"))
    assert answer["search"]["good"] == 1.0
    assert answer["raw"]["good"] >= 0.99


def test_evaluate_on_a_file(cli, model: str, tmp_path: Path) -> None:
    """Two positions with one good move each, which any search finds: to win at once and to stop that."""
    lines = [
        {"moves": "a1 a2 b1 b2", "move score": [-1 if a != 8 else 5 for a in range(9)]},
        {"moves": "a1 a2 b1", "move score": [-4 if a != 8 else 0 for a in range(9)]},
    ]
    path = tmp_path / "two.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    answer = cli(
        "evaluate", "tic_tac_toe", "--model", model, "--positions", str(path), "--simulations", "200", "--json"
    )
    assert json.loads(answer)["search"] == {"simulations": 200, "good": 1.0, "perfect": 1.0}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["tic_tac_toe", "--model", "nowhere"], "There is no network 'nowhere'"),
        (["tic_tac_toe", "--model", "."], "There is no network in ."),
        (["othello:size=6", "--model", "nowhere"], "too many positions"),
        (["tic_tac_toe", "--model", "nowhere", "--simulations", "-1"], "A search has 0 to"),
        (["tic_tac_toe", "--model", "nowhere", "--positions", "gone"], "The positions gone can't be read"),
    ],
)
def test_wrong_evaluations(place: Path, refused, arguments: list[str], words: str) -> None:
    assert words in refused("evaluate", *arguments)


def test_a_network_of_another_game_is_refused(refused, model: str) -> None:
    assert "plays tic_tac_toe, not connect_four" in refused("evaluate", "connect_four", "--model", model)
    assert "plays tic_tac_toe, not connect_four" in refused("match", "connect_four", f"network:{model}", "random")


@pytest.mark.parametrize(
    ("trained", "played", "words"),
    [
        ("go:size=5", "go:size=5,history=8", "load the game with the options it was trained with (history=1"),
        (BREAKTHROUGH.format(5), BREAKTHROUGH.format(6), f"plays {BREAKTHROUGH.format(5)}, not"),
    ],
)
def test_a_network_of_another_kind_or_size_is_refused(
    refused, tmp_path: Path, trained: str, played: str, words: str
) -> None:
    """Where its heads are bound to a size: those of most games fit any."""
    game, config = parse_game(trained), NetworkConfig.preset("tiny")
    path = tmp_path / "network.safetensors"
    save_network(path, NetworkFile.of(game, config, network_weights(TorchNet(game.spec, config, seed=1))))
    assert words in refused("match", played, f"network:{path}", "random")


# ---- players


def test_players_with_a_network(cli, model: str) -> None:
    out = cli("match", "tic_tac_toe", f"search:{model}:30", f"network:{model}", "--games", "20", "--json")
    assert json.loads(out)["score"] >= 0.5
    game = tengen.load("tic_tac_toe")
    win = game.state("a1 a2 b1 b2")
    assert make_player(f"search:{model}:30", game).choose([win], [0]) == [win.game.parse_action("c1")]


def test_network_player_plays_legal_moves(model: str) -> None:
    game = tengen.load("tic_tac_toe")
    states = [game.state(moves) for moves in ("", "b2", "a1 a2 b1 b2 a3 c1", "a1 b2 c3 a3 c1 b1 b3")]
    actions = make_player(f"network:{model}", game).choose(states, range(4))
    assert all(state.is_legal(action) for state, action in zip(states, actions, strict=True))


@pytest.mark.parametrize(
    ("player", "words"),
    [
        ("network", "say which network, as in 'network:runs/tic_tac_toe'"),
        ("network:", "say which network"),
        ("search:here", "say which network and how many simulations, as in 'search:runs/tic_tac_toe:400'"),
        ("search:here:many", "say how many simulations"),
        ("search::5", "say which network"),
        ("network:nowhere", "There is no network 'nowhere'"),
    ],
)
def test_players_that_are_refused(refused, player: str, words: str) -> None:
    assert words in refused("match", "tic_tac_toe", player, "random")


def test_playing_imports_no_torch(model: str) -> None:
    program = (
        "import sys; from tengen.interfaces.cli import run; "
        f"run(['match', 'tic_tac_toe', 'search:{model}:5', 'network:{model}', '--games', '2']); "
        "assert 'openvino' in sys.modules; assert 'torch' not in sys.modules"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
