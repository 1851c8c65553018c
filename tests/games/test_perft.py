"""Counts of all action sequences: published ones, and OpenSpiel's where there are none."""

import pyspiel
import pytest

import tengen


def test_tic_tac_toe_whole_tree() -> None:
    counts = tengen.load("tic_tac_toe").perft(9)
    assert counts.positions == [1, 9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872]
    assert counts.finished == [0, 0, 0, 0, 0, 1440, 5328, 47952, 72576, 127872]
    assert sum(counts.finished) == 255_168


def test_connect_four_to_depth_8() -> None:
    counts = tengen.load("connect_four").perft(8)
    assert counts.positions == [1, 7, 49, 343, 2401, 16_807, 117_649, 823_536, 5_673_234]


def test_othello_to_depth_9() -> None:
    counts = tengen.load("othello").perft(9)
    assert counts.positions == [1, 4, 12, 56, 244, 1396, 8200, 55_092, 390_216, 3_005_288]


def count(state: pyspiel.State, positions: list[int], finished: list[int], ply: int = 0) -> None:
    positions[ply] += 1
    if state.is_terminal():
        finished[ply] += 1
    elif ply + 1 < len(positions):
        for action in state.legal_actions():
            count(state.child(action), positions, finished, ply + 1)


@pytest.mark.parametrize(
    ("name", "options", "theirs", "depth"),
    [
        ("connect_four", {}, "connect_four", 5),
        ("connect_four", {"rows": 4, "columns": 4, "in_a_row": 3}, "connect_four(rows=4,columns=4,x_in_row=3)", 7),
        ("connect_four", {"rows": 3, "columns": 3, "in_a_row": 3}, "connect_four(rows=3,columns=3,x_in_row=3)", 9),
        ("connect_four", {"rows": 3, "columns": 5, "in_a_row": 4}, "connect_four(rows=3,columns=5,x_in_row=4)", 6),
        ("othello", {}, "othello", 5),
        ("gomoku", {}, "gomoku", 2),
        ("gomoku", {"size": 6}, "gomoku(size=6)", 3),
        ("mnk", {"m": 4, "n": 2, "k": 2}, "mnk(m=4,n=2,k=2)", 8),
        ("mnk", {"m": 3, "n": 4, "k": 3}, "mnk(m=3,n=4,k=3)", 5),
        ("mnk", {"m": 6, "n": 1, "k": 3}, "mnk(m=6,n=1,k=3)", 6),
        ("mnk", {"m": 9, "n": 7, "k": 2}, "mnk(m=9,n=7,k=2)", 3),
    ],
)
def test_counts_are_those_of_openspiel(name: str, options: dict[str, float], theirs: str, depth: int) -> None:
    positions, finished = [0] * (depth + 1), [0] * (depth + 1)
    count(pyspiel.load_game(theirs).new_initial_state(), positions, finished)
    counts = tengen.load(name, **options).perft(depth)
    assert (counts.positions, counts.finished) == (positions, finished)
