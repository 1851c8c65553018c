"""Games of policies without search: each move is drawn from the softmax of whoever's turn it is.

All games go on side by side, so that a ply of all of them is one batch for each policy. A game depends on its number,
its seed and the policies, not on the games beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from tengen._core import Game, Outcome, State
from tengen.network import Evaluator, evaluate_states
from tengen.selfplay.without_search import drawn_move

__all__ = ["PlayedGame", "Seating", "play_policies"]

AT_ONCE = 256  # games side by side

Seating = Callable[[int, int], int | None]  # (ply, player to move) -> whose policy moves; None: any action at random


@dataclass
class PlayedGame:
    """A game from the initial state, and which policy played each move (None: a random move)."""

    moves: list[int] = field(default_factory=list)
    players: list[int] = field(default_factory=list)  # who was to move
    policies: list[int | None] = field(default_factory=list)
    outcome: Outcome | None = None


def play_policies(
    game: Game,
    policies: Sequence[Evaluator],
    seatings: Sequence[Seating],
    *,
    seed: Sequence[int],
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[PlayedGame]:
    """One game for each seating, played to its end. `seed` is where the chance of all of them comes from."""
    played: list[PlayedGame] = []
    for first in range(0, len(seatings), AT_ONCE):
        some = seatings[first : first + AT_ONCE]
        rngs = [np.random.default_rng([*seed, first + number]) for number in range(len(some))]
        played += _play_some(game, policies, some, rngs)
        on_progress(len(played), len(seatings))
    return played


def _play_some(
    game: Game, policies: Sequence[Evaluator], seatings: Sequence[Seating], rngs: Sequence[np.random.Generator]
) -> list[PlayedGame]:
    states: list[State] = [game.initial_state()] * len(seatings)
    games = [PlayedGame() for _ in seatings]
    going_on = list(range(len(seatings)))
    ply = 0
    while going_on:
        turns: dict[int | None, list[int]] = {}
        for number in going_on:
            turns.setdefault(seatings[number](ply, states[number].to_move), []).append(number)
        for who, numbers in turns.items():
            logits = None if who is None else evaluate_states(policies[who], [states[n] for n in numbers]).logits
            for row, number in enumerate(numbers):
                legal, rng = list(states[number].legal_actions), rngs[number]
                action = int(rng.choice(legal)) if logits is None else legal[drawn_move(logits[row][legal], rng)]
                games[number].moves.append(action)
                games[number].players.append(states[number].to_move)
                games[number].policies.append(who)
                states[number] = states[number].play(action)
        going_on = [number for number in going_on if states[number].outcome is None]
        ply += 1
    for each, state in zip(games, states, strict=True):
        each.outcome = state.outcome
    return games
