"""A network as a file: weights as safetensors, and in the header what they are for, how they are used, who made them.

Written whole or not at all, and read only if every byte is as it was written. Equal networks are equal files. Needs no
torch, never reads a pickle, and never runs anything that the file names.
"""

from __future__ import annotations

import hashlib
import json
import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import safetensors
from numpy.typing import NDArray
from pydantic import ValidationError

from tengen._core import EvaluatorError, Game, TengenError
from tengen.base.bundled import bundled_folder, bundled_names
from tengen.base.durable import write_bytes
from tengen.config import NetworkConfig
from tengen.games import load, names
from tengen.games.options import OPENSPIEL_PREFIX
from tengen.network.architecture import (
    LOGITS,
    OWNERSHIP,
    SCORE,
    WDL,
    Architecture,
    ArchitectureError,
    TupleTables,
    describe,
    policy_planes,
)
from tengen.network.layers import check_weights
from tengen.network.old_header import OLD_FORMAT, renewed

__all__ = [
    "NetworkFile",
    "NetworkFileError",
    "NetworkWarning",
    "check_fits",
    "find_network",
    "game_of",
    "load_network",
    "network_file_name",
    "numbered_networks",
    "save_network",
]

FORMAT = "tengen network 2"
TABLES = "tables"  # the name of the weights of an n-tuple network: [banks, tuples, entries]
# What reading a header may raise that anyone may have written.
UNREADABLE = (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError)
Weights = Mapping[str, NDArray[np.float32]]


class NetworkFileError(TengenError):
    """A file that is not a usable network, or a network for something else."""


class NetworkWarning(UserWarning):
    """A network that can be used, but was made for something a little different."""


