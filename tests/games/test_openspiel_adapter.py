"""Games of OpenSpiel through tengen: all that fit are played side by side with OpenSpiel, the others are refused."""

import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pyspiel
import pytest

import tengen
from tengen.games.check import check_game
from tengen.games.openspiel import fitting_games

MOST_ACTIONS = 60  # of each game that is played here: some have hundreds


FITS = {fit.name: fit for fit in fitting_games()}
FITTING = [name for name, fit in FITS.items() if fit.game is not None]
PAGE = Path(__file__).parents[2] / "docs" / "games" / "openspiel.md"


def test_every_game_of_two_players_who_see_everything_is_played() -> None:
    types = pyspiel.GameType
    for kind in pyspiel.registered_games():
        fits = (
            kind.default_loadable
            and kind.min_num_players <= 2 <= kind.max_num_players
            and kind.chance_mode == types.ChanceMode.DETERMINISTIC
            and kind.information == types.Information.PERFECT_INFORMATION
            and kind.dynamics == types.Dynamics.SEQUENTIAL
            and kind.utility == types.Utility.ZERO_SUM
            and pyspiel.load_game(kind.short_name).num_players() == 2
        )
        assert fits == (kind.short_name in FITTING)
    assert len(FITTING) >= 30
    assert all(fit.reason for fit in FITS.values() if fit.game is None)


def test_the_page_has_a_table_of_them() -> None:
    """python -m pytest prints the lines that are missing."""
    text = PAGE.read_text()
    for name, fit in FITS.items():
        if fit.game is not None:
            spec = fit.game.spec
            shape = " x ".join(map(str, spec.planes_shape))
            row = f"| {name} | {shape} | {spec.num_actions:,} | {spec.action_layout} | {spec.most_legal:,} |"
            assert row in text
        else:
            assert f"`{name}`" in text


@pytest.mark.parametrize(
    ("text", "layout"),
    [
        ("tic_tac_toe", "cells"),
        ("hex(board_size=4)", "cells"),
        ("go(board_size=5)", "cells"),  # with a pass
        ("othello", "cells"),
        ("amazons(board_size=6)", "cells"),
        ("gomoku(size=7)", "cells"),  # whose tensor is [3, 49]
        ("connect_four", "columns"),
        ("xiangqi", "planes"),
        ("breakthrough(rows=6,columns=6)", "dense"),
        ("dots_and_boxes", "dense"),
        ("mancala", "dense"),
        ("nim", "dense"),
        ("chess", "dense"),
        ("quoridor(board_size=5)", "dense"),  # as many actions as cells, but not on them
    ],
)
def test_layouts_are_found_by_playing(text: str, layout: str) -> None:
    assert tengen.load(f"openspiel:{text}").spec.action_layout == layout


@pytest.mark.parametrize("name", ["breakthrough", "checkers", "chess", "clobber", "lines_of_action", "xiangqi"])
def test_known_bounds_hold_in_random_games(name: str) -> None:
    game = tengen.load(f"openspiel:{name}", longest_game=20)
    assert game.spec.most_legal < game.spec.num_actions
    assert game.random_playouts(30, seed=1).games == 30  # or else a RulesError says that the bound is wrong


@pytest.mark.parametrize("name", FITTING)
def test_a_random_game_is_the_same_on_both_sides(name: str) -> None:
    game, theirs = tengen.load(f"openspiel:{name}"), pyspiel.load_game(name)
    numbers = random.Random(name)
    state, other = game.initial_state(), theirs.new_initial_state()
    cells = game.spec.height * game.spec.width
    while not other.is_terminal() and len(state.moves) < MOST_ACTIONS:
        assert state.outcome is None
        assert list(state.legal_actions) == other.legal_actions()
        assert state.to_move == other.current_player()
        planes = state.planes()
        assert planes[:-1].ravel().tolist() == other.observation_tensor(other.current_player())
        assert planes[-1].sum() == (cells if state.to_move == 0 else 0)
        action = numbers.choice(state.legal_actions)
        before = state
        state = state.play(action)
        other.apply_action(action)
        assert before != state
        assert game.state(state.moves) == state
        assert hash(game.state(state.moves)) == hash(state)
    assert str(state).startswith(str(other).rstrip())
    if other.is_terminal():
        assert state.outcome is not None
        assert list(state.outcome.returns) == [float(np.sign(value)) for value in other.returns()]
        assert state.legal_actions == ()
        assert np.isfinite(state.planes()).all()


