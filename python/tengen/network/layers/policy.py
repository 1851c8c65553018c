"""Policy heads: one logit per action. Which one a game gets follows from the layout of its actions."""

from __future__ import annotations

from collections.abc import Iterator

from tengen.network.operations import Board, Operations, Vector

__all__ = ["policy_columns", "policy_dense", "policy_planes"]


def policy_planes(net: Operations, name: str, x: Board, *, hidden: int, planes: int, extra: int) -> Iterator[Vector]:
    """Action = plane * cells + cell, and `extra` actions (a pass) from the board as a whole. For any board size."""
    local = net.conv_norm(f"{name}.local", x, hidden, 1)
    pooled = net.pool(net.relu(local))
    local = net.relu(net.add(local, net.spread(net.linear(f"{name}.bias", pooled, hidden))))
    logits = net.flat(net.pointwise(f"{name}.out", local, planes))
    yield net.join([logits, net.linear(f"{name}.extra", pooled, extra)]) if extra else logits


def policy_columns(net: Operations, name: str, x: Board, *, hidden: int) -> Iterator[Vector]:
    """Action = column: the mean and the maximum of each, then the same small layers for all. For any board size."""
    local = net.conv_norm(f"{name}.local", x, hidden, 1)
    bias = net.linear(f"{name}.bias", net.pool(net.relu(local)), hidden)
    local = net.relu(net.add(local, net.spread(bias)))
    columns = net.relu(net.pointwise(f"{name}.column", net.pool_columns(local), hidden))  # [B, hidden, 1, W]
    yield net.flat(net.pointwise(f"{name}.out", columns, 1))


def policy_dense(net: Operations, name: str, x: Board, *, hidden: int, actions: int) -> Iterator[Vector]:
    """Actions that have no relation to the board: a dense layer over all cells. For one board size."""
    local = net.relu(net.conv_norm(f"{name}.local", x, hidden, 1))
    yield net.linear(f"{name}.out", net.flat(local), actions)
