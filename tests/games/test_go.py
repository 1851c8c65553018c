"""Go against three other programs, move by move: OpenSpiel (legal moves, results), sgfmill (captures, ko, suicide,
area) and GNU Go (legal moves under superko, stones, captures)."""

import os
import random
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pyspiel
import pytest
from sgfmill.boards import Board

import tengen

COLUMNS = "ABCDEFGHJKLMNOPQRST"


def random_action(state: tengen.State, rng: random.Random) -> int:
    return rng.choice(state.legal_actions)


# --- OpenSpiel


def openspiel_actions(game: tengen.Game, theirs: pyspiel.Game) -> list[int]:
    """OpenSpiel's number for each of our actions, by name."""
    start = theirs.new_initial_state()
    number = {start.action_to_string(0, action).split()[1].lower(): action for action in start.legal_actions()}
    number["pass"] = number.pop("pass", game.spec.num_actions - 1)
    return [number[game.action_text(action).lower()] for action in range(game.spec.num_actions)]


def assert_same_game_as_openspiel(game: tengen.Game, theirs: pyspiel.Game, numbers: list[int], seed: int) -> int:
    """Plays one random game in both; returns how many moves superko forbade."""
    rng = random.Random(seed)
    ours, state = game.initial_state(), theirs.new_initial_state()
    repetitions = 0
    while ours.outcome is None:
        legal = {numbers[action] for action in ours.legal_actions}
        allowed = set(state.legal_actions())
        assert legal <= allowed
        for action in allowed - legal:  # OpenSpiel allows a repetition, and ends the game with it
            child = state.child(action)
            assert child.is_terminal()
            assert child.returns() == [0, 0]
            repetitions += 1
        action = random_action(ours, rng)
        ours = ours.play(action)
        state.apply_action(numbers[action])
        assert state.is_terminal() == (ours.outcome is not None)
    assert list(ours.outcome.returns) == state.returns()
    return repetitions


@pytest.mark.parametrize(("size", "games"), [(9, 2000), (5, 500), (19, 40)])
def test_random_games_agree_with_openspiel(size: int, games: int) -> None:
    game = tengen.load("go", size=size)
    theirs = pyspiel.load_game(f"go(board_size={size},komi=7.5)")
    numbers = openspiel_actions(game, theirs)
    repetitions = sum(assert_same_game_as_openspiel(game, theirs, numbers, seed) for seed in range(games))
    assert size == 19 or repetitions > 0


# --- sgfmill


def sgfmill_drawing(board: Board) -> list[str]:
    mark = {"b": "X", "w": "O", None: "."}
    rows = reversed(range(board.side))  # sgfmill counts rows from the bottom
    return ["".join(mark[board.get(row, column)] for column in range(board.side)) for row in rows]


def our_drawing(state: tengen.State) -> list[str]:
    return [line[2:].replace(" ", "") for line in str(state).splitlines()[1:-1]]


def result_as_it_stands(state: tengen.State, size: int, komi: float) -> tuple[float, float]:
    board = "\n".join(str(state).splitlines()[:-1]) + "\ngame over"
    outcome = tengen.load("go", size=size, komi=komi).state(board=board).outcome
    assert outcome is not None
    return outcome.returns


@pytest.mark.parametrize("suicide", [False, True])
@pytest.mark.parametrize(("size", "games"), [(5, 100), (9, 100), (13, 10), (19, 10)])
def test_captures_ko_suicide_and_area_agree_with_sgfmill(size: int, games: int, suicide: bool) -> None:
    game = tengen.load("go", size=size, suicide=suicide)
    kos = suicides = 0
    for seed in range(games):
        rng = random.Random(seed)
        state, board = game.initial_state(), Board(size)
        while state.outcome is None:
            action = random_action(state, rng)
            row, column = size - 1 - action // size, action % size
            colour = "bw"[state.to_move]
            state = state.play(action)
            if action == size * size:
                continue
            ko = board.play(row, column, colour)
            assert our_drawing(state) == sgfmill_drawing(board)
            suicides += board.get(row, column) is None
            if ko is not None and state.outcome is None:
                kos += 1
                assert not state.is_legal((size - 1 - ko[0]) * size + ko[1])
        area = board.area_score()
        assert result_as_it_stands(state, size, area) == (0, 0)
        assert result_as_it_stands(state, size, area - 0.5) == (1, -1)
        assert result_as_it_stands(state, size, area + 0.5) == (-1, 1)
    assert kos > 0
    assert (suicides > 0) == suicide


# --- GNU Go


