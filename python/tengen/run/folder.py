"""A run is a folder: config.toml, games/, networks/, state/, metrics.jsonl. Killed at any moment, it can go on.

An iteration counts once its commit file `state/<iteration>.json` is there, which is written last. It says how long the
append-only files were, so that what a killed run wrote after its last commit is cut off again, and it holds a checksum
of itself and of every other file it refers to. A commit that does not check out is set aside and the one before it is
used; if there is none, the run is refused rather than begun anew. Every line of metrics.jsonl has a checksum too.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import zlib
from collections.abc import Collection, Iterable
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import tomli_w
from numpy.typing import NDArray
from safetensors.numpy import load_file, save

from tengen._core import Game, TengenError
from tengen.base.durable import disk_errors, run_lock, write_bytes
from tengen.config import NetworkConfig, RunConfig, load_config
from tengen.network.checkpoint import NetworkFile, NetworkFileError, load_network, save_network
from tengen.records import GameIdentity, ShardEnd, ShardWriter, pack, unpack
from tengen.records.shards import game_of
from tengen.report import IterationReport, iteration_report
from tengen.selfplay import GamesInFlight

__all__ = ["FREE_SETTINGS", "Commit", "RunFolder", "RunFolderError", "check_same_game", "read_reports"]


KEPT_NETWORKS = 10  # every tenth network of a run is kept, to play against later
FREE_SETTINGS = ("iterations", "self_play.threads")  # may be others when a run goes on: its bits don't depend on them


class RunFolderError(TengenError):
    """A run folder that can't be used as it is."""


@dataclass(frozen=True)
class Commit:
    """Where a run stood at the end of an iteration."""

    iteration: int  # iterations done
    seconds: float  # spent so far
    games_end: ShardEnd  # how far games/ goes
    metrics_bytes: int
    next_games: tuple[int, ...]  # per unit
    in_flight: tuple[int, ...]  # per unit, how many of the games in the in-flight file are its own
    champion: int  # the iteration that the network which plays is from
    checksums: dict[str, str]  # of the files of this commit, by name
    made_for: str = ""  # the settings that the learner's state depends on; empty: not known


