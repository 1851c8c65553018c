"""Players: objects that choose actions. A short text describes one, as on the command line:

random              any legal action
greedy              looks one move ahead: wins if it can, else has the most stones after it (docs/tournament.md)
rollout:1000        classic MCTS: 1000 simulations of UCT, each leaf valued by a random play-out
uniform:400         PUCT with 400 simulations, uniform priors and values of 0
network:MODEL       the move with the highest prior of a network, without search
search:MODEL:400    400 simulations with a network
search:MODEL:2s     two seconds a move with a network
mixed:MODEL:400     a leaf's value is half the network's and half a random play-out's, as in the first AlphaGo
solver              a perfect move, in games that can be solved: small ones, and Connect Four with BitBully
gtp:COMMAND         a program that speaks the Go Text Protocol, as in 'gtp:gnugo --mode gtp'
gtp:10s:COMMAND     the same, with at most 10 seconds for an answer; the default is 60

MODEL is a network's file, the folder of a run (its newest network), or the name of a bundled network.
"""

from __future__ import annotations

import math
import os
import re
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np

from tengen._core import Forest, Game, SearchParams, State, TengenError
from tengen.external.programs import GtpProgram
from tengen.external.solvers import Solver, find_solver
from tengen.network import Evaluator, NetworkEvaluator, UniformEvaluator, check_has_value, make_evaluator
from tengen.network.symmetric import SymmetricEvaluator
from tengen.search import SearchResult, evaluate_leaves, search

if TYPE_CHECKING:  # players without a network do not import what network files need
    from tengen.network.checkpoint import NetworkFile

__all__ = [
    "PLAYER_FORMS",
    "GreedyPlayer",
    "NetworkPlayer",
    "Player",
    "PlayerSpecError",
    "RandomPlayer",
    "SearchPlayer",
    "SharedModels",
    "SolverPlayer",
    "TimedPlayer",
    "leaves_at_once",
    "make_player",
    "model_evaluator",
    "playing_evaluator",
    "playing_params",
]

# The forms of a player's text; N is a number of simulations.
PLAYER_FORMS = (
    "random, greedy, rollout:N, uniform:N, network:MODEL, search:MODEL:N, search:MODEL:2s, mixed:MODEL:N, solver, "
    "gtp:COMMAND, gtp:10s:COMMAND"
)

MOST_SIMULATIONS = 1_000_000_000
MOST_SECONDS = 86_400.0
# Leaves of one tree in a batch (docs/lab/batches.md has the measurements).
LEAVES_PER_CORE = 8
MOST_LEAVES = 128
TIME_LIMIT = re.compile(r"[0-9.]+s")  # for an answer of an external program
ROUNDS = 12  # least number of batches of a search: later batches use the results of earlier ones


EvaluatorOf = Callable[[str, Game], NetworkEvaluator]  # (model, game) -> evaluator


class PlayerSpecError(TengenError):
    """A text that does not describe a player."""


class Player(Protocol):
    """Chooses for many positions of one game at once, so that a match of many games fills a batch."""

    name: str

    def choose(self, states: Sequence[State], seeds: Sequence[int]) -> list[int]:
        """A legal action for each state. It depends on that state and seed only, not on the others."""
        ...


class RandomPlayer:
    """Chooses uniformly among the legal actions."""

    name = "random"

    def choose(self, states: Sequence[State], seeds: Sequence[int]) -> list[int]:
        return [
            int(np.random.default_rng(seed).choice(state.legal_actions))
            for state, seed in zip(states, seeds, strict=True)
        ]


class GreedyPlayer:
    """Looks one move ahead: it wins if it can, else it takes the move after which it leads by the most stones.

    Ties are broken at random. Stones are counted in the planes, in games that have a plane for each side: in Othello it
    turns over as many discs as it can, in Go it captures what it can. In other games all moves that neither win nor
    lose at once are equal.
    """

    name = "greedy"

    def choose(self, states: Sequence[State], seeds: Sequence[int]) -> list[int]:
        return [self._choose(state, seed) for state, seed in zip(states, seeds, strict=True)]

    def _choose(self, state: State, seed: int) -> int:
        worth = np.array([_stones_ahead(state.play(action), state.to_move) for action in state.legal_actions])
        best = np.flatnonzero(worth == worth.max())
        return state.legal_actions[int(np.random.default_rng(seed).choice(best))]


