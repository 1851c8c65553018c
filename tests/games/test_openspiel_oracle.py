"""Thousands of random games, replayed move by move against OpenSpiel: the same legal actions, the same results."""

import random
from collections.abc import Callable

import pyspiel
import pytest

import tengen

GAMES = 2000


def cell(text: str) -> tuple[int, int]:
    """OpenSpiel's 'x(2,1)' or '2,1' as row and column."""
    row, column = text.strip("xo()").split(",")
    return int(row), int(column)


def same_square(text: str) -> str:
    return text


def row_and_column(height: int) -> Callable[[str], str]:
    """To a letter and the row counted from the bottom."""

    def to_square(text: str) -> str:
        row, column = cell(text)
        return f"{chr(ord('a') + column)}{height - row}"

    return to_square


def column_number(text: str) -> str:
    """OpenSpiel's 'x0' is the first column, which players call 1."""
    return str(int(text[1:]) + 1)


@pytest.mark.parametrize(
    ("name", "options", "theirs", "our_text"),
    [
        ("tic_tac_toe", {}, "tic_tac_toe", row_and_column(3)),
        ("connect_four", {}, "connect_four", column_number),
        ("othello", {}, "othello", same_square),
        ("gomoku", {}, "gomoku", row_and_column(15)),
        ("mnk", {"m": 9, "n": 7, "k": 4}, "mnk(m=9,n=7,k=4)", row_and_column(7)),
        ("gomoku", {"size": 19}, "gomoku(size=19)", row_and_column(19)),
    ],
)
def test_random_games(name: str, options: dict[str, float], theirs: str, our_text: Callable[[str], str]) -> None:
    game, other_game = tengen.load(name, **options), pyspiel.load_game(theirs)
    first = other_game.new_initial_state()
    assert game.spec.num_actions == other_game.num_distinct_actions()
    # Both count actions in the same order, so that legal actions can be compared as they are.
    for action in range(game.spec.num_actions):
        assert game.action_text(action) == our_text(first.action_to_string(0, action))

    rng = random.Random(name)
    results = set()
    for _ in range(GAMES if options == {} else GAMES // 10):
        state, other = game.initial_state(), first.clone()
        while not other.is_terminal():
            legal = state.legal_actions
            assert list(legal) == other.legal_actions()
            assert (state.outcome, state.to_move) == (None, other.current_player())
            action = rng.choice(legal)
            state = state.play(action)
            other.apply_action(action)
        assert state.outcome is not None
        assert list(state.outcome.returns) == other.returns()
        results.add(state.outcome.winner)
    assert {0, 1} <= results
