"""Dots and Boxes: players draw the sides of boxes; whoever draws the fourth side gets the box and draws again.

The board has a cell for every dot, side and box: dots where row and column are both even, boxes where both are odd,
sides elsewhere. An action is a side, counted row by row from the top. Having moved, a player may be to move again.
"""

import numpy as np

from tengen.games.rules import DRAW, ONGOING

rows: int = 3
columns: int = 3

if not (1 <= rows <= 7 and 1 <= columns <= 7):
    raise ValueError(f"rows and columns must be 1 to 7, not {rows} and {columns}")

board = (2 * rows + 1, 2 * columns + 1)
height, width = board
SIDES = np.array([(row, column) for row in range(height) for column in range(width) if (row + column) % 2 == 1])

num_actions = len(SIDES)
longest_game = len(SIDES)
plane_names = ["sides", "own boxes", "opponent's boxes", "X to move"]
pieces = [("side", "+", None), ("box", "X", 0), ("box", "O", 1)]
SIDE, BOX = 1, 2  # codes of pieces; a box of the second player is BOX + 1
score_name = "boxes"

State = np.dtype([("cells", np.int8, board), ("boxes", np.int8, 2), ("to_move", np.int8)])


def legal(state, mask):
    for action in range(num_actions):
        mask[action] = state.cells[SIDES[action, 0], SIDES[action, 1]] == 0


def play(state, action):
    row, column = SIDES[action, 0], SIDES[action, 1]
    state.cells[row, column] = SIDE
    if row % 2 == 1:  # an upright side: boxes left and right of it
        closed = close_box(state, row, column - 1) + close_box(state, row, column + 1)
    else:
        closed = close_box(state, row - 1, column) + close_box(state, row + 1, column)
    if closed == 0:
        state.to_move = 1 - state.to_move


def close_box(state, row, column):
    if row < 0 or row >= height or column < 0 or column >= width:
        return 0
    sides = state.cells[row - 1, column] + state.cells[row + 1, column]
    sides += state.cells[row, column - 1] + state.cells[row, column + 1]
    if sides < 4:
        return 0
    state.cells[row, column] = BOX + state.to_move
    state.boxes[state.to_move] += 1
    return 1


def outcome(state):
    first, second = state.boxes[0], state.boxes[1]
    if first + second < rows * columns:
        return ONGOING
    if first == second:
        return DRAW
    return 0 if first > second else 1


def planes(state, out):
    for row in range(height):
        for column in range(width):
            cell = state.cells[row, column]
            out[0, row, column] = cell == SIDE
            out[1, row, column] = cell == BOX + state.to_move
            out[2, row, column] = cell == BOX + 1 - state.to_move
            out[3, row, column] = state.to_move == 0


def cells(state, out):
    out[:] = state.cells


def action_cells(action):
    return None, SIDES[action, 0] * width + SIDES[action, 1]


def score(state):
    return state.boxes[0] - state.boxes[1]


def reason(state):
    return f"majority: {max(state.boxes)} boxes to {min(state.boxes)}"
