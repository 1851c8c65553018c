"""Matches: two players, varied openings, colours swapped, and an honest interval around the score."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tengen._core import Game, Outcome, State
from tengen.players import Player

__all__ = ["MatchResult", "PlayedGame", "elo_difference", "move_seed", "play_match", "score_interval"]


@dataclass(frozen=True)
class PlayedGame:
    """One finished game of a match."""

    final: State
    first: int  # which of the two players had the first move: 0 or 1
    outcome: Outcome

    def points(self, player: int) -> float:
        """1 for a win of that player, 1/2 for a draw, 0 for a loss."""
        return (1.0 + self.outcome.value_for(0 if player == self.first else 1)) / 2.0


@dataclass(frozen=True)
class MatchResult:
    """A match seen from its first player's side."""

    names: tuple[str, str]
    games: tuple[PlayedGame, ...]
    seed: int

    @property
    def wins(self) -> int:
        return sum(game.points(0) == 1.0 for game in self.games)

    @property
    def draws(self) -> int:
        return sum(game.points(0) == 0.5 for game in self.games)

    @property
    def losses(self) -> int:
        return len(self.games) - self.wins - self.draws

    @property
    def score(self) -> float:
        """Points per game, from 0 to 1."""
        return sum(game.points(0) for game in self.games) / len(self.games)

    @property
    def interval(self) -> tuple[float, float]:
        """95 % interval of the score."""
        return score_interval(self.score, len(self.games))


def score_interval(score: float, games: int) -> tuple[float, float]:
    """Wilson's 95 % interval. A draw counts as half a win and half a loss, which makes it a little too wide."""
    z = 1.959964
    centre = score + z * z / (2 * games)
    spread = z * math.sqrt(score * (1 - score) / games + z * z / (4 * games * games))
    scale = 1 + z * z / games
    return max(0.0, (centre - spread) / scale), min(1.0, (centre + spread) / scale)


def elo_difference(score: float) -> float:
    """How many Elo points stronger the player is who scores this much: 400 log10(s / (1 - s)); infinite at 0 and 1."""
    if not 1e-9 < score < 1.0 - 1e-9:  # the ends of an interval are 0 and 1 only up to rounding
        return math.copysign(math.inf, score - 0.5)
    return 400.0 * math.log10(score / (1.0 - score))


def play_match(
    game: Game,
    players: tuple[Player, Player],
    *,
    games: int,
    seed: int = 0,
    opening_plies: int | None = None,
    at_once: int = 64,
    on_game: Callable[[PlayedGame], None] | None = None,
) -> MatchResult:
    """Plays `games` games. Games 2k and 2k + 1 share an opening of random plies, with colours swapped.

    `on_game` hears of every game as it ends; the result has them in the order of their numbers.
    """
    plies = min(4, game.spec.longest_game // 10) if opening_plies is None else opening_plies
    openings = _openings(game, (games + 1) // 2, plies, seed)
    played: list[PlayedGame] = []
    for start in range(0, games, at_once):
        numbers = range(start, min(start + at_once, games))
        played += _play_together(players, [(k, openings[k // 2]) for k in numbers], seed, on_game)
    return MatchResult((players[0].name, players[1].name), tuple(played), seed)


def _play_together(
    players: tuple[Player, Player],
    starts: list[tuple[int, State]],
    seed: int,
    on_game: Callable[[PlayedGame], None] | None,
) -> list[PlayedGame]:
    """Plays these games side by side: every round, each player answers all positions in which it is to move."""
    states = dict(starts)  # game number -> state of a game that goes on; the first player of game k is k % 2
    finished: dict[int, PlayedGame] = {}
    while states:
        for player in (0, 1):
            mine = [k for k, state in states.items() if (state.to_move + k) % 2 == player]
            if not mine:
                continue
            actions = players[player].choose(
                [states[k] for k in mine], [move_seed(seed, k, len(states[k].moves)) for k in mine]
            )
            for k, action in zip(mine, actions, strict=True):
                states[k] = states[k].play(action)
                if (outcome := states[k].outcome) is not None:
                    finished[k] = PlayedGame(states.pop(k), k % 2, outcome)
                    if on_game is not None:
                        on_game(finished[k])
    return [finished[k] for k, _ in starts]


def _openings(game: Game, count: int, plies: int, seed: int) -> list[State]:
    """Random positions after `plies` plies, all different as long as there are enough of them."""
    openings: list[State] = []
    seen: set[State] = set()
    for pair in range(count):
        rng = np.random.default_rng([seed, pair])
        for _ in range(100):
            state = game.initial_state()
            while len(state.moves) < plies and state.outcome is None:
                state = state.play(int(rng.choice(state.legal_actions)))
            if state.outcome is None and state not in seen:
                break
        else:
            state = state if state.outcome is None else game.initial_state()
        seen.add(state)
        openings.append(state)
    return openings


def move_seed(seed: int, game_number: int, ply: int) -> int:
    """What a player gets to choose that move with: another number for every move of every game."""
    return int(np.random.SeedSequence([seed, game_number, ply]).generate_state(1, np.uint64)[0])
