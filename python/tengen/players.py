"""Players: whoever can choose an action. Made from a short text, as on the command line:

random              any legal action
rollout:1000        classic MCTS: 1000 simulations of UCT, each leaf valued by a random play-out
uniform:400         PUCT with 400 simulations that knows nothing: even priors, even values
network:MODEL       the move that a network likes best, without any search
search:MODEL:400    400 simulations with a network

MODEL is a network's file or the folder of a run, which stands for its newest network.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np

from tengen._core import Game, SearchParams, State, TengenError
from tengen.network import Evaluator, NetworkEvaluator, UniformEvaluator, make_evaluator
from tengen.search import SearchResult, search

if TYPE_CHECKING:  # playing without a network needs none of what files need
    from tengen.network.checkpoint import NetworkFile

__all__ = [
    "PLAYER_FORMS",
    "NetworkPlayer",
    "Player",
    "PlayerSpecError",
    "RandomPlayer",
    "SearchPlayer",
    "make_player",
    "model_evaluator",
    "playing_params",
]

# As texts are written; N is a number of simulations.
PLAYER_FORMS = "random, rollout:N, uniform:N, network:MODEL, search:MODEL:N"


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


class NetworkPlayer:
    """The legal action with the highest prior."""

    def __init__(self, name: str, evaluator: Evaluator) -> None:
        self.name = name
        self._evaluator = evaluator

    def choose(self, states: Sequence[State], seeds: Sequence[int]) -> list[int]:
        if not states:
            return []
        logits = self._evaluator(np.stack([state.planes() for state in states])).logits  # [B, A]
        legal = np.stack([state.legal_mask() for state in states])
        return [int(action) for action in np.where(legal, logits, -np.inf).argmax(axis=1)]


def playing_params(network: NetworkFile, simulations: int) -> SearchParams:
    """The search that a network plays with, and is measured with. Discounted as in the run that trained it."""
    return SearchParams(simulations=simulations, discount=float(network.made_by.get("discount", 1.0)))


def model_evaluator(model: str | Path, game: Game) -> NetworkEvaluator:
    """What evaluates a network (a file, a run or a bundled name) on all cores. One of another game is refused."""
    from tengen.network.checkpoint import check_fits, find_network, load_network

    network = load_network(find_network(model))
    check_fits(network, game)
    return make_evaluator(network, threads=os.cpu_count() or 1)


def _random(text: str, argument: str | None, game: Game) -> Player:
    if argument is not None:
        raise PlayerSpecError(f"'{text}': random takes nothing after its name.")
    return RandomPlayer()


def _rollout(text: str, argument: str | None, game: Game) -> Player:
    return SearchPlayer(
        text, SearchParams(selection="uct", rollout_weight=1.0, simulations=_simulations(text, argument))
    )


def _uniform(text: str, argument: str | None, game: Game) -> Player:
    return SearchPlayer(text, SearchParams(simulations=_simulations(text, argument)))


def _network(text: str, argument: str | None, game: Game) -> Player:
    if not argument:
        raise PlayerSpecError(f"'{text}': say which network, as in 'network:runs/{game.spec.source}'.")
    return NetworkPlayer(text, model_evaluator(argument, game))


def _search(text: str, argument: str | None, game: Game) -> Player:
    model, _, simulations = (argument or "").rpartition(":")
    if not model:
        raise PlayerSpecError(
            f"'{text}': say which network and how many simulations, as in 'search:runs/{game.spec.source}:400'."
        )
    count = _simulations(text, simulations)
    evaluator = model_evaluator(model, game)
    return SearchPlayer(text, playing_params(evaluator.network, count), evaluator)


_KINDS: dict[str, Callable[[str, str | None, Game], Player]] = {
    "random": _random,
    "rollout": _rollout,
    "uniform": _uniform,
    "network": _network,
    "search": _search,
}


def make_player(text: str, game: Game) -> Player:
    """The player that a text such as 'rollout:1000' describes, for this game."""
    kind, _, argument = text.partition(":")
    if kind not in _KINDS:
        raise PlayerSpecError(f"'{text}' is no player; a player is one of: {PLAYER_FORMS}.")
    return _KINDS[kind](text, argument if ":" in text else None, game)


def _simulations(text: str, argument: str | None) -> int:
    if argument is None or not argument.isdecimal() or not 1 <= int(argument) <= 1_000_000_000:
        kind = text.partition(":")[0]
        raise PlayerSpecError(f"'{text}': say how many simulations, as in '{kind}:400'.")
    return int(argument)
