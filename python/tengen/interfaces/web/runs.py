"""Runs on the page: what their folders say, the games they played last, and starting, stopping and resuming them.

A run is a process of its own that goes on when the server ends. Ctrl-C (SIGINT) asks it to end after the iteration that
is under way; the lock of its folder says whether it is there, whoever started it. A run is known by its name in the one
folder of runs; nothing else is read or written.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from tengen import Game, TengenError, UnknownGameError
from tengen.base.bundled import bundled_folder, bundled_names
from tengen.base.durable import lock_owner, write_text
from tengen.config import ConfigError, RunConfig, load_config, read_config
from tengen.interfaces.web.boards import outcome_word
from tengen.interfaces.web.games import Games
from tengen.interfaces.web.openings import OpeningBook, OpeningsWord, openings_word
from tengen.interfaces.web.run_settings import check_sets
from tengen.interfaces.web.shapes import Asked, Name, OutcomeWord, Position, Word
from tengen.records import GameRecord, newest_games
from tengen.report import IterationReport
from tengen.run.metrics import read_reports
from tengen.run.settings import resolve

__all__ = [
    "GamesOfRun",
    "Rename",
    "Resume",
    "RunDetails",
    "RunGame",
    "RunStateError",
    "RunSummary",
    "Runs",
    "StartRun",
    "UnknownRunError",
]

SHOWN_GAMES = 20
# No name starts with a dot, so that none leads out of the folder or to a hidden one.
NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]{0,99}")
STARTED = "page.json"  # in the folder of a run: how the page started it
OUTPUT = "output.txt"  # what it said
BUNDLED = "bundled."  # before the names of the runs that made the networks that come with tengen
MEASURED_EVERY = 5  # iterations, in a run whose own settings measure nothing


Setting = Annotated[str, Field(max_length=500)]  # "self_play.simulations=64"


class UnknownRunError(TengenError):
    """No run of that name."""


class RunStateError(TengenError):
    """A run that can't be started, stopped or resumed now."""


class StartRun(Asked):
    game: Name
    minutes: float = Field(gt=0.0, le=100_000.0)
    sets: list[Setting] = Field(default=[], max_length=200)  # on top of those that suit the game
    preset: Name | None = None
    measured: bool = True  # on the ladder of opponents, also where the settings of the game leave that out


class Rename(Asked):
    name: Name


class Resume(Asked):
    minutes: float | None = Field(default=None, gt=0.0, le=100_000.0)


class FindingWord(Word):
    name: str
    cause: str
    remedy: str


class RunSummary(Word):
    name: str
    game: str
    iteration: int
    iterations: int | None
    running: bool
    finished: bool  # it did all of its iterations, or used up its minutes
    bundled: bool  # made a network that comes with tengen: only to look at
    updated: float | None  # seconds since 1970


class RunDetails(RunSummary):
    config: dict[str, Any]
    points: list[dict[str, Any]]  # an IterationReport each
    findings: list[FindingWord]  # of the newest iteration
    minutes: float | None  # that the page gave it
    problem: str | None  # what a run that failed said last


class RunGame(Word):
    position: Position
    outcome: OutcomeWord | None
    players: list[int]  # who made each move
    values: list[float | None]


GamesOfRun = list[RunGame]


