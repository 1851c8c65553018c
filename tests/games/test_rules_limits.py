"""Rules files that never end, answer with something else than a number, or are too large: a sentence for each."""

from pathlib import Path

import pytest

import tengen
from tengen.games.check import check_game
from tengen.games.rules import RulesWarning, endless, load_interpreted

MATCHES = """
import itertools
import numpy as np
from tengen.games.rules import ONGOING, move_table

board, num_actions, longest_game, plane_names = (1, 15), 3, 15, ["matches left", "X to move"]
State = np.dtype([("taken", np.int8), ("to_move", np.int8)])

def legal(state, mask):
    mask[: 15 - state.taken] = True

def play(state, action):
    state.taken += action + 1
    state.to_move = 1 - state.to_move

def outcome(state):
    return 1 - state.to_move if state.taken == 15 else ONGOING

def planes(state, out):
    out[0, 0, state.taken :] = 1
    out[1] = state.to_move == 0
"""
WIDE = """
import numpy as np
from tengen.games.rules import DRAW, ONGOING

height: int = 2
width: int = 60
board, actions, longest_game = (height, width), "cells", 3
plane_names = ["own stones", "opponent's stones"]
State = np.dtype([("owner", np.int8, (height, width)), ("turn", np.int8)])

def to_move(state):
    return state.turn % 2

def legal(state, mask):
    for cell in range(height * width):
        mask[cell] = state.owner[cell // width, cell % width] == 0

def play(state, cell):
    state.owner[cell // width, cell % width] = 1 + state.turn % 2
    state.turn += 1

def outcome(state):
    return DRAW if state.turn == 3 else ONGOING

def planes(state, out):
    for row in range(height):
        for column in range(width):
            out[0, row, column] = state.owner[row, column] == 1 + state.turn % 2
            out[1, row, column] = state.owner[row, column] == 2 - state.turn % 2
"""


def write(folder: Path, *changes: tuple[str, str], text: str = MATCHES) -> str:
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path = folder / "my_game.py"
    path.write_text(text)
    return str(path)


@pytest.fixture
def _few_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endless, "MOST_ROUNDS", 1000)


@pytest.mark.usefixtures("_few_rounds")
@pytest.mark.parametrize("load", [tengen.load, load_interpreted])
def test_a_loop_that_never_ends_is_named(load: object, tmp_path: Path) -> None:
    late = ("def play(state, action):", "def play(state, action):\n    while state.taken == 13:\n        action = 0")
    assert callable(load)
    game = load(write(tmp_path, late))
    ready = game.state("2 2 2 2 0")
    with pytest.raises(tengen.RulesError, match=r"line 13: play\(state, 0\) raised .* loop went round 1,000 times"):
        ready.play("0")
    report = check_game(game)
    assert not report.passed
    assert "it probably never ends" in report.text()


@pytest.mark.usefixtures("_few_rounds")
def test_a_loop_that_never_ends_at_once_or_outside_of_functions(tmp_path: Path) -> None:
    once = ("def play(state, action):", "def play(state, action):\n    while True:\n        continue")
    with pytest.raises(tengen.RulesError, match=r"line 13: play\(state, 1\) raised .* loop went round"):
        tengen.load(write(tmp_path, once))
    with pytest.raises(tengen.RulesError, match="line 6: RuntimeError: this while loop went round"):
        tengen.load(write(tmp_path, ("\nboard,", "\nwhile True:\n    pass\nboard,")))


@pytest.mark.usefixtures("_few_rounds")
def test_loops_that_end_are_as_they_were(tmp_path: Path) -> None:
    loop = "    left = action + 1\n    while left > 0:\n        state.taken += 1\n        left -= 1"
    game = tengen.load(write(tmp_path, ("    state.taken += action + 1", loop)))
    assert game.backend == "compiled"
    assert game.random_playouts(5000, seed=1).games == 5000  # rounds are counted for each loop anew


def test_what_hangs_in_another_way_has_a_time_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("source", "interpreted"):
        monkeypatch.setattr(f"tengen.games.rules.{module}.LOADING_SECONDS", 0.2)
    endless_for = "for i in itertools.count():\n        pass"
    with pytest.raises(tengen.RulesError, match=r"line \d+: the file itself, outside its functions, has not finished"):
        tengen.load(write(tmp_path, ("\nboard,", f"\n{endless_for}\nboard,")))
    with pytest.raises(tengen.RulesError, match=r"line \d+: outcome\(\) does not return"):
        tengen.load(write(tmp_path, ("def outcome(state):", f"def outcome(state):\n    {endless_for}")))


