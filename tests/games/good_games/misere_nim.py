"""Misère Nim: take any number of counters from one heap; whoever takes the last one loses."""

import numpy as np

from tengen.games.rules import ONGOING

HEAPS = (1, 3, 5)
LARGEST = 5

board = (len(HEAPS), LARGEST)
num_actions = len(HEAPS) * LARGEST
longest_game = sum(HEAPS)
plane_names = ["counters"]
misere = True

State = np.dtype([("heaps", np.int8, len(HEAPS)), ("to_move", np.int8)])


def start(state):
    for heap in range(len(HEAPS)):
        state.heaps[heap] = HEAPS[heap]


def legal(state, mask):
    for heap in range(len(HEAPS)):
        for taken in range(state.heaps[heap]):
            mask[heap * LARGEST + taken] = True


def play(state, action):
    state.heaps[action // LARGEST] -= action % LARGEST + 1
    state.to_move = 1 - state.to_move


def outcome(state):
    for counters in state.heaps:
        if counters > 0:
            return ONGOING
    return state.to_move


def planes(state, out):
    for heap in range(len(HEAPS)):
        for counter in range(LARGEST):
            out[0, heap, counter] = counter < state.heaps[heap]


def action_text(action):
    return f"{'abc'[action // LARGEST]}{action % LARGEST + 1}"
