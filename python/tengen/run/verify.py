"""What is wrong with the folder of a run and what is good: every checksum, every game by the rules, every network.

`verify_run` only reads. `repair_run` then sets aside what is wrong, so that the run goes on with the rest; it deletes
nothing. A file of rules is never run because the folder names it: the caller gives the game.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load

from tengen._core import Game, RecordError, TengenError
from tengen.base.durable import aside_path, lock_owner, run_lock, set_aside, sync_folder, write_bytes
from tengen.config import load_config
from tengen.network.checkpoint import (
    NetworkFile,
    NetworkFileError,
    check_whole,
    load_network,
    network_file_name,
    numbered_networks,
)
from tengen.records import GameIdentity, GameRecord, ShardEnd, unpack
from tengen.records.inspection import ShardView, shard_paths, view_shard
from tengen.records.record import decode
from tengen.run.commits import KINDS, UNREADABLE, Commit, CommitError, read_commit, state_files
from tengen.run.folder import PARTS, RunFolder, RunFolderError
from tengen.run.metrics import read_metrics

__all__ = ["Finding", "Verdict", "repair_run", "verify_run"]

OnGame = Callable[[int, int], None]  # games looked at, bytes of games looked at


@dataclass(frozen=True)
class Finding:
    """Something that is not as the run wrote it."""

    path: Path
    problem: str

    def __str__(self) -> str:
        return f"{self.path}: {self.problem}"


@dataclass(frozen=True)
class Verdict:
    """What was found in the folder of a run."""

    folder: Path
    findings: tuple[Finding, ...]
    notes: tuple[str, ...]  # what is no damage, but good to know
    commits: tuple[int, ...]  # iterations of the good ones, newest first
    games: int  # that are good
    positions: int  # recorded in them
    replayed: bool  # whether the games were played again by the rules
    networks: tuple[int, ...]  # iterations of the good ones
    damaged_networks: tuple[Path, ...]
    cuts: tuple[tuple[Path, int], ...]  # shards with a game that is wrong though its checksum is right, and where


def verify_run(folder: Path, game: Game | None, on_game: OnGame = lambda games, size: None) -> Verdict:
    """Looks at everything in the folder. Without a game its moves are not played again."""
    if not (folder / "config.toml").exists() and not any((folder / part).is_dir() for part in PARTS):
        raise RunFolderError(f"{folder} is not the folder of a run: it has no config.toml.")
    if (owner := lock_owner(folder)) is not None:
        raise RunFolderError(f"The run {folder} is in use by {owner}; stop that first.")
    return _Look(folder, game).verdict(on_game)


def repair_run(verdict: Verdict, game: Game) -> list[str]:
    """Sets aside what is wrong, so that the run can go on; says what it did. If nothing can go on, all of it."""
    folder = verdict.folder
    done = []
    with run_lock(folder):
        done += [f"{path} is now {set_aside(path)}." for path in verdict.damaged_networks]
        for path, offset in verdict.cuts:
            content = path.read_bytes()
            target = aside_path(path, f"{path.name}.from_byte_{offset}")
            write_bytes(target, content[offset:])
            write_bytes(path, content[:offset])
            done.append(f"The games of {path} from byte {offset} on are now in {target}.")
        if not verdict.commits:
            for name in (*PARTS, "metrics.jsonl"):
                if (folder / name).exists():
                    done.append(f"{folder / name} is now {set_aside(folder / name)}.")
            sync_folder(folder)
            return [*done, "The same command begins the run anew."]
    config = load_config(folder / "config.toml")
    with RunFolder(folder, config) as run:
        commit = run.newest_commit()
        assert commit is not None
        run.begin(commit, commit.minutes or None)
        run.writer(game, commit, keeps_later=True).close()
        return [*done, *run.notes]


class _Look:
    """One look at a folder, part by part; `findings` grows on the way."""

    def __init__(self, folder: Path, game: Game | None) -> None:
        self.folder = folder
        self.game = game
        self.findings: list[Finding] = []
        self.notes: list[str] = []
        self.networks: dict[int, NetworkFile] = {}  # good ones by iteration
        self.damaged_networks: list[Path] = []
        self.games = self.positions = 0
        self.cuts: list[tuple[Path, int]] = []

    def verdict(self, on_game: OnGame) -> Verdict:
        commits = self._look_at_commits()
        newest = commits[0] if commits else None
        self._look_at_config(newest)
        self._look_at_networks(newest)
        self._look_at_games(newest, on_game)
        self._look_at_metrics(newest)
        if newest is None and (self.games or self.networks):
            self._find(self.folder / "state", "no checkpoint can be used, so the run can't go on")
        return Verdict(
            folder=self.folder,
            findings=tuple(self.findings),
            notes=tuple(self.notes),
            commits=tuple(commit.iteration for commit in commits),
            games=self.games,
            positions=self.positions,
            replayed=self.game is not None,
            networks=tuple(self.networks),
            damaged_networks=tuple(self.damaged_networks),
            cuts=tuple(self.cuts),
        )

    def _find(self, path: Path, problem: str) -> None:
        self.findings.append(Finding(path, problem))

    def _look_at_commits(self) -> list[Commit]:
        """The good ones, newest first."""
        state = self.folder / "state"
        commits = state_files(state, "json")
        good = []
        for iteration, path in commits.items():
            try:
                commit = read_commit(path)
                self._check_state(state, commit)
            except (TengenError, *UNREADABLE) as error:
                self._find(path, f"the checkpoint of iteration {iteration} can't be used: {error}")
            else:
                good.append(commit)
        for kind in KINDS[1:]:
            for path in (path for number, path in state_files(state, kind).items() if number not in commits):
                self._find(path, "it belongs to no checkpoint: an iteration was stopped, or the checkpoint is gone")
        return good

    def _check_state(self, state: Path, commit: Commit) -> None:
        """The learner and the games in flight, beyond their checksums."""
        for name in commit.checksums:
            content = (state / Path(name).name).read_bytes()
            if not name.endswith(".games"):
                _check_weights(name, content)
                continue
            records = unpack(content)
            if len(records) != sum(commit.in_flight):
                raise CommitError(f"{name} has {len(records)} games, not {sum(commit.in_flight)}")
            for record in records:
                if self.game is not None:
                    record.validate(self.game)

    def _look_at_config(self, newest: Commit | None) -> None:
        path = self.folder / "config.toml"
        try:
            config = load_config(path)
            if newest is not None:
                RunFolder(self.folder, config).check_made_for(newest)
        except TengenError as error:
            self._find(path, str(error))

    def _look_at_networks(self, newest: Commit | None) -> None:
        folder = self.folder / "networks"
        for iteration, path in sorted(numbered_networks(folder).items()):
            try:
                self.networks[iteration] = self._checked_network(path, iteration)
            except NetworkFileError as error:
                self._find(path, str(error))
                self.damaged_networks.append(path)
                continue
            if newest is not None and iteration > newest.iteration:
                self._find(path, f"it is newer than the newest checkpoint, which is of iteration {newest.iteration}")
        if newest is not None and newest.champion not in self.networks:
            path = folder / network_file_name(newest.champion)
            self.notes.append(f"{path}, which plays, is not there; the run writes it anew when it goes on.")

    def _checked_network(self, path: Path, iteration: int) -> NetworkFile:
        network = load_network(path)  # computes the digest of its weights anew
        check_whole(network)
        if network.iteration != iteration:
            raise NetworkFileError(f"it is the network of iteration {network.iteration}")
        if self.game is not None and not network.plays(self.game):
            raise NetworkFileError(f"it plays {network.game}, not {self.game.spec.name}")
        return network

    def _look_at_games(self, newest: Commit | None, on_game: OnGame) -> None:
        shards = shard_paths(self.folder / "games")
        made_in = {network.digest: iteration for iteration, network in self.networks.items()}
        end = newest.games_end if newest else ShardEnd(max(shards, default=0), 0)
        for number in range(1, end.shard + 1):
            if number not in shards:
                self._find(self.folder / "games" / f"{number:06d}.tgr", "it is missing")
        size = 0
        for number, path in shards.items():
            view = view_shard(path)
            if problem := self._wrong_identity(view) or _wrong_shard(
                view, number, end, knows_length=newest is not None
            ):
                self._find(path, problem)
            for offset, payload in view.games:
                try:
                    record = self._checked_game(payload, made_in)
                except RecordError as error:
                    self._find(path, f"the game at byte {offset}: {error}")
                    self.cuts.append((path, offset))
                    break
                self.games += 1
                self.positions += len(record.recorded)
                size += len(payload)
                on_game(self.games, size)

    def _wrong_identity(self, view: ShardView) -> str:
        if view.identity is None or self.game is None or view.identity.is_same(GameIdentity.of(self.game)):
            return ""
        edited = view.identity.is_edited(GameIdentity.of(self.game))
        return f"it holds games of {view.identity}" + (" by other rules: the file was edited since" if edited else "")

    def _checked_game(self, payload: memoryview, made_in: dict[str, int]) -> GameRecord:
        record = decode(payload)
        if record.outcome is None:
            raise RecordError("it has no outcome")
        if made_in.get(record.network, 0) > record.iteration:
            raise RecordError(f"it was begun in iteration {record.iteration}, by a network that was made later")
        if self.game is not None:
            record.validate(self.game)
        return record

    def _look_at_metrics(self, newest: Commit | None) -> None:
        path = self.folder / "metrics.jsonl"
        iteration, length = (newest.iteration, newest.metrics_bytes) if newest else (0, 0)
        found = read_metrics(path, iteration, length)
        for number in found.damaged:
            self._find(path, f"line {number} is damaged")
        if found.later:
            first, last = min(found.later), max(found.later)
            self._find(path, f"there are figures of iterations {first} to {last}, but no checkpoint of them")
        if not found.damaged and len(found.content) < length:
            self._find(path, f"it is {length - len(found.content)} bytes shorter than the checkpoint says")


def _check_weights(name: str, content: bytes) -> None:
    try:
        weights = load(content)
    except SafetensorError as error:
        raise CommitError(f"{name}: {error}") from error
    for key, weight in weights.items():
        if not np.isfinite(weight).all():
            raise CommitError(f"{name}: the weights of '{key}' are not all numbers")


def _wrong_shard(view: ShardView, number: int, end: ShardEnd, *, knows_length: bool) -> str:
    """What is wrong with a shard as such, apart from its games; empty if nothing is."""
    is_last = number == end.shard
    if view.cause:
        return f"{view.cause}; the {len(view.games)} games before byte {view.good} are good"
    if number < end.shard and not view.closed:
        return "games are missing at its end"
    if knows_length and is_last and view.good < end.length:
        return f"it is {end.length - view.good} bytes shorter than the newest checkpoint says"
    if knows_length and (number > end.shard or (is_last and view.good > end.length)):
        return "it has games that no checkpoint knows: an iteration was stopped, or its checkpoint is gone"
    return ""
