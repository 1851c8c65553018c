"""Positions for tests, drawn from a seed."""

import numpy as np

from tengen import Game, State


def random_state(game: Game, plies: int, seed: int) -> State:
    """An unfinished position after so many random plies."""
    rng = np.random.default_rng([seed, plies])
    while True:
        state = game.initial_state()
        while len(state.moves) < plies and state.outcome is None:
            state = state.play(int(rng.choice(state.legal_actions)))
        if state.outcome is None:
            return state
