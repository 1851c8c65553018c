"""A race without dice: a runner takes 1 to 3 steps; one that is landed on goes back to the start. First home wins.

Runners can send each other back for ever, so that a game of 40 moves is a draw.
"""

import numpy as np

from tengen.games.rules import DRAW, ONGOING

TRACK = 10  # the last cell is home
MOST_MOVES = 40

board = (1, TRACK)
num_actions = 3
longest_game = MOST_MOVES
plane_names = ["own runner", "opponent's runner", "share of the moves that are over"]

State = np.dtype([("place", np.int8, 2), ("moves", np.int8)])


def to_move(state):
    return state.moves % 2


def legal(state, mask):
    for steps in range(1, 4):
        mask[steps - 1] = state.place[to_move(state)] + steps < TRACK


def play(state, action):
    me = to_move(state)
    state.place[me] += action + 1
    if state.place[me] == state.place[1 - me]:
        state.place[1 - me] = 0
    state.moves += 1


def outcome(state):
    for player in range(2):
        if state.place[player] == TRACK - 1:
            return player
    return DRAW if state.moves == MOST_MOVES else ONGOING


def planes(state, out):
    me = to_move(state)
    out[0, 0, state.place[me]] = 1
    out[1, 0, state.place[1 - me]] = 1
    out[2, :, :] = state.moves / MOST_MOVES


def action_text(action):
    return f"step{action + 1}"
