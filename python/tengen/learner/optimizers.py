"""Muon: momentum whose every step turns all directions of a weight matrix by the same amount (Jordan 2024).

A gradient mostly points along few directions of a matrix, and a plain step follows only those. Muon takes the nearest
orthogonal matrix instead, so that rare features are learned as fast as common ones. It is meant for the matrices inside
a network; the learner gives it the convolutions between hidden layers, and AdamW the rest.
"""

from collections.abc import Callable, Iterable
from itertools import groupby

import torch
from torch import Tensor

__all__ = ["Muon", "orthogonalised"]

NESTEROV = 0.95  # momentum
# Size of an entry's step for a rate of 1, in the mean. 0.2 has the steps of AdamW (Liu 2025); our networks learned best
# with three times that (docs/ablations.md).
STEP_SIZE = 0.6
ITERATIONS = 5
# a x + b x^3 + c x^5 sends all of (0, 1] close to 1 when it is applied again and again (Jordan 2024).
A, B, C = 3.4445, -4.7750, 2.0315


class Muon(torch.optim.Optimizer):
    """For convolutions and dense layers. State: a momentum for each, laid out in memory as its weights are."""

    def __init__(self, parameters: Iterable[Tensor], lr: float, weight_decay: float) -> None:
        super().__init__(parameters, {"lr": lr, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> None:  # type: ignore[override]
        assert closure is None
        for group in self.param_groups:
            parameters = sorted(group["params"], key=lambda parameter: parameter.shape)
            for _, same in groupby(parameters, key=lambda parameter: parameter.shape):
                self._step_together(list(same), group["lr"], group["weight_decay"])

    def _step_together(self, parameters: list[Tensor], rate: float, weight_decay: float) -> None:
        """One step of weights that have the same shape."""
        directions = orthogonalised(torch.stack([_as_matrix(self._momentum(each)) for each in parameters]))
        size = STEP_SIZE * max(directions.shape[1:]) ** 0.5
        for parameter, direction in zip(parameters, directions, strict=True):
            parameter.mul_(1.0 - rate * weight_decay)
            _as_matrix(parameter).add_(direction, alpha=-rate * size)

    def _momentum(self, parameter: Tensor) -> Tensor:
        """Nesterov's: the mean gradient as it will be after the next one like this."""
        state = self.state[parameter]
        if not state:
            state["momentum"] = torch.zeros_like(parameter)
        assert parameter.grad is not None
        mean: Tensor = state["momentum"].lerp_(parameter.grad, 1.0 - NESTEROV)
        return torch.lerp(parameter.grad, mean, NESTEROV)


def orthogonalised(matrices: Tensor) -> Tensor:
    """[M, rows, columns] -> the same with all singular values near 1 (0.7 to 1.2), by Newton and Schulz's iteration.

    Every round multiplies X by a polynomial of X X'. Those commute, so the rounds are done on the small X X' alone, and
    X is multiplied once, by the product of the polynomials.
    """
    if matrices.shape[1] > matrices.shape[2]:
        return orthogonalised(matrices.mT).mT
    x: Tensor = matrices / (torch.linalg.matrix_norm(matrices, keepdim=True) + 1e-7)
    gram = x @ x.mT
    identity = torch.eye(x.shape[1], dtype=x.dtype, device=x.device)
    product: Tensor = identity.expand_as(gram)
    for _ in range(ITERATIONS):
        polynomial = A * identity + B * gram + C * gram @ gram
        product = polynomial @ product
        gram = polynomial @ gram @ polynomial
    return product @ x


def _as_matrix(weights: Tensor) -> Tensor:
    """[outputs, inputs, ...] -> [outputs, all others]; the same memory, for convolutions that have channels last."""
    return weights.movedim(1, -1).flatten(1) if weights.dim() > 2 else weights