@dataclass(frozen=True)
class NetworkFile:
    """A network and what it is for. Weights are named after the layers of the architecture."""

    game: str  # its name, for people
    source: str  # what load() takes; of a rules file the path it once had, which nothing opens
    options: dict[str, Any]  # of the game it was trained on
    rules_digest: str  # SHA-256 of the text of a rules file; "" for other games
    planes_shape: tuple[int, int, int]  # planes, height, width it was trained on
    num_actions: int
    action_layout: str  # "cells", "columns", "planes" or "dense"
    architecture: Architecture = field(repr=False)
    weights: dict[str, NDArray[np.float32]] = field(repr=False, compare=False)
    discount: float = 1.0  # a ply, of the values that it learned
    iteration: int = 0  # of the run, that it was made in
    made_by: dict[str, str] = field(default_factory=dict)  # run, seed ...

    @classmethod
    def of(
        cls,
        game: Game,
        network: NetworkConfig | Architecture,
        weights: Weights,
        made_by: Mapping[str, str] | None = None,
        *,
        discount: float = 1.0,
        iteration: int = 0,
    ) -> NetworkFile:
        """The file of a network trained on this game."""
        spec = game.spec
        planes, height, width = spec.planes_shape
        return cls(
            game=spec.name,
            source=spec.source,
            options=dict(spec.options),
            rules_digest=spec.rules_digest,
            planes_shape=(planes, height, width),
            num_actions=spec.num_actions,
            action_layout=spec.action_layout,
            architecture=network if isinstance(network, Architecture) else describe(spec, network),
            weights=dict(weights),
            discount=discount,
            iteration=iteration,
            made_by=dict(made_by or {}),
        )

    @property
    def has_policy(self) -> bool:
        return LOGITS in self.architecture.outputs

    @property
    def has_value(self) -> bool:
        return WDL in self.architecture.outputs

    @property
    def has_ownership(self) -> bool:
        return OWNERSHIP in self.architecture.outputs

    @property
    def has_score(self) -> bool:
        return SCORE in self.architecture.outputs

    @property
    def is_of_rules_file(self) -> bool:
        return bool(self.rules_digest) or self.source.endswith(".py")

    def plays(self, game: Game) -> bool:
        """Whether it is a network of this game, whatever the options. `check_fits` asks more."""
        spec = game.spec
        if not self.is_of_rules_file:
            return self.source == spec.source
        return spec.source.endswith(".py") and self.game in {spec.name, Path(spec.source).stem}

    @property
    def plays_any_size(self) -> bool:
        """Whether the board may be larger or smaller than it was in training."""
        made_of_layers = self.architecture.module is None and self.architecture.tables is None
        return self.action_layout != "dense" and made_of_layers

    @property
    def options_text(self) -> str:
        """As in 'size=9, komi=7.5'."""
        return ", ".join(f"{name}={value}" for name, value in self.options.items())

    def num_actions_on(self, height: int, width: int) -> int:
        """Actions on a board of this size. EvaluatorError if the network plays only the size it was trained on."""
        trained = self.planes_shape[1:]
        if (height, width) == trained:
            return self.num_actions
        if not self.plays_any_size:
            raise EvaluatorError(f"This network plays only on {_size(trained)}, not on {_size((height, width))}.")
        if self.action_layout == "columns":
            return width
        planes, extra = policy_planes(self)
        return planes * height * width + extra

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the weights: says which network made a game, whatever its file is called."""
        seen = hashlib.sha256()
        for name, weight in sorted(self.weights.items()):
            seen.update(f"{name} {weight.dtype.str} {weight.shape}\n".encode())
            seen.update(np.ascontiguousarray(weight).data)
        return seen.hexdigest()


def save_network(path: Path | str, file: NetworkFile) -> None:
    """Writes the file whole or not at all: after a crash the path holds the old network or the new one."""
    for name, weight in file.weights.items():
        if weight.dtype != np.float32:
            raise NetworkFileError(f"Weights are kept in float32, but '{name}' is {weight.dtype}.")
    check_finite(file.weights, "The network was not saved")
    header = _as_text(_header(file))
    metadata = {"format": FORMAT, "header": header, "checksum": _checksum(header, file.digest)}
    try:
        write_bytes(Path(path), safetensors_bytes(file.weights, metadata))
    except OSError as error:
        raise NetworkFileError(f"The network can't be saved as {path}: {error.strerror}.") from error


def load_network(path: Path | str) -> NetworkFile:
    """Reads a network; NetworkFileError says what is wrong with one that can't be used."""
    path = Path(path)
    _check_kind(path)
    try:
        with safetensors.safe_open(path, framework="np") as content:
            metadata = content.metadata() or {}
            weights = {name: content.get_tensor(name) for name in content.keys()}  # noqa: SIM118 (not a dict)
    except safetensors.SafetensorError as error:
        raise NetworkFileError(
            f"{path} is cut short or damaged, or not a network of tengen ({error}); use another copy of it."
        ) from error
    written_as, header = metadata.get("format", ""), metadata.get("header", "")
    if written_as not in {FORMAT, OLD_FORMAT}:
        newer = f"it is a '{written_as}' of a newer tengen" if written_as.startswith(FORMAT[:-1]) else "no header"
        raise NetworkFileError(f"{path} holds weights, but not of a network of tengen that can be read here ({newer}).")
    file = _from_header(path, header, weights, is_old=written_as == OLD_FORMAT)
    if metadata.get("checksum") != _checksum(header, file.digest):
        raise NetworkFileError(f"{path} is damaged: it is not what was saved; use another copy of it.")
    check_finite(weights, f"{path} can't be used")
    return file


def find_network(model: Path | str) -> Path:
    """A file itself; of a run, or of a folder with networks, the newest; or the file of a bundled name."""
    path = Path(model)
    if not path.exists():
        if str(model) not in bundled_names("models"):
            raise NetworkFileError(
                f"There is no network '{model}': it is no file, no run, and none of those that come with tengen "
                f"({', '.join(bundled_names('models'))})."
            )
        path = bundled_folder("models") / model
    if path.suffix == ".py" and not path.is_dir():
        raise NetworkFileError(
            f"{model} is a Python file, not a network; name a network's file or the folder of a run."
        )
    if not path.is_dir():
        return path
    networks = path / "networks"
    found = numbered_networks(networks) or ({} if networks.is_dir() else numbered_networks(path))
    if found:
        return found[max(found)]
    if not networks.is_dir() and (others := sorted(path.glob("*.safetensors"))):
        return others[-1]
    raise NetworkFileError(f"There is no network in {path} yet; a run saves its first after one iteration.")