class Runs:
    """The runs of one folder. Any thread may ask."""

    def __init__(self, folder: Path, games: Games, most: int, command: Sequence[str] | None = None) -> None:
        self._folder = folder
        self._games = games
        self._most = most
        self._command = command or (sys.executable, "-m", "tengen")
        self._book = OpeningBook()
        self._processes: dict[str, subprocess.Popen[bytes]] = {}  # started here
        self._lock = threading.Lock()

    def summaries(self) -> list[RunSummary]:
        """Of all runs, the one that changed last first."""
        names = [path.name for path in self._folder.iterdir() if self._is_run(path)] if self._folder.is_dir() else []
        own = sorted((self._summary(name) for name in names), key=lambda run: (-(run.updated or 0.0), run.name))
        return [*own, *(self._summary(BUNDLED + name) for name in bundled_names("models"))]

    def details(self, name: str, after: int = 0) -> RunDetails:
        """One run, with what it reported after an iteration."""
        folder = self._find(name)
        reports = read_reports(folder)
        summary = self._summary(name)
        newest = reports[-1].findings if reports else ()
        return RunDetails(
            **summary.model_dump(),
            config=_toml(folder / "config.toml"),
            points=[asdict(report) for report in reports if report.iteration > after],
            findings=[FindingWord(**asdict(finding)) for finding in newest],
            minutes=_minutes(folder),
            problem=self._problem(name),
        )

    def games(self, name: str) -> GamesOfRun:
        """The newest self-play games of a run."""
        folder = self._find(name)
        config = _config(folder)
        if config is None:
            return []
        game, asked = self._game(config)
        return [_run_game(game, asked, record) for record in newest_games(folder / "games", game, SHOWN_GAMES)]

    def openings(self, name: str, asked: Position) -> OpeningsWord:
        """What the newest games of a run played from a position."""
        folder = self._find(name)
        config = _config(folder)
        state = self._games.state(asked)
        if config is None:
            return openings_word([], state)
        game, _ = self._game(config)
        if state.game != game:
            raise RunStateError(f"The run {name} plays {game.spec.name} with other options than this game has.")
        return openings_word([] if asked.start else self._book.games(folder / "games", game), state)

    def start(self, asked: StartRun) -> RunDetails:
        """Begins a run of a game that the page knows, in a folder of its own."""
        game = self._games.load(asked.game)
        check_sets(asked.sets)
        sets = list(asked.sets)
        arena = resolve(game, minutes=asked.minutes, sets=sets, preset=asked.preset).config.arena
        if asked.measured and arena.every == 0:
            sets.append(f"arena.every={MEASURED_EVERY}")
        with self._lock:
            self._check_can_start()
            name = self._free_name(asked.game)
            (self._folder / name).mkdir(parents=True)
            self._launch(name, _argument(game), asked.minutes, sets, asked.preset)
        return self.details(name)

    def stop(self, name: str) -> RunDetails:
        """Asks a run to end after the iteration under way. A second time: at once."""
        folder = self._find(name)
        process = self._process(name)
        pid = process.pid if process is not None else _lock_holder(folder)
        if pid is None:
            raise RunStateError(f"The run {name} does not run on this machine.")
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGINT)
        return self.details(name)

    def resume(self, name: str, asked: Resume) -> RunDetails:
        """Goes on with a run, for as many minutes in all as it was started with, unless told otherwise."""
        folder = self._idle(name)
        config = _config(folder)
        if config is None:
            raise RunStateError(f"The run {name} has no config to go on with.")
        self._game(config)
        if config.network.module:
            raise RunStateError(
                f"The config of {name} names a Python file for its network, {config.network.module}, which the page "
                f"does not run; in a terminal, `tengen train --run {folder}` does."
            )
        with self._lock:
            self._check_can_start()
            minutes = asked.minutes if asked.minutes is not None else _minutes(folder)
            self._launch(name, None, minutes)
        return self.details(name)

    def rename(self, name: str, asked: Rename) -> RunDetails:
        """Gives a run that is not under way another name."""
        folder = self._idle(name)
        target = self._folder / asked.name
        if NAME.fullmatch(asked.name) is None or asked.name.startswith(BUNDLED):
            raise RunStateError(
                "The name of a run has letters, digits, '.', '-' and '_', at most 100, and no '.' first."
            )
        with self._lock:
            if target.exists():
                raise RunStateError(f"There is a run called {asked.name}.")
            folder.rename(target)
            self._processes.pop(name, None)
        return self.details(asked.name)

    def delete(self, name: str) -> None:
        """Deletes a run that is not under way, with its games and networks."""
        folder = self._idle(name)
        with self._lock:
            shutil.rmtree(folder)
            self._processes.pop(name, None)

    def _idle(self, name: str) -> Path:
        """The folder of a run that may be changed."""
        folder = self._find(name)
        if name.startswith(BUNDLED):
            raise RunStateError("This run came with tengen: it can only be looked at.")
        if self._is_running(name):
            raise RunStateError(f"The run {name} is under way; stop it first.")
        return folder

    # --- Processes --------------------------------------------------------------------------------------------------

    def _check_can_start(self) -> None:
        if importlib.util.find_spec("torch") is None:
            raise RunStateError("Training needs torch and OpenVINO: pip install 'tengen[train]'.")
        busy = [run.name for run in self.summaries() if run.running]
        if len(busy) >= self._most:
            raise RunStateError(f"There is a run under way ({', '.join(busy)}); a second would only slow both down.")

    def _launch(
        self, name: str, game: str | None, minutes: float | None, sets: Sequence[str] = (), preset: str | None = None
    ) -> None:
        """`tengen train` finds the settings that suit the game, and of a begun run its own."""
        folder = self._folder / name
        said = [] if game is None else [game]
        limit = [] if minutes is None else ["--minutes", str(minutes)]
        settings = [*(word for one in sets for word in ("--set", one)), *(["--preset", preset] if preset else [])]
        write_text(folder / STARTED, json.dumps({"minutes": minutes}))
        with (folder / OUTPUT).open("ab") as output:
            self._processes[name] = subprocess.Popen(
                [*self._command, "train", *said, "--run", str(folder), *limit, *settings],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # Ctrl-C at the server is not meant for it
            )

    def _process(self, name: str) -> subprocess.Popen[bytes] | None:
        process = self._processes.get(name)
        return process if process is not None and process.poll() is None else None

    def _is_running(self, name: str) -> bool:
        return self._process(name) is not None or lock_owner(self._folder / name) is not None

    def _problem(self, name: str) -> str | None:
        process = self._processes.get(name)
        stopped = (None, 0, 128 + signal.SIGINT, -signal.SIGINT)
        if process is None or process.poll() in stopped:
            return None
        said = (self._folder / name / OUTPUT).read_text(errors="replace").strip().splitlines()
        return said[-1][:500] if said else f"It ended with the code {process.returncode}."

    # --- Folders ----------------------------------------------------------------------------------------------------

    def _is_run(self, path: Path) -> bool:
        """Folders with a config; those that are elsewhere and only linked to from here are not the page's."""
        known = path.name in self._processes or (path / "config.toml").is_file()
        return NAME.fullmatch(path.name) is not None and path.is_dir() and not path.is_symlink() and known

    def _find(self, name: str) -> Path:
        bundled = name.removeprefix(BUNDLED)
        if name.startswith(BUNDLED) and bundled in bundled_names("models"):
            return bundled_folder("models") / bundled
        path = self._folder / name
        if NAME.fullmatch(name) is None or not self._is_run(path):
            raise UnknownRunError(f"There is no run '{name[:100]}'.")
        return path

    def _free_name(self, game: str) -> str:
        name = re.sub(r"[^A-Za-z0-9_-]+", "_", game)
        numbered = (f"{name}_{number}" for number in range(2, sys.maxsize))
        return (
            name if not (self._folder / name).exists() else next(n for n in numbered if not (self._folder / n).exists())
        )

    def _summary(self, name: str) -> RunSummary:
        folder = self._find(name)
        config = _config(folder)
        reports = read_reports(folder)
        running = self._is_running(name)
        return RunSummary(
            name=name,
            game=name if config is None else self._name_of(config),
            iteration=reports[-1].iteration if reports else 0,
            iterations=reports[-1].iterations if reports else config.iterations if config else None,
            running=running,
            finished=not running and bool(reports) and _is_over(reports[-1]),
            bundled=name.startswith(BUNDLED),
            updated=_updated(folder),
        )

    def _name_of(self, config: RunConfig) -> str:
        """The page's name for the game of a run, if it has one."""
        with contextlib.suppress(TengenError):
            return self._game(config)[1].game
        return config.game

    def _game(self, config: RunConfig) -> tuple[Game, Position]:
        """The game of a run and its start. A file of rules is not run because a run says so."""
        for name in self._games.names():
            source = self._games.load(name).spec.source
            if source == config.game or (
                source.endswith(".py") and Path(source).resolve() == Path(config.game).resolve()
            ):
                options = _plain(config.options) if self._games.options(name) else {}  # else those it is served with
                return self._games.load(name, options), Position(game=name, options=options)
        raise UnknownGameError(f"This page does not have the game {config.game}; start it with --game {config.game}.")


