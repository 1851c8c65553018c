"""Trains the members of a lineage one after the other, each for the same minutes, and lets them play each other.

A lineage is a folder: lineage.json (what it depends on), runs/ (a run for each member that learns), snapshots/ (their
networks after parts of the time), tournament/ and costs.json. Everything in it goes on after a kill: runs continue,
finished games are not played again.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from tengen._core import Game, TengenError
from tengen.base.durable import write_bytes, write_text
from tengen.lineage.members import Member
from tengen.network.checkpoint import find_network
from tengen.players import ROLLOUT_FILE, STAGES_FOLDER, SharedModels, make_player
from tengen.report import SILENT, IterationReport, Observer, RunReport
from tengen.run.metrics import read_reports
from tengen.run.settings import ONE_CORE, resolve
from tengen.strength.tournament import Meeting, Plan, Standing, Tournament, TournamentGame, play_tournament
from tengen.train import train

__all__ = ["Contest", "LineageError", "Result", "Snapshot", "hold"]

PARTS = (0.25, 0.5)  # of the time, after which a network is kept for the curve over time; the last one comes on top
COST_POSITIONS = 12  # by which the cost of a move is measured
TEACHERS = ("tengen", "AlphaZero", "AlphaGo Zero", "REINFORCE", "DQN")  # whose games are learned from, the first there


class LineageError(TengenError):
    """A lineage that can't be held, or a folder that holds another one."""


@dataclass(frozen=True)
class Contest:
    """Everything that a lineage depends on."""

    game: Game
    members: tuple[Member, ...]
    minutes: float  # of each member that learns
    seed: int = 1
    games: int = 20  # of each two players
    simulations: int = 100
    rollouts: int = 1000
    depth: int = 4
    records: Path | None = None  # games that exist, for members that learn from them
    processor_time: bool = False  # whether minutes are those of the processor; then a member learns in one thread

    def filled(self, text: str, model: str = "") -> str:
        return text.format(model=model, simulations=self.simulations, rollouts=self.rollouts, depth=self.depth)

    @property
    def clock(self) -> Callable[[], float]:
        return time.process_time if self.processor_time else time.perf_counter

    def settings(self) -> dict[str, Any]:
        """What must be unchanged to continue a folder; members may be added, and games."""
        return {
            "game": repr(self.game),
            "minutes": self.minutes,
            "seed": self.seed,
            "simulations": self.simulations,
            "rollouts": self.rollouts,
            "depth": self.depth,
            "processor_time": self.processor_time,
        }


@dataclass(frozen=True)
class Snapshot:
    """A player of the tournament: a member after some of its minutes."""

    member: Member
    minutes: float
    player: str  # as a text
    is_final: bool


