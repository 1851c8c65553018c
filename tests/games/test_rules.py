"""Games written in one Python file: the same game compiled, interpreted and as an engine; and what can go wrong."""

import subprocess
import sys
import textwrap
import threading
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import tengen
from tengen.games.rules import RulesWarning, load_interpreted

EXAMPLES = Path(__file__).parents[2] / "examples"
CONNECT_FOUR = str(EXAMPLES / "connect_four.py")
HEX = str(EXAMPLES / "hex.py")

# Players take turns to say a number; from the fortieth turn on, some numbers do something wrong.
TRAPS = """
import numpy as np
from tengen.games.rules import DRAW, ONGOING

ready: int = 40
board = (2, 2)
num_actions = 12
longest_game = 60
plane_names = ["own", "opponent's"]
State = np.dtype([("turn", np.int32), ("trap", np.int16), ("cells", np.int8, 4)])

def to_move(state):
    return state.turn % 2 if state.trap != 3 else 7

def legal(state, mask):
    mask[:] = True
    if state.trap == 4:
        mask[12 + state.trap] = True
    if state.trap == 5:
        mask[:] = False

def play(state, action):
    state.turn += 1
    if state.turn > ready:
        state.trap = action
    if state.trap == 1:
        raise ValueError("one is never said")
    if state.trap == 2:
        state.cells[action * 2] = 1
    if state.trap == 9:
        deep(state, 1)

def deep(state, value):
    inner(state.cells, value - 1)

def inner(cells, value):
    cells[0] = 1 // value

def outcome(state):
    if state.trap == 6:
        return 5
    if state.trap == 7:
        return state.cells[-5]
    return DRAW if state.turn == 60 else ONGOING

def planes(state, out):
    out[0, 0, 0] = state.turn
    if state.trap == 8:
        out[2, 0, 0] = 1
"""

Load = Callable[..., tengen.Game]


def write(folder: Path, text: str, name: str = "my_game.py") -> str:
    path = folder / name
    path.write_text(textwrap.dedent(text))
    return str(path)


@pytest.fixture(scope="module")
def connect_four() -> tengen.Game:
    return tengen.load(CONNECT_FOUR)


@pytest.fixture(scope="module")
def traps(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tengen.Game]:
    path = write(tmp_path_factory.mktemp("traps"), TRAPS, "traps.py")
    return {"compiled": tengen.load(path), "interpreted": load_interpreted(path)}


def test_the_file_and_the_engine_play_the_very_same_random_games(connect_four: tengen.Game) -> None:
    engine = tengen.load("connect_four").random_playouts(2000, seed=7)
    file = connect_four.random_playouts(2000, seed=7)
    assert (file.wins, file.draws, file.actions) == (engine.wins, engine.draws, engine.actions)


def test_the_file_and_the_engine_agree_on_every_answer(connect_four: tengen.Game) -> None:
    engine = tengen.load("connect_four")
    numbers = np.random.default_rng(3)
    for _ in range(20):
        ours, theirs = connect_four.initial_state(), engine.initial_state()
        while not theirs.outcome:
            assert ours.legal_actions == theirs.legal_actions
            assert ours.to_move == theirs.to_move
            assert np.array_equal(ours.planes(), theirs.planes())
            assert str(ours) == str(theirs)
            action = int(numbers.choice(theirs.legal_actions))
            assert ours.action_text(action) == theirs.action_text(action)
            ours, theirs = ours.play(action), theirs.play(action)
        assert ours.outcome == theirs.outcome
        assert ours.legal_actions == ()
    assert connect_four.perft(6).positions == engine.perft(6).positions


