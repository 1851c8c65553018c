"""examples/alphazero.py: its rules are tengen's, its search finds wins, it learns, is killed and goes on."""

import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch
from one_thread import one_thread  # noqa: F401  # a fixture

import tengen
from tengen.strength.accuracy import known_positions, move_quality, solved_positions

ROOT = Path(__file__).parents[1]
SMALL = [
    "--games",
    "8",
    "--simulations",
    "8",
    "--steps",
    "4",
    "--batch",
    "32",
    "--gate-games",
    "4",
    "--blocks",
    "1",
    "--channels",
    "8",
]
GAMES = ["tic_tac_toe", "connect_four"]


@pytest.fixture(scope="module")
def alphazero() -> ModuleType:
    spec = importlib.util.spec_from_file_location("alphazero", ROOT / "examples" / "alphazero.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["alphazero"] = module
    spec.loader.exec_module(module)
    return module


def test_it_can_be_read_in_half_an_hour() -> None:
    assert len((ROOT / "examples" / "alphazero.py").read_text().splitlines()) <= 300


@pytest.mark.parametrize("name", GAMES)
def test_its_rules_are_those_of_tengen(alphazero: ModuleType, name: str) -> None:
    game, rng = alphazero.GAMES[name], np.random.default_rng(1)
    for _ in range(50):
        ours, state = tengen.load(name).initial_state(), game.start()
        while ours.outcome is None:
            assert game.result(state) is None
            assert game.player(state) == ours.to_move
            assert list(game.legal(state)) == list(ours.legal_actions)
            assert np.array_equal(game.planes(state), ours.planes()[:2])
            action = int(rng.choice(ours.legal_actions))
            ours, state = ours.play(action), game.play(state, action)
        assert game.result(state) == ours.outcome.value_for(0)


@pytest.mark.parametrize("name", GAMES)
def test_its_symmetries_are_those_of_tengen(alphazero: ModuleType, name: str) -> None:
    game, ours = alphazero.GAMES[name], tengen.load(name)
    rng = np.random.default_rng(1)
    planes = rng.random(game.shape, np.float32)
    policy = rng.random(game.actions, np.float32)
    images = {
        (image.tobytes(), np.ascontiguousarray(moves).tobytes()) for image, moves in game.symmetries(planes, policy)
    }
    assert images == {(each.planes(planes).tobytes(), each.policy(policy).tobytes()) for each in ours.symmetries}


def searched(alphazero: ModuleType, game: object, moves: list[int], simulations: int) -> int:
    """The most visited action of a search with a blank network."""
    torch.manual_seed(1)
    network = alphazero.Network(game, 1, 8)
    state = game.start()  # type: ignore[attr-defined]
    for move in moves:
        state = game.play(state, move)  # type: ignore[attr-defined]
    root = alphazero.Node(game, state)
    alphazero.search(game, network, [root], simulations)
    assert root.N.sum() == simulations
    return int(root.legal[int(root.N.argmax())])


def test_the_search_wins_and_blocks(alphazero: ModuleType) -> None:
    game = alphazero.GAMES["connect_four"]
    assert searched(alphazero, game, [3, 0, 3, 0, 3, 1], 100) == 3
    assert searched(alphazero, game, [3, 0, 3, 0, 3], 100) == 3


def test_the_search_knows_who_moves_twice(alphazero: ModuleType) -> None:
    """In Dots and Boxes whoever closes a box moves again: values change sides only where the player does."""
    game = alphazero.TengenGame(str(ROOT / "examples" / "dots_and_boxes.py"))
    state = game.start()
    while not (closing := [a for a in game.legal(state) if game.player(game.play(state, a)) == game.player(state)]):
        state = game.play(state, game.legal(state)[0])
    torch.manual_seed(1)
    root = alphazero.Node(game, state)
    alphazero.search(game, alphazero.Network(game, 1, 8), [root], 50)
    child = root.children[list(root.legal).index(closing[0])]
    assert child.player == root.player


@pytest.mark.parametrize("name", [*GAMES, str(ROOT / "examples" / "breakthrough.py:size=5")])
def test_a_run_is_killed_and_goes_on(alphazero: ModuleType, name: str, tmp_path: Path, capsys) -> None:
    def lines(minutes: str) -> list[str]:
        settings = [name, "--minutes", minutes, "--checkpoint", str(tmp_path / "run.pt"), *SMALL]
        alphazero.train(alphazero.parse_settings(settings))
        return capsys.readouterr().out.splitlines()

    first = lines("0.0001")  # one iteration
    assert [line.split()[0] for line in first] == ["1"]
    kept = torch.load(tmp_path / "run.pt", weights_only=True)
    assert kept["iteration"] == 1
    again = lines(str((kept["spent"] + 0.01) / 60))
    assert [line.split()[0] for line in again] == ["2"]


def test_it_learns(alphazero: ModuleType) -> None:
    """The loss on games that it has seen falls, and a better network beats a blank one."""
    torch.manual_seed(1)
    game, rng = alphazero.GAMES["tic_tac_toe"], np.random.default_rng(1)
    settings = alphazero.parse_settings(["--games", "32", "--simulations", "25", "--steps", "40", "--batch", "64"])
    blank, network = (alphazero.Network(game, 1, 16) for _ in range(2))
    optimizer = torch.optim.Adam(network.parameters(), lr=3e-3)
    replay = alphazero.play_games(game, blank, 32, settings, rng)
    losses = [sum(alphazero.learn(network, optimizer, replay, settings=settings, rng=rng)) for _ in range(3)]
    assert losses[0] > losses[1] > losses[2]


def test_the_gate_counts_what_was_decided(alphazero: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """Equal networks play every opening equally well: the newer one takes over. A blind one loses to one that sees."""
    torch.manual_seed(1)
    game, network = alphazero.GAMES["tic_tac_toe"], alphazero.Network(alphazero.GAMES["tic_tac_toe"], 1, 8)
    settings = alphazero.parse_settings(["--simulations", "30"])
    monkeypatch.setattr(alphazero, "choose", lambda node, temperature, rng: node.legal[int(node.N.argmax())])
    assert alphazero.pit(game, network, network, settings, np.random.default_rng(1)) == 1.0
    search = alphazero.search

    def half_blind(game: Any, player: object, roots: list[Any], simulations: int) -> None:
        search(game, network, roots, simulations if player == "sees" else 1)

    monkeypatch.setattr(alphazero, "search", half_blind)
    assert alphazero.pit(game, "sees", "blind", settings, np.random.default_rng(1)) > 0.9
    assert alphazero.pit(game, "blind", "sees", settings, np.random.default_rng(1)) < 0.1


class Searcher:
    """The search of the example as a player of tengen's."""

    name = "examples/alphazero.py"

    def __init__(self, alphazero: ModuleType, game: Any, network: object, simulations: int) -> None:
        self.alphazero, self.game, self.network, self.simulations = alphazero, game, network, simulations

    def choose(self, states: Sequence[tengen.State], seeds: Sequence[int]) -> list[int]:
        roots = []
        for state in states:
            position = self.game.start()
            for action in state.moves:
                position = self.game.play(position, action)
            roots.append(self.alphazero.Node(self.game, position))
        self.alphazero.search(self.game, self.network, roots, self.simulations)
        return [int(root.legal[int(root.N.argmax())]) for root in roots]


@pytest.mark.verify
@pytest.mark.parametrize("seed", ["1", "2", "3"])
def test_tic_tac_toe_to_perfection(alphazero: ModuleType, seed: str, tmp_path: Path) -> None:
    settings = alphazero.parse_settings(["--minutes", "4", "--seed", seed, "--checkpoint", str(tmp_path / "run.pt")])
    game, best = alphazero.train(settings)
    positions = solved_positions(tengen.load("tic_tac_toe"))
    assert move_quality([Searcher(alphazero, game, best, 50)], positions).good == 1.0


@pytest.mark.verify
def test_connect_four_in_twenty_minutes(alphazero: ModuleType, tmp_path: Path) -> None:
    settings = ["connect_four", "--minutes", "20", "--checkpoint", str(tmp_path / "run.pt")]
    game, best = alphazero.train(alphazero.parse_settings(settings))
    positions = known_positions(tengen.load("connect_four"))
    assert move_quality([Searcher(alphazero, game, best, 100)], positions).good >= 0.8
