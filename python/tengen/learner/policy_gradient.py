"""REINFORCE with a baseline (Williams 1992): the learner of the method `reinforce`, and its loss.

A move becomes more probable if its game went better than the network expected when it was played, and less probable if
it went worse. What it expected, the baseline, is the value that the record keeps of every position; it changes nothing
in the mean, and makes the steps far less noisy.

The gradient holds for the policy that drew the moves. So each position is learned once, as it was seen then, and what
it says is weighted by how much more or less probable its move has become through the steps before it. Without this
weight a move that turned out badly would be pushed down again and again, long after it has become improbable.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from tengen.learner.learner import Learner, Net
from tengen.learner.loss import LossTerms, TensorSamples, cross_entropy, value_target
from tengen.network.torch_net import NetworkOutput
from tengen.replay import ReplayWindow

__all__ = ["DrawnSamples", "PolicyGradientLearner", "policy_gradient_terms"]

MOST_RATIO = 2.0  # of the probability of a move now and when it was drawn, beyond which it is pushed up no further


@dataclass(frozen=True)
class DrawnSamples(TensorSamples):
    """A batch of moves. `policy` has a 1 at the move that was drawn."""

    log_p_drawn: Tensor  # [B] the logarithm of its probability then


class PolicyGradientLearner(Learner):
    """The learner with the loss of a policy gradient. Its samples must be of games that its own network has played:
    the averaged weights of the last iteration, so a checkpoint has nothing more to keep."""

    _played: Net  # that played the iteration
    _left: NDArray[np.int64]  # positions of it that were not learned yet, in random order

    def __init__(self, *game_and_configs: Any, entropy_weight: float, **others: Any) -> None:
        super().__init__(*game_and_configs, **others)
        self._entropy_weight = entropy_weight

    def _begin(self) -> None:
        self._played, self._left = self._as_it_plays(), np.zeros(0, np.int64)

    def _samples(self, window: ReplayWindow, rng: np.random.Generator) -> DrawnSamples:
        """Every position once before any comes again, without symmetries: the policy of a mirror image is another."""
        batch = self._config.batch
        while len(self._left) < batch:
            self._left = np.concatenate((self._left, rng.permutation(window.positions)))
        chosen, self._left = self._left[:batch], self._left[batch:]
        samples = TensorSamples.of(window.samples_of(chosen, np.zeros(batch, np.int64)), self.device)
        with torch.no_grad():
            drawn = (_log_p(self._played(samples.planes), samples) * samples.policy).sum(dim=1)
        columns = {field.name: getattr(samples, field.name) for field in fields(samples)}
        return DrawnSamples(**columns, log_p_drawn=drawn)

    def _terms(self, output: NetworkOutput, samples: TensorSamples, share: float) -> LossTerms:
        assert isinstance(samples, DrawnSamples)
        return policy_gradient_terms(output, samples, self._entropy_weight, self._discount)


def policy_gradient_terms(
    output: NetworkOutput, samples: DrawnSamples, entropy_weight: float, discount: float
) -> LossTerms:
    """-(z - b) p(a) / p_then(a), with z the result, b the value at the time; minus the weighted entropy of the policy.

    Its gradient is that of -(z - b) log p(a) where p is still the policy that drew the move.
    """
    z, b = samples.outcome * discount**samples.plies_left, samples.search  # [B]
    log_p = _log_p(output, samples)  # [B, A]
    ratio = ((samples.policy * log_p).sum(dim=1) - samples.log_p_drawn).exp()
    gain = torch.minimum((z - b) * ratio, (z - b) * ratio.clamp(max=MOST_RATIO))
    entropy = -(log_p.exp() * log_p.masked_fill(~samples.legal, 0.0)).sum(dim=1)
    target = value_target(samples.outcome, samples.search, samples.plies_left, share=0.0, discount=discount)
    nothing: Tensor = torch.zeros((), device=log_p.device)
    return LossTerms(
        policy=-gain.mean(),
        value=nothing if output.wdl_logits is None else cross_entropy(target, output.wdl_logits),
        reply=nothing,
        ownership=nothing,
        score=nothing,
        mean_target=target.mean(dim=0),
        own={"entropy": -entropy_weight * entropy.mean()},
    )


def _log_p(output: NetworkOutput, samples: TensorSamples) -> Tensor:
    """[B, A] The logarithm of the policy among the legal actions."""
    assert output.logits is not None
    return torch.log_softmax(output.logits.float().masked_fill(~samples.legal, -1e9), dim=1)
