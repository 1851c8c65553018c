"""A run is a folder: config.toml, games/, networks/, state/, metrics.jsonl. Killed at any moment, it can go on.

An iteration counts once its commit file `state/<iteration>.json` is there, which is written last. It says how long the
append-only files were, so that what a killed run wrote after its last commit is cut off again, and it holds a checksum
of everything else it refers to. A commit that does not check out is set aside and the one before it is used.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import tomli_w
from numpy.typing import NDArray
from safetensors.numpy import load_file, save

from tengen._core import Game, TengenError
from tengen.config import RunConfig, load_config
from tengen.durable import run_lock, write_bytes
from tengen.network.checkpoint import NetworkFile, save_network
from tengen.records import ShardEnd, ShardWriter, pack, unpack
from tengen.selfplay import GamesInFlight

__all__ = ["Commit", "RunFolder", "RunFolderError"]


class RunFolderError(TengenError):
    """A run folder that can't be used as it is."""


@dataclass(frozen=True)
class Commit:
    """Where a run stood at the end of an iteration."""

    iteration: int  # iterations done
    seconds: float  # spent so far
    games_end: ShardEnd  # how far games/ goes
    metrics_bytes: int
    next_games: tuple[int, ...]  # per thread
    in_flight: tuple[int, ...]  # per thread, how many of the games in the in-flight file are its own
    checksums: dict[str, str]  # of the files of this commit, by name


class RunFolder:
    """Opens a run for writing: nobody else can meanwhile."""

    def __init__(self, folder: Path, config: RunConfig) -> None:
        self.folder = folder
        self.config = config
        for part in ("games", "networks", "state"):
            (folder / part).mkdir(parents=True, exist_ok=True)
        self.notes: list[str] = []  # what was damaged and set aside, in words
        self._lock = run_lock(folder)

    def __enter__(self) -> RunFolder:
        self._lock.__enter__()
        self._keep_config()
        return self

    def __exit__(self, *error: Any) -> None:
        self._lock.__exit__(*error)

    def newest_commit(self) -> Commit | None:
        """The newest commit that checks out; later ones are set aside."""
        for path in sorted((self.folder / "state").glob("*.json"), reverse=True):
            try:
                commit = _read_commit(path)
                for name, checksum in commit.checksums.items():
                    if _checksum((self.folder / "state" / name).read_bytes()) != checksum:
                        raise RunFolderError(f"{name} does not match its checksum")
            except (OSError, ValueError, TypeError, KeyError) as error:
                self._set_aside(path, str(error))
                continue
            return commit
        return None

    def learner_state(self, commit: Commit) -> dict[str, NDArray[np.float32]]:
        return load_file(self.folder / "state" / f"{commit.iteration:06d}.safetensors")

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
            self._cut_metrics(0)
            return ShardWriter(games, game)
        self._cut_metrics(commit.metrics_bytes)
        writer = ShardWriter.resume(games, game, commit.games_end)
        self.notes.extend(str(damage) for damage in writer.damage)
        return writer

    def append_metrics(self, line: dict[str, Any]) -> int:
        """Returns the length of the file afterwards."""
        with (self.folder / "metrics.jsonl").open("a") as file:
            file.write(json.dumps(line) + "\n")
            file.flush()
            return file.tell()

    def save_network(self, network: NetworkFile, iteration: int) -> Path:
        path = self.folder / "networks" / f"{iteration:06d}.safetensors"
        save_network(path, network)
        return path

    def commit(
        self,
        *,
        iteration: int,
        seconds: float,
        games_end: ShardEnd,
        metrics_bytes: int,
        in_flight: tuple[GamesInFlight, ...],
        learner: dict[str, NDArray[np.float32]],
    ) -> None:
        """Makes an iteration count."""
        state = self.folder / "state"
        contents = {
            f"{iteration:06d}.safetensors": save(learner),
            f"{iteration:06d}.games": pack(record for thread in in_flight for record in thread.games),
        }
        for name, content in contents.items():
            write_bytes(state / name, content)
        done = Commit(
            iteration=iteration,
            seconds=seconds,
            games_end=games_end,
            metrics_bytes=metrics_bytes,
            next_games=tuple(thread.next_game for thread in in_flight),
            in_flight=tuple(len(thread.games) for thread in in_flight),
            checksums={name: _checksum(content) for name, content in contents.items()},
        )
        write_bytes(state / f"{iteration:06d}.json", json.dumps(asdict(done)).encode())
        for path in state.iterdir():  # the one before stays, in case this one is damaged later
            if path.is_file() and path.stem.isdecimal() and int(path.stem) < iteration - 1:
                path.unlink()

    def _keep_config(self) -> None:
        """The first start writes the config; later ones must agree with it, but for how long to go on."""
        path = self.folder / "config.toml"
        if path.exists():
            kept = load_config(path)
            if kept.model_copy(update={"iterations": self.config.iterations}) != self.config:
                raise RunFolderError(
                    f"{self.folder} was started with another config ({path}); use that one, or another folder."
                )
        content = self.config.model_dump(mode="json", exclude_defaults=False)
        write_bytes(path, tomli_w.dumps(content).encode())

    def _cut_metrics(self, length: int) -> None:
        path = self.folder / "metrics.jsonl"
        if path.exists():
            with path.open("r+b") as file:
                file.truncate(length)

    def _set_aside(self, path: Path, reason: str) -> None:
        aside = self.folder / "state" / "set_aside"
        aside.mkdir(exist_ok=True)
        for part in self.folder.joinpath("state").glob(f"{path.stem}.*"):
            part.rename(aside / part.name)
        self.notes.append(f"The checkpoint of iteration {int(path.stem)} is damaged ({reason}); it is in {aside}.")


def _read_commit(path: Path) -> Commit:
    content: dict[str, Any] = json.loads(path.read_text())
    return Commit(
        **content
        | {
            "games_end": ShardEnd(*content["games_end"]),
            "next_games": tuple(content["next_games"]),
            "in_flight": tuple(content["in_flight"]),
        }
    )


def _checksum(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
