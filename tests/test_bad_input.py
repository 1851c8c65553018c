"""Wrong input of every kind: an error with a name and a sentence that helps, never a crash."""

import math
import re

import numpy as np
import pytest

import tengen

HUGE = 2**200
LONE_SURROGATE = "\ud800"


@pytest.fixture
def game() -> tengen.Game:
    return tengen.load("tic_tac_toe")


@pytest.fixture
def state(game: tengen.Game) -> tengen.State:
    return game.initial_state()


def refuses(error: type[Exception], *words: str):  # type: ignore[no-untyped-def]
    """Expects that error, with all these words in its sentence in that order."""
    return pytest.raises(error, match=".*".join(map(re.escape, words)))


# Games and their options


@pytest.mark.parametrize(
    ("name", "meant"), [("gomuko", "gomoku"), ("tictactoe", "tic_tac_toe"), ("conect4", "connect_four"), ("Go", "go")]
)
def test_unknown_game_says_what_was_meant(name: str, meant: str) -> None:
    with refuses(tengen.UnknownGameError, name, f"did you mean '{meant}'?"):
        tengen.load(name)


@pytest.mark.parametrize("name", ["", "\0", LONE_SURROGATE, "q" * 10_000, "天元"])
def test_nonsense_name_lists_the_games(name: str) -> None:
    with refuses(tengen.UnknownGameError, "There is no game called", "tic_tac_toe"):
        tengen.load(name)


@pytest.mark.parametrize("name", [None, 5, b"go", ["go"]])
def test_name_that_is_no_text(name: object) -> None:
    with refuses(TypeError, "by its name"):
        tengen.load(name)  # type: ignore[arg-type]


@pytest.mark.parametrize("size", [4, 20, -1, 9.5, math.nan, math.inf, -math.inf, HUGE, -HUGE, 10**400])
def test_size_out_of_range_states_the_range(size: float) -> None:
    with refuses(tengen.GameOptionError, "gomoku: size must be a whole number from 5 to 19"):
        tengen.load("gomoku", size=size)


@pytest.mark.parametrize("komi", [math.nan, math.inf, 1e300, -1e300])
def test_komi_out_of_range_states_the_range(komi: float) -> None:
    with refuses(tengen.GameOptionError, "go: komi must be a number from", "to"):
        tengen.load("go", komi=komi)


@pytest.mark.parametrize("value", ["9", None, [9], 9j])
def test_option_that_is_no_number(value: object) -> None:
    with refuses(tengen.GameOptionError, "size must be a number"):
        tengen.load("gomoku", size=value)  # type: ignore[arg-type]


def test_flag_that_is_neither_true_nor_false() -> None:
    with refuses(tengen.GameOptionError, "exactly_five must be True or False"):
        tengen.load("gomoku", exactly_five=2)


def test_unknown_option_lists_the_options() -> None:
    with refuses(tengen.GameOptionError, "no option 'komi'", "size, exactly_five"):
        tengen.load("gomoku", komi=7)
    with refuses(tengen.GameOptionError, "tic_tac_toe has no option 'size'; it takes none"):
        tengen.load("tic_tac_toe", size=3)


def test_numbers_of_numpy_are_options() -> None:
    assert (
        tengen.load("gomoku", size=np.int64(9))
        == tengen.load("gomoku", size=np.float32(9))
        == tengen.load("gomoku", size=9)
    )


# Actions


@pytest.mark.parametrize("action", [-1, 9, 2**31, 2**63, HUGE, -HUGE, np.int64(-1), np.uint64(2**64 - 1)])
def test_action_out_of_range_states_the_range(state: tengen.State, action: int) -> None:
    with refuses(tengen.IllegalActionError, "Actions of tic_tac_toe are 0 to 8, not"):
        state.play(action)
    with refuses(tengen.IllegalActionError, "Actions of tic_tac_toe are 0 to 8, not"):
        state.action_text(action)
    with refuses(tengen.IllegalActionError, "Actions of tic_tac_toe are 0 to 8, not"):
        state.game.action_text(action)
    with refuses(tengen.IllegalActionError, "Actions of tic_tac_toe are 0 to 8, not"):
        state.game.symmetries[3].action(action)
    assert not state.is_legal(action)


