"""Players: objects that choose actions. A short text describes one, as on the command line:

random              any legal action
greedy              looks one move ahead: wins if it can, else has the most stones after it (docs/tournament.md)
alphabeta:6         minimax with alpha-beta pruning, 6 plies deep (docs/tournament.md)
rollout:1000        classic MCTS: 1000 simulations of UCT, each leaf valued by a random play-out
uniform:400         PUCT with 400 simulations, uniform priors and values of 0
network:MODEL       the move with the highest prior of a network, without search
search:MODEL:400    400 simulations with a network
search:MODEL:2s     two seconds a move with a network
search:MODEL:400:exact_root_nodes=0   with another value of a parameter of the search (docs/search.md); also several,
                    each after a colon, and with uniform, rollout, mixed and alphago
mixed:MODEL:400     a leaf's value is half the network's and half a random play-out's, as in the first AlphaGo
alphago:RUN:400     400 simulations with the policy, the value and the rollout policy of a run of the method alphago
                    (docs/alphago.md); alphago:RUN:400:lambda=0 does without play-outs, the default is 0.5
solver              a perfect move, in games that can be solved: small ones, and Connect Four with BitBully
gtp:COMMAND         a program that speaks the Go Text Protocol, as in 'gtp:gnugo --mode gtp'
gomocup:COMMAND     a Gomoku program that speaks the Gomocup protocol
nboard:COMMAND      an Othello program that speaks the NBoard protocol
uci:COMMAND         a chess program that speaks UCI, as in 'uci:nodes=2000:Skill Level=3:stockfish'
usi:COMMAND         a shogi program that speaks USI
gtp:10s:COMMAND     any of these with at most 10 seconds for an answer; the default is 60

MODEL is a network's file, the folder of a run (its newest network), or the name of a bundled network.
"""

from __future__ import annotations

import math
import os
import re
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np

from tengen._core import (
    ArgumentError,
    Forest,
    Game,
    RolloutPolicy,
    SearchParamError,
    SearchParams,
    State,
    TengenError,
    alphabeta,
    param_specs,
)
from tengen.base.spelling import did_you_mean
from tengen.external.gomocup import GomocupProgram
from tengen.external.gtp import GtpProgram
from tengen.external.nboard import NBoardProgram
from tengen.external.programs import SECONDS_PER_ANSWER, ExternalPlayer
from tengen.external.solvers import Solver, find_solver
from tengen.external.uci import UciProgram, UsiProgram
from tengen.network import (
    Evaluator,
    NetworkEvaluator,
    UniformEvaluator,
    check_has_value,
    evaluate_states,
    make_evaluator,
)
from tengen.network.symmetric import SymmetricEvaluator
from tengen.search import SearchResult, evaluate_leaves, search

if TYPE_CHECKING:  # players without a network do not import what network files need
    from tengen.network.checkpoint import NetworkFile

__all__ = [
    "PLAYER_FORMS",
    "AlphaBetaPlayer",
    "GreedyPlayer",
    "NetworkPlayer",
    "Player",
    "PlayerSpecError",
    "RandomPlayer",
    "SearchPlayer",
    "SharedModels",
    "SolverPlayer",
    "TimedPlayer",
    "analysing_params",
    "answers_in_batches",
    "check_kind",
    "leaves_at_once",
    "make_player",
    "model_evaluator",
    "model_evaluators",
    "playing_evaluator",
    "playing_params",
    "search_changes",
]

# The forms of a player's text; N is a number of simulations.
PLAYER_FORMS = (
    "random, greedy, alphabeta:DEPTH, rollout:N, uniform:N, network:MODEL, search:MODEL:N, search:MODEL:2s, "
    "mixed:MODEL:N, alphago:RUN:N, solver, gtp:COMMAND, gomocup:COMMAND, nboard:COMMAND, uci:COMMAND, "
    "usi:COMMAND"
)