class RunFolder:
    """Opens a run for writing: nobody else can meanwhile."""

    def __init__(self, folder: Path, config: RunConfig) -> None:
        self.folder = folder
        self.config = config  # once the folder is opened, that of the run: with its number of units
        self.notes: list[str] = []  # what was damaged and set aside, in words
        self._held = ExitStack()

    def __enter__(self) -> RunFolder:
        is_new = not self.folder.exists()
        with ExitStack() as held:
            try:
                held.enter_context(run_lock(self.folder))
            except OSError as error:
                raise RunFolderError(f"{self.folder} can't be a run's folder: {error.strerror}.") from error
            try:
                self._keep_config()
                for part in ("games", "networks", "state"):
                    (self.folder / part).mkdir(exist_ok=True)
            except BaseException:
                if is_new:  # a start that failed leaves nothing behind
                    shutil.rmtree(self.folder, ignore_errors=True)
                raise
            self._held = held.pop_all()
        return self

    def __exit__(self, *error: Any) -> None:
        self._held.__exit__(*error)

    def newest_commit(self) -> Commit | None:
        """The newest commit that checks out; later ones are set aside. None if the run has not come to one yet."""
        for path in sorted(self._state_files("json"), reverse=True):
            try:
                commit = _decode(path.read_bytes())
                for name, checksum in commit.checksums.items():
                    if _checksum((self.folder / "state" / name).read_bytes()) != checksum:
                        raise RunFolderError(f"{name} does not match its checksum")
            except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
                self._set_aside(path, str(error))
                continue
            self._check_made_for(commit)
            return commit
        if self._had_commits():
            reasons = " ".join(self.notes)
            raise RunFolderError(
                f"No checkpoint of {self.folder} can be used, but its games are kept; start another run. {reasons}"
            )
        return None

    def learner_state(self, commit: Commit) -> dict[str, NDArray[np.float32]]:
        return load_file(self.folder / "state" / f"{commit.iteration:06d}.safetensors")

    def champion(self, commit: Commit) -> dict[str, NDArray[np.float32]] | None:
        """The weights of the network that plays, if they are not the learner's newest."""
        if commit.champion == commit.iteration:
            return None
        return load_file(self.folder / "state" / f"{commit.iteration:06d}.champion")

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

    def writer(self, game: Game, commit: Commit | None) -> ShardWriter:
        """Appends games after those of the commit; what a killed run wrote since is cut off."""
        games = self.folder / "games"
        if commit is None:
            shutil.rmtree(games)
            games.mkdir()
            (self.folder / "metrics.jsonl").unlink(missing_ok=True)
            return ShardWriter(games, game)
        metrics_bytes = self._check_metrics(commit)
        writer = ShardWriter.resume(games, game, commit.games_end)
        self.notes.extend(str(damage) for damage in writer.damage)
        # From now on the commit means what is left, so that what is written next is not taken for what was lost.
        left = replace(commit, games_end=writer.end, metrics_bytes=metrics_bytes)
        if left != commit:
            self._write_commit(left)
        return writer

    def append_metrics(self, line: dict[str, Any]) -> int:
        """Returns the length of the file afterwards."""
        path = self.folder / "metrics.jsonl"
        with disk_errors(path), path.open("ab") as file:
            file.write(_with_crc(line))
            file.flush()
            os.fsync(file.fileno())
            return file.tell()

    def save_network(self, network: NetworkFile, iteration: int, kept: Collection[int] = ()) -> Path:
        """What plays. The newest, every KEPT_NETWORKS-th and those of the ladder (`kept`) stay."""
        networks = self.folder / "networks"
        path = networks / f"{iteration:06d}.safetensors"
        save_network(path, network)
        for older in self.saved_networks():
            if older != iteration and older % KEPT_NETWORKS and older not in kept:
                (networks / f"{older:06d}.safetensors").unlink()
        return path

    def saved_networks(self) -> list[int]:
        """Iterations whose networks are there."""
        names = (path.stem for path in (self.folder / "networks").glob("*.safetensors"))
        return sorted(int(name) for name in names if name.isdecimal())

    def readable_networks(self, iterations: Iterable[int]) -> dict[int, NetworkFile]:
        """The networks of these iterations, without those that are damaged or gone."""
        found = {}
        for iteration in iterations:
            with suppress(NetworkFileError):
                found[iteration] = load_network(self.folder / "networks" / f"{iteration:06d}.safetensors")
        return found

    def commit(
        self,
        *,
        iteration: int,
        seconds: float,
        games_end: ShardEnd,
        metrics_bytes: int,
        in_flight: tuple[GamesInFlight, ...],
        learner: dict[str, NDArray[np.float32]],
        champion: int,
        champion_weights: dict[str, NDArray[np.float32]],
    ) -> None:
        """Makes an iteration count. The champion is kept only if it is not the learner's newest network."""
        state = self.folder / "state"
        contents = {
            f"{iteration:06d}.safetensors": save(learner),
            f"{iteration:06d}.games": pack(record for unit in in_flight for record in unit.games),
        }
        if champion != iteration:
            contents[f"{iteration:06d}.champion"] = save(champion_weights)
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
            checksums={name: _checksum(content) for name, content in contents.items()},
            made_for=_made_for(self.config),
        )
        self._write_commit(done)
        for path in state.iterdir():  # the one before stays, in case this one is damaged later
            if path.is_file() and path.stem.isdecimal() and int(path.stem) < iteration - 1:
                path.unlink()

    def _keep_config(self) -> None:
        """The first start writes the config; later ones must agree with it, but for FREE_SETTINGS."""
        path = self.folder / "config.toml"
        kept = load_config(path) if path.exists() else None
        units = self.config.self_play.units or (kept.self_play.units if kept else 0) or self._units_so_far()
        self.config = _with_units(self.config, units or os.cpu_count() or 1)
        if kept is not None:
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
        content = self.config.model_dump(mode="json", exclude_defaults=False)
        write_bytes(path, tomli_w.dumps(content).encode())

    def _units_so_far(self) -> int:
        """Of a run from before units: as many as it had threads. 0 if it has no checkpoint that can be read."""
        for path in sorted(self._state_files("json"), reverse=True):
            with suppress(OSError, ValueError, LookupError, TypeError, AttributeError, RunFolderError):
                return len(_decode(path.read_bytes()).in_flight)
        return 0

    def _state_files(self, kind: str) -> list[Path]:
        return [path for path in (self.folder / "state").glob(f"*.{kind}") if path.stem.isdecimal()]

    def _write_commit(self, commit: Commit) -> None:
        write_bytes(self.folder / "state" / f"{commit.iteration:06d}.json", _encode(commit))

    def _had_commits(self) -> bool:
        """Also when their files are gone: figures of a second iteration are written after the first was committed."""
        metrics = self.folder / "metrics.jsonl"
        return any((self.folder / "state").glob("set_aside/*.json*")) or (
            metrics.exists() and metrics.read_bytes().count(b"\n") > 1
        )

    def _check_made_for(self, commit: Commit) -> None:
        if not commit.made_for:
            return
        game, options, network, optimizer = json.loads(commit.made_for)
        network = {**NetworkConfig().model_dump(), **network}  # settings that came later had their defaults then
        before, now = [game, options, network, optimizer], json.loads(_made_for(self.config))
        if before == now:
            return
        names = ("game", "options", "network", "learner.optimizer")
        differing = [
            f"{path} is not the one of the checkpoint: {there} there, {here} here"
            for name, there_all, here_all in zip(names, before, now, strict=True)
            for path, there, here in _differences(name, there_all, here_all)
        ]
        raise RunFolderError(
            f"{self.folder / 'config.toml'} was changed: {'; '.join(differing)}. Put it back, or start another run."
        )

    def _check_metrics(self, commit: Commit) -> int:
        """Cuts off what came after the commit, sets aside lines that are not as they were written; gives the length."""
        path = self.folder / "metrics.jsonl"
        content = path.read_bytes() if path.exists() else b""
        good, bad = [], {}  # damaged lines by their number
        start = 0
        for number, line in enumerate(content.splitlines(keepends=True), 1):
            iteration = _iteration_of(line)
            if iteration is None and start < commit.metrics_bytes:
                bad[number] = line
            elif iteration is not None and iteration <= commit.iteration:
                good.append(line)
            start += len(line)
        if bad:
            aside = self._aside() / path.name
            with disk_errors(aside), aside.open("ab") as file:
                file.writelines(bad.values())
            numbers = ", ".join(map(str, bad))
            self.notes.append(f"{path} was damaged in line {numbers}; what was there is in {aside}.")
        elif len(content) < commit.metrics_bytes:
            lost = commit.metrics_bytes - len(content)
            self.notes.append(f"{path} is {lost} bytes shorter than it was; those figures are lost.")
        kept = b"".join(good)
        if kept != content:
            write_bytes(path, kept)
        return len(kept)

    def _aside(self) -> Path:
        aside = self.folder / "state" / "set_aside"
        aside.mkdir(exist_ok=True)
        return aside

    def _set_aside(self, path: Path, reason: str) -> None:
        """Moves the files of a commit away, beside what was set aside before."""
        aside = self._aside()
        for part in self.folder.joinpath("state").glob(f"{path.stem}.*"):
            taken = len(list(aside.glob(f"{part.name}*")))
            part.rename(aside / (f"{part.name}.{taken + 1}" if taken else part.name))
        self.notes.append(f"The checkpoint of iteration {int(path.stem)} is damaged ({reason}); it is in {aside}.")


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


