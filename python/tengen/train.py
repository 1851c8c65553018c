"""The AlphaZero loop: self-play, replay, learning, measuring, promoting; again until the run is done.

A run is a folder (run_folder.py). The same call goes on with it, and ends with the same bits as if never stopped.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable
from dataclasses import asdict, replace
from functools import partial
from itertools import count
from pathlib import Path

import numpy as np

from tengen import games
from tengen._core import Game
from tengen.arena import challenge
from tengen.config import RunConfig, SelfPlayConfig
from tengen.learner import Learner
from tengen.network.checkpoint import NetworkFile
from tengen.network.evaluator import NetworkEvaluator, make_evaluator
from tengen.players import SearchPlayer
from tengen.replay import ReplayWindow
from tengen.report import SILENT, GateReport, IterationReport, Observer, RatingReport, RunReport, StrengthReport
from tengen.run.diagnostics import find_problems
from tengen.run.folder import Commit, RunFolder
from tengen.run.footprint import memory_in_use, most_more_memory
from tengen.selfplay import GamesInFlight, play_games
from tengen.strength.ratings import iteration_of, measure, network_name

__all__ = ["train"]

OLDER_OPPONENTS = 5  # networks of the run that can be met on the ladder, the newest that were rated
ARCHIVE = 4096  # positions from which the games of an iteration may start


def train(
    config: RunConfig,
    folder: Path,
    observer: Observer = SILENT,
    *,
    minutes: float | None = None,
    now: Callable[[], float] = time.perf_counter,
) -> Path:
    """Trains until config.iterations are done, or for that many minutes; returns the file of the champion.

    Without gating every candidate becomes the champion. `now` is the clock, in seconds.
    """
    game = games.load(config.game, **config.options)
    with RunFolder(folder, config) as run:
        learner = _new_learner(game, config)
        window = ReplayWindow(game, config.replay)
        in_flight: tuple[GamesInFlight, ...] = ()
        iteration, seconds_before = 0, 0.0
        commit = run.newest_commit()
        writer = run.writer(game, commit)
        if commit is not None:
            learner.load_state(run.learner_state(commit))
            window = ReplayWindow.rebuild(game, config.replay, folder / "games", writer.end)
            in_flight = run.games_in_flight(commit)
            iteration, seconds_before = commit.iteration, commit.seconds
        champion = _champion(run, learner, commit)
        arena = _Arena(game, run, window, learner.device, observer)
        reports = run.reports()
        started = now() - seconds_before
        clock = _Clock(config, minutes)
        observer.run_started(_run_report(config, run, learner, iteration, window))

        while not clock.is_over(iteration, now() - started):
            progress = clock.progress(iteration, now() - started)

            # 1. Self-play with the champion.
            evaluators = _evaluators(champion, config, window, iteration, learner.device)
            played = play_games(
                game,
                evaluators,
                _self_play(config, window, progress),
                seed=config.seed,
                iteration=iteration,
                network=champion.digest,
                in_flight=in_flight,
                archive=_archive(config, window, iteration),
                # The first games to end are the shortest. In Go those are two passes and won by White; a network that
                # learns from them alone gives Black up for good.
                least_games=config.self_play.games_per_unit * len(evaluators) if iteration == 0 else 0,
                on_progress=partial(observer.stage, "self-play"),
            )
            in_flight = played.in_flight

            # 2. Records, into the files and into the window.
            writer.append(played.records)
            for record in played.records:
                window.add(record)

            # 3. Learning.
            steps = _steps(config, played.report.positions) if window.positions else 0
            after = clock.progress(iteration + 1, now() - started)
            rng = np.random.default_rng([config.seed, iteration])
            learned = learner.learn(
                window, steps, rng, progress=(progress, after), on_step=partial(observer.stage, "learning")
            )
            iteration += 1

            # 4. Promoting: the averaged network, if gating only when it beats the champion.
            candidate = _network(learner, run, iteration)
            gate = arena.gate(candidate, champion, iteration)
            promoted = gate is None or gate.promoted
            champion = candidate if promoted else champion

            # 5. Measuring now and then, and what it all says.
            strength, rating = arena.measure(champion, reports, iteration)
            spent = now() - started
            report = IterationReport(
                iteration=iteration,
                iterations=config.iterations,
                self_play=played.report,
                learner=learned,
                strength=strength,
                findings=(),
                promoted=promoted,
                seconds=spent,
                seconds_left=clock.left(iteration, spent),
                memory=memory_in_use(),
                window_age=iteration - window.oldest_iteration,
                rating=rating,
                gate=gate,
            )
            reports.append(replace(report, findings=find_problems(config, [*reports, report])))

            # 6. Everything that the next iteration needs, on disk; the commit last.
            run.save_network(champion, champion.iteration, kept=_rated(reports))
            run.commit(
                iteration=iteration,
                seconds=spent,
                games_end=writer.commit(),
                metrics_bytes=run.append_metrics(asdict(reports[-1])),
                in_flight=in_flight,
                learner=learner.state(),
                champion=champion.iteration,
                champion_weights=champion.weights,
            )
            observer.iteration_finished(reports[-1])
        writer.close()
        return run.save_network(champion, champion.iteration, kept=_rated(reports))


class _Clock:
    """How far a run has come: by iterations, or by time when it was given minutes."""

    def __init__(self, config: RunConfig, minutes: float | None) -> None:
        self._iterations = config.iterations
        self._seconds = None if minutes is None else minutes * 60.0

    def progress(self, iteration: int, seconds: float) -> float:
        done = iteration / self._iterations if self._seconds is None else seconds / self._seconds
        return min(1.0, done)

    def is_over(self, iteration: int, seconds: float) -> bool:
        return self.progress(iteration, seconds) >= 1.0

    def left(self, iteration: int, seconds: float) -> float:
        done = self.progress(iteration, seconds)
        return seconds * (1.0 - done) / done if done > 0 else math.inf


def _new_learner(game: Game, config: RunConfig) -> Learner:
    return Learner(game, config.network, config.learner, seed=config.seed, discount=_discount(config))


def _champion(run: RunFolder, learner: Learner, commit: Commit | None) -> NetworkFile:
    """The network that plays next: the learner's newest, or the one that no candidate has beaten since."""
    newest = _network(learner, run, commit.iteration if commit else 0)
    weights = run.champion(commit) if commit else None
    if commit is None or weights is None:
        return newest
    return replace(newest, weights=weights, iteration=commit.champion)


