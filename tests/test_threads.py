"""What threads may do with each public class: its docstring says so, and here they do it.

A class is a value (nobody can change it), answers any thread, or refuses a second thread with InUseError.
"""

from __future__ import annotations

import dataclasses
import enum
import importlib
import inspect
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pydantic
import pytest
from tiny_networks import TINY

import tengen
from tengen import InUseError, State
from tengen._core import TablesLearner, TablesLearning, TablesShape, write_samples
from tengen.agent import Agent
from tengen.config import LearnerConfig, NetworkConfig, ReplayConfig
from tengen.engine import Engine, EngineError, Limit
from tengen.external.gtp import GtpProgram
from tengen.external.solvers import BitBullySolver, WalkSolver
from tengen.games.rules import load_interpreted
from tengen.network import Evaluation, NetworkEvaluator, make_evaluator
from tengen.network.checkpoint import NetworkFile
from tengen.players import GreedyPlayer, RandomPlayer, SearchPlayer, SharedModels, SolverPlayer
from tengen.records import RecordBuilder
from tengen.records.shards import ShardWriter
from tengen.replay import ReplayWindow

EXAMPLES = Path(__file__).parents[1] / "examples"
MODULES = ("agent", "engine", "players", "replay", "report", "arena", "network", "records", "search", "learner")
MODULES += ("network.symmetric", "network.on_openvino", "network.on_torch", "network.on_numpy", "run.folder")
MODULES += ("external.programs", "external.solvers", "records.shards")
THREADS = 4
PATIENCE = 60.0


def is_value(found: type) -> bool:
    """Nobody can change it, so there is nothing to say about threads."""
    frozen = dataclasses.is_dataclass(found) and found.__dataclass_params__.frozen  # type: ignore[attr-defined]
    return frozen or issubclass(found, (BaseException, enum.Enum, pydantic.BaseModel, tuple))


def public_classes() -> list[type]:
    names = [getattr(tengen, name) for name in dir(tengen) if not name.startswith("_")]
    for module in MODULES:
        loaded = importlib.import_module(f"tengen.{module}")
        names += [getattr(loaded, name) for name in loaded.__all__]
    return sorted({found for found in names if inspect.isclass(found)}, key=lambda found: found.__qualname__)


@pytest.mark.parametrize("found", public_classes(), ids=lambda found: found.__qualname__)
def test_every_public_class_says_what_threads_may_do(found: type) -> None:
    from_core = found.__module__ == "tengen._core" and not issubclass(found, BaseException)
    if from_core or not is_value(found):
        assert "thread" in (found.__doc__ or ""), f"{found.__qualname__} does not say what threads may do"


def at_once(work: Callable[[int], Any], threads: int = THREADS) -> list[Any]:
    """What each of some threads got, that all began at the same moment."""
    start = threading.Barrier(threads)

    def begin(number: int) -> Any:
        start.wait(PATIENCE)
        return work(number)

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(begin, range(threads)))


class Held:
    """A callable that stays inside until it is let go."""

    def __init__(self, answer: Callable[..., Any]) -> None:
        self._answer = answer
        self.inside, self.let_go = threading.Event(), threading.Event()

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        self.inside.set()
        assert self.let_go.wait(PATIENCE)
        return self._answer(*arguments, **named)


def refused_meanwhile(held: Held, first: Callable[[], Any], second: Callable[[], Any]) -> Any:
    """Checks that `second` is refused while another thread is inside of `first`, and gives what that one got."""
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(first)
        try:
            assert held.inside.wait(PATIENCE)
            with pytest.raises(InUseError, match=r"in use by another thread; give each thread its own\.$"):
                second()
        finally:
            held.let_go.set()
        answer = running.result(PATIENCE)
    second()  # and afterwards it is free again
    return answer


# --- Values: any thread


def spec_of(name: str) -> tengen.Game:
    if name == "interpreted":
        return load_interpreted(str(EXAMPLES / "hex.py"))
    return tengen.load(str(EXAMPLES / "hex.py") if name == "rules" else name)


