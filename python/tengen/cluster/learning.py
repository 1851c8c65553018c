"""The partners of a learner (`tengen.learner.partner`) as processes on the nodes of a Ray cluster."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import ray
from ray.exceptions import RayError

from tengen._core import Game, TengenError
from tengen.config import RunConfig
from tengen.learner.learner import PartnersLostError, Weights
from tengen.replay import Samples

__all__ = ["RayPartners"]


class _Partner:
    """One process. It waits for the others in `meet`, which takes another call than its making."""

    def place(self) -> str:
        """Where the first is met by the others."""
        with socket.socket() as free:
            free.bind(("", 0))
            return f"{ray.util.get_node_ip_address()}:{free.getsockname()[1]}"

    def meet(self, game: Game, config: RunConfig, *, discount: float, rank: int, place: str) -> None:
        from tengen.learner.partner import Partner

        self._partner = Partner(
            game,
            config.network,
            config.learner,
            seed=config.seed,
            discount=discount,
            rank=rank,
            number=config.learner.partners,
            place=place,
        )

    def begin(self, state: Weights) -> None:
        self._partner.begin(state)

    def step(self, part: Samples, batch: int, rate: float, share: float) -> dict[str, Any]:
        return self._partner.step(part, batch, rate, share)

    def end(self) -> Weights:
        return self._partner.end()


class RayPartners:
    """As many processes as the config says, spread over the nodes. They share cores with self-play, or have GPUs."""

    def __init__(self, game: Game, config: RunConfig, discount: float) -> None:
        self._game = game
        self._config = config
        self._discount = discount
        self._number = config.learner.partners
        self._gpus = 1 if config.learner.device == "cuda" else 0
        self._processes: list[Any] = []

    def begin(self, state: Weights) -> None:
        if not self._processes:
            self._start()
        kept = ray.put(state)
        self._all([process.begin.remote(kept) for process in self._processes])

    def step(self, samples: Samples, rate: float, share: float) -> Mapping[str, Any]:
        from tengen.learner.partner import parts_of

        parts = parts_of(samples, self._number)
        batch = len(samples.planes)
        calls = zip(self._processes, parts, strict=True)
        answers = self._all([process.step.remote(part, batch, rate, share) for process, part in calls])
        names = [name for name in answers[0] if name != "gradient_norm"]
        sums = {name: sum(answer[name] for answer in answers) for name in names}
        return {**sums, "gradient_norm": answers[0]["gradient_norm"]}

    def end(self) -> Weights:
        """Every one of them takes part in the last sum; the first hands the state over."""
        state: Weights = self._all([process.end.remote() for process in self._processes])[0]
        return {name: value.copy() for name, value in state.items()}  # what Ray hands out can't be written to

    def close(self) -> None:
        for process in self._processes:
            with suppress(RayError, ValueError):
                ray.kill(process)
        self._processes = []

    def _start(self) -> None:
        made = ray.remote(_Partner).options(num_cpus=0, num_gpus=self._gpus, scheduling_strategy="SPREAD")
        self._processes = [made.remote() for _ in range(self._number)]
        [place] = self._all([self._processes[0].place.remote()])
        calls = [
            process.meet.remote(self._game, self._config, discount=self._discount, rank=rank, place=place)
            for rank, process in enumerate(self._processes)
        ]
        self._all(calls)

    def _all(self, calls: list[Any]) -> list[Any]:
        """When one is lost the others wait for it in vain: all are started anew."""
        try:
            waiting = calls
            while waiting:
                ended, waiting = ray.wait(waiting)
                ray.get(ended)
            return list(ray.get(calls))
        except RayError as error:
            self.close()
            if isinstance(getattr(error, "cause", None), TengenError):  # all of them would fail again
                raise TengenError(str(error.cause)) from error
            raise PartnersLostError(
                f"A partner of the learner was lost: {str(error).strip().splitlines()[-1]}"
            ) from error
