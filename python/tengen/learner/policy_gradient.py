"""REINFORCE with a baseline (Williams 1992): the learner of the method `reinforce`, and its loss.

A move becomes more probable if its game went better than the network expected when it was played, and less probable if
it went worse. What it expected, the baseline, is the value that the record keeps of every position; it changes nothing
in the mean, and makes the steps far less noisy.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from tengen.learner.learner import Learner
from tengen.learner.loss import LossTerms, TensorSamples, cross_entropy, value_target
from tengen.network.torch_net import NetworkOutput

__all__ = ["PolicyGradientLearner", "policy_gradient_terms"]


class PolicyGradientLearner(Learner):
    """The learner with the loss of a policy gradient. Its samples must be of games that its own network has played."""

    def __init__(self, *game_and_configs: Any, entropy_weight: float, **others: Any) -> None:
        super().__init__(*game_and_configs, **others)
        self._entropy_weight = entropy_weight

    def _terms(self, output: NetworkOutput, samples: TensorSamples, share: float) -> LossTerms:
        return policy_gradient_terms(output, samples, self._entropy_weight, self._discount)


def policy_gradient_terms(
    output: NetworkOutput, samples: TensorSamples, entropy_weight: float, discount: float
) -> LossTerms:
    """-(z - b) log p(a), with z the result and b the value at the time; minus the weighted entropy of the policy."""
    assert output.logits is not None
    z, b = samples.outcome * discount**samples.plies_left, samples.search  # [B]
    log_p = torch.log_softmax(output.logits.float().masked_fill(~samples.legal, -1e9), dim=1)  # [B, A]
    log_p_played = (samples.policy * log_p).sum(dim=1)
    entropy = -(log_p.exp() * log_p.masked_fill(~samples.legal, 0.0)).sum(dim=1)
    target = value_target(samples.outcome, samples.search, samples.plies_left, share=0.0, discount=discount)
    nothing: Tensor = torch.zeros((), device=log_p.device)
    return LossTerms(
        policy=-((z - b) * log_p_played).mean(),
        value=nothing if output.wdl_logits is None else cross_entropy(target, output.wdl_logits),
        reply=nothing,
        ownership=nothing,
        score=nothing,
        mean_target=target.mean(dim=0),
        own={"entropy": -entropy_weight * entropy.mean()},
    )
