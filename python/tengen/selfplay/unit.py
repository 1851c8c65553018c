"""One unit of self-play: many games at once in one forest with one evaluator, as a pure function.

What it returns follows from what it is given: the network, its games in flight, the seed of the run, the iteration and
its own number. Python works once per move, never per simulation.
"""

from __future__ import annotations

import struct
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tengen._core import ExactLine, Forest, Game, Outcome, Reason, State, exact_lines
from tengen.config import SelfPlayConfig
from tengen.network import Evaluation, Evaluator
from tengen.records import GameRecord, RecordBuilder, policy_parts
from tengen.search import evaluate_leaves

__all__ = ["GamesInFlight", "UnitFigures", "UnitResult", "play_unit", "share", "start_state"]


@dataclass(frozen=True)
class GamesInFlight:
    """What one unit goes on with: its unfinished games and the number of its next game."""

    games: tuple[GameRecord, ...] = ()
    next_game: int = 0


@dataclass(frozen=True, eq=False)
class UnitFigures:
    """What a unit did. The seconds are of its own thread."""

    positions: int
    exact_positions: int  # of them, those that the rules alone settled
    simulations: int
    evaluations: int  # positions that the evaluator was asked about
    evaluator_seconds: float
    search_seconds: float  # the evaluator's included
    entropies: NDArray[np.float32]  # [recorded positions, 3]: of target and prior, and surprise


@dataclass(frozen=True)
class UnitResult:
    """The finished games of one unit in the order they ended, what it goes on with, and its figures."""

    records: tuple[GameRecord, ...]
    in_flight: GamesInFlight
    figures: UnitFigures


def play_unit(
    game: Game,
    evaluator: Evaluator,
    config: SelfPlayConfig,
    *,
    seed: int,
    iteration: int,
    unit: int,
    units: int,
    network: str = "",
    in_flight: GamesInFlight | None = None,
    archive: Sequence[Sequence[int]] = (),
    least_games: int = 0,
    should_stop: Callable[[], bool] = lambda: False,
    on_progress: Callable[[int], None] = lambda positions: None,
) -> UnitResult:
    """Plays the share of unit `unit` of `units`: of `config.positions` positions, and of `least_games` finished games.

    All that it takes and returns can be pickled, but for the evaluator, which another process makes from a NetworkFile.
    `archive` holds the moves to positions of earlier games, from which new ones may start. `should_stop` is asked
    between two batches: a unit that is stopped keeps its games in flight. `on_progress` hears of the positions done.
    """
    games = _Games(
        game,
        config,
        evaluator,
        seed=seed,
        iteration=iteration,
        network=network,
        # Unit u of n plays the games u, u + n, u + 2n ...
        start=in_flight or GamesInFlight(next_game=unit),
        stride=units,
        archive=archive,
    )
    games.run(share(config.positions, units), share(least_games, units), should_stop, on_progress)
    return games.result()


