"""The AlphaZero loop: self-play, replay, learning, measuring, promoting; again until the run is done.

A run is a folder (run_folder.py). The same call goes on with it, and ends with the same bits as if never stopped.
"""

from __future__ import annotations

import math
import os
import time
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path

import numpy as np

from tengen import games
from tengen._core import Game
from tengen.arena import play_match
from tengen.config import RunConfig, SelfPlayConfig
from tengen.diagnostics import find_problems
from tengen.learner import Learner
from tengen.memory import memory_in_use, most_more_memory
from tengen.network.checkpoint import NetworkFile
from tengen.network.evaluator import NetworkEvaluator, make_evaluator
from tengen.players import SearchPlayer, make_player
from tengen.replay import ReplayWindow
from tengen.report import SILENT, IterationReport, Observer, RunReport, StrengthReport
from tengen.run_folder import RunFolder
from tengen.selfplay import GamesInFlight, play_games

__all__ = ["train"]

ARCHIVE = 4096  # positions from which the games of an iteration may start


def train(config: RunConfig, folder: Path, observer: Observer = SILENT, *, minutes: float | None = None) -> Path:
    """Trains until config.iterations are done, or for that many minutes, and returns the last network's file."""
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
        started = time.perf_counter() - seconds_before
        clock = _Clock(config, minutes)
        observer.run_started(_run_report(config, run, learner, iteration, window))

        reports: list[IterationReport] = []
        while not clock.is_over(iteration, time.perf_counter() - started):
            progress = clock.progress(iteration, time.perf_counter() - started)

            # 1. Self-play with the averaged network.
            network = _network(learner, config, folder, iteration)
            evaluators = _evaluators(network, config, window, iteration)
            played = play_games(
                game,
                evaluators,
                _self_play(config, window),
                seed=config.seed,
                iteration=iteration,
                network=network.digest,
                in_flight=in_flight,
                archive=_archive(config, window, iteration),
                on_progress=partial(observer.stage, "self-play"),
            )
            in_flight = played.in_flight

            # 2. Records, into the files and into the window.
            writer.append(played.records)
            for record in played.records:
                window.add(record)

            # 3. Learning.
            steps = _steps(config, played.report.positions) if window.positions else 0
            after = clock.progress(iteration + 1, time.perf_counter() - started)
            rng = np.random.default_rng([config.seed, iteration])
            learned = learner.learn(
                window, steps, rng, progress=(progress, after), on_step=partial(observer.stage, "learning")
            )
            iteration += 1
            network = _network(learner, config, folder, iteration)

            # 4. Measuring now and then, and what it all says.
            strength: tuple[StrengthReport, ...] = ()
            if config.arena.every and iteration % config.arena.every == 0:
                strength = _measure(game, network, config, iteration, observer)
            spent = time.perf_counter() - started
            report = IterationReport(
                iteration=iteration,
                iterations=config.iterations,
                self_play=played.report,
                learner=learned,
                strength=strength,
                findings=(),
                promoted=True,
                seconds=spent,
                seconds_left=clock.left(iteration, spent),
                memory=memory_in_use(),
            )
            reports.append(report)
            report = _with_findings(config, reports)

            # 5. Everything that the next iteration needs, on disk; the commit last.
            run.save_network(network, iteration)
            run.commit(
                iteration=iteration,
                seconds=spent,
                games_end=writer.commit(),
                metrics_bytes=run.append_metrics(asdict(report)),
                in_flight=in_flight,
                learner=learner.state(),
            )
            observer.iteration_finished(report)
        writer.close()
        return run.save_network(_network(learner, config, folder, iteration), iteration)


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


def _network(learner: Learner, config: RunConfig, folder: Path, iteration: int) -> NetworkFile:
    """What plays, with the run that made it. Its values are discounted as the search of the run discounts."""
    return learner.network_file(
        run=folder.resolve().name, iteration=str(iteration), seed=str(config.seed), discount=f"{_discount(config):g}"
    )


def _discount(config: RunConfig) -> float:
    return float(config.self_play.search.get("discount", 1.0))


def _threads(config: RunConfig) -> int:
    return config.self_play.threads or os.cpu_count() or 1


def _evaluators(
    network: NetworkFile, config: RunConfig, window: ReplayWindow, iteration: int
) -> list[NetworkEvaluator]:
    """One per thread. int8 is calibrated on positions of the window; before there are any, bf16 plays."""
    precision = config.self_play.precision
    calibration = None
    if precision == "int8":
        if window.positions < 1000:
            precision = "bf16"
        else:
            calibration = window.sample(512, np.random.default_rng([config.seed, iteration, 1])).planes
    first = make_evaluator(network, backend="openvino", precision=precision, threads=1, calibration=calibration)
    return [first, *(first.clone() for _ in range(_threads(config) - 1))]


def _self_play(config: RunConfig, window: ReplayWindow) -> SelfPlayConfig:
    threshold = window.resign_below(config.self_play.resign_below)
    return config.self_play.model_copy(update={"resign_below": threshold})


def _archive(config: RunConfig, window: ReplayWindow, iteration: int) -> list[list[int]]:
    if config.self_play.archive_start_share == 0.0:
        return []
    return window.starts(ARCHIVE, np.random.default_rng([config.seed, iteration, 2]))


def _steps(config: RunConfig, positions: int) -> int:
    return max(1, round(positions * config.learner.samples_per_position / config.learner.batch))


def _measure(
    game: Game, network: NetworkFile, config: RunConfig, iteration: int, observer: Observer
) -> tuple[StrengthReport, ...]:
    """The network with search against each anchor."""
    params = config.self_play.search_params.replace(simulations=config.arena.simulations)
    player = SearchPlayer("network", params, make_evaluator(network, backend="openvino", precision="f32"))
    reports = []
    for number, anchor in enumerate(config.arena.anchors):
        observer.stage(f"measuring against {anchor}", number, len(config.arena.anchors))
        match = play_match(game, (player, make_player(anchor, game)), games=config.arena.games, seed=iteration)
        reports.append(StrengthReport(anchor, config.arena.games, match.score, match.interval))
    return tuple(reports)


def _with_findings(config: RunConfig, reports: list[IterationReport]) -> IterationReport:
    reports[-1] = replace(reports[-1], findings=find_problems(config, reports))
    return reports[-1]


def _run_report(config: RunConfig, run: RunFolder, learner: Learner, iteration: int, window: ReplayWindow) -> RunReport:
    return RunReport(
        game=config.game,
        folder=str(run.folder),
        iteration=iteration,
        iterations=config.iterations,
        evaluator=f"OpenVINO, {config.self_play.precision}",
        threads=_threads(config),
        memory_limit=memory_in_use()
        + most_more_memory(window.game, config, parameters=learner.num_parameters, threads=_threads(config)),
        parameters=learner.num_parameters,
        notes=tuple(run.notes),
    )
