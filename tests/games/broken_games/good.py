"""Tic-tac-toe, correct. Each entry of changes.toml makes one thing in it wrong."""

import random

import numpy as np

from tengen.games.rules import DRAW, ONGOING

board = (3, 3)
actions = "cells"
longest_game = 9
plane_names = ["own stones", "opponent's stones"]
symmetries = "dihedral"

State = np.dtype([("owner", np.int8, 9), ("turns", np.int16)])  # owner: 0 nobody, 1 X, 2 O

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))

seen = []  # nobody looks at it here
numbers = random.Random(0)


def to_move(state):
    return state.turns % 2


def legal(state, mask):
    for cell in range(9):
        mask[cell] = state.owner[cell] == 0


def play(state, cell):
    state.owner[cell] = 1 + to_move(state)
    state.turns += 1


def outcome(state):
    last = 1 - to_move(state)
    for a, b, c in LINES:
        if state.owner[a] == state.owner[b] == state.owner[c] == 1 + last:
            return last
    return DRAW if state.turns == 9 else ONGOING


def planes(state, out):
    for cell in range(9):
        row, column = cell // 3, cell % 3
        out[0, row, column] = state.owner[cell] == 1 + to_move(state)
        out[1, row, column] = state.owner[cell] == 2 - to_move(state)


def action_text(cell):
    return f"{'abc'[cell % 3]}{3 - cell // 3}"


def set_board(state, cells, to_move):
    for cell in range(9):
        state.owner[cell] = cells[cell // 3, cell % 3] + 1
    state.turns = (cells >= 0).sum()