def share(whole: int, units: int) -> int:
    """Of one unit, rounded up."""
    return -(-whole // units)


class _Timed:
    """An evaluator that knows how long it took. Tables are asked inside of the search, and their time counts there."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self.tables = getattr(evaluator, "tables", None)  # of an n-tuple network, which the forest asks itself
        self.seconds = 0.0

    def __call__(self, planes: NDArray[np.float32], /) -> Evaluation:
        started = time.perf_counter()
        answer = self._evaluator(planes)
        self.seconds += time.perf_counter() - started
        return answer


@dataclass
class _GameInFlight:
    """A game that is being played."""

    state: State
    record: RecordBuilder
    is_full: bool = True  # whether the search under way will be recorded
    low_plies: int = 0  # positions in a row that one side takes for lost

    @property
    def ply(self) -> int:
        return len(self.record.moves)


class _Chance(NamedTuple):
    """The chance in one move. No state to save: it follows from the run's seed, the game's number and the ply."""

    search_seed: int
    full: float  # in [0, 1); is the search a full one?
    move: float  # in [0, 1); which move is drawn?

    @staticmethod
    def of(seed: int, game: int, ply: int) -> _Chance:
        """By a hash: making a numpy generator takes twenty times as long, and a move needs only these three."""
        digest = blake2b(struct.pack("<3Q", seed, game, ply), digest_size=24).digest()
        search_seed, full, move = struct.unpack("<3Q", digest)
        return _Chance(search_seed, (full >> 11) * 2.0**-53, (move >> 11) * 2.0**-53)


class _Games:
    """The games of one unit while it is played."""

    def __init__(
        self,
        game: Game,
        config: SelfPlayConfig,
        evaluator: Evaluator,
        *,
        seed: int,
        iteration: int,
        network: str,
        start: GamesInFlight,
        stride: int,
        archive: Sequence[Sequence[int]],
    ) -> None:
        self._game = game
        self._config = config
        self._evaluator = _Timed(evaluator)
        self._seed = seed
        self._iteration = iteration
        self._network = network
        self._stride = stride
        self._archive = archive
        self._next_game = start.next_game
        self._forest = Forest(game, config.games_per_unit, config.search_params, seed)
        self._samples_moves = config.search_params.samples_moves
        room = config.games_per_unit
        self._games = [
            _GameInFlight(record.final_state(game), RecordBuilder.resume(record)) for record in start.games[:room]
        ]
        while len(self._games) < room:
            self._games.append(self._new_game())
        self._finished: list[GameRecord] = []
        self._positions = 0
        self._exact_positions = 0
        self._simulations = 0
        self._evaluations = 0
        self._search_seconds = 0.0
        self._entropies: list[NDArray[np.float32]] = [np.zeros((0, 3), np.float32)]

    def run(
        self, positions: int, least_games: int, should_stop: Callable[[], bool], on_progress: Callable[[int], None]
    ) -> None:
        """Searches that many positions, or more until so many games have ended."""
        for tree in range(len(self._games)):
            self._begin(tree)
        while not should_stop():
            started = time.perf_counter()
            self._evaluations += evaluate_leaves(self._forest, self._evaluator)
            stopped = self._forest.stopped_trees()
            self._search_seconds += time.perf_counter() - started
            if stopped:
                self._move(stopped if len(self._finished) < least_games else stopped[: positions - self._positions])
                on_progress(self._positions)
                if self._positions >= positions and len(self._finished) >= least_games:
                    return

    def result(self) -> UnitResult:
        return UnitResult(
            records=tuple(self._finished),
            in_flight=GamesInFlight(tuple(game.record.record() for game in self._games), self._next_game),
            figures=UnitFigures(
                positions=self._positions,
                exact_positions=self._exact_positions,
                simulations=self._simulations,
                evaluations=self._evaluations,
                evaluator_seconds=self._evaluator.seconds,
                search_seconds=self._search_seconds,
                entropies=np.concatenate(self._entropies),
            ),
        )

    def _chance(self, game: _GameInFlight) -> _Chance:
        return _Chance.of(self._seed, game.record.seed, game.ply)

    def _new_game(self) -> _GameInFlight:
        number = self._next_game
        self._next_game += self._stride
        rng = np.random.default_rng([self._seed, number])
        state = start_state(self._game, self._config, rng, self._archive)
        record = RecordBuilder(
            iteration=self._iteration,
            network=self._network,
            seed=number,
            opening_plies=len(state.moves),
            never_resigns=bool(rng.random() < self._config.never_resign_share),
            keep_values=self._config.keep_values,
        )
        for action in state.moves:
            record.play(action)
        return _GameInFlight(state, record)

    def _begin(self, tree: int) -> None:
        game = self._games[tree]
        config = self._config
        chance = self._chance(game)
        game.is_full = config.fast_simulations == 0 or chance.full < config.full_share
        explores = game.is_full and game.ply < config.temperature_plies
        self._forest.set_root(tree, game.state, chance.search_seed)
        self._forest.begin(
            tree,
            simulations=config.simulations if game.is_full else config.fast_simulations,
            noise=explores if self._samples_moves else game.is_full,
        )

    def _move(self, stopped: Sequence[int]) -> None:
        """Plays a move in every game whose search has stopped."""
        self._positions += len(stopped)
        visits, targets, _, priors = self._forest.root_arrays(stopped)  # each [n, A]
        answers = [self._forest.result(tree) for tree in stopped]
        self._simulations += sum(answer.simulations for answer in answers)
        self._record(stopped, targets, priors, [answer.root_value for answer in answers])
        going_on = []
        for tree, tree_visits, answer in zip(stopped, visits, answers, strict=True):
            game = self._games[tree]
            game.record.value(answer.root_value)
            if self._resigns(game, answer.root_value):
                self._finish(tree, Outcome(1 - game.state.to_move, Reason.RESIGNATION), resigned=True)
                continue
            action = self._choose(game, tree_visits, answer.best_action)
            game.record.play(action)
            game.state = game.state.play(action)
            if game.state.outcome is not None:
                self._finish(tree, game.state.outcome, resigned=False)
            else:
                going_on.append(tree)
        for tree, line in zip(going_on, self._exact_lines(going_on), strict=True):
            if line is None:
                self._begin(tree)
            else:
                self._play_exactly(tree, line)

    def _exact_lines(self, trees: Sequence[int]) -> Sequence[ExactLine | None]:
        """Best play to the end for the games that the rules alone settle. Only after a searched move: so every game
        has one."""
        if not self._config.exact_nodes:
            return [None] * len(trees)
        games = [self._games[tree] for tree in trees]
        seeds = [self._chance(game).search_seed for game in games]
        return exact_lines([game.state for game in games], self._config.exact_nodes, seeds)

    def _play_exactly(self, tree: int, line: ExactLine) -> None:
        """Plays a game out by its exact line. The best actions are the targets, in equal parts."""
        game = self._games[tree]
        surprise = game.record.mean_surprise  # nobody asked the network: as likely to be drawn as the game's others
        policies = np.zeros((len(line.positions), self._game.spec.num_actions), np.float32)
        for policy, position in zip(policies, line.positions, strict=True):
            policy[position.best] = 1.0 / len(position.best)
        discount = self._config.search_params.discount
        for i, (position, parts) in enumerate(zip(line.positions, policy_parts(policies), strict=True)):
            value = line.outcome.value_for(game.state.to_move) * discount ** (len(line.positions) - i)
            game.record.value(value)
            game.record.target(parts, value, surprise)
            game.record.play(position.played)
            game.state = game.state.play(position.played)
        self._positions += len(line.positions)
        self._exact_positions += len(line.positions)
        outcome = game.state.outcome  # as in line.outcome, with its reason
        assert outcome is not None, "an exact line goes to the end of its game"
        self._finish(tree, outcome, resigned=False)

    def _record(
        self,
        stopped: Sequence[int],
        targets: NDArray[np.float32],  # [n, A]
        priors: NDArray[np.float32],  # [n, A]
        values: Sequence[float],
    ) -> None:
        """What the full searches found. All at once: numpy takes as long for one row as for many."""
        full = [i for i, tree in enumerate(stopped) if self._games[tree].is_full]
        if not full:
            return
        figures = _figures(targets[full], priors[full])
        self._entropies.append(figures)
        for i, parts, surprise in zip(full, policy_parts(targets[full]), figures[:, 2].tolist(), strict=True):
            self._games[stopped[i]].record.target(parts, values[i], surprise)

    def _finish(self, tree: int, outcome: Outcome, *, resigned: bool) -> None:
        self._finished.append(self._games[tree].record.finish(outcome, resigned=resigned))
        self._games[tree] = self._new_game()
        self._begin(tree)

    def _resigns(self, game: _GameInFlight, value: float) -> bool:
        """Both sides have agreed for three plies that the player to move is lost."""
        threshold = self._config.resign_below
        hopeless = value < threshold or -value < threshold
        game.low_plies = game.low_plies + 1 if hopeless else 0
        return value < threshold and game.low_plies >= 3 and not game.record.never_resigns

    def _choose(self, game: _GameInFlight, visits: NDArray[np.int32], best: int) -> int:
        """pi(a) = N(a)^(1/tau) in the opening, the best move afterwards. Gumbel's best move is a sample already."""
        config = self._config
        if self._samples_moves or game.ply >= config.temperature_plies:
            return best
        if config.temperature == 0.0 or not visits.any():
            return best
        running = np.cumsum((visits / visits.max()) ** (1.0 / config.temperature))
        return int(np.searchsorted(running, self._chance(game).move * running[-1], side="right"))


def start_state(
    game: Game, config: SelfPlayConfig, rng: np.random.Generator, archive: Sequence[Sequence[int]] = ()
) -> State:
    """Where a game begins: for some after random plies, for some one such ply off the way of an earlier game."""
    state = game.initial_state()
    kind = rng.random()
    if kind < config.random_start_share:
        while (opened := _play_randomly(state, rng, int(rng.integers(config.random_start_plies + 1)))) is None:
            pass
        return opened
    if kind < config.random_start_share + config.archive_start_share and archive:
        archived = game.state(list(archive[int(rng.integers(len(archive)))]))
        return _play_randomly(archived, rng, 1) or archived
    return state


def _play_randomly(state: State, rng: np.random.Generator, plies: int) -> State | None:
    """So many random plies; None if they ended the game."""
    for _ in range(plies):
        state = state.play(state.legal_actions[int(rng.integers(len(state.legal_actions)))])
        if state.outcome is not None:
            return None
    return state


def _figures(targets: NDArray[np.float32], priors: NDArray[np.float32]) -> NDArray[np.float32]:
    """[n, A] each -> [n, 3]: the entropy of the target, of the prior, and the surprise KL(target || prior)."""
    log_targets, log_priors = (np.log(np.maximum(policy, 1e-8)) for policy in (targets, priors))
    surprise = np.maximum(0.0, (targets * (log_targets - log_priors)).sum(axis=1))
    return np.stack([-(targets * log_targets).sum(axis=1), -(priors * log_priors).sum(axis=1), surprise], axis=1)
