"""What a network is made of, as data: a list of layers, each with a kind, a version, a name and its sizes.

The description is kept as JSON in the header of the network's file. `layers.walk` goes through it with the operations
of one backend and so computes the network: with torch to learn, with OpenVINO or numpy to play, with ONNX to export.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Protocol

from tengen._core import TablesShape, TengenError
from tengen.config import NetworkConfig
from tengen.network.modules import digest_of

__all__ = [
    "Architecture",
    "ArchitectureError",
    "BoardShape",
    "Layer",
    "OwnModule",
    "TupleTables",
    "describe",
    "side_by_side",
]

MOST_DENSE_WEIGHTS = 4_000_000  # of a dense policy head; 4,672 actions on 8x8 leave it 13 channels
LOGITS, WDL, REPLY, OWNERSHIP, SCORE = "logits", "wdl_logits", "reply_logits", "ownership", "score"


class ArchitectureError(TengenError):
    """A description that can't be computed, or a game that no network can be described for."""


class BoardShape(Protocol):
    """What a network must know of a game. A GameSpec and a NetworkFile both have it."""

    @property
    def planes_shape(self) -> tuple[int, ...]: ...  # planes, height, width
    @property
    def num_actions(self) -> int: ...
    @property
    def action_layout(self) -> str: ...


@dataclass(frozen=True)
class Layer:
    """One layer of the trunk, or one head. `layers.KINDS` has the function that computes it."""

    kind: str
    name: str  # its weights are named NAME.…
    sizes: dict[str, int] = field(default_factory=dict)
    outputs: tuple[str, ...] = ()  # of a head: what its answers are called
    version: int = 1

    def as_json(self) -> dict[str, Any]:
        content = {"kind": self.kind, "name": self.name, "sizes": self.sizes, "version": self.version}
        return {**content, "outputs": list(self.outputs)} if self.outputs else content

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> Layer:
        sizes = {str(name): _whole(size) for name, size in content["sizes"].items()}
        outputs = tuple(str(name) for name in content.get("outputs", ()))
        return cls(str(content["kind"]), _layer_name(content["name"]), sizes, outputs, _whole(content["version"]))


@dataclass(frozen=True)
class OwnModule:
    """A torch module that a researcher wrote, in place of layers. Its code is not in the network's file."""

    name: str  # FILE:CLASS, for people: the file is known by its digest
    digest: str  # SHA-256 of the text of the file
    settings: dict[str, Any] = field(default_factory=dict)  # what the class is made with, besides the shape of the game


@dataclass(frozen=True)
class TupleTables:
    """An n-tuple network, in place of layers: tables over the pieces on small sets of cells."""

    tuples: tuple[tuple[int, ...], ...]  # the cells of each; all have the same number of them
    stages: int  # tables apart for positions with few and with many pieces
    shares_players: bool  # one set of tables for both players, who see their own pieces as the first player's
    marks_targets: bool  # whether an empty cell that the mover can move to is told apart
    temperature: float  # the priors are softmax(value after the move / temperature)

    @property
    def shape(self) -> TablesShape:
        return TablesShape(
            tuples=[list(cells) for cells in self.tuples],
            stages=self.stages,
            shares_players=self.shares_players,
            marks_targets=self.marks_targets,
        )

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> TupleTables:
        tuples = tuple(tuple(_whole(cell) for cell in cells) for cells in content["tuples"])
        shares, marks, temperature = content["shares_players"], content["marks_targets"], content["temperature"]
        if type(shares) is not bool or type(marks) is not bool or not 0.0 < float(temperature) < math.inf:
            raise ValueError("the tables are not described as tengen does")
        return cls(tuples, _whole(content["stages"]), shares, marks, float(temperature))


@dataclass(frozen=True)
class Architecture:
    """The layers in order: the trunk is a chain, and every head looks at its end. Or one's own module. Or tables.

    `towers` are networks side by side that look at the same planes: policy and value with no layer in common.
    """

    trunk: tuple[Layer, ...] = ()
    heads: tuple[Layer, ...] = ()
    module: OwnModule | None = None
    tables: TupleTables | None = None
    towers: tuple[Architecture, ...] = ()

    @property
    def outputs(self) -> frozenset[str]:
        """What the network answers: logits, wdl_logits, reply_logits, ownership, score."""
        if self.module is not None or self.tables is not None:
            return frozenset((LOGITS, WDL))
        own = frozenset(name for head in self.heads for name in head.outputs)
        return own.union(*(tower.outputs for tower in self.towers))

    def as_json(self) -> dict[str, Any]:
        if self.module is not None:
            module = self.module
            return {"module": {"name": module.name, "digest": module.digest, "settings": module.settings}}
        if self.tables is not None:
            return {"kind": "ntuple", "tables": asdict(self.tables)}
        if self.towers:
            return {"towers": [tower.as_json() for tower in self.towers]}
        return {"trunk": [layer.as_json() for layer in self.trunk], "heads": [head.as_json() for head in self.heads]}

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> Architecture:
        """KeyError, TypeError, ValueError or AttributeError if it is not what as_json wrote."""
        if "module" in content:
            module = content["module"]
            return cls(module=OwnModule(str(module["name"]), str(module["digest"]), dict(module["settings"])))
        if "tables" in content:
            return cls(tables=TupleTables.from_json(content["tables"]))
        if "towers" in content:
            return cls(towers=tuple(_layers_from_json(tower) for tower in content["towers"]))
        return _layers_from_json(content)