def _network(learner: Learner, run: RunFolder, iteration: int) -> NetworkFile:
    """The averaged network, with the run that made it. Its values are discounted as the search of the run discounts."""
    return learner.network_file(run=run.folder.resolve().name, iteration=iteration, seed=str(run.config.seed))


def _discount(config: RunConfig) -> float:
    return float(config.self_play.search.get("discount", 1.0))


def _threads(config: RunConfig) -> int:
    return config.self_play.threads or os.cpu_count() or 1


def _evaluators(
    network: NetworkFile, config: RunConfig, window: ReplayWindow, iteration: int, device: str
) -> list[NetworkEvaluator]:
    """One per thread. int8 is calibrated on positions of the window; before there are any, and on a GPU, bf16 plays."""
    precision = config.self_play.precision
    calibration = None
    if precision == "int8":
        if window.positions < 1000 or device != "cpu":
            precision = "bf16"
        else:
            calibration = window.sample(512, np.random.default_rng([config.seed, iteration, 1])).planes
    first = make_evaluator(
        network,
        backend="openvino" if device == "cpu" else "torch",
        precision=precision,
        threads=1,
        device=device,
        calibration=calibration,
    )
    return [first, *(first.clone() for _ in range(_threads(config) - 1))]


def _self_play(config: RunConfig, window: ReplayWindow, progress: float) -> SelfPlayConfig:
    """As it is at this point of the run."""
    play = config.self_play
    now = {"resign_below": window.resign_below(play.resign_below), "simulations": play.simulations_at(progress)}
    return play.model_copy(update=now)