def test_compiled_and_interpreted_are_the_same_game() -> None:
    compiled, interpreted = tengen.load(HEX, size=4), load_interpreted(HEX, size=4)
    assert (compiled.backend, interpreted.backend) == ("compiled", "interpreted")
    assert tengen.load("tic_tac_toe").backend == "c++"
    one, other = compiled.random_playouts(100, seed=1), interpreted.random_playouts(100, seed=1)
    assert (one.wins, one.draws, one.actions) == (other.wins, other.draws, other.actions)
    assert compiled.state("a1 b2 c3") == interpreted.state("a1 b2 c3")
    assert hash(compiled.state("a1 b2 c3")) == hash(interpreted.state("a1 b2 c3"))


def test_hex_is_the_hex_of_openspiel() -> None:
    import pyspiel

    theirs = pyspiel.load_game("hex(board_size=5)")
    ours = tengen.load(HEX, size=5)
    numbers = np.random.default_rng(5)
    for _ in range(100):
        state, other = ours.initial_state(), theirs.new_initial_state()
        while not other.is_terminal():
            assert list(state.legal_actions) == other.legal_actions()
            assert state.to_move == other.current_player()
            action = int(numbers.choice(state.legal_actions))
            state = state.play(action)
            other.apply_action(action)
        assert state.outcome is not None
        assert list(state.outcome.returns) == other.returns()


def test_options_reach_everything_that_is_derived_from_them() -> None:
    small = tengen.load(HEX, size=3)
    assert small.spec.planes_shape == (3, 3, 3)
    assert small.spec.num_actions == 9
    assert repr(small) == f"tengen.load({HEX!r}, size=3)"
    assert small.state("b2 a1").legal_actions == (0, 1, 2, 3, 5, 7, 8)
    assert small != load_interpreted(HEX, size=4)
    state = small.state("a1 b2")
    assert eval(repr(state), {"tengen": tengen}) == state


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"size": 1}, "size must be 2 to 19, not 1"),
        ({"size": 2.5}, "size must be a whole number, not 2.5"),
        ({"size": "big"}, "size must be a whole number, not 'big'"),
        ({"sise": 5}, "has no option 'sise'; its options are: size"),
    ],
)
def test_wrong_options_are_named(options: dict[str, float], message: str) -> None:
    with pytest.raises(tengen.GameOptionError, match=message):
        tengen.load(HEX, **options)


def test_a_state_keeps_its_game_alive() -> None:
    state = tengen.load(HEX, size=2).initial_state()
    assert state.play("a1").play("b2").play("a2").outcome == tengen.load(HEX, size=2).state("a1 b2 a2").outcome


def test_threads_share_a_game(connect_four: tengen.Game) -> None:
    games = [connect_four, load_interpreted(CONNECT_FOUR)]
    wins: list[list[int]] = []
    work = [
        threading.Thread(target=lambda game=game: wins.append(list(game.random_playouts(30, seed=2).wins)))
        for game in games * 3
    ]
    for thread in work:
        thread.start()
    for thread in work:
        thread.join()
    assert wins == [wins[0]] * 6


def test_numba_is_imported_only_for_rules_files() -> None:
    code = "import sys, tengen; tengen.load('tic_tac_toe'); sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_default_texts(tmp_path: Path) -> None:
    game = load_interpreted(write(tmp_path, TRAPS))
    assert game.action_text(11) == "11"
    assert game.parse_action("11") == 11
    assert game.parse_action("12") is None
    with pytest.raises(tengen.BoardTextError, match="no function set_board"):
        game.state(board="..\n..")


def test_texts_of_the_authors_own(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        TRAPS
        + """
def action_text(action):
    return "no" if action == 0 else 7 if action == 1 else "yes" * action

def parse_action(text):
    return {"no": 0, "over": 12, "odd": "x"}.get(text)

def board_text(state):
    return f"turn {state.turn}"

def set_board(state, cells, to_move):
    if to_move == 1:
        raise ValueError("X moves in this drawing")
    state.turn = (cells == 0).sum() * 2
""",
    )
    game = load_interpreted(path)
    assert game.action_text(2) == "yesyes"
    assert game.parse_action("no") == 0
    assert game.parse_action("over") is None
    assert str(game.state(board="X.\n.X\nX to move")) == "turn 4"
    with pytest.raises(tengen.BoardTextError, match="X moves in this drawing"):
        game.state(board="X.\n.X\nO to move")
    with pytest.raises(tengen.RulesError, match=r"action_text\(\) returned 7; it returns a text"):
        game.action_text(1)
    with pytest.raises(tengen.RulesError, match=r"parse_action\(\) returned 'x'"):
        game.parse_action("odd")


