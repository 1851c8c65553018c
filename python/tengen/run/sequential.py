"""Which of two settings is better, asked again after every seed: the answer ends the experiment.

Both sides get one more run at a time. Looking after each and stopping at the first difference that seems large would
call chance a result far too often. Here the level of every look is lowered so that all looks together are wrong in 5 %
of the experiments in which nothing differs (Pocock 1977, here for Student's t with the spread of both sides pooled).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

import numpy as np

from tengen.run.compare import t_cdf, t_quantile

__all__ = ["Answer", "answer", "level_of_a_look"]

WRONG = 0.05  # chance of an answer where nothing differs, at most
SIMULATED = 40_000  # experiments in which nothing differs, by which the level is found

Decision = Literal["better", "worse", "no difference", "open"]


@dataclass(frozen=True)
class Answer:
    """After so many runs of each side."""

    decision: Decision  # of the second side
    runs: int
    difference: float  # of the means: second side less first
    interval: tuple[float, float] | None  # 95 % for all looks together; None while each side has one run


def answer(first: Sequence[float], second: Sequence[float], *, most: int, smallest: float) -> Answer:
    """What is known after these runs, as many of each side, of an experiment of at most `most`.

    "no difference" if it is smaller than `smallest`, either way; "open" if another run of each may tell.
    """
    runs, difference = len(first), float(np.mean(second) - np.mean(first))
    if runs < 2:
        return Answer("open", runs, difference, None)
    error = math.sqrt((np.var(first, ddof=1) + np.var(second, ddof=1)) / runs)
    half = error * t_quantile(1.0 - level_of_a_look(max(2, most)) / 2.0, _degrees(runs))
    low, high = difference - half, difference + half
    decision: Decision = "open"
    if low > 0.0:
        decision = "better"
    elif high < 0.0:
        decision = "worse"
    elif -smallest < low and high < smallest:
        decision = "no difference"
    return Answer(decision, runs, difference, (low, high))


@cache
def level_of_a_look(most: int) -> float:
    """The level of every look, after two runs of each side to `most`, so that together they are wrong by WRONG."""
    draws = np.random.default_rng(0).standard_normal((2, SIMULATED, most))
    smallest = np.ones(SIMULATED)  # p-value that each experiment shows at some look
    for runs in range(2, most + 1):
        seen = draws[:, :, :runs]
        means, variances = seen.mean(2), seen.var(2, ddof=1)  # [2, SIMULATED]
        t = np.abs(means[0] - means[1]) / np.sqrt(variances.sum(0) / runs)
        degrees = _degrees(runs)
        angles = np.linspace(0.0, math.pi / 2, 200, endpoint=False)  # of which Student's distribution is smooth
        table = [2.0 * (1.0 - t_cdf(math.sqrt(degrees) * math.tan(angle), degrees)) for angle in angles]
        smallest = np.minimum(smallest, np.interp(np.arctan(t / math.sqrt(degrees)), angles, table))
    return float(np.quantile(smallest, WRONG))


def _degrees(runs: int) -> float:
    return 2.0 * (runs - 1)