@pytest.mark.parametrize("value", ["np.zeros(3)", "np.array([0, 1])", "None", "'draw'", "float('nan')", "0.5", "[0]"])
@pytest.mark.parametrize("rule", ["outcome", "to_move"])
def test_answers_that_are_no_number_are_named(rule: str, value: str, tmp_path: Path) -> None:
    path = write(tmp_path)
    Path(path).write_text(f"{MATCHES}\ndef {rule}(state):\n    return {value}\n")
    with pytest.raises(tengen.RulesError, match=rf"{rule}\(\) returned .*; it returns ") as caught:
        tengen.load(path)
    assert "\n" not in str(caught.value)


def test_a_rule_that_ends_the_process_or_answers_nonsense(tmp_path: Path) -> None:
    with pytest.raises(tengen.RulesError, match=r"play\(state, 1\) raised SystemExit"):
        tengen.load(write(tmp_path, ("    state.taken += action + 1", "    raise SystemExit")))
    game = tengen.load(write(tmp_path, ("def planes", "def parse_action(text):\n    return 10**30\n\ndef planes")))
    with pytest.raises(tengen.TengenError):
        game.state("1")
    strange = tengen.load(write(tmp_path, ("def planes", "def board_text(state):\n    return '\\ud800'\n\ndef planes")))
    with pytest.raises(tengen.RulesError, match=r"board_text\(\) returned .* can't be printed"):
        str(strange.initial_state())


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("(1, 15), 3", "(2000, 2000), 3", r"has 4,000,000 cells; at most 16,384"),
        ('["matches left", "X to move"]', '["x"] * 100_000', r"100,000 planes of 1 by 15 .* at most 1,000,000"),
        ("(1, 15), 3", "(1, 15), 10**9", r"num_actions is 1,000,000,000; at most 65,536"),
        ("3, 15, [", "3, 10**9, [", r"longest_game is 1,000,000,000; at most 1,000,000"),
        ("\nState", "\nmoves = move_table(board, [(0, 1)], reach=10**9)\nState", "at most 65,536 can be handled"),
        ("\nState", "\nname = '../x'\nState", "is no name of a game"),
        ("\nState", "\nname = 'a\\\\b'\nState", "is no name of a game"),
        ("\nState", "\nname = '.hidden'\nState", "is no name of a game"),
        ("\nState", "\nname = 'x' * 300\nState", "at most 60 characters"),
        ("\nState", "\nname = ' '\nState", "name must be a text on one line"),
        ("\nState", "\nname = 'a\\nb'\nState", "name must be a text on one line"),
        ("\nState", "\nactions = np.zeros(3)\nState", "actions must be one of"),
    ],
)
def test_what_is_too_large_or_no_name_is_refused(old: str, new: str, sentence: str, tmp_path: Path) -> None:
    with pytest.raises(tengen.RulesError, match=sentence):
        tengen.load(write(tmp_path, (old, new)))


def test_names_that_people_give_are_taken(tmp_path: Path) -> None:
    for name in ("Ultimate tic-tac-toe", "Mühle", "nim 3.5"):
        assert tengen.load(write(tmp_path, ("\nState", f"\nname = {name!r}\nState"))).spec.name == name


def test_columns_after_z_are_named_as_in_spreadsheets(tmp_path: Path) -> None:
    game = tengen.load(write(tmp_path, text=WIDE))
    texts = [game.action_text(action) for action in range(game.spec.num_actions)]
    assert texts[24:28] == ["y2", "z2", "aa2", "ab2"]
    assert (texts[51], texts[52], texts[-1]) == ("az2", "ba2", "bh1")
    assert [game.state(text).moves[0] for text in texts] == list(range(len(texts)))
    header, row, *_ = str(game.state("AB2")).splitlines()
    assert header.split()[25:28] == ["z", "aa", "ab"]
    assert row.index("X") == header.index("ab") + 1
    for wrong in ("bi1", "aaaaaaaaaaaaaaaaaaaaaa1", "a3", "a0", "a01", "1", "a", "ab99999999999999999999"):
        with pytest.raises(tengen.TengenError):
            game.state(wrong)
    assert check_game(game, seconds=2).passed


def test_a_constant_that_is_a_list_of_pairs_is_named(tmp_path: Path) -> None:
    steps = ("\nState", "\nSTEPS = [(0, 1), (1, 0)]\nState")
    loop = "    for down, right in STEPS:\n        state.taken += 0 * down\n"
    use = ("    state.taken += action + 1", f"{loop}    state.taken += action + 1")
    with pytest.warns(RulesWarning, match="the constant STEPS is a list; write a tuple of tuples"):
        assert tengen.load(write(tmp_path, steps, use)).backend == "interpreted"
