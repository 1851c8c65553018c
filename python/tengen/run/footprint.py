"""How much memory a run may take: worked out from its config before anything is made, stated, and kept to.

Upper bounds, part by part. The factors are ours, from the largest resident size of runs of six configs (4x64 to 2x512
channels, boards from 3x3 to 19x19, batches from 128 to 1024, on two threads), of which every part stays above what it
took. The allocator keeps what one stage leaves, so the parts of all stages add up.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce

from tengen._core import Game
from tengen.arena import CHALLENGE_ROUND
from tengen.base.memory import MemoryLimitError, gigabytes, memory_in_use, memory_there
from tengen.config import ArenaConfig, RunConfig
from tengen.network.architecture import describe
from tengen.network.layers import pieces
from tengen.network.tables import count_weights, describe_tables
from tengen.replay import ReplayWindow

__all__ = ["check_memory", "check_trees", "count_parameters", "most_more_memory", "threads_of", "tree_bytes"]

LIBRARIES = 200 << 20  # OpenVINO and what torch loads for its first step
COMPILED_SHAPES = 6  # batch sizes that an evaluator compiles the network for
LARGEST_BATCH = 128  # of an evaluator
KEPT_BUFFERS = 4  # of a layer's size that an evaluator works with
NODE_BYTES, EDGE_BYTES = 64, 10  # of a search tree; its arrays grow by doubling
MOST_REMEMBERED = 256  # legal actions of a state whose evaluation is remembered
EXACT_BYTES, MOST_EXACT_ENTRIES = 24, 1 << 22  # of the table of an exact search: search/exact.h
TABLES_BYTES = 12  # of a weight that learns, with its two sums
STATE_COPIES = 3  # of weights, average and moments while a checkpoint is written
RECORD_BYTES = 2000  # of an unfinished game, besides what its plies take
# What a step keeps of every channel for the way back: the outputs of convolution, normalisation, ReLU, and some more.
STEP_BYTES = 16  # in f32; bf16, which not every processor has, takes two thirds
WINDOW = "the replay window"
POSITION_BYTES = 24  # that each position of the window takes at least
SHARE = 0.2  # of the whole: parts that are larger are named in a refusal


@dataclass(frozen=True)
class Part:
    """What one part of a run may take, and the settings that it grows with."""

    what: str
    bytes: int
    settings: tuple[str, ...]


def threads_of(config: RunConfig) -> int:
    """Threads of self-play."""
    return config.self_play.threads or os.cpu_count() or 1


def count_parameters(game: Game, config: RunConfig) -> int:
    """Of the network that a config asks for, once it has grown, without making it. 0 for a module of one's own, which
    only it knows."""
    if config.network.kind == "ntuple":
        return count_weights(game, describe_tables(game, config.tables, config.seed))
    architecture = describe(game.spec, config.network.sizes[-1])
    if architecture.module is not None:
        return 0
    found = pieces(architecture, game.spec.planes_shape)
    return sum(math.prod(shape) for piece in found for shape in piece.shapes.values())


def most_more_memory(game: Game, config: RunConfig, *, parameters: int, threads: int) -> int:
    """The bytes that a run may take on top of what it has when its learner is made, but no game is played."""
    return sum(part.bytes for part in _parts(game, config, parameters, threads))


def check_memory(game: Game, config: RunConfig, *, parameters: int, threads: int, given: int | None = None) -> str:
    """Refuses a run that can't keep to the memory there is; warns of one whose window may not fit when it is full.

    With a limit that was `given` the window counts too: whoever gives one wants it kept.
    """
    there = memory_there(given)
    used = memory_in_use()
    parts = sorted(_parts(game, config, parameters, threads), key=lambda part: -part.bytes)
    whole = used + sum(part.bytes for part in parts)
    window = next(part.bytes for part in parts if part.what == WINDOW)
    least = whole - window + _least_window(config)
    if least > there.bytes or (given is not None and whole > there.bytes):
        raise MemoryLimitError(
            f"The run may take up to {gigabytes(whole)}, and {there}. {_blame(config, parts, whole)}"
            f"{_smaller_window(config, there.bytes - whole + window, window)}"
        )
    if whole <= there.bytes:
        return ""
    return (
        f"The run may take up to {gigabytes(whole)}, {gigabytes(window)} of that for a full replay window, and "
        f"{there}. If its memory does not suffice, lower replay.window_most."
    )


def check_trees(game: Game, trees: int, simulations: int, given: int | None = None) -> None:
    """Refuses searches side by side whose trees can't all be kept."""
    there = memory_there(given)
    whole = memory_in_use() + trees * tree_bytes(game, simulations)
    if whole > there.bytes:
        raise MemoryLimitError(
            f"{trees} searches of {simulations} simulations side by side may take up to {gigabytes(whole)}, and "
            f"{there}. Give fewer simulations."
        )


def tree_bytes(game: Game, simulations: int) -> int:
    """The most that a tree takes after so many simulations."""
    return 2 * (simulations + 1) * (NODE_BYTES + EDGE_BYTES * game.spec.most_legal)


def _least_window(config: RunConfig) -> int:
    """What the window takes in any case once it is full, or holds all positions of the run."""
    positions = config.iterations * config.self_play.positions * config.self_play.full_share
    return int(POSITION_BYTES * min(config.replay.window_most, positions))


def _exact_bytes(positions: int) -> int:
    """Of the table of an exact search that may look at so many positions."""
    return EXACT_BYTES * min(1 << (positions - 1).bit_length(), MOST_EXACT_ENTRIES)


