"""Nim with piles of 1, 3, 5 and 7 things: take as many as you like of one pile; whoever takes the last thing wins.

Says nothing of pieces, and its actions have nothing to do with the cells of a board.
"""

import numpy as np

from tengen.games.rules import ONGOING

board = (4, 7)
num_actions = 28
longest_game = 16
plane_names = ["things", "X to move"]

State = np.dtype([("pile", np.int8, 4), ("to_move", np.int8)])


def start(state):
    for pile in range(4):
        state.pile[pile] = 2 * pile + 1


def legal(state, mask):
    for action in range(28):
        mask[action] = action % 7 < state.pile[action // 7]


def play(state, action):
    state.pile[action // 7] -= action % 7 + 1
    state.to_move = 1 - state.to_move


def outcome(state):
    return 1 - state.to_move if state.pile.sum() == 0 else ONGOING


def planes(state, out):
    for pile in range(4):
        for thing in range(7):
            out[0, pile, thing] = thing < state.pile[pile]
            out[1, pile, thing] = state.to_move == 0


def action_text(action):
    return f"take{action % 7 + 1}{'abcd'[action // 7]}"


def board_text(state):
    piles = "\n".join(f"{'abcd'[pile]} {'|' * int(state.pile[pile])}" for pile in range(4))
    return f"{piles}\n{'XO'[state.to_move]} to move"
