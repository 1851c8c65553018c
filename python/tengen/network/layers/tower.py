"""The trunk: a convolution and residual blocks (AlphaGo Zero 2017), some of them with global pooling (KataGo 2019)."""

from __future__ import annotations

from tengen.network.operations import Board, Operations

__all__ = ["convolution", "pooling", "residual"]


def convolution(net: Operations, name: str, x: Board, *, channels: int) -> Board:
    """3x3, the first layer."""
    return net.relu(net.conv_norm(name, x, channels, 3))


def residual(net: Operations, name: str, x: Board, *, channels: int) -> Board:
    """Two convolutions around which the input is carried (He 2015)."""
    x = net.entering(f"{name}.first", x)
    y = net.relu(net.conv_norm(f"{name}.first", x, channels, 3))
    y = net.entering(f"{name}.second", y)
    return net.relu(net.add(net.conv_norm(f"{name}.second", y, channels, 3), x))


def pooling(net: Operations, name: str, x: Board, *, channels: int) -> Board:
    """A quarter of the channels is pooled over the board and says what is added to the others (KataGo 2019)."""
    quarter = channels // 4
    x = net.entering(f"{name}.first", x)
    pooled, y = net.split(net.conv_norm(f"{name}.first", x, channels, 3), quarter)
    bias = net.linear(f"{name}.bias", net.pool(net.relu(pooled)), channels - quarter)
    y = net.entering(f"{name}.second", net.relu(net.add(y, net.spread(bias))))
    return net.relu(net.add(net.conv_norm(f"{name}.second", y, channels, 3), x))
