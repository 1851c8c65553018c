"""alphabeta:DEPTH as a player: exact values in small games, every game, and what is wrong with a text."""

from pathlib import Path

import numpy as np
import pytest

import tengen
from tengen._core import ArgumentError, alphabeta
from tengen.arena import play_match
from tengen.players import PlayerSpecError, make_player

EXAMPLES = Path(__file__).parents[2] / "examples"


def exact(state: tengen.State) -> int:
    """The result with perfect play, for the player to move, by plain minimax."""
    if state.outcome is not None:
        return int(state.outcome.value_for(state.to_move))
    found = []
    for action in state.legal_actions:
        after = state.play(action)
        found.append(exact(after) if after.to_move == state.to_move else -exact(after))
    return max(found)


def sign(value: float) -> int:
    return int(value > 0.9) - int(value < -0.9)


@pytest.mark.parametrize("name", ["tic_tac_toe", str(EXAMPLES / "dots_and_boxes.py")])
def test_a_search_to_the_end_is_minimax(name: str) -> None:
    """In Dots and Boxes a player moves again after closing a box."""
    game = tengen.load(name)
    rng = np.random.default_rng(1)
    for _ in range(20):
        state = game.initial_state()
        while len(state.moves) < game.spec.longest_game - 6 and state.outcome is None:
            state = state.play(int(rng.choice(state.legal_actions)))
        if state.outcome is not None:
            continue
        found = alphabeta(state, 10, 1)
        assert sign(found.value) == exact(state)
        after = state.play(found.best_action)
        assert (exact(after) if after.to_move == state.to_move else -exact(after)) == exact(state)


@pytest.mark.parametrize(
    "name", ["chess", "shogi", "go", "othello", "openspiel:hex", str(EXAMPLES / "breakthrough.py")]
)
def test_every_game_has_it(name: str) -> None:
    game = tengen.load(name)
    state = game.initial_state()
    player = make_player("alphabeta:2", game)
    assert (
        player.choose([state, state], [1, 1]) == player.choose([state], [1]) * 2
    )  # it depends on state and seed alone
    found = alphabeta(state, 2, 1)
    assert found.best_action in state.legal_actions
    assert found.depth == 2
    assert found.positions > len(state.legal_actions)


def test_a_win_is_taken_and_a_loss_avoided() -> None:
    game = tengen.load("connect_four")
    assert alphabeta(game.state("1 2 1 2 1 2"), 4, 1).best_action == game.parse_action("1")
    assert alphabeta(game.state("1 2 1 2 1"), 4, 1).best_action == game.parse_action("1")
    forced = alphabeta(game.state("1 2 1 2 1 2"), 20, 1)
    assert forced.depth == 1  # deeper would not find a quicker one
    assert "depth 1" in repr(forced)


def test_it_beats_random() -> None:
    game = tengen.load("othello", size=6)
    pair = make_player("alphabeta:3", game), make_player("random", game)
    assert play_match(game, pair, games=20).score > 0.8


@pytest.mark.parametrize("text", ["alphabeta", "alphabeta:", "alphabeta:0", "alphabeta:65", "alphabeta:x"])
def test_a_wrong_depth_is_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(PlayerSpecError, match="plies deep, from 1 to 64"):
        make_player(text, tengen.load("tic_tac_toe"))


def test_wrong_calls_are_refused() -> None:
    game = tengen.load("tic_tac_toe")
    with pytest.raises(ArgumentError, match="between 1 and 64"):
        alphabeta(game.initial_state(), 0, 1)
    with pytest.raises(ArgumentError, match="game is over"):
        alphabeta(game.state("a1 b1 a2 b2 a3"), 2, 1)
