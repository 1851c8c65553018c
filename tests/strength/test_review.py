"""A game looked at again: who lost what where, on the terminal, as JSON and as a page."""

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tiny_networks import LooksAtTheBoard, save_tiny

import tengen
from tengen.engine import Engine, Limit
from tengen.games.sgf import write_sgf
from tengen.interfaces.review_page import build_review_page
from tengen.strength.review import MISTAKE, Review, ReviewError, review_game

RULES = Path(__file__).parents[1] / "support" / "rules"

# O should have gone to the middle, then X forgets to win, then O to block.
BLUNDERS = "a1 a2 b1 b2 c2 c3 c1"


def reviewed(name: str, moves: str, simulations: int = 2000) -> Review:
    game = tengen.load(name)
    state = game.state(moves)
    return review_game(Engine(game), game.initial_state(), state.moves, Limit(simulations=simulations))


@pytest.fixture(scope="module")
def blunders() -> Review:
    return reviewed("tic_tac_toe", BLUNDERS)


def test_mistakes_are_found_and_ranked(blunders: Review) -> None:
    """With all of tic-tac-toe searched, win rates are the truth: 0, a half or 1."""
    assert [move.text for move in blunders.moves] == BLUNDERS.split()
    forgets = blunders.moves[4]
    assert (forgets.player, forgets.best_text, forgets.before) == (0, "c1", 1.0)
    assert forgets.lost >= 0.5
    unblocked = blunders.moves[5]
    assert (unblocked.player, unblocked.best_text, unblocked.after) == (1, "c1", 0.0)
    worst = blunders.mistakes()
    assert {2, 5, 6} == {move.number for move in worst}
    assert [move.lost for move in worst] == sorted((move.lost for move in worst), reverse=True)
    assert all(move.lost >= MISTAKE for move in worst)
    assert set(worst) == {*blunders.mistakes(0), *blunders.mistakes(1)}
    assert {move.player for move in blunders.mistakes(1)} == {1}


def test_win_rates_are_for_whom_they_say(blunders: Review) -> None:
    assert len(blunders.win_rates) == 8
    assert blunders.win_rates[-1] == 1.0  # X won
    for move in blunders.moves:
        before, after = blunders.win_rates[move.number - 1 : move.number + 1]
        assert (move.before, move.after) == ((before, after) if move.player == 0 else (1 - before, 1 - after))
        assert move.lost == (0 if move.is_best else max(0, move.before - move.after))
        assert len(move.state.moves) == move.number - 1
    last = blunders.moves[-1]
    assert (last.text, last.after, last.lost) == ("c1", 1.0, 0.0)


def test_summaries_in_plain_words(blunders: Review) -> None:
    o = blunders.mistakes(1)[0]
    assert f"O's biggest mistake: move {o.number} ({o.text}), {o.lost:.0%} lost; {o.best_text} was better." in (
        blunders.summary(1)
    )
    assert blunders.summary(0).startswith("X: ")
    perfect = reviewed("tic_tac_toe", "b2 a1")
    assert perfect.summary(0).endswith("No mistake.")
    assert reviewed("tic_tac_toe", "b2", 50).summary(1) == "O made no move."


def test_the_tree_goes_along() -> None:
    game = tengen.load("go", size=5)
    state = game.state("A1 B2 C3 D4 E5 pass")
    kept, anew = LooksAtTheBoard(game), LooksAtTheBoard(game)
    params = tengen.SearchParams(leaves_per_batch=1)
    seen = []
    review_game(
        Engine(game, kept, params), game.initial_state(), state.moves, Limit(simulations=60), on_move=seen.append
    )
    position = game.initial_state()
    for action in [*state.moves, None]:
        engine = Engine(game, anew, params)
        engine.set_position(position)
        engine.think(Limit(simulations=60))
        position = position if action is None else position.play(action)
    assert kept.positions < anew.positions  # roots, at least, are known already
    assert [move.number for move in seen] == [1, 2, 3, 4, 5, 6]


