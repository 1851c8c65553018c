"""Connect Four: stones fall to the lowest free cell of a column; four in a row win.

A column is seven bits, the lowest cell first; the bit above the top cell stays empty, so that no row of four wraps into
the next column.
"""

import numpy as np

from tengen.games.rules import DRAW, ONGOING

board = (6, 7)
actions = "columns"
longest_game = 42
plane_names = ["own stones", "opponent's stones", "X to move"]
symmetries = "mirror"

State = np.dtype([("own", np.int64), ("opponent", np.int64), ("to_move", np.int8)])

COLUMN = 0b111111
FULL = sum(COLUMN << 7 * column for column in range(7))


def legal(state, mask):
    taken = state.own | state.opponent
    for column in range(7):
        mask[column] = taken >> (7 * column + 5) & 1 == 0


def play(state, column):
    taken = state.own | state.opponent
    stones = state.own | (taken + (1 << 7 * column) & COLUMN << 7 * column)
    state.own, state.opponent = state.opponent, stones
    state.to_move = 1 - state.to_move


def outcome(state):
    if four_in_a_row(state.opponent):
        return 1 - state.to_move
    return DRAW if state.own | state.opponent == FULL else ONGOING


def four_in_a_row(stones):
    found = 0
    for step in (1, 6, 7, 8):  # along a column, a diagonal, a row, the other diagonal
        pairs = stones & stones >> step
        found |= pairs & pairs >> 2 * step
    return found != 0


def reason(state):
    return "line: four in a row" if four_in_a_row(state.opponent) else "full board"


def planes(state, out):
    for row in range(6):
        for column in range(7):
            bit = 7 * column + 5 - row
            out[0, row, column] = state.own >> bit & 1
            out[1, row, column] = state.opponent >> bit & 1
            out[2, row, column] = 1 - state.to_move
