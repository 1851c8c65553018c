"""Rules that forget to say what is legal."""

import numpy as np

board = (3, 3)
actions = "cells"
longest_game = 9
plane_names = ["own stones", "opponent's stones"]
State = np.dtype([("to_move", np.int8)])
