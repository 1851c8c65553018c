"""What fills the stages of the training loop: AlphaZero's self-play, learning, promoting and measuring.

Other methods are classes that fill some of the stages otherwise: `class Mine(AlphaZero)` with a `play` of its own, and
`train(..., method=Mine)`. Records, run folder, resuming, reports and the page stay the same.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from pathlib import Path

import numpy as np

from tengen._core import Game
from tengen.arena import challenge
from tengen.base.crew import Crew, Threads
from tengen.config import RunConfig
from tengen.learner import Learner
from tengen.methods.ahead import PlayedAhead
from tengen.network.checkpoint import NetworkFile
from tengen.network.evaluator import NetworkEvaluator
from tengen.network.playing import PlayingNetwork, PlayingTables
from tengen.players import SearchPlayer
from tengen.records import ShardEnd
from tengen.replay import RecordedStarts, ReplayWindow
from tengen.report import (
    AccuracyReport,
    GateReport,
    ImitationReport,
    IterationReport,
    LearnerReport,
    Observer,
    RatingReport,
    StrengthReport,
)
from tengen.run.clock import Clock, IterationClock, MinutesClock, Plan, Speed
from tengen.run.commits import Commit
from tengen.run.folder import RunFolder
from tengen.run.footprint import threads_of
from tengen.selfplay import GamesInFlight, SelfPlayResult, play_games
from tengen.strength.accuracy import PositionsError, ScoredPositions, evaluate_network, known_positions
from tengen.strength.ratings import iteration_of, measure, network_name

__all__ = ["AlphaZero", "Measured", "new_learner", "rated"]

OLDER_OPPONENTS = 5  # networks of the run that can be met on the ladder, the newest that were rated
ARCHIVE = 4096  # positions from which the games of an iteration may start
ACCURACY_SIMULATIONS = 100  # that the last network is compared with the truth with
ACCURACY_STATES = 10_000  # of a game that is solved for that: a second's work
ACCURACY_LEAST = 50  # positions; for fewer it is not worth it to search
SIMPLE_PLAYERS = ("random", "rollout:100")  # whom the last network meets where the truth is not known
FINAL_SECONDS = 8.0  # that these games may take
PROBES = 32  # positions, and random games, by which speed is estimated before anything was played


@dataclass(frozen=True)
class Measured:
    """How strong the champion is, as far as it was asked in this iteration."""

    strength: tuple[StrengthReport, ...] = ()
    rating: RatingReport | None = None
    accuracy: AccuracyReport | None = None
    imitation: ImitationReport | None = None


class AlphaZero:
    """The stages, and what they hand on from iteration to iteration: window, games in flight, champion."""

    searches = True  # whether the run searches, for which its network needs a value
    plays_in_units = True  # whether a crew, such as a cluster, can play its games

    def __init__(
        self, game: Game, run: RunFolder, learner: Learner, observer: Observer, crew: Crew | None = None
    ) -> None:
        self.game = game
        self.run = run
        self.config = run.config
        self.learner = learner
        self.observer = observer
        self.crew = crew or Threads(threads_of(run.config))  # who plays the units
        self.window = ReplayWindow(game, run.config.replay)
        self.in_flight: tuple[GamesInFlight, ...] = ()
        self.iteration = 0  # iterations done
        self._recorded_starts: RecordedStarts | None = None  # read when they are asked for
        self.champion = self._network()
        self.behind = self.champion  # the champion before: with overlap it plays
        self._ahead: PlayedAhead | None = None

    @staticmethod
    def new_learner(game: Game, config: RunConfig, start: NetworkFile | None = None) -> Learner:
        """Of a new run: with a blank network, or with a copy of `start`."""
        return new_learner(game, config, start)

    def clock(self, minutes: float | None, seconds: Callable[[], float]) -> Clock:
        """What plans the iterations. `seconds` are those of the run so far."""
        if minutes is None:
            return IterationClock(self.config, seconds)
        return MinutesClock(self.config, minutes, seconds, partial(self.first_speed, seconds))

    @property
    def evaluator_text(self) -> str:
        """What evaluates the network in self-play."""
        device = self.learner.device
        return f"OpenVINO, {self.config.self_play.precision}" if device == "cpu" else f"torch on {device}"

    def resume(self, commit: Commit, games_end: ShardEnd) -> None:
        """Goes on after a commit, with the games up to there."""
        self.learner.load_state(self.run.learner_state(commit))
        self.window = ReplayWindow.rebuild(self.game, self.config.replay, self.run.folder / "games", games_end)
        self.in_flight = self.run.games_in_flight(commit)
        self.iteration = commit.iteration
        self.champion = self._network()
        weights = self.run.champion(commit)
        if weights is not None:  # no candidate has beaten it since
            self.champion = replace(self.champion, weights=weights, iteration=commit.champion)
        if commit.behind is not None:
            self.behind = replace(self.champion, weights=self.run.behind(commit), iteration=commit.behind)

    # ---- The stages, in the order of the loop

    def play(self, plan: Plan, clock: Clock) -> SelfPlayResult:
        """Self-play with the champion; with overlap, that of the champion before, which has been going on."""
        if self.config.overlap and self._ahead is None:  # the first iteration, or the first after a kill
            self._ahead = PlayedAhead(self._units(self.behind, plan, self.iteration, clock))
        if self._ahead is not None:
            played = self._ahead.result(partial(self.observer.stage, "self-play"))
            self._ahead = None
        else:
            units = self._units(self.champion, plan, self.iteration, clock)
            played = units(lambda: False, partial(self.observer.stage, "self-play"))
        self.in_flight = played.in_flight
        return played

    def play_ahead(self, plan: Plan | None, clock: Clock) -> None:
        """Begins the next iteration, beside the learning of this one, with the champion as it is before. None: there is
        no next one.
        """
        if plan is not None:
            self._ahead = PlayedAhead(self._units(self.champion, plan, self.iteration + 1, clock))

    def leave(self) -> None:
        """The run ends here, or fails: nobody waits for what is played ahead."""
        if self._ahead is not None:
            self._ahead.leave()

    def _units(
        self, network: NetworkFile, plan: Plan, iteration: int, clock: Clock
    ) -> Callable[[Callable[[], bool], Callable[[int, int], None]], SelfPlayResult]:
        """The self-play of an iteration. What it depends on is taken now; the window may change before it ends."""
        playing, archive, in_flight = self._playing(network, iteration), self._archive(iteration), self.in_flight
        settings = plan.play.model_copy(update={"resign_below": self.window.resign_below(plan.play.resign_below)})

        def play(should_stop: Callable[[], bool], on_progress: Callable[[int, int], None]) -> SelfPlayResult:
            began = clock.seconds()
            played = play_games(
                self.game,
                playing,
                settings,
                seed=self.config.seed,
                iteration=iteration,
                network=network.digest,
                in_flight=in_flight,
                archive=archive,
                least_games=plan.least_games,
                crew=self.crew,
                should_stop=lambda: should_stop() or clock.seconds() >= plan.play_until,
                on_progress=on_progress,
            )
            # By the clock of the run, which need not be that of the wall: speed is what iterations are planned by.
            return replace(played, report=replace(played.report, seconds=clock.seconds() - began))

        return play

    def learn(self, plan: Plan, clock: Clock, positions: int) -> LearnerReport:
        """As many samples for each of these new positions as the config says. The iteration counts from here on."""
        learner = self.config.learner
        steps = max(1, round(positions * learner.samples_per_position / learner.batch)) if self.window.positions else 0
        return self._learn_steps(steps, plan, clock)

    def _learn_steps(self, steps: int, plan: Plan, clock: Clock) -> LearnerReport:
        began = clock.seconds()
        learned = self.learner.learn(
            self.window,
            steps,
            np.random.default_rng([self.config.seed, self.iteration]),
            progress=plan.progress,
            on_step=partial(self.observer.stage, "learning"),
            should_stop=lambda: clock.seconds() >= plan.learn_until,
        )
        self.iteration += 1
        return replace(learned, seconds=clock.seconds() - began)

    def promote(self, plan: Plan) -> GateReport | None:
        """The averaged network becomes the champion: at once or, if gating, when it beats the one before."""
        candidate = self._network()
        self.behind = self.champion
        if not self.config.arena.gating or plan.gate_seconds == 0.0:
            self.champion = candidate
            return None
        gate = self._gate(candidate, plan)
        if gate.promoted:
            self.champion = candidate
        return gate

    def measure(self, clock: Clock, reports: Sequence[IterationReport]) -> Measured:
        """Where the champion stands, if it is time to know. `reports` has this iteration too."""
        strength: tuple[StrengthReport, ...] = ()
        rating = accuracy = None
        if seconds := clock.ladder_seconds(self.iteration, reports):
            strength, rating = self._ladder(reports, seconds, self.config.arena.anchors)
        if seconds := clock.final_seconds(self.iteration, reports):
            accuracy = self._accuracy(reports[-1], seconds)
            if accuracy is None and not strength:
                strength, rating = self._ladder(reports, min(seconds, FINAL_SECONDS), SIMPLE_PLAYERS)
        return Measured(strength, rating, accuracy)

    # ---- What they are made of

    def first_speed(self, now: Callable[[], float] = time.perf_counter) -> Speed:
        """A guess before anything was played: half of what the network alone could do, and games between beginners."""
        [evaluator, *_] = self._evaluators(self.champion)
        planes = np.zeros((PROBES, *self.game.spec.planes_shape), np.float32)
        evaluator(planes)  # compiles
        started = now()
        evaluator(planes)
        evaluated = now()
        random_games = self.game.random_playouts(PROBES, self.config.seed)
        a_ply = (now() - evaluated) / max(1, random_games.actions)
        plies = max(1.0, random_games.actions / PROBES)
        seconds = (evaluated - started) / PROBES + a_ply * math.sqrt(plies)
        return Speed(simulations=0.5 * self.crew.threads / seconds, plies=plies)

    def _network(self) -> NetworkFile:
        """The averaged network, with the run that made it. Its values are discounted as the search discounts."""
        return self.learner.network_file(
            run=self.run.folder.resolve().name, iteration=self.iteration, seed=str(self.config.seed)
        )

    def _playing(self, network: NetworkFile, iteration: int | None = None) -> PlayingNetwork | PlayingTables:
        """int8 is calibrated on positions of the window; without enough of them bf16 plays."""
        if network.architecture.tables is not None:
            return PlayingTables(network, self.game)
        config, device = self.config, self.learner.device
        calibration = None
        if config.self_play.precision == "int8" and device == "cpu" and self.window.positions >= 1000:
            rng = np.random.default_rng([config.seed, self.iteration if iteration is None else iteration, 1])
            calibration = self.window.sample(512, rng).planes
        return PlayingNetwork(network, config.self_play.precision, device, calibration)

    def _evaluators(self, network: NetworkFile) -> list[NetworkEvaluator]:
        """One a thread of this machine."""
        return self._playing(network).evaluators(threads_of(self.config))

    def _archive(self, iteration: int) -> list[list[int]]:
        if self.config.self_play.archive_start_share == 0.0:
            return []
        if self._recorded_starts is None and self.config.self_play.archive_records:
            self._recorded_starts = RecordedStarts(self.game, Path(self.config.self_play.archive_records))
        rng = np.random.default_rng([self.config.seed, iteration, 2])
        return (self._recorded_starts or self.window).starts(ARCHIVE, rng)

    def _gate(self, candidate: NetworkFile, plan: Plan) -> GateReport:
        arena = self.config.arena
        games, simulations = arena.gating_games, arena.simulations
        if plan.speed is not None:  # as many as fit into the time, and at least eight of them
            plies = plan.speed.simulations * plan.gate_seconds / plan.speed.plies  # a simulation each, of one game
            simulations = min(simulations, max(1, int(plies / 8)))
            games = min(games, max(2, int(plies / simulations) // 2 * 2))
        started = time.perf_counter()
        played = count(1)
        seats = zip(self._players(candidate, simulations), self._players(self.champion, simulations), strict=True)
        answer = challenge(
            self.game,
            list(seats),
            games=games,
            threshold=arena.threshold,
            seed=self.iteration,
            opening_plies=self._opening_plies,
            on_game=lambda _: self.observer.stage("candidate against champion", next(played), games),
            should_stop=lambda: time.perf_counter() - started >= plan.gate_seconds,
        )
        return GateReport(
            champion=self.champion.iteration,
            games=len(answer.match.games),
            score=answer.match.score if answer.match.games else 0.0,
            promoted=answer.promoted,
            seconds=time.perf_counter() - started,
        )

    def _ladder(
        self, reports: Sequence[IterationReport], seconds: float, anchors: tuple[str, ...]
    ) -> tuple[tuple[StrengthReport, ...], RatingReport | None]:
        arena = self.config.arena.model_copy(update={"anchors": anchors})
        simulations = arena.simulations
        if seconds < math.inf:  # the first two games of every match take a quarter of the time, or less
            newest = reports[-1].self_play
            moves = arena.opponents * max(1.0, newest.mean_length)
            simulations = min(simulations, max(1, int(newest.simulations / newest.seconds * seconds / 4 / moves)))
        older = self.run.readable_networks(rated(reports)[-OLDER_OPPONENTS:])
        champion = self.champion.iteration
        networks = {**older, champion: self.champion}
        return measure(
            self.game,
            arena,
            champion,
            reports,
            seats=lambda number: self._players(networks[number], simulations),
            older=older,
            seed=self.iteration,
            opening_plies=self._opening_plies,
            seconds=seconds,
            on_progress=partial(self.observer.stage, "measuring"),
        )

    def _accuracy(self, report: IterationReport, seconds: float) -> AccuracyReport | None:
        """None where nobody knows the truth."""
        started = time.perf_counter()
        try:
            known = known_positions(self.game, most_states=ACCURACY_STATES)
        except PositionsError:
            return None
        left = seconds - (time.perf_counter() - started)
        a_second = report.self_play.simulations / report.self_play.seconds
        count = len(known) if left == math.inf else int(a_second * left / (ACCURACY_SIMULATIONS + 1))
        positions = known.some(max(ACCURACY_LEAST, count))
        found = self._compared(positions, ACCURACY_SIMULATIONS if count >= ACCURACY_LEAST else 0)
        return replace(found, seconds=time.perf_counter() - started)

    def _compared(self, positions: ScoredPositions, simulations: int) -> AccuracyReport:
        """The champion with the truth; how long it took is not said."""
        found = evaluate_network(self._evaluators(self.champion), positions, simulations)
        return AccuracyReport(
            positions=len(positions),
            about=positions.about,
            network=found.raw.good,
            search=found.search.good if found.search else None,
            simulations=found.simulations,
            seconds=0.0,
        )

    def _players(self, network: NetworkFile, simulations: int) -> list[SearchPlayer]:
        """The network with the search of self-play, but without noise, as a player for each thread."""
        params = self.config.self_play.search_params.replace(simulations=simulations, cache_entries=0)
        name = network_name(network.iteration)
        return [SearchPlayer(name, params, evaluator) for evaluator in self._evaluators(network)]

    @property
    def _opening_plies(self) -> int:
        return min(self.config.arena.opening_plies, self.game.spec.longest_game // 4)


def new_learner(game: Game, config: RunConfig, start: NetworkFile | None = None) -> Learner:
    """A learner with a blank network, or one that goes on from `start`."""
    discounted = start.discount if start else discount(config)
    return Learner(game, config.network, config.learner, seed=config.seed, discount=discounted, start=start)


def discount(config: RunConfig) -> float:
    return float(config.self_play.search.get("discount", 1.0))


def rated(reports: Sequence[IterationReport]) -> list[int]:
    """The iterations whose networks have been measured, oldest first."""
    ratings = [report.rating for report in reports if report.rating is not None]
    return list(dict.fromkeys(iteration_of(rating.network) for rating in ratings))
