"""What a rules file can say of moves, pieces, scores and reasons, and how wrong words are answered."""

import random
from pathlib import Path

import numpy as np
import pyspiel
import pytest

import tengen
from tengen.games.options import parse_options
from tengen.games.rules import load_interpreted, move_table

EXAMPLES = Path(__file__).parents[2] / "examples"
BREAKTHROUGH = str(EXAMPLES / "breakthrough.py")
DOTS = str(EXAMPLES / "dots_and_boxes.py")

# Two kings on a 3x3 board; one takes the other, or after six moves it is a draw.
KINGS = """
import numpy as np
from tengen.games.rules import DRAW, ONGOING, move_table

start_row: int = 0
board = (3, 3)
actions = "moves"
moves = move_table(board, steps=[(r, c) for r in (-1, 0, 1) for c in (-1, 0, 1) if (r, c) != (0, 0)])
most_legal = 8
longest_game = 6
plane_names = ["a king", "another king", "X to move"]
pieces = [("king", "K", 0, "#aa0000"), ("king", "k", 1)]
shape = "hex"
symmetries = "dihedral"
State = np.dtype([("at", np.int8, 2), ("turns", np.int8), ("to_move", np.int8)])

def start(state):
    state.at[0] = 3 * start_row
    state.at[1] = 8

def legal(state, mask):
    for action in range(len(moves.source)):
        mask[action] = moves.source[action] == state.at[state.to_move] and moves.target[action] >= 0

def play(state, action):
    me = state.to_move
    state.at[me] = moves.target[action]
    if state.at[1 - me] == state.at[me]:
        state.at[1 - me] = -1
    state.turns += 1
    state.to_move = 1 - me

def outcome(state):
    if state.at[0] < 0:
        return 1
    if state.at[1] < 0:
        return 0
    return DRAW if state.turns == 6 else ONGOING

def planes(state, out):
    for player in range(2):
        if state.at[player] >= 0:
            cell = state.at[player]
            out[0 if player == state.to_move else 1, cell // 3, cell % 3] = 1
    out[2] = state.to_move == 0

def cells(state, out):
    for player in range(2):
        if state.at[player] >= 0:
            out[state.at[player] // 3, state.at[player] % 3] = 1 + player

def set_board(state, cells, to_move):
    state.at[:] = -1
    for cell in range(9):
        if cells[cell // 3, cell % 3] >= 0:
            state.at[cells[cell // 3, cell % 3]] = cell
    state.to_move = max(to_move, 0)

def score(state):
    return (state.at[0] >= 0) - (state.at[1] >= 0)

def reason(state):
    return "capture: the king was taken" if min(state.at[0], state.at[1]) < 0 else "length"
"""


def kings(folder: Path, old: str = "", new: str = "") -> str:
    assert old in KINGS
    path = folder / "kings.py"
    path.write_text(KINGS.replace(old, new, 1) if old else KINGS)
    return str(path)


def test_moves_pieces_scores_and_reasons(tmp_path: Path) -> None:
    game = tengen.load(kings(tmp_path))
    spec = game.spec
    assert (spec.action_layout, spec.num_actions, spec.most_legal, spec.shape) == ("planes", 72, 8, "hex")
    assert [(piece.name, piece.letter, piece.owner, piece.colour) for piece in spec.pieces] == [
        ("king", "K", 0, "#aa0000"),
        ("king", "k", 1, ""),
    ]
    state = game.initial_state()
    assert state.cells is not None
    assert state.cells.tolist() == [[1, 0, 0], [0, 0, 0], [0, 0, 2]]
    assert str(state).splitlines()[1:] == ["3 K . .", "2 . . .", "1 . . k", "K to move"]
    assert [game.action_text(action) for action in state.legal_actions] == ["a3b3", "a3a2", "a3b2"]
    where = game.action_cells(state, "a3b2")
    assert (where.source, where.target, where.piece) == (0, 4, None)
    end = state.play("a3b2").play("c1b2")
    assert end.outcome is not None
    assert (end.outcome.winner, end.outcome.reason) == (1, "capture")
    assert end.outcome.sentence == "capture: the king was taken"
    assert (end.score, spec.score_name) == (-1.0, "points")
    drawn = game.state(board=". K .\n. . .\n. k .\nk to move")
    assert [game.action_text(action) for action in drawn.legal_actions] == ["b1a2", "b1b2", "b1c2", "b1a1", "b1c1"]
    assert game.state(board=str(drawn)) == drawn
    with pytest.raises(tengen.BoardTextError, match=r"A board is drawn with K, k and '\.'"):
        game.state(board=". X .\n. . .\n. k .")
    long = game.state("a3b3 c1c2 b3a3 c2c1 a3b3 c1c2")
    assert long.outcome is not None
    assert (long.outcome.is_draw, long.outcome.reason) == (True, "length")