@pytest.mark.parametrize(
    "text", ["", " ", "z9", "a0", "a4", "a01", "a\0", "\0", "é2", "●" * 50, LONE_SURROGATE, "a\uff11", "x" * 100_000]
)
def test_text_that_names_no_action(state: tengen.State, text: str) -> None:
    with refuses(tengen.ActionTextError, "is not an action of tic_tac_toe; it looks like 'a3' or 'c1'."):
        state.play(text)
    assert not state.is_legal(text)
    assert state.game.parse_action(text) is None


@pytest.mark.parametrize("action", [None, 1.0, b"a1", [0], 1j, np.float32(1)])
def test_action_of_a_wrong_type(state: tengen.State, action: object) -> None:
    with refuses(TypeError, "play(self, action: int | str)"):
        state.play(action)  # type: ignore[arg-type]


def test_occupied_square(state: tengen.State) -> None:
    with refuses(tengen.IllegalActionError, "b2 is not legal here; legal_actions lists what is."):
        state.play("b2").play("b2")
    with refuses(tengen.IllegalActionError, "b2 is not legal here"):
        state.play(4).play(4)


def test_action_after_the_end(game: tengen.Game) -> None:
    with refuses(tengen.IllegalActionError, "The game is over"):
        game.state("a1 a2 b1 b2 c1").play("c3")


@pytest.mark.parametrize("kind", [np.int8, np.uint16, np.int32, np.int64, np.uint64])
def test_integers_of_numpy_are_actions(state: tengen.State, kind: type[np.integer]) -> None:
    assert state.play(kind(4)) == state.play(4)  # type: ignore[arg-type]


# States from moves and from drawings


def test_moves_that_cannot_be_played(game: tengen.Game) -> None:
    with refuses(tengen.IllegalActionError, "a1 is not legal here"):
        game.state("a1 a1")
    with refuses(tengen.ActionTextError, "'d4' is not an action"):
        game.state(["a1", "d4"])
    with refuses(TypeError, "state(self, moves: str | "):
        game.state([None])  # type: ignore[list-item]
    with refuses(TypeError, "state(self, moves: str | "):
        game.state(7)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("board", "words"),
    [
        ("", "has 0 rows; this board has 3"),
        ("XO.", "has 1 rows; this board has 3"),
        ("XO.\nXO\n...", "'XO' has 2 cells; this board has 3 columns"),
        ("1 XO#\n2 ...\n3 ...", "drawn with X, O and '.'; there is something else in the line '1 XO#'"),
        ("1 ●○.\n2 ...\n3 ...", "drawn with X, O and '.'"),
        ("XXX\n...\n...", "X moves first"),
        ("\0\0\0", "has 0 rows"),
        (LONE_SURROGATE, "has 0 rows"),
    ],
)
def test_drawing_that_is_no_board(game: tengen.Game, board: str, words: str) -> None:
    with refuses(tengen.BoardTextError, words):
        game.state(board=board)


def test_odd_characters_do_not_spoil_the_sentence(state: tengen.State) -> None:
    with refuses(tengen.ActionTextError, "'a?b?c' is not an action of tic_tac_toe; it looks like"):
        state.play("a\0b\x1bc")
    with refuses(tengen.ActionTextError, f"'a{'é' * 39}' is not an action of tic_tac_toe; it looks like"):
        state.play("a" + "é" * 79)  # cut between characters


# Symmetries


@pytest.mark.parametrize("shape", [(2, 3, 4), (2, 4, 3), (0, 0, 0), (2, 0, 3)])
def test_planes_of_a_wrong_shape(game: tengen.Game, shape: tuple[int, ...]) -> None:
    with refuses(tengen.ArgumentError, "Planes of tic_tac_toe have the shape [C, 3, 3], not ["):
        game.symmetries[1].planes(np.zeros(shape, np.float32))


@pytest.mark.parametrize("planes", [np.zeros((3, 3), np.float32), np.zeros((2, 3, 3), complex), [[[0.0]]], None])
def test_planes_that_are_no_planes(game: tengen.Game, planes: object) -> None:
    with refuses(TypeError, "planes(self, planes: "):
        game.symmetries[1].planes(planes)  # type: ignore[arg-type]


