"""Kalah with 3 pits a side and 2 seeds a pit: the last seed in one's own store earns another move.

A last seed in an own empty pit opposite to seeds captures both. When a side is empty the other player keeps the rest,
and more seeds win. The board is drawn from above: the second player's pits in the top row, from right to left.
"""

import numpy as np

from tengen.games.rules import DRAW, ONGOING

PITS = 3
SEEDS = 2
ALL = 2 * PITS * SEEDS
AROUND = 2 * PITS + 2  # pits and stores in the order of sowing: 0-2, store 3, 4-6, store 7

board = (2, PITS + 1)
num_actions = PITS
longest_game = 2 * ALL
plane_names = ["own seeds", "opponent's seeds"]

State = np.dtype([("seeds", np.int8, AROUND), ("to_move", np.int8)])


def start(state):
    for pit in range(PITS):
        state.seeds[pit] = SEEDS
        state.seeds[PITS + 1 + pit] = SEEDS


def first_pit(player):
    return player * (PITS + 1)


def store(player):
    return player * (PITS + 1) + PITS


def legal(state, mask):
    for pit in range(PITS):
        mask[pit] = state.seeds[first_pit(state.to_move) + pit] > 0


def play(state, pit):
    me = state.to_move
    place = first_pit(me) + pit
    hand = state.seeds[place]
    state.seeds[place] = 0
    while hand > 0:
        place = (place + 1) % AROUND
        if place != store(1 - me):
            state.seeds[place] += 1
            hand -= 1
    opposite = 2 * PITS - place
    if place // (PITS + 1) == me and place != store(me) and state.seeds[place] == 1 and state.seeds[opposite] > 0:
        state.seeds[store(me)] += 1 + state.seeds[opposite]
        state.seeds[place] = state.seeds[opposite] = 0
    if place != store(me):
        state.to_move = 1 - me
    if in_pits(state, 0) == 0 or in_pits(state, 1) == 0:
        for player in range(2):
            state.seeds[store(player)] += in_pits(state, player)
            for own in range(PITS):
                state.seeds[first_pit(player) + own] = 0


def in_pits(state, player):
    seeds = 0
    for pit in range(PITS):
        seeds += state.seeds[first_pit(player) + pit]
    return seeds


def outcome(state):
    if in_pits(state, 0) + in_pits(state, 1) > 0:
        return ONGOING
    if state.seeds[store(0)] == state.seeds[store(1)]:
        return DRAW
    return 0 if state.seeds[store(0)] > state.seeds[store(1)] else 1


def planes(state, out):
    for i in range(PITS + 1):
        out[state.to_move, 1, i] = state.seeds[i] / ALL
        out[1 - state.to_move, 0, PITS - i] = state.seeds[PITS + 1 + i] / ALL


def action_text(pit):
    return f"pit{pit + 1}"


def board_text(state):
    pits = [str(seeds) for seeds in state.seeds]
    top, bottom = " ".join(reversed(pits[PITS + 1 :])), " ".join(pits[: PITS + 1])
    return f"O {top}\nX {bottom}\n" + ("X to move" if state.to_move == 0 else "O to move")