def test_a_drawing_calls_players_by_name_and_letter(tmp_path: Path) -> None:
    board = ". K .\n. . .\n. k .\n"
    game = tengen.load(kings(tmp_path))
    assert game.spec.player_names == ["K", "k"]
    assert str(game.initial_state().play("a3b3")).endswith("\nk to move")
    with pytest.raises(tengen.BoardTextError, match="The players of kings are K and k; the drawing says 'O to move'"):
        game.state(board=board + "O to move")
    named = tengen.load(kings(tmp_path, 'shape = "hex"', 'player_names = ("白", "red")'))
    assert str(named.initial_state()).endswith("\n白 (K) to move")
    for turn in ("red (k)", "red", "k"):
        assert named.state(board=f"{board}{turn} to move").to_move == 1
    several = kings(tmp_path, '("king", "k", 1)]', '("king", "k", 1), ("queen", "q", 1)]')
    assert tengen.load(several).spec.player_names == ["first player", "second player"]
    assert str(tengen.load(several).initial_state()).endswith("\nfirst player (K) to move")
    for wrong in ('("X", "X")', '("X",)', '("X", " ")', '("X", "O\\n")'):
        with pytest.raises(tengen.RulesError, match="player_names must be two different names, each on one line"):
            tengen.load(kings(tmp_path, 'shape = "hex"', f"player_names = {wrong}"))


def test_a_drawing_of_a_finished_game_is_right_where_a_player_moves_twice(tmp_path: Path) -> None:
    game = tengen.load(DOTS, rows=1, columns=1)
    state = game.state("b3 a2 c2 b1")  # O closes the only box, and would move again
    assert state.outcome is not None
    assert (state.outcome.winner, state.to_move) == (1, 1)
    assert str(state).endswith("\ngame over, O would be next")
    end = tengen.load(kings(tmp_path)).state("a3b2 c1b2")
    assert str(end).endswith("\ngame over, K would be next")
    assert end.game.state(board=str(end)).to_move == 0
    assert end.game.state(board=str(end).replace("K would be next", "k moved last")).to_move == 0


def test_a_game_without_pieces_says_whose_turn_it_is(tmp_path: Path) -> None:
    readme = (EXAMPLES.parent / "README.md").read_text()
    path = tmp_path / "matches.py"
    path.write_text("import numpy" + readme.split("import numpy", 1)[1].split("```", 1)[0])
    game = tengen.load(str(path))
    assert str(game.state("2")) == "taken: 3\nO to move"
    assert str(game.state("2 2 2 2 2")) == "taken: 15\ngame over, O would be next"


def test_compiled_and_interpreted_say_the_same(tmp_path: Path) -> None:
    for path in (kings(tmp_path), BREAKTHROUGH, DOTS):
        one, other = tengen.load(path), load_interpreted(path)
        assert (one.backend, other.backend) == ("compiled", "interpreted")
        numbers = random.Random(3)
        state, twin = one.initial_state(), other.initial_state()
        while state.outcome is None:
            assert state.legal_actions == twin.legal_actions
            assert np.array_equal(state.planes(), twin.planes())
            assert np.array_equal(state.cells, twin.cells)
            assert (state.score, state.to_move) == (twin.score, twin.to_move)
            action = numbers.choice(state.legal_actions)
            state, twin = state.play(action), twin.play(action)
        assert repr(state.outcome) == repr(twin.outcome)


def test_steps_turn_with_the_board(tmp_path: Path) -> None:
    game = tengen.load(kings(tmp_path))
    assert len(game.symmetries) == 8
    for symmetry in game.symmetries:
        numbers = np.arange(9, dtype=np.float32).reshape(1, 3, 3)
        to_new = {int(old): new for new, old in enumerate(symmetry.planes(numbers).ravel())}
        for action in range(game.spec.num_actions):
            where = game.action_cells(game.initial_state(), action)
            moved = game.action_cells(game.initial_state(), symmetry.action(action))
            if where.source is None or where.target is None:
                assert moved.target is None
            else:
                assert (moved.source, moved.target) == (to_new[where.source], to_new[where.target])


