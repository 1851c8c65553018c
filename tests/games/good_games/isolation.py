"""Isolation: a pawn moves like a king, and the cell it leaves is gone; whoever can't move loses."""

import numpy as np

from tengen.games.rules import ONGOING

SIZE = 4

board = (SIZE, SIZE)
actions = "cells"
longest_game = SIZE * SIZE - 2
plane_names = ["own pawn", "opponent's pawn", "cells that are gone"]

State = np.dtype([("gone", np.int8, SIZE * SIZE), ("pawn", np.int8, 2), ("to_move", np.int8)])


def start(state):
    state.pawn[0] = SIZE * SIZE - SIZE // 2 - 1
    state.pawn[1] = SIZE // 2


def can_go(state, cell):
    mine = state.pawn[state.to_move]
    near = abs(mine // SIZE - cell // SIZE) <= 1 and abs(mine % SIZE - cell % SIZE) <= 1
    return near and state.gone[cell] == 0 and cell != mine and cell != state.pawn[1 - state.to_move]


def legal(state, mask):
    for cell in range(SIZE * SIZE):
        mask[cell] = can_go(state, cell)


def play(state, cell):
    state.gone[state.pawn[state.to_move]] = 1
    state.pawn[state.to_move] = cell
    state.to_move = 1 - state.to_move


def outcome(state):
    for cell in range(SIZE * SIZE):
        if can_go(state, cell):
            return ONGOING
    return 1 - state.to_move


def planes(state, out):
    for cell in range(SIZE * SIZE):
        row, column = cell // SIZE, cell % SIZE
        out[0, row, column] = cell == state.pawn[state.to_move]
        out[1, row, column] = cell == state.pawn[1 - state.to_move]
        out[2, row, column] = state.gone[cell]