def _stones_ahead(state: State, player: int) -> float:
    """Stones of that player minus stones of the other; infinite if it has won, 0 in games without planes of stones."""
    value = state.outcome.value_for(player) if state.outcome is not None else 0.0
    if value != 0.0:
        return math.copysign(math.inf, value)
    names = state.game.spec.plane_names
    if len(names) < 2 or not (names[0].startswith("own ") and names[1].startswith("opponent's ")):
        return 0.0
    own, others = (float(plane.sum()) for plane in state.planes()[:2])  # of the player to move
    return own - others if state.to_move == player else others - own


class SearchPlayer:
    """The best action of a search. Without an evaluator it uses uniform priors and values of 0."""

    def __init__(self, name: str, params: SearchParams, evaluator: Evaluator | None = None) -> None:
        self.name = name
        self.params = params
        self._evaluator = evaluator

    def think(self, states: Sequence[State], seeds: Sequence[int]) -> list[SearchResult]:
        """The result of the search of each state."""
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


class TimedPlayer:
    """As many simulations as fit into the given seconds. Positions are searched one after another, on all cores."""

    def __init__(self, name: str, params: SearchParams, evaluator: Evaluator, seconds: float) -> None:
        self.name = name
        self.params = params
        self._evaluator = evaluator
        self._seconds = seconds

    def choose(self, states: Sequence[State], seeds: Sequence[int]) -> list[int]:
        """Not reproducible: the search ends by the clock."""
        return [self._choose(state, seed) for state, seed in zip(states, seeds, strict=True)]

    def _choose(self, state: State, seed: int) -> int:
        end = time.perf_counter() + self._seconds
        forest = Forest(state.game, 1, self.params, seed)
        forest.set_root(0, state, seed)
        forest.begin(0, MOST_SIMULATIONS)
        evaluate_leaves(forest, self._evaluator)  # the root is always evaluated
        while forest.searching() and time.perf_counter() < end:
            evaluate_leaves(forest, self._evaluator)
        return forest.result(0).best_action


class SolverPlayer:
    """Wins as soon and loses as late as possible; ties are broken at random."""

    def __init__(self, name: str, solver: Solver) -> None:
        self.name = name
        self._solver = solver

    def choose(self, states: Sequence[State], seeds: Sequence[int]) -> list[int]:
        actions = []
        for state, seed in zip(states, seeds, strict=True):
            scores = self._solver.scores(state)
            actions.append(int(np.random.default_rng(seed).choice(np.flatnonzero(scores == np.nanmax(scores)))))
        return actions


def playing_params(network: NetworkFile, simulations: int) -> SearchParams:
    """The search that a network plays with, and is measured with. Discounted as in the run that trained it."""
    check_has_value(network)
    return SearchParams(simulations=simulations, instant_wins=True, discount=network.discount)


def playing_evaluator(evaluator: NetworkEvaluator, game: Game) -> NetworkEvaluator:
    """The evaluator for playing: in a game with one mirror image it averages both images (docs/engine.md)."""
    return SymmetricEvaluator(evaluator, game) if len(game.symmetries) == 2 else evaluator


