"""Three in a row whose names are HTML: what a page shows of a game must stay text."""

import numpy as np

from tengen.games.rules import ONGOING

BAD = "<img/src=x/onerror=document.title='run'>"

name = "tags<b>"
board = (3, 3)
actions = "cells"
longest_game = 9
plane_names = ["own", "other"]
player_names = [f"one{BAD}", f"two{BAD}"]
pieces = [(f"stone{BAD}", "x", 0), (f"stone{BAD}", "o", 1)]
score_name = f"points{BAD}"

State = np.dtype([("cell", np.int8, 9), ("to_move", np.int8)])


def start(state):
    state.cell[:] = 0


def legal(state, mask):
    for cell in range(9):
        mask[cell] = state.cell[cell] == 0


def play(state, cell):
    state.cell[cell] = 1 + state.to_move
    state.to_move = 1 - state.to_move


def outcome(state):
    return 0 if (state.cell != 0).all() else ONGOING


def planes(state, out):
    for cell in range(9):
        out[0, cell // 3, cell % 3] = state.cell[cell] == 1 + state.to_move
        out[1, cell // 3, cell % 3] = state.cell[cell] == 2 - state.to_move


def cells(state, out):
    for cell in range(9):
        out[cell // 3, cell % 3] = state.cell[cell]


def score(state):
    return float((state.cell == 1).sum() - (state.cell == 2).sum())


def action_text(cell):
    return f"{cell}{BAD}"


def parse_action(text):
    return int(text[0]) if text[:1].isdigit() else None
