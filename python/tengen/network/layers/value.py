"""Heads that say how the game will end, for the player to move."""

from __future__ import annotations

from collections.abc import Iterator

from tengen.network.operations import Board, Operations, Vector

__all__ = ["ownership", "value"]


def value(net: Operations, name: str, x: Board, *, hidden: int) -> Iterator[Vector]:
    """Logits of win, draw and loss; then the margin at the end, as a share of the cells."""
    pooled = net.pool(net.relu(net.conv_norm(f"{name}.local", x, hidden, 1)))
    features = net.relu(net.linear(f"{name}.hidden", pooled, hidden))
    yield net.linear(f"{name}.out", features, 3)
    yield net.linear(f"{name}.score", features, 1)


def ownership(net: Operations, name: str, x: Board) -> Iterator[Board]:
    """For every cell the logit that it will be one's own at the end: [B, 1, H, W]."""
    yield net.pointwise(name, x, 1)