MOST_SIMULATIONS = 1_000_000_000
# Positions that an exact search may look at while a network plays (docs/lab/ablations.md has the measurements).
EXACT_LEAF_NODES = 1000
EXACT_ROOT_NODES = 30_000
MOST_DEPTH = 64  # of alphabeta: bind_alphabeta.cpp
MOST_SECONDS = 86_400.0
# Leaves of one tree in a batch (docs/lab/batches.md has the measurements).
LEAVES_PER_CORE = 8
MOST_LEAVES = 128
# Of an external program, before its command: a time limit for an answer, an option, or nothing before the command.
TIME_LIMIT = re.compile(r"([0-9.]+s):(.*)")
PARAMETER = re.compile(r"(.*):([a-z_]+)=([^:=]*)")  # of the search, behind everything else
OPTION = re.compile(r"([A-Za-z][\w ]*)=([^:]*):(.*)")
MOST_ROLLOUTS = 0.9999  # share of play-outs in a value: at 1 the search would not ask the network, which has the priors
STAGES_FOLDER, ROLLOUT_FILE = "stages", "rollout.safetensors"  # of a run of the method alphago
ROUNDS = 12  # least number of batches of a search: later batches use the results of earlier ones


EvaluatorOf = Callable[[str, Game], NetworkEvaluator]  # (model, game) -> evaluator


class PlayerSpecError(TengenError):
    """A text that does not describe a player."""


class Player(Protocol):
    """Chooses for many positions of one game at once, so that a match of many games fills a batch.

    A match gives each of its threads players of its own, so a player may be for one thread at a time; it says so then.
    """

    name: str

    def choose(self, states: Sequence[State], seeds: Sequence[int]) -> list[int]:
        """A legal action for each state. It depends on that state and seed only, not on the others."""
        ...


class RandomPlayer:
    """Chooses uniformly among the legal actions. Any thread may ask."""

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
    lose at once are equal. Any thread may ask.
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
    if state.cells is None:
        return 0.0
    worth = {0: 1.0, 1: -1.0, None: 0.0}  # by owner, for the first player
    worth_of = np.array([0.0, *(worth[piece.owner] for piece in state.game.spec.pieces)])
    ahead = float(worth_of[state.cells].sum())
    return ahead if player == 0 else -ahead


class AlphaBetaPlayer:
    """Minimax with alpha-beta pruning to a fixed depth (cpp/tengen/search/alphabeta.h). Any thread may ask."""

    def __init__(self, name: str, depth: int) -> None:
        self.name = name
        self._depth = depth

    def choose(self, states: Sequence[State], seeds: Sequence[int]) -> list[int]:
        return [alphabeta(state, self._depth, seed).best_action for state, seed in zip(states, seeds, strict=True)]


class SearchPlayer:
    """The best action of a search. Without an evaluator it uses uniform priors and values of 0.

    Every call has a search of its own, so any thread may ask that may ask the evaluator.
    """

    def __init__(
        self,
        name: str,
        params: SearchParams,
        evaluator: Evaluator | None = None,
        rollouts: RolloutPolicy | None = None,
    ) -> None:
        """`rollouts` is the policy of the play-outs that the params ask for; without it they are uniformly random."""
        self.name = name
        self.params = params
        self._evaluator = evaluator
        self._rollouts = rollouts

    def think(self, states: Sequence[State], seeds: Sequence[int]) -> list[SearchResult]:
        """The result of the search of each state."""
        if not states:
            return []
        game = states[0].game
        evaluator = self._evaluator or UniformEvaluator(game)
        return search(game, states, evaluator, self.params, seeds=seeds, rollouts=self._rollouts)

    def choose(self, states: Sequence[State], seeds: Sequence[int]) -> list[int]:
        return [answer.best_action for answer in self.think(states, seeds)]


