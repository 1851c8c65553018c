"""Compares kinds of blocks: how much of a teacher's knowledge a network with each learns in the same processor time.

    python benchmarks/blocks.py                      # residual against se, a minute each and two seeds
    python benchmarks/blocks.py --seconds 300 --blocks residual se --seeds 1 2 3

The teacher is the bundled network of Connect Four, asked about positions of random games; the pupils never see the
positions that they are measured on. Time is what the process had of the processor, so that other work does not count.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

import tengen
from tengen.config import LearnerConfig, NetworkConfig
from tengen.learner import Learner
from tengen.network import Evaluation, agreement, make_evaluator
from tengen.network.checkpoint import find_network, game_of, load_network
from tengen.network.positions import random_states
from tengen.replay import Samples

STEPS = 25  # between looks at the clock
MEASURED = 4096  # positions that nobody learns from
BATCH = 128


@dataclass
class Taught:
    """Positions and what the teacher says of them; a window for the learner."""

    planes: NDArray[np.float32]
    legal: NDArray[np.bool_]
    policy: NDArray[np.float32]
    values: NDArray[np.float32]

    @property
    def positions(self) -> int:
        return len(self.planes)

    def sample(self, batch: int, rng: np.random.Generator) -> Samples:
        rows = rng.integers(self.positions, size=batch)
        known: dict[str, NDArray[np.float32] | NDArray[np.bool_]] = {
            "planes": self.planes[rows],
            "legal": self.legal[rows],
            "policy": self.policy[rows],
            "value_outcome": self.values[rows],
            "value_search": self.values[rows],
            "reply": np.zeros_like(self.policy[rows]),
        }
        zeros = np.zeros(batch, np.float32)
        return Samples(**{field.name: known.get(field.name, zeros) for field in fields(Samples)})  # type: ignore[arg-type]


def taught(answers: Evaluation, states: list[tengen.State]) -> Taught:
    legal = np.stack([state.legal_mask() for state in states])
    powers = np.exp(answers.logits - answers.logits.max(1, keepdims=True)) * legal
    policy = (powers / powers.sum(1, keepdims=True)).astype(np.float32)
    values = answers.values[:, 0] - answers.values[:, 2]
    return Taught(np.stack([state.planes() for state in states]), legal, policy, values.astype(np.float32))


def learned(game: tengen.Game, block: str, seed: int, window: Taught, seconds: float) -> tuple[Learner, int]:
    """A network that has learned for so long, and how many steps that was."""
    config = LearnerConfig(batch=BATCH, threads=1, search_value_share=1.0, search_value_ramp=0.0, warmup=0.0)
    learner = Learner(game, NetworkConfig(block=block, reply_head=False), config, seed=seed, discount=1.0)
    rng = np.random.default_rng(seed)
    steps, spent = 0, 0.0
    while spent < seconds:
        before = time.process_time()
        share = min(1.0, spent / seconds)
        learner.learn(window, STEPS, rng, progress=(share, share))  # type: ignore[arg-type]
        spent += time.process_time() - before
        steps += STEPS
    return learner, steps


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60.0, help="processor time of each pupil")
    parser.add_argument("--positions", type=int, default=30_000, help="that they learn from")
    parser.add_argument("--blocks", nargs="+", default=["residual", "se"])
    parser.add_argument("--seeds", nargs="+", type=int, default=[1, 2])
    arguments = parser.parse_args()
    network = load_network(find_network("connect_four"))
    game, teacher = game_of(network), make_evaluator(network, precision="f32")
    states = random_states(game, arguments.positions + MEASURED, seed=1)
    answers = teacher(np.stack([state.planes() for state in states]))
    window = taught(Evaluation(*(part[MEASURED:] for part in answers)), states[MEASURED:])
    planes = np.stack([state.planes() for state in states[:MEASURED]])
    expected = Evaluation(*(part[:MEASURED] for part in answers))
    print("| block | seed | steps | KL of the policy | mean error of the value | positions per second, int8 |")
    print("|---|---|---|---|---|---|")
    for seed in arguments.seeds:
        for block in arguments.blocks:
            learner, steps = learned(game, block, seed, window, arguments.seconds)
            pupil = make_evaluator(learner.network_file(), precision="f32")
            found = agreement(expected, pupil(planes))
            fast = make_evaluator(learner.network_file(), precision="int8", calibration=planes[:512])
            fast(planes[:1280])
            before = time.process_time()
            fast(planes[:3840])
            speed = 3840 / (time.process_time() - before)
            figures = f"{steps} | {found.divergence:.4f} | {found.value_error:.4f} | {speed:,.0f}"
            print(f"| {block} | {seed} | {figures} |", flush=True)


if __name__ == "__main__":
    main()