def numbered_networks(folder: Path) -> dict[int, Path]:
    """The networks that a run has saved in this folder, by iteration. Files with other names are not the run's."""
    return {
        int(path.stem): path
        for path in folder.glob("*.safetensors")
        if path.stem.isdecimal() and path.name == network_file_name(int(path.stem))
    }


def network_file_name(iteration: int) -> str:
    """What a run calls its network of an iteration."""
    return f"{iteration:06d}.safetensors"


def game_of(file: NetworkFile) -> Game:
    """The game that a network was trained on. A rules file is never run because a network names it: it is refused."""
    if file.source not in names() and not file.source.startswith(OPENSPIEL_PREFIX):
        raise NetworkFileError(
            f"This network plays {file.game}, whose rules are a file ({file.source}); tengen does not run a file "
            "because a network names it. Give the game too: game=tengen.load('RULES.py') in Python, --game RULES.py "
            "on the command line."
        )
    return load(file.source, **file.options)


def check_fits(file: NetworkFile, game: Game) -> None:
    """Refuses a network of another game or other planes. Another board size is fine where the heads allow it.

    Of a game whose rules are a file the name counts, not the path; NetworkWarning if the rules were changed since.
    """
    spec = game.spec
    if not file.plays(game):
        raise NetworkFileError(f"This network plays {file.source}, not {spec.source}.")
    changed = bool(file.rules_digest) and spec.rules_digest not in {"", file.rules_digest}
    because = f" The rules of {spec.name} were changed since the network was trained." if changed else ""
    here = f"{spec.name} ({spec.options_text})" if spec.options else spec.name
    if file.action_layout != spec.action_layout or file.planes_shape[0] != spec.num_planes:
        raise NetworkFileError(
            f"This network was trained on {file.planes_shape[0]} planes with actions by {file.action_layout}, but "
            f"{here} has {spec.num_planes} and {spec.action_layout}; load the game with the options it was trained "
            f"with ({file.options_text or 'none'}).{because}"
        )
    try:
        actions = file.num_actions_on(spec.height, spec.width)
    except EvaluatorError as error:
        reason = f"the actions of {spec.name} have no relation to its board"
        if file.architecture.module is not None:
            reason = "a module of one's own is made for one size"
        if file.architecture.tables is not None:
            reason = "its tables are over the cells of one board"
        raise NetworkFileError(f"{str(error)[:-1]}, because {reason}.{because}") from error
    if actions != spec.num_actions:
        raise NetworkFileError(
            f"This network knows {actions} actions on {_size((spec.height, spec.width))}, but {here} has "
            f"{spec.num_actions}.{because}"
        )
    if changed:
        warnings.warn(
            f"The rules of {spec.name} were changed since this network was trained (the text of the file is another); "
            "its planes and actions still fit, so it plays.",
            NetworkWarning,
            stacklevel=2,
        )


def check_whole(file: NetworkFile) -> None:
    """NetworkFileError if the weights are not those that the architecture in the header needs."""
    if file.architecture.module is not None:
        return  # only its code knows; load_weights compares
    if file.architecture.tables is not None:
        _check_tables(file, file.architecture.tables)
        return
    try:
        check_weights(file.architecture, file, file.weights)
    except ArchitectureError as error:
        raise NetworkFileError(f"The weights don't fit their own header: {str(error).removesuffix('.')}.") from error


def _check_tables(file: NetworkFile, tables: TupleTables) -> None:
    """As far as it is known without the game, which says how many pieces there are."""
    banks = tables.stages * (1 if tables.shares_players else 2)
    found = {name: weight.shape for name, weight in file.weights.items()}
    shape = found.get(TABLES, ())
    if set(found) != {TABLES} or shape[:2] != (banks, len(tables.tuples)) or len(shape) != 3:
        raise NetworkFileError(
            f"The weights don't fit their own header: '{TABLES}' must be [{banks}, {len(tables.tuples)}, entries], "
            f"and there is {found}."
        )


