"""Positions to calibrate on when none are given: those of random games."""

from __future__ import annotations

import ast

import numpy as np
from numpy.typing import NDArray

from tengen._core import Game
from tengen.games import load
from tengen.network.checkpoint import NetworkFile

PER_GAME = 8


def random_positions(network: NetworkFile, count: int, seed: int = 0) -> NDArray[np.float32]:
    """Planes [count, C, H, W] of the network's own game; a TengenError if that can't be loaded here."""
    return random_planes(load(network.game, **parse_options(network.options)), count, seed)


def random_planes(game: Game, count: int, seed: int = 0) -> NDArray[np.float32]:
    """Planes [count, C, H, W], a few from each random game, the empty board among them."""
    rng = np.random.default_rng(seed)
    planes = [game.initial_state().planes()]
    while len(planes) < count:
        states = [game.initial_state()]
        while states[-1].outcome is None:
            states.append(states[-1].play(int(rng.choice(states[-1].legal_actions))))
        planes += [states[i].planes() for i in rng.permutation(len(states) - 1)[:PER_GAME]]
    return np.stack(planes[:count])


def parse_options(text: str) -> dict[str, float]:
    """'size=9, komi=7.5' as GameSpec.options has it."""
    pairs = (pair.split("=") for pair in text.split(", ") if pair)
    return {name: float(ast.literal_eval(value)) for name, value in pairs}
