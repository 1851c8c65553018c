"""Hex: X joins the top and the bottom of the board, O the left and the right. One of them always can.

Every stone knows which edges its chain has reached, so that a move looks at its six neighbours only; when a chain
reaches a new edge, the news spreads along it.
"""

import numpy as np

from tengen.games.rules import ONGOING

size: int = 11

if not 2 <= size <= 19:
    raise ValueError(f"size must be 2 to 19, not {size}")

board = (size, size)
actions = "cells"
longest_game = size * size
plane_names = ["own stones", "opponent's stones", "X to move"]
symmetries = ["rotate 180"]
shape = "hex"

EMPTY = -1
FIRST_EDGE, SECOND_EDGE = 1, 2

State = np.dtype(
    [
        ("owner", np.int8, size * size),
        ("edges", np.int8, size * size),  # reached by the chain of this stone
        ("to_move", np.int8),
        ("winner", np.int8),
    ]
)


def neighbours_of(cell):
    """Six cells; beyond the border the cell itself stands in, which changes nothing."""
    row, column = divmod(cell, size)
    around = [(row, column - 1), (row, column + 1), (row - 1, column), (row - 1, column + 1)]
    around += [(row + 1, column), (row + 1, column - 1)]
    return [r * size + c if 0 <= r < size and 0 <= c < size else cell for r, c in around]


NEIGHBOURS = np.array([neighbours_of(cell) for cell in range(size * size)])


def start(state):
    state.owner[:] = EMPTY
    state.winner = ONGOING


def legal(state, mask):
    for cell in range(size * size):
        mask[cell] = state.owner[cell] == EMPTY


def play(state, cell):
    me = state.to_move
    state.owner[cell] = me
    along = cell // size if me == 0 else cell % size
    edges = FIRST_EDGE * (along == 0) | SECOND_EDGE * (along == size - 1)
    for other in NEIGHBOURS[cell]:
        if state.owner[other] == me:
            edges |= state.edges[other]
    spread(state, cell, edges)
    if edges == FIRST_EDGE | SECOND_EDGE:
        state.winner = me
    state.to_move = 1 - me


def spread(state, cell, edges):
    if state.edges[cell] != edges:
        state.edges[cell] = edges
        for other in NEIGHBOURS[cell]:
            if state.owner[other] == state.owner[cell]:
                spread(state, other, edges)


def outcome(state):
    return state.winner


def reason(state):
    return "connection: top and bottom are joined" if state.winner == 0 else "connection: left and right are joined"


def planes(state, out):
    for cell in range(size * size):
        row, column = cell // size, cell % size
        out[0, row, column] = state.owner[cell] == state.to_move
        out[1, row, column] = state.owner[cell] == 1 - state.to_move
        out[2, row, column] = state.to_move == 0


def board_text(state):
    lines = ["  " + " ".join("abcdefghijklmnopqrs"[:size])]
    for row in range(size):
        cells = state.owner[row * size : (row + 1) * size]
        lines.append(f"{' ' * row}{size - row:2} " + " ".join(".XO"[owner + 1] for owner in cells))
    turn = "game over" if state.winner != ONGOING else f"{'XO'[state.to_move]} to move"
    return "\n".join([*lines, turn])
