"""The training loop: self-play, replay, learning, promoting, measuring; again until the run is done.

A run is a folder (run/folder.py). The same call goes on with it, and ends with the same bits as if never stopped. What
the stages do is in methods/; how long a run goes on and how large its iterations are, in run/clock.py.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path

from tengen import games
from tengen.base.memory import MemoryLimitError, gigabytes, memory_in_use
from tengen.config import ConfigError, RunConfig
from tengen.methods import AlphaZero, Measured, method_of, rated
from tengen.network.checkpoint import NetworkFile
from tengen.report import SILENT, GateReport, IterationReport, LearnerReport, Observer, RunReport, SelfPlayReport
from tengen.run.clock import Clock
from tengen.run.diagnostics import find_problems
from tengen.run.folder import RunFolder, check_same_game
from tengen.run.footprint import check_memory, count_parameters, most_more_memory, threads_of

__all__ = ["train"]


def train(
    config: RunConfig,
    folder: Path,
    observer: Observer = SILENT,
    *,
    minutes: float | None = None,
    memory: int | None = None,
    method: type[AlphaZero] | None = None,
    start: NetworkFile | None = None,
    now: Callable[[], float] = time.perf_counter,
) -> Path:
    """Trains until config.iterations are done, or for that many minutes; returns the file of the champion.

    Without gating every candidate becomes the champion. `memory` is how many bytes the run may take: one that may need
    more is refused, and one that takes more after all ends with its iteration. `method` fills the stages; it is
    the one that config.method names if it is not given. `start` is the network that a new run begins with (run/start.py
    makes the config that goes with it). `now` is the clock, in seconds.
    """
    began = now()
    # Whatever may be wrong with the start shows before anything is written.
    game = games.load(config.game, **config.options)
    check_same_game(folder, game)
    if config.network.grow and config.arena.gating:
        raise ConfigError("network.grow: with arena.gating an older and smaller champion would play on; choose one.")
    method = method or method_of(config)
    if config.network.kind == "policy" and method.searches:
        raise ConfigError("network.kind: a run searches, and a search needs a value, which 'policy' alone has not.")
    check_memory(game, config, parameters=count_parameters(game, config), threads=threads_of(config), given=memory)
    learner = method.new_learner(game, config) if start is None else method.new_learner(game, config, start)
    warning = check_memory(game, config, parameters=learner.num_parameters, threads=threads_of(config), given=memory)
    with RunFolder(folder, config) as run:
        commit = run.newest_commit()
        if commit is None and config.start and start is None:
            raise ConfigError(f"start: this run begins with the network {config.start[:12]}; give it with --from.")
        stages = method(game, run, learner, observer)
        run.begin(commit, minutes)
        writer = run.writer(game, commit)
        if commit is not None:
            stages.resume(commit, writer.end)
            began -= commit.seconds
        clock = stages.clock(minutes, lambda: now() - began)
        reports = run.reports()
        observer.run_started(_run_report(stages, clock, minutes, warning))

        while (plan := clock.plan(stages.iteration, reports, _games_at_once(stages))) is not None:
            # 1. Self-play with the champion.
            played = stages.play(plan, clock)

            # 2. Records, into the files and into the window.
            writer.append(played.records)
            for record in played.records:
                stages.window.add(record)

            # 3. Learning.
            learned = stages.learn(plan, clock, played.report.positions)

            # 4. Promoting.
            gate = stages.promote(plan)

            # 5. Measuring now and then, and what it all says.
            report = _report(stages, clock, played.report, learned, gate)
            report = _with_strength(report, stages.measure(clock, [*reports, report]), clock, reports)
            reports.append(replace(report, findings=find_problems(run.config, [*reports, report])))

            # 6. Everything that the next iteration needs, on disk. The commit says how far the games and the figures
            # go, so both are made durable before it is written, and it is written last: a kill before it undoes the
            # iteration, a kill after it loses nothing.
            run.save_network(stages.champion, stages.champion.iteration)
            games_end = writer.commit()
            metrics_bytes = run.append_metrics(asdict(reports[-1]))
            run.commit(
                iteration=stages.iteration,
                seconds=report.seconds,
                minutes=minutes,
                games_end=games_end,
                metrics_bytes=metrics_bytes,
                in_flight=stages.in_flight,
                learner=learner.state(),
                champion=stages.champion.iteration,
                champion_weights=stages.champion.weights,
            )
            run.remove_networks(stages.champion.iteration, kept=rated(reports))
            observer.iteration_finished(reports[-1])
            _check_kept(memory)
        writer.close()
        path = run.save_network(stages.champion, stages.champion.iteration)
        run.remove_networks(stages.champion.iteration, kept=rated(reports))
        return path


def _check_kept(memory: int | None) -> None:
    if memory is not None and (used := memory_in_use()) > memory:
        raise MemoryLimitError(
            f"The run has taken {gigabytes(used)}, more than the {gigabytes(memory)} that it may; it was stopped after "
            "an iteration, and everything is kept. It goes on with more memory."
        )


def _games_at_once(stages: AlphaZero) -> int:
    """Of a unit."""
    return max((len(unit.games) for unit in stages.in_flight), default=0)


def _report(
    stages: AlphaZero, clock: Clock, played: SelfPlayReport, learned: LearnerReport, gate: GateReport | None
) -> IterationReport:
    """Of the iteration so far: what comes after the stages is not in it yet."""
    return IterationReport(
        iteration=stages.iteration,
        iterations=stages.config.iterations,
        self_play=played,
        learner=learned,
        strength=(),
        findings=(),
        promoted=stages.champion.iteration == stages.iteration,
        seconds=clock.seconds(),
        seconds_left=0.0,
        memory=memory_in_use(),
        window_age=stages.iteration - stages.window.oldest_iteration,
        gate=gate,
    )


def _with_strength(
    report: IterationReport, measured: Measured, clock: Clock, before: list[IterationReport]
) -> IterationReport:
    return replace(
        report,
        strength=measured.strength,
        rating=measured.rating,
        accuracy=measured.accuracy,
        imitation=measured.imitation,
        seconds=clock.seconds(),
        seconds_left=clock.seconds_left(report.iteration, [*before, report]),
        memory=memory_in_use(),
    )


def _run_report(stages: AlphaZero, clock: Clock, minutes: float | None, warning: str) -> RunReport:
    config, learner = stages.config, stages.learner
    more = most_more_memory(stages.game, config, parameters=learner.num_parameters, threads=threads_of(config))
    return RunReport(
        game=config.game,
        folder=str(stages.run.folder),
        iteration=stages.iteration,
        iterations=config.iterations,
        evaluator=stages.evaluator_text,
        threads=threads_of(config),
        memory_limit=memory_in_use() + more,
        parameters=learner.num_parameters,
        notes=(*stages.run.notes, *([warning] if warning else [])),
        start=config.start,
        seconds_left=None if minutes is None else clock.seconds_left(stages.iteration, []),
    )