def test_games_that_can_not_be_reviewed() -> None:
    game = tengen.load("tic_tac_toe")
    with pytest.raises(ReviewError, match="no move"):
        review_game(Engine(game), game.initial_state(), [], Limit(simulations=1))
    with pytest.raises(ReviewError, match="Move 1 comes after the end"):
        review_game(Engine(game), game.state("a1 a2 b1 b2 c1"), [0], Limit(simulations=1))


def check_page(page: str) -> None:
    """Well-formed, and all that it needs is inside."""
    assert "<script" not in page
    assert not re.search(r"(src|href)=", page)
    assert "nan" not in page
    drawings = re.findall(r"<svg.*?</svg>", page, flags=re.DOTALL)
    assert drawings
    for drawing in drawings:
        ElementTree.fromstring(drawing)
    assert set(re.findall(r"var\((--\w+)\)", page)) <= set(re.findall(r"(--\w+):", page))


def test_the_page(blunders: Review) -> None:
    page = build_review_page(blunders, "Ada & <Bob>", "by nobody")
    check_page(page)
    assert "Ada &amp; &lt;Bob&gt;" in page
    assert page.count("<figure") == 1 + len(blunders.mistakes())
    assert page.count("<tr") == 1 + 7
    assert ">0%</text>" in page  # the whole scale
    assert ">100%</text>" in page
    for move in blunders.mistakes():
        assert f"Move {move.number}: {'XO'[move.player]} {move.text}, {move.lost:.0%} lost" in page
        assert f"move {move.number}: {blunders.win_rates[move.number]:.0%}" in page  # a dot of the curve
    check_page(build_review_page(reviewed("tic_tac_toe", "b2", 50), "one move", ""))
    columns = build_review_page(reviewed("connect_four", "4 4 3 5 2 1 1", 3000), "no cells", "")
    check_page(columns)


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny(tmp_path_factory.mktemp("network") / "go.safetensors", tengen.load("go", size=9, history=8))


