"""What this machine makes of a config: speeds measured in seconds, and from them how long a run will take."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tengen import _core, games
from tengen._core import Game, TengenError
from tengen.base.memory import memory_in_use
from tengen.config import RunConfig, SelfPlayConfig
from tengen.learner import Learner
from tengen.network import UniformEvaluator
from tengen.network.checkpoint import NetworkFile
from tengen.network.evaluator import Backend, NetworkEvaluator, Planes, Precision, make_evaluator
from tengen.network.on_torch import device_name, find_gpu
from tengen.network.positions import random_states
from tengen.records import GameRecord
from tengen.replay import ReplayWindow
from tengen.run.footprint import check_memory, count_parameters, most_more_memory, threads_of
from tengen.selfplay import GamesInFlight, play_games

__all__ = ["Checkup", "EvaluatorSpeed", "Forecast", "Machine", "check_up"]

BATCHES = (1, 16, 64, 128)
EVALUATIONS = 30_000  # that the trial of self-play costs, about
FINISHED_GAMES = 16  # that tell how long a game is, and that the learner is tried on


@dataclass(frozen=True)
class Machine:
    processor: str
    cores: int  # that this process may use
    core_build: str  # of tengen's own C++
    gpu: str | None
    memory: int  # bytes
    memory_free: int
    load: float  # programs that wanted a core in the last minute
    share_of_core: float  # that this process got while it computed


@dataclass(frozen=True)
class EvaluatorSpeed:
    backend: str
    precision: str
    positions_per_second: dict[int, float]  # by batch size, on one thread


@dataclass(frozen=True)
class Forecast:
    """Of the whole run."""

    minutes: float
    games: float
    positions: int
    iterations: int
    playing: float  # share of the time
    learning: float
    matches: float  # measuring and gating
    memory: int  # bytes it stays under


@dataclass(frozen=True)
class Checkup:
    machine: Machine
    threads: int
    learner_threads: int
    learner_device: str
    evaluators: tuple[EvaluatorSpeed, ...]
    positions_per_second: float  # searched in self-play
    evaluations_per_second: float
    samples_per_second: float  # learned
    game_length: float  # plies of games between beginners
    forecast: Forecast
    warnings: tuple[str, ...]


def check_up(
    config: RunConfig, minutes: float | None = None, on_stage: Callable[[str], None] = lambda name: None
) -> Checkup:
    """Measures everything, in half a minute or so. `minutes` is how long the run may take, if it goes by them."""
    game = games.load(config.game, **config.options)
    on_stage("machine")
    machine = _machine()
    threads = threads_of(config)
    check_memory(game, config, parameters=count_parameters(game, config), threads=threads)
    learner_threads = config.learner.threads or os.cpu_count() or 1
    learner = Learner(
        game,
        config.network,
        config.learner,
        seed=config.seed,
        discount=float(config.self_play.search.get("discount", 1.0)),
    )
    network = learner.network_file()
    memory = memory_in_use() + most_more_memory(game, config, parameters=learner.num_parameters, threads=threads)
    on_stage("evaluators")
    evaluators = _evaluator_speeds(game, network, machine.gpu)
    on_stage("self-play")
    positions, evaluations = _self_play_speed(game, network, config.self_play, threads, learner.device)
    on_stage("learner")
    records, length = _beginners_games(game)
    samples = _learner_speed(game, config, learner, records)
    forecast = _forecast(
        config, minutes, positions=positions, evaluations=evaluations, samples=samples, length=length, memory=memory
    )
    return Checkup(
        machine=machine,
        threads=threads,
        learner_threads=learner_threads,
        learner_device=learner.device,
        evaluators=evaluators,
        positions_per_second=positions,
        evaluations_per_second=evaluations,
        samples_per_second=samples,
        game_length=length,
        forecast=forecast,
        warnings=tuple(find_warnings(machine, max(threads, learner_threads), forecast, learner.device)),
    )


def find_warnings(machine: Machine, threads: int, forecast: Forecast, device: str = "cpu") -> list[str]:
    """What will make a run slower than it should be, or end it."""
    found = []
    if machine.load > 0.5 or machine.share_of_core < 0.9:
        found.append(
            f"The machine is busy: {machine.load:.1f} programs wanted one of its {machine.cores} cores in the last "
            f"minute, and this one got {machine.share_of_core:.0%} of a core while it computed. These figures are too "
            "low; stop what else runs, or give the run fewer threads."
        )
    if threads > machine.cores:
        found.append(
            f"Too many threads: the config asks for {threads}, but there are {machine.cores} cores for this process; "
            "threads that wait for each other can make a run several times slower. Set self_play.threads and "
            f"learner.threads to {machine.cores}."
        )
    if forecast.memory > machine.memory_free:
        found.append(
            f"Too little memory: the run may take {forecast.memory / 1e9:.1f} GB, and "
            f"{machine.memory_free / 1e9:.1f} GB are free. Lower replay.window_most."
        )
    if machine.gpu is not None and device == "cpu":
        found.append(f"There is a GPU ({machine.gpu}), but the config wants the processor (learner.device).")
    if forecast.matches > 0.25:
        found.append(
            f"Measuring and gating would take {forecast.matches:.0%} of the time: raise arena.every, or lower "
            "arena.simulations or arena.gating_games."
        )
    return found


# ---- The machine


def _machine() -> Machine:
    memory = _meminfo()
    gpu = find_gpu()
    return Machine(
        processor=_processor(),
        cores=_cores(),
        core_build=Path(_core.__file__ or "").parent.name,
        gpu=device_name(gpu) if gpu else None,
        memory=memory.get("MemTotal", os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")),
        memory_free=memory.get("MemAvailable", os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")),
        load=os.getloadavg()[0],
        share_of_core=_share_of_core(),
    )


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, "") or platform.processor() or platform.machine()


def _cores() -> int:
    """Cores this process may use: of the machine, of its affinity and of its container's quota."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text().split()
    except (OSError, ValueError):
        return cores
    return cores if quota == "max" else max(1, min(cores, round(int(quota) / int(period))))


