"""What a search does with what it cannot use: an error that names the cause, and a forest that goes on."""

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from fake_evaluators import HashEvaluator
from numpy.typing import NDArray

import tengen
from tengen import (
    Evaluation,
    EvaluatorError,
    Forest,
    IllegalActionError,
    SearchParamError,
    SearchParams,
    TengenError,
    load,
    search,
)
from tengen._core import param_specs
from tengen.search import evaluate_leaves, run

GAME = load("connect_four")
FloatArray = NDArray[np.float32]


def with_logits(change: Callable[[FloatArray], Any]) -> Callable[[FloatArray, FloatArray], tuple[Any, Any]]:
    return lambda logits, values: (change(logits.copy()), values)


def with_values(change: Callable[[FloatArray], Any]) -> Callable[[FloatArray, FloatArray], tuple[Any, Any]]:
    return lambda logits, values: (logits, change(values.copy()))


def put(number: float) -> Callable[[FloatArray], FloatArray]:
    def change(array: FloatArray) -> FloatArray:
        array[-1] = number
        return array

    return change


def three(win: float, draw: float, loss: float) -> Callable[[FloatArray], FloatArray]:
    return lambda values: np.tile(np.array([win, draw, loss], np.float32), (len(values), 1))


BAD_ANSWERS: dict[str, Callable[[FloatArray, FloatArray], Any]] = {
    "NaN logits": with_logits(put(np.nan)),
    "infinite logits": with_logits(put(np.inf)),
    "no chance for a legal action": with_logits(put(-np.inf)),
    "NaN values": with_values(put(np.nan)),
    "values beyond 1": with_values(put(1.5)),
    "infinite values": with_values(put(-np.inf)),
    "NaN draws": with_values(three(0.5, np.nan, 0.5)),
    "logits as win, draw, loss": with_values(three(2.0, 0.3, 1.5)),
    "negative chances": with_values(three(-0.2, 0.2, 1.0)),
    "a row too few": with_logits(lambda logits: logits[:-1]),
    "a row too many": with_values(lambda values: np.append(values, np.float32(0))),
    "an action too few": with_logits(lambda logits: logits[:, :-1]),
    "flat logits": with_logits(lambda logits: logits.ravel()),
    "square values": with_values(lambda values: values[:, None]),
    "four chances": with_values(lambda values: np.full((len(values), 4), 0.25, np.float32)),
    "a single value": with_values(lambda values: np.float32(0.0)),
    "text": with_logits(lambda logits: [["a"] * 7] * len(logits)),
    "complex numbers": with_values(lambda values: values.astype(complex)),
    "objects": with_values(lambda values: [None] * len(values)),
    "ragged lists": with_logits(lambda logits: [[0.0] * (3 + i) for i in range(1 + len(logits))]),
    "three arrays": lambda logits, values: (logits, values, values),
    "one array": lambda logits, values: logits,
    "nothing": lambda logits, values: None,
}

SEARCHES: dict[str, dict[str, Any]] = {
    "puct": {},
    "several leaves": {"leaves_per_batch": 8},
    "several leaves, cache": {"leaves_per_batch": 8, "cache_entries": 64},
    "mixed": {"rollout_weight": 0.5, "leaves_per_batch": 4},
    "uct": {"selection": "uct"},
    "gumbel": {"selection": "gumbel", "leaves_per_batch": 4},
}


def grown_forest(**changes: Any) -> Forest:
    forest = Forest(GAME, 3, SearchParams(simulations=120, **changes), seed=6)
    forest.begin(noise=True)
    return forest


def numbers(forest: Forest) -> list[list[float]]:
    return [
        array.tolist()
        for i in range(forest.num_trees)
        for array in (forest.tree(i).visits, forest.tree(i).value_sum, forest.tree(i).action, forest.tree(i).parent)
    ]


@pytest.mark.parametrize("bad", BAD_ANSWERS)
def test_a_bad_answer_is_named_and_changes_nothing(bad: str) -> None:
    good = HashEvaluator(GAME)
    forest = grown_forest(leaves_per_batch=2)
    undisturbed = grown_forest(leaves_per_batch=2)
    run(undisturbed, good)
    rounds = 0
    while forest.searching():
        rounds += 1
        if rounds % 4 == 3:
            with pytest.raises(EvaluatorError):
                evaluate_leaves(forest, lambda planes: BAD_ANSWERS[bad](*good(planes)))
            assert forest.num_pending == 0
        evaluate_leaves(forest, good)
    assert numbers(forest) == numbers(undisturbed)