class NetworkPlayer:
    """The legal action with the highest prior. Any thread may ask that may ask the evaluator."""

    def __init__(self, name: str, evaluator: Evaluator) -> None:
        self.name = name
        self._evaluator = evaluator

    def choose(self, states: Sequence[State], seeds: Sequence[int]) -> list[int]:
        if not states:
            return []
        logits = evaluate_states(self._evaluator, states).logits  # [B, A]
        legal = np.stack([state.legal_mask() for state in states])
        return [int(action) for action in np.where(legal, logits, -np.inf).argmax(axis=1)]


class TimedPlayer:
    """As many simulations as fit into the given seconds. Positions are searched one after another, on all cores.

    Any thread may ask that may ask the evaluator; threads that ask at once share the cores.
    """

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
    """Wins as soon and loses as late as possible; ties are broken at random. Any thread that may ask the solver."""

    def __init__(self, name: str, solver: Solver) -> None:
        self.name = name
        self._solver = solver

    def choose(self, states: Sequence[State], seeds: Sequence[int]) -> list[int]:
        actions = []
        for state, seed in zip(states, seeds, strict=True):
            scores = self._solver.scores(state)
            actions.append(int(np.random.default_rng(seed).choice(np.flatnonzero(scores == np.nanmax(scores)))))
        return actions


def playing_params(network: NetworkFile, simulations: int, game: Game) -> SearchParams:
    """The search that a network plays with, and is measured with. Discounted as in the run that trained it.

    Where Python runs the rules, a thousand positions take longer than an evaluation: nothing is settled exactly.
    """
    check_has_value(network)
    has_fast_rules = game.backend != "interpreted"
    return SearchParams(
        simulations=simulations,
        instant_wins=True,
        exact_leaf_nodes=EXACT_LEAF_NODES if has_fast_rules else 0,
        exact_root_nodes=EXACT_ROOT_NODES if has_fast_rules else 0,
        discount=network.discount,
    )


def analysing_params(network: NetworkFile, simulations: int, game: Game) -> SearchParams:
    """The same, but a search does not end where its best moves are known: an analysis is about all moves."""
    return playing_params(network, simulations, game).replace(exact_root_nodes=0)


def search_changes(settings: Iterable[str]) -> dict[str, object]:
    """Parameters of the search as `SearchParams.replace` takes them, from texts such as "c_puct=2"."""
    known = {spec.name: spec for spec in param_specs() if spec.name != "simulations"}
    changes: dict[str, object] = {}
    for setting in settings:
        name, _, value = setting.partition("=")
        if name not in known:
            raise ArgumentError(f"The search has no parameter '{name[:60]}'; {did_you_mean(name, known)}")
        changes[name] = _parsed(name, value, known[name].default)
    SearchParams(**changes)  # refuses values out of range
    return changes


def _parsed(name: str, value: str, default: object) -> object:
    """The value of a parameter, of the type of its default."""
    if isinstance(default, str):
        return value
    if isinstance(default, bool):
        if value in ("true", "false"):
            return value == "true"
        raise ArgumentError(f"The search parameter {name} is true or false, not '{value[:60]}'.")
    try:
        return int(value) if isinstance(default, int) else float(value)
    except ValueError:
        what = "whole number" if isinstance(default, int) else "number"
        raise ArgumentError(f"The search parameter {name} is a {what}, not '{value[:60]}'.") from None


def playing_evaluator(evaluator: NetworkEvaluator, game: Game) -> NetworkEvaluator:
    """The evaluator for playing: in a game with one mirror image it averages both images (docs/engine.md).

    Tables say the same about both.
    """
    averages = len(game.symmetries) == 2 and evaluator.network.architecture.tables is None
    return SymmetricEvaluator(evaluator, game) if averages else evaluator


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


def model_evaluators(model: str | Path, game: Game) -> list[NetworkEvaluator]:
    """The evaluator of a model, once for each core: for work that is dealt to threads."""
    first = model_evaluator(model, game, threads=1)
    return [first, *(first.clone() for _ in range((os.cpu_count() or 1) - 1))]