def _archive(config: RunConfig, window: ReplayWindow, iteration: int) -> list[list[int]]:
    if config.self_play.archive_start_share == 0.0:
        return []
    return window.starts(ARCHIVE, np.random.default_rng([config.seed, iteration, 2]))


def _steps(config: RunConfig, positions: int) -> int:
    return max(1, round(positions * config.learner.samples_per_position / config.learner.batch))


class _Arena:
    """The matches of a run: the candidate against the champion, and the champion on the ladder."""

    def __init__(self, game: Game, run: RunFolder, window: ReplayWindow, device: str, observer: Observer) -> None:
        self._game = game
        self._run = run
        self._config = run.config
        self._window = window
        self._device = device
        self._observer = observer
        self._opening_plies = min(run.config.arena.opening_plies, game.spec.longest_game // 4)

    def gate(self, candidate: NetworkFile, champion: NetworkFile, iteration: int) -> GateReport | None:
        """Whether the candidate is better, if this run asks."""
        arena = self._config.arena
        if not arena.gating:
            return None
        started = time.perf_counter()
        played = count(1)
        answer = challenge(
            self._game,
            list(zip(self._players(candidate, iteration), self._players(champion, iteration), strict=True)),
            games=arena.gating_games,
            threshold=arena.threshold,
            seed=iteration,
            opening_plies=self._opening_plies,
            on_game=lambda _: self._observer.stage("candidate against champion", next(played), arena.gating_games),
        )
        return GateReport(
            champion=champion.iteration,
            games=len(answer.match.games),
            score=answer.match.score,
            promoted=answer.promoted,
            seconds=time.perf_counter() - started,
        )

    def measure(
        self, champion: NetworkFile, reports: list[IterationReport], iteration: int
    ) -> tuple[tuple[StrengthReport, ...], RatingReport | None]:
        """Where the champion stands on the ladder, when it is time to know."""
        arena = self._config.arena
        if arena.every == 0 or iteration % arena.every:
            return (), None
        older = self._run.readable_networks(_rated(reports)[-OLDER_OPPONENTS:])
        networks = {**older, champion.iteration: champion}
        return measure(
            self._game,
            arena,
            champion.iteration,
            reports,
            seats=lambda number: self._players(networks[number], iteration),
            older=older,
            seed=iteration,
            opening_plies=self._opening_plies,
            on_progress=partial(self._observer.stage, "measuring"),
        )

    def _players(self, network: NetworkFile, iteration: int) -> list[SearchPlayer]:
        """The network with the search of self-play, but without noise, as a player for each thread."""
        params = self._config.self_play.search_params.replace(
            simulations=self._config.arena.simulations, cache_entries=0
        )
        name = network_name(network.iteration)
        evaluators = _evaluators(network, self._config, self._window, iteration, self._device)
        return [SearchPlayer(name, params, evaluator) for evaluator in evaluators]


def _rated(reports: list[IterationReport]) -> list[int]:
    """The iterations whose networks have been measured, oldest first."""
    ratings = [report.rating for report in reports if report.rating is not None]
    return list(dict.fromkeys(iteration_of(rating.network) for rating in ratings))


def _run_report(config: RunConfig, run: RunFolder, learner: Learner, iteration: int, window: ReplayWindow) -> RunReport:
    return RunReport(
        game=config.game,
        folder=str(run.folder),
        iteration=iteration,
        iterations=config.iterations,
        evaluator=f"OpenVINO, {config.self_play.precision}"
        if learner.device == "cpu"
        else f"torch on {learner.device}",
        threads=_threads(config),
        memory_limit=memory_in_use()
        + most_more_memory(window.game, config, parameters=learner.num_parameters, threads=_threads(config)),
        parameters=learner.num_parameters,
        notes=tuple(run.notes),
    )
