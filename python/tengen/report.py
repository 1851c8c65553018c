"""What each stage of a run reports, and who listens. Stages hand these to an Observer; nothing in the algorithm prints.

Every report is a frozen dataclass of plain numbers, so that metrics.jsonl, the terminal and a page show the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

__all__ = [
    "SILENT",
    "AccuracyReport",
    "Finding",
    "ForetoldReport",
    "GateReport",
    "ImitationReport",
    "IterationReport",
    "LearnerReport",
    "NodeReport",
    "Observer",
    "RatingReport",
    "RunReport",
    "SelfPlayReport",
    "SilentObserver",
    "StrengthReport",
    "iteration_report",
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
    seconds_left: float | None = None  # of a run that was given minutes
    start: str = ""  # digest of the network that the run began with; empty: a blank one


@dataclass(frozen=True)
class NodeReport:
    """What one node of a cluster did in an iteration of self-play."""

    name: str
    threads: int
    units: int  # whose results were taken
    simulations_per_second: float
    lost: int  # units that it had begun when it was lost; others played them again


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
    tree_seconds: float = 0.0  # for selecting leaves and updating trees, summed over the threads
    nodes: tuple[NodeReport, ...] = ()  # of a cluster; empty on one machine
    exact_positions: int = 0  # of all positions, those that the rules alone settled

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
    ownership_loss: float
    score_loss: float
    value_loss_of_mean: float  # what a network that knows only the average result would have
    learning_rate: float
    window: int  # positions
    gradient_norm: float
    own_losses: dict[str, float] = field(default_factory=dict)  # of a network module of one's own, by name


@dataclass(frozen=True)
class StrengthReport:
    """A match against one opponent, from the player's side."""

    opponent: str
    games: int
    score: float
    interval: tuple[float, float]
    player: str = "network"  # or an anchor, where anchors were rated against each other


@dataclass(frozen=True)
class RatingReport:
    """A measurement: the Elo of the network that plays, from all matches of the run so far."""

    network: str  # by its iteration
    elo: float
    error: float  # 95 %: the Elo is within this of the truth
    zero: str  # the anchor whose Elo is 0
    seconds: float  # that measuring took
    anchors: tuple[StrengthReport, ...] = ()  # matches of the anchors among each other, in the first measurement


@dataclass(frozen=True)
class GateReport:
    """The match that decides whether the candidate becomes the champion."""

    champion: int  # the iteration that the champion is from
    games: int
    score: float  # the candidate's
    promoted: bool
    seconds: float


@dataclass(frozen=True)
class AccuracyReport:
    """The last network against the truth: the shares of positions in which its move keeps the win, draw or loss."""

    positions: int
    about: str  # which positions they are, in a few words
    network: float  # share of good moves of the network alone, 0 to 1
    search: float | None  # and with search; None if there was no time for it
    simulations: int
    seconds: float


@dataclass(frozen=True)
class ForetoldReport:
    """How well a network foretells the moves of people in games that it did not learn from."""

    games: int
    positions: int
    top1: float  # share of the positions in which the move that was played is the network's first choice
    top5: float  # and in which it is among its first five
    policy_loss: float  # nats, over the legal actions
    value_error: float | None  # mean squared error against the results, of games with one; None: there are none


@dataclass(frozen=True)
class ImitationReport:
    """The candidate on the validation games and, at the end of the run, the champion on the test games."""

    validation: ForetoldReport
    test: ForetoldReport | None
    seconds: float  # that this took


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
    window_age: int = 0  # iterations since the oldest game of the window was begun
    rating: RatingReport | None = None
    gate: GateReport | None = None
    accuracy: AccuracyReport | None = None  # of the last iteration of a run, where the truth is known
    imitation: ImitationReport | None = None  # of a run that imitates


def iteration_report(line: Mapping[str, Any]) -> IterationReport:
    """The report that a line of metrics.jsonl was made of. LookupError or TypeError if it is of another version."""
    fields = {name: value for name, value in line.items() if name != "crc32"}
    rating, gate, accuracy = (fields.get(name) for name in ("rating", "gate", "accuracy"))
    return IterationReport(
        **fields
        | {
            "self_play": SelfPlayReport(**fields["self_play"] | {"nodes": _nodes(fields["self_play"])}),
            "learner": LearnerReport(**fields["learner"]),
            "strength": _strengths(fields["strength"]),
            "findings": tuple(Finding(**finding) for finding in fields["findings"]),
            "rating": rating and RatingReport(**rating | {"anchors": _strengths(rating["anchors"])}),
            "gate": gate and GateReport(**gate),
            "accuracy": accuracy and AccuracyReport(**accuracy),
            "imitation": _imitation(fields.get("imitation")),
        }
    )


def _nodes(self_play: Mapping[str, Any]) -> tuple[NodeReport, ...]:
    return tuple(NodeReport(**node) for node in self_play.get("nodes", ()))


def _imitation(content: dict[str, Any] | None) -> ImitationReport | None:
    if content is None:
        return None
    test = content["test"]
    validation = ForetoldReport(**content["validation"])
    return ImitationReport(validation, test and ForetoldReport(**test), content["seconds"])


def _strengths(matches: list[dict[str, Any]]) -> tuple[StrengthReport, ...]:
    return tuple(StrengthReport(**match | {"interval": tuple(match["interval"])}) for match in matches)


class Observer(Protocol):
    """Listens to a run, in the thread of the run. One that raises stops it; what was committed before stays."""

    def run_started(self, report: RunReport) -> None: ...

    def stage(self, name: str, done: int, total: int) -> None:
        """Progress within an iteration, now and then."""
        ...

    def iteration_finished(self, report: IterationReport) -> None:
        """After the commit: from here on a kill loses nothing of it."""
        ...


class SilentObserver:
    """Hears everything and does nothing, in any thread. An observer of one's own overrides what it wants to hear."""

    def run_started(self, report: RunReport) -> None:
        pass

    def stage(self, name: str, done: int, total: int) -> None:
        pass

    def iteration_finished(self, report: IterationReport) -> None:
        pass


SILENT: Observer = SilentObserver()
