"""The loss: what the network should say about each sample, and how far it is from that.

AlphaZero: (z - v)^2 - pi . log p + c |theta|^2, here with the value as win, draw and loss and cross-entropy in place of
the square; c is the optimizer's. To it come what only helps the trunk to learn (KataGo 2019): the opponent's reply, and
in games that know them whose each cell is at the end and by how much the game was won.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from tengen.config import LearnerConfig
from tengen.network.torch_net import NetworkOutput
from tengen.replay import Samples

__all__ = ["LOSSES", "LossTerms", "TensorSamples", "cross_entropy", "loss_terms", "value_target", "with_own"]

LOSSES = ("policy", "value", "reply", "ownership", "score")


@dataclass(frozen=True)
class TensorSamples:
    """A batch as tensors. Rows as in Samples."""

    planes: Tensor
    legal: Tensor
    policy: Tensor
    outcome: Tensor
    search: Tensor
    reply: Tensor
    plies_left: Tensor
    played_out: Tensor
    ownership: Tensor | None
    score: Tensor | None

    @staticmethod
    def of(samples: Samples, device: str = "cpu") -> TensorSamples:
        return TensorSamples(
            planes=torch.from_numpy(samples.planes).contiguous(memory_format=torch.channels_last).to(device),
            legal=torch.from_numpy(samples.legal).to(device),
            policy=torch.from_numpy(samples.policy).to(device),
            outcome=torch.from_numpy(samples.value_outcome).to(device),
            search=torch.from_numpy(samples.value_search).to(device),
            reply=torch.from_numpy(samples.reply).to(device),
            plies_left=torch.from_numpy(samples.plies_left).to(device),
            played_out=torch.from_numpy(samples.played_out).to(device),
            ownership=None if samples.ownership is None else torch.from_numpy(samples.ownership).to(device),
            score=None if samples.score is None else torch.from_numpy(samples.score).to(device),
        )

    def __len__(self) -> int:
        return len(self.planes)

    def split(self, parts: int) -> list[TensorSamples]:
        """The batch in that many parts of about the same size."""
        ends = [len(self) * part // parts for part in range(parts + 1)]
        return [self._rows(slice(*between)) for between in pairwise(ends)]

    def _rows(self, rows: slice) -> TensorSamples:
        columns: dict[str, Any] = {field.name: getattr(self, field.name) for field in fields(self)}
        return replace(self, **{name: column[rows] for name, column in columns.items() if column is not None})


@dataclass(frozen=True)
class LossTerms:
    """The parts of the loss, each a mean over the batch; 0 for a head that is not there.

    `own` are the terms of a module of one's own (network/own_net.py) that we have no term for.
    """

    policy: Tensor
    value: Tensor
    reply: Tensor
    ownership: Tensor
    score: Tensor
    mean_target: Tensor  # [3] win, draw and loss, on average
    own: Mapping[str, Tensor] = field(default_factory=dict)

    def total(self, config: LearnerConfig) -> Tensor:
        return (
            self.policy
            + config.value_weight * self.value
            + config.reply_weight * self.reply
            + config.ownership_weight * self.ownership
            + config.score_weight * self.score
            + sum(self.own.values())
        )


def value_target(outcome: Tensor, search: Tensor, plies_left: Tensor, share: float, discount: float) -> Tensor:
    """Win, draw and loss [B, 3] for the player to move: (1 - share) z + share q, with z discounted by its distance.

    What the discount takes from a win or a loss goes to the draw, so that win - loss is the discounted result. Where
    nobody knows the result, the row is 0 and costs nothing.
    """
    z = outcome * discount**plies_left  # [B]
    target_of_z = torch.stack((z.clamp(min=0), 1 - z.abs(), (-z).clamp(min=0)), dim=1)
    target_of_q = torch.stack(((1 + search) / 2, torch.zeros_like(search), (1 - search) / 2), dim=1)
    mixed = (1 - share) * target_of_z + share * target_of_q
    return torch.where(outcome.isnan()[:, None], torch.zeros_like(mixed), mixed)


def loss_terms(output: NetworkOutput, samples: TensorSamples, share: float, discount: float) -> LossTerms:
    """The loss of a batch. Illegal actions take no part in the policy, as in the search."""
    target = value_target(samples.outcome, samples.search, samples.plies_left, share, discount)
    nothing = torch.zeros((), device=samples.planes.device)
    policy = ownership = score = nothing
    if output.logits is not None:
        policy = cross_entropy(samples.policy, output.logits.float().masked_fill(~samples.legal, -1e9))
    if output.ownership is not None and samples.ownership is not None:
        per_cell = functional.binary_cross_entropy_with_logits(
            output.ownership.float(), (1 + samples.ownership) / 2, reduction="none"
        )
        ownership = (per_cell.mean((1, 2)) * samples.played_out).mean()
    if output.score is not None and samples.score is not None:
        cells = samples.planes.shape[2] * samples.planes.shape[3]
        distance = functional.smooth_l1_loss(output.score.float(), samples.score / cells, reduction="none", beta=0.1)
        score = (distance * samples.played_out).mean()
    return LossTerms(
        policy=policy,
        value=nothing if output.wdl_logits is None else cross_entropy(target, output.wdl_logits),
        reply=nothing if output.reply_logits is None else cross_entropy(samples.reply, output.reply_logits),
        ownership=ownership,
        score=score,
        mean_target=target.mean(dim=0) / target.sum(dim=1).mean().clamp(min=1e-9),
    )


def with_own(terms: LossTerms, own: Mapping[str, Tensor]) -> LossTerms:
    """With the terms of a module of one's own: one that has the name of ours takes its place, others are added."""
    ours = {name: term for name, term in own.items() if name in LOSSES}
    return replace(terms, **ours, own={name: term for name, term in own.items() if name not in LOSSES})


def cross_entropy(target: Tensor, logits: Tensor) -> Tensor:
    """Of [B, K] with [B, K]; a row of zeros (no reply: the game ended) costs nothing."""
    return -(target * functional.log_softmax(logits.float(), dim=1)).sum(dim=1).mean()