def check_finite(weights: Weights, refusal: str) -> None:
    for name, weight in weights.items():
        if not np.isfinite(weight).all():
            raise NetworkFileError(f"{refusal}: the weights of '{name}' are not all numbers (NaN or infinite).")


def safetensors_bytes(weights: Weights, metadata: dict[str, str]) -> bytes:
    """The format of safetensors, with everything in the order of its name: its own writer shuffles the metadata."""
    entries: dict[str, Any] = {"__metadata__": metadata}
    parts, end = [], 0
    for name, weight in sorted(weights.items()):
        parts.append(np.ascontiguousarray(weight, dtype="<f4").tobytes())
        entries[name] = {"dtype": "F32", "shape": list(weight.shape), "data_offsets": [end, end + len(parts[-1])]}
        end += len(parts[-1])
    header = _as_text(entries).encode()
    header += b" " * (-len(header) % 8)
    return b"".join([len(header).to_bytes(8, "little"), header, *parts])


def _as_text(content: dict[str, Any]) -> str:
    return json.dumps(content, sort_keys=True)


def _checksum(header: str, digest: str) -> str:
    return hashlib.sha256(f"{header}\n{digest}".encode()).hexdigest()


def _size(board: tuple[int, ...]) -> str:
    return "x".join(map(str, board))


def _header(file: NetworkFile) -> dict[str, Any]:
    return {
        "game": file.game,
        "source": file.source,
        "options": file.options,
        "rules_digest": file.rules_digest,
        "planes_shape": list(file.planes_shape),
        "num_actions": file.num_actions,
        "action_layout": file.action_layout,
        "architecture": file.architecture.as_json(),
        "discount": file.discount,
        "iteration": file.iteration,
        "made_by": file.made_by,
    }


def _from_header(path: Path, text: str, weights: dict[str, NDArray[np.float32]], *, is_old: bool) -> NetworkFile:
    try:
        header = renewed(json.loads(text)) if is_old else json.loads(text)
        planes, height, width = (int(size) for size in header["planes_shape"])
        options = {str(name): _number(value) for name, value in header["options"].items()}
        return NetworkFile(
            game=str(header["game"]),
            source=str(header["source"]),
            options=options,
            rules_digest=str(header["rules_digest"]),
            planes_shape=(planes, height, width),
            num_actions=int(header["num_actions"]),
            action_layout=str(header["action_layout"]),
            architecture=Architecture.from_json(header["architecture"]),
            weights=weights,
            discount=_number(header["discount"]),
            iteration=int(header["iteration"]),
            made_by={str(key): str(value) for key, value in header["made_by"].items()},
        )
    except (*UNREADABLE, SyntaxError, ValidationError, ArchitectureError) as error:
        raise NetworkFileError(f"The header of {path} can't be understood ({error}).") from error


def _number(value: Any) -> Any:
    """A bool, an int or a float, as options of games are."""
    if not isinstance(value, bool | int | float) or not math.isfinite(value):
        raise ValueError(f"{value!r} is not a number")
    return value


def _check_kind(path: Path) -> None:
    try:
        with path.open("rb") as content:
            start = content.read(9)
    except OSError as error:
        reason = "there is no such file" if isinstance(error, FileNotFoundError) else error.strerror
        raise NetworkFileError(f"The network {path} can't be read: {reason}.") from error
    # A zip (torch.save) or a bare pickle: reading one runs whatever code it holds. Safetensors begin with eight bytes,
    # the length of the header, which may look like anything, and then the header's brace.
    is_pickle = start[8:] != b"{" and start.startswith((b"PK\x03\x04", b"\x80"))
    if is_pickle or path.suffix in {".pt", ".pth", ".pkl"}:
        raise NetworkFileError(
            f"{path} is a pickle (as torch.save writes), which could run any code; tengen reads only safetensors."
        )
