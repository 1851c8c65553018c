"""Players: whoever can choose an action. Made from a short text, as on the command line:

random          any legal action
rollout:1000    classic MCTS: 1000 simulations of UCT, each leaf valued by a random play-out
uniform:400     PUCT with 400 simulations that knows nothing: even priors, even values
"""

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from tengen._core import Game, SearchParams, State, TengenError
from tengen.network import Evaluator, UniformEvaluator
from tengen.search import SearchResult, search

__all__ = ["PLAYER_FORMS", "Player", "PlayerSpecError", "RandomPlayer", "SearchPlayer", "make_player"]

PLAYER_FORMS = "random, rollout:N, uniform:N"  # as texts are written; N is a number of simulations


class PlayerSpecError(TengenError):
    """A text that describes no player."""


class Player(Protocol):
    """Chooses for many positions of one game at once, so that a match of many games fills a batch."""

    name: str

    def choose(self, states: Sequence[State], seeds: Sequence[int]) -> list[int]:
        """A legal action for each state. The same state and seed give the same action, whatever the others are."""
        ...


class RandomPlayer:
    """Any legal action, each as likely."""

    name = "random"

    def choose(self, states: Sequence[State], seeds: Sequence[int]) -> list[int]:
        return [
            int(np.random.default_rng(seed).choice(state.legal_actions))
            for state, seed in zip(states, seeds, strict=True)
        ]


class SearchPlayer:
    """The best action of a search. Without an evaluator the search knows nothing but the rules."""

    def __init__(self, name: str, params: SearchParams, evaluator: Evaluator | None = None) -> None:
        self.name = name
        self.params = params
        self._evaluator = evaluator

    def think(self, states: Sequence[State], seeds: Sequence[int]) -> list[SearchResult]:
        """What the search finds out about each state."""
        if not states:
            return []
        game = states[0].game
        return search(game, states, self._evaluator or UniformEvaluator(game), self.params, seeds=seeds)

    def choose(self, states: Sequence[State], seeds: Sequence[int]) -> list[int]:
        return [answer.best_action for answer in self.think(states, seeds)]


def _random(text: str, argument: str | None) -> Player:
    if argument is not None:
        raise PlayerSpecError(f"'{text}': random takes nothing after its name.")
    return RandomPlayer()


def _rollout(text: str, argument: str | None) -> Player:
    return SearchPlayer(
        text, SearchParams(selection="uct", rollout_weight=1.0, simulations=_simulations(text, argument))
    )


def _uniform(text: str, argument: str | None) -> Player:
    return SearchPlayer(text, SearchParams(simulations=_simulations(text, argument)))


_KINDS: dict[str, Callable[[str, str | None], Player]] = {"random": _random, "rollout": _rollout, "uniform": _uniform}


def make_player(text: str, game: Game) -> Player:
    """The player that a text such as 'rollout:1000' describes, for this game."""
    kind, _, argument = text.partition(":")
    if kind not in _KINDS:
        raise PlayerSpecError(f"'{text}' is no player; a player is one of: {PLAYER_FORMS}.")
    return _KINDS[kind](text, argument if ":" in text else None)


def _simulations(text: str, argument: str | None) -> int:
    if argument is None or not argument.isdecimal() or not 1 <= int(argument) <= 1_000_000_000:
        kind = text.partition(":")[0]
        raise PlayerSpecError(f"'{text}': say how many simulations, as in '{kind}:400'.")
    return int(argument)
