"""Listeners of a training run for people: a live display on a terminal, plain lines elsewhere.

Both say the same of every iteration: stage, games and evaluations per second, losses, strength, time left, memory, and
in words what the run's own figures say is wrong.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Protocol

from rich.console import Console

from tengen.report import (
    AccuracyReport,
    Finding,
    GateReport,
    ImitationReport,
    IterationReport,
    Observer,
    RatingReport,
    RunReport,
    StrengthReport,
)

if TYPE_CHECKING:
    from rich.console import RenderableType

__all__ = ["Listeners", "Progress", "amount", "duration", "final_text", "run_progress"]

SPARKS = "▁▂▃▄▅▆▇█"
SPARKLINE = 40  # iterations in a curve
SECONDS_BETWEEN_LINES = 5.0  # at least, where there is no terminal
FIRST_LINE = 2.0  # seconds after the start


class Progress(Observer, Protocol):
    """An observer that is shown while the run goes on, and can say a sentence in between."""

    def __enter__(self) -> Progress: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def say(self, sentence: str) -> None: ...


def run_progress() -> Progress:
    """The one that suits where the output goes."""
    console = Console(highlight=False)
    return LiveProgress(console) if console.is_terminal else PlainProgress()


# ---- Words


def duration(seconds: float) -> str:
    """'45 s', '3 min 20 s', '2 h 5 min'."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def amount(size: int) -> str:
    """Bytes as '640 MB' or '1.3 GB'."""
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.0f} MB"


def start_text(report: RunReport) -> str:
    first = f"the network {report.start[:12]}" if report.start else "a blank network"
    begun = f"goes on at iteration {report.iteration + 1}" if report.iteration else f"starts from {first}"
    return (
        f"{report.game} {begun} ({report.parameters:,} parameters); {report.threads} "
        f"thread{'s' * (report.threads != 1)}, {report.evaluator}; memory stays under {amount(report.memory_limit)}; "
        f"everything is kept in {report.folder}"
    )


def speed_text(report: IterationReport) -> str:
    games = report.self_play
    if report.imitation is not None:
        learner, validation = report.learner, report.imitation.validation
        return (
            f"{learner.samples / max(learner.seconds, 1e-9):,.0f} samples/s; moves foretold: top-1 "
            f"{percent(validation.top1)}, top-5 {percent(validation.top5)}"
        )
    seconds = max(games.seconds, 1e-9)
    return f"{games.games / seconds:,.1f} games/s, {games.evaluations / seconds:,.0f} evaluations/s"


def losses_text(report: IterationReport) -> str:
    learner = report.learner
    if learner.policy_loss == 0.0:  # tables have no policy of their own
        return f"loss: value {learner.value_loss:.3f}"
    return f"loss: policy {learner.policy_loss:.3f}, value {learner.value_loss:.3f}"


def strength_text(strength: StrengthReport) -> str:
    low, high = strength.interval
    return f"scores {strength.score:.0%} against {strength.opponent} ({low:.0%} to {high:.0%}, {strength.games} games)"


def rating_text(rating: RatingReport) -> str:
    return f"Elo {rating.elo:.0f} ± {rating.error:.0f} ({rating.zero} has 0; measured in {duration(rating.seconds)})"


def gate_text(gate: GateReport) -> str:
    verdict = "promoted" if gate.promoted else "not promoted"
    return (
        f"{verdict}: it scored {gate.score:.0%} in {gate.games} games against the champion of iteration {gate.champion}"
    )


def accuracy_text(accuracy: AccuracyReport) -> str:
    searched = f", with {accuracy.simulations} simulations {percent(accuracy.search)}" if accuracy.search else ""
    return (
        f"Good moves, which keep the win, draw or loss, on {accuracy.positions:,} {accuracy.about}: network alone "
        f"{percent(accuracy.network)}{searched}."
    )


def foretold_text(imitation: ImitationReport) -> str:
    """How well the moves of people are foretold: in the test games if they were looked at, else in the validation."""
    found = imitation.test or imitation.validation
    which = "test" if imitation.test else "validation"
    value = "" if found.value_error is None else f", squared error of the value {found.value_error:.3f}"
    return (
        f"Moves foretold in {found.positions:,} positions of {found.games:,} {which} games: "
        f"top-1 {percent(found.top1)}, top-5 {percent(found.top5)}; policy loss {found.policy_loss:.3f}{value}."
    )


def percent(share: float) -> str:
    """Never rounded up to 100."""
    return f"{int(share * 10_000) / 100:.2f} %"


