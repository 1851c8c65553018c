"""Men on a board of 4 rows and 3 columns step forward and capture aslant; a man in the last row may become a king.

The first king wins, and so does whoever leaves the other without a move. A step into the last row is two actions with
the same cells: with a crown and without. Cells of actions are the rules' own, so the layout is dense.
"""

import numpy as np

from tengen.games.rules import ONGOING

HEIGHT, WIDTH = 4, 3
CELLS = HEIGHT * WIDTH

board = (HEIGHT, WIDTH)
num_actions = 2 * 6 * CELLS  # without and with a crown; six directions
longest_game = 60
plane_names = ["men of the first", "men of the second", "kings", "first to move"]
player_names = ["white", "black"]
pieces = [("man", "m", 0), ("man", "M", 1), ("king", "k", 0), ("king", "K", 1)]

State = np.dtype([("cell", np.int8, CELLS), ("to_move", np.int8), ("winner", np.int8)])

STEPS = np.array([(-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)])


def target_of(action):
    cell, step = action % CELLS, action // CELLS % 6
    row, column = cell // WIDTH + STEPS[step, 0], cell % WIDTH + STEPS[step, 1]
    return row * WIDTH + column if 0 <= row < HEIGHT and 0 <= column < WIDTH else -1


def is_legal(state, action):
    target, step = target_of(action), action // CELLS % 6
    if target < 0 or state.cell[action % CELLS] != 1 + state.to_move or (step < 3) != (state.to_move == 0):
        return False
    is_last_row = target // WIDTH == (0 if state.to_move == 0 else HEIGHT - 1)
    if action >= 6 * CELLS and not is_last_row:
        return False
    return state.cell[target] == (0 if step % 3 == 1 else 2 - state.to_move)


def start(state):
    state.winner = ONGOING
    for column in range(WIDTH):
        state.cell[column] = 2
        state.cell[(HEIGHT - 1) * WIDTH + column] = 1


def legal(state, mask):
    for action in range(num_actions):
        mask[action] = is_legal(state, action)


def play(state, action):
    me = state.to_move
    state.cell[action % CELLS] = 0
    state.cell[target_of(action)] = 3 + me if action >= 6 * CELLS else 1 + me
    state.to_move = 1 - me
    if action >= 6 * CELLS:
        state.winner = me
        return
    for other in range(num_actions):
        if is_legal(state, other):
            return
    state.winner = me


def outcome(state):
    return state.winner


def planes(state, out):
    for cell in range(CELLS):
        row, column = cell // WIDTH, cell % WIDTH
        out[0, row, column] = state.cell[cell] == 1
        out[1, row, column] = state.cell[cell] == 2
        out[2, row, column] = state.cell[cell] > 2
        out[3, row, column] = state.to_move == 0


def cells(state, out):
    for cell in range(CELLS):
        out[cell // WIDTH, cell % WIDTH] = state.cell[cell]


def action_cells(action):
    return action % CELLS, target_of(action)


def action_text(action):
    def name(cell):
        return f"{'abc'[cell % WIDTH]}{HEIGHT - cell // WIDTH}"

    target = target_of(action)
    to = name(target) if target >= 0 else f"-{action // CELLS % 6}"
    return f"{name(action % CELLS)}{to}{'=k' if action >= 6 * CELLS else ''}"
