"""The units of an iteration, played in threads: their results in order of number, whichever thread was first."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass
from queue import SimpleQueue

import numpy as np

from tengen._core import Game
from tengen.config import SelfPlayConfig
from tengen.network import Evaluator
from tengen.records import GameRecord
from tengen.report import SelfPlayReport
from tengen.selfplay.unit import GamesInFlight, UnitFigures, UnitResult, play_unit, share

__all__ = ["SelfPlayResult", "play_games", "whole_games"]

SECONDS_BETWEEN_REPORTS = 0.25


@dataclass(frozen=True)
class SelfPlayResult:
    """Finished games in the order of their units, what each unit goes on with, and the figures."""

    records: tuple[GameRecord, ...]
    in_flight: tuple[GamesInFlight, ...]  # [units]
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
    should_stop: Callable[[], bool] = lambda: False,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> SelfPlayResult:
    """Plays `config.units` units (0: one per evaluator) in as many threads as there are evaluators.

    They search `config.positions` positions, and more until `least_games` games have ended. `on_progress` hears now and
    then of the positions that are done, and of all.
    """
    units = config.units or len(evaluators)
    starts = _dealt(in_flight, units)
    started = time.perf_counter()
    idle: SimpleQueue[Evaluator] = SimpleQueue()  # which thread plays which unit makes no difference
    for evaluator in evaluators:
        idle.put(evaluator)
    done = [0] * units
    cancelled = threading.Event()

    def play(unit: int) -> UnitResult:
        evaluator = idle.get()
        try:
            return play_unit(
                game,
                evaluator,
                config,
                seed=seed,
                iteration=iteration,
                unit=unit,
                units=units,
                network=network,
                in_flight=starts[unit],
                archive=archive,
                least_games=least_games,
                should_stop=lambda: cancelled.is_set() or should_stop(),
                on_progress=lambda positions: done.__setitem__(unit, positions),
            )
        finally:
            idle.put(evaluator)

    a_unit = share(config.positions, units)
    with ThreadPoolExecutor(len(evaluators)) as pool:
        futures = [pool.submit(play, unit) for unit in range(units)]
        try:
            going_on = set(futures)
            while going_on:
                ended, going_on = wait(futures, SECONDS_BETWEEN_REPORTS, FIRST_EXCEPTION)
                for future in ended:
                    future.result()
                on_progress(sum(min(positions, a_unit) for positions in done), a_unit * units)
        finally:  # when one of them failed, or someone pressed Ctrl-C
            cancelled.set()
    results = [future.result() for future in futures]
    records = tuple(record for result in results for record in result.records)
    return SelfPlayResult(
        records=records,
        in_flight=tuple(result.in_flight for result in results),
        report=_report(records, [result.figures for result in results], len(evaluators), time.perf_counter() - started),
    )


def whole_games(
    game: Game,
    evaluators: Sequence[Evaluator],
    config: SelfPlayConfig,
    *,
    games: int,
    seed: int,
    network: str = "",
    should_stop: Callable[[], bool] = lambda: False,
) -> Iterator[tuple[GameRecord, ...]]:
    """The games with the numbers 0 to `games` - 1, all of them to their ends, in parts as they end.

    The first games to end are the shortest, so whoever wants so many games should not take the first to end.
    """
    units = config.units or len(evaluators)
    at_once = min(config.games_per_unit, share(games, units))
    part = config.model_copy(update={"units": units, "games_per_unit": at_once, "positions": 4 * units * at_once})
    in_flight: tuple[GamesInFlight, ...] = ()
    ended = 0
    while ended < games and not should_stop():
        played = play_games(
            game,
            evaluators,
            part,
            seed=seed,
            iteration=0,
            network=network,
            in_flight=in_flight,
            should_stop=should_stop,
        )
        in_flight = played.in_flight
        wanted = tuple(record for record in played.records if record.seed < games)
        ended += len(wanted)
        yield wanted


def _dealt(in_flight: Sequence[GamesInFlight], units: int) -> list[GamesInFlight]:
    """What each unit goes on with. Where their number has changed, the games are dealt anew."""
    if not in_flight:
        return [GamesInFlight(next_game=unit) for unit in range(units)]
    if len(in_flight) == units:
        return list(in_flight)
    games = [record for before in in_flight for record in before.games]
    fresh = max(before.next_game for before in in_flight)
    return [GamesInFlight(tuple(games[unit::units]), fresh + unit) for unit in range(units)]


def _report(
    records: Sequence[GameRecord], units: Sequence[UnitFigures], threads: int, seconds: float
) -> SelfPlayReport:
    entropies = np.concatenate([unit.entropies for unit in units], dtype=np.float64)  # [n, 3]
    if len(entropies) == 0:
        entropies = np.zeros((1, 3))
    results = np.array([record.outcome.value_for(0) for record in records if record.outcome is not None] or [0.0])
    return SelfPlayReport(
        games=len(records),
        positions=sum(unit.positions for unit in units),
        simulations=sum(unit.simulations for unit in units),
        evaluations=sum(unit.evaluations for unit in units),
        seconds=seconds,
        evaluator_seconds=sum(unit.evaluator_seconds for unit in units),
        tree_seconds=sum(unit.search_seconds - unit.evaluator_seconds for unit in units),
        threads=threads,
        mean_length=float(np.mean([len(record.moves) for record in records] or [0])),
        first_player_score=float(np.mean((results + 1.0) / 2.0)),
        draws=float(np.mean(results == 0.0)) if records else 0.0,
        different_games=len({record.moves.tobytes() for record in records}) / max(1, len(records)),
        target_entropy=float(entropies[:, 0].mean()),
        prior_entropy=float(entropies[:, 1].mean()),
        surprise=float(entropies[:, 2].mean()),
    )