@pytest.mark.parametrize("name", ["tic_tac_toe", "hex(board_size=4)", "dots_and_boxes", "mancala"])
def test_the_checker_finds_nothing(name: str) -> None:
    assert check_game(tengen.load(f"openspiel:{name}"), games=30).findings == ()


def test_random_playouts_run_without_the_gil() -> None:
    counts = tengen.load("openspiel:tic_tac_toe").random_playouts(200, seed=1)
    ours = tengen.load("tic_tac_toe").random_playouts(200, seed=1)
    assert (counts.wins, counts.draws, counts.actions) == (ours.wins, ours.draws, ours.actions)


def test_a_state_that_was_forgotten_is_replayed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tengen.games.openspiel.KEPT_STATES", 1)
    game = tengen.load("openspiel:connect_four")
    first = game.state("3 3 3")
    second = game.state("0 1 2")
    assert "o" in str(first)
    assert first.play("4") != second.play("4")
    assert first.play("4") == game.state("3 3 3 4")
    long = game.state("0 1 2 3 4 5 6 0 1 2 3 4 5 6")
    assert long.play("0") == game.state("0 1 2 3 4 5 6 0 1 2 3 4 5 6 0")


def test_threads_share_a_game() -> None:
    """Search threads ask at once; nobody may see what another one observes."""
    game = tengen.load("openspiel:hex(board_size=5)")
    states = [game.state([first, 24 - first]) for first in range(12)]
    expected = [state.planes().tobytes() for state in states]
    with ThreadPoolExecutor(4) as pool:
        for _ in range(20):
            assert list(pool.map(lambda state: state.planes().tobytes(), states)) == expected


def test_a_length_can_be_given_where_openspiel_has_none_that_fits() -> None:
    assert tengen.load("openspiel:chess").spec.longest_game == 8191
    short = tengen.load("openspiel:hex(board_size=5)", longest_game=3)
    assert repr(short) == "tengen.load('openspiel:hex(board_size=5)', longest_game=3)"
    end = short.state("0 1 2")
    assert end.outcome is not None
    assert end.outcome.is_draw
    assert (end.outcome.reason, end.outcome.sentence) == ("length", "length: 3 actions were played")
    assert end.legal_actions == ()
    assert eval(repr(end), {"tengen": tengen}) == end


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("kuhn_poker", "chance has a part in it"),
        ("matrix_rps", "the players move at the same time"),
        ("phantom_ttt", "the players do not see everything"),
        ("chinese_checkers(players=3)", "it has 3 players"),
        ("hax", "OpenSpiel has no game called 'hax'; did you mean 'openspiel:hex'?"),
        ("", "OpenSpiel has no game called ''"),
    ],
)
def test_other_games_are_refused(text: str, reason: str) -> None:
    with pytest.raises(tengen.UnknownGameError) as caught:
        tengen.load(f"openspiel:{text}")
    assert reason in str(caught.value)


@pytest.mark.parametrize(
    ("text", "options", "reason"),
    [
        ("hex(board_sise=5)", {}, "Unknown parameter 'board_sise'"),
        ("hex(board_size=big)", {}, "Wrong type for parameter board_size"),
        ("hex(", {}, "Missing closing bracket"),
        ("hex(board_size=-3)", {}, "its planes are [9, -3, -3]"),
        ("connect_four(rows=0)", {}, "its planes are [3, 0, 7]"),
        ("hex(board_size=1000)", {}, "1000000 actions"),
        ("hex", {"board_size": 5}, "takes its options in OpenSpiel's way, 'hex(board_size=...)'"),
        ("hex", {"longest_game": 122}, "longest_game must be a whole number from 1 to 121"),
        ("misere", {}, "Missing parameter game"),
    ],
)
def test_wrong_options_are_named(text: str, options: dict[str, float], reason: str) -> None:
    with pytest.raises(tengen.GameOptionError) as caught:
        tengen.load(f"openspiel:{text}", **options)
    assert reason in str(caught.value)


def test_openspiel_is_imported_only_when_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    code = "import sys, tengen; tengen.load('tic_tac_toe'); sys.exit('pyspiel' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(tengen.UnknownGameError, match=r"OpenSpiel is not installed: pip install 'tengen\[openspiel\]'"):
        tengen.load("openspiel:hex")
