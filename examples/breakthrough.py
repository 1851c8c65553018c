"""Breakthrough (Dan Troyka, 2000): whoever brings a man to the far row, or takes all of the opponent's, wins.

Men go one step forward, straight or diagonally; only a diagonal step may take. X starts at the bottom and moves up.
Whoever is to move can: on a diagonal of the foremost man there is nobody, or a man to take.
"""

import numpy as np

from tengen.games.rules import ONGOING, move_table

size: int = 6

if not 4 <= size <= 10:
    raise ValueError(f"size must be 4 to 10, not {size}")

board = (size, size)
actions = "moves"
moves = move_table(board, steps=[(-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)])  # up for X, down for O
most_legal = 6 * size  # two rows of men with three steps each
longest_game = 2 * size * (2 * size - 5) + 1  # all men stand one row before their goal, and then one goes on
plane_names = ["own men", "opponent's men", "X to move"]
symmetries = "mirror"

EMPTY = -1

State = np.dtype([("owner", np.int8, size * size), ("men", np.int8, 2), ("to_move", np.int8), ("winner", np.int8)])


def start(state):
    state.owner[:] = EMPTY
    state.owner[: 2 * size] = 1
    state.owner[-2 * size :] = 0
    state.men[:] = 2 * size
    state.winner = ONGOING


def legal(state, mask):
    me = state.to_move
    for cell in range(size * size):
        if state.owner[cell] == me:
            for step in range(3 * me, 3 * me + 3):
                action = step * size * size + cell
                target = moves.target[action]
                if target >= 0:
                    there = state.owner[target]
                    mask[action] = there == EMPTY or (there != me and step % 3 != 1)


def play(state, action):
    me = state.to_move
    target = moves.target[action]
    if state.owner[target] != EMPTY:
        state.men[1 - me] -= 1
    state.owner[moves.source[action]] = EMPTY
    state.owner[target] = me
    if target // size == (0 if me == 0 else size - 1) or state.men[1 - me] == 0:
        state.winner = me
    state.to_move = 1 - me


def outcome(state):
    return state.winner


def planes(state, out):
    for cell in range(size * size):
        row, column = cell // size, cell % size
        out[0, row, column] = state.owner[cell] == state.to_move
        out[1, row, column] = state.owner[cell] == 1 - state.to_move
        out[2, row, column] = state.to_move == 0


def reason(state):
    return "a man broke through" if state.men[1 - state.winner] > 0 else "capture: the last man was taken"
