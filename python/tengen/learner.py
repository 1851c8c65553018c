"""The learner: fits the network to what self-play found.

Loss (AlphaZero): (z - v)^2 - pi . log p + c |theta|^2, with the value as win, draw and loss, cross-entropy in place of
the square, decoupled weight decay for c, and the opponent's reply as a second policy (KataGo 2019).
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from tengen._core import Game, TengenError
from tengen.config import LearnerConfig, NetworkConfig
from tengen.network.checkpoint import NetworkFile
from tengen.network.resnet import NetworkOutput, PolicyValueNet
from tengen.replay import ReplayWindow, Samples
from tengen.report import LearnerReport

__all__ = ["Learner", "TrainingDivergedError", "learning_rate_at", "loss_terms", "value_target"]

Weights = dict[str, NDArray[np.float32]]


class TrainingDivergedError(TengenError):
    """The loss is no number any more."""


@dataclass(frozen=True)
class LossTerms:
    """The parts of the loss, each a mean over the batch."""

    policy: Tensor
    value: Tensor
    reply: Tensor
    mean_target: Tensor  # [3] win, draw and loss, on average


def value_target(outcome: Tensor, search: Tensor, plies_left: Tensor, share: float, discount: float) -> Tensor:
    """Win, draw and loss [B, 3] for the player to move: (1 - share) z + share q, with z discounted by its distance.

    What the discount takes from a win or a loss goes to the draw, so that win - loss is the discounted result.
    """
    z = outcome * discount**plies_left  # [B]
    target_of_z = torch.stack((z.clamp(min=0), 1 - z.abs(), (-z).clamp(min=0)), dim=1)
    target_of_q = torch.stack(((1 + search) / 2, torch.zeros_like(search), (1 - search) / 2), dim=1)
    return (1 - share) * target_of_z + share * target_of_q


def loss_terms(output: NetworkOutput, samples: TensorSamples, share: float, discount: float) -> LossTerms:
    """The loss of a batch. Illegal actions take no part in the policy, as in the search."""
    logits = output.logits.float().masked_fill(~samples.legal, -1e9)
    policy = -(samples.policy * functional.log_softmax(logits, dim=1)).sum(dim=1)
    target = value_target(samples.outcome, samples.search, samples.plies_left, share, discount)
    value = -(target * functional.log_softmax(output.wdl_logits.float(), dim=1)).sum(dim=1)
    reply = torch.zeros(())
    if output.reply_logits is not None:
        reply = -(samples.reply * functional.log_softmax(output.reply_logits.float(), dim=1)).sum(dim=1).mean()
    return LossTerms(policy.mean(), value.mean(), reply, target.mean(dim=0))


def learning_rate_at(config: LearnerConfig, progress: float) -> float:
    """Rises, stays flat, falls along a cosine. `progress` is the share of the run that is done."""
    if progress < config.warmup:
        return config.learning_rate * (0.05 + 0.95 * progress / config.warmup)
    if progress <= config.flat_until:
        return config.learning_rate
    fallen = (progress - config.flat_until) / (1.0 - config.flat_until)
    low = config.final_rate
    return config.learning_rate * (low + (1.0 - low) * 0.5 * (1.0 + math.cos(math.pi * min(1.0, fallen))))


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

    @staticmethod
    def of(samples: Samples) -> TensorSamples:
        return TensorSamples(
            planes=torch.from_numpy(samples.planes).contiguous(memory_format=torch.channels_last),
            legal=torch.from_numpy(samples.legal),
            policy=torch.from_numpy(samples.policy),
            outcome=torch.from_numpy(samples.value_outcome),
            search=torch.from_numpy(samples.value_search),
            reply=torch.from_numpy(samples.reply),
            plies_left=torch.from_numpy(samples.plies_left),
        )


class Learner:
    """The network being trained, its optimizer, and the averaged copy that plays."""

    def __init__(
        self, game: Game, network: NetworkConfig, config: LearnerConfig, *, seed: int, discount: float
    ) -> None:
        self._game = game
        self._network_config = network
        self._config = config
        self._discount = discount
        self._net = PolicyValueNet(game.spec, network, seed=seed)
        self._net.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        self._optimizer = self._make_optimizer()
        self._average = self._weights()

    @property
    def num_parameters(self) -> int:
        return sum(parameter.numel() for parameter in self._net.parameters())

    def learn(
        self,
        window: ReplayWindow,
        steps: int,
        rng: np.random.Generator,
        *,
        progress: tuple[float, float],
        on_step: Callable[[int, int], None] = lambda done, total: None,
    ) -> LearnerReport:
        """Takes `steps` steps, while the run goes from one progress to the other (0 to 1)."""
        torch.set_num_threads(self._config.threads or os.cpu_count() or 1)
        started = time.perf_counter()
        sampling = 0.0
        totals = np.zeros(7)  # policy, value, reply, gradient norm, mean target
        rate = 0.0
        self._net.train()
        for step in range(steps):
            here = progress[0] + (progress[1] - progress[0]) * step / steps
            rate = learning_rate_at(self._config, here)
            before = time.perf_counter()
            samples = TensorSamples.of(window.sample(self._config.batch, rng))
            sampling += time.perf_counter() - before
            totals += self._step(samples, rate, self._search_value_share(here))
            on_step(step + 1, steps)
        self._update_average()
        means = totals / max(1, steps)
        return LearnerReport(
            steps=steps,
            samples=steps * self._config.batch,
            seconds=time.perf_counter() - started,
            sampling_seconds=sampling,
            policy_loss=float(means[0]),
            value_loss=float(means[1]),
            reply_loss=float(means[2]),
            value_loss_of_mean=_entropy(means[4:]),
            learning_rate=rate,
            window=window.positions,
            gradient_norm=float(means[3]),
        )

    def network_file(self, **made_by: str) -> NetworkFile:
        """The averaged weights, as they play."""
        return NetworkFile.of(self._game, self._network_config, self._average, made_by)

    def state(self) -> Weights:
        """Everything needed to go on: weights, averaged weights, optimizer."""
        state = {f"net.{name}": value for name, value in self._weights().items()}
        state |= {f"average.{name}": value for name, value in self._average.items()}
        for name, key, value in self._moments():
            state[f"optimizer.{name}.{key}"] = value.numpy().copy()
        return state

    def load_state(self, state: Weights) -> None:
        """Goes on from where state() was taken."""
        self._net.load_state_dict({name: torch.from_numpy(value.copy()) for name, value in _part(state, "net.")})
        self._average = {name: value.copy() for name, value in _part(state, "average.")}
        self._optimizer = self._make_optimizer()
        parameters = dict(self._net.named_parameters())
        for name, value in _part(state, "optimizer."):
            parameter, _, key = name.rpartition(".")
            moment = torch.from_numpy(value.copy())
            if moment.dim() == 4:  # laid out as the weights are, so that sums are taken in the same order
                moment = moment.contiguous(memory_format=torch.channels_last)
            self._optimizer.state[parameters[parameter]][key] = moment

    def _step(self, samples: TensorSamples, rate: float, share: float) -> NDArray[np.float64]:
        for group in self._optimizer.param_groups:
            group["lr"] = rate
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=self._config.bf16):
            output = self._net(samples.planes)
        terms = loss_terms(output, samples, share, self._discount)
        loss = terms.policy + self._config.value_weight * terms.value + self._config.reply_weight * terms.reply
        self._check_finite(loss, "loss")
        self._optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        norm = torch.nn.utils.clip_grad_norm_(self._net.parameters(), self._config.gradient_clip)
        self._check_finite(norm, "gradient")
        self._optimizer.step()
        return np.array([terms.policy.item(), terms.value.item(), terms.reply.item(), norm.item(), *terms.mean_target])

    def _check_finite(self, number: Tensor, name: str) -> None:
        if not torch.isfinite(number):
            raise TrainingDivergedError(
                f"The {name} is no number any more; the last checkpoint is intact. Try half the learning rate "
                f"(learner.learning_rate = {self._config.learning_rate / 2:g}) or a smaller learner.gradient_clip."
            )

    def _search_value_share(self, progress: float) -> float:
        ramp = self._config.search_value_ramp
        return self._config.search_value_share * (min(1.0, progress / ramp) if ramp > 0 else 1.0)

    def _make_optimizer(self) -> torch.optim.Optimizer:
        config = self._config
        if config.optimizer == "sgd":
            return torch.optim.SGD(
                self._net.parameters(), lr=config.learning_rate, momentum=0.9, weight_decay=config.weight_decay
            )
        return torch.optim.AdamW(self._net.parameters(), lr=config.learning_rate, weight_decay=config.weight_decay)

    def _moments(self) -> Iterator[tuple[str, str, Tensor]]:
        for name, parameter in self._net.named_parameters():
            for key, value in self._optimizer.state.get(parameter, {}).items():
                if isinstance(value, Tensor):
                    yield name, key, value

    def _weights(self) -> Weights:
        return {
            name: value.detach().float().contiguous().numpy().copy()
            for name, value in self._net.state_dict().items()
            if value.is_floating_point()
        }

    def _update_average(self) -> None:
        decay = self._config.average_decay
        for name, value in self._weights().items():
            self._average[name] = (decay * self._average[name] + (1.0 - decay) * value).astype(np.float32)


def _part(state: Weights, prefix: str) -> list[tuple[str, NDArray[np.float32]]]:
    return [(name.removeprefix(prefix), value) for name, value in state.items() if name.startswith(prefix)]


def _entropy(chances: NDArray[np.float64]) -> float:
    """Of the average target: the cross-entropy of a guess that knows no more than that."""
    chances = chances[chances > 0]
    return float(-np.sum(chances * np.log(chances)))