def leaves_at_once(simulations: int) -> int:
    """Leaves of one tree in a batch, a power of two: enough to use the cores, few enough that selection stays good."""
    leaves = max(1, min(LEAVES_PER_CORE * (os.cpu_count() or 1), MOST_LEAVES, simulations // ROUNDS))
    return int(2 ** (leaves.bit_length() - 1))


def model_evaluator(model: str | Path, game: Game, *, threads: int | None = None) -> NetworkEvaluator:
    """The evaluator of a model (file, run or bundled name), on all cores. A network of another game is refused."""
    from tengen.network.checkpoint import check_fits, find_network, load_network

    network = load_network(find_network(model))
    check_fits(network, game)
    return make_evaluator(network, threads=threads or os.cpu_count() or 1, game=game)


class SharedModels:
    """Evaluators for many players of one game in many threads: a model is loaded once, and each player gets a clone."""

    def __init__(self) -> None:
        self._loaded: dict[str, NetworkEvaluator] = {}

    def __call__(self, model: str, game: Game) -> NetworkEvaluator:
        if model not in self._loaded:
            self._loaded[model] = model_evaluator(model, game, threads=1)
        return self._loaded[model].clone()


def _random(text: str, argument: str | None, game: Game, evaluator_of: EvaluatorOf) -> Player:
    if argument is not None:
        raise PlayerSpecError(f"'{text}': random takes no argument.")
    return RandomPlayer()


def _greedy(text: str, argument: str | None, game: Game, evaluator_of: EvaluatorOf) -> Player:
    if argument is not None:
        raise PlayerSpecError(f"'{text}': greedy takes no argument.")
    return GreedyPlayer()


def _rollout(text: str, argument: str | None, game: Game, evaluator_of: EvaluatorOf) -> Player:
    return SearchPlayer(
        text, SearchParams(selection="uct", rollout_weight=1.0, simulations=_simulations(text, argument))
    )


def _uniform(text: str, argument: str | None, game: Game, evaluator_of: EvaluatorOf) -> Player:
    return SearchPlayer(text, SearchParams(simulations=_simulations(text, argument)))


def _network(text: str, argument: str | None, game: Game, evaluator_of: EvaluatorOf) -> Player:
    if not argument:
        raise PlayerSpecError(f"'{text}': say which network, as in 'network:runs/{game.spec.source}'.")
    return NetworkPlayer(text, evaluator_of(argument, game))


def _search(text: str, argument: str | None, game: Game, evaluator_of: EvaluatorOf) -> Player:
    model, limit = _model_and_limit(text, argument, game)
    seconds = _seconds(text, limit) if limit.endswith("s") else None
    simulations = MOST_SIMULATIONS if seconds is not None else _simulations(text, limit)
    evaluator = playing_evaluator(evaluator_of(model, game), game)
    params = playing_params(evaluator.network, simulations).replace(leaves_per_batch=leaves_at_once(simulations))
    if seconds is not None:
        return TimedPlayer(text, params, evaluator, seconds)
    return SearchPlayer(text, params, evaluator)


def _mixed(text: str, argument: str | None, game: Game, evaluator_of: EvaluatorOf) -> Player:
    model, limit = _model_and_limit(text, argument, game)
    simulations = _simulations(text, limit)
    evaluator = playing_evaluator(evaluator_of(model, game), game)
    params = playing_params(evaluator.network, simulations).replace(
        rollout_weight=0.5, leaves_per_batch=leaves_at_once(simulations)
    )
    return SearchPlayer(text, params, evaluator)


def _model_and_limit(text: str, argument: str | None, game: Game) -> tuple[str, str]:
    model, _, limit = (argument or "").rpartition(":")
    if not model:
        kind = text.partition(":")[0]
        raise PlayerSpecError(
            f"'{text}': say which network and how many simulations, as in '{kind}:runs/{game.spec.source}:400'."
        )
    return model, limit


def _solver(text: str, argument: str | None, game: Game, evaluator_of: EvaluatorOf) -> Player:
    if argument is not None:
        raise PlayerSpecError(f"'{text}': solver takes no argument.")
    return SolverPlayer(text, find_solver(game))


def _gtp(text: str, argument: str | None, game: Game, evaluator_of: EvaluatorOf) -> Player:
    if not argument or not argument.strip():
        raise PlayerSpecError(f"'{text}': say which program, as in 'gtp:gnugo --mode gtp'.")
    limit, colon, command = argument.partition(":")
    if colon and TIME_LIMIT.fullmatch(limit):
        if not command.strip():
            raise PlayerSpecError(f"'{text}': say which program, as in 'gtp:{limit}:gnugo --mode gtp'.")
        return GtpProgram(text, command, game, _seconds(text, limit))
    return GtpProgram(text, argument, game)


_KINDS: dict[str, Callable[[str, str | None, Game, EvaluatorOf], Player]] = {
    "random": _random,
    "greedy": _greedy,
    "rollout": _rollout,
    "uniform": _uniform,
    "network": _network,
    "search": _search,
    "mixed": _mixed,
    "solver": _solver,
    "gtp": _gtp,
}


def make_player(text: str, game: Game, evaluator_of: EvaluatorOf = model_evaluator) -> Player:
    """The player that a text such as 'rollout:1000' describes, for this game."""
    kind, _, argument = text.partition(":")
    if kind not in _KINDS:
        raise PlayerSpecError(f"'{text}' is not a player; a player is one of: {PLAYER_FORMS}.")
    return _KINDS[kind](text, argument if ":" in text else None, game, evaluator_of)


def _simulations(text: str, argument: str | None) -> int:
    if argument is None or not argument.isdecimal() or not 1 <= int(argument) <= MOST_SIMULATIONS:
        kind = text.partition(":")[0]
        raise PlayerSpecError(f"'{text}': say how many simulations, as in '{kind}:400'.")
    return int(argument)


def _seconds(text: str, argument: str) -> float:
    try:
        seconds = float(argument.removesuffix("s"))
    except ValueError:
        seconds = math.nan
    if not 0.0 < seconds <= MOST_SECONDS:
        raise PlayerSpecError(f"'{text}': say how many seconds a move, as in '2s' or '0.5s'.")
    return seconds