@pytest.mark.parametrize("name", ["go", "othello", "rules", "interpreted", "openspiel:breakthrough(rows=5,columns=4)"])
def test_a_game_and_its_states_are_shared(name: str) -> None:
    game = spec_of(name)
    first = game.initial_state()

    def play(number: int) -> list[Any]:
        rng = np.random.default_rng(number)
        told: list[Any] = []
        for _ in range(3):
            state: State = first
            for _ in range(30):
                if state.outcome is not None:
                    break
                state = state.play(int(rng.choice(state.legal_actions)))
                told += [hash(state), str(state), state.planes().tobytes(), state.to_move]
        return [*told, game.random_playouts(5, number).wins, game.perft(2).positions]

    assert at_once(play) == [play(number) for number in range(THREADS)]


def test_forests_that_share_a_game_and_its_evaluator() -> None:
    game = tengen.load("othello")
    evaluator = tengen.UniformEvaluator(game)
    params = tengen.SearchParams(simulations=60, leaves_per_batch=4)

    def search(number: int) -> list[Any]:
        # Batches of other sizes in each thread: the evaluator must not answer one with the size of another.
        states = [game.initial_state()] * (1 + 3 * number)
        found = [tengen.search(game, states, evaluator, params, seed=seed) for seed in range(4)]
        return [(answer.visits.tolist(), answer.root_value) for answers in found for answer in answers]

    assert at_once(search) == [search(number) for number in range(THREADS)]


def test_what_the_uniform_evaluator_answers_is_nobodys_to_change() -> None:
    game = tengen.load("tic_tac_toe")
    answer = tengen.UniformEvaluator(game)(game.initial_state().planes()[None])
    with pytest.raises(ValueError, match="read-only"):
        answer.logits[0] = 1.0


# --- Answers any thread, one after the other


def evaluator_of(game: tengen.Game, backend: Any) -> NetworkEvaluator:
    from tengen.network.torch_net import TorchNet, network_weights

    network = NetworkFile.of(game, TINY, network_weights(TorchNet(game.spec, TINY, seed=1)))
    return make_evaluator(network, backend=backend, precision="f32", game=game)


def positions(game: tengen.Game, number: int) -> list[State]:
    rng = np.random.default_rng(number)
    found = []
    for plies in rng.integers(0, 6, size=12):
        state = game.initial_state()
        for _ in range(plies):
            state = state.play(int(rng.choice(state.legal_actions)))
        found.append(state)
    return found


def test_an_agent_answers_each_thread_about_its_own_position() -> None:
    agent = Agent("connect_four", simulations=24)

    def ask(number: int) -> list[tuple[State, State, str]]:
        return [
            (state, analysis.state, analysis.stopped)
            for state in positions(agent.game, number)
            for analysis in [agent.analyse(state)]
        ]

    answers = [answer for found in at_once(ask) for answer in found]
    assert len(answers) == THREADS * 12
    assert [asked.moves for asked, answered, _ in answers] == [answered.moves for _, answered, _ in answers]
    assert {stopped for *_, stopped in answers} <= {
        "simulations",
        "proven",
    }  # nobody was cut short


def test_an_agent_does_not_answer_itself() -> None:
    agent = Agent("tic_tac_toe", simulations=400)
    state = agent.game.initial_state()
    with pytest.raises(EngineError, match="neither move nor search"):
        agent.engine.think(Limit(simulations=400), lambda analysis: agent.analyse(state.play(0)), every=0.0)
    assert agent.analyse(state).state == state  # and it goes on as before


@pytest.mark.parametrize("change", ["play", "undo", "new_game", "think", "work", "first_sight", "ponder"])
def test_an_engine_refuses_to_change_under_its_own_search(change: str) -> None:
    engine = Engine(tengen.load("othello"))
    engine.play(engine.state.legal_actions[0])
    before = engine.state
    calls: dict[str, Callable[[], object]] = {
        "play": lambda: engine.play(engine.state.legal_actions[0]),
        "work": lambda: engine.work(Limit(simulations=1)),
        **{name: getattr(engine, name) for name in ("undo", "new_game", "think", "first_sight", "ponder")},
    }
    with pytest.raises(EngineError, match="neither move nor search"):
        engine.think(Limit(simulations=4000), lambda analysis: calls[change]() and None, every=0.0)
    assert engine.state == before
    assert engine.think(Limit(simulations=10)).state == before


