"""Clobber: a stone moves onto an opponent's stone beside it and takes its place; whoever can't move loses.

An action is a stone's cell and a direction: 4 * cell + 0 (up), 1 (right), 2 (down), 3 (left).
"""

import numpy as np

from tengen.games.rules import ONGOING

height: int = 3
width: int = 4

board = (height, width)
num_actions = 4 * height * width
longest_game = height * width - 1
plane_names = ["own stones", "opponent's stones"]

State = np.dtype([("owner", np.int8, (height, width)), ("to_move", np.int8)])  # 0 nobody, 1 the first player, 2

ROW_STEPS = (-1, 0, 1, 0)
COLUMN_STEPS = (0, 1, 0, -1)


def start(state):
    for row in range(height):
        for column in range(width):
            state.owner[row, column] = 1 + (row + column) % 2


def can_take(state, cell, direction):
    row, column = cell // width, cell % width
    to_row, to_column = row + ROW_STEPS[direction], column + COLUMN_STEPS[direction]
    if to_row < 0 or to_row >= height or to_column < 0 or to_column >= width:
        return False
    return state.owner[row, column] == 1 + state.to_move and state.owner[to_row, to_column] == 2 - state.to_move


def legal(state, mask):
    for action in range(num_actions):
        mask[action] = can_take(state, action // 4, action % 4)


def play(state, action):
    row, column = action // 4 // width, action // 4 % width
    state.owner[row, column] = 0
    state.owner[row + ROW_STEPS[action % 4], column + COLUMN_STEPS[action % 4]] = 1 + state.to_move
    state.to_move = 1 - state.to_move


def outcome(state):
    for action in range(num_actions):
        if can_take(state, action // 4, action % 4):
            return ONGOING
    return 1 - state.to_move


def planes(state, out):
    for row in range(height):
        for column in range(width):
            out[0, row, column] = state.owner[row, column] == 1 + state.to_move
            out[1, row, column] = state.owner[row, column] == 2 - state.to_move


def action_text(action):
    cell = action // 4
    return f"{'abcdefgh'[cell % width]}{height - cell // width}{'NESW'[action % 4]}"
