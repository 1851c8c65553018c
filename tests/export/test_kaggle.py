"""The agent for Kaggle: one file that runs alone, computes our network, knows the rules, and keeps to its time."""

import ast
import math
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import tengen
from tengen.export import kaggle_agent
from tengen.export.kaggle import agent_program, agent_weights
from tengen.export.kaggle_agent import Rules, Search
from tengen.network import Evaluation, agreement, make_evaluator
from tengen.network.checkpoint import NetworkFile, find_network, load_network
from tengen.network.positions import random_positions, random_states
from tengen.strength.accuracy import known_positions

GAME = tengen.load("connect_four")
CONFIGURATION = {"rows": 6, "columns": 7, "inarow": 4, "actTimeout": 2, "episodeSteps": 1000}
PLAYED_ALONE = """
import sys
assert "tengen" not in sys.modules and not any("site-packages/tengen" in path for path in sys.path)
space = {}
exec(compile(open(sys.argv[1]).read(), "main.py", "exec"), space)  # as kaggle_environments does
agent = [value for value in space.values() if callable(value)][-1]
board = [0] * 42
board[35] = board[36] = board[37] = 1
board[42 - 3] = board[42 - 1] = 2
configuration = {"rows": 6, "columns": 7, "inarow": 4, "actTimeout": 0.2}
print(agent({"board": board, "mark": 2}, configuration), agent({"board": [0] * 42, "mark": 1}, configuration))
"""


@pytest.fixture(scope="module")
def file() -> NetworkFile:
    return load_network(find_network("connect_four"))


@pytest.fixture(scope="module")
def program(file: NetworkFile) -> str:
    return agent_program(file)


@pytest.fixture(scope="module")
def written(program: str) -> dict[str, Any]:
    """The names of the written file, run as Kaggle runs it."""
    space: dict[str, Any] = {}
    exec(compile(program, "main.py", "exec"), space)
    return space


@pytest.fixture
def search(file: NetworkFile, written: dict[str, Any]) -> Search:
    return Search(Rules(6, 7, 4), written["Network"](agent_weights(file)))


def board_of(state: tengen.State) -> list[int]:
    """As Kaggle lists it: 1 the first player, 2 the second."""
    own, opponent = state.planes()[:2]
    first, second = (own, opponent) if state.to_move == 0 else (opponent, own)
    cells: list[int] = (first + 2 * second).astype(int).ravel().tolist()
    return cells


def observe(state: tengen.State) -> dict[str, Any]:
    return {"board": board_of(state), "mark": state.to_move + 1, "step": len(state.moves), "remainingOverageTime": 60}


def choose(search: Search, state: tengen.State, simulations: int) -> int:
    return search.move(*search.rules.parse(board_of(state), state.to_move + 1), simulations=simulations)


class SlowNetwork:
    """Knows nothing, and moves the clock on by what a batch costs."""

    def __init__(self, clock: list[float], seconds_per_position: float) -> None:
        self.clock, self.seconds_per_position = clock, seconds_per_position

    def __call__(self, planes: Any) -> Any:
        self.clock[0] += 0.001 + self.seconds_per_position * len(planes)
        return np.zeros((len(planes), 7)), np.full((len(planes), 3), 1 / 3)


def test_the_file_is_small_and_needs_only_numpy(program: str) -> None:
    assert len(program) < 2_000_000
    imported = set()
    for node in ast.walk(ast.parse(program)):
        if isinstance(node, ast.Import):
            imported |= {alias.name.partition(".")[0] for alias in node.names}
        if isinstance(node, ast.ImportFrom):
            imported.add((node.module or "").partition(".")[0])
    assert "numpy" in imported
    assert imported - {"numpy"} <= sys.stdlib_module_names


def test_kaggle_takes_the_last_function_of_the_file(written: dict[str, Any]) -> None:
    last = [value for value in written.values() if callable(value)][-1]
    assert last is written["agent"]


