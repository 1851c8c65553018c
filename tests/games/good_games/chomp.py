"""Chomp: bite a square off the chocolate, and all above it and to its right; whoever eats the last corner loses."""

import numpy as np

from tengen.games.rules import ONGOING

height: int = 3
width: int = 4

board = (height, width)
actions = "cells"
longest_game = height * width
plane_names = ["chocolate"]
misere = True
pieces = [("chocolate", "#", None)]

State = np.dtype([("eaten", np.int8, (height, width)), ("to_move", np.int8)])


def legal(state, mask):
    for cell in range(height * width):
        mask[cell] = state.eaten[cell // width, cell % width] == 0


def play(state, cell):
    for row in range(cell // width + 1):
        for column in range(cell % width, width):
            state.eaten[row, column] = 1
    state.to_move = 1 - state.to_move


def outcome(state):
    return state.to_move if state.eaten[height - 1, 0] else ONGOING


def planes(state, out):
    for row in range(height):
        for column in range(width):
            out[0, row, column] = 1 - state.eaten[row, column]


def cells(state, out):
    out[:] = 1 - state.eaten
