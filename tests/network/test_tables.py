"""n-tuple networks: a file that keeps them, a search that asks them, games that they fit and games that they don't."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import tengen
from tengen._core import ArgumentError, EvaluatorError, Forest, SearchParams, Tables, TablesShape, random_tuples
from tengen.config import ConfigError, TablesConfig
from tengen.export import ExportError
from tengen.export.kaggle import agent_program
from tengen.export.onnx_file import onnx_model
from tengen.learner.tables import TablesInTraining
from tengen.network import evaluate_states, make_evaluator
from tengen.network.architecture import Architecture, ArchitectureError
from tengen.network.checkpoint import NetworkFile, NetworkFileError, check_fits, load_network, save_network
from tengen.network.own_net import net_of
from tengen.network.positions import random_states
from tengen.network.tables import describe_tables
from tengen.players import make_player
from tengen.search import search

GOOD_GAMES = Path(__file__).parents[1] / "games" / "good_games"
EXAMPLES = Path(__file__).parents[2] / "examples"


def random_tables(game: tengen.Game, seed: int = 1, **settings: object) -> NetworkFile:
    """Tables of a few cells with random weights."""
    described = describe_tables(game, TablesConfig(**{"tuples": 4, "tuple_cells": 4, **settings}), seed)
    shape = described.shape.weights_shape(game)
    weights = np.random.default_rng(seed).normal(0.0, 0.1, shape).astype(np.float32)
    return NetworkFile.of(game, Architecture(tables=described), {"tables": weights}, iteration=3)


def value_by_hand(network: NetworkFile, state: tengen.State) -> float:
    """The value as the definition has it: a digit for each cell of each tuple, in each symmetry."""
    tables = network.architecture.tables
    assert tables is not None
    spec = state.game.spec
    cells = np.array(state.cells).reshape(-1).copy()
    num_pieces = int((cells != 0).sum())
    if tables.shares_players and state.to_move == 1:
        cells = np.array([0, 2, 1])[cells]
    if tables.marks_targets:
        for action in state.legal_actions:
            target = state.game.action_cells(state, action).target
            if target is not None and cells[target] == 0:
                cells[target] = len(spec.pieces) + 1
    codes = 1 + len(spec.pieces) + tables.marks_targets
    stage = min(num_pieces * tables.stages // (len(cells) + 1), tables.stages - 1)
    bank = stage if tables.shares_players else 2 * stage + state.to_move
    total = 0.0
    for number, tuple_cells in enumerate(tables.tuples):
        for symmetry in state.game.symmetries:
            turned = symmetry.planes(cells.reshape(1, spec.height, spec.width).astype(np.float32)).ravel().astype(int)
            entry = sum(int(turned[cell]) * codes**k for k, cell in enumerate(tuple_cells))
            total += float(network.weights["tables"][bank, number, entry])
    return float(np.tanh(total))


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("othello", {"share_players": True}),
        ("othello", {"stages": 3, "mark_targets": True}),
        ("connect_four", {"mark_targets": True}),
        ("connect_four", {"share_players": True, "mark_targets": True, "stages": 2}),
        ("go", {}),
    ],
)
def test_values_and_priors_are_as_defined(name: str, settings: dict[str, object]) -> None:
    game = tengen.load(name)
    network = random_tables(game, **settings)
    states = random_states(game, 12, seed=5)
    answer = evaluate_states(make_evaluator(network, game=game), states)
    for state, logits, (win, draw, loss) in zip(states, answer.logits, answer.values, strict=True):
        assert win - loss == pytest.approx(value_by_hand(network, state), abs=1e-5)
        assert draw == 0.0
        for action in state.legal_actions:
            after = state.play(action)
            if after.outcome is not None:
                worth = after.outcome.value_for(state.to_move)
            else:
                worth = value_by_hand(network, after) * (1 if after.to_move == state.to_move else -1)
            assert logits[action] == pytest.approx(worth / 0.4, abs=1e-3)


def test_the_file_is_read_back_with_the_same_digest_and_answers(tmp_path: Path) -> None:
    game = tengen.load("othello")
    network = random_tables(game, stages=2)
    path = tmp_path / "tables.safetensors"
    save_network(path, network)
    read = load_network(path)
    assert read == network
    assert read.digest == network.digest
    assert (read.has_policy, read.has_value, read.has_ownership, read.plays_any_size) == (True, True, False, False)
    states = random_states(game, 5)
    first, second = (evaluate_states(make_evaluator(each), states) for each in (network, read))
    assert np.array_equal(first.logits, second.logits)
    assert np.array_equal(first.values, second.values)
    assert json.dumps(read.architecture.as_json()) == json.dumps(network.architecture.as_json())


def test_a_file_that_contradicts_itself_is_refused() -> None:
    game = tengen.load("othello")
    network = random_tables(game)
    for weights in (
        {"tables": network.weights["tables"][:1]},
        {"tables": network.weights["tables"][..., None]},
        {"others": network.weights["tables"]},
        {},
    ):
        with pytest.raises(NetworkFileError, match="don't fit their own header"):
            make_evaluator(replace(network, weights=weights))
    fewer = replace(network, weights={"tables": np.ascontiguousarray(network.weights["tables"][..., :-1])})
    with pytest.raises(NetworkFileError, match="does not fit othello: These tables have 648 weights, not 640"):
        make_evaluator(fewer)
    with pytest.raises(NetworkFileError, match="its tables are over the cells of one board"):
        check_fits(network, tengen.load("othello", size=6))


def test_a_search_answers_the_same_through_python_and_inside_the_forest() -> None:
    """The forest asks the tables itself; a search whose every leaf is asked from outside must go the same way."""
    game = tengen.load("connect_four")
    network = random_tables(game, mark_targets=True)
    evaluator = make_evaluator(network)
    params = SearchParams(simulations=120, leaves_per_batch=3)
    [inside] = search(game, [game.state("4 4 3")], evaluator, params)
    seen = {state.planes().tobytes(): state for state in _reached(game.state("4 4 3"), 4)}

    def outside(planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return evaluate_states(evaluator, [seen[rows.tobytes()] for rows in planes])

    shallow = SearchParams(simulations=12, leaves_per_batch=1)
    [one], [other] = (search(game, [game.state("4 4 3")], each, shallow) for each in (evaluator, outside))
    assert np.array_equal(one.visits, other.visits)
    assert one.root_value == pytest.approx(other.root_value, abs=1e-6)
    assert inside.simulations == 120
    assert inside.prior.sum() == pytest.approx(1.0)


def _reached(state: tengen.State, plies: int) -> list[tengen.State]:
    if plies == 0 or state.outcome is not None:
        return [state]
    return [state, *(after for action in state.legal_actions for after in _reached(state.play(action), plies - 1))]


@pytest.mark.parametrize(
    "name",
    ["tic_tac_toe", "gomoku", "othello", "connect_four", "go", "chess", str(EXAMPLES / "hex.py")],
)
def test_tables_play_every_kind_of_game(name: str, tmp_path: Path) -> None:
    game = tengen.load(name)
    learner = TablesInTraining(game, TablesConfig(tuples=6, tuple_cells=4), seed=1)
    path = tmp_path / "tables.safetensors"
    save_network(path, learner.network_file())
    state = game.initial_state()
    for text in (f"network:{path}", f"search:{path}:20"):
        [action] = make_player(text, game).choose([state], [1])
        assert action in state.legal_actions


@pytest.mark.parametrize("name", [str(GOOD_GAMES / "misere_nim.py"), "openspiel:tic_tac_toe"])
def test_games_without_pieces_are_refused(name: str) -> None:
    game = tengen.load(name)
    with pytest.raises(ConfigError, match="does not say what stands on its board"):
        describe_tables(game, TablesConfig(), 1)


def test_bad_shapes_are_refused() -> None:
    game = tengen.load("othello")
    for shape, sentence in (
        (TablesShape(tuples=[]), "1 to 1024 tuples"),
        (TablesShape(tuples=[[0, 0]]), "different cells"),
        (TablesShape(tuples=[list(range(30))]), "more than 67108864 weights"),
    ):
        with pytest.raises(ArgumentError, match=sentence):
            shape.weights_shape(game)
    with pytest.raises(ConfigError, match="has 1 to 9 cells, not 10"):
        describe_tables(tengen.load("tic_tac_toe"), TablesConfig(tuple_cells=10), 1)
    assert len(random_tuples(game, 5, 0, 1)[0]) == 10


def test_planes_and_other_backends_are_refused_in_a_sentence() -> None:
    game = tengen.load("othello")
    evaluator = make_evaluator(random_tables(game))
    with pytest.raises(EvaluatorError, match="reads states, not planes"):
        evaluator(game.initial_state().planes()[None])
    with pytest.raises(EvaluatorError, match="not by openvino in auto"):
        make_evaluator(random_tables(game), backend="openvino")
    with pytest.raises(ArchitectureError, match="no layers for torch"):
        net_of(random_tables(game))
    with pytest.raises(tengen.TengenError, match="These tables are of othello"):
        Forest(tengen.load("connect_four"), 1, SearchParams(), 1).settle(evaluator.tables)  # type: ignore[attr-defined]
    assert isinstance(evaluator.tables, Tables)  # type: ignore[attr-defined]


def test_exports_say_why_not() -> None:
    with pytest.raises(ExportError, match="n-tuple network"):
        onnx_model(random_tables(tengen.load("othello")))
    with pytest.raises(ExportError, match="n-tuple network"):
        agent_program(random_tables(tengen.load("connect_four")))
