"""Headers of networks that were saved as "tengen network 1", in the form that they have today."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any, NamedTuple

from tengen.config import NetworkConfig
from tengen.games.options import parse_options
from tengen.network.architecture import describe

__all__ = ["OLD_FORMAT", "renewed"]

OLD_FORMAT = "tengen network 1"
NO_BOUND = 2**62  # dense heads had as many channels as the config said


class _Shape(NamedTuple):
    planes_shape: tuple[int, ...]
    num_actions: int
    action_layout: str


def renewed(header: dict[str, Any]) -> dict[str, Any]:
    """The same as version 2 has it. KeyError, TypeError, ValueError or AttributeError if it is no header."""
    source, made_by = str(header["game"]), dict(header["made_by"])
    layout = "dense" if header["action_layout"] == "other" else str(header["action_layout"])
    shape = _Shape(tuple(int(size) for size in header["planes_shape"]), int(header["num_actions"]), layout)
    architecture = describe(shape, NetworkConfig(**header["config"]), most_dense=NO_BOUND)
    return {
        "game": PurePath(source).stem if source.endswith(".py") else source,
        "source": source,
        "options": parse_options(str(header["options"])),
        "rules_digest": "",
        "planes_shape": list(shape.planes_shape),
        "num_actions": shape.num_actions,
        "action_layout": layout,
        "architecture": architecture.as_json(),
        "discount": float(made_by.pop("discount", 1.0)),
        "iteration": int(made_by.pop("iteration", 0)),
        "made_by": made_by,
    }
