"""Every kind of layer, written once as a function of the operations (`network.operations`) that four backends have.

A new block or head is a function in a file of its own and a line in KINDS. A block takes a board and gives a board. A
head takes the end of the trunk and yields its answers, in the order of its `outputs`. The keyword arguments are its
sizes, which the header of a network's file keeps. A kind whose meaning changes gets a new version, and keeps the old.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tengen.network.architecture import LOGITS, REPLY, WDL, Architecture, ArchitectureError, BoardShape, Layer
from tengen.network.layers import policy, se, tower, value
from tengen.network.operations import Board, Operations, Piece, Pieces

__all__ = ["KINDS", "check_weights", "pieces", "walk"]

KINDS: dict[tuple[str, int], Callable[..., Any]] = {
    ("convolution", 1): tower.convolution,
    ("residual", 1): tower.residual,
    ("pooling", 1): tower.pooling,
    ("se", 1): se.se,
    ("policy_planes", 1): policy.policy_planes,
    ("policy_columns", 1): policy.policy_columns,
    ("policy_dense", 1): policy.policy_dense,
    ("value", 1): value.value,
    ("ownership", 1): value.ownership,
}


def walk(net: Operations, architecture: Architecture, planes: Board, wanted: Collection[str]) -> dict[str, Any]:
    """Computes a network with these operations. Gives the wanted outputs, by name; heads without one are left out."""
    x = planes
    for layer in architecture.trunk:
        x = function_of(layer)(net, layer.name, x, **layer.sizes)
    answers: dict[str, Any] = {}
    for beside in architecture.towers:
        if beside.outputs & set(wanted) or not wanted:
            answers.update(walk(net, beside, planes, wanted))
    for head in architecture.heads:
        names = wanted_outputs(head, wanted)
        if names:  # a head computes one answer after the other, so that none is computed in vain
            answers.update(zip(names, function_of(head)(net, head.name, x, **head.sizes), strict=False))
    return {name: answer for name, answer in answers.items() if name in wanted}


def wanted_outputs(head: Layer, wanted: Collection[str]) -> tuple[str, ...]:
    """The outputs of a head up to the last that is wanted."""
    last = max((index for index, name in enumerate(head.outputs) if name in wanted), default=-1)
    return head.outputs[: last + 1]


def function_of(layer: Layer) -> Callable[..., Any]:
    return _function_of(layer.kind, layer.version, frozenset(layer.sizes))


@cache
def _function_of(kind: str, version: int, sizes: frozenset[str]) -> Callable[..., Any]:
    function = KINDS.get((kind, version))
    if function is None:
        raise ArchitectureError(
            f"There is no layer '{kind}' of version {version} here; a newer tengen may know it. There are: "
            f"{', '.join(f'{name} {number}' for name, number in KINDS)}."
        )
    known = {name for name, each in inspect.signature(function).parameters.items() if each.kind == each.KEYWORD_ONLY}
    if known != sizes:
        raise ArchitectureError(
            f"A layer '{kind}' has the sizes {', '.join(sorted(known)) or 'none'}, not {', '.join(sorted(sizes))}."
        )
    return function


def pieces(
    architecture: Architecture, planes_shape: tuple[int, ...], wanted: Collection[str] | None = None
) -> list[Piece]:
    """The weights that the wanted outputs need, or all of a network, in the order of its description."""
    listing = Pieces()
    walk(listing, architecture, planes_shape, architecture.outputs if wanted is None else wanted)
    return listing.found


def check_weights(architecture: Architecture, shape: BoardShape, weights: Mapping[str, NDArray[np.float32]]) -> None:
    """ArchitectureError says what does not fit: layers, answers, or a weight that is absent or of another shape."""
    listing = Pieces()
    answers = walk(listing, architecture, shape.planes_shape, architecture.outputs)
    expected: dict[str, tuple[int, ...]] = {}
    for piece in listing.found:
        if piece.shapes.keys() & expected.keys():
            raise ArchitectureError(f"two layers are called '{piece.name}'")
        expected |= piece.shapes
    for name in sorted(expected.keys() | weights.keys()):
        found = weights[name].shape if name in weights else None
        if expected.get(name) != found:
            raise ArchitectureError(
                f"'{name}' should be {_shape_text(expected.get(name))}, but is {_shape_text(found)}"
            )
    sizes = {LOGITS: (shape.num_actions,), REPLY: (shape.num_actions,), WDL: (3,)}
    for name, answer in answers.items():
        if name in sizes and answer != sizes[name]:
            raise ArchitectureError(f"{name} should be {_shape_text(sizes[name])}, but is {_shape_text(answer)}")


def _shape_text(shape: tuple[int, ...] | None) -> str:
    return "absent" if shape is None else f"of shape {list(shape)}"