def read_reports(folder: Path) -> list[IterationReport]:
    """The reports in metrics.jsonl, also while the run goes on. Lines that can't be understood are left out."""
    path = folder / "metrics.jsonl"
    found = []
    for line in path.read_bytes().splitlines() if path.exists() else ():
        with suppress(ValueError, LookupError, TypeError, AttributeError):
            found.append(iteration_report(json.loads(line)))
    return found


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


def _made_for(config: RunConfig) -> str:
    """What must stay as it was for a checkpoint to be of use."""
    network = config.network.model_dump()
    return json.dumps([config.game, config.options, network, config.learner.optimizer], sort_keys=True)


def _encode(commit: Commit) -> bytes:
    text = json.dumps(asdict(commit))
    return json.dumps({"commit": text, "checksum": _checksum(text.encode())}).encode()


def _decode(data: bytes) -> Commit:
    content = json.loads(data)
    if _checksum(content["commit"].encode()) != content["checksum"]:
        raise RunFolderError("it does not match its own checksum")
    fields = json.loads(content["commit"])
    return Commit(
        iteration=fields["iteration"],
        seconds=fields["seconds"],
        games_end=ShardEnd(*fields["games_end"]),
        metrics_bytes=fields["metrics_bytes"],
        next_games=tuple(fields["next_games"]),
        in_flight=tuple(fields["in_flight"]),
        champion=fields.get("champion", fields["iteration"]),
        checksums=fields["checksums"],
        made_for=fields.get("made_for", ""),
    )


def _with_crc(line: dict[str, Any]) -> bytes:
    crc = zlib.crc32(json.dumps(line).encode())
    return json.dumps({**line, "crc32": crc}).encode() + b"\n"


def _iteration_of(line: bytes) -> int | None:
    """The iteration that a line of metrics is about; None if it is not as it was written."""
    try:
        content = json.loads(line)
        content.pop("crc32")
        return int(content["iteration"]) if _with_crc(content) == line else None
    except (ValueError, KeyError, AttributeError, TypeError):
        return None


def _checksum(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
