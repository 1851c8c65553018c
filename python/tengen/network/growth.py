"""A larger network that says what a smaller one says: more blocks, more channels, nothing forgotten.

New blocks begin as identity: the normalisation at their end is 0, and they learn from there. New channels begin with
blank weights of their own, and nothing that was there before listens to them yet: the weights that would are 0, and
learn. (Chen 2015, Net2Net, copies channels instead; copies have to be told apart first.)

Which channel of the large network is which of the small one is found by walking through its layers with operations that
compute nothing but that, so a new kind of layer needs no code here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tengen.network.architecture import Architecture, ArchitectureError
from tengen.network.layers import pieces, walk
from tengen.network.operations import Piece, Pieces

__all__ = ["Growth"]

Weights = Mapping[str, NDArray[np.float32]]
NEW = -1


@dataclass(frozen=True)
class _Channels:
    """Of a board [C, H, W] or a vector [C] of the large network: which channel of the small one each is, or NEW."""

    origin: NDArray[np.int64]  # [C]
    count: int  # channels of the small network
    board: tuple[int, ...] = ()  # H, W

    @property
    def is_new(self) -> bool:
        return bool((self.origin == NEW).all())

    def followed_by(self, other: _Channels, board: tuple[int, ...]) -> _Channels:
        moved = np.where(other.origin == NEW, NEW, other.origin + self.count)
        return _Channels(np.concatenate([self.origin, moved]), self.count + other.count, board)


class Growth:
    """How the weights of one description lie within those of a larger one of the same kind."""

    def __init__(self, small: Architecture, large: Architecture, planes_shape: tuple[int, ...]) -> None:
        """ArchitectureError if the large one has not all that the small one has."""
        old = _Splits()
        walk(old, small, planes_shape, small.outputs)
        tracing = _Tracing({piece.name: piece for piece in old.found}, old.splits)
        planes = _Channels(np.arange(planes_shape[0]), planes_shape[0], planes_shape[1:])
        walk(tracing, large, planes, large.outputs)
        lost = {piece.name for piece in old.found} - tracing.maps.keys()
        if lost:
            raise ArchitectureError(f"A network can't grow into one without its layer '{min(lost)}'.")
        listed = pieces(large, planes_shape)
        self._shapes = {name: shape for piece in listed for name, shape in piece.shapes.items()}
        self._maps = {name: tracing.maps[piece.name] for piece in listed for name in piece.shapes}
        known = {layer.name for layer in small.trunk}
        self._ends = {f"{layer.name}.second.norm.weight" for layer in large.trunk if layer.name not in known}

    def weights(self, small: Weights, blank: Weights) -> dict[str, NDArray[np.float32]]:
        """The large network that says what the small one says; what is new in it is `blank`."""
        grown = {}
        for name, fresh in blank.items():
            grown[name] = np.zeros_like(fresh) if name in self._ends else fresh.copy()
            if name in small:
                grown[name] = self._laid_into(grown[name], name, small[name])
        return grown

    def moment(self, name: str, small: NDArray[np.float32]) -> NDArray[np.float32]:
        """What an optimizer remembers of a weight; it knows nothing yet of what is new."""
        if small.ndim == 0:  # the number of steps
            return small
        return self._laid_into(np.zeros(self._shapes[name], np.float32), name, small)

    def _laid_into(self, large: NDArray[np.float32], name: str, small: NDArray[np.float32]) -> NDArray[np.float32]:
        """Puts a weight of the small network where it belongs; what was there hears nothing of new channels."""
        inputs, outputs = self._maps[name]
        old_outputs = outputs.origin != NEW
        if small.ndim == 1:
            large[old_outputs] = small[outputs.origin[old_outputs]]
            return large
        old_inputs = inputs.origin != NEW
        large[old_outputs] = 0.0
        rows = small[outputs.origin[old_outputs]]
        large[np.ix_(old_outputs, old_inputs)] = rows[:, inputs.origin[old_inputs]]
        return large


class _Splits(Pieces):
    """Lists the pieces of the small network, and where the answer of one is split into two."""

    def __init__(self) -> None:
        super().__init__()
        self.splits: dict[str, int] = {}

    def split(self, x: Any, first: int) -> tuple[Any, Any]:
        self.splits[self.found[-1].name] = first
        return super().split(x, first)


class _Tracing:
    """Operations on _Channels. `maps` has those that go into each piece of the large network, and that come out."""

    def __init__(self, old: Mapping[str, Piece], splits: Mapping[str, int]) -> None:
        self._old = old
        self._splits = splits
        self._last = ""
        self.maps: dict[str, tuple[_Channels, _Channels]] = {}

    def _piece(self, name: str, x: _Channels, outputs: int, board: tuple[int, ...]) -> _Channels:
        count = self._old[name].outputs if name in self._old else 0
        if count > outputs:
            raise ArchitectureError(f"A network can't grow into one with fewer channels in '{name}'.")
        origin = np.full(outputs, NEW)
        origin[:count] = np.arange(count)
        found = _Channels(origin, count, board)
        self.maps[name] = x, found
        self._last = name
        return found

    def conv_norm(self, name: str, x: _Channels, outputs: int, kernel: int) -> _Channels:
        return self._piece(name, x, outputs, x.board)

    def pointwise(self, name: str, x: _Channels, outputs: int) -> _Channels:
        return self._piece(name, x, outputs, x.board)

    def linear(self, name: str, x: _Channels, outputs: int) -> _Channels:
        return self._piece(name, x, outputs, ())

    def entering(self, name: str, x: _Channels) -> _Channels:
        return x

    def pool(self, x: _Channels) -> _Channels:
        return x.followed_by(x, ())

    def pool_columns(self, x: _Channels) -> _Channels:
        return x.followed_by(x, (1, x.board[1]))

    def split(self, x: _Channels, first: int) -> tuple[_Channels, _Channels]:
        """The piece before it is told that both of its parts keep their old channels in front."""
        old_first = self._splits.get(self._last, 0)
        parts = []
        for start, count, size in ((0, old_first, first), (old_first, x.count - old_first, len(x.origin) - first)):
            origin = np.full(size, NEW)
            origin[:count] = np.arange(start, start + count)
            parts.append(origin)
        x.origin[:] = np.concatenate(parts)
        pooled, rest = parts
        return (
            _Channels(pooled, old_first, x.board),
            _Channels(np.where(rest == NEW, NEW, rest - old_first), x.count - old_first, x.board),
        )

    def spread(self, x: _Channels) -> _Channels:
        return x

    def flat(self, x: _Channels) -> _Channels:
        cells = x.board[0] * x.board[1]
        origin = x.origin[:, None] * cells + np.arange(cells)
        return _Channels(np.where(x.origin[:, None] == NEW, NEW, origin).ravel(), x.count * cells)

    def join(self, parts: Iterable[_Channels]) -> _Channels:
        first, *others = parts
        for other in others:
            first = first.followed_by(other, ())
        return first

    def relu(self, x: _Channels) -> _Channels:
        return x

    def sigmoid(self, x: _Channels) -> _Channels:
        return x

    def add(self, x: _Channels, y: _Channels) -> _Channels:
        """A new block adds 0 at first."""
        if x.is_new or y.is_new:
            return y if x.is_new else x
        if not np.array_equal(x.origin, y.origin):
            raise ArchitectureError("A network of these layers can't grow.")
        return x

    def multiply(self, x: _Channels, y: _Channels) -> _Channels:
        return self.add(x, y)
