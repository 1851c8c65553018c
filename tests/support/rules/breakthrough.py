"""Breakthrough on 5x5: men step one cell forward, capture aslant; whoever reaches the other side wins."""

import numpy as np

from tengen.games.rules import ONGOING, move_table

size: int = 5

board = (size, size)
actions = "moves"
moves = move_table(board, steps=[(-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)])
longest_game = 8 * size * size
plane_names = ["own men", "opponent's men", "white to move"]
player_names = ["white", "black"]
pieces = [("man", "w", 0), ("man", "b", 1)]

State = np.dtype([("cell", np.int8, size * size), ("to_move", np.int8), ("winner", np.int8)])  # 1 white, 2 black

SOURCE, TARGET = moves.source, moves.target


def start(state):
    state.winner = ONGOING
    state.cell[: 2 * size] = 2
    state.cell[(size - 2) * size :] = 1


def legal(state, mask):
    me = state.to_move
    for action in range(len(SOURCE)):
        source, target, step = SOURCE[action], TARGET[action], action // (size * size)
        mask[action] = False
        if target >= 0 and state.cell[source] == 1 + me and (step < 3) == (me == 0):
            there = state.cell[target]
            mask[action] = there == 0 or (there == 2 - me and step % 3 != 1)


def play(state, action):
    me = state.to_move
    target = TARGET[action]
    state.cell[SOURCE[action]] = 0
    state.cell[target] = 1 + me
    if target // size == (0 if me == 0 else size - 1):
        state.winner = me
    state.to_move = 1 - me


def outcome(state):
    return state.winner


def planes(state, out):
    for cell in range(size * size):
        row, column = cell // size, cell % size
        out[0, row, column] = state.cell[cell] == 1 + state.to_move
        out[1, row, column] = state.cell[cell] == 2 - state.to_move
        out[2, row, column] = state.to_move == 0


def cells(state, out):
    for cell in range(size * size):
        out[cell // size, cell % size] = state.cell[cell]
