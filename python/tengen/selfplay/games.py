"""The units of an iteration, played by threads or by a cluster: their results in order of number, whoever was first."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple, Protocol

import numpy as np

from tengen._core import Game
from tengen.base.crew import Crew, Hand, NodeWork, Threads
from tengen.config import SelfPlayConfig
from tengen.network import Evaluator
from tengen.records import GameRecord
from tengen.report import NodeReport, SelfPlayReport
from tengen.selfplay.unit import GamesInFlight, UnitFigures, UnitResult, play_unit, share

__all__ = ["SelfPlayResult", "play_games", "whole_games"]


@dataclass(frozen=True)
class SelfPlayResult:
    """Finished games in the order of their units, what each unit goes on with, and the figures."""

    records: tuple[GameRecord, ...]
    in_flight: tuple[GamesInFlight, ...]  # [units]
    report: SelfPlayReport


class Unit(NamedTuple):
    """One job of an iteration."""

    number: int
    start: GamesInFlight


class Players(Protocol):
    """What a unit is played with: the evaluators of a PlayingNetwork, for example."""

    def evaluators(self, number: int) -> Sequence[Evaluator]:
        """So many, for a thread each."""
        ...


@dataclass(frozen=True)
class Given:
    """Evaluators that are there already; they can't leave this process."""

    given: Sequence[Evaluator]

    def evaluators(self, number: int) -> Sequence[Evaluator]:
        return self.given[:number]


@dataclass(frozen=True)
class Units:
    """What the units of an iteration have in common: the work of which each is a job."""

    game: Game
    players: Players
    config: SelfPlayConfig  # with its number of units
    seed: int
    iteration: int
    network: str
    archive: Sequence[Sequence[int]]
    least_games: int

    def hands(self, number: int) -> list[Hand[Unit, UnitResult]]:
        return [partial(self._play, evaluator) for evaluator in self.players.evaluators(number)]

    @property
    def positions(self) -> int:
        """Of one unit."""
        return share(self.config.positions, self.config.units)

    def _play(
        self, evaluator: Evaluator, unit: Unit, /, should_stop: Callable[[], bool], on_progress: Callable[[int], None]
    ) -> UnitResult:
        return play_unit(
            self.game,
            evaluator,
            self.config,
            seed=self.seed,
            iteration=self.iteration,
            unit=unit.number,
            units=self.config.units,
            network=self.network,
            in_flight=unit.start,
            archive=self.archive,
            least_games=self.least_games,
            should_stop=should_stop,
            on_progress=lambda positions: on_progress(min(positions, self.positions)),
        )


def play_games(
    game: Game,
    evaluators: Sequence[Evaluator] | Players,
    config: SelfPlayConfig,
    *,
    seed: int,
    iteration: int,
    network: str = "",
    in_flight: Sequence[GamesInFlight] = (),
    archive: Sequence[Sequence[int]] = (),
    least_games: int = 0,
    crew: Crew | None = None,
    should_stop: Callable[[], bool] = lambda: False,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> SelfPlayResult:
    """Plays `config.units` units (0: one per thread), by `crew` or else in a thread for each of the evaluators.

    They search `config.positions` positions, and more until `least_games` games have ended. `on_progress` hears now and
    then of the positions that are done, and of all.
    """
    if isinstance(evaluators, Sequence):
        crew = crew or Threads(len(evaluators))
        evaluators = Given(evaluators)
    assert crew is not None, "whoever hands over no evaluators says who plays"
    units = config.units or crew.threads
    config = config.model_copy(update={"units": units})
    work = Units(game, evaluators, config, seed, iteration, network, archive, least_games)
    started = time.perf_counter()
    done = crew.do(
        work,
        [Unit(number, start) for number, start in enumerate(_dealt(in_flight, units))],
        should_stop=should_stop,
        on_progress=lambda positions: on_progress(positions, work.positions * units),
    )
    seconds = time.perf_counter() - started
    results = done.answers
    records = tuple(record for result in results for record in result.records)
    report = _report(records, [result.figures for result in results], crew.threads, seconds)
    return SelfPlayResult(
        records=records,
        in_flight=tuple(result.in_flight for result in results),
        report=replace(report, nodes=tuple(_node_report(node, results, seconds) for node in done.nodes)),
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
        exact_positions=sum(unit.exact_positions for unit in units),
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


def _node_report(node: NodeWork, results: Sequence[UnitResult], seconds: float) -> NodeReport:
    simulations = sum(results[job].figures.simulations for job in node.jobs)
    return NodeReport(node.name, node.threads, len(node.jobs), simulations / seconds if seconds else 0.0, node.lost)