@dataclass(frozen=True)
class Result:
    """A lineage that has been held."""

    contest: Contest
    snapshots: tuple[Snapshot, ...]
    tournament: Tournament
    costs: dict[str, float]  # member -> seconds a move
    reports: dict[str, tuple[IterationReport, ...]] = field(default_factory=dict)  # member -> of its run

    def standing(self, snapshot: Snapshot) -> Standing | None:
        return next((each for each in self.tournament.standings if each.player == snapshot.player), None)

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences about members that could not take part."""
        there = {snapshot.member.name for snapshot in self.snapshots}
        return tuple(
            f"{member.name} takes no part: {self.contest.minutes:g} minutes were too few for all of its stages."
            for member in self.contest.members
            if member.name not in there
        )

    @property
    def finals(self) -> tuple[Snapshot, ...]:
        """Each member as it ended, the strongest first."""
        finals = [snapshot for snapshot in self.snapshots if snapshot.is_final]
        order = [standing.player for standing in self.tournament.standings]
        return tuple(sorted(finals, key=lambda snapshot: order.index(snapshot.player)))


def hold(
    contest: Contest,
    folder: Path,
    *,
    observer: Observer = SILENT,
    threads: int = 1,
    on_member: Callable[[Member, int, int], None] = lambda member, number, total: None,
    on_tournament: Callable[[int, int], None] = lambda done, total: None,
) -> Result:
    """Trains, plays and measures what is missing in the folder."""
    if len(contest.members) < 2:
        raise LineageError("A lineage needs at least two members.")
    _check_settings(contest, folder)
    learners = _in_order(contest.members)
    for number, member in enumerate(learners, 1):
        on_member(member, number, len(learners))
        _train(contest, member, folder, observer)
    snapshots = tuple(each for member in contest.members for each in _snapshots(contest, member, folder))
    tournament = _play(contest, snapshots, folder, threads, on_tournament)
    return Result(
        contest,
        snapshots,
        tournament,
        _costs(contest, snapshots, tournament, folder),
        {member.name: tuple(read_reports(_run(folder, member))) for member in learners},
    )


def _check_settings(contest: Contest, folder: Path) -> None:
    path = folder / "lineage.json"
    settings = contest.settings()
    if not path.exists():
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise LineageError(f"{folder} can't be a lineage's folder: {error.strerror}.") from error
        write_text(path, json.dumps(settings, indent=2) + "\n")
        return
    try:
        kept = {"processor_time": False, **json.loads(path.read_text())}  # older ones do not say it
    except (OSError, ValueError, TypeError, RecursionError) as error:
        raise LineageError(f"{path} is damaged; choose another folder.") from error
    for name, value in settings.items():
        if kept.get(name) != value:
            raise LineageError(
                f"{folder} holds another lineage: its {name} is {kept.get(name)}, not {value}; choose another folder "
                "with --folder."
            )


# ---- Training


def _in_order(members: Sequence[Member]) -> list[Member]:
    """Those that learn; those that need games of others last."""
    return sorted((member for member in members if member.learns), key=lambda member: member.needs_records)


def _run(folder: Path, member: Member) -> Path:
    return folder / "runs" / member.key


def _train(contest: Contest, member: Member, folder: Path, observer: Observer) -> None:
    """Its whole time; nothing if it has had that."""
    run = _run(folder, member)
    done = folder / "snapshots" / member.key / "done"
    if done.exists():
        return
    sets = [*member.sets, "arena.every=0", "arena.final_strength=false"]  # the tournament measures
    sets += ONE_CORE if contest.processor_time else ()
    if member.needs_records:
        sets.append(f"imitation.records={json.dumps(str(_records(contest, folder)))}")
    settings = resolve(
        contest.game,
        minutes=contest.minutes,
        method=member.method,
        preset=member.preset,
        sets=sets,
        seed=contest.seed,
        cores=1 if contest.processor_time else None,
    )
    keeper = _Keeper(contest, member, folder, observer)
    train(settings.config, run, keeper, minutes=contest.minutes, now=contest.clock)
    write_bytes(_snapshot_file(folder, member, 1.0), find_network(run).read_bytes())
    write_text(done, "")


def _records(contest: Contest, folder: Path) -> Path:
    """Games that exist: those given, else those that the strongest member before it has played."""
    if contest.records is not None:
        return contest.records.resolve()
    by_name = {member.name: member for member in contest.members}
    for name in TEACHERS:
        if name in by_name and (games := _run(folder, by_name[name]) / "games").is_dir():
            return games.resolve()
    raise LineageError(
        "Imitation and AlphaGo learn from games that exist: give --records DIR, or let a member that plays take part."
    )


class _Keeper:
    """An observer that keeps the networks after parts of the time."""

    def __init__(self, contest: Contest, member: Member, folder: Path, observer: Observer) -> None:
        self._contest = contest
        self._member = member
        self._folder = folder
        self._observer = observer

    def run_started(self, report: RunReport) -> None:
        self._observer.run_started(report)

    def stage(self, name: str, done: int, total: int) -> None:
        self._observer.stage(name, done, total)

    def iteration_finished(self, report: IterationReport) -> None:
        for part in PARTS:
            path = _snapshot_file(self._folder, self._member, part)
            if report.seconds >= part * 60.0 * self._contest.minutes and not path.exists():
                write_bytes(path, find_network(_run(self._folder, self._member)).read_bytes())
        self._observer.iteration_finished(report)


def _snapshot_file(folder: Path, member: Member, part: float) -> Path:
    path = folder / "snapshots" / member.key / f"{100 * part:03.0f}.safetensors"
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def _snapshots(contest: Contest, member: Member, folder: Path) -> list[Snapshot]:
    if not member.learns:
        return [Snapshot(member, 0.0, contest.filled(member.player), is_final=True)]
    if member.is_pipeline:
        if not (_run(folder, member) / STAGES_FOLDER / ROLLOUT_FILE).exists():
            return []  # its minutes ended before all stages had begun
        player = contest.filled(member.player, str(_run(folder, member)))
        return [Snapshot(member, contest.minutes, player, is_final=True)]
    found = [(part, _snapshot_file(folder, member, part)) for part in (*PARTS, 1.0)]
    return [
        Snapshot(member, part * contest.minutes, contest.filled(member.player, str(path)), is_final=part == 1.0)
        for part, path in found
        if path.exists()
    ]


# ---- Playing


def _play(
    contest: Contest,
    snapshots: Sequence[Snapshot],
    folder: Path,
    threads: int,
    on_tournament: Callable[[int, int], None],
) -> Tournament:
    """The members all against all; a snapshot against those that do not learn, and against what became of it."""
    finals = [place for place, snapshot in enumerate(snapshots) if snapshot.is_final]
    fixed = [place for place in finals if not snapshots[place].member.learns]
    meetings: list[Meeting] = [(a, b) for a in finals for b in finals if a < b]
    for place, snapshot in enumerate(snapshots):
        if not snapshot.is_final:
            became = [other for other in finals if snapshots[other].member == snapshot.member]
            meetings += [(min(place, other), max(place, other)) for other in (*fixed, *became)]
    plan = Plan(
        contest.game,
        tuple(snapshot.player for snapshot in snapshots),
        tuple(meetings),
        contest.games,
        contest.seed,
        zero="random" if any(snapshot.player == "random" for snapshot in snapshots) else None,
    )
    total, played = plan.games * len(plan.meetings), 0

    def on_start(done: int) -> None:
        nonlocal played
        played = done
        on_tournament(played, total)

    def on_game(game: TournamentGame) -> None:
        nonlocal played
        played += 1
        on_tournament(played, total)

    return play_tournament(plan, _tournament(folder, plan), threads=threads, on_start=on_start, on_game=on_game)


def _tournament(folder: Path, plan: Plan) -> Path:
    """One for each set of players: a member that joins later begins another."""
    for number in range(1, 1000):
        place = folder / f"tournament{number}"
        kept = place / "tournament.json"
        if not kept.exists():
            return place
        try:
            if json.loads(kept.read_text()) == json.loads(json.dumps(plan.settings())):
                return place
        except (OSError, ValueError):
            continue
    raise LineageError(f"{folder} has too many tournaments; choose another folder.")


def _costs(contest: Contest, snapshots: Sequence[Snapshot], tournament: Tournament, folder: Path) -> dict[str, float]:
    """Seconds a move of each member, one position at a time on one thread, in positions of the tournament's games."""
    path = folder / "costs.json"
    try:
        known = {str(name): float(cost) for name, cost in json.loads(path.read_text()).items()}
    except (OSError, ValueError, TypeError, AttributeError):
        known = {}
    finals = [snapshot for snapshot in snapshots if snapshot.is_final and snapshot.member.name not in known]
    if not finals:
        return known
    rng = np.random.default_rng(contest.seed)
    games = [game.played.final for game in tournament.games if len(game.played.final.moves) > 1]
    positions = []
    for final in (games[int(rng.integers(len(games)))] for _ in range(COST_POSITIONS)):
        moves = list(final.moves)[: int(rng.integers(len(final.moves)))]
        positions.append(contest.game.state(moves, board=final.start_board))
    models = SharedModels()
    for snapshot in finals:
        player = make_player(snapshot.player, contest.game, models)
        player.choose(positions[:1], [0])  # compiles
        started = contest.clock()
        for seed, position in enumerate(positions):
            player.choose([position], [seed])
        known[snapshot.member.name] = (contest.clock() - started) / len(positions)
    write_text(path, json.dumps(known, indent=2) + "\n")
    return known
