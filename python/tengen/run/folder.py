"""A run is a folder: config.toml, games/, networks/, state/, metrics.jsonl. Killed at any moment, it can go on.

An iteration counts once its commit file `state/<iteration>.json` is there, which is written last. It says how long the
append-only files were, so that what a killed run wrote after its last commit is cut off again, and it holds a checksum
of itself and of every other file it refers to. A commit that does not check out is set aside and the one before it is
used; if there is none, the run is refused rather than begun anew. Every line of metrics.jsonl has a checksum too.

Nothing is deleted but what the run itself has replaced: older commits, networks that are not to be kept, and what an
iteration that did not come to its end had written. Whatever else is in the way is set aside and named in `notes`; files
with names of their own are left alone.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterable
from contextlib import ExitStack, suppress
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np
import tomli_w
from numpy.typing import NDArray
from safetensors.numpy import load_file, save

from tengen._core import Game, TengenError
from tengen.base.durable import append_bytes, aside_path, run_lock, set_aside, sync_folder, write_bytes
from tengen.config import NetworkConfig, RunConfig, load_config
from tengen.network.checkpoint import (
    NetworkFile,
    NetworkFileError,
    load_network,
    network_file_name,
    numbered_networks,
    save_network,
)
from tengen.records import GameIdentity, ShardEnd, ShardWriter, pack, unpack
from tengen.records.shards import game_of, newest_iteration
from tengen.report import IterationReport
from tengen.run.commits import (
    KINDS,
    UNREADABLE,
    Commit,
    CommitError,
    checksum,
    decode,
    encode,
    made_for,
    read_commit,
    state_files,
)
from tengen.run.metrics import Metrics, read_metrics, read_reports, with_crc
from tengen.selfplay import GamesInFlight

__all__ = ["FREE_SETTINGS", "RunFolder", "RunFolderError", "check_same_game"]


KEPT_NETWORKS = 10  # every tenth network of a run is kept, to play against later
FREE_SETTINGS = ("iterations", "self_play.threads")  # may be others when a run goes on
PARTS = ("games", "networks", "state")


class RunFolderError(TengenError):
    """A run folder that can't be used as it is."""


