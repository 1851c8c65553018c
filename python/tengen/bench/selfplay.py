"""How fast self-play is, where its time goes, and how it stands beside two others with a network of the same shape.

The others are mctx's Gumbel search on pgx's games (JAX), and examples/alphazero.py, a search in Python that asks torch
about one leaf at a time. All make 32 simulations a move with 4 blocks of 64 channels. A simulation is one descent that
ends in an evaluation or a known result. The sides take turns, and a ratio is the median of the rounds: what else runs
on the machine hits both. Ours plays as `experiments/` has it for the game; a second figure tells what its cache saves.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

import numpy as np

from tengen._core import Game
from tengen.base.bundled import bundled_folder
from tengen.bench.games import Work, rates
from tengen.bench.peers import Peer, Turn, cores, has_peers, mctx_pgx, one_leaf
from tengen.config import NetworkConfig, RunConfig, SelfPlayConfig, load_config
from tengen.games import load
from tengen.learner import Learner
from tengen.network import UniformEvaluator
from tengen.network.checkpoint import NetworkFile
from tengen.network.evaluator import NetworkEvaluator, Planes, make_evaluator
from tengen.network.on_openvino import fast_precisions
from tengen.network.positions import random_positions
from tengen.replay import ReplayWindow
from tengen.report import SelfPlayReport
from tengen.selfplay import GamesInFlight, play_games

__all__ = ["KEYS", "Rival", "SelfPlaySpeed", "measure", "measured_rival"]

KEYS = ("connect_four", "go_9x9")  # as our experiments and pgx call them
SIMULATIONS = 32  # per move, of every side
GAMES_PER_THREAD = 128
LEAST_MOVES = 8  # of ours in a turn, per game: the searches under way at its end are lost, half of one on average
PGX_BATCHES = (64, 128, 256)  # that mctx may choose from; larger ones are slower
BATCH = 64  # at which the network's precisions are compared
LEARNER_STEPS = 6
LEARNER_POSITIONS = 2_000


@dataclass(frozen=True)
class Rival:
    """Another program's speed beside ours."""

    setting: str  # the fastest of those that were tried
    simulations_per_second: float
    ratio: float  # how many times as fast we are, by the clock; median of the rounds
    processor_ratio: float  # the same per second of processor time: a rival's idle cores don't count


@dataclass(frozen=True)
class SelfPlaySpeed:
    """Self-play of one game on all cores. Shares are of the threads' time by the clock."""

    key: str
    evaluator: str
    threads: int
    simulations_per_second: float
    evaluations_per_second: float  # positions that the network was asked about; proven and cached ones need none
    without_cache: float  # simulations per second
    evaluator_share: float
    tree_share: float  # selecting leaves, writing their planes, updating the trees
    move_share: float  # playing moves, recording, beginning games
    sampling_share: float  # of the learner's time that goes into making its batches
    networks: dict[str, float]  # positions per second of one thread in batches of 64, by what computes them
    mctx_pgx: Rival | None  # one program on all cores; None where it is not installed
    mctx_pgx_process_per_core: Rival | None  # as many programs as cores, if there is more than one
    one_leaf: Rival

    @property
    def fastest_network(self) -> float:
        """How many times as fast as torch in f32 the fastest precision is."""
        return max(self.networks.values()) / self.networks["torch f32"]


def measure(keys: Sequence[str], slices: int, seconds: float) -> Iterator[SelfPlaySpeed]:
    """One game after the other; each side gets `slices` turns of about `seconds`, at least a few moves."""
    for key in keys:
        yield _measure(key, slices, seconds)


def _measure(key: str, slices: int, seconds: float) -> SelfPlaySpeed:
    config = _config(key)
    game = load(config.game, **config.options)
    learner = Learner(game, config.network, config.learner, seed=1, discount=1.0)
    network = learner.network_file()
    evaluator = make_evaluator(network, backend="openvino", precision=config.self_play.precision)
    ours = _Ours(config, evaluator)
    uncached = _Ours(_without_cache(config), evaluator)
    with ExitStack() as stack:
        rivals = {name: _Contender(stack, settings, seconds) for name, settings in _rivals(key, config).items()}
        for side in (ours, uncached):
            side.warm_up(seconds)
        rounds: list[dict[str, Turn]] = []
        for _ in range(slices):
            turns = {"ours": ours.turn(), "uncached": uncached.turn()}
            rounds.append(turns | {name: rival.turn() for name, rival in rivals.items()})
    found = {name: measured_rival(rival.setting, name, rounds) for name, rival in rivals.items()}
    thread_seconds = sum(report.seconds * report.threads for report in ours.reports)
    evaluator_share = sum(report.evaluator_seconds for report in ours.reports) / thread_seconds
    tree_share = sum(report.tree_seconds for report in ours.reports) / thread_seconds
    return SelfPlaySpeed(
        key=key,
        evaluator=evaluator.description,
        threads=ours.threads,
        simulations_per_second=statistics.median(turns["ours"].rate for turns in rounds),
        evaluations_per_second=statistics.median(report.evaluations / report.seconds for report in ours.reports),
        without_cache=statistics.median(turns["uncached"].rate for turns in rounds),
        evaluator_share=evaluator_share,
        tree_share=tree_share,
        move_share=1.0 - evaluator_share - tree_share,
        sampling_share=_sampling_share(learner, _filled_window(game, config)),
        networks=_network_speeds(network, slices, min(seconds, 0.5)),
        mctx_pgx=found.get("mctx_pgx"),
        mctx_pgx_process_per_core=found.get("mctx_pgx_process_per_core"),
        one_leaf=found["one_leaf"],
    )