def test_a_file_from_the_command_line(cli, network: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    """With the planes of the network, the komi and size of the file, and names that end up in the page."""
    state = tengen.load("go", size=7, komi=3).state("D4 E5 pass C3")
    file = tmp_path / "game.sgf"
    file.write_text(write_sgf(state, players=("Ada", "Bob")))
    page = tmp_path / "page.html"
    arguments = ["review", str(file), "--model", str(network), "--simulations", "4"]
    table = cli(*arguments, "--html", str(page)).splitlines()
    assert [row.split()[2] for row in table[1:5]] == state.moves_text.split()
    assert [row.split()[1] for row in table[1:5]] == ["black", "white"] * 2
    assert table[6].startswith("black: ")
    check_page(page.read_text())
    assert "Ada against Bob" in page.read_text()
    told = json.loads(cli(*arguments, "--json"))
    assert (told["game"], told["players"]) == ("go", ["Ada", "Bob"])
    assert told["options"].startswith("size=7, komi=3, suicide=False, history=8")
    assert [move["move"] for move in told["moves"]] == state.moves_text.split()
    assert len(told["win_rates"]) == 5
    assert set(told["moves"][0]) == {"number", "player", "move", "before", "after", "lost", "best", "line"}


def test_a_list_of_moves_with_the_bundled_network(cli) -> None:  # type: ignore[no-untyped-def]
    out = cli("review", "--game", "tic_tac_toe", "--moves", BLUNDERS, "--simulations", "200")
    assert "??" in out
    assert re.search(r"X's biggest mistake: move \d \(\w\d\), \d+% lost; \w\d was better\.", out)
    assert re.search(r"^1\. move \d, [XO] \w\d: \d+% lost, from \d+% to \d+%; better was \w\d", out, re.MULTILINE)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["no_such.sgf"], "There is no file no_such.sgf."),
        ([], "Name a file in SGF, PGN, KIF or CSA, or a game and its moves"),
        (["othello"], "There is no file othello. To review a list of moves, give them with --moves."),
        (["--moves", "a1"], "Name the game that the moves are of"),
        (
            ["{moves}"],
            "moves.txt is not in SGF, PGN, KIF or CSA; if it is a list of moves, say of which game: --game GAME.",
        ),
        (["{moves}", "--game", "othello"], "a1 is not legal"),
        (["{rules}/nim.py", "--moves", "take1a"], "No network for {rules}/nim.py on 4x7 comes with tengen; name one"),
        (["--game", "gomoku:size=7", "--moves", "a1"], "No network for gomoku on 7x7 comes with tengen; name one with"),
        (["--game", "tic_tac_toe", "--moves", ""], "There is no move to review"),
        (["--game", "tic_tac_toe", "--moves", "a1 a1"], "a1 is not legal"),
        (["--game", "gomoku", "--moves", "a1", "--model", "tic_tac_toe"], "plays tic_tac_toe, not gomoku"),
        (["--game", "tic_tac_toe", "--moves", "a1", "--seconds", "0"], "--seconds must be more than 0"),
        (["--game", "tic_tac_toe", "--moves", "a1", "--simulations", "0"], "at least 1 simulation"),
        (["{sgf}", "--moves", "a1"], "bad.sgf must be the game that they are of"),
        (["{sgf}", "--game", "go"], "A file in SGF says itself which game it is"),
        (["{sgf}"], "Move 2 of the SGF, white A9, is not legal"),
        (["{sgf}", "--html", "/no/such/folder/x.html"], "Move 2 of the SGF"),
        (
            ["--game", "tic_tac_toe", "--moves", "a1", "--simulations", "1", "--html", "/no/such/folder/x.html"],
            "can't be written to /no/such/folder/x.html",
        ),
    ],
)
def test_refusals(refused, tmp_path: Path, arguments: list[str], words: str) -> None:  # type: ignore[no-untyped-def]
    file, moves = tmp_path / "bad.sgf", tmp_path / "moves.txt"
    file.write_text("(;SZ[9];B[aa];W[aa])")
    moves.write_text("1. a1 b2")

    def told(text: str) -> str:
        return text.replace("{sgf}", str(file)).replace("{moves}", str(moves)).replace("{rules}", str(RULES))

    assert told(words) in refused("review", *map(told, arguments))


@pytest.mark.parametrize(
    ("name", "options", "moves"),
    [
        ("../../../examples/breakthrough", {"size": 5}, "b2b3 a4b3 c2b3 d4d3"),
        ("nim", {}, "take1a take2d take3c"),
        ("crowns", {}, "a1a2 b4b3 a2b3 a4a3 b3c4=k"),
        ("../../../examples/hex", {"size": 4}, "b2 c3 a1"),
    ],
)
def test_games_of_a_users_own(  # type: ignore[no-untyped-def]
    cli, tmp_path: Path, name: str, options: dict[str, float], moves: str
) -> None:
    """Any game that there is a network for: its moves on the command line or in a file."""
    rules = str((RULES / f"{name}.py").resolve())
    network = save_tiny(tmp_path / "tiny.safetensors", tengen.load(rules, **options))
    game = ":".join([rules, *(f"{key}={value}" for key, value in options.items())])
    page, file = tmp_path / "page.html", tmp_path / "moves.txt"
    file.write_text("\n".join(f"{number}. {move}" for number, move in enumerate(moves.split(), 1)))
    judge = ["--model", str(network), "--simulations", "30"]
    told = json.loads(cli("review", game, "--moves", moves, *judge, "--html", str(page), "--json"))
    assert [move["move"] for move in told["moves"]] == moves.split()
    again = json.loads(cli("review", str(file), "--game", game, *judge, "--json"))
    assert again == told
    check_page(page.read_text())
