"""A strip of fifteen cells: three stones in a row win, two passes end it drawn. Its players have long names."""

import numpy as np

from tengen.games.rules import DRAW, ONGOING

CELLS = 15

board = (1, CELLS)
actions = "cells"
num_actions = CELLS + 1  # the last is a pass
longest_game = 3 * CELLS
plane_names = ["own stones", "opponent's stones", "first to move"]
player_names = ["краснокожие", "бледнолицые"]

State = np.dtype(
    [("owner", np.int8, CELLS), ("to_move", np.int8), ("passes", np.int8), ("count", np.int8), ("winner", np.int8)]
)


def start(state):
    state.owner[:] = -1
    state.winner = ONGOING


def legal(state, mask):
    for cell in range(CELLS):
        mask[cell] = state.owner[cell] == -1
    mask[CELLS] = True


def play(state, action):
    me = state.to_move
    state.to_move = 1 - me
    if action == CELLS:
        state.passes += 1
        if state.passes == 2:
            state.winner = DRAW
        return
    state.passes = 0
    state.owner[action] = me
    state.count += 1
    for cell in range(CELLS - 2):
        if state.owner[cell] == me and state.owner[cell + 1] == me and state.owner[cell + 2] == me:
            state.winner = me
    if state.count == CELLS and state.winner == ONGOING:
        state.winner = DRAW


def outcome(state):
    return state.winner


def planes(state, out):
    for cell in range(CELLS):
        out[0, 0, cell] = state.owner[cell] == state.to_move
        out[1, 0, cell] = state.owner[cell] == 1 - state.to_move
        out[2, 0, cell] = state.to_move == 0
