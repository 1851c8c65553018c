"""The commit of an iteration: where a run stood at its end, as a file with checksums of itself and of what it needs."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path

from tengen._core import TengenError
from tengen.config import RunConfig
from tengen.records import ShardEnd

__all__ = ["Commit", "CommitError", "checksum", "decode", "encode", "made_for", "read_commit", "state_files"]

UNREADABLE = (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError)  # that a file may cause
KINDS = ("json", "safetensors", "games", "champion", "behind")


class CommitError(TengenError, ValueError):
    """A commit that is not as it was written, or whose files are not."""


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
    minutes: float | None = None  # that the run was given; 0: it goes by iterations; None: not known
    behind: int | None = None  # with overlap, the iteration that the network which plays next is from


def state_files(state: Path, kind: str) -> dict[int, Path]:
    """The files of one of KINDS by iteration, newest first. Files with other names are not the run's."""
    found = {int(path.stem): path for path in state.glob(f"*.{kind}") if path.stem.isdecimal()}
    own = {number: path for number, path in found.items() if path.name == f"{number:06d}.{kind}"}
    return dict(sorted(own.items(), reverse=True))


def read_commit(path: Path) -> Commit:
    """A commit whose own checksum and those of its files are right; CommitError says what is not."""
    try:
        commit = decode(path.read_bytes())
        if commit.iteration != int(path.stem):
            raise CommitError(f"it is of iteration {commit.iteration}")
        for name, meant in commit.checksums.items():
            if checksum((path.parent / Path(name).name).read_bytes()) != meant:
                raise CommitError(f"{name} does not match its checksum")
    except UNREADABLE as error:
        raise CommitError(str(error)) from error
    return commit


def made_for(config: RunConfig) -> str:
    """What must stay as it was for a checkpoint to be of use."""
    network = config.network.model_dump(mode="json")
    if config.network.kind == "ntuple" or config.tables.teach_share:
        network["tables"] = config.tables.model_dump(mode="json")
    method = [] if config.method in ("alphazero", "temporal") else [config.method]  # these two follow from the network
    return json.dumps([config.game, config.options, network, config.learner.optimizer, *method], sort_keys=True)


def encode(commit: Commit) -> bytes:
    text = json.dumps(asdict(commit))
    return json.dumps({"commit": text, "checksum": checksum(text.encode())}).encode()


def decode(data: bytes) -> Commit:
    content = json.loads(data)
    if checksum(content["commit"].encode()) != content["checksum"]:
        raise CommitError("it does not match its own checksum")
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
        minutes=fields.get("minutes"),
        behind=fields.get("behind"),
    )


def checksum(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