class SharedModels:
    """Evaluators for many players of one game in many threads: a model is loaded once, and each player gets a clone.

    Any thread may ask for one.
    """

    def __init__(self) -> None:
        self._loaded: dict[str, NetworkEvaluator] = {}
        self._loading = threading.Lock()

    def __call__(self, model: str, game: Game) -> NetworkEvaluator:
        with self._loading:
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


def _alphabeta(text: str, argument: str | None, game: Game, evaluator_of: EvaluatorOf) -> Player:
    if argument is None or not argument.isdecimal() or not 1 <= int(argument) <= MOST_DEPTH:
        raise PlayerSpecError(f"'{text}': say how many plies deep, from 1 to {MOST_DEPTH}, as in 'alphabeta:4'.")
    return AlphaBetaPlayer(text, int(argument))


def _without_parameters(argument: str | None) -> tuple[str | None, list[str]]:
    """What a player is, and the parameters of its search that stand behind it: 'MODEL:400', ['c_puct=2']."""
    settings: list[str] = []
    found = PARAMETER.fullmatch(argument or "")
    while found is not None and found[2] != "lambda":  # which is alphago's own
        argument = found[1]
        settings.insert(0, f"{found[2]}={found[3]}")
        found = PARAMETER.fullmatch(argument)
    return argument, settings


def _changed(text: str, params: SearchParams, settings: Sequence[str]) -> SearchParams:
    try:
        return params.replace(**search_changes(settings))
    except (ArgumentError, SearchParamError) as error:
        raise PlayerSpecError(f"'{text}': {error}") from None


def _rollout(text: str, argument: str | None, game: Game, evaluator_of: EvaluatorOf) -> Player:
    argument, settings = _without_parameters(argument)
    params = SearchParams(selection="uct", rollout_weight=1.0, simulations=_simulations(text, argument))
    return SearchPlayer(text, _changed(text, params, settings))


def _uniform(text: str, argument: str | None, game: Game, evaluator_of: EvaluatorOf) -> Player:
    argument, settings = _without_parameters(argument)
    return SearchPlayer(text, _changed(text, SearchParams(simulations=_simulations(text, argument)), settings))


def _network(text: str, argument: str | None, game: Game, evaluator_of: EvaluatorOf) -> Player:
    if not argument:
        raise PlayerSpecError(f"'{text}': say which network, as in 'network:runs/{game.spec.source}'.")
    return NetworkPlayer(text, evaluator_of(argument, game))


def _search(text: str, argument: str | None, game: Game, evaluator_of: EvaluatorOf) -> Player:
    argument, settings = _without_parameters(argument)
    model, limit = _model_and_limit(text, argument, game)
    seconds = _seconds(text, limit) if limit.endswith("s") else None
    simulations = MOST_SIMULATIONS if seconds is not None else _simulations(text, limit)
    evaluator = playing_evaluator(evaluator_of(model, game), game)
    params = playing_params(evaluator.network, simulations, game).replace(leaves_per_batch=leaves_at_once(simulations))
    params = _changed(text, params, settings)
    if seconds is not None:
        return TimedPlayer(text, params, evaluator, seconds)
    return SearchPlayer(text, params, evaluator)


def _mixed(text: str, argument: str | None, game: Game, evaluator_of: EvaluatorOf) -> Player:
    argument, settings = _without_parameters(argument)
    model, limit = _model_and_limit(text, argument, game)
    simulations = _simulations(text, limit)
    evaluator = playing_evaluator(evaluator_of(model, game), game)
    params = playing_params(evaluator.network, simulations, game).replace(
        rollout_weight=0.5, leaves_per_batch=leaves_at_once(simulations)
    )
    return SearchPlayer(text, _changed(text, params, settings), evaluator)


