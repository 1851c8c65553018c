"""Self-play: many games at once in each thread, one forest and one evaluator per thread.

Python works once per move, never per simulation. A game's course depends on its number and the run's seed; a thread's
games on what it is given. So the same seed, config and thread count give the same games, whatever the timing.
Games in flight at the end of an iteration go on in the next one: they are handed back as unfinished records.
"""

from __future__ import annotations

import struct
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tengen._core import Forest, Game, Outcome, State
from tengen.config import SelfPlayConfig
from tengen.network import Evaluation, Evaluator
from tengen.records import GameRecord, RecordBuilder, policy_parts
from tengen.report import SelfPlayReport
from tengen.search import evaluate_leaves

__all__ = ["GamesInFlight", "SelfPlayResult", "play_games"]

SECONDS_BETWEEN_REPORTS = 0.25


@dataclass(frozen=True)
class GamesInFlight:
    """What one thread goes on with: its unfinished games and the number of its next game."""

    games: tuple[GameRecord, ...] = ()
    next_game: int = 0


@dataclass(frozen=True)
class SelfPlayResult:
    """Finished games in a fixed order, what each thread goes on with, and the figures."""

    records: tuple[GameRecord, ...]
    in_flight: tuple[GamesInFlight, ...]  # [threads]
    report: SelfPlayReport


