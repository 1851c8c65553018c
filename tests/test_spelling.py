"""The hint about the name that was probably meant."""

import pytest

from tengen.base.spelling import did_you_mean, nearest

GAMES = ["go", "gomoku", "othello"]


@pytest.mark.parametrize(
    ("name", "meant"), [("gomuko", "gomoku"), ("GO", "go"), ("Othelo", "othello"), ("", None), ("chess", None)]
)
def test_the_nearest_name_is_found_whatever_its_case(name: str, meant: str | None) -> None:
    assert nearest(name, GAMES) == meant


def test_a_stricter_likeness_guesses_less() -> None:
    assert nearest("gomo", GAMES) == "gomoku"
    assert nearest("gomo", GAMES, likeness=0.9) is None


def test_the_hint_keeps_the_known_spelling_and_else_says_what_there_is() -> None:
    assert did_you_mean("SkilLevel", ["Hash", "Skill Level"]) == "did you mean 'Skill Level'?"
    assert did_you_mean("qqq", GAMES) == "there are: go, gomoku, othello."
    assert did_you_mean("qqq", GAMES, "help lists them.") == "help lists them."
