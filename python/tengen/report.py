"""What each stage of a run reports, and who listens. Stages hand these to an Observer; nothing in the algorithm prints.

Every report is a frozen dataclass of plain numbers, so that metrics.jsonl, the terminal and a page show the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

__all__ = [
    "SILENT",
    "Finding",
    "IterationReport",
    "LearnerReport",
    "Observer",
    "RunReport",
    "SelfPlayReport",
    "StrengthReport",
]


@dataclass(frozen=True)
class RunReport:
    """Said once, when a run starts or goes on."""

    game: str
    folder: str
    iteration: int  # the one that comes next
    iterations: int
    evaluator: str  # what evaluates, and why that one
    threads: int
    memory_limit: int  # bytes the run will stay under
    parameters: int
    notes: tuple[str, ...] = ()  # what was found damaged and set aside


@dataclass(frozen=True)
class SelfPlayReport:
    """One iteration of self-play."""

    games: int
    positions: int
    simulations: int
    evaluations: int  # positions that the network was asked about; proven and cached ones need none
    seconds: float
    evaluator_seconds: float  # summed over the threads
    threads: int
    mean_length: float  # plies of the finished games
    first_player_score: float  # of the finished games, 0 to 1
    draws: float  # share of the finished games
    different_games: float  # share of the finished games that are unlike all others of this iteration
    target_entropy: float  # nats, mean over the positions
    prior_entropy: float
    surprise: float  # KL(target || prior), mean

    @property
    def evaluator_share(self) -> float:
        return self.evaluator_seconds / (self.seconds * self.threads) if self.seconds else 0.0


@dataclass(frozen=True)
class LearnerReport:
    """One iteration of learning."""

    steps: int
    samples: int
    seconds: float
    sampling_seconds: float
    policy_loss: float
    value_loss: float
    reply_loss: float
    value_loss_of_mean: float  # what a network that knows only the average result would have
    learning_rate: float
    window: int  # positions
    gradient_norm: float


@dataclass(frozen=True)
class StrengthReport:
    """A measurement against one opponent."""

    opponent: str
    games: int
    score: float
    interval: tuple[float, float]


@dataclass(frozen=True)
class Finding:
    """Something that will keep the run from learning: its cause and a remedy."""

    name: str
    cause: str
    remedy: str


@dataclass(frozen=True)
class IterationReport:
    """All of one iteration."""

    iteration: int
    iterations: int
    self_play: SelfPlayReport
    learner: LearnerReport
    strength: tuple[StrengthReport, ...]
    findings: tuple[Finding, ...]
    promoted: bool
    seconds: float  # of the run so far
    seconds_left: float
    memory: int  # bytes in use


class Observer(Protocol):
    """Listens to a run. One that raises stops it; what was committed before stays."""

    def run_started(self, report: RunReport) -> None: ...

    def stage(self, name: str, done: int, total: int) -> None:
        """Progress within an iteration, now and then."""
        ...

    def iteration_finished(self, report: IterationReport) -> None:
        """After the commit: from here on a kill loses nothing of it."""
        ...


class _Silent:
    def run_started(self, report: RunReport) -> None:
        pass

    def stage(self, name: str, done: int, total: int) -> None:
        pass

    def iteration_finished(self, report: IterationReport) -> None:
        pass


SILENT: Observer = _Silent()