@pytest.mark.parametrize("backend", ["compiled", "interpreted"])
@pytest.mark.parametrize(
    ("action", "message"),
    [
        (1, r"line \d+: play\(state, 1\) raised ValueError: one is never said"),
        (2, r"line \d+: play\(state, 2\) raised IndexError: index 4 is out of bounds for axis 0 with size 4"),
        (3, r"to_move\(\).* returned 7; it returns 0 for the first player or 1 for the second"),
        (4, r"line \d+: legal\(state\) raised IndexError: index 16 is out of bounds for axis 0 with size 12"),
        (6, r"outcome\(\).* returned 5; it returns ONGOING, DRAW, or the number of the winner, 0 or 1"),
        (7, r"line \d+: outcome\(state\) raised IndexError: index -5 is out of bounds"),
        (8, r"line \d+: planes\(state\) raised IndexError: index 2 is out of bounds for axis 0 with size 2"),
        (9, r"line \d+: play\(state, 9\) raised ZeroDivisionError"),
    ],
)
def test_a_rule_that_goes_wrong_later(traps: dict[str, tengen.Game], backend: str, action: int, message: str) -> None:
    before = traps[backend].state([0] * 40)
    with pytest.raises(tengen.RulesError, match=message):
        ask_everything(before.play(action))
    assert before.legal_actions == tuple(range(12))  # unharmed


def ask_everything(state: tengen.State) -> None:
    state.outcome, state.to_move, state.legal_actions, state.planes(), str(state)


@pytest.mark.parametrize("backend", ["compiled", "interpreted"])
def test_random_games_tell_what_is_wrong_too(traps: dict[str, tengen.Game], backend: str) -> None:
    game = traps[backend]
    with pytest.raises(tengen.RulesError, match=r"raised|returned|allows nothing"):
        game.random_playouts(3, seed=1)
    with pytest.raises(
        tengen.RulesError, match=r"legal\(\) of traps allows nothing, but outcome\(\) says that the game goes on"
    ):
        game.random_playouts(1, seed=1, state=game.state([0] * 40 + [5]))
    with pytest.raises(tengen.RulesError, match=r"traps\.py.*one is never said"):
        game.perft(1, game.state([0] * 40))