def _meminfo() -> dict[str, int]:
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return {}
    return {line.partition(":")[0]: int(line.split()[1]) * 1024 for line in lines}


def _share_of_core() -> float:
    wall, own = time.perf_counter(), time.process_time()
    while time.perf_counter() - wall < 0.3:
        pass
    return min(1.0, (time.process_time() - own) / (time.perf_counter() - wall))


# ---- Speeds


def _evaluator_speeds(game: Game, network: NetworkFile, gpu: str | None) -> tuple[EvaluatorSpeed, ...]:
    kinds: list[tuple[Backend, Precision]] = [
        ("openvino", "int8"),
        ("openvino", "bf16"),
        ("openvino", "f32"),
        ("torch", "f32"),
    ]
    if gpu is not None:
        kinds.append(("torch", "bf16"))
    planes = np.stack([state.planes() for state in random_states(game, max(BATCHES))])
    found = []
    for backend, precision in kinds:
        device = "auto" if backend == "torch" and gpu else "cpu"
        try:
            evaluator = make_evaluator(network, backend=backend, precision=precision, device=device, calibration=planes)
        except (TengenError, ImportError):  # a backend that is not installed, or not for this processor
            continue
        speeds = {batch: _positions_per_second(evaluator, planes[:batch]) for batch in BATCHES}
        found.append(EvaluatorSpeed(backend, precision, speeds))
    return tuple(found)


def _positions_per_second(evaluator: NetworkEvaluator, planes: Planes) -> float:
    """The best of a few short trials: others can only make it slower."""
    evaluator(planes)  # compiles
    best = 0.0
    for _ in range(3):
        started = time.perf_counter()
        calls = 0
        while time.perf_counter() - started < 0.05:
            evaluator(planes)
            calls += 1
        best = max(best, calls * len(planes) / (time.perf_counter() - started))
    return best


def _self_play_speed(
    game: Game, network: NetworkFile, config: SelfPlayConfig, threads: int, device: str
) -> tuple[float, float]:
    """Positions searched, and evaluated, per second, with all threads."""
    simulations = config.simulations_at(0.5)
    at_once = max(4, min(config.games_per_unit, EVALUATIONS // (simulations * threads * 3)))
    size = {"games_per_unit": at_once, "positions": threads * at_once, "simulations": simulations}
    trial = config.model_copy(update=size)
    if device == "cpu":
        first = make_evaluator(network, backend="openvino", precision=config.precision, threads=1)
    else:  # as in a run: a GPU has no int8
        precision: Precision = "bf16" if config.precision == "int8" else config.precision
        first = make_evaluator(network, backend="torch", precision=precision, device=device)
    evaluators = [first, *(first.clone() for _ in range(threads - 1))]
    begun = play_games(game, evaluators, trial, seed=1, iteration=0)  # compiles
    trial = trial.model_copy(update={"positions": 2 * threads * at_once})
    report = play_games(game, evaluators, trial, seed=1, iteration=0, in_flight=begun.in_flight).report
    return report.positions / report.seconds, report.evaluations / report.seconds


def _beginners_games(game: Game) -> tuple[list[GameRecord], float]:
    """Finished games of nearly random play, and their mean length."""
    config = SelfPlayConfig(
        games_per_unit=FINISHED_GAMES, positions=FINISHED_GAMES * 16, simulations=2, random_start_share=0.0
    )
    records: list[GameRecord] = []
    in_flight: tuple[GamesInFlight, ...] = ()
    while len(records) < FINISHED_GAMES:
        played = play_games(game, [UniformEvaluator(game)], config, seed=1, iteration=0, in_flight=in_flight)
        in_flight = played.in_flight
        records += played.records
    return records, float(np.mean([len(record.moves) for record in records]))


def _learner_speed(game: Game, config: RunConfig, learner: Learner, records: list[GameRecord]) -> float:
    """Samples learned per second."""
    window = ReplayWindow(game, config.replay)
    for record in records:
        window.add(record)
    rng = np.random.default_rng(1)
    learner.learn(window, 1, rng, progress=(0.0, 0.0))
    report = learner.learn(window, 3, rng, progress=(0.0, 0.0))
    return report.samples / report.seconds


# ---- The run


def _forecast(
    config: RunConfig,
    minutes: float | None,
    *,
    positions: float,
    evaluations: float,
    samples: float,
    length: float,
    memory: int,
) -> Forecast:
    """From the speeds of a blank network: a trained one plays longer games, and its searches are proven sooner."""
    arena = config.arena
    playing = config.self_play.positions / positions
    learning = config.self_play.positions * config.learner.samples_per_position / samples
    plies = length * arena.simulations / evaluations  # seconds that a game of one network takes
    matches = arena.games * arena.opponents * plies / 2 / arena.every if arena.every else 0.0
    if arena.gating:
        matches += arena.gating_games * plies
    seconds = playing + learning + matches  # of an iteration
    iterations = config.iterations if minutes is None else max(1, round(60.0 * minutes / seconds))
    # A run that goes by minutes cuts its iterations to fit.
    share = 1.0 if minutes is None else 60.0 * minutes / (iterations * seconds)
    searched = round(iterations * config.self_play.positions * share)
    return Forecast(
        minutes=iterations * seconds * share / 60.0,
        games=searched / length,
        positions=searched,
        iterations=iterations,
        playing=playing / seconds,
        learning=learning / seconds,
        matches=matches / seconds,
        memory=memory,
    )
