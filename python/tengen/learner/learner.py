"""The learner: fits the network to what self-play found (loss.py says what that means).

On a CPU the batch is split among replicas that share the weights, one thread each. That beats one network with threads
inside of every operation, which wait for each other hundreds of times a step and crawl when anything else runs; and
sums are taken in an order that no timing can change.
"""

from __future__ import annotations

import copy
import math
import os
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from tengen._core import Game, TengenError
from tengen.base.threads import InUse, one_thread
from tengen.config import ConfigError, LearnerConfig, NetworkConfig
from tengen.learner.loss import LOSSES, LossTerms, TensorSamples, loss_terms, with_own
from tengen.learner.optimizers import Muon
from tengen.network import check_device
from tengen.network.checkpoint import NetworkFile
from tengen.network.growth import Growth
from tengen.network.on_torch import find_gpu
from tengen.network.own_net import OwnNet, make_net, net_of
from tengen.network.torch_net import NetworkOutput, TorchNet, load_weights, network_weights
from tengen.replay import ReplayWindow, Samples, has_ownership
from tengen.report import LearnerReport

__all__ = ["Learner", "Partners", "PartnersLostError", "TrainingDivergedError", "learning_rate_at"]

ATTEMPTS = 3  # to learn with partners of whom one was lost
SMALLEST_PART = 64  # samples of a replica: fewer would make the means of the normalisation too noisy

OWN = "own."  # before the name of a loss of a module of one's own

Weights = dict[str, NDArray[np.float32]]
Figures = Mapping[str, Any]  # float64, or an array of them
Net = TorchNet | OwnNet


class TrainingDivergedError(TengenError):
    """The loss is no number any more."""


class PartnersLostError(TengenError):
    """A partner is gone in the middle of an iteration."""


class Partners(Protocol):
    """All partners of a learner, as it sees them."""

    def begin(self, state: Weights) -> None:
        """All of them learn from here."""
        ...

    def step(self, samples: Samples, rate: float, share: float) -> Mapping[str, Any]:
        """One step of the optimizer with this batch; PartnersLostError if one of them is gone."""
        ...

    def end(self) -> Weights:
        """Where they have come to."""
        ...


def learning_rate_at(config: LearnerConfig, progress: float) -> float:
    """Rises, stays flat, falls along a cosine. `progress` is the share of the run that is done."""
    if progress < config.warmup:
        return config.learning_rate * (0.05 + 0.95 * progress / config.warmup)
    if progress <= config.flat_until:
        return config.learning_rate
    fallen = (progress - config.flat_until) / (1.0 - config.flat_until)
    low = config.final_rate
    return config.learning_rate * (low + (1.0 - low) * 0.5 * (1.0 + math.cos(math.pi * min(1.0, fallen))))