class GnuGo:
    """GNU Go over GTP."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process

    def ask(self, command: str) -> list[str]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        lines = []
        while (line := self.process.stdout.readline().strip()) or not lines:
            assert line or self.process.poll() is None, f"GNU Go stopped at '{command}'"
            if line:
                lines.append(line)
        answer = " ".join(lines)
        assert answer.startswith("="), f"{command}: {answer}"
        return answer[1:].split()


@contextmanager
def gnugo() -> Iterator[GnuGo]:
    program = shutil.which("gnugo", path=os.environ.get("PATH", "") + os.pathsep + "/usr/games")
    assert program, "this test needs GNU Go (Debian: apt install gnugo)"
    command = [program, "--mode", "gtp", "--positional-superko", "--forbid-suicide", "--chinese-rules"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield GnuGo(process)
        assert process.stdin is not None
        process.stdin.write("quit\n")
        process.stdin.flush()


@pytest.mark.parametrize(("size", "games"), [(5, 20), (9, 20)])
def test_random_games_agree_with_gnugo(size: int, games: int) -> None:
    game = tengen.load("go", size=size)
    with gnugo() as peer:
        peer.ask(f"boardsize {size}")
        for seed in range(games):
            rng = random.Random(seed)
            peer.ask("clear_board")
            state = game.initial_state()
            while state.outcome is None:
                colour = ("black", "white")[state.to_move]
                legal = {state.action_text(action) for action in state.legal_actions} - {"pass"}
                assert set(peer.ask(f"all_legal {colour}")) == legal
                action = random_action(state, rng)
                state = state.play(action)
                peer.ask(f"play {colour} {state.action_text(action)}")
                drawing = our_drawing(state)
                for mark, player in (("X", "black"), ("O", "white")):
                    stones = {
                        f"{COLUMNS[column]}{size - row}"
                        for row, line in enumerate(drawing)
                        for column, cell in enumerate(line)
                        if cell == mark
                    }
                    assert set(peer.ask(f"list_stones {player}")) == stones


# --- Ours alone


@pytest.mark.parametrize(
    ("size", "positions", "finished"),
    [  # the same counts as the slow reference of cpp/tests/test_go.cpp
        (2, [1, 5, 21, 68, 156, 316, 604, 1088], [0, 0, 1, 4, 16, 48, 92, 176]),
        (3, [1, 10, 91, 738, 5281], [0, 0, 1, 9, 81]),
    ],
)
def test_perft(size: int, positions: list[int], finished: list[int]) -> None:
    counts = tengen.load("go", size=size).perft(len(positions) - 1)
    assert counts.positions == positions
    assert counts.finished == finished


def test_uniform_playouts_come_to_the_same_as_uniform_choices_from_the_list() -> None:
    game = tengen.load("go", size=5)
    rng = random.Random(1)
    games, moves, wins = 3000, 0, 0
    for _ in range(games):
        state = game.initial_state()
        while state.outcome is None:
            state = state.play(random_action(state, rng))
        moves += len(state.moves)
        wins += state.outcome.winner == 0
    counts = game.random_playouts(100_000, seed=1)
    assert counts.games == sum(counts.wins) + counts.draws == 100_000
    assert counts.actions / counts.games == pytest.approx(moves / games, abs=1.0)  # 4 standard errors: 0.9
    assert counts.wins[0] / counts.games == pytest.approx(wins / games, abs=0.04)  # 4 standard errors: 0.035


@pytest.mark.parametrize("history", [1, 8])
def test_planes_turn_with_the_board(history: int) -> None:
    game = tengen.load("go", size=7, history=history)
    rng = random.Random(history)
    state = game.initial_state()
    turned = [game.initial_state() for _ in game.symmetries]
    while state.outcome is None:
        for symmetry, other in zip(game.symmetries, turned, strict=True):
            assert np.array_equal(other.planes(), symmetry.planes(state.planes()))
        action = random_action(state, rng)
        state = state.play(action)
        turned = [other.play(symmetry.action(action)) for symmetry, other in zip(game.symmetries, turned, strict=True)]


def test_plane_names_and_shapes() -> None:
    assert tengen.load("go").spec.planes_shape == (13, 9, 9)
    spec = tengen.load("go", size=19, history=8).spec
    assert spec.planes_shape == (17, 19, 19)
    assert spec.plane_names[:4] == [
        "own stones",
        "opponent's stones",
        "own stones, 1 move ago",
        "opponent's stones, 1 move ago",
    ]
    assert spec.plane_names[-1] == "black to move"


def test_actions_are_written_as_players_write_them() -> None:
    game = tengen.load("go", size=19)
    assert [game.action_text(action) for action in (0, 8, 18, 342, 360, 361)] == [
        "A19",
        "J19",
        "T19",
        "A1",
        "T1",
        "pass",
    ]
    for text, action in (("a1", 342), ("Q16", 72), ("PASS", 361), ("Pass", 361)):
        assert game.parse_action(text) == action
    for text in ("I5", "A20", "A0", "U1", "", "passe", "5A"):
        assert game.parse_action(text) is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"komi": 7.3}, "komi must be a multiple of 0.5, such as 7 or 7.5, not 7.3"),
        ({"komi": 401}, "komi must be a number from -400 to 400"),
        ({"size": 20}, "size must be a whole number from 2 to 19"),
        ({"history": 4}, "history must be 1 or 8"),
        ({"max_moves": 163}, "max_moves on a board of this size is at most 162"),
        ({"suicide": 2}, "suicide must be True or False"),
    ],
)
def test_options_out_of_range_are_named(options: dict[str, float], message: str) -> None:
    with pytest.raises(tengen.GameOptionError, match=message):
        tengen.load("go", **options)


def test_drawings_are_read_back() -> None:
    game = tengen.load("go", size=9)
    rng = random.Random(3)
    state = game.initial_state()
    while state.outcome is None:
        drawn = game.state(board=str(state))
        assert str(drawn) == str(state)
        state = state.play(random_action(state, rng))
    assert game.state(board=str(state)).outcome == state.outcome


def test_a_drawing_with_a_dead_chain_is_refused() -> None:
    with pytest.raises(tengen.BoardTextError, match="The stones at A3 have no liberty"):
        tengen.load("go", size=3).state(board="XXO\nOO.\n...")


def test_a_drawing_starts_a_new_past() -> None:
    game = tengen.load("go", size=5)
    taken = game.state("B4", board=". X O . .\nX . X O .\n. X O . .\n. . . . .\n. . . . .\nO to move")
    assert not taken.is_legal("C4")
    assert game.state(board=str(taken)).is_legal("C4")