class Trouble(Exception):
    pass


@pytest.mark.parametrize("kind", SEARCHES)
def test_an_evaluator_that_raises_changes_nothing(kind: str) -> None:
    good = HashEvaluator(GAME)

    def raises(planes: FloatArray, /) -> Evaluation:
        raise Trouble("the lights went out")

    forest = grown_forest(**SEARCHES[kind])
    undisturbed = grown_forest(**SEARCHES[kind])
    run(undisturbed, good)
    rounds = 0
    while forest.searching():
        rounds += 1
        if rounds % 2:
            with pytest.raises(Trouble):
                run(forest, raises)
        evaluate_leaves(forest, good)
    assert rounds > 10
    assert numbers(forest) == numbers(undisturbed)


def test_a_cancelled_batch_may_be_asked_for_in_smaller_parts() -> None:
    """As after running out of memory."""
    good = HashEvaluator(GAME)
    forest = grown_forest()
    evaluate_leaves(forest, good)
    assert len(forest.select()) == 3
    forest.cancel()
    while forest.searching():
        planes = forest.select(1)
        assert len(planes) <= 1
        if len(planes):
            forest.update(*good(planes))
    undisturbed = grown_forest()
    run(undisturbed, good)
    assert numbers(forest) == numbers(undisturbed)


def test_a_cancelled_batch_is_given_up_by_begin_set_root_and_advance() -> None:
    good = HashEvaluator(GAME)
    forest = grown_forest(leaves_per_batch=4)
    for _ in range(5):
        evaluate_leaves(forest, good)
    for give_up in (
        lambda: forest.begin(0),
        lambda: forest.advance(0, 3),
        lambda: forest.set_root(1, GAME.state("1 2 3")),
    ):
        forest.select()
        forest.cancel()
        give_up()
        forest.begin()
        run(forest, good)
        assert all(forest.result(i).simulations == 120 for i in range(3))


def test_calls_out_of_order() -> None:
    good = HashEvaluator(GAME)
    forest = grown_forest()
    with pytest.raises(EvaluatorError, match=r"\[0, 7\]"):
        forest.update(np.zeros((2, 7), np.float32), np.zeros(2, np.float32))
    forest.update(np.zeros((0, 7), np.float32), np.zeros(0, np.float32))
    planes = forest.select()
    for call in (
        forest.select,
        forest.begin,
        lambda: forest.advance(0, 0),
        lambda: forest.set_root(0, GAME.initial_state()),
    ):
        with pytest.raises(TengenError, match="wait for update"):
            call()
    forest.update(*good(planes))
    with pytest.raises(EvaluatorError):
        forest.update(*good(planes))
    forest.cancel()
    run(forest, good)
    undisturbed = grown_forest()
    run(undisturbed, good)
    assert numbers(forest) == numbers(undisturbed)


def test_update_after_cancel_is_refused() -> None:
    forest = grown_forest()
    answer = HashEvaluator(GAME)(forest.select())
    forest.cancel()
    with pytest.raises(EvaluatorError):
        forest.update(*answer)
    forest.update(np.zeros((0, 7), np.float32), np.zeros(0, np.float32))
    assert forest.tree(0).visits.tolist() == [0]


def test_planes_can_be_kept() -> None:
    """The next select() may write over them, but never frees them."""
    forest = Forest(GAME, 200, SearchParams(simulations=30, leaves_per_batch=2), seed=0)
    good = HashEvaluator(GAME)
    kept = [np.zeros((0, 3, 6, 7), np.float32)]
    forest.begin()
    while forest.searching():
        planes = forest.select()
        kept.append(planes)
        forest.update(*good(planes))
    del forest
    assert len({len(planes) for planes in kept}) > 2
    assert all(np.isin(planes, (0.0, 1.0)).all() for planes in kept)