@pytest.mark.parametrize("length", [0, 8, 10, 1000])
def test_policy_of_a_wrong_length(game: tengen.Game, length: int) -> None:
    with refuses(tengen.ArgumentError, "a number for each of its 9 actions, not", str(length)):
        game.symmetries[1].policy(np.zeros(length, np.float32))


def test_arrays_of_another_layout_are_understood(game: tengen.Game) -> None:
    planes = np.arange(18, dtype=np.float32).reshape(2, 3, 3)
    mirror = game.symmetries[1]
    for same in (
        planes.astype(np.float64),
        np.asfortranarray(planes),
        planes.astype(np.int16),
        np.repeat(planes, 2, 0)[::2],
    ):
        assert np.array_equal(mirror.planes(same), mirror.planes(planes))  # type: ignore[arg-type]


def test_planes_into_an_array_that_does_not_fit(state: tengen.State) -> None:
    out = np.full((2, 3, 3), 7, np.float32)
    assert state.planes(out=out).sum() == out.sum() == 0
    with refuses(tengen.ArgumentError, "an array of the shape", "3, 3", "game.spec.planes_shape"):
        state.planes(out=np.zeros((3, 3, 2), np.float32))
    for array in (out.astype(np.float64), out.T, out[:, ::2], "planes"):  # a copy would be written in vain
        with refuses(TypeError, "planes(self, out: "):
            state.planes(out=array)  # type: ignore[arg-type]


# Counting


@pytest.mark.parametrize("depth", [-1, -HUGE])
def test_negative_depth(game: tengen.Game, depth: int) -> None:
    with refuses(tengen.ArgumentError, "depth must be 0 or more"):
        game.perft(depth)


def test_depth_beyond_the_longest_game_ends_with_it(game: tengen.Game) -> None:
    assert game.perft(HUGE).positions == game.perft(9).positions


@pytest.mark.parametrize("games", [-1, -HUGE])
def test_negative_number_of_games(game: tengen.Game, games: int) -> None:
    with refuses(tengen.ArgumentError, "number of games must be 0 or more"):
        game.random_playouts(games, seed=0)


@pytest.mark.parametrize("seed", [-1, 2**64, HUGE, np.uint64(7)])
def test_any_integer_is_a_seed(game: tengen.Game, seed: int) -> None:
    assert game.random_playouts(10, seed).games == 10


def test_state_of_another_game(game: tengen.Game) -> None:
    foreign = tengen.load("gomoku").initial_state()
    with refuses(tengen.ArgumentError, "a state of tengen.load('gomoku'", "not of tengen.load('tic_tac_toe')"):
        game.random_playouts(1, seed=0, state=foreign)
    with refuses(tengen.ArgumentError, "a state of tengen.load('gomoku'", "not of tengen.load('tic_tac_toe')"):
        game.perft(1, state=foreign)


# Objects


@pytest.mark.parametrize("player", [-1, 2, HUGE])
def test_player_that_does_not_exist(player: int) -> None:
    with refuses(tengen.ArgumentError, "A player is 0"):
        tengen.Outcome(winner=0).value_for(player)
    with refuses(tengen.ArgumentError, "A player is 0"):
        tengen.Outcome(winner=player)


@pytest.mark.parametrize("kind", [tengen.State, tengen.Game, tengen.GameSpec, tengen.Symmetry])
def test_what_only_a_game_can_make(kind: type) -> None:
    with pytest.raises(TypeError):
        kind()
    with pytest.warns(RuntimeWarning, match="uninitialized"), pytest.raises(TypeError):
        repr(kind.__new__(kind))


def test_states_never_change(state: tengen.State) -> None:
    with pytest.raises(AttributeError):
        state.to_move = 1  # type: ignore[misc]
    with pytest.raises(AttributeError):
        state.note = "mine"  # type: ignore[attr-defined]


def test_every_error_is_a_tengen_error_and_a_value_error() -> None:
    errors = [value for name, value in vars(tengen).items() if name.endswith("Error")]
    assert len(errors) >= 8
    assert all(issubclass(error, tengen.TengenError) and issubclass(error, ValueError) for error in errors)
