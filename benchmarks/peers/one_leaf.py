"""Self-play as in many hobby projects: rules in Python, a tree of Python objects, PUCT, and torch that evaluates one
leaf at a time.

`tengen bench selfplay` compares it with ours and controls it through pipes, like mctx_pgx.py: every line on stdin is a
number of moves to make; the answer is a line of JSON. It uses our network. With `--rules ours` it also uses our C++
rules, so that only the search is compared.
"""

import argparse
import json
import math
import os
import sys
import time

import numpy as np
import torch
from python_rules import start_state

import tengen
from tengen.config import NetworkConfig
from tengen.network.torch_net import TorchNet

C_PUCT = 1.25
TRIALS = 20  # evaluations that decide how many threads torch gets


class Node:
    """A position and what the search knows of it. Values are for the player to move."""

    def __init__(self, state, prior):
        self.state = state
        self.prior = prior
        self.visits = 0
        self.value_sum = 0.0
        self.children = {}

    @property
    def value(self):
        return self.value_sum / self.visits if self.visits else 0.0


@torch.inference_mode()
def evaluate(network, state):
    """Priors of the legal actions and the value for the player to move."""
    logits, wdl_logits = network.play(torch.from_numpy(state.planes()[None]))
    wdl = wdl_logits[0].softmax(0)
    legal = state.legal_actions
    priors = logits[0, torch.tensor(legal)].softmax(0)
    return dict(zip(legal, priors.tolist(), strict=True)), float(wdl[0] - wdl[2])


def score(parent, child):
    return -child.value + C_PUCT * child.prior * math.sqrt(parent.visits) / (1 + child.visits)


def simulate(root, network):
    """One simulation: a descent to a leaf, which is evaluated, or to the end of the game."""
    node, path = root, [root]
    while node.children:
        action, child = max(node.children.items(), key=lambda entry: score(node, entry[1]))
        if child.state is None:
            child.state = node.state.play(action)
        node = child
        path.append(node)
    if node.state.outcome is not None:
        value = node.state.outcome.value_for(node.state.to_move)
    else:
        priors, value = evaluate(network, node.state)
        node.children = {action: Node(None, prior) for action, prior in priors.items()}
    for visited in reversed(path):
        visited.visits += 1
        visited.value_sum += value
        value = -value


def move(state, network, simulations, rng):
    """Searches, and plays a move with a probability proportional to its visits."""
    root = Node(state, 1.0)
    for _ in range(1 + simulations):  # the first is the evaluation of the root
        simulate(root, network)
    visits = np.array([child.visits for child in root.children.values()], float)
    return state.play(int(rng.choice(list(root.children), p=visits / visits.sum())))


def choose_threads(network, state):
    """One thread or one per core, whichever is faster."""
    seconds = {}
    for threads in sorted({1, os.cpu_count() or 1}):
        torch.set_num_threads(threads)
        evaluate(network, state)
        started = time.perf_counter()
        for _ in range(TRIALS):
            evaluate(network, state)
        seconds[threads] = time.perf_counter() - started
    best = min(seconds, key=seconds.get)
    torch.set_num_threads(best)
    return best


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("game")
    parser.add_argument("--options", type=json.loads, default={})
    parser.add_argument("--simulations", type=int, required=True)
    parser.add_argument("--rules", choices=["python", "ours"], default="python")
    arguments = parser.parse_args()
    game = tengen.load(arguments.game, **arguments.options)  # here for the shape of the network
    network = TorchNet(game.spec, NetworkConfig(), seed=1).eval()
    rng = np.random.default_rng(0)
    ours = arguments.rules == "ours"
    start = game.initial_state() if ours else start_state(arguments.game, arguments.options)
    threads = choose_threads(network, start)
    state = move(start, network, arguments.simulations, rng)
    setting = f"torch {torch.__version__} in {threads} thread{'s' * (threads > 1)}, {'C++' if ours else 'Python'} rules"
    print(json.dumps({"ready": setting}), flush=True)
    for line in sys.stdin:
        moves = int(line)
        started, used = time.perf_counter(), time.process_time()
        for _ in range(moves):
            state = move(state, network, arguments.simulations, rng)
            if state.outcome is not None:
                state = start
        answer = {
            "simulations": moves * arguments.simulations,
            "seconds": time.perf_counter() - started,
            "processor_seconds": time.process_time() - used,
        }
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