def upside_down(move: str, size: int) -> str:
    """The move a5b4* is a2b3 seen from the other side of a board of six rows."""
    return f"{move[0]}{size + 1 - int(move[1])}{move[2]}{size + 1 - int(move[3])}"


@pytest.mark.parametrize("size", [6, 8])
def test_breakthrough_is_that_of_openspiel(size: int) -> None:
    game, theirs = tengen.load(BREAKTHROUGH, size=size), pyspiel.load_game(f"breakthrough(rows={size},columns={size})")
    for seed in range(10):
        numbers = random.Random(seed)
        state, other = game.initial_state(), theirs.new_initial_state()
        while state.outcome is None:
            # Theirs writes a capture with a star, and the first player starts at the top.
            texts = {upside_down(other.action_to_string(action), size): action for action in other.legal_actions()}
            assert set(texts) == {game.action_text(action) for action in state.legal_actions}
            text = numbers.choice(sorted(texts))
            state = state.play(text)
            other.apply_action(texts[text])
        assert other.is_terminal()
        assert list(state.outcome.returns) == other.returns()


def test_dots_and_boxes_is_that_of_openspiel() -> None:
    game, theirs = tengen.load(DOTS, rows=2, columns=3), pyspiel.load_game("dots_and_boxes(num_rows=2,num_cols=3)")
    horizontal = [cell for cell in range(35) if cell // 7 % 2 == 0 and cell % 7 % 2 == 1]
    upright = [cell for cell in range(35) if cell // 7 % 2 == 1 and cell % 7 % 2 == 0]
    cell_of = horizontal + upright  # by their action
    moved_twice = 0
    for seed in range(10):
        numbers = random.Random(seed)
        state, other = game.initial_state(), theirs.new_initial_state()
        while state.outcome is None:
            ours = {game.action_cells(state, action).target: action for action in state.legal_actions}
            assert sorted(ours) == sorted(cell_of[action] for action in other.legal_actions())
            assert state.to_move == other.current_player()
            action = numbers.choice(other.legal_actions())
            mover, state = state.to_move, state.play(ours[cell_of[action]])
            moved_twice += state.to_move == mover
            other.apply_action(action)
        assert other.is_terminal()
        assert state.outcome.returns[0] == np.sign(other.returns()[0])
    assert moved_twice > 10


def test_a_table_of_moves() -> None:
    moves = move_table((2, 3), steps=[(0, 1), (1, 0)], reach=2)
    assert moves.steps == ((0, 1), (0, 2), (1, 0), (2, 0))
    assert moves.source.tolist() == list(range(6)) * 4
    assert moves.target[:6].tolist() == [1, 2, -1, 4, 5, -1]
    assert moves.target[6:12].tolist() == [2, -1, -1, 5, -1, -1]
    assert moves.target[12:18].tolist() == [3, 4, 5, -1, -1, -1]
    assert set(moves.target[18:].tolist()) == {-1}
    for steps, reach in (([], 1), ([(0, 1), (0, 1)], 1), ([(0, 0)], 1), ([(0, 1)], 0), ([(0, 1), (0, 2)], 2)):
        with pytest.raises(ValueError, match="move_table"):
            move_table((3, 3), steps, reach)


def test_a_file_that_says_nothing_of_its_actions_is_dense(tmp_path: Path) -> None:
    path = Path(kings(tmp_path, 'actions = "moves"', "num_actions = 72"))
    path.write_text(path.read_text().replace('symmetries = "dihedral"', ""))
    game = tengen.load(str(path), start_row=1)
    assert game.spec.action_layout == "dense"
    assert game.spec.options == {"start_row": 1}
    assert game.action_text(13) == "13"


def test_dense_actions_with_cells_of_their_own(tmp_path: Path) -> None:
    path = Path(kings(tmp_path, 'symmetries = "dihedral"', "num_actions = 72"))
    text = path.read_text().replace("moves = move_table", "table = move_table").replace("moves.", "table.")
    path.write_text(text + "def action_cells(action):\n    return table.source[action], table.target[action]\n")
    game = tengen.load(str(path))
    assert game.spec.action_layout == "dense"
    state = game.initial_state()
    assert [game.action_text(action) for action in state.legal_actions] == ["a3b3", "a3a2", "a3b2"]
    assert (game.action_cells(state, "a3b2").source, game.action_cells(state, "a3b2").target) == (0, 4)
    path.write_text(path.read_text().replace("return table.source[action], table", "return None, table"))
    with pytest.raises(tengen.RulesError, match=r"two actions have the same action_cells\(\)"):
        tengen.load(str(path))
    path.write_text(path.read_text().replace("return None, table.target[action]", "return 9, 3"))
    with pytest.raises(tengen.RulesError, match=r"action_cells\(0\) returned \(9, 3\); a cell is 0 to 8"):
        tengen.load(str(path))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("moves = move_table(", "table = move_table(", "actions = 'moves' needs `moves = move_table"),
        ("move_table(board, ", "move_table((4, 4), ", r"a move_table of a board \(4, 4\), but this board is \(3, 3\)"),
        ("most_legal = 8", "most_legal = 2", "allows 3 actions, although its most_legal is 2"),
        ("most_legal = 8", "most_legal = 0", "most_legal must be a whole number from 1, not 0"),
        ("most_legal = 8", "most_legal = 73", "most_legal is 73, but there are only 72 actions"),
        ('"K", 0,', '"K", 2,', "a piece is .* not .'king', 'K', 2"),
        ('"K", 0,', '"Ki", 0,', "the letter of the piece 'king' must be one character .* not 'Ki'"),
        ('"K", 0,', '"k", 0,', "two pieces have the same letter"),
        ("#aa0000", "red", "the colour of the piece 'king' must be a text '#rrggbb', not .'red'"),
        ("pieces = [", "men = [", r"cells\(\) needs `pieces`"),
        (
            "def cells(",
            "def cels(",
            r"no function cells\(state, out\), which writes the codes of `pieces`; is it 'cels'",
        ),
        ("= 1 + player", "= 3", r"cells\(\) wrote 3; a cell is 0 or the code of a piece, 1 to 2"),
        ('shape = "hex"', 'shape = "round"', "shape must be one of 'square', 'hex', not 'round'"),
        (
            "def score(state)",
            "score_name = 'kings'\ndef skore(state)",
            r"no function score\(state\), although .* 'skore'",
        ),
        ("return (state.at[0] >= 0)", "return 'one' * (state.at[0] >= 0)", r"score\(state\) raised TypeError"),
        ('"dihedral"', '"mirror"\nmoves = move_table(board, [(1, 1)])', r"turns the step \(1, -1\) into \(1, 1\)"),
        (
            "start_row: int = 0",
            "start_row: int = 0.5",
            "the option start_row needs a plain whole number as its default",
        ),
    ],
)
def test_what_a_file_can_have_wrong(tmp_path: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(tengen.RulesError, match=message):
        tengen.load(kings(tmp_path, old, new)).initial_state().legal_actions  # noqa: B018


def test_what_a_reason_can_have_wrong(tmp_path: Path) -> None:
    with pytest.raises(tengen.RulesError, match=r"reason\(\) returned 5; it returns a text"):
        tengen.load(kings(tmp_path, 'return "capture: the king was taken" if', "return 5 if"))


def test_options_that_are_no_numbers(tmp_path: Path) -> None:
    path = kings(
        tmp_path, "start_row: int = 0", 'start_row: int = 0\nkomi: float = 7\nflag: bool = True\nmood: str = "x"'
    )
    game = tengen.load(path)
    assert game.spec.options == {"start_row": 0, "komi": 7.0, "flag": True}
    assert [type(value) for value in game.spec.options.values()] == [int, float, bool]
    assert game == tengen.load(path, komi=7, flag=1)
    with pytest.raises(tengen.GameOptionError, match="has no option 'mood': mood is a str, and an option is an int"):
        tengen.load(path, mood=3)
    with pytest.raises(tengen.GameOptionError, match="flag must be True or False, not 2"):
        tengen.load(path, flag=2)


def test_options_are_read_as_they_are_written() -> None:
    assert parse_options("size=9, komi=7.5,suicide = true, x=1e3") == {
        "size": 9,
        "komi": 7.5,
        "suicide": True,
        "x": 1e3,
    }
    for game in (tengen.load("gomoku", size=9, exactly_five=True), tengen.load("go", size=9, komi=6.5)):
        assert parse_options(game.spec.options_text) == game.spec.options
        assert [type(value) for value in parse_options("a=1,b=1.0,c=True").values()] == [int, float, bool]
    for wrong in ("size", "=3", "size=big"):
        with pytest.raises(tengen.GameOptionError):
            parse_options(wrong)
