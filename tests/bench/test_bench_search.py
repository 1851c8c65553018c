"""`tengen bench search`: what it prints, and that both sides do the same work."""

import json
import sys

import pytest

import tengen
from tengen.bench.games import openspiel_searches, rates
from tengen.bench.search import GUIDED, NODES, ROLLOUTS, bytes_per_node, rollout_search

KEYS = ["tic_tac_toe", "connect_four", "othello", "go_9x9"]
FREE_KEYS = {"simulations_per_second", "two_threads", "bytes_per_node", "rollout_bytes_per_node"}
QUICK = ["--slices", "1", "--seconds", "0.002", "--simulations", "20", "--nodes", "200"]


def test_json_is_one_object_and_nothing_else(cli) -> None:
    speeds = json.loads(cli("bench", "search", "--json", *QUICK))
    assert list(speeds) == KEYS
    for key, speed in speeds.items():
        free = {"free_evaluator"} if key in ("connect_four", "go_9x9") else set()
        assert set(speed) == {"tengen", "openspiel", "ratio"} | free
        assert speed["ratio"] == pytest.approx(speed["tengen"] / speed["openspiel"], rel=0.01)
        for name in free:
            assert set(speed[name]) == FREE_KEYS
            assert all(value > 0 for value in speed[name].values())


def test_table_for_people(cli) -> None:
    out = cli("bench", "search", *QUICK)
    assert "simulations per second, one thread of" in out.replace("\n", " ")
    assert all(key in out for key in KEYS)
    assert out.count("in two threads") == 2


def test_without_openspiel_our_own_speed_and_how_to_install(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)  # makes `import pyspiel` fail
    assert tengen.interfaces.cli.run(["bench", "search", "--json", *QUICK]) == 0
    printed = capsys.readouterr()
    speeds = json.loads(printed.out)
    assert all(
        speed["tengen"] > 0 and speed["openspiel"] is None and speed["ratio"] is None for speed in speeds.values()
    )
    assert "tengen[openspiel]" in printed.err
    assert printed.err.count("\n") == 1


@pytest.mark.parametrize(
    "wrong", [["--slices", "0"], ["--seconds", "0"], ["--seconds", "inf"], ["--simulations", "0"], ["--nodes", "1"]]
)
def test_user_errors_are_one_line(refused, wrong: list[str]) -> None:
    assert "A bench needs" in refused("bench", "search", *wrong)


# --- The same work on both sides ----------------------------------------------------------------------------------


def test_both_sides_run_every_simulation() -> None:
    """Even of tic-tac-toe, which a search that proves results would have solved by then."""
    simulations = 100_000
    result = rollout_search(tengen.load("tic_tac_toe"), simulations, seed=1).result(0)
    assert (result.simulations, result.stopped) == (simulations, "simulations")
    assert openspiel_searches("tic_tac_toe")(simulations, 1, 1).explore_count == simulations


def test_both_sides_search_alike() -> None:
    """Trees of the same kind: as many visits to the middle of tic-tac-toe, within what chance allows."""
    game, simulations, searches = tengen.load("tic_tac_toe"), 2000, 30
    theirs, ours = [], []
    search = openspiel_searches("tic_tac_toe")
    for seed in range(searches):
        visits, *_ = rollout_search(game, simulations, seed).root_arrays()  # [1, A]
        ours.append(int(visits[0, 4]))
        theirs.append(next(child.explore_count for child in search(simulations, 1, seed).children if child.action == 4))
    assert sum(ours) / searches == pytest.approx(sum(theirs) / searches, rel=0.25)
    assert sum(ours) / searches > 2 * simulations / 9


# --- How it is measured ---------------------------------------------------------------------------------------------


class Pretence:
    """A clock that only pretended work moves."""

    def __init__(self) -> None:
        self.now = 0.0
        self.done: list[tuple[str, int]] = []

    def work(self, name: str, seconds: float, trouble: float = 0.0):  # type: ignore[no-untyped-def]
        """Takes that long per unit, and every third time much longer."""

        def do(amount: int, seed: int) -> None:
            self.done.append((name, amount))
            self.now += amount * seconds + (trouble if len(self.done) % 3 == 0 else 0.0)

        return do


def test_sides_take_turns_of_about_the_same_length() -> None:
    clock = Pretence()
    sides = {"a": clock.work("a", 0.01), "b": clock.work("b", 0.04)}
    assert rates(sides, slices=4, seconds=2.0, clock=lambda: clock.now) == pytest.approx({"a": 100.0, "b": 25.0})
    assert clock.done[-8:] == [("a", 200), ("b", 50)] * 4


def test_a_disturbed_slice_does_not_count() -> None:
    clock = Pretence()
    sides = {"a": clock.work("a", 1.0, trouble=1000.0)}
    found = rates(sides, slices=9, seconds=10.0, clock=lambda: clock.now)
    calm = Pretence()
    assert found["a"] == pytest.approx(rates({"a": calm.work("a", 1.0)}, 9, 10.0, lambda: calm.now)["a"])


@pytest.mark.parametrize("params", [GUIDED.replace(leaves_per_batch=16), ROLLOUTS], ids=["guided", "rollouts"])
def test_memory_per_node_hardly_depends_on_the_size(params: tengen.SearchParams) -> None:
    """So that a tree of NODES nodes can stand for one of 10 million."""
    game = tengen.load("connect_four")
    small, large = (bytes_per_node(game, params, NODES // part) for part in (8, 2))
    assert small == pytest.approx(large, rel=0.1)
