"""check_game finds every deliberately broken game, says what is wrong with it, and leaves good games alone."""

import random
import tomllib
from pathlib import Path
from typing import Any, cast

import pytest
from broken_games import engines

import tengen
from tengen.games import names
from tengen.games.check import check_game
from tengen.games.check.everything import walk_through
from tengen.games.check.laws import Laws
from tengen.games.rules import load_interpreted

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
GOOD = (HERE / "broken_games" / "good.py").read_text()
BROKEN: list[dict[str, Any]] = tomllib.loads((HERE / "broken_games" / "changes.toml").read_text())["game"]
ENGINES: list[tuple[type[engines.Position], str, str]] = [
    (engines.SameHash, "hash collision", "are different, but their hashes are the same"),
    (engines.HashOfTheObject, "equal states, different hashes", "Two equal positions at the start have different"),
    (engines.PlaysAnything, "illegal action accepted", "is not among the legal actions"),
    (engines.SaysAnythingIsLegal, "illegal action accepted", "but it is accepted"),
    (
        engines.LeavesAPlaneUnwritten,
        "planes left unwritten",
        "leaves a part of the plane 'opponent's stones' as it was",
    ),
    (engines.GoesOnAfterTheEnd, "legal after the end", "The game is over after the moves"),
    (engines.SharesItsMoves, "aliasing", "was kept while the game went on, and changed"),
    (engines.RefusesTheCentre, "legal and play disagree", "but play() refuses it"),
    (engines.SaysFewAreLegal, "most_legal too small", "9 actions are legal at the start, but most_legal is 8."),
    (engines.ShowsOtherCells, "cells and planes disagree", "state.cells and the planes do not show the same stones"),
    (engines.ScoresForTheOther, "score and outcome disagree", "score() must be positive if player 0 is ahead"),
    (engines.OneKeyForAll, "evaluation key", "have the same evaluation_key, but other planes or legal actions"),
]


EXAMPLES = sorted(path for path in (ROOT / "examples").glob("*.py") if path.name != "alphazero.py")
GOOD_GAMES = sorted((HERE / "good_games").glob("*.py"))
NO_LIMIT = 600.0  # seconds: what is found must not depend on how busy the machine is


def base_of(game: dict[str, Any]) -> Path:
    base = game.get("base", "")
    return ROOT / base if base.endswith(".py") else HERE / (f"good_games/{base}.py" if base else "broken_games/good.py")


def changed(game: dict[str, Any]) -> str:
    text = base_of(game).read_text()
    for old, new in (("old", "new"), ("also_old", "also_new")):
        if old in game:
            assert text.count(game[old]) == 1, game[old]
            text = text.replace(game[old], game[new])
    return text


