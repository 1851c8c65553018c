"""The training loop: self-play, replay, learning, promoting, measuring; again until the run is done.

A run is a folder (run/folder.py). The same call goes on with it, and ends with the same bits as if never stopped. What
the stages do is in methods/; how long a run goes on and how large its iterations are, in run/clock.py.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import asdict, replace
from pathlib import Path

from tengen import games
from tengen._core import Game
from tengen.base.crew import Crew
from tengen.base.memory import MemoryLimitError, gigabytes, memory_in_use
from tengen.config import ConfigError, RunConfig
from tengen.learner.learner import Learner, Partners
from tengen.methods import AlphaZero, Measured, method_of, rated
from tengen.methods.alphazero import discount
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
    crew: Crew | None = None,
    start: NetworkFile | None = None,
    now: Callable[[], float] = time.perf_counter,
) -> Path:
    """Trains until config.iterations are done, or for that many minutes; returns the file of the champion.

    Without gating every candidate becomes the champion. `memory` is how many bytes the run may take: one that may need
    more is refused, and one that takes more after all ends with its iteration. `method` fills the stages; it is
    the one that config.method names if it is not given. `crew` plays the units: this machine's threads if it is not
    given, or a cluster (`tengen.cluster`), with the same bits. `start` is the network that a new run begins with
    (run/start.py makes the config that goes with it). `now` is the clock, in seconds.
    """
    began = now()
    # Whatever may be wrong with the start shows before anything is written.
    game = games.load(config.game, **config.options)
    check_same_game(folder, game)
    method = method or method_of(config)
    _check_fitting(config, method, minutes, crew)
    check_memory(game, config, parameters=count_parameters(game, config), threads=threads_of(config), given=memory)
    learner = method.new_learner(game, config, start)
    if config.learner.partners:
        learner.share_with(_partners(game, config, crew, learner))
    warning = check_memory(game, config, parameters=learner.num_parameters, threads=threads_of(config), given=memory)
    with RunFolder(folder, config) as run, ExitStack() as held:
        commit = run.newest_commit()
        if commit is None and config.start and start is None:
            raise ConfigError(f"start: this run begins with the network {config.start[:12]}; give it with --from.")
        stages = method(game, run, learner, observer, crew)
        held.callback(stages.leave)
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

            # 3. Learning; with overlap, beside the self-play of the next iteration.
            if run.config.overlap:
                stages.play_ahead(clock.plan(stages.iteration + 1, reports, _games_at_once(stages)), clock)
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
                behind=stages.behind if run.config.overlap else None,
            )
            run.remove_networks(stages.champion.iteration, kept=rated(reports))
            observer.iteration_finished(reports[-1])
            _check_kept(memory)
        writer.close()
        path = run.save_network(stages.champion, stages.champion.iteration)
        run.remove_networks(stages.champion.iteration, kept=rated(reports))
        return path


def _partners(game: Game, config: RunConfig, crew: Crew | None, learner: Learner) -> Partners:
    if crew is None or not hasattr(crew, "partners"):
        raise ConfigError("learner.partners: only a cluster has them; give --cluster, or leave them out.")
    if config.network.module or type(learner) is not Learner:  # one that learns otherwise takes steps of its own
        raise ConfigError(
            "learner.partners: this method, or a module of one's own, learns in one process; leave it out."
        )
    found: Partners = crew.partners(game, config, discount(config))
    return found


def _check_fitting(config: RunConfig, method: type[AlphaZero], minutes: float | None, crew: Crew | None) -> None:
    """Refuses settings that do not go together, and a crew that would have nothing to do."""
    if config.network.kind == "policy" and method.searches:
        raise ConfigError("network.kind: a run searches, and a search needs a value, which 'policy' alone has not.")
    if config.network.grow and config.arena.gating:
        raise ConfigError("network.grow: with arena.gating an older and smaller champion would play on; choose one.")
    if crew is not None and not method.plays_in_units:
        raise ConfigError(
            f"method: '{config.method}' does not play in units, so a cluster would be idle; leave it out."
        )
    if not config.overlap:
        return
    if method.play is not AlphaZero.play:
        raise ConfigError("overlap: only methods that play as AlphaZero does can play ahead; leave it out.")
    if config.network.grow:
        raise ConfigError("overlap: an older and smaller network would play on after network.grow; choose one.")
    if minutes is not None:
        raise ConfigError("overlap: a run of minutes sizes each iteration by the last one; give --iterations.")


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
        threads=stages.crew.threads,
        memory_limit=memory_in_use() + more,
        parameters=learner.num_parameters,
        notes=(*stages.run.notes, *([warning] if warning else [])),
        start=config.start,
        seconds_left=None if minutes is None else clock.seconds_left(stages.iteration, []),
    )
