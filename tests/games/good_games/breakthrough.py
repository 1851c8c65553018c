"""Breakthrough: men step straight or diagonally forward, capture diagonally, and win on the far row.

An action is a man's cell and a direction: 3 * cell + 0 (to the left), 1 (straight) or 2 (to the right), as drawn. The
first player starts at the bottom and goes up.
"""

import numpy as np

from tengen.games.rules import ONGOING

size: int = 5

if not 4 <= size <= 8:
    raise ValueError(f"size must be 4 to 8, not {size}")

board = (size, size)
num_actions = 3 * size * size
longest_game = 2 * size * (2 * size - 5) + 1  # every man one step short of the far row, and the last step
plane_names = ["own men", "opponent's men", "X to move"]

CELLS = range(size * size)
MIRRORED = [cell - 2 * (cell % size) + size - 1 for cell in CELLS]
symmetries = {"mirror columns": (MIRRORED, [3 * MIRRORED[a // 3] + 2 - a % 3 for a in range(num_actions)])}

State = np.dtype([("owner", np.int8, (size, size)), ("to_move", np.int8), ("winner", np.int8)])  # 0 nobody, 1, 2


def start(state):
    state.owner[:2] = 2
    state.owner[size - 2 :] = 1
    state.winner = ONGOING


def can_step(state, row, column, direction):
    if state.owner[row, column] != 1 + state.to_move:
        return False
    to_row = row - 1 if state.to_move == 0 else row + 1
    to_column = column + direction - 1
    if to_row < 0 or to_row >= size or to_column < 0 or to_column >= size:
        return False
    there = state.owner[to_row, to_column]
    return there == 0 or (direction != 1 and there == 2 - state.to_move)


def legal(state, mask):
    for action in range(num_actions):
        cell = action // 3
        mask[action] = can_step(state, cell // size, cell % size, action % 3)


def play(state, action):
    row, column = action // 3 // size, action // 3 % size
    to_row = row - 1 if state.to_move == 0 else row + 1
    state.owner[row, column] = 0
    state.owner[to_row, column + action % 3 - 1] = 1 + state.to_move
    state.to_move = 1 - state.to_move
    men_left = 0
    for cell in range(size * size):
        men_left += state.owner[cell // size, cell % size] == 1 + state.to_move
    if to_row == 0 or to_row == size - 1 or men_left == 0:
        state.winner = 1 - state.to_move


def outcome(state):
    return state.winner


def planes(state, out):
    for row in range(size):
        for column in range(size):
            out[0, row, column] = state.owner[row, column] == 1 + state.to_move
            out[1, row, column] = state.owner[row, column] == 2 - state.to_move
            out[2, row, column] = state.to_move == 0


def action_text(action):
    cell, direction = action // 3, action % 3
    return "abcdefgh"[cell % size] + str(size - cell // size) + "<^>"[direction]