def final_text(report: IterationReport) -> str:
    """How strong the network of a finished run is, by what the run measured at its end; empty if that is nothing."""
    if report.accuracy is not None:
        return accuracy_text(report.accuracy)
    if report.imitation is not None:
        return foretold_text(report.imitation)
    scores = " and ".join(
        f"{match.score:.0%} against {match.opponent} ({match.games} games)" for match in report.strength
    )
    return f"It scores {scores}." if scores else ""


def finding_text(finding: Finding) -> str:
    return f"{finding.name}: {finding.cause}; {finding.remedy}"


def iteration_text(report: IterationReport) -> str:
    elo = f"Elo {report.rating.elo:.0f} ± {report.rating.error:.0f}; " if report.rating else ""
    return (
        f"iteration {report.iteration}: {speed_text(report)}; {losses_text(report)}; {elo}"
        f"{duration(report.seconds)} so far, {duration(report.seconds_left)} left; {amount(report.memory)}"
    )


def sparkline(numbers: Sequence[float]) -> str:
    """A curve in one line of text."""
    low, high = min(numbers), max(numbers)
    steps = len(SPARKS) - 1
    return "".join(
        SPARKS[round(steps * (number - low) / (high - low))] if high > low else SPARKS[0] for number in numbers
    )


# ---- Several listeners


class Listeners:
    """Several observers as one, each told in turn. The last may stop the run: the others have heard of it by then."""

    def __init__(self, *observers: Observer) -> None:
        self._observers = observers

    def run_started(self, report: RunReport) -> None:
        for observer in self._observers:
            observer.run_started(report)

    def stage(self, name: str, done: int, total: int) -> None:
        for observer in self._observers:
            observer.stage(name, done, total)

    def iteration_finished(self, report: IterationReport) -> None:
        for observer in self._observers:
            observer.iteration_finished(report)


# ---- Lines


