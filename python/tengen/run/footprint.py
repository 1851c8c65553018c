"""How much memory a run may take: worked out from its config, stated at the start, and kept to.

Upper bounds, part by part. The factors are ours, from the largest resident size of runs of six configs (4x64 to 2x512
channels, boards from 3x3 to 19x19, batches from 128 to 1024, on two threads), of which every part stays above what it
took. The allocator keeps what one stage leaves, so the parts of all stages add up.
"""

from __future__ import annotations

import os
import re
import resource
import sys
from contextlib import suppress
from pathlib import Path

from tengen._core import Game
from tengen.arena import CHALLENGE_ROUND
from tengen.config import ArenaConfig, ConfigError, NetworkConfig, RunConfig
from tengen.replay import ReplayWindow

__all__ = ["check_memory", "memory_in_use", "most_more_memory"]

LIBRARIES = 200 << 20  # OpenVINO and what torch loads for its first step
COMPILED_SHAPES = 6  # batch sizes that an evaluator compiles the network for
LARGEST_BATCH = 128  # of an evaluator
KEPT_BUFFERS = 4  # of a layer's size that an evaluator works with
NODE_BYTES, EDGE_BYTES = 64, 10  # of a search tree; its arrays grow by doubling
MOST_REMEMBERED = 256  # legal actions of a state whose evaluation is remembered
STATE_COPIES = 3  # of weights, average and moments while a checkpoint is written
# What a step keeps of every channel for the way back: the outputs of convolution, normalisation, ReLU, and some more.
STEP_BYTES = 16  # in f32; bf16, which not every processor has, takes two thirds


def memory_in_use() -> int:
    """The most that this process has used so far, in bytes."""
    with suppress(OSError):  # Linux; there getrusage still counts what the process was that started this one
        found = re.search(r"VmHWM:\s*(\d+) kB", Path("/proc/self/status").read_text())
        if found is not None:
            return int(found[1]) * 1024
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


def most_more_memory(game: Game, config: RunConfig, *, parameters: int, threads: int) -> int:
    """The bytes that a run may take on top of what it has when its learner is made, but no game is played."""
    return (
        LIBRARIES
        + ReplayWindow.most_bytes(game, config.replay)
        + threads * (1 + _players(config.arena)) * _evaluator(game, config.network, parameters)
        + threads * _forest(game, config)
        + _arena_trees(game, config.arena)
        + _learner(game, config, parameters)
        + STATE_COPIES * 16 * parameters
    )


def check_memory(game: Game, config: RunConfig, *, parameters: int, threads: int) -> str:
    """Refuses a run that can't even begin on this machine; warns of one whose window may not fit when it is full."""
    has = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    window = ReplayWindow.most_bytes(game, config.replay)
    whole = memory_in_use() + most_more_memory(game, config, parameters=parameters, threads=threads)
    if whole - window > has:
        raise ConfigError(
            f"The run needs up to {(whole - window) / 1e9:.1f} GB besides its replay window, and this machine has "
            f"{has / 1e9:.1f} GB. Lower learner.batch, network.channels, self_play.games_per_unit or the simulations."
        )
    if whole <= has:
        return ""
    return (
        f"The run may take up to {whole / 1e9:.1f} GB, {window / 1e9:.1f} GB of that for a full replay window, and "
        f"this machine has {has / 1e9:.1f} GB. If its memory does not suffice, lower replay.window_most."
    )


def _evaluator(game: Game, network: NetworkConfig, parameters: int) -> int:
    """The network in every shape it is compiled for, and the buffers of the largest."""
    return COMPILED_SHAPES * 4 * parameters + KEPT_BUFFERS * 4 * LARGEST_BATCH * network.channels * _cells(game)


def _forest(game: Game, config: RunConfig) -> int:
    """The trees of one thread, and the evaluations that it remembers."""
    play = config.self_play
    remembered = play.search_params.cache_entries * (12 + 4 * min(game.spec.most_legal, MOST_REMEMBERED))
    planes = play.games_per_unit * game.spec.num_planes * _cells(game) * 4
    return play.games_per_unit * _tree(game, play.most_simulations) + remembered + 4 * planes


def _players(arena: ArenaConfig) -> int:
    """Networks that meet in the arena, besides the one that plays."""
    measuring = 1 + arena.opponents if arena.every else 0
    return max(measuring, 2 if arena.gating else 0)


def _arena_trees(game: Game, arena: ArenaConfig) -> int:
    """All games of all matches side by side; at first an anchor also meets the two next to it."""
    trees = CHALLENGE_ROUND * _tree(game, arena.simulations) if arena.gating else 0
    if arena.every:
        anchors = (int(anchor.rpartition(":")[2]) for anchor in arena.anchors if anchor.rpartition(":")[2].isdecimal())
        rollouts = 3 * _tree(game, max(anchors, default=0))
        trees = max(trees, arena.games * max(rollouts, arena.opponents * _tree(game, arena.simulations)))
    return trees


def _tree(game: Game, simulations: int) -> int:
    return 2 * (simulations + 1) * (NODE_BYTES + EDGE_BYTES * game.spec.most_legal)


def _learner(game: Game, config: RunConfig, parameters: int) -> int:
    """Moments, gradients and copies of the weights in bf16 per replica, and what a step keeps for the way back."""
    network, learner = config.network, config.learner
    channels = network.channels * (2 * network.blocks + 1) + 2 * network.policy_channels + network.value_channels
    replicas = learner.threads or os.cpu_count() or 1
    return parameters * (8 + 6 * replicas) + STEP_BYTES * channels * _cells(game) * learner.batch


def _cells(game: Game) -> int:
    return game.spec.height * game.spec.width