def test_on_analysis_may_look_and_stop() -> None:
    engine = Engine(tengen.load("othello"))
    seen: list[int] = []

    def look(analysis: tengen.engine.Analysis) -> None:  # type: ignore[name-defined]
        seen.append(engine.analysis().moves[0].visits + engine.tree_bytes)
        engine.stop()

    assert engine.think(None, look, every=0.0).stopped == "searching"
    engine.ponder(look, every=0.0)
    engine.stop()
    assert seen


def test_an_engine_is_used_by_many_threads() -> None:
    """Moves, searches, looks and pondering in any order: every answer is about the state that it names."""
    game = tengen.load("connect_four")
    engine = Engine(game)

    def use(number: int) -> None:
        rng = np.random.default_rng(number)
        for _ in range(30):
            what = int(rng.integers(7))
            if what == 0:
                engine.set_position(positions(game, number)[0])
            elif what == 1:
                engine.ponder()
            elif what == 2:
                engine.stop()
            elif what == 3:
                assert engine.tree_bytes >= 0
                assert engine.game == game
            elif what == 4:
                engine.new_game()
            else:
                found = engine.think(Limit(simulations=16)) if what == 5 else engine.analysis()
                legal = set(found.state.legal_actions)
                assert {move.action for move in found.moves} <= legal
                assert found.state.outcome is not None or found.moves

    at_once(use)
    engine.stop()
    assert not [thread for thread in threading.enumerate() if thread.name == "tengen-ponder"]


def test_a_model_of_many_threads_is_loaded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    game = tengen.load("tic_tac_toe")
    loaded: list[str] = []
    usual = tengen.players.model_evaluator  # type: ignore[attr-defined]

    def counted(model: str, game: tengen.Game, **named: Any) -> Any:
        loaded.append(model)
        return usual(model, game, **named)

    monkeypatch.setattr("tengen.players.model_evaluator", counted)
    models = SharedModels()
    found = at_once(lambda number: models("tic_tac_toe", game))
    assert loaded == ["tic_tac_toe"]
    assert len({id(evaluator) for evaluator in found}) == THREADS


def test_players_that_any_thread_may_ask() -> None:
    game = tengen.load("tic_tac_toe")
    players = [RandomPlayer(), GreedyPlayer(), SearchPlayer("uniform", tengen.SearchParams(simulations=30))]
    players += [SolverPlayer("solver", WalkSolver(game))]
    states = [state for state in positions(game, 1) if state.outcome is None]

    def choose(number: int) -> list[list[int]]:
        return [player.choose(states, range(len(states))) for player in players]

    assert at_once(choose) == [choose(0)] * THREADS


@pytest.mark.parametrize("backend", ["numpy", "torch"])
def test_evaluators_that_any_thread_may_ask(backend: Any) -> None:
    game = tengen.load("connect_four")
    evaluator = evaluator_of(game, backend)
    planes = [np.stack([state.planes() for state in positions(game, number)]) for number in range(THREADS)]
    alone = [evaluator(batch) for batch in planes]
    for found, expected in zip(at_once(lambda number: evaluator(planes[number])), alone, strict=True):
        np.testing.assert_array_equal(found.logits, expected.logits)
        np.testing.assert_array_equal(found.values, expected.values)


# --- One thread at a time: the second is refused


def test_a_forest_refuses_a_second_thread() -> None:
    game = tengen.load("go")
    forest = tengen.Forest(game, 64, tengen.SearchParams(simulations=100_000, rollout_weight=1.0), 0)
    states = [game.initial_state()] * 64
    for tree, state in enumerate(states):
        forest.set_root(tree, state)
    forest.begin()
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(forest.select, 64)
        refused = 0
        while not running.done():
            try:
                forest.searching()
            except InUseError:
                refused += 1
        assert refused > 0


def test_tables_refuse_a_second_thread() -> None:
    game = tengen.load("othello")
    tables = TablesLearner(game, TablesShape(tuples=[[0, 1, 2], [8, 9, 10]]))
    how = TablesLearning(rate=0.1, return_share=0.5, epsilon=0.1, random_start_share=0.5, random_start_plies=4)
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(tables.play, 0, 1000, 1, how)
        refused = 0
        while not running.done():
            try:
                tables.load(np.zeros(0, np.float32), np.zeros(0, np.float32))
            except InUseError:
                refused += 1
            except tengen.ArgumentError:  # before the games begin and after them: no tables are that small
                pass
        assert running.result()[0].games == 1000
        assert refused > 0


