"""Learning by several processes, each with a GPU or a node of its own: torch's DistributedDataParallel.

Each partner has the whole network and takes a part of every batch; gradients are averaged between them, so that all
take the same step. It is what the replicas of one process do with threads. Between two iterations partners remember
nothing: they get the learner's state and hand it back, so a partner that was lost costs an iteration of learning.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import distributed
from torch.nn.parallel import DistributedDataParallel

from tengen._core import Game
from tengen.config import LearnerConfig, NetworkConfig
from tengen.learner.learner import Figures, Learner, Net, Weights
from tengen.learner.loss import TensorSamples
from tengen.replay import Samples

__all__ = ["Partner", "parts_of"]

STEP_SECONDS = 300.0  # that partners wait for each other


class Partner(Learner):
    """One of them, in a process of its own. `place` is HOST:PORT of the first."""

    def __init__(
        self,
        game: Game,
        network: NetworkConfig,
        config: LearnerConfig,
        *,
        seed: int,
        discount: float,
        rank: int,
        number: int,
        place: str,
    ) -> None:
        self._number = number
        self._rank = rank
        on_gpu = config.device in ("cuda", "auto") and torch.cuda.is_available()
        distributed.init_process_group(
            "nccl" if on_gpu else "gloo",
            init_method=f"tcp://{place}",
            rank=rank,
            world_size=number,
            timeout=timedelta(seconds=STEP_SECONDS),
        )
        super().__init__(game, network, config, seed=seed, discount=discount)
        self._pool = ThreadPoolExecutor(1)

    def begin(self, state: Weights) -> None:
        """Learns from here."""
        self.load_state(state)
        self._replicas[0].train()
        torch.set_num_threads(max(1, self._threads()))

    def step(self, samples: Samples, batch: int, rate: float, share: float) -> dict[str, Any]:
        """With a part of a batch of so many. Gives its part of the figures, and the norm of the whole gradient."""
        self._share = len(samples.planes) / batch
        figures = self._step(self._pool, TensorSamples.of(samples, self.device), rate, share)
        return {name: figure / (1 if name == "gradient_norm" else self._number) for name, figure in figures.items()}

    def end(self) -> Weights:
        """The state that all have come to, with the mean of what the normalisation of each has seen."""
        for buffer in self._net.buffers():
            if buffer.is_floating_point():
                distributed.all_reduce(buffer)
                buffer.div_(self._number)
        return self.state() if self._rank == 0 else {}

    def _take(self, net: Net) -> None:
        super()._take(net)
        # Every process has statistics of its own, as every replica has; they are shared when learning ends.
        self._shared = DistributedDataParallel(self._net, broadcast_buffers=False)

    def _num_replicas(self) -> int:
        return 1

    def _gradients(self, replica: Net, samples: TensorSamples, weight: float, share: float) -> Figures:
        """Torch takes the mean over the partners, and parts of a batch count by their sizes."""
        weight *= self._share * self._number
        return super()._gradients(self._shared, samples, weight, share)  # type: ignore[arg-type]


def parts_of(samples: Samples, number: int) -> list[Samples]:
    """A batch in so many parts of about the same size."""
    rows = len(samples.planes)
    ends = [rows * part // number for part in range(number + 1)]
    columns = {name: getattr(samples, name) for name in samples.__dataclass_fields__}
    return [
        Samples(**{name: _rows(column, slice(low, high)) for name, column in columns.items()})
        for low, high in pairwise(ends)
    ]


def _rows(column: Any, rows: slice) -> Any:
    return np.ascontiguousarray(column[rows]) if isinstance(column, np.ndarray) else column