def test_illegal_actions_and_foreign_positions() -> None:
    forest = Forest(GAME, 2, SearchParams(simulations=10), seed=0)
    forest.set_root(0, GAME.state("1 1 1 1 1 1"))
    for action in (0, -1, 7, 10**6):
        with pytest.raises(IllegalActionError):
            forest.advance(0, action)
    with pytest.raises(TengenError, match="tic_tac_toe"):
        forest.set_root(0, load("tic_tac_toe").initial_state())
    with pytest.raises(TengenError, match="rows=5"):
        forest.set_root(0, load("connect_four", rows=5).initial_state())
    forest.set_root(0, load("connect_four").initial_state())  # the same game, loaded again
    for tree in (-1, 2):
        for call in (forest.begin, forest.result, forest.tree, lambda tree: forest.advance(tree, 0)):
            with pytest.raises(SearchParamError, match="tree"):
                call(tree)
    with pytest.raises(SearchParamError):
        forest.begin(0, -1)
    for trees in (0, -1, 10**9):
        with pytest.raises(SearchParamError):
            Forest(GAME, trees, SearchParams(), 0)
    forest.begin()
    run(forest, HashEvaluator(GAME))


def test_a_finished_game_cannot_be_advanced() -> None:
    forest = Forest(GAME, 1, SearchParams(simulations=10), seed=0)
    forest.set_root(0, GAME.state("1 2 1 2 1 2 1"))
    with pytest.raises(IllegalActionError):
        forest.advance(0, 3)


def test_two_threads_on_one_forest() -> None:
    """While one thread searches, every call of another is refused, and the search is none the worse."""
    game = tengen.load("go", size=19)  # whose play-outs take long
    params = SearchParams(selection="uct", rollout_weight=1.0, simulations=200)
    forest = Forest(game, 60, params, seed=0)
    forest.begin()
    refused = 0
    thread = threading.Thread(target=forest.select)
    thread.start()
    calls: list[Callable[[], Any]] = [
        forest.select,
        forest.begin,
        forest.cancel,
        forest.root_arrays,
        forest.searching,
        lambda: forest.result(0),
        lambda: forest.tree(0),
        lambda: forest.bytes,
        lambda: forest.num_pending,
        lambda: forest.last_trace,
        lambda: forest.trace(True),
        lambda: forest.advance(0, 1),
    ]
    while thread.is_alive() and refused < 500:
        for call in calls[refused % len(calls) :][:1]:
            try:
                call()
            except TengenError as error:
                refused += "another thread" in str(error)
    thread.join()
    assert refused > 50
    run(forest, HashEvaluator(game))
    assert all(forest.result(i).simulations == 200 for i in range(60))


# --- parameters -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "given",
    [
        {"simulations": -1},
        {"simulations": 1.5},
        {"simulations": "many"},
        {"simulations": True},
        {"simulations": float("nan")},
        {"simulations": 10**12},
        {"leaves_per_batch": 0},
        {"max_nodes": 1},
        {"max_nodes": 3_000_000_000},
        {"c_puct": -0.1},
        {"c_puct": None},
        {"selection": "alphabeta"},
        {"selection": 1},
        {"solve": 1},
        {"solve": "yes"},
        {"noise_fraction": 1.1},
        {"virtual_loss": float("inf")},
        {"gumbel_considered": 0},
        {"c_pucct": 1.0},
    ],
    ids=str,
)
def test_bad_parameters_are_named(given: dict[str, Any]) -> None:
    (name,) = given
    with pytest.raises(SearchParamError, match=name):
        SearchParams(**given)
    with pytest.raises(SearchParamError, match=name):
        SearchParams().replace(**given)
    with pytest.raises(SearchParamError, match=name):
        search(GAME, [GAME.initial_state()], **given)


def test_parameters_are_values() -> None:
    params = SearchParams(simulations=100, c_puct=0.7, selection="gumbel")
    assert eval(repr(params)) == params
    assert hash(eval(repr(params))) == hash(params)
    assert params.replace(simulations=5) != params
    assert params.simulations == 100
    with pytest.raises(AttributeError):
        params.simulations = 5  # type: ignore[misc]
    for spec in param_specs():
        assert getattr(SearchParams(), spec.name) == spec.default
        if spec.highest > spec.lowest:
            for edge in (spec.lowest, spec.highest):
                assert getattr(SearchParams(**{spec.name: edge}), spec.name) == pytest.approx(edge)


def test_no_states() -> None:
    assert search(GAME, []) == []


def test_the_evaluator_sees_no_finished_position() -> None:
    """The first player has three stones in the first column; with the fourth the game is over."""
    state = GAME.state("1 2 1 2 1 2")
    rows = 0
    inner = HashEvaluator(GAME)

    def evaluator(planes: FloatArray, /) -> Evaluation:
        nonlocal rows
        rows += len(planes)
        assert not planes[:, :2, 2:, 0].all(axis=2).any()
        return inner(planes)

    search(GAME, [state], evaluator, simulations=300, solve=False)
    assert rows > 10