def _parts(game: Game, config: RunConfig, parameters: int, threads: int) -> Iterator[Part]:
    play, network, learner, arena = config.self_play, config.network, config.learner, config.arena
    cells = game.spec.height * game.spec.width
    size = ("network.channels", "network.blocks")
    yield Part("libraries", LIBRARIES, ())
    yield Part(WINDOW, ReplayWindow.most_bytes(game, config.replay), ("replay.window_most",))
    matches = ("arena.games", "arena.opponents", "arena.simulations", "arena.anchors")
    yield Part("the trees of matches", _arena_trees(game, arena), matches)
    if network.kind == "ntuple":
        tables = ("tables.tuples", "tables.tuple_cells", "tables.stages")
        yield Part("tables that play", (1 + _players(arena)) * 2 * 4 * parameters, tables)
        yield Part("a checkpoint", STATE_COPIES * TABLES_BYTES * parameters, tables)
        return

    # The network in every shape it is compiled for, and the buffers of the largest.
    evaluator = COMPILED_SHAPES * 4 * parameters + KEPT_BUFFERS * 4 * LARGEST_BATCH * network.channels * cells
    evaluators = threads * (1 + _players(arena)) * evaluator
    yield Part("evaluators", evaluators, ("self_play.threads", "arena.opponents", *size))

    planes = 4 * play.games_per_unit * game.spec.num_planes * cells * 4
    simulations = max(play.most_simulations, config.tables.teach_simulations if config.tables.teach_share else 0)
    trees = play.games_per_unit * tree_bytes(game, simulations)
    searched = ("self_play.threads", "self_play.games_per_unit", "self_play.simulations", "self_play.final_simulations")
    yield Part("the trees of self-play", threads * (trees + planes), searched)
    remembered = play.search_params.cache_entries * (12 + 4 * min(game.spec.most_legal, MOST_REMEMBERED))
    yield Part("remembered evaluations", threads * remembered, ("self_play.threads", "self_play.search.cache_entries"))
    if play.exact_nodes:
        exact = threads * _exact_bytes(play.exact_nodes)
        yield Part("exact results", exact, ("self_play.exact_nodes", "self_play.threads"))
    if in_tree := max(play.search_params.exact_leaf_nodes, play.search_params.exact_root_nodes):
        names = ("self_play.search.exact_leaf_nodes", "self_play.search.exact_root_nodes", "self_play.threads")
        yield Part("exact results of searches", threads * _exact_bytes(in_tree), names)
    ply = 16 + 4 * min(game.spec.most_legal, play.most_simulations)
    in_flight = (play.units or threads) * play.games_per_unit * (RECORD_BYTES + ply * game.spec.longest_game)
    yield Part("games in flight", in_flight, ("self_play.units", "self_play.games_per_unit"))

    if config.tables.teach_share:
        weights = count_weights(game, describe_tables(game, config.tables, config.seed))
        yield Part(
            "the tables that teach", STATE_COPIES * TABLES_BYTES * weights, ("tables.tuples", "tables.tuple_cells")
        )

    # Moments, gradients and copies of the weights in bf16 per replica, and what a step keeps for the way back.
    replicas = learner.threads or os.cpu_count() or 1
    yield Part("copies of the network", parameters * (8 + 6 * replicas), ("learner.threads", *size))
    channels = network.channels * (2 * network.blocks + 1) + 2 * network.policy_channels + network.value_channels
    yield Part("a step of the learner", STEP_BYTES * channels * cells * learner.batch, ("learner.batch", *size))
    yield Part("a checkpoint", STATE_COPIES * 16 * parameters, size)


def _blame(config: RunConfig, parts: list[Part], whole: int) -> str:
    """The largest parts with the settings that they grow with: at least one, and all that are a large share."""
    large = [part for index, part in enumerate(parts) if index == 0 or part.bytes > SHARE * whole]
    return "; ".join(_blamed(config, part) for part in large) + "."


def _blamed(config: RunConfig, part: Part) -> str:
    values = ((name, _value(config, name)) for name in part.settings)
    settings = ", ".join(f"{name} = {value}" for name, value in values if value not in (0, None))
    return f"{gigabytes(part.bytes)} for {part.what}" + (f" ({settings})" if settings else "")


def _smaller_window(config: RunConfig, left: int, window: int) -> str:
    """The window that would fit, if that alone is enough."""
    fitting = int(left / window * config.replay.window_most)
    if fitting < config.replay.window_start or fitting >= config.replay.window_most:
        return ""
    return f" With replay.window_most = {fitting // 1000 * 1000} it would fit."


def _value(config: RunConfig, name: str) -> object:
    content: object = config.model_dump(mode="json")
    return reduce(lambda table, part: table.get(part) if isinstance(table, dict) else None, name.split("."), content)


def _players(arena: ArenaConfig) -> int:
    """Networks that meet in the arena, besides the one that plays."""
    measuring = 1 + arena.opponents if arena.every else 0
    return max(measuring, 2 if arena.gating else 0)


def _arena_trees(game: Game, arena: ArenaConfig) -> int:
    """All games of all matches side by side; at first an anchor also meets the two next to it."""
    trees = CHALLENGE_ROUND * tree_bytes(game, arena.simulations) if arena.gating else 0
    if arena.every:
        anchors = (int(anchor.rpartition(":")[2]) for anchor in arena.anchors if anchor.rpartition(":")[2].isdecimal())
        rollouts = 3 * tree_bytes(game, max(anchors, default=0))
        trees = max(trees, arena.games * max(rollouts, arena.opponents * tree_bytes(game, arena.simulations)))
    return trees
