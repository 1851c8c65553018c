"""Muon against its definition: the nearest orthogonal matrix, by singular values."""

import numpy as np
import pytest
import torch

from tengen.learner.optimizers import NESTEROV, STEP_SIZE, Muon, orthogonalised


def spread_matrices(*shape: int) -> torch.Tensor:
    """Random ones whose singular values lie between 1 and 1/1000."""
    generator = torch.Generator().manual_seed(1)
    u, s, v = torch.linalg.svd(torch.randn(*shape, generator=generator), full_matrices=False)
    return u * torch.logspace(0, -3, s.shape[-1]) @ v


@pytest.mark.parametrize("shape", [(1, 16, 16), (3, 16, 144), (2, 90, 20)])
def test_all_directions_count_the_same(shape: tuple[int, int, int]) -> None:
    matrices = spread_matrices(*shape)
    u, _, v = torch.linalg.svd(matrices, full_matrices=False)
    found = orthogonalised(matrices)
    values = torch.linalg.svdvals(found)[:, : 2 * min(shape[1:]) // 3]
    assert values.min() > 0.6  # in the small third 1/1000 is not lifted all the way
    assert values.max() < 1.3
    turned = u.mT @ found @ v.mT
    np.testing.assert_allclose(turned, torch.diag_embed(turned.diagonal(dim1=1, dim2=2)), atol=2e-3)


def test_a_matrix_alone_or_among_others() -> None:
    matrices = spread_matrices(4, 8, 24)
    together = orthogonalised(matrices)
    for alone, among in zip(matrices, together, strict=True):
        np.testing.assert_allclose(orthogonalised(alone[None])[0], among, atol=1e-5)


def test_a_step_by_hand() -> None:
    weights = torch.randn(6, 3, 3, 3, generator=torch.Generator().manual_seed(2))
    layer = torch.nn.Parameter(weights.contiguous(memory_format=torch.channels_last))
    gradients = [torch.randn(6, 3, 3, 3, generator=torch.Generator().manual_seed(seed)) for seed in (3, 4)]
    optimizer = Muon([layer], lr=0.1, weight_decay=0.5)
    expected, mean = weights.clone(), torch.zeros_like(weights)
    for gradient in gradients:
        layer.grad = gradient.contiguous(memory_format=torch.channels_last)
        optimizer.step()
        mean = NESTEROV * mean + (1 - NESTEROV) * gradient
        wanted = NESTEROV * mean + (1 - NESTEROV) * gradient
        direction = orthogonalised(wanted.reshape(1, 6, 27)).reshape(6, 3, 3, 3)
        expected = expected * (1 - 0.1 * 0.5) - 0.1 * STEP_SIZE * 27**0.5 * direction
    np.testing.assert_allclose(layer.detach(), expected, atol=1e-5)