def _alphago(text: str, argument: str | None, game: Game, evaluator_of: EvaluatorOf) -> Player:
    from tengen.network.rollout_file import load_rollout

    argument, settings = _without_parameters(argument)
    head, _, option = (argument or "").rpartition(":")
    share = _rollout_share(text, option) if option.startswith("lambda") else 0.5
    model, limit = _model_and_limit(text, head if option.startswith("lambda") else argument, game)
    simulations = _simulations(text, limit)
    evaluator = evaluator_of(model, game)
    params = playing_params(evaluator.network, simulations, game).replace(
        rollout_weight=min(share, MOST_ROLLOUTS), leaves_per_batch=leaves_at_once(simulations)
    )
    rollouts = load_rollout(Path(model) / STAGES_FOLDER / ROLLOUT_FILE, game) if share > 0.0 else None
    return SearchPlayer(text, _changed(text, params, settings), evaluator, rollouts)


def _rollout_share(text: str, option: str) -> float:
    try:
        share = float(option.removeprefix("lambda="))
    except ValueError:
        share = math.nan
    if not 0.0 <= share <= 1.0:
        raise PlayerSpecError(f"'{text}': lambda is the share of the play-outs, from 0 to 1, as in 'lambda=0.5'.")
    return share


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


_PROGRAMS: dict[str, tuple[type[ExternalPlayer], str]] = {  # by protocol: the player, and a command as an example
    "gtp": (GtpProgram, "gnugo --mode gtp"),
    "gomocup": (GomocupProgram, "pbrain-rapfi"),
    "nboard": (NBoardProgram, "ntest"),
    "uci": (UciProgram, "stockfish"),
    "usi": (UsiProgram, "fairy-stockfish"),
}


def _program(text: str, argument: str | None, game: Game, evaluator_of: EvaluatorOf) -> Player:
    """A program with what stands before its command: '10s:', 'depth=5:', or ':' before a command with an = and a :."""
    protocol, example = _PROGRAMS[text.partition(":")[0]]
    command = argument or ""
    seconds = SECONDS_PER_ANSWER
    options: dict[str, str] = {}
    while not command.startswith(":"):
        if found := TIME_LIMIT.fullmatch(command):
            seconds, command = _seconds(text, found[1]), found[2]
        elif protocol.HAS_OPTIONS and (found := OPTION.fullmatch(command)):
            options[found[1].strip()], command = found[2].strip(), found[3]
        else:
            break
    command = command.removeprefix(":").strip()
    if not command:
        raise PlayerSpecError(f"'{text}': say which program, as in '{text.rstrip(': ')}:{example}'.")
    return protocol(text, command, game, seconds, options)


_KINDS: dict[str, Callable[[str, str | None, Game, EvaluatorOf], Player]] = {
    "random": _random,
    "greedy": _greedy,
    "alphabeta": _alphabeta,
    "rollout": _rollout,
    "uniform": _uniform,
    "network": _network,
    "search": _search,
    "mixed": _mixed,
    "alphago": _alphago,
    "solver": _solver,
    **dict.fromkeys(_PROGRAMS, _program),
}


# The others use all cores by themselves, or a program of their own.
_IN_BATCHES = {"random", "greedy", "alphabeta", "rollout", "uniform", "network", "search", "mixed", "alphago"}


def make_player(text: str, game: Game, evaluator_of: EvaluatorOf = model_evaluator) -> Player:
    """The player that a text such as 'rollout:1000' describes, for this game."""
    check_kind(text)
    kind, _, argument = text.partition(":")
    return _KINDS[kind](text, argument if ":" in text else None, game, evaluator_of)


def answers_in_batches(text: str) -> bool:
    """Whether this player answers many positions at once in one thread: it is worth having one of it for each core."""
    kind, _, argument = text.partition(":")
    return kind in _IN_BATCHES and not (kind == "search" and (_without_parameters(argument)[0] or "").endswith("s"))


def check_kind(text: str) -> None:
    """Refuses a text that can't describe a player, without making one."""
    if text.partition(":")[0] not in _KINDS:
        raise PlayerSpecError(f"'{text[:200]}' is not a player; a player is one of: {PLAYER_FORMS}.")


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