@pytest.mark.parametrize("game", BROKEN, ids=lambda game: game["name"].replace(" ", "_"))
def test_a_broken_rules_file_is_caught(game: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "broken.py"
    path.write_text(changed(game))
    load = tengen.load if game.get("compiled") else load_interpreted
    report = check_game(load(str(path)), positions=800, seconds=NO_LIMIT)
    found = {finding.kind: finding for finding in report.findings}
    assert game["kind"] in found
    assert game["words"] in found[game["kind"]].text
    assert found[game["kind"]].certain is game.get("certain", True)
    assert game["words"] in report.text()


@pytest.mark.parametrize(("kind", "expected", "words"), ENGINES, ids=lambda value: getattr(value, "__name__", None))
def test_a_broken_engine_is_caught(kind: type[engines.Position], expected: str, words: str) -> None:
    report = check_game(cast(tengen.Game, engines.Engine(kind)))
    found = {finding.kind: finding.text for finding in report.findings}
    assert list(found) == [expected]
    assert words in found[expected]
    assert not report.passed


def test_a_good_engine_in_the_same_wrapping_passes() -> None:
    assert check_game(cast(tengen.Game, engines.Engine(engines.Position)), seconds=NO_LIMIT).findings == ()


def test_a_score_that_sometimes_disagrees_is_a_question() -> None:
    report = check_game(cast(tengen.Game, engines.Engine(engines.ScoresADraw)), seconds=NO_LIMIT)
    assert [finding.kind for finding in report.questions] == ["score and outcome disagree"]
    assert report.passed


def test_a_game_that_can_go_on_for_ever_is_caught(tmp_path: Path) -> None:
    """However large longest_game is: the walk comes back to a position that it has left."""
    path = tmp_path / "endless.py"
    text = (HERE / "good_games" / "race.py").read_text()
    endless = text.replace("state.moves += 1", "state.moves = 1 - state.moves")
    path.write_text(endless.replace("longest_game = MOST_MOVES", "longest_game = 60000"))
    laws = Laws(load_interpreted(str(path)), random.Random(0), NO_LIMIT)
    assert walk_through(laws, 1000).complete
    assert "A game can go on for ever: play can come back to a position" in laws.findings["too long"].text


SHORT_GAMES: dict[str, dict[str, Any]] = {"chess": {"max_moves": 80}, "shogi": {"max_moves": 60}}  # for their speed


@pytest.mark.parametrize("name", names())
def test_the_games_of_the_registry_pass(name: str) -> None:
    report = check_game(tengen.load(name, **SHORT_GAMES.get(name, {})), seconds=NO_LIMIT)
    assert report.findings == ()
    assert report.coverage.random_games > 0
    assert "Nothing wrong was found." in report.text()


@pytest.mark.parametrize("path", [*EXAMPLES, *GOOD_GAMES], ids=lambda path: path.stem)
def test_good_rules_files_pass(path: Path) -> None:
    """Games in which a player moves twice, passes, or loses by moving last, with moves from cell to cell and drops."""
    report = check_game(tengen.load(str(path)), positions=800, seconds=60.0)
    assert report.findings == ()
    assert report.coverage.other_games > 0


def test_interpreted_rules_pass_too() -> None:
    report = check_game(load_interpreted(str(HERE / "broken_games" / "good.py")))
    assert (report.backend, report.findings) == ("interpreted", ())


@pytest.mark.parametrize(("name", "positions", "longest"), [("misere_nim", 88, 9), ("race", 2624, 40)])
def test_small_games_are_walked_through_to_their_end(name: str, positions: int, longest: int) -> None:
    report = check_game(tengen.load(str(HERE / f"good_games/{name}.py")), games=3, seconds=NO_LIMIT)
    assert report.coverage.complete
    assert (report.coverage.walked, report.coverage.longest) == (positions, longest)
    assert f"a walk through all {positions:,} (the longest game has {longest} actions)" in report.text()


def test_the_walk_through_tic_tac_toe_comes_to_every_position() -> None:
    """5,478 positions, Henry Bottomley's count."""
    coverage = check_game(tengen.load("tic_tac_toe"), games=3, seconds=NO_LIMIT).coverage
    assert (coverage.walked, coverage.complete, coverage.longest) == (5478, True, 9)


def test_time_ends_a_check_and_the_report_says_so() -> None:
    report = check_game(tengen.load("go", size=9), seconds=0.05)
    assert report.passed
    assert report.coverage.random_games >= 1
    assert not report.coverage.complete
    assert "positions within the time." in report.text()


def test_thorough_looks_at_more() -> None:
    game = tengen.load(str(HERE / "good_games/chomp.py"))
    little, much = (check_game(game, games=2, thorough=thorough, seconds=NO_LIMIT) for thorough in (False, True))
    assert much.coverage.random_games == 10 * little.coverage.random_games == 20
    assert much.coverage.other_games == 10 * little.coverage.other_games


@pytest.mark.parametrize("wrong", [{"games": 0}, {"positions": 0}, {"seconds": 0.0}, {"seconds": float("nan")}])
def test_a_check_of_nothing_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(tengen.ArgumentError, match="at least one game"):
        check_game(tengen.load("tic_tac_toe"), **wrong)


def test_what_is_wrong_comes_before_the_questions(tmp_path: Path) -> None:
    """An occupied cell may be taken: a question of its own, and games that are too long for certain."""
    path = tmp_path / "both.py"
    path.write_text(GOOD.replace("mask[cell] = state.owner[cell] == 0", "mask[cell] = True"))
    report = check_game(load_interpreted(str(path)), seconds=NO_LIMIT)
    assert report.wrong
    assert report.questions
    assert report.findings == report.wrong + report.questions
    text = report.text()
    assert text.rindex("WRONG, ") < text.index("QUESTION, ")


def test_a_question_does_not_fail_a_game(tmp_path: Path) -> None:
    """A stone that is dropped on a stone may be meant."""
    path = tmp_path / "swap.py"
    text = GOOD.replace("def set_board(", "def nobody_asks(").replace("longest_game = 9", "longest_game = 10")
    taken = "mask[cell] = state.owner[cell] == 0 or (state.turns == 1 and state.owner[cell] == 1)"
    text = text.replace("mask[cell] = state.owner[cell] == 0", taken)
    path.write_text(text.replace("DRAW if state.turns == 9", "DRAW if (state.owner != 0).all()"))
    report = check_game(load_interpreted(str(path)), seconds=NO_LIMIT)
    assert report.passed
    assert [finding.kind for finding in report.findings] == ["stone on a stone"]
    assert "QUESTION, stone on a stone:" in report.text()
    assert "Nothing is certainly wrong." in report.text()


def test_moves_to_cells_on_which_nothing_stands_are_asked_about(tmp_path: Path) -> None:
    rules = (ROOT / "examples" / "breakthrough.py").read_text()
    nameless = tmp_path / "nameless.py"
    nameless.write_text(rules.replace('"own men", "opponent\'s men"', '"mine", "theirs"'))
    report = check_game(tengen.load(str(nameless), size=4), games=4, positions=60)
    assert [finding.kind for finding in report.questions] == ["nothing to show"]
    assert report.passed
