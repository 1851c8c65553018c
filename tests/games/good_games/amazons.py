"""Amazons on a 4x4 board: a queen moves, then shoots an arrow that blocks a cell; whoever can't move loses.

A turn is two actions of one player: 16 * from + to for the queen, then 256 + cell for the arrow.
"""

import numpy as np

from tengen.games.rules import ONGOING

SIZE = 4
CELLS = SIZE * SIZE
ARROWS = CELLS * CELLS  # the first action that is an arrow
EMPTY, FIRST, SECOND, ARROW = 0, 1, 2, 3
NOBODY = -1

board = (SIZE, SIZE)
num_actions = CELLS * CELLS + CELLS
longest_game = 2 * (CELLS - 4)  # every turn blocks a cell
plane_names = ["own queens", "opponent's queens", "arrows", "the queen that shoots"]

# shooter: the cell of the queen that has moved and must shoot now, or -1
State = np.dtype([("cells", np.int8, CELLS), ("shooter", np.int8), ("to_move", np.int8)])


def start(state):
    state.cells[1] = state.cells[7] = SECOND
    state.cells[8] = state.cells[14] = FIRST
    state.shooter = NOBODY


def reaches(state, source, target):
    """Whether a queen's line of empty cells leads from source to target."""
    rows, columns = target // SIZE - source // SIZE, target % SIZE - source % SIZE
    if source == target or (rows != 0 and columns != 0 and abs(rows) != abs(columns)):
        return False
    steps = max(abs(rows), abs(columns))
    step = (rows * SIZE + columns) // steps
    for number in range(1, steps + 1):
        if state.cells[source + number * step] != EMPTY:
            return False
    return True


def legal(state, mask):
    for target in range(CELLS):
        if state.shooter != NOBODY:
            mask[ARROWS + target] = reaches(state, state.shooter, target)
        else:
            for source in range(CELLS):
                if state.cells[source] == FIRST + state.to_move:
                    mask[source * CELLS + target] = reaches(state, source, target)


def play(state, action):
    if action >= ARROWS:
        state.cells[action - ARROWS] = ARROW
        state.shooter = NOBODY
        state.to_move = 1 - state.to_move
    else:
        state.cells[action // CELLS] = EMPTY
        state.cells[action % CELLS] = FIRST + state.to_move
        state.shooter = action % CELLS


def outcome(state):
    if state.shooter != NOBODY:
        return ONGOING  # the cell it came from is empty
    for source in range(CELLS):
        if state.cells[source] == FIRST + state.to_move:
            for target in range(CELLS):
                if reaches(state, source, target):
                    return ONGOING
    return 1 - state.to_move


def planes(state, out):
    for cell in range(CELLS):
        row, column = cell // SIZE, cell % SIZE
        out[0, row, column] = state.cells[cell] == FIRST + state.to_move
        out[1, row, column] = state.cells[cell] == SECOND - state.to_move
        out[2, row, column] = state.cells[cell] == ARROW
        out[3, row, column] = cell == state.shooter


def cell_text(cell):
    return f"{'abcd'[cell % SIZE]}{SIZE - cell // SIZE}"


def action_text(action):
    if action >= ARROWS:
        return f"*{cell_text(action - ARROWS)}"
    return f"{cell_text(action // CELLS)}{cell_text(action % CELLS)}"
