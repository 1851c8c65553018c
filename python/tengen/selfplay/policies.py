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
from tengen.selfplay.without_search import drawn_move, turns

__all__ = ["PlayedGame", "Seating", "play_policies"]

AT_ONCE = 256  # games side by side

Seating = Callable[[int, int], int | None]  # (ply, player to move) -> whose policy moves; None: any action at random


@dataclass
class PlayedGame:
    """A game from the initial state, and which policy played each move (None: a random move)."""

    state: State  # the last one
    seating: Seating
    rng: np.random.Generator
    players: list[int] = field(default_factory=list)  # who was to move
    policies: list[int | None] = field(default_factory=list)

    @property
    def moves(self) -> list[int]:
        return list(self.state.moves)

    @property
    def outcome(self) -> Outcome | None:
        return self.state.outcome

    @property
    def whose_turn(self) -> int | None:
        return self.seating(len(self.policies), self.state.to_move)


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
        some = [
            PlayedGame(game.initial_state(), seating, np.random.default_rng([*seed, number]))
            for number, seating in enumerate(seatings[first : first + AT_ONCE], start=first)
        ]
        _play_side_by_side(some, policies)
        played += some
        on_progress(len(played), len(seatings))
    return played


def _play_side_by_side(games: Sequence[PlayedGame], policies: Sequence[Evaluator]) -> None:
    for who, moving in turns(games, lambda each: each.whose_turn):
        logits = None if who is None else evaluate_states(policies[who], [each.state for each in moving]).logits
        for row, each in enumerate(moving):
            legal = list(each.state.legal_actions)
            action = int(each.rng.choice(legal)) if logits is None else legal[drawn_move(logits[row][legal], each.rng)]
            each.players.append(each.state.to_move)
            each.policies.append(who)
            each.state = each.state.play(action)
