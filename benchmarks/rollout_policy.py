"""How fast play-outs of a rollout policy are beside uniform ones, in processor time on one core, taking turns.

    python benchmarks/rollout_policy.py [ROLLOUT_FILE]    # RUN/stages/rollout.safetensors; without one, random weights

Go 9x9 from the empty board. Each figure is the median of the rounds.
"""

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import tengen
from tengen._core import RolloutLearner, RolloutPolicy
from tengen.network.rollout_file import load_rollout

ROUNDS = 9
GAMES = 500  # of the policy in a round; uniform ones are ten times as many


def random_policy(game: tengen.Game) -> RolloutPolicy:
    shape = RolloutLearner(game, True).weights().shape
    weights = np.random.default_rng(1).uniform(-0.5, 0.5, shape).astype(np.float32)
    return RolloutPolicy(game, weights, share_players=True)


def playouts_a_second(play: Callable[[int, int], object], games: int, seed: int) -> float:
    began = time.process_time()
    play(games, seed)
    return games / (time.process_time() - began)


def main() -> None:
    game = tengen.load("go", size=9)
    policy = load_rollout(Path(sys.argv[1]), game) if sys.argv[1:] else random_policy(game)
    uniform, patterns = [], []
    for seed in range(ROUNDS):
        uniform.append(playouts_a_second(game.random_playouts, 10 * GAMES, seed))
        patterns.append(playouts_a_second(policy.playouts, GAMES, seed))
    first, second = statistics.median(uniform), statistics.median(patterns)
    print(f"uniform {first:,.0f}/s, by patterns {second:,.0f}/s: 1 to {first / second:.1f}")


if __name__ == "__main__":
    main()
