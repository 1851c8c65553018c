"""Weaker play on purpose: a level is a bound on simulations and a taste for other moves than the best.

Level 20 is full strength. Level k searches with at most 1.5^k simulations and draws its move with a temperature of
1 - k/20 from the visits, so that level 0 plays the network's first thoughts. A level is not an Elo number: how strong
it is depends on the network. `level_of_elo` spreads a range of numbers over the levels, for programs that need one.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tengen.engine import Analysis

__all__ = ["FULL", "HIGHEST_ELO", "LOWEST_ELO", "choose_at", "level_of_elo", "simulations_at"]

FULL = 20.0  # the level of full strength
GROWTH = 1.5  # of simulations, from level to level
LOWEST_ELO, HIGHEST_ELO = 600, 2400


def level_of_elo(elo: float) -> float:
    """The level that stands for an Elo number: 0 for the lowest, 19 for the highest."""
    share = (elo - LOWEST_ELO) / (HIGHEST_ELO - LOWEST_ELO)
    return min(1.0, max(0.0, share)) * (FULL - 1.0)


def simulations_at(level: float) -> int | None:
    """The most simulations of a move; None at full strength."""
    return None if level >= FULL else round(GROWTH**level)


def choose_at(level: float, analysis: Analysis, priors: Mapping[int, float], rng: np.random.Generator) -> int:
    """The action to play at that level. `priors` are those of all actions that may be played."""
    temperature = 1.0 - level / FULL
    if temperature <= 0.0:
        return analysis.best_action
    visits = {move.action: move.visits for move in analysis.moves}
    actions = [action for action in priors if priors[action] > 0.0]
    # The prior counts as one more visit: with few simulations most moves have none.
    weights = np.array([visits.get(action, 0) + priors[action] for action in actions])
    weights = (weights / weights.max()) ** (1.0 / temperature)
    return int(rng.choice(actions, p=weights / weights.sum()))
