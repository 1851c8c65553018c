"""A network as a file: weights as safetensors, and in the header what they are for and who made them.

Written whole or not at all, and read only if every byte is as it was written. Needs no torch, and never reads a pickle.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import safetensors
import safetensors.numpy
from numpy.typing import NDArray
from pydantic import ValidationError

from tengen._core import EvaluatorError, Game, TengenError
from tengen.base.bundled import bundled_folder, bundled_names
from tengen.base.durable import write_bytes
from tengen.config import NetworkConfig

__all__ = ["NetworkFile", "NetworkFileError", "check_fits", "find_network", "load_network", "save_network"]

FORMAT = "tengen network 1"


class NetworkFileError(TengenError):
    """A file that is not a usable network, or a network for something else."""


@dataclass(frozen=True)
class NetworkFile:
    """A network and what it is for. Weights are named as in `resnet.PolicyValueNet`."""

    game: str  # what load() takes
    options: str  # and with it, as spec.options_text has them
    planes_shape: tuple[int, int, int]  # planes, height, width it was trained on
    num_actions: int
    action_layout: str  # "cells", "columns", "planes" or "dense"
    config: NetworkConfig
    weights: dict[str, NDArray[np.float32]] = field(repr=False, compare=False)
    made_by: dict[str, str] = field(default_factory=dict)  # run, iteration, seed ...

    @classmethod
    def of(
        cls,
        game: Game,
        config: NetworkConfig,
        weights: Mapping[str, NDArray[np.float32]],
        made_by: Mapping[str, str] | None = None,
    ) -> NetworkFile:
        """The file of a network trained on this game."""
        spec = game.spec
        planes, height, width = spec.planes_shape
        return cls(
            game=spec.source,
            options=spec.options_text,
            planes_shape=(planes, height, width),
            num_actions=spec.num_actions,
            action_layout=spec.action_layout,
            config=config,
            weights=dict(weights),
            made_by=dict(made_by or {}),
        )

    def num_actions_on(self, height: int, width: int) -> int:
        """Actions on a board of this size. EvaluatorError if the network plays only the size it was trained on."""
        if self.action_layout == "columns":
            return width
        trained = self.planes_shape[1:]
        if self.action_layout == "dense" and trained != (height, width):
            raise EvaluatorError(f"This network plays only on {_size(trained)}, not on {_size((height, width))}.")
        return self.num_actions + height * width - trained[0] * trained[1]

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
    header = json.dumps(_header(file))
    metadata = {"format": FORMAT, "header": header, "checksum": _checksum(header, file.digest)}
    content = safetensors.numpy.save(
        {name: np.ascontiguousarray(weight) for name, weight in file.weights.items()}, metadata
    )
    try:
        write_bytes(Path(path), content)
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
    if metadata.get("format") != FORMAT:
        raise NetworkFileError(f"{path} holds weights, but not of a network of tengen (no '{FORMAT}' in its header).")
    header = metadata.get("header", "")
    file = _from_header(path, header, weights)
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
    if not path.is_dir():
        return path
    for folder in (path / "networks", path):
        found = max(folder.glob("*.safetensors"), default=None)  # their names are the numbers of iterations
        if found is not None:
            return found
    raise NetworkFileError(f"There is no network in {path} yet; a run saves its first after one iteration.")


def check_fits(file: NetworkFile, game: Game) -> None:
    """Refuses a network of another game or other planes. Another board size is fine where the heads allow it."""
    spec = game.spec
    if file.game != spec.source:
        raise NetworkFileError(f"This network plays {file.game}, not {spec.source}.")
    if file.action_layout != spec.action_layout or file.planes_shape[0] != spec.num_planes:
        raise NetworkFileError(
            f"This network was trained on {file.planes_shape[0]} planes with actions by {file.action_layout}, but "
            f"{spec.source} ({spec.options_text}) has {spec.num_planes} and {spec.action_layout}; load the game with "
            f"the options it was trained with ({file.options or 'none'})."
        )
    same_size = file.planes_shape == spec.planes_shape and file.num_actions == spec.num_actions
    if file.action_layout == "dense" and not same_size:
        raise NetworkFileError(
            f"This network was trained on {_size(file.planes_shape[1:])} with {file.num_actions} actions and plays "
            f"no other size, because the actions of {spec.source} have no relation to its board."
        )
    if file.action_layout == "cells" and _extra_actions(file.planes_shape, file.num_actions) != _extra_actions(
        spec.planes_shape, spec.num_actions
    ):
        raise NetworkFileError(f"This network knows another number of passes than {spec.source} ({spec.options_text}).")


def _checksum(header: str, digest: str) -> str:
    return hashlib.sha256(f"{header}\n{digest}".encode()).hexdigest()


def _size(board: tuple[int, ...]) -> str:
    return "x".join(map(str, board))


def _extra_actions(planes_shape: tuple[int, ...], num_actions: int) -> int:
    return num_actions - planes_shape[1] * planes_shape[2]


def _header(file: NetworkFile) -> dict[str, Any]:
    return {
        "game": file.game,
        "options": file.options,
        "planes_shape": list(file.planes_shape),
        "num_actions": file.num_actions,
        "action_layout": file.action_layout,
        "config": file.config.model_dump(),
        "made_by": file.made_by,
    }


def _from_header(path: Path, text: str, weights: dict[str, NDArray[np.float32]]) -> NetworkFile:
    try:
        header = json.loads(text)
        planes, height, width = (int(size) for size in header["planes_shape"])
        return NetworkFile(
            game=str(header["game"]),
            options=str(header["options"]),
            planes_shape=(planes, height, width),
            num_actions=int(header["num_actions"]),
            action_layout=str(header["action_layout"]).replace("other", "dense"),  # its name before
            config=NetworkConfig(**header["config"]),
            weights=weights,
            made_by={str(key): str(value) for key, value in header["made_by"].items()},
        )
    except (ValueError, KeyError, TypeError, AttributeError, ValidationError) as error:
        raise NetworkFileError(f"The header of {path} can't be understood ({error}).") from error


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


def check_finite(weights: Mapping[str, NDArray[np.float32]], refusal: str) -> None:
    for name, weight in weights.items():
        if not np.isfinite(weight).all():
            raise NetworkFileError(f"{refusal}: the weights of '{name}' are not all numbers (NaN or infinite).")
