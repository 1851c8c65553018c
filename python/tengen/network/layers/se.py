"""A squeeze-and-excitation block (Hu 2018; as lc0 has it since its networks of 2019)."""

from __future__ import annotations

from tengen.network.operations import Board, Operations

__all__ = ["se"]


def se(net: Operations, name: str, x: Board, *, channels: int) -> Board:
    """A residual block whose channels are scaled by numbers from 0 to 1, which the whole board decides."""
    x = net.entering(f"{name}.first", x)
    y = net.relu(net.conv_norm(f"{name}.first", x, channels, 3))
    y = net.conv_norm(f"{name}.second", net.entering(f"{name}.second", y), channels, 3)
    squeezed = net.relu(net.linear(f"{name}.squeeze", net.pool(y), max(4, channels // 4)))
    scale = net.sigmoid(net.linear(f"{name}.scale", squeezed, channels))
    return net.relu(net.add(net.multiply(y, net.spread(scale)), x))