def play_games(
    game: Game,
    evaluators: Sequence[Evaluator],
    config: SelfPlayConfig,
    *,
    seed: int,
    iteration: int,
    network: str = "",
    in_flight: Sequence[GamesInFlight] = (),
    archive: Sequence[Sequence[int]] = (),
    least_games: int = 0,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> SelfPlayResult:
    """Plays until `config.positions` positions have been searched and `least_games` have ended; a thread per evaluator.

    `archive` holds the moves to positions of earlier games, from which new ones may start. `on_progress` hears now and
    then of the positions that are done, and of all.
    """
    threads = len(evaluators)
    started = time.perf_counter()
    workers = [
        _Worker(
            game,
            config,
            _Timed(evaluator),
            seed=seed,
            iteration=iteration,
            network=network,
            # Thread t of n plays the games t, t + n, t + 2n ...
            start=start,
            stride=threads,
            archive=archive,
        )
        for evaluator, start in zip(evaluators, _dealt(in_flight, threads), strict=True)
    ]
    budget = -(-config.positions // threads)
    with ThreadPoolExecutor(threads) as pool:
        futures = [pool.submit(worker.run, budget, -(-least_games // threads)) for worker in workers]
        try:
            going_on = set(futures)
            while going_on:
                done, going_on = wait(futures, SECONDS_BETWEEN_REPORTS, FIRST_EXCEPTION)
                for future in done:
                    future.result()
                on_progress(sum(min(worker.positions, budget) for worker in workers), budget * threads)
        finally:  # when one of them failed, or someone pressed Ctrl-C
            for worker in workers:
                worker.cancelled = True
    records = tuple(record for worker in workers for record in worker.finished)
    return SelfPlayResult(
        records=records,
        in_flight=tuple(worker.left() for worker in workers),
        report=_report(records, workers, time.perf_counter() - started),
    )


def _dealt(in_flight: Sequence[GamesInFlight], threads: int) -> list[GamesInFlight]:
    """What each thread goes on with. A run that moved to other cores deals its games anew."""
    if not in_flight:
        return [GamesInFlight(next_game=thread) for thread in range(threads)]
    if len(in_flight) == threads:
        return list(in_flight)
    games = [record for before in in_flight for record in before.games]
    fresh = max(before.next_game for before in in_flight)
    return [GamesInFlight(tuple(games[thread::threads]), fresh + thread) for thread in range(threads)]


class _Timed:
    """An evaluator that knows how long it took and for how many positions."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self.seconds = 0.0
        self.positions = 0

    def __call__(self, planes: NDArray[np.float32], /) -> Evaluation:
        started = time.perf_counter()
        answer = self._evaluator(planes)
        self.seconds += time.perf_counter() - started
        self.positions += len(planes)
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


class _Worker:
    """One thread's games."""

    def __init__(
        self,
        game: Game,
        config: SelfPlayConfig,
        evaluator: _Timed,
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
        self.evaluator = evaluator
        self._seed = seed
        self._iteration = iteration
        self._network = network
        self._stride = stride
        self._archive = archive
        self._next_game = start.next_game
        self._forest = Forest(game, config.games_per_unit, config.search_params, seed)
        self._is_gumbel = config.search_params.selection == "gumbel"
        room = config.games_per_unit
        self._games = [
            _GameInFlight(record.final_state(game), RecordBuilder.resume(record)) for record in start.games[:room]
        ]
        while len(self._games) < config.games_per_unit:
            self._games.append(self._new_game())
        self.cancelled = False  # by another thread
        self.finished: list[GameRecord] = []
        self.positions = 0
        self.simulations = 0
        self.search_seconds = 0.0  # the evaluator's included
        self.entropies: list[NDArray[np.float32]] = []  # each [n, 3]: of target and prior, and surprise

    def run(self, positions: int, least_games: int) -> None:
        """Searches that many positions, or more until so many games have ended."""
        for tree in range(len(self._games)):
            self._begin(tree)
        while not self.cancelled:
            started = time.perf_counter()
            evaluate_leaves(self._forest, self.evaluator)
            stopped = self._forest.stopped_trees()
            self.search_seconds += time.perf_counter() - started
            if stopped:
                self._move(stopped if len(self.finished) < least_games else stopped[: positions - self.positions])
                if self.positions >= positions and len(self.finished) >= least_games:
                    return

    def left(self) -> GamesInFlight:
        return GamesInFlight(tuple(game.record.record() for game in self._games), self._next_game)

    def _chance(self, game: _GameInFlight) -> _Chance:
        return _Chance.of(self._seed, game.record.seed, game.ply)

    def _new_game(self) -> _GameInFlight:
        number = self._next_game
        self._next_game += self._stride
        rng = np.random.default_rng([self._seed, number])
        state = self._start(rng)
        record = RecordBuilder(
            iteration=self._iteration,
            network=self._network,
            seed=number,
            opening_plies=len(state.moves),
            never_resigns=bool(rng.random() < self._config.never_resign_share),
        )
        for action in state.moves:
            record.play(action)
        return _GameInFlight(state, record)

    def _start(self, rng: np.random.Generator) -> State:
        """Where a game begins: for some after random plies, for some one such ply off the way of an earlier game."""
        config = self._config
        state = self._game.initial_state()
        kind = rng.random()
        if kind < config.random_start_share:
            while (opened := _play_randomly(state, rng, int(rng.integers(config.random_start_plies + 1)))) is None:
                pass
            return opened
        if kind < config.random_start_share + config.archive_start_share and self._archive:
            archived = self._game.state(list(self._archive[int(rng.integers(len(self._archive)))]))
            return _play_randomly(archived, rng, 1) or archived
        return state

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
            noise=explores if self._is_gumbel else game.is_full,
        )

    def _move(self, stopped: Sequence[int]) -> None:
        """Plays a move in every game whose search has stopped."""
        self.positions += len(stopped)
        visits, targets, _, priors = self._forest.root_arrays(stopped)  # each [n, A]
        answers = [self._forest.result(tree) for tree in stopped]
        self.simulations += sum(answer.simulations for answer in answers)
        self._record(stopped, targets, priors, [answer.root_value for answer in answers])
        for tree, tree_visits, answer in zip(stopped, visits, answers, strict=True):
            game = self._games[tree]
            if self._resigns(game, answer.root_value):
                self._finish(tree, Outcome(1 - game.state.to_move), resigned=True)
                continue
            action = self._choose(game, tree_visits, answer.best_action)
            game.record.play(action)
            game.state = game.state.play(action)
            if game.state.outcome is not None:
                self._finish(tree, game.state.outcome, resigned=False)
            else:
                self._begin(tree)

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
        self.entropies.append(figures)
        for i, parts, surprise in zip(full, policy_parts(targets[full]), figures[:, 2].tolist(), strict=True):
            self._games[stopped[i]].record.target(parts, values[i], surprise)

    def _finish(self, tree: int, outcome: Outcome, *, resigned: bool) -> None:
        self.finished.append(self._games[tree].record.finish(outcome, resigned=resigned))
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
        if self._is_gumbel or game.ply >= config.temperature_plies:
            return best
        if config.temperature == 0.0 or not visits.any():
            return best
        running = np.cumsum((visits / visits.max()) ** (1.0 / config.temperature))
        return int(np.searchsorted(running, self._chance(game).move * running[-1], side="right"))


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


def _report(records: Sequence[GameRecord], workers: Sequence[_Worker], seconds: float) -> SelfPlayReport:
    nothing = np.zeros((1, 3), np.float32)
    figures = [rows for worker in workers for rows in worker.entropies]
    entropies = np.concatenate(figures or [nothing], dtype=np.float64)  # [n, 3]
    results = np.array([record.outcome.value_for(0) for record in records if record.outcome is not None] or [0.0])
    return SelfPlayReport(
        games=len(records),
        positions=sum(worker.positions for worker in workers),
        simulations=sum(worker.simulations for worker in workers),
        evaluations=sum(worker.evaluator.positions for worker in workers),
        seconds=seconds,
        evaluator_seconds=sum(worker.evaluator.seconds for worker in workers),
        tree_seconds=sum(worker.search_seconds - worker.evaluator.seconds for worker in workers),
        threads=len(workers),
        mean_length=float(np.mean([len(record.moves) for record in records] or [0])),
        first_player_score=float(np.mean((results + 1.0) / 2.0)),
        draws=float(np.mean(results == 0.0)) if records else 0.0,
        different_games=len({record.moves.tobytes() for record in records}) / max(1, len(records)),
        target_entropy=float(entropies[:, 0].mean()),
        prior_entropy=float(entropies[:, 1].mean()),
        surprise=float(entropies[:, 2].mean()),
    )