def test_a_game_that_never_ends(tmp_path: Path) -> None:
    endless = load_interpreted(write(tmp_path, TRAPS.replace("state.turn == 60", "False")), ready=10**6)
    with pytest.raises(tengen.RulesError, match="went on after 60 actions, although its longest_game is 60"):
        endless.random_playouts(1, seed=0)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("def legal(state, mask)", "def leagl(state, mask)", r"no function legal\(state, mask\); is it 'leagl'\?"),
        ("def play(state, action)", "def play(state)", r"play must take \(state, action\), not \(state\)"),
        (
            "def outcome(state):",
            "outcome = 3\ndef other(state):",
            r"outcome must be a function outcome\(state\), not 3",
        ),
        ("def to_move(state)", "def mover(state)", r"no function to_move\(state\), nor a field to_move of State"),
        ("board = (2, 2)", "board = 4", r"board must be \(height, width\), two whole numbers from 1, not 4"),
        ("board = (2, 2)", "", r"no `board = \(height, width\)`"),
        ("num_actions = 12", "num_actions = 0", "num_actions must be a whole number from 1, not 0"),
        (
            "num_actions = 12",
            "actions = 'cell'",
            "actions must be one of 'cells', 'columns', 'moves', 'numbers', not 'cell'",
        ),
        ("num_actions = 12", "num_actions = 3; actions = 'cells'", "num_actions is 3, but .* of this board are 4"),
        ("longest_game = 60", "raise SystemExit(3)", r"line \d+: SystemExit: 3"),  # as of sys.exit()
        ("longest_game = 60", "longest = 60", "no `longest_game`, the most actions a game can have"),
        ('plane_names = ["own", "opponent\'s"]', "plane_names = 2", "plane_names must be a list of texts, not 2"),
        ("longest_game = 60", "longest_game = 60; symmetries = 'all'", "symmetries must be 'none', 'mirror'"),
        (
            "longest_game = 60",
            "longest_game = 60; symmetries = 'mirror'",
            "needs actions = 'cells', 'columns' or 'moves'",
        ),
        (
            "longest_game = 60",
            "longest_game = 60; symmetries = {'flip': ([1, 0, 3, 3], range(12))}",
            "cell_source of the symmetry 'flip' must hold 0 to 3 once each",
        ),
        ("np.int32)", "object)", "the field turn of State must hold numbers or bools of a fixed size, not object"),
        ("np.int32)", "'U5')", "the field turn of State must hold numbers or bools of a fixed size"),
        ("np.int8, 4)", "np.int8, 20000)", "State takes 20008 bytes; at most 16384 fit"),
        ("State = np.dtype([", "State = ([", None),  # a plain list of fields will do
        ("State = ", "Stat = ", "there is no State, such as .*; is it 'Stat'?"),
        ("State = ", "State = 1.5 #", "State must be a numpy dtype with"),
        ("ready: int = 40", "ready: int = len('abc')", "the option ready needs a plain whole number as its default"),
        ("longest_game = 60", "longest_game = 60 / 0", r"line \d+: ZeroDivisionError: division by zero"),
        ("longest_game = 60", "longest_game = = 60", "line 8: invalid syntax"),
        ("import numpy as np", "import nampy as np", r"line 2: ModuleNotFoundError: No module named 'nampy'"),
        (
            "    state.turn += 1",
            "    return 3",
            r"play\(\) returned 3; it changes `state` in place and returns nothing",
        ),
        ("mask[:] = True", "state.turn = 1", r"legal\(\) changes the state; only play\(\) and start\(\) may"),
        ("return DRAW if", "return None if", r"outcome\(\) returned None; it returns ONGOING, DRAW, or the number"),
        ("    state.turn += 1", "    play(state, action)", r"line \d+: play\(state, \d+\) raised RecursionError"),
        ("state.turn += 1", "state.tern += 1", "State has no field 'tern'; its fields are: turn, trap, cells"),
    ],
)
def test_what_a_file_can_have_wrong(tmp_path: Path, old: str, new: str, message: str | None) -> None:
    assert old in TRAPS
    path = write(tmp_path, TRAPS.replace(old, new, 1).replace("state.turn == 60", "state.turn > 2"))
    if message is None:
        assert load_interpreted(path).state([1, 2]).to_move == 0
        return
    with pytest.raises(tengen.RulesError, match=message):
        tengen.load(path)


def test_a_missing_file_and_a_file_that_is_not_python(tmp_path: Path) -> None:
    with pytest.raises(tengen.RulesError, match=r"'nowhere/my_game\.py' can't be read: No such file"):
        tengen.load("nowhere/my_game.py")
    (tmp_path / "bytes.py").write_bytes(b"\x00\xff")
    with pytest.raises(tengen.RulesError, match=r"bytes\.py"):
        tengen.load(str(tmp_path / "bytes.py"))


def test_rules_that_cannot_be_compiled_are_interpreted_and_say_why(tmp_path: Path) -> None:
    text = TRAPS.replace("    state.turn += 1", "    state.turn += len({action: [state]})")
    with pytest.warns(RulesWarning) as caught:
        game = tengen.load(write(tmp_path, text))
    assert game.backend == "interpreted"
    assert len(caught) == 1
    assert "my_game.py runs interpreted, which is slower but plays the same" in str(caught[0].message)
    assert "Numba can't compile play(), line 23, `state.turn += len({action: [state]})`" in str(caught[0].message)
    assert caught[0].filename == __file__
    assert game.state([1, 2, 3]).to_move == 1


