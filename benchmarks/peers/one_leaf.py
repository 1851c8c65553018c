"""Drives examples/alphazero.py as a peer of `tengen bench selfplay`: its search, on one game, so one leaf at a time.

It is controlled through pipes, like mctx_pgx.py: every line on stdin is a number of moves to make; the answer is a line
of JSON. Connect Four has the example's own rules in Python, every other game tengen's.
"""

import argparse
import json
import os
import sys
import time
from pathlib import Path

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))
import alphazero

BLOCKS, CHANNELS = 4, 64  # of the network, as all sides have it
TRIALS = 20  # evaluations that decide how many threads torch gets


def move(game, network, state, simulations, rng):
    """Searches, and plays a move with a probability proportional to its visits; at the end a new game begins."""
    root = alphazero.Node(game, state)
    alphazero.search(game, network, [root], simulations)
    after = game.play(state, alphazero.choose(root, 1.0, rng))
    return game.start() if game.result(after) is not None else after


def choose_threads(game, network):
    """One thread or one per core, whichever is faster."""
    seconds = {}
    planes = [game.planes(game.start())]
    for threads in sorted({1, os.cpu_count() or 1}):
        torch.set_num_threads(threads)
        alphazero.evaluate(network, planes)
        started = time.perf_counter()
        for _ in range(TRIALS):
            alphazero.evaluate(network, planes)
        seconds[threads] = time.perf_counter() - started
    best = min(seconds, key=seconds.get)
    torch.set_num_threads(best)
    return best


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("game", help="as in connect_four or go:size=9")
    parser.add_argument("--simulations", type=int, required=True)
    arguments = parser.parse_args()
    own = alphazero.GAMES.get(arguments.game)
    game = own or alphazero.TengenGame(arguments.game)
    torch.manual_seed(1)
    network = alphazero.Network(game, BLOCKS, CHANNELS)
    rng = np.random.default_rng(0)
    threads = choose_threads(game, network)
    state = move(game, network, game.start(), arguments.simulations, rng)
    rules = "its own rules" if own else "tengen's rules"
    setting = f"torch {torch.__version__} in {threads} thread{'s' * (threads > 1)}, {rules}"
    print(json.dumps({"ready": setting}), flush=True)
    for line in sys.stdin:
        moves = int(line)
        started, used = time.perf_counter(), time.process_time()
        for _ in range(moves):
            state = move(game, network, state, arguments.simulations, rng)
        answer = {
            "simulations": moves * arguments.simulations,
            "seconds": time.perf_counter() - started,
            "processor_seconds": time.process_time() - used,
        }
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