class RunFolder:
    """Opens a run for writing: no other process can meanwhile. Nothing is written before `begin`.

    For the thread that opened it.
    """

    def __init__(self, folder: Path, config: RunConfig) -> None:
        self.folder = folder
        self.config = config  # once the folder is opened, that of the run: with its number of units
        self.notes: list[str] = []  # what was damaged or set aside, and what is otherwise than before, in words
        self._networks: set[int] = set()  # that this run has saved and may remove, by iteration
        self._held = ExitStack()

    def __enter__(self) -> RunFolder:
        new = [path for path in (self.folder, self.folder / "lock") if not path.exists()]
        with ExitStack() as held:
            try:
                self._lock = held.enter_context(run_lock(self.folder))
            except OSError as error:
                self._leave_no_trace(new)
                raise RunFolderError(f"{self.folder} can't be a run's folder: {error.strerror}.") from error
            held.callback(self._leave_no_trace, new)
            self._before = self._check_config()
            self._held = held.pop_all()
        return self

    def __exit__(self, *error: Any) -> None:
        self._held.__exit__(*error)

    def begin(self, commit: Commit | None, minutes: float | None) -> None:
        """Writes the config and makes the folders. Before this, a run that is refused leaves no trace."""
        if commit is not None and self._before is not None:
            self._tell_other_length(commit, self._before.iterations, minutes)
        content = tomli_w.dumps(self.config.model_dump(mode="json", exclude_defaults=False)).encode()
        path = self.folder / "config.toml"
        if not path.exists() or path.read_bytes() != content:
            write_bytes(path, content)
        for part in PARTS:
            (self.folder / part).mkdir(exist_ok=True)

    def newest_commit(self) -> Commit | None:
        """The newest commit that checks out; later ones are set aside. None if the run has not come to one yet."""
        found = None
        for iteration, path in state_files(self.folder / "state", "json").items():
            if found is not None:  # one before: of it only the network that played counts, which may be removed now
                with suppress(*UNREADABLE):
                    self._networks.add(decode(path.read_bytes()).champion)
                continue
            try:
                found = read_commit(path)
            except CommitError as error:
                self._set_commit_aside(iteration, str(error))
            else:
                self._networks.add(found.champion)
        if found is not None:
            self.check_made_for(found)
        elif traces := self._traces_of_commits():
            raise RunFolderError(
                f"No checkpoint of {self.folder} can be used, but its games are kept; {traces}. Restore state/ "
                "from a copy, or start another run. After tengen verify-run --repair, which sets the old one aside, "
                f"the same folder begins anew. {' '.join(self.notes)}".rstrip()
            )
        return found

    def learner_state(self, commit: Commit) -> dict[str, NDArray[np.float32]]:
        return load_file(self.folder / "state" / f"{commit.iteration:06d}.safetensors")

    def champion(self, commit: Commit) -> dict[str, NDArray[np.float32]] | None:
        """The weights of the network that plays, if they are not the learner's newest."""
        if commit.champion == commit.iteration:
            return None
        return load_file(self.folder / "state" / f"{commit.iteration:06d}.champion")

    def behind(self, commit: Commit) -> dict[str, NDArray[np.float32]]:
        """The weights of the network that plays the next iteration, in a run with overlap."""
        return load_file(self.folder / "state" / f"{commit.iteration:06d}.behind")

    def reports(self) -> list[IterationReport]:
        """What the run has reported so far."""
        return read_reports(self.folder)

    def games_in_flight(self, commit: Commit) -> tuple[GamesInFlight, ...]:
        records = unpack((self.folder / "state" / f"{commit.iteration:06d}.games").read_bytes())
        found = []
        at = 0
        for count, next_game in zip(commit.in_flight, commit.next_games, strict=True):
            found.append(GamesInFlight(tuple(records[at : at + count]), next_game))
            at += count
        return tuple(found)

    def writer(self, game: Game, commit: Commit | None, *, keeps_later: bool = False) -> ShardWriter:
        """Appends games after those of the commit.

        What an iteration that did not come to its end wrote since is cut off. If there are traces of one that did, its
        commit is gone: then, or with `keeps_later`, nothing is cut off, but all of it set aside; what tells so last.
        """
        games, networks, metrics = (self.folder / part for part in ("games", "networks", "metrics.jsonl"))
        iteration = commit.iteration if commit else 0
        games_end = commit.games_end if commit else ShardEnd(0, 0)
        figures = read_metrics(metrics, iteration, commit.metrics_bytes if commit else 0)
        later_networks = {
            number: path for number, path in numbered_networks(networks).items() if number > iteration or not commit
        }
        begun_in = newest_iteration(games, games_end)  # counted from 0: one under way has games of `iteration`
        later = [*later_networks, *figures.later, *([begun_in + 1] if begun_in > iteration else [])]
        writer = ShardWriter.resume(games, game, games_end, keeps_later=keeps_later or bool(later))
        if later:
            newest = f"the newest checkpoint is of iteration {iteration}" if commit else "there is no checkpoint"
            self.notes.append(
                f"There are traces of iteration {max(later)}, but {newest}: the run was stopped before it wrote the "
                "next one, or that was deleted. What came later is done again; what there was of it is in the folders "
                f"set_aside of {games}, {networks} and {self.folder / 'state'}."
            )
        self.notes.extend(str(damage) for damage in writer.damage if not (later and damage.is_later))
        metrics_bytes = self._keep_metrics(metrics, figures, commit.metrics_bytes if commit else 0)
        if commit is not None:
            # From now on the commit means what is left, so that what is written next is not taken for what was lost.
            left = replace(commit, games_end=writer.end, metrics_bytes=metrics_bytes)
            if left != commit:
                self._write_commit(left)
        for path in later_networks.values():
            set_aside(path)
        sync_folder(networks)
        return writer

    def append_metrics(self, line: dict[str, Any]) -> int:
        """Returns the length of the file afterwards."""
        path = self.folder / "metrics.jsonl"
        append_bytes(path, with_crc(line))
        return path.stat().st_size

    def save_network(self, network: NetworkFile, iteration: int) -> Path:
        """What plays."""
        self._lock.check()
        path = self.folder / "networks" / network_file_name(iteration)
        save_network(path, network)
        self._networks.add(iteration)
        return path

    def remove_networks(self, newest: int, kept: Collection[int] = ()) -> None:
        """Of what this run has saved, the newest, every KEPT_NETWORKS-th and those of the ladder (`kept`) stay."""
        for iteration in self._networks - {newest, *kept}:
            if iteration % KEPT_NETWORKS:
                (self.folder / "networks" / network_file_name(iteration)).unlink(missing_ok=True)
                self._networks.discard(iteration)

    def readable_networks(self, iterations: Iterable[int]) -> dict[int, NetworkFile]:
        """The networks of these iterations, without those that are damaged or gone."""
        found = {}
        for iteration in iterations:
            with suppress(NetworkFileError):
                found[iteration] = load_network(self.folder / "networks" / network_file_name(iteration))
        return found

    def commit(
        self,
        *,
        iteration: int,
        seconds: float,
        minutes: float | None,
        games_end: ShardEnd,
        metrics_bytes: int,
        in_flight: tuple[GamesInFlight, ...],
        learner: dict[str, NDArray[np.float32]],
        champion: int,
        champion_weights: dict[str, NDArray[np.float32]],
        behind: NetworkFile | None = None,
    ) -> None:
        """Makes an iteration count. The champion is kept only if it is not the learner's newest network."""
        self._lock.check()
        state = self.folder / "state"
        contents = {
            f"{iteration:06d}.safetensors": save(learner),
            f"{iteration:06d}.games": pack(record for unit in in_flight for record in unit.games),
        }
        if champion != iteration:
            contents[f"{iteration:06d}.champion"] = save(champion_weights)
        if behind is not None:
            contents[f"{iteration:06d}.behind"] = save(behind.weights)
        for name, content in contents.items():
            write_bytes(state / name, content)
        done = Commit(
            iteration=iteration,
            seconds=seconds,
            games_end=games_end,
            metrics_bytes=metrics_bytes,
            next_games=tuple(unit.next_game for unit in in_flight),
            in_flight=tuple(len(unit.games) for unit in in_flight),
            champion=champion,
            checksums={name: checksum(content) for name, content in contents.items()},
            made_for=made_for(self.config),
            minutes=minutes or 0.0,
            behind=None if behind is None else behind.iteration,
        )
        self._write_commit(done)
        for kind in KINDS:  # the one before stays, in case this one is damaged later
            for older, path in state_files(state, kind).items():
                if older < iteration - 1:
                    path.unlink()

    def _tell_other_length(self, commit: Commit, iterations: int, minutes: float | None) -> None:
        """How long a run is may change, but not unnoticed: the learning rate follows the share that is done."""
        wanted, done = self.config.iterations, commit.iteration
        by_before = f"{commit.minutes:g} minutes" if commit.minutes else f"{iterations} iterations"
        by_now = f"{minutes:g} minutes" if minutes else f"{wanted} iterations"
        if minutes is None and wanted < done:
            self.notes.append(
                f"{wanted} iterations were asked for, and the run has done {done}: nothing is left to do."
            )
            self.config = self.config.model_copy(update={"iterations": iterations})
        elif commit.minutes is not None and by_before != by_now:
            self.notes.append(
                f"The run was given {by_before} before and {by_now} now. What depends on the share that is done, such "
                "as the learning rate, goes by that from here on, so the run ends otherwise than one begun so."
            )

    def _leave_no_trace(self, new: list[Path]) -> None:
        """Of a start that was refused. The lock may go, because what counts is that of the folder."""
        if (self.folder / "config.toml").exists():
            return
        with suppress(OSError):
            if self.folder / "lock" in new:
                (self.folder / "lock").unlink(missing_ok=True)
            if self.folder in new:
                self.folder.rmdir()

    def _check_config(self) -> RunConfig | None:
        """The config that the run was begun with, with which this one must agree but for FREE_SETTINGS."""
        path = self.folder / "config.toml"
        kept = load_config(path) if path.exists() else None
        units = self.config.self_play.units or (kept.self_play.units if kept else 0) or self._units_so_far()
        self.config = _with_units(self.config, units or os.cpu_count() or 1)
        if kept is None:
            return None
        before, here = _with_units(kept, kept.self_play.units or units), self.config
        differing = [
            f"{name} is {there} there and {now} here"
            for name, there, now in _differences("", before.model_dump(mode="json"), here.model_dump(mode="json"))
            if name not in FREE_SETTINGS
        ]
        if differing:
            raise RunFolderError(
                f"{self.folder} was started with another config: {', '.join(differing)}. Use that of {path}, or "
                "another folder."
            )
        return kept

    def _units_so_far(self) -> int:
        """Of a run from before units: as many as it had threads. 0 if it has no checkpoint that can be read."""
        for path in state_files(self.folder / "state", "json").values():
            with suppress(*UNREADABLE):
                return len(decode(path.read_bytes()).in_flight)
        return 0

    def _write_commit(self, commit: Commit) -> None:
        write_bytes(self.folder / "state" / f"{commit.iteration:06d}.json", encode(commit))

    def _traces_of_commits(self) -> str:
        """What only a run that had a commit leaves, in words: the traces of a second iteration. Empty: nothing."""
        metrics = self.folder / "metrics.jsonl"
        numbers = numbered_networks(self.folder / "networks")
        games = newest_iteration(self.folder / "games", ShardEnd(0, 0))
        if any((self.folder / "state").glob("set_aside/[0-9]*.json*")):
            return f"damaged ones are in {self.folder / 'state' / 'set_aside'}"
        if metrics.exists() and metrics.read_bytes().count(b"\n") > 1:
            return f"{metrics} has figures of several iterations"
        if max(numbers, default=0) > 1:
            return f"there is a network of iteration {max(numbers)}"
        return f"there are games of iteration {games + 1}" if games > 0 else ""

    def check_made_for(self, commit: Commit) -> None:
        """RunFolderError if the config is of another game or network than the commit."""
        if not commit.made_for:
            return
        game, options, network, optimizer, *method = json.loads(commit.made_for)
        defaults = NetworkConfig().model_dump(mode="json")  # which settings that came later had then
        network = {**defaults, **network}
        before, now = [game, options, network, optimizer, *method], json.loads(made_for(self.config))
        if before == now:
            return
        names = ("game", "options", "network", "learner.optimizer", "method")
        there_and_here = zip_longest(before, now, fillvalue="alphazero")  # which does not say its name
        differing = [
            f"{path} is not the one of the checkpoint: {there} there, {here} here"
            for name, (there_all, here_all) in zip(names, there_and_here, strict=False)
            for path, there, here in _differences(name, there_all, here_all)
        ]
        raise RunFolderError(
            f"{self.folder / 'config.toml'} was changed: {'; '.join(differing)}. Put it back, or start another run."
        )

    def _keep_metrics(self, path: Path, figures: Metrics, length: int) -> int:
        """Leaves the good lines and sets the others aside; gives the length."""
        others = [*figures.damaged.values(), *figures.later.values()]
        if others:
            aside = self._aside() / path.name
            append_bytes(aside, b"".join(others))
            if figures.damaged:
                numbers = ", ".join(map(str, figures.damaged))
                self.notes.append(f"{path} was damaged in line {numbers}; what was there is in {aside}.")
        if not figures.damaged and len(figures.content) < length:
            lost = length - len(figures.content)
            self.notes.append(f"{path} is {lost} bytes shorter than it was; those figures are lost.")
        kept = b"".join(figures.good)
        if kept != figures.content:
            write_bytes(path, kept)
        return len(kept)

    def _aside(self) -> Path:
        return aside_path(self.folder / "state" / "any").parent

    def _set_commit_aside(self, iteration: int, reason: str) -> None:
        """Moves the files of a commit away, beside what was set aside before."""
        for kind in KINDS:
            path = self.folder / "state" / f"{iteration:06d}.{kind}"
            if path.exists():
                set_aside(path)
        self.notes.append(f"The checkpoint of iteration {iteration} is damaged ({reason}); it is in {self._aside()}.")


def check_same_game(folder: Path, *meant: Game) -> None:
    """Refuses to go on with a run of none of these games. One that has not begun yet is of any."""
    kept = game_of(folder / "games")
    asked = [GameIdentity.of(game) for game in meant]
    if kept is None or any(kept.is_same(identity) for identity in asked):
        return
    if any(kept.is_edited(identity) for identity in asked):
        raise RunFolderError(
            f"The rules of {kept.name} changed since the run {folder} began: its games and its network are of the old "
            "ones. Put the old rules back, or start another run."
        )
    raise RunFolderError(f"{folder} is a run of {kept}, not of {asked[0]}; choose that game, or another folder.")


def _with_units(config: RunConfig, units: int) -> RunConfig:
    return config.model_copy(update={"self_play": config.self_play.model_copy(update={"units": units})})


def _differences(path: str, one: Any, other: Any) -> list[tuple[str, Any, Any]]:
    """The settings that differ between two configs: their path, as in 'self_play.search.c_puct', and both values."""
    if not isinstance(one, dict) or not isinstance(other, dict):
        return [(path, one, other)] if one != other else []
    return [
        difference
        for name in {**one, **other}
        for difference in _differences(f"{path}.{name}".lstrip("."), one.get(name), other.get(name))
    ]