def _run_game(game: Game, asked: Position, record: GameRecord) -> RunGame:
    values: list[float | None] = [None] * len(record.moves)
    for ply, value in zip(record.recorded.tolist(), record.root_values.tolist(), strict=True):
        if ply < len(values):
            values[ply] = value
    moves, players, state = [], [], game.initial_state()
    for action in record.moves.tolist():
        moves.append(state.action_text(action))
        players.append(state.to_move)
        state = state.play(action)
    return RunGame(
        position=asked.model_copy(update={"moves": moves}),
        outcome=outcome_word(game, state.outcome or record.outcome),
        players=players,
        values=values,
    )


def _argument(game: Game) -> str:
    """The game as a command line has it; a file of rules with the options that it is served with."""
    spec = game.spec
    return (
        f"{spec.source}:{spec.options_text.replace(', ', ',')}"
        if spec.source.endswith(".py") and spec.options
        else spec.source
    )


def _is_over(report: IterationReport) -> bool:
    return report.iteration >= report.iterations or report.seconds_left <= 0.0


def _plain(options: dict[str, float]) -> dict[str, bool | int | float]:
    return {name: int(value) if float(value).is_integer() else value for name, value in options.items()}


def _toml(path: Path) -> dict[str, Any]:
    try:
        return read_config(path)
    except ConfigError:
        return {}


def _config(folder: Path) -> RunConfig | None:
    path = folder / "config.toml"
    try:
        return load_config(path) if path.is_file() else None
    except ConfigError:
        return None


def _minutes(folder: Path) -> float | None:
    try:
        return Resume.model_validate_json((folder / STARTED).read_bytes()).minutes
    except (OSError, ValueError):
        return None


def _updated(folder: Path) -> float | None:
    for name in ("metrics.jsonl", "config.toml", OUTPUT):
        with contextlib.suppress(OSError):
            return (folder / name).stat().st_mtime
    return None


def _lock_holder(folder: Path) -> int | None:
    """The process that works on a run, if there is one on this machine."""
    found = re.fullmatch(r"process (\d+) on (.*)", lock_owner(folder) or "")
    return int(found[1]) if found and found[2] == socket.gethostname() else None
