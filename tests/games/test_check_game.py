"""check_game finds every deliberately broken game, says what is wrong with it, and leaves good games alone."""

import tomllib
from pathlib import Path
from typing import Any, cast

import pytest
from broken_games import engines

import tengen
from tengen.games import names
from tengen.games.check import check_game
from tengen.games.rules import load_interpreted

HERE = Path(__file__).parent
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
]


def changed(game: dict[str, Any]) -> str:
    text = GOOD
    for old, new in (("old", "new"), ("also_old", "also_new")):
        if old in game:
            assert text.count(game[old]) == 1, game[old]
            text = text.replace(game[old], game[new])
    return text


@pytest.mark.parametrize("game", BROKEN, ids=lambda game: game["name"].replace(" ", "_"))
def test_a_broken_rules_file_is_caught(game: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "broken.py"
    path.write_text(changed(game))
    report = check_game((tengen.load if game.get("compiled") else load_interpreted)(str(path)))
    found = {finding.kind: finding.text for finding in report.findings}
    assert game["kind"] in found
    assert game["words"] in found[game["kind"]]
    assert game["words"] in report.text()


@pytest.mark.parametrize(("kind", "expected", "words"), ENGINES, ids=lambda value: getattr(value, "__name__", None))
def test_a_broken_engine_is_caught(kind: type[engines.Position], expected: str, words: str) -> None:
    report = check_game(cast(tengen.Game, engines.Engine(kind)))
    found = {finding.kind: finding.text for finding in report.findings}
    assert list(found) == [expected]
    assert words in found[expected]
    assert not report.passed


def test_a_good_engine_in_the_same_wrapping_passes() -> None:
    assert check_game(cast(tengen.Game, engines.Engine(engines.Position))).findings == ()


@pytest.mark.parametrize("name", names())
def test_the_games_of_the_registry_pass(name: str) -> None:
    report = check_game(tengen.load(name))
    assert report.findings == ()
    assert report.games > 0
    assert "Nothing wrong was found." in report.text()


@pytest.mark.parametrize("path", ["examples/connect_four.py", "examples/hex.py", "tests/games/broken_games/good.py"])
def test_good_rules_files_pass(path: str) -> None:
    loaded = (load_interpreted if "good" in path else tengen.load)(str(HERE.parents[1] / path))
    assert check_game(loaded).findings == ()


def test_a_question_does_not_fail_a_game(tmp_path: Path) -> None:
    """Misère tic-tac-toe: three in a row lose. It is asked about, no more."""
    path = tmp_path / "misere.py"
    path.write_text(GOOD.replace("            return last", "            return to_move(state)"))
    report = check_game(load_interpreted(str(path)))
    assert report.passed
    assert [finding.kind for finding in report.findings] == ["outcome from the wrong side"]
    assert "QUESTION, outcome from the wrong side:" in report.text()