def test_a_stepper_refuses_a_second_thread() -> None:
    game = tengen.load("tic_tac_toe")
    held = Held(tengen.UniformEvaluator(game))
    stepper = tengen.Stepper(game.initial_state(), held)
    refused_meanwhile(held, stepper.step, stepper.step)
    for look in ("result", "tree", "finished"):
        held.inside.clear()
        held.let_go.clear()
        refused_meanwhile(held, stepper.step, lambda look=look: getattr(stepper, look))  # type: ignore[misc]


def test_openvino_refuses_a_second_thread() -> None:
    game = tengen.load("connect_four")
    evaluator: Any = evaluator_of(game, "openvino")
    planes = game.initial_state().planes()[None]
    held = Held(evaluator._request(1, planes))
    evaluator._requests = {(1, *planes.shape[1:]): held}
    answer: Evaluation = refused_meanwhile(held, lambda: evaluator(planes), lambda: evaluator(planes))
    np.testing.assert_array_equal(evaluator.clone()(planes).logits, answer.logits)


def small_window(game: tengen.Game) -> tuple[ReplayWindow, Any]:
    builder = RecordBuilder()
    state = game.initial_state()
    while state.outcome is None:
        builder.target(np.full(game.spec.num_actions, 1.0 / game.spec.num_actions) * state.legal_mask(), 0.0, 1.0)
        builder.play(state.legal_actions[0])
        state = state.play(state.legal_actions[0])
    return ReplayWindow(game, ReplayConfig()), builder.finish(state.outcome)


def test_a_window_refuses_a_second_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    game = tengen.load("tic_tac_toe")
    window, record = small_window(game)
    window.add(record)
    held = Held(write_samples)
    monkeypatch.setattr("tengen.replay.write_samples", held)
    rng = np.random.default_rng(0)
    refused_meanwhile(held, lambda: window.sample(4, rng), lambda: window.add(record))


def test_a_learner_refuses_a_second_thread() -> None:
    from tengen.learner import Learner

    game = tengen.load("tic_tac_toe")
    window, record = small_window(game)
    window.add(record)
    learner = Learner(game, NetworkConfig(blocks=1, channels=8), LearnerConfig(batch=8), seed=0, discount=1.0)
    held = Held(lambda done, total: None)

    def learn() -> Any:
        return learner.learn(window, 1, np.random.default_rng(0), progress=(0.0, 1.0), on_step=held)

    refused_meanwhile(held, learn, learner.state)
    for second in (learner.network_file, lambda: learner.load_state(learner.state())):
        held.inside.clear()
        held.let_go.clear()
        refused_meanwhile(held, learn, second)


def test_a_writer_of_shards_refuses_a_second_thread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = tengen.load("tic_tac_toe")
    _, record = small_window(game)
    writer = ShardWriter(tmp_path, game)
    held = Held(os.fsync)
    monkeypatch.setattr("tengen.records.shards.os.fsync", held)
    refused_meanwhile(held, writer.commit, lambda: writer.append([record]))
    writer.close()


@pytest.mark.parametrize("kind", ["gtp", "solver"])
def test_external_programs_refuse_a_second_thread(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if kind == "gtp":
        game = tengen.load("go", size=5)
        program: Any = GtpProgram("cat", "cat", game)
        held = Held(lambda state: 0)
        monkeypatch.setattr(program, "_choose", held)
        state = game.initial_state()
        refused_meanwhile(held, lambda: program.choose([state], [0]), lambda: program.choose([state], [0]))
        return
    game = tengen.load("connect_four")
    solver: Any = BitBullySolver()
    held = Held(solver._scores)
    monkeypatch.setattr(solver, "_scores", held)
    state = game.state("4 4 4 4 4 4 3 3 3 3 3 3")
    refused_meanwhile(held, lambda: solver.scores(state), lambda: solver.scores(state))