class Learner:
    """The network being trained, its optimizer, and the averaged copy that plays.

    For one thread at a time: a call during another thread's raises InUseError. It has threads of its own inside.
    """

    def __init__(
        self,
        game: Game,
        network: NetworkConfig,
        config: LearnerConfig,
        *,
        seed: int,
        discount: float,
        start: NetworkFile | None = None,
    ) -> None:
        """Begins with the architecture and the weights of `start`; without it with a blank network of the config."""
        if (network.ownership_head or network.score_head) and not has_ownership(game):
            raise ConfigError(
                f"network.ownership_head and network.score_head: {game.spec.name} has neither an owner of each cell at "
                "the end nor a margin; leave them out."
            )
        if config.batch * game.spec.height * game.spec.width < 2:
            raise ConfigError("learner.batch: on a board of one cell the normalisation needs at least 2 samples.")
        check_device(config.device)
        self._in_use = InUse("This learner")
        self._game = game
        self._sizes = () if start else network.sizes[1:]  # that it grows to
        self._network = network
        self._grown = 0  # times
        self._seed = seed
        self._config = config
        self._discount = discount
        self.device = find_gpu() or "cpu" if config.device == "auto" else config.device
        self._bf16 = _has_bf16(self.device) if config.precision == "auto" else config.precision == "bf16"
        self._take(net_of(start) if start else make_net(game.spec, network, seed=seed))
        self._average = network_weights(self._net)
        self._averaged = 0  # networks in the average; the blank one is none
        self._partners: Partners | None = None

    @property
    def num_parameters(self) -> int:
        """Once it has grown."""
        net = make_net(self._game.spec, self._sizes[-1], seed=0) if self._sizes else self._net
        return sum(parameter.numel() for parameter in net.parameters())

    def share_with(self, partners: Partners) -> None:
        """From here on they take the steps (`learner.partner`)."""
        self._partners = partners

    @one_thread
    def learn(
        self,
        window: ReplayWindow,
        steps: int,
        rng: np.random.Generator,
        *,
        progress: tuple[float, float],
        on_step: Callable[[int, int], None] = lambda done, total: None,
        should_stop: Callable[[], bool] = lambda: False,
    ) -> LearnerReport:
        """Takes `steps` steps, while the run goes from one progress to the other (0 to 1); fewer if it is stopped."""
        learn = partial(self._learn, window, steps, progress=progress, on_step=on_step, should_stop=should_stop)
        for _ in range(ATTEMPTS if self._partners is not None else 0):
            with suppress(PartnersLostError):  # nothing has changed here yet
                return learn(copy.deepcopy(rng))
        return learn(rng)

    def _learn(
        self,
        window: ReplayWindow,
        steps: int,
        rng: np.random.Generator,
        *,
        progress: tuple[float, float],
        on_step: Callable[[int, int], None],
        should_stop: Callable[[], bool],
    ) -> LearnerReport:
        started = time.perf_counter()
        while self._grown < min(len(self._sizes), self._network.growths_at(progress[0])):
            self._grow()
        self._begin()
        sampling = 0.0
        totals: dict[str, Any] = {}
        rate = 0.0
        taken = 0
        for replica in self._replicas:
            replica.train()
        one_each = partial(torch.set_num_threads, max(1, self._threads() // len(self._replicas)))
        one_each()
        if self._partners is not None:
            self._partners.begin(self.state())
        with ThreadPoolExecutor(len(self._replicas), initializer=one_each) as pool:
            for step in range(steps):
                here = progress[0] + (progress[1] - progress[0]) * step / steps
                rate = learning_rate_at(self._config, here)
                share = self._search_value_share(here)
                before = time.perf_counter()
                if self._partners is not None:
                    given = window.sample(self._config.batch, rng)
                    sampling += time.perf_counter() - before
                    _add_up(totals, self._partners.step(given, rate, share))
                else:
                    samples = self._samples(window, rng)
                    sampling += time.perf_counter() - before
                    _add_up(totals, self._step(pool, samples, rate, share))
                taken += 1
                on_step(taken, steps)
                if should_stop():
                    break
        if self._partners is not None:
            self._load(self._partners.end())
        self._share_statistics()
        self._update_average()
        means = {name: total / taken for name, total in totals.items()}
        losses = {name: float(means.get(name, 0.0)) for name in LOSSES}
        return LearnerReport(
            steps=taken,
            samples=taken * self._config.batch,
            seconds=time.perf_counter() - started,
            sampling_seconds=sampling,
            policy_loss=losses["policy"],
            value_loss=losses["value"],
            reply_loss=losses["reply"],
            ownership_loss=losses["ownership"],
            score_loss=losses["score"],
            value_loss_of_mean=_entropy(means.get("mean_target", np.zeros(3))),
            learning_rate=rate,
            window=window.positions,
            gradient_norm=float(means.get("gradient_norm", 0.0)),
            own_losses={name.removeprefix(OWN): float(mean) for name, mean in means.items() if name.startswith(OWN)},
        )

    def network_file(self, *, iteration: int = 0, **made_by: str) -> NetworkFile:
        """The averaged weights, as they play; their values are discounted as the learner was told."""
        with self._in_use:
            return NetworkFile.of(
                self._game, self._net.architecture, self._average, made_by, discount=self._discount, iteration=iteration
            )

    @one_thread
    def state(self) -> Weights:
        """Everything needed to go on: weights, averaged weights, optimizer."""
        state = {f"net.{name}": value for name, value in network_weights(self._net).items()}
        state |= {f"average.{name}": value for name, value in self._average.items()}
        state["averaged"] = np.array(self._averaged, np.float32)
        if self._sizes:
            state["grown"] = np.array(self._grown, np.float32)
        for name, key, value in self._moments():
            state[f"optimizer.{name}.{key}"] = value.cpu().numpy().copy()
        return state

    @one_thread
    def load_state(self, state: Weights) -> None:
        """Goes on from where state() was taken."""
        self._grown = int(state.get("grown", np.float32(0)))
        if self._grown:
            self._take(self._blank())
        self._load(state)

    def _load(self, state: Weights) -> None:
        """Into a network of the size that the state is of."""
        for replica in self._replicas:
            load_weights(replica, dict(_part(state, "net.")))
        self._average = {name: value.copy() for name, value in _part(state, "average.")}
        self._averaged = int(state.get("averaged", np.float32(1e6)))  # older runs did not count
        self._optimizers = self._make_optimizers()
        keepers = {p: optimizer.state for optimizer in self._optimizers for p in _parameters(optimizer)}
        parameters = dict(self._net.named_parameters())
        for name, value in _part(state, "optimizer."):
            parameter, _, key = name.rpartition(".")
            moment = torch.from_numpy(value.copy()).to(parameters[parameter].device)
            if moment.dim() == 4:  # laid out as the weights are, so that sums are taken in the same order
                moment = moment.contiguous(memory_format=torch.channels_last)
            keepers[parameters[parameter]][parameters[parameter]][key] = moment

    def _take(self, net: Net) -> None:
        """Learns with this network from now on."""
        self._net = net.to(self.device)
        self._replicas = [self._net, *(_sharing_weights(self._net) for _ in range(self._num_replicas() - 1))]
        self._optimizers = self._make_optimizers()

    def _blank(self) -> Net:
        """Of the size after so many growths; each has weights of its own for what is new."""
        return make_net(self._game.spec, self._sizes[self._grown - 1], seed=self._seed + self._grown)

    def _grow(self) -> None:
        """To the next size, which says what this one says; the optimizer and the average go on with what they have."""
        state, small = self.state(), self._net.architecture
        self._grown += 1
        self._take(self._blank())
        growth = Growth(small, self._net.architecture, self._game.spec.planes_shape)
        blank = network_weights(self._net)
        grown = {name: value for name, value in state.items() if "." not in name}
        for part in ("net.", "average."):
            weights = growth.weights(dict(_part(state, part)), blank)
            grown |= {part + name: value for name, value in weights.items()}
        for name, value in _part(state, "optimizer."):
            grown[f"optimizer.{name}"] = growth.moment(name.rpartition(".")[0], value)
        self._load(grown)

    def _step(self, pool: ThreadPoolExecutor, samples: TensorSamples, rate: float, share: float) -> Figures:
        """One step of the optimizer. Gives the means of the losses and of the value target, and the gradient's norm."""
        for optimizer in self._optimizers:
            for group in optimizer.param_groups:
                group["lr"] = rate
        parts = samples.split(len(self._replicas))
        weights = [len(part) / len(samples) for part in parts]
        figures: dict[str, Any] = {}
        for part in pool.map(self._gradients, self._replicas, parts, weights, [share] * len(parts)):
            _add_up(figures, part)
        for parameter, *others in zip(*(replica.parameters() for replica in self._replicas), strict=True):
            for other in others:
                if other.grad is not None:
                    parameter.grad = other.grad if parameter.grad is None else parameter.grad.add_(other.grad)
        norm = torch.nn.utils.clip_grad_norm_(self._net.parameters(), self._config.gradient_clip)
        self._check_finite(norm, "gradient")
        list(pool.map(lambda optimizer: optimizer.step(), self._optimizers))
        return {**figures, "gradient_norm": norm.item()}

    def _gradients(self, replica: Net, samples: TensorSamples, weight: float, share: float) -> Figures:
        """Leaves in the replica the gradient of its part of the batch, and gives that part of the figures."""
        with torch.autocast(torch.device(self.device).type, dtype=torch.bfloat16, enabled=self._bf16):
            output = replica(samples.planes)
        terms = self._terms(output, samples, share)
        if isinstance(replica, OwnNet):
            terms = with_own(terms, replica.own_losses(output, samples))
        loss = weight * terms.total(self._config)
        self._check_finite(loss, "loss")
        replica.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        figures = {name: getattr(terms, name) for name in (*LOSSES, "mean_target")}
        figures |= {OWN + name: term for name, term in terms.own.items()}
        return {name: weight * figure.detach().double().cpu().numpy() for name, figure in figures.items()}

    # ---- What another method of learning does otherwise

    def _begin(self) -> None:
        """Before the first step of an iteration."""

    def _samples(self, window: ReplayWindow, rng: np.random.Generator) -> TensorSamples:
        """The batch of the next step."""
        return TensorSamples.of(window.sample(self._config.batch, rng), self.device)

    def _terms(self, output: NetworkOutput, samples: TensorSamples, share: float) -> LossTerms:
        """How far the network's output is from what the samples say."""
        return loss_terms(output, samples, share, self._discount)

    # ----

    def _as_it_plays(self) -> Net:
        """A copy of the network with the weights that play: the averaged ones of the last iteration."""
        net = copy.deepcopy(self._net).eval()
        load_weights(net, self._average)
        return net

    def _share_statistics(self) -> None:
        """Gives every replica the mean of what the normalisation of each has seen."""
        for buffers in zip(*(replica.buffers() for replica in self._replicas), strict=True):
            if buffers[0].is_floating_point():
                mean = torch.stack(buffers).mean(dim=0)
                for buffer in buffers:
                    buffer.copy_(mean)

    def _threads(self) -> int:
        return self._config.threads or os.cpu_count() or 1

    def _num_replicas(self) -> int:
        if self.device != "cpu":
            return 1
        return max(1, min(self._threads(), self._config.batch // SMALLEST_PART))

    def _check_finite(self, number: Tensor, name: str) -> None:
        if not torch.isfinite(number):
            raise TrainingDivergedError(
                f"The {name} is no number any more; the last checkpoint is intact. Try half the learning rate "
                f"(learner.learning_rate = {self._config.learning_rate / 2:g} in the run's config.toml) or a smaller "
                "learner.gradient_clip."
            )

    def _search_value_share(self, progress: float) -> float:
        ramp = self._config.search_value_ramp
        return self._config.search_value_share * (min(1.0, progress / ramp) if ramp > 0 else 1.0)

    def _make_optimizers(self) -> list[torch.optim.Optimizer]:
        """Each has some of the weights; together they have all. They take their steps side by side."""
        rate, weight_decay = self._config.learning_rate, self._config.weight_decay
        weights = list(self._net.parameters())
        if self._config.optimizer == "sgd":
            return [torch.optim.SGD(weights, lr=rate, momentum=0.9, weight_decay=weight_decay)]
        if self._config.optimizer == "adamw":
            return [torch.optim.AdamW(weights, lr=rate, weight_decay=weight_decay, fused=True)]
        hidden = [module for blocks in _blocks(self._net) for module in blocks.modules()]
        inner = [conv.weight for conv in hidden if isinstance(conv, torch.nn.Conv2d)]
        others = [weight for weight in weights if not any(weight is each for each in inner)]
        parts = [inner[first :: len(self._replicas)] for first in range(len(self._replicas))]
        return [
            *(Muon(part, lr=rate, weight_decay=weight_decay) for part in parts if part),
            torch.optim.AdamW(others, lr=rate, weight_decay=weight_decay, fused=True),
        ]

    def _moments(self) -> Iterator[tuple[str, str, Tensor]]:
        names: dict[Tensor, str] = {parameter: name for name, parameter in self._net.named_parameters()}
        for optimizer in self._optimizers:
            for parameter, moments in optimizer.state.items():
                for key, value in moments.items():
                    if isinstance(value, Tensor):
                        yield names[parameter], key, value

    def _update_average(self) -> None:
        """An exponential one, which begins as the plain mean of the first few."""
        self._averaged += 1
        decay = min(self._config.average_decay, 1.0 - 1.0 / self._averaged)
        for name, value in network_weights(self._net).items():
            self._average[name] = (decay * self._average[name] + (1.0 - decay) * value).astype(np.float32)


def _has_bf16(device: str) -> bool:
    """Whether bfloat16 is an operation of the device; where it is imitated, it is slower than f32."""
    if device == "cuda":
        return bool(torch.cuda.is_bf16_supported(including_emulation=False))
    flags = torch.cpu.get_capabilities() if device == "cpu" else {}
    return any(flags.get(name, False) for name in ("avx512_bf16", "amx_bf16", "bf16", "arm_bf16"))


def _blocks(net: Net) -> list[torch.nn.Module]:
    """Where the hidden layers are, of each tower; a module of one's own may call them `blocks` too."""
    towers = list(net.children()) if isinstance(net, TorchNet) and net.architecture.towers else [net]
    found = [getattr(tower.module if isinstance(tower, OwnNet) else tower, "blocks", None) for tower in towers]
    return [blocks for blocks in found if isinstance(blocks, torch.nn.Module)]


def _add_up(totals: dict[str, Any], figures: Figures) -> None:
    for name, figure in figures.items():
        totals[name] = totals.get(name, 0.0) + figure


def _sharing_weights(net: Net) -> Net:
    """A copy with the same weights in memory, but with gradients and statistics of its own."""
    other = copy.deepcopy(net)
    for own, shared in zip(other.parameters(), net.parameters(), strict=True):
        own.data = shared.data
    return other


def _parameters(optimizer: torch.optim.Optimizer) -> list[Tensor]:
    return [parameter for group in optimizer.param_groups for parameter in group["params"]]


def _part(state: Weights, prefix: str) -> list[tuple[str, NDArray[np.float32]]]:
    return [(name.removeprefix(prefix), value) for name, value in state.items() if name.startswith(prefix)]


def _entropy(chances: NDArray[np.float64]) -> float:
    """Of the average target: the cross-entropy of a guess that knows no more than that."""
    chances = chances[chances > 0]
    return float(-np.sum(chances * np.log(chances)))