class PlainProgress:
    """A line for every iteration, one for every finding when it first shows, and between them how far a stage is."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._known: set[str] = set()  # names of findings that were in the last iteration
        self._now = now
        self._stage = ("", 0.0)  # the stage that goes on, and when it began
        self._said_at = now() - SECONDS_BETWEEN_LINES + FIRST_LINE
        self._iteration = 0  # iterations done
        self._ends_at: float | None = None  # when the run should be over, if that is known

    def __enter__(self) -> PlainProgress:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def say(self, sentence: str) -> None:
        print(sentence, flush=True)
        self._said_at = self._now()

    def run_started(self, report: RunReport) -> None:
        for note in report.notes:
            self.say(f"warning: {note}")
        self.say(start_text(report))
        self._iteration = report.iteration
        if report.seconds_left is not None:
            self._ends_at = self._now() + report.seconds_left
        self._said_at += FIRST_LINE - SECONDS_BETWEEN_LINES

    def stage(self, name: str, done: int, total: int) -> None:
        """Now and then, for those who read a log or a pipe."""
        now = self._now()
        if name != self._stage[0]:
            self._stage = (name, now)
        if now - self._said_at < SECONDS_BETWEEN_LINES or total == 0:
            return
        share = min(1.0, done / total)
        more = f", {duration((now - self._stage[1]) * (1.0 - share) / share)} more" if share > 0 else ""
        left = f"; {duration(max(0.0, self._ends_at - now))} left of the run" if self._ends_at is not None else ""
        self.say(f"  iteration {self._iteration + 1}, {name}: {share:.0%}{more}{left}")

    def iteration_finished(self, report: IterationReport) -> None:
        self.say(iteration_text(report))
        self._iteration = report.iteration
        self._ends_at = self._now() + report.seconds_left
        self._stage = ("", 0.0)
        if report.gate is not None:
            self.say(f"  {gate_text(report.gate)}")
        for strength in report.strength:
            self.say(f"  {strength_text(strength)}")
        if report.rating is not None:
            self.say(f"  {rating_text(report.rating)}")
        for finding in report.findings:
            if finding.name not in self._known:
                self.say(f"  warning: {finding_text(finding)}")
        self._known = {finding.name for finding in report.findings}


# ---- A live display


class LiveProgress:
    """A few lines at the bottom of the terminal that are drawn anew four times a second."""

    def __init__(self, console: Console) -> None:
        from rich.live import Live

        self._console = console
        self._run: RunReport | None = None
        self._newest: IterationReport | None = None
        self._ends_at: float | None = None  # time.monotonic() when the run should be over
        self._stage = ("starting", 0, 0)
        self._losses: list[tuple[float, float]] = []  # policy and value, of the newest iterations
        self._strength: dict[str, tuple[int, StrengthReport]] = {}  # by opponent: iteration and what it was then
        self._ratings: list[tuple[int, RatingReport]] = []  # with their iterations
        self._gate: GateReport | None = None  # of the newest iteration
        self._live = Live(console=console, get_renderable=self._draw, refresh_per_second=4, transient=True)

    def __enter__(self) -> LiveProgress:
        self._live.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._live.__exit__(None, None, None)
        if self._newest is not None:
            self.say(iteration_text(self._newest))

    def say(self, sentence: str) -> None:
        """As it is: brackets in the name of a folder are no style."""
        self._console.print(sentence, soft_wrap=True, markup=False, highlight=False)

    def run_started(self, report: RunReport) -> None:
        from rich.text import Text

        self._run = report
        self._ends_at = None if report.seconds_left is None else time.monotonic() + report.seconds_left
        for note in report.notes:
            self._console.print(Text.assemble(("warning:", "yellow"), f" {note}"), soft_wrap=True)
        self.say(start_text(report))

    def stage(self, name: str, done: int, total: int) -> None:
        self._stage = (name, done, total)

    def iteration_finished(self, report: IterationReport) -> None:
        self._newest = report
        self._ends_at = time.monotonic() + report.seconds_left
        self._losses = [*self._losses, (report.learner.policy_loss, report.learner.value_loss)][-SPARKLINE:]
        self._gate = report.gate
        if report.rating is not None:
            self._ratings.append((report.iteration, report.rating))
            self.say(f"iteration {report.iteration}: {rating_text(report.rating)}")
        for strength in report.strength:
            self._strength[strength.opponent] = (report.iteration, strength)
            self.say(f"iteration {report.iteration} {strength_text(strength)}")

    def _draw(self) -> RenderableType:
        from rich.table import Table

        rows = Table.grid(padding=(0, 2))
        rows.add_column(style="bold")
        rows.add_column()
        rows.add_row(*self._run_row())
        rows.add_row(*self._stage_row())
        if self._newest is not None:
            for title, content in self._figures(self._newest):
                rows.add_row(title, content)
            for finding in self._newest.findings:
                rows.add_row("[yellow]warning[/yellow]", finding_text(finding))
        return rows

    def _run_row(self) -> tuple[RenderableType, RenderableType]:
        name = self._run.game if self._run else "tengen"
        report = self._newest
        if report is None or self._ends_at is None:
            return name, "first iteration" + (f", {duration(self._left())} left" if self._ends_at is not None else "")
        left = self._left()
        share = report.seconds / max(report.seconds + report.seconds_left, 1e-9)
        return name, _bar(share, f"iteration {report.iteration + 1}, {duration(left)} left")

    def _left(self) -> float:
        return max(0.0, (self._ends_at or 0.0) - time.monotonic())

    def _stage_row(self) -> tuple[RenderableType, RenderableType]:
        name, done, total = self._stage
        return name, _bar(done / total, "") if total else ""

    def _figures(self, report: IterationReport) -> list[tuple[str, str]]:
        games, learner = report.self_play, report.learner
        policy, value = zip(*self._losses, strict=True)
        most = f" of at most {amount(self._run.memory_limit)}" if self._run else ""
        figures = [
            ("speed", speed_text(report)),
            (
                "games",
                f"{games.games} of {games.mean_length:.0f} plies, first player scores {games.first_player_score:.0%}, "
                f"{games.draws:.0%} drawn",
            ),
            ("policy loss", f"{learner.policy_loss:.3f} {sparkline(policy)}"),
            (
                "value loss",
                f"{learner.value_loss:.3f} {sparkline(value)} (guessing the average: {learner.value_loss_of_mean:.3f})",
            ),
            ("memory", amount(report.memory) + most),
        ]
        if self._gate is not None:
            figures.insert(-1, ("candidate", gate_text(self._gate)))
        if self._ratings:
            iteration, rating = self._ratings[-1]
            curve = sparkline([rating.elo for _, rating in self._ratings[-SPARKLINE:]])
            figures.insert(-1, ("Elo", f"{rating_text(rating).removeprefix('Elo ')} {curve} at iteration {iteration}"))
        newest = max((iteration for iteration, _ in self._strength.values()), default=0)
        for iteration, strength in self._strength.values():
            if iteration < newest:
                continue  # an opponent that tells nothing any more
            figures.insert(-1, ("strength", f"{strength_text(strength)} at iteration {iteration}"))
        return figures


def _bar(share: float, words: str) -> RenderableType:
    from rich.progress_bar import ProgressBar
    from rich.table import Table

    row = Table.grid(padding=(0, 2))
    row.add_column(width=40)
    row.add_column()
    row.add_row(ProgressBar(total=1.0, completed=share, width=40), words or f"{share:.0%}")
    return row