def _config(key: str) -> RunConfig:
    """The experiment of that game, but with the network and the simulations that all sides have."""
    config = load_config(bundled_folder("experiments") / f"{key}.toml")
    same = {"simulations": SIMULATIONS, "games_per_unit": GAMES_PER_THREAD}
    play = config.self_play.model_copy(update=same)
    return config.model_copy(update={"network": NetworkConfig(), "self_play": play})


def _without_cache(config: RunConfig) -> RunConfig:
    play = config.self_play
    return config.model_copy(
        update={"self_play": play.model_copy(update={"search": {**play.search, "cache_entries": 0}})}
    )


class _Ours:
    """Our self-play, turn by turn. The cache starts empty in every turn, as in every iteration of a run."""

    def __init__(self, config: RunConfig, evaluator: NetworkEvaluator) -> None:
        self._game = load(config.game, **config.options)
        self._config = config.self_play
        self.threads = config.self_play.threads or os.cpu_count() or 1
        self._evaluators = [evaluator.clone() for _ in range(self.threads)]
        self._in_flight: tuple[GamesInFlight, ...] = ()
        self._moves = LEAST_MOVES  # in a turn, per game in flight
        self.reports: list[SelfPlayReport] = []

    def warm_up(self, seconds: float) -> None:
        """Compiles the network, spreads the games over their course, and finds out how much takes so long."""
        self.turn()
        self._moves = max(LEAST_MOVES, round(LEAST_MOVES * seconds / self.turn().seconds))
        self.reports.clear()

    def turn(self) -> Turn:
        positions = self._moves * self._config.games_per_unit * self.threads
        used = time.process_time()
        config: SelfPlayConfig = self._config.model_copy(update={"positions": positions})
        played = play_games(
            self._game, self._evaluators, config, seed=1, iteration=len(self.reports), in_flight=self._in_flight
        )
        self._in_flight = played.in_flight
        self.reports.append(played.report)
        return Turn(played.report.simulations, played.report.seconds, time.process_time() - used)


class _Contender:
    """The fastest of a rival's settings, kept running until the stack is left."""

    def __init__(self, stack: ExitStack, settings: Sequence[Sequence[list[str]]], seconds: float) -> None:
        best: tuple[Peer, Turn] | None = None
        for commands in settings:
            peer = Peer(commands)
            try:
                turn = max((peer.turn(1) for _ in range(2)), key=lambda turn: turn.rate)
            except BaseException:
                peer.close()
                raise
            if best is not None and best[1].rate >= turn.rate:
                peer.close()
                continue
            if best is not None:
                best[0].close()
            best = (peer, turn)
        assert best is not None
        self._peer = stack.enter_context(best[0])
        self.setting = self._peer.setting
        self._moves = max(1, round(seconds / best[1].seconds))

    def turn(self) -> Turn:
        return self._peer.turn(self._moves)


def _rivals(key: str, config: RunConfig) -> dict[str, list[list[list[str]]]]:
    """For every rival its settings; for every setting the commands of its processes."""
    rivals = {"one_leaf": [[one_leaf(config.game, config.options, SIMULATIONS)]]}
    if has_peers():
        rivals["mctx_pgx"] = [[mctx_pgx(key, SIMULATIONS, batch)] for batch in PGX_BATCHES]
        if len(cores()) > 1:
            rivals["mctx_pgx_process_per_core"] = [
                [mctx_pgx(key, SIMULATIONS, PGX_BATCHES[0], core) for core in cores()]
            ]
    return rivals


def measured_rival(setting: str, name: str, rounds: Sequence[dict[str, Turn]]) -> Rival:
    """What the turns of "ours" and of the rival `name` say."""

    def median(figure: Callable[[dict[str, Turn]], float]) -> float:
        return statistics.median(map(figure, rounds))

    return Rival(
        setting=setting,
        simulations_per_second=median(lambda turns: turns[name].rate),
        ratio=median(lambda turns: turns["ours"].rate / turns[name].rate),
        processor_ratio=median(lambda turns: turns["ours"].processor_rate / turns[name].processor_rate),
    )


def _network_speeds(network: NetworkFile, slices: int, seconds: float) -> dict[str, float]:
    """Positions per second of one thread, by what computes them."""
    planes = random_positions(network, BATCH)
    sides = {"torch f32": _asking(make_evaluator(network, backend="torch", precision="f32", device="cpu"), planes)}
    for precision in ("f32", *fast_precisions()):
        evaluator = make_evaluator(network, backend="openvino", precision=precision)  # type: ignore[arg-type]
        sides[f"openvino {precision}"] = _asking(evaluator, planes)
    return {side: BATCH * rate for side, rate in rates(sides, slices, seconds).items()}


def _asking(evaluator: NetworkEvaluator, planes: Planes) -> Work:
    def work(batches: int, seed: int) -> None:
        for _ in range(batches):
            evaluator(planes)

    return work


def _filled_window(game: Game, config: RunConfig) -> ReplayWindow:
    """Whole games to learn from. Quick ones, by nearly random moves: a sample of them costs what any other does."""
    window = ReplayWindow(game, config.replay)
    quick = {"simulations": 2, "games_per_unit": 16, "positions": 512}
    play = config.self_play.model_copy(update=quick)
    in_flight: tuple[GamesInFlight, ...] = ()
    while window.positions < LEARNER_POSITIONS:
        played = play_games(game, [UniformEvaluator(game)], play, seed=1, iteration=0, in_flight=in_flight)
        in_flight = played.in_flight
        for record in played.records:
            window.add(record)
    return window


def _sampling_share(learner: Learner, window: ReplayWindow) -> float:
    """Of the learner's time, what it waits for its batches."""
    rng = np.random.default_rng(1)
    for steps in (1, LEARNER_STEPS):  # the first warms up
        report = learner.learn(window, steps, rng, progress=(0.0, 1.0))
    return report.sampling_seconds / report.seconds