def test_it_runs_where_there_is_no_tengen(program: str, tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(program)
    folder = tmp_path / "numpy_only"
    folder.mkdir()
    for name in ("numpy", "numpy.libs"):
        if (installed := Path(np.__file__).parents[1] / name).exists():
            (folder / name).symlink_to(installed)
    alone = f"import sys; sys.path = [path for path in sys.path if 'site-packages' not in path] + [{str(folder)!r}]\n"
    command = [sys.executable, "-I", "-S", "-c", alone + PLAYED_ALONE, str(tmp_path / "main.py")]
    answer = subprocess.run(command, capture_output=True, text=True, check=True)
    blocked, first = map(int, answer.stdout.split())
    assert blocked == 3
    assert 0 <= first < 7
    assert not answer.stderr


def test_it_computes_our_network(file: NetworkFile, written: dict[str, Any]) -> None:
    """In f32 to the last digits; with its weights in half precision to 0.001 in the value."""
    planes = random_positions(file, 128)
    expected = make_evaluator(file, backend="openvino", precision="f32")(planes)
    theirs = planes.transpose(0, 2, 3, 1)  # [B, H, W, C]
    logits, wdl = written["Network"](agent_weights(file))(theirs)
    np.testing.assert_allclose(logits, expected.logits, atol=1e-3)
    np.testing.assert_allclose(wdl, expected.values, atol=1e-4)
    halved = Evaluation(*written["load_network"]()(theirs))
    found = agreement(expected, halved)
    assert found.divergence < 1e-5
    assert found.value_error < 1e-3


def test_its_rules_are_ours() -> None:
    rules = Rules(6, 7, 4)
    for state in random_states(GAME, 300, seed=3):
        own, opponent = rules.parse(board_of(state), state.to_move + 1)
        np.testing.assert_array_equal(rules.planes([(own, opponent)])[0], state.planes().transpose(1, 2, 0))
        cells = {rules.column(cell): cell for cell in rules.landing(own, opponent)}
        assert sorted(cells) == list(state.legal_actions)
        for column, cell in cells.items():
            outcome = state.play(column).outcome
            assert rules.has_row(own | cell) == (outcome is not None and not outcome.is_draw)


@pytest.mark.parametrize("size", [{"rows": 4, "columns": 5, "in_a_row": 3}, {"rows": 10, "columns": 5}])
def test_any_board_is_played(search: Search, size: dict[str, int]) -> None:
    game = tengen.load("connect_four", **size)
    other = Search(Rules(game.spec.height, game.spec.width, size.get("in_a_row", 4)), search.network)
    for state in random_states(game, 5, seed=1):
        assert choose(other, state, 4) in state.legal_actions


@pytest.mark.parametrize("mark", [1, 2])
def test_it_wins_at_once_and_else_stops_a_win(search: Search, mark: int) -> None:
    before = [6] if mark == 2 else []  # a stone more, for the other player to be on turn
    three = [*before, 0, 1, 0, 1, 0, 1]
    assert choose(search, GAME.state(three), 1) == 0
    threatened = [*before, 6, 2, 5, 2, 6, 2] if mark == 1 else [*before, 2, 0, 2, 5, 2, 0][:-1]
    assert choose(search, GAME.state(threatened), 1) == 2


def test_full_columns_are_left_alone(written: dict[str, Any]) -> None:
    state = GAME.state([0, 0, 0, 0, 0, 0, 6, 6, 6, 6, 6, 6, 3, 3, 3, 3, 3, 3])
    column = written["agent"](
        SimpleNamespace(**observe(state)), SimpleNamespace(**{**CONFIGURATION, "actTimeout": 0.1})
    )
    assert column in state.legal_actions
    assert type(column) is int  # Kaggle takes no other


def test_a_whole_game_is_won(written: dict[str, Any]) -> None:
    rng = np.random.default_rng(1)
    quick = {**CONFIGURATION, "actTimeout": 0.1}
    for player in (0, 1):
        state = GAME.initial_state()
        while state.outcome is None:
            mine = state.to_move == player
            state = state.play(
                written["agent"](observe(state), quick) if mine else int(rng.choice(state.legal_actions))
            )
        assert state.outcome.winner == player


def test_most_of_its_moves_are_good(search: Search) -> None:
    positions = known_positions(GAME)
    good = [
        np.sign(scores[choose(search, state, 50)]) == np.sign(np.nanmax(scores))
        for state, scores in zip(positions.states[:60], positions.scores, strict=False)
    ]
    assert np.mean(good) >= 0.85


def test_every_simulation_is_one_visit(search: Search) -> None:
    """Also where leaves of one batch met: nothing stays under way."""
    root = kaggle_agent.Node(search.rules, *search.rules.parse(board_of(GAME.state([3, 3, 4])), 2))
    search.think(root, math.inf, 200)
    assert sum(root.visits) == 200
    waiting = [root]
    while waiting:
        node = waiting.pop()
        assert not any(node.under_way)
        waiting += [child for child in node.children if child is not None]


def test_a_proven_loss_is_put_off_and_a_proven_win_is_played(search: Search) -> None:
    """By the search alone: the network says that all is even."""
    knows_nothing: Any = SlowNetwork([0.0], 0.0)
    blank = Search(search.rules, knows_nothing)
    three_open = GAME.state([3, 3, 4, 4])  # a third stone beside these two threatens both ends
    assert choose(blank, three_open, 300) in (2, 5)
    must_stop_it = GAME.state([3, 3, 4])
    assert choose(blank, must_stop_it, 600) in (2, 5)


@pytest.mark.parametrize("seconds_per_position", [0.001, 0.01, 0.1, 0.5])
def test_however_slow_the_machine_it_answers_in_time(
    monkeypatch: pytest.MonkeyPatch, seconds_per_position: float
) -> None:
    clock = [0.0]
    monkeypatch.setattr(kaggle_agent, "time", SimpleNamespace(perf_counter=lambda: clock[0]))
    slow: Any = SlowNetwork(clock, seconds_per_position)
    monkeypatch.setattr(kaggle_agent, "SEARCHES", {(6, 7, 4): Search(Rules(6, 7, 4), slow)})
    assert kaggle_agent.agent(observe(GAME.initial_state()), CONFIGURATION) in range(7)
    assert 0.5 < clock[0] <= 1.6


def test_only_connect_four(refused: Any, tmp_path: Path) -> None:
    complaint = refused("export", "kaggle", "tic_tac_toe", "--output", str(tmp_path / "main.py"))
    assert "plays tic_tac_toe" in complaint
    assert not list(tmp_path.iterdir())


def test_the_command_writes_the_file(cli: Any, tmp_path: Path, program: str) -> None:
    path = tmp_path / "main.py"
    assert str(path) in cli("export", "kaggle", "connect_four", "--output", str(path))
    assert path.read_text() == program


def test_what_can_not_be_written_or_read_is_named(refused: Any, tmp_path: Path) -> None:
    there_is_none = tmp_path / "nowhere" / "main.py"
    assert "No such file" in refused("export", "kaggle", "connect_four", "--output", str(there_is_none))
    assert "There is no network 'x'" in refused("export", "kaggle", "x")
