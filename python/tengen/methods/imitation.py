"""Imitation: the network learns to foretell the moves of recorded games, and who won them (AlphaGo 2016, stage one).

The games are split once, by a hash of their moves: most are learned from; validation games tell after every iteration
whether the network became better, and the best one is the champion; test games are looked at once, at the end. Folder,
resuming, reports and page are those of every run, so that `tengen train --from` goes on from it by self-play.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tengen._core import Game, RecordError
from tengen.base.crew import Crew
from tengen.config import ConfigError, RunConfig
from tengen.learner import Learner
from tengen.methods.alphazero import AlphaZero, Measured, new_learner
from tengen.network.checkpoint import NetworkFile
from tengen.network.evaluator import Backend, Evaluator, make_evaluator
from tengen.records import POLICY_PARTS, GameRecord, ShardEnd, read_games
from tengen.replay import EVERYTHING, ReplayWindow
from tengen.report import (
    ForetoldReport,
    GateReport,
    ImitationReport,
    IterationReport,
    LearnerReport,
    Observer,
    SelfPlayReport,
)
from tengen.run.clock import Clock, Plan
from tengen.run.commits import Commit
from tengen.run.folder import RunFolder
from tengen.selfplay import SelfPlayResult

__all__ = ["Imitation", "Split", "foretold", "imitated", "read_split", "split_of"]

BATCH = 256  # positions that are evaluated at once
MOST_TESTED = 50_000  # positions of the test games
ITERATIONS = 25  # of a run of minutes
FIRST_STEPS = 40  # of its first iteration, by which its speed is measured
TOLD = 0.05  # share of the minutes that are left for the test games
NO_PLAY = SelfPlayReport(0, 0, 0, 0, 0.0, 0.0, 1, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


# ---- The games


@dataclass(frozen=True)
class Split:
    """Windows over the games of a folder. A game, however often it is in the folder, is in one of them."""

    train: ReplayWindow
    validation: ReplayWindow
    test: ReplayWindow


def split_of(record: GameRecord) -> float:
    """Where a game belongs, from 0 to 1: the same for all games with the same start and moves, on every machine."""
    content = (record.start or "").encode() + b"\0" + record.moves.astype("<u2").tobytes()
    return int.from_bytes(blake2b(content, digest_size=8).digest()) / 2**64


def imitated(record: GameRecord) -> GameRecord:
    """The record with every move that was played as the policy target of its position."""
    plies = len(record.moves)
    return replace(
        record,
        recorded=np.arange(plies, dtype=np.uint16),
        offsets=np.arange(plies + 1, dtype=np.int64),
        actions=record.moves,
        parts=np.full(plies, POLICY_PARTS, np.uint16),
        root_values=np.zeros(plies, np.float32),
        surprise=np.zeros(plies, np.float32),
    )


def read_split(game: Game, config: RunConfig) -> Split:
    """The games that the config names. RecordError if there are too few for three parts."""
    settings = config.imitation
    if not settings.records:
        raise ConfigError("imitation.records: which records? Give --records DIR, a folder of `tengen records import`.")
    folder = Path(settings.records)
    folder = folder / "games" if (folder / "games").is_dir() else folder
    if not folder.is_dir():
        raise RecordError(f"There is no folder {folder} with records; `tengen records import` makes one.")
    split = Split(*(ReplayWindow(game, EVERYTHING) for _ in range(3)))
    for record in read_games(folder, game):
        where = split_of(record)
        is_test, is_held_out = where < settings.test_share, where < settings.test_share + settings.validation_share
        part = split.test if is_test else split.validation if is_held_out else split.train
        part.add(imitated(record))
    if not (split.train.positions and split.validation.positions and split.test.positions):
        raise RecordError(
            f"The {sum(part.games for part in (split.train, split.validation, split.test))} games of {folder} are too "
            "few to be split into games to learn from, to validate and to test; raise imitation.validation_share and "
            "imitation.test_share, or import more games."
        )
    return split


# ---- How well a network foretells them


def foretold(
    window: ReplayWindow,
    evaluator: Evaluator,
    most: int,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> ForetoldReport:
    """A network on at most so many positions, evenly from the whole window, without symmetries."""
    count = min(most, window.positions)
    positions = np.linspace(0, window.positions, count, endpoint=False).astype(np.int64)
    first = fifth = loss = 0.0
    errors: list[NDArray[np.float64]] = []
    for begin in range(0, count, BATCH):
        samples = window.samples_of(
            positions[begin : begin + BATCH], np.zeros(len(positions[begin : begin + BATCH]), np.int64)
        )
        answer = evaluator(samples.planes)
        logits = np.where(samples.legal, answer.logits.astype(np.float64), -np.inf)  # [B, A]
        played = samples.policy.argmax(axis=1)
        of_played = logits[np.arange(len(played)), played]
        rank = (logits > of_played[:, None]).sum(axis=1)
        first += float((rank < 1).sum())
        fifth += float((rank < 5).sum())
        loss += float((np.logaddexp.reduce(logits, axis=1) - of_played).sum())
        values = answer.values if answer.values.ndim == 1 else answer.values[:, 0] - answer.values[:, 2]
        errors.append((values.astype(np.float64) - samples.value_outcome) ** 2)
        on_progress(min(count, begin + BATCH), count)
    error = np.concatenate(errors)
    known = error[~np.isnan(error)]
    return ForetoldReport(
        games=window.games,
        positions=count,
        top1=first / count,
        top5=fifth / count,
        policy_loss=loss / count,
        value_error=float(known.mean()) if len(known) else None,
    )


# ---- The stages


class Imitation(AlphaZero):
    """Nobody plays: the games are there. Learning, choosing the best network, and measuring it."""

    searches = False
    plays_in_units = False

    def __init__(
        self, game: Game, run: RunFolder, learner: Learner, observer: Observer, crew: Crew | None = None
    ) -> None:
        super().__init__(game, run, learner, observer, crew)
        self._split = read_split(game, run.config)
        self.window = self._split.train
        self._lowest = math.inf  # policy loss of the champion on the validation games
        self._validation: ForetoldReport | None = None  # of the newest candidate
        self._seconds = 0.0  # that this took
        self._step = 0.0  # seconds of a step of the learner; 0: not known

    @staticmethod
    def new_learner(game: Game, config: RunConfig, start: NetworkFile | None = None) -> Learner:
        """The value learns from the results alone: nobody searched."""
        if config.network.kind == "value":
            raise ConfigError("network.kind: a network that imitates needs a policy, which 'value' alone has not.")
        of_results = config.learner.model_copy(update={"search_value_share": 0.0})
        return new_learner(game, config.model_copy(update={"learner": of_results}), start)

    def clock(self, minutes: float | None, seconds: Callable[[], float]) -> Clock:
        return ImitationClock(self.config, minutes, seconds)

    @property
    def evaluator_text(self) -> str:
        parts = (self._split.train, self._split.validation, self._split.test)
        games, validation, test = (f"{part.games:,}" for part in parts)
        return f"learns from {games} games, {validation} validate and {test} test it"

    def resume(self, commit: Commit, games_end: ShardEnd) -> None:
        super().resume(commit, games_end)
        self.window = self._split.train
        losses = [report.imitation.validation.policy_loss for report in self.run.reports() if report.imitation]
        self._lowest = min(losses, default=math.inf)

    def play(self, plan: Plan, clock: Clock) -> SelfPlayResult:
        """Nothing: the games are there."""
        return SelfPlayResult((), (), NO_PLAY)

    def learn(self, plan: Plan, clock: Clock, positions: int) -> LearnerReport:
        """So many steps on positions of the games, each under a random symmetry."""
        steps, began = self.config.imitation.steps, clock.seconds()
        if plan.learn_until < math.inf:
            steps = max(1, round((plan.learn_until - began) / self._step)) if self._step else FIRST_STEPS
        learned = self._learn_steps(steps, plan, clock)
        self._step = learned.seconds / max(1, learned.steps)
        return learned

    def promote(self, plan: Plan) -> GateReport | None:
        """The candidate becomes the champion if it foretells the moves of the validation games better."""
        candidate, started = self._network(), time.perf_counter()
        self._validation = self._foretold(candidate, self._split.validation, self.config.imitation.positions)
        self._seconds = time.perf_counter() - started
        if self._validation.policy_loss < self._lowest:
            self._lowest = self._validation.policy_loss
            self.champion = candidate
        return None

    def measure(self, clock: Clock, reports: Sequence[IterationReport]) -> Measured:
        """The champion on the test games, once the run is over."""
        assert self._validation is not None
        found = ImitationReport(self._validation, None, self._seconds)
        newest = replace(reports[-1], imitation=found)
        if clock.plan(self.iteration, [*reports[:-1], newest], 0) is None:
            started = time.perf_counter()
            test = self._foretold(self.champion, self._split.test, MOST_TESTED)
            found = replace(found, test=test, seconds=self._seconds + time.perf_counter() - started)
        return Measured(imitation=found)

    def _foretold(self, network: NetworkFile, window: ReplayWindow, most: int) -> ForetoldReport:
        device = self.learner.device
        backend: Backend = "openvino" if device == "cpu" else "torch"
        evaluator = make_evaluator(network, backend=backend, precision="f32", threads=1, device=device, game=self.game)
        return foretold(window, evaluator, most, partial(self.observer.stage, "foretelling"))


class ImitationClock:
    """A run of so many iterations or minutes, that ends earlier when the network becomes no better."""

    def __init__(self, config: RunConfig, minutes: float | None, seconds: Callable[[], float]) -> None:
        self._config = config
        self._whole = None if minutes is None else 60.0 * minutes
        self.seconds = seconds
        self._decided: dict[int, bool] = {}  # by iteration: whether the run is over after it

    def plan(self, iteration: int, reports: Sequence[IterationReport], at_once: int) -> Plan | None:
        """The same answer whenever it is asked of an iteration: what is done at the end depends on it."""
        if self._decided.setdefault(iteration, self._is_over(iteration, reports)):
            return None
        play = self._config.self_play
        if self._whole is None:
            return Plan(play, (iteration / self._config.iterations, (iteration + 1) / self._config.iterations))
        now, end = self.seconds(), self._end()
        until = min(end, now + end / ITERATIONS)
        return Plan(play, (min(1.0, now / end), min(1.0, until / end)), learn_until=max(until, now + 0.01 * end))

    def seconds_left(self, iteration: int, reports: Sequence[IterationReport]) -> float:
        if self._decided.get(iteration, False):
            return 0.0
        if self._whole is not None:
            return max(0.0, self._whole - self.seconds())
        left = max(0, self._config.iterations - iteration)
        return self.seconds() * left / iteration if iteration else math.inf

    def ladder_seconds(self, iteration: int, reports: Sequence[IterationReport]) -> float:
        return 0.0

    def final_seconds(self, iteration: int, reports: Sequence[IterationReport]) -> float:
        return 0.0

    def _end(self) -> float:
        """When learning ends."""
        assert self._whole is not None
        return (1.0 - TOLD) * self._whole

    def _is_over(self, iteration: int, reports: Sequence[IterationReport]) -> bool:
        if self._whole is None and iteration >= self._config.iterations:
            return True
        if self._whole is not None and iteration > 0 and self.seconds() > self._end() * (1.0 - 0.4 / ITERATIONS):
            return True
        losses = [report.imitation.validation.policy_loss for report in reports if report.imitation is not None]
        patience = self._config.imitation.patience
        if not patience or len(losses) <= patience:
            return False
        return min(losses[-patience:]) > min(losses[:-patience])
