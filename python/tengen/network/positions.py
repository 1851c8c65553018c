"""Positions to calibrate on when none are given: those of random games."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tengen._core import Game, State
from tengen.network.checkpoint import NetworkFile, game_of

PER_GAME = 8


def random_positions(network: NetworkFile, count: int, seed: int = 0, game: Game | None = None) -> NDArray[np.float32]:
    """Planes [count, C, H, W] of the network's own game; a TengenError if that can't be loaded here.

    The rules of a file are not run because a network names it, so that such a network needs the `game` as well.
    """
    game = game if game is not None and network.is_of_rules_file else game_of(network)
    return np.stack([state.planes() for state in random_states(game, count, seed)])


def random_states(game: Game, count: int, seed: int = 0) -> list[State]:
    """Positions before the end, a few from each of many random games."""
    rng = np.random.default_rng(seed)
    chosen: list[State] = []
    while len(chosen) < count:
        states = [game.initial_state()]
        while states[-1].outcome is None:
            states.append(states[-1].play(int(rng.choice(states[-1].legal_actions))))
        chosen += [states[i] for i in rng.permutation(len(states) - 1)[:PER_GAME]]
    return chosen[:count]
