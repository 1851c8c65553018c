"""The operations that layers are made of. Four backends have them: torch (`torch_net`), OpenVINO (`graph`), ONNX
(`export.onnx_file`) and numpy (`numpy_operations`); the fifth, here, computes nothing and lists the weights.

A board is [B, C, H, W] and a vector [B, C]: that is what layers see. Each backend keeps them in an order of its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol

from tengen.network.architecture import ArchitectureError

__all__ = ["Board", "Operations", "Piece", "Pieces", "Vector"]

Board = Any  # [B, C, H, W]
Vector = Any  # [B, C]


class Operations(Protocol):
    """What a layer may compute. `name` is that of the weights; outputs are numbers of channels."""

    def conv_norm(self, name: str, x: Board, outputs: int, kernel: int) -> Board:
        """A convolution without bias and the batch normalisation after it; one convolution where a network plays."""
        ...

    def pointwise(self, name: str, x: Board, outputs: int) -> Board:
        """The same dense layer for every cell: a convolution of size 1, with bias."""
        ...

    def linear(self, name: str, x: Vector, outputs: int) -> Vector:
        """A dense layer, with bias."""
        ...

    def entering(self, name: str, x: Board) -> Board:
        """What enters the convolution `name` and is not negative: int8 rounds it to bytes here; else it stays."""
        ...

    def pool(self, x: Board) -> Vector:
        """[B, C, H, W] -> [B, 2C]: mean and maximum of every channel over the board."""
        ...

    def pool_columns(self, x: Board) -> Board:
        """[B, C, H, W] -> [B, 2C, 1, W]: mean and maximum of every channel over each column."""
        ...

    def split(self, x: Board, first: int) -> tuple[Board, Board]:
        """The first channels, and the others."""
        ...

    def spread(self, x: Vector) -> Board:
        """[B, C] -> [B, C, 1, 1], to be added to a board or multiplied with it."""
        ...

    def flat(self, x: Board) -> Vector:
        """[B, C, H, W] -> [B, C * H * W], channel by channel and row by row."""
        ...

    def join(self, parts: Iterable[Vector]) -> Vector:
        """One vector after the other."""
        ...

    def relu(self, x: Any) -> Any: ...
    def sigmoid(self, x: Any) -> Any: ...
    def add(self, x: Any, y: Any) -> Any: ...
    def multiply(self, x: Any, y: Any) -> Any: ...


@dataclass(frozen=True)
class Piece:
    """Weights that belong together."""

    operation: str  # "conv_norm", "pointwise" or "linear"
    name: str
    inputs: int
    outputs: int
    kernel: int = 1

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shape of each weight, by its name."""
        own = (self.outputs,)
        if self.operation == "conv_norm":
            convolution = {f"{self.name}.conv.weight": (*own, self.inputs, self.kernel, self.kernel)}
            norm = ("weight", "bias", "running_mean", "running_var")
            return convolution | {f"{self.name}.norm.{part}": own for part in norm}
        cell = (1, 1) if self.operation == "pointwise" else ()
        return {f"{self.name}.weight": (*own, self.inputs, *cell), f"{self.name}.bias": own}


class Pieces:
    """Lists the pieces, in the order in which a walk needs them. A board is (C, H, W) here, a vector (C,).

    ArchitectureError if layers do not fit each other.
    """

    def __init__(self) -> None:
        self.found: list[Piece] = []

    def conv_norm(self, name: str, x: Board, outputs: int, kernel: int) -> Board:
        self.found.append(Piece("conv_norm", name, x[0], outputs, kernel))
        return (outputs, *x[1:])

    def pointwise(self, name: str, x: Board, outputs: int) -> Board:
        self.found.append(Piece("pointwise", name, x[0], outputs))
        return (outputs, *x[1:])

    def linear(self, name: str, x: Vector, outputs: int) -> Vector:
        self.found.append(Piece("linear", name, x[0], outputs))
        return (outputs,)

    def entering(self, name: str, x: Board) -> Board:
        return x

    def pool(self, x: Board) -> Vector:
        return (2 * x[0],)

    def pool_columns(self, x: Board) -> Board:
        return (2 * x[0], 1, x[2])

    def split(self, x: Board, first: int) -> tuple[Board, Board]:
        return (first, *x[1:]), (x[0] - first, *x[1:])

    def spread(self, x: Vector) -> Board:
        return (*x, 1, 1)

    def flat(self, x: Board) -> Vector:
        return (x[0] * x[1] * x[2],)

    def join(self, parts: Iterable[Vector]) -> Vector:
        return (sum(part[0] for part in parts),)

    def relu(self, x: Any) -> Any:
        return x

    def sigmoid(self, x: Any) -> Any:
        return x

    def add(self, x: Any, y: Any) -> Any:
        if x[0] != y[0]:
            raise ArchitectureError(f"a layer has {y[0]} channels where {x[0]} come in")
        return x

    def multiply(self, x: Any, y: Any) -> Any:
        return self.add(x, y)
