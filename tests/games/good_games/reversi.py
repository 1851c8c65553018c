"""Reversi on a 4x4 board: a stone turns the lines of opponent's stones that it closes. More stones win.

Whoever can't turn a stone passes, which is action 16; two passes end the game.
"""

import numpy as np

from tengen.games.rules import DRAW, ONGOING

SIZE = 4
PASS = SIZE * SIZE

board = (SIZE, SIZE)
actions = "cells"
num_actions = PASS + 1
longest_game = 2 * (PASS - 4)  # no two passes but the last
plane_names = ["own stones", "opponent's stones"]
symmetries = ["rotate 180", "transpose", "anti-transpose"]

State = np.dtype([("owner", np.int8, (SIZE, SIZE)), ("passes", np.int8), ("to_move", np.int8)])

ROW_STEPS = (-1, -1, -1, 0, 0, 1, 1, 1)
COLUMN_STEPS = (-1, 0, 1, -1, 1, -1, 0, 1)


def start(state):
    state.owner[1, 1] = state.owner[2, 2] = 2
    state.owner[1, 2] = state.owner[2, 1] = 1


def turned(state, row, column, direction):
    """How many stones a stone on this cell would turn in that direction."""
    count = 0
    while True:
        row, column = row + ROW_STEPS[direction], column + COLUMN_STEPS[direction]
        if row < 0 or row >= SIZE or column < 0 or column >= SIZE or state.owner[row, column] == 0:
            return 0
        if state.owner[row, column] == 1 + state.to_move:
            return count
        count += 1


def turns_any(state, row, column):
    if state.owner[row, column] != 0:
        return False
    for direction in range(8):
        if turned(state, row, column, direction) > 0:
            return True
    return False


def legal(state, mask):
    mask[PASS] = True
    for cell in range(SIZE * SIZE):
        if turns_any(state, cell // SIZE, cell % SIZE):
            mask[cell] = True
            mask[PASS] = False


def play(state, action):
    if action == PASS:
        state.passes += 1
    else:
        row, column = action // SIZE, action % SIZE
        for direction in range(8):
            for step in range(1, turned(state, row, column, direction) + 1):
                state.owner[row + step * ROW_STEPS[direction], column + step * COLUMN_STEPS[direction]] = (
                    1 + state.to_move
                )
        state.owner[row, column] = 1 + state.to_move
        state.passes = 0
    state.to_move = 1 - state.to_move


def outcome(state):
    lead = 0
    for row in range(SIZE):
        for column in range(SIZE):
            lead += (state.owner[row, column] == 1) - (state.owner[row, column] == 2)
    if state.passes < 2:
        return ONGOING
    if lead == 0:
        return DRAW
    return 0 if lead > 0 else 1


def planes(state, out):
    for row in range(SIZE):
        for column in range(SIZE):
            out[0, row, column] = state.owner[row, column] == 1 + state.to_move
            out[1, row, column] = state.owner[row, column] == 2 - state.to_move
