"""Dots and Boxes: whoever draws the fourth side of a box owns it and moves again; more boxes win.

The board is the drawing: dots on even rows and columns, boxes on odd ones, lines between dots. Actions number the lines
from the top row to the bottom row.
"""

import numpy as np

from tengen.games.rules import DRAW, ONGOING

rows: int = 2
columns: int = 2

if not 1 <= rows <= 6 or not 1 <= columns <= 6:
    raise ValueError(f"rows and columns must be 1 to 6, not {rows} and {columns}")

height, width = 2 * rows + 1, 2 * columns + 1
LINES = np.array([r * width + c for r in range(height) for c in range(width) if (r + c) % 2 == 1])  # their cells

board = (height, width)
num_actions = len(LINES)
longest_game = len(LINES)
plane_names = ["own boxes", "opponent's boxes", "lines"]

MIRRORS = {
    "mirror columns": [r * width + width - 1 - c for r in range(height) for c in range(width)],
    "mirror rows": [(height - 1 - r) * width + c for r in range(height) for c in range(width)],
    "rotate 180": [(height - 1 - r) * width + width - 1 - c for r in range(height) for c in range(width)],
}
if rows == columns:
    MIRRORS["transpose"] = [c * width + r for r in range(height) for c in range(width)]
NUMBER_OF = {int(cell): number for number, cell in enumerate(LINES)}
symmetries = {name: (cells, [NUMBER_OF[cells[line]] for line in LINES]) for name, cells in MIRRORS.items()}

# drawn: 1 where a line is drawn; owner: of boxes, 0 nobody, 1 the first player, 2 the second
State = np.dtype([("drawn", np.int8, (height, width)), ("owner", np.int8, (height, width)), ("to_move", np.int8)])


def legal(state, mask):
    for number in range(num_actions):
        mask[number] = state.drawn[LINES[number] // width, LINES[number] % width] == 0


def play(state, number):
    row, column = LINES[number] // width, LINES[number] % width
    state.drawn[row, column] = 1
    if row % 2 == 0:  # a flat line: the boxes above and below it
        closed = close_box(state, row - 1, column) + close_box(state, row + 1, column)
    else:
        closed = close_box(state, row, column - 1) + close_box(state, row, column + 1)
    if closed == 0:
        state.to_move = 1 - state.to_move


def close_box(state, row, column):
    if row < 0 or row >= height or column < 0 or column >= width:
        return 0
    sides = state.drawn[row - 1, column] + state.drawn[row + 1, column]
    sides += state.drawn[row, column - 1] + state.drawn[row, column + 1]
    if sides < 4:
        return 0
    state.owner[row, column] = 1 + state.to_move
    return 1


def outcome(state):
    lines, first, second = 0, 0, 0
    for row in range(height):
        for column in range(width):
            lines += state.drawn[row, column]
            first += state.owner[row, column] == 1
            second += state.owner[row, column] == 2
    if lines < num_actions:
        return ONGOING
    if first == second:
        return DRAW
    return 0 if first > second else 1


def planes(state, out):
    for row in range(height):
        for column in range(width):
            out[0, row, column] = state.owner[row, column] == 1 + state.to_move
            out[1, row, column] = state.owner[row, column] == 2 - state.to_move
            out[2, row, column] = state.drawn[row, column]


def action_text(number):
    return "abcdefghijklm"[LINES[number] % width] + str(height - LINES[number] // width)


def board_text(state):
    lines = []
    for row in range(height):
        drawn = ["+" if column % 2 == 0 else "-" if state.drawn[row, column] else " " for column in range(width)]
        boxes = ["|" if state.drawn[row, column] else ".XO"[state.owner[row, column]] for column in range(width)]
        lines.append("".join(drawn if row % 2 == 0 else boxes))
    return "\n".join(lines) + ("\nX to move" if state.to_move == 0 else "\nO to move")
