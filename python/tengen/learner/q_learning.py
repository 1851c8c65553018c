"""Deep Q-learning (Mnih et al. 2015): the learner of the method `dqn`, and its loss.

Q(s, a) is the value of a move for the player who makes it. The network is the ordinary one: its policy head says
Q / TEMPERATURE, which read as a policy is softmax(Q / TEMPERATURE) with Q's best move as its best; its value head
learns max Q. So everything that plays, searches, exports or shows networks can do so with this one.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from tengen.learner.learner import Learner, Net
from tengen.learner.loss import LossTerms, TensorSamples, cross_entropy, value_target
from tengen.network.torch_net import NetworkOutput
from tengen.replay import ReplayWindow, Samples

__all__ = ["TEMPERATURE", "QLearner", "move_targets", "q_terms"]

TEMPERATURE = 0.2  # a move that is better by 0.2, a tenth of the way from loss to win, has e times the probability


@dataclass(frozen=True)
class MoveSamples(TensorSamples):
    """A batch of moves. `policy` has a 1 at the move that was played."""

    q_target: Tensor  # [B] what that move is worth


class QLearner(Learner):
    """The learner with Q-learning's samples and loss. The target network is the one that plays: the averaged weights
    of the last iteration, so a checkpoint has nothing more to keep."""

    _target: Net  # of the iteration

    def _begin(self) -> None:
        self._target = self._as_it_plays()

    def _samples(self, window: ReplayWindow, rng: np.random.Generator) -> MoveSamples:
        before, after = window.sample_moves(self._config.batch, rng)
        samples = TensorSamples.of(before, self.device)
        columns = {field.name: getattr(samples, field.name) for field in fields(samples)}
        return MoveSamples(**columns, q_target=self._q_target(before, after))

    def _terms(self, output: NetworkOutput, samples: TensorSamples, share: float) -> LossTerms:
        assert isinstance(samples, MoveSamples)
        return q_terms(output, samples)

    def _q_target(self, before: Samples, after: Samples) -> Tensor:
        """Double Q-learning (van Hasselt 2016): the network being trained chooses the reply, the target values it."""
        planes = torch.from_numpy(after.planes).to(self.device)
        legal = torch.from_numpy(after.legal).to(self.device)
        self._net.eval()
        with torch.no_grad():
            chosen = _q(self._net(planes)).masked_fill(~legal, -torch.inf).argmax(1, keepdim=True)
            values = _q(self._target(planes)).gather(1, chosen).squeeze(1)
        self._net.train()
        targets = move_targets(before, after, values.cpu().numpy(), self._discount)
        return torch.from_numpy(targets).to(self.device)


def move_targets(before: Samples, after: Samples, values: np.ndarray, discount: float) -> np.ndarray:
    """What the moves from `before` to `after` are worth to those who made them, [B].

    The result where the game ended, else what the position after the move is worth, `values`: with its sign changed,
    for it is the opponent's; in games in which a player moves again it stays the player's own.
    """
    sign = np.where(after.player == before.player, 1.0, -1.0)
    bootstrapped = sign * discount * np.clip(values, -1.0, 1.0)
    return np.where(before.plies_left == 1, before.value_outcome, bootstrapped).astype(np.float32)


def q_terms(output: NetworkOutput, samples: MoveSamples) -> LossTerms:
    """Huber's distance of Q to its target, for the move played; the value head follows the best legal Q."""
    q = _q(output)
    played = (q * samples.policy).sum(dim=1)
    best = q.detach().masked_fill(~samples.legal, -torch.inf).amax(dim=1).clamp(-1.0, 1.0)
    nothing = torch.zeros((), device=q.device)
    value = value_target(best, best, samples.plies_left, share=0.0, discount=1.0)
    return LossTerms(
        policy=functional.smooth_l1_loss(played, samples.q_target, beta=0.5),
        value=nothing if output.wdl_logits is None else cross_entropy(value, output.wdl_logits),
        reply=nothing,
        ownership=nothing,
        score=nothing,
        mean_target=value.mean(dim=0),
    )


def _q(output: NetworkOutput) -> Tensor:
    assert output.logits is not None
    return TEMPERATURE * output.logits.float()