def test_without_numba_rules_are_interpreted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numba", None)
    monkeypatch.delitem(sys.modules, "tengen.games.rules.compiled", raising=False)
    with pytest.warns(RulesWarning, match=r"numba is not installed \(pip install 'tengen\[rules\]'\)"):
        game = tengen.load(write(tmp_path, TRAPS))
    assert game.backend == "interpreted"


def test_compiled_rules_are_kept_between_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tengen.games.rules import compiled

    cache = tmp_path / "cache"
    monkeypatch.setenv("TENGEN_CACHE", str(cache))
    path = write(tmp_path, TRAPS)
    fresh = tengen.load(path, ready=100).random_playouts(50, seed=1)
    (kept,) = cache.glob("rules/*.bin")
    with monkeypatch.context() as patch:
        patch.setattr(compiled, "_entries", None)  # nothing can be compiled now
        again = tengen.load(path, ready=100)
        assert again.backend == "compiled"
        assert again.random_playouts(50, seed=1).actions == fresh.actions
        with pytest.raises(TypeError):
            tengen.load(path, ready=101)
    kept.write_bytes(kept.read_bytes()[:-1])
    assert tengen.load(path, ready=100).random_playouts(50, seed=1).actions == fresh.actions


@pytest.mark.parametrize(
    ("old", "new", "changes"),
    [
        ("ready: int = 40", "ready: int = 41", True),
        ("1 // value", "2 // value", True),
        ("longest_game = 60", "longest_game = 61", True),
        ("np.int16", "np.int32", True),
        ('"own"', '"mine"', False),
        ("def deep(", "# a word\ndef deep(", False),
        ("state.turn > ready", "state.turn > TABLE[0]", True),
    ],
)
def test_what_the_kept_code_depends_on(tmp_path: Path, old: str, new: str, changes: bool) -> None:
    assert (key_of(write(tmp_path, TRAPS)) != key_of(write(tmp_path, TRAPS.replace(old, new) + TABLE))) == changes


def test_constants_from_elsewhere_are_part_of_the_key(tmp_path: Path) -> None:
    (tmp_path / "table.txt").write_text("1 2")
    path = write(
        tmp_path,
        TRAPS.replace("> ready", "> TABLE[0]")
        + TABLE.replace("[1, 2]", "np.loadtxt('{}')".format(tmp_path / "table.txt")),
    )
    before = key_of(path)
    (tmp_path / "table.txt").write_text("1 3")
    assert before is not None
    assert key_of(path) != before
    assert key_of(write(tmp_path, TRAPS.replace("> ready", "> random.random()") + "\nimport random\n")) is None


TABLE = "\nTABLE = np.array([1, 2])\n"


def key_of(path: str) -> str | None:
    from tengen.games.rules import cache, compiled
    from tengen.games.rules.declaration import declare
    from tengen.games.rules.source import read_rules_file

    return cache.key(declare(read_rules_file(path, {})), compiled.RULES)


def test_compiled_rules_warn_of_nothing(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert tengen.load(HEX, size=2).backend == "compiled"


@pytest.mark.parametrize("writable", ["rules", "file"])
def test_machine_code_that_others_could_have_written_is_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writable: str
) -> None:
    from tengen.games.rules import cache as kept_rules

    cache = tmp_path / "cache"
    monkeypatch.setenv("TENGEN_CACHE", str(cache))
    tengen.load(write(tmp_path, TRAPS))
    (kept,) = cache.glob("rules/*.bin")
    assert kept_rules.find(kept.stem) is not None
    (kept if writable == "file" else kept.parent).chmod(0o777)
    assert kept_rules.find(kept.stem) is None