def _layers_from_json(content: Mapping[str, Any]) -> Architecture:
    trunk = tuple(Layer.from_json(layer) for layer in content["trunk"])
    return Architecture(trunk, tuple(Layer.from_json(head) for head in content["heads"]))


def describe(shape: BoardShape, config: NetworkConfig, *, most_dense: int = MOST_DENSE_WEIGHTS) -> Architecture:
    """The network that a config asks for, for a game of this shape."""
    if config.kind == "ntuple":
        raise ArchitectureError(
            "network.kind: an n-tuple network has no layers, and learns only by playing ('tengen train')."
        )
    check_layout(shape)
    if config.kind == "separate":
        alone = config.model_copy(update={"kind": "value", "reply_head": False})
        policy = config.model_copy(update={"kind": "policy", "ownership_head": False, "score_head": False})
        return side_by_side(policy_net=describe(shape, policy, most_dense=most_dense), value_net=describe(shape, alone))
    if config.module:
        return Architecture(module=OwnModule(config.module, digest_of(config.module), dict(config.settings)))
    channels = config.channels
    trunk = [Layer("convolution", "stem", {"channels": channels})]
    for index in range(config.blocks):
        pooled = config.pooling and index % 3 == 2  # every third block (KataGo 2019)
        trunk.append(Layer("pooling" if pooled else config.block, f"blocks.{index}", {"channels": channels}))
    heads: list[Layer] = []
    if config.kind != "value":
        heads.append(_policy_head(shape, config, "policy", LOGITS, most_dense))
    if config.kind != "policy":
        sizes = {"hidden": config.value_channels}
        heads.append(Layer("value", "value", sizes, (WDL, SCORE) if config.score_head else (WDL,)))
    if config.reply_head and config.kind != "value":
        heads.append(_policy_head(shape, config, "reply", REPLY, most_dense))
    if config.ownership_head:
        heads.append(Layer("ownership", "ownership", {}, (OWNERSHIP,)))
    return Architecture(tuple(trunk), tuple(heads))


def side_by_side(**towers: Architecture) -> Architecture:
    """Networks as towers of one; the layers of each get its name in front of theirs."""

    def named(layer: Layer, tower: str) -> Layer:
        return replace(layer, name=f"{tower}.{layer.name}")

    return Architecture(
        towers=tuple(
            Architecture(
                tuple(named(layer, name) for layer in tower.trunk), tuple(named(head, name) for head in tower.heads)
            )
            for name, tower in towers.items()
        )
    )


def _policy_head(shape: BoardShape, config: NetworkConfig, name: str, output: str, most_dense: int) -> Layer:
    _, height, width = shape.planes_shape
    cells, actions, hidden = height * width, shape.num_actions, config.policy_channels
    if shape.action_layout == "columns":
        return Layer("policy_columns", name, {"hidden": hidden}, (output,))
    if shape.action_layout == "dense":
        hidden = max(1, min(hidden, most_dense // (cells * actions)))
        return Layer("policy_dense", name, {"hidden": hidden, "actions": actions}, (output,))
    planes, extra = policy_planes(shape)
    return Layer("policy_planes", name, {"hidden": hidden, "planes": planes, "extra": extra}, (output,))


def policy_planes(shape: BoardShape) -> tuple[int, int]:
    """Planes of the policy, and actions that belong to the board as a whole (a pass). Cells are one plane."""
    cells = shape.planes_shape[1] * shape.planes_shape[2]
    if shape.action_layout == "cells":
        return 1, shape.num_actions - cells
    return divmod(shape.num_actions, cells)


def check_layout(shape: BoardShape) -> None:
    """ArchitectureError if the actions can't be laid out on the board as the game says."""
    planes, height, width = shape.planes_shape
    layout, actions, board = shape.action_layout, shape.num_actions, f"a board of {height}x{width}"
    if min(planes, height, width, actions) < 1:
        raise ArchitectureError(
            f"A network needs at least one plane, one cell and one action, but this game has {planes} planes on "
            f"{board} and {actions} actions."
        )
    if layout not in {"cells", "columns", "planes", "dense"}:
        raise ArchitectureError(f"There is no action layout '{layout}'; there are: cells, columns, planes, dense.")
    if layout == "columns" and actions != width:
        raise ArchitectureError(
            f"The game says that its actions are columns, but it has {actions} actions on {board}; "
            'it needs one action for each column, or actions that have no relation to the board ("numbers").'
        )
    if layout in {"cells", "planes"} and actions < height * width:
        raise ArchitectureError(
            f"The game says that its actions are {layout}, but it has only {actions} actions on {board}; "
            'it needs one for every cell, or actions that have no relation to the board ("numbers").'
        )


def _whole(number: object) -> int:
    if type(number) is not int or not 0 <= number <= 2**31:
        raise ValueError(f"{number!r} is not a size")
    return number


def _layer_name(name: object) -> str:
    if not isinstance(name, str) or not re.fullmatch(r"\w+(\.\w+)*", name):
        raise ValueError(f"{name!r} is not the name of a layer")
    return name
