"""What the head of a cluster spends on a unit and a byte, how many nodes it can feed, and what Ray costs here.

    python benchmarks/cluster.py head --nodes 200 --seconds 60     pretended nodes: they sleep as long as a unit takes
    python benchmarks/cluster.py cost                              two Ray nodes of a core each, against two threads
    python benchmarks/cluster.py memory                            the memory of a head through many small units
    python benchmarks/cluster.py overlap                           overlap = 1 against 0, with a core for each side

A pretended node is a place for one job in one of a few real worker processes: it sleeps and returns an answer of real
size. So the head does all that it would do for so many nodes (handing out, waiting, unpickling, pulses), but for the
connections.
"""

import argparse
import os
import pickle
import resource
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import tengen
from tengen.base.crew import Crew, Done, Hand, Threads
from tengen.base.memory import memory_in_use
from tengen.cluster import SentFiles, connect
from tengen.cluster.sending import Parcel
from tengen.config import load_config
from tengen.methods import new_learner
from tengen.network.playing import PlayingNetwork
from tengen.report import IterationReport, SilentObserver
from tengen.selfplay import play_games
from tengen.train import train


@dataclass(frozen=True)
class Pretended:
    """Work whose jobs sleep, and whose answers have so many bytes."""

    seconds: float
    bytes: int
    network: bytes  # that is sent to every node

    def hands(self, number: int) -> list[Hand[bytes, bytes]]:
        return [partial(self._sleep) for _ in range(number)]

    def _sleep(self, job: bytes, /, should_stop: Callable[[], bool], on_progress: Callable[[int], None]) -> bytes:
        time.sleep(self.seconds)
        return np.random.default_rng(0).bytes(self.bytes)


def head(nodes: int, unit_seconds: float, size: int, seconds: float) -> None:
    """Feeds so many pretended nodes for so many seconds."""
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    try:
        processes = 4
        for _ in range(processes):
            cluster.add_node(num_cpus=nodes // processes, include_dashboard=False)
        with connect(cluster.address) as crew:
            for bytes_ in (1000, size):
                units = int(nodes * seconds / unit_seconds)
                work = Pretended(unit_seconds, bytes_, b"\0" * 2_000_000)
                crew.do(work, [b"\0" * bytes_] * nodes)  # warm
                began, used = time.perf_counter(), cpu_seconds()
                before = memory_in_use()
                crew.do(work, [b"\0" * bytes_] * units)
                took, spent = time.perf_counter() - began, cpu_seconds() - used
                print(
                    f"{crew.threads} pretended nodes, units of {unit_seconds:g} s and {bytes_:,} bytes each way: "
                    f"{units} units in {took:.1f} s, {units * unit_seconds / took / nodes:.1%} of what sleeping alone "
                    f"would do; the head spent {1000 * spent / units:.2f} ms of processor time a unit, "
                    f"{spent / took:.0%} of a core; its memory grew by {(memory_in_use() - before) / 1e6:.0f} MB",
                    flush=True,
                )
    finally:
        cluster.shutdown()


def memory(units: int) -> None:
    """What the head keeps of so many small units, in stages of 16, on one node that does eight side by side."""
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    try:
        cluster.add_node(num_cpus=8, include_dashboard=False)
        with connect(cluster.address) as crew:
            work = Pretended(0.01, 20_000, b"\0" * 100_000)
            for done in range(16, units + 1, 16):
                crew.do(work, [b"\0" * 10_000] * 16)
                if done % 960 == 0:
                    print(f"after {done:,} units: {memory_in_use() / 1e6:.2f} MB", flush=True)
    finally:
        cluster.shutdown()


def cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


class Weighed(Threads):
    """Threads that say how many bytes would travel if they were nodes."""

    def do(self, work: Any, jobs: Sequence[Any], **given: Any) -> Done[Any]:
        done = super().do(work, jobs, **given)
        there, back = (sum(len(pickle.dumps(part)) for part in parts) / len(jobs) for parts in (jobs, done.answers))
        once = len(pickle.dumps(Parcel.pack(work, SentFiles())))
        print(f"bytes: {there:,.0f} to a unit, {back:,.0f} back, {once:,} to a node once an iteration", flush=True)
        return done


def cost(game_name: str, positions: int, rounds: int) -> None:
    """Simulations per second of two threads and of two Ray nodes of one core each, in turns."""
    from ray.cluster_utils import Cluster

    game = tengen.load(game_name)
    config = load_config(game=game_name, self_play={"units": 4, "positions": positions, "games_per_unit": 64})
    network = new_learner(game, config).network_file()
    playing = PlayingNetwork(network, "bf16", "cpu")

    def play(crew: Crew) -> tuple[float, float]:
        """Simulations per second of wall time, and of processor time of this process and all that it started."""
        before = busy_seconds(family())
        report = play_games(game, playing, config.self_play, seed=1, iteration=0, crew=crew).report
        return report.simulations / report.seconds, report.simulations / (busy_seconds(family()) - before)

    begun = play_games(game, playing, config.self_play, seed=1, iteration=0, crew=Threads(2)).in_flight
    play_games(game, playing, config.self_play, seed=1, iteration=1, in_flight=begun, crew=Weighed(2))
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    try:
        for _ in range(2):
            cluster.add_node(num_cpus=1, include_dashboard=False)
        with connect(cluster.address) as ray_crew:
            crews: dict[str, Crew] = {"two threads": Threads(2), "two Ray nodes": ray_crew}
            for crew in crews.values():
                play(crew)
            found: dict[str, list[tuple[float, float]]] = {name: [] for name in crews}
            for _ in range(rounds):
                for name, crew in crews.items():
                    found[name].append(play(crew))
                    wall, busy = found[name][-1]
                    print(
                        f"{name}: {wall:,.0f} simulations a second, {busy:,.0f} a second of processor time", flush=True
                    )
            ray_row, threads_row = (np.mean(found[name], axis=0) for name in ("two Ray nodes", "two threads"))
            wall, busy = ray_row / threads_row
            print(f"Ray against threads: {wall:.1%} by the wall, {busy:.1%} by processor time")
    finally:
        cluster.shutdown()


class Iterations(SilentObserver):
    """When each iteration ended, by the wall and by the processor time of the learner and of the worker."""

    def __init__(self, worker: int) -> None:
        self._worker = worker
        self.ends: list[tuple[float, float, float]] = []
        self.samples = 0

    def iteration_finished(self, report: IterationReport) -> None:
        self.ends.append((time.perf_counter(), cpu_seconds(), busy_seconds([self._worker])))
        self.samples = report.learner.samples

    @property
    def mean(self) -> tuple[float, float, float]:
        """Seconds of an iteration: wall, learner, self-play. The first one is left out, with all that starts in it."""
        wall, learner, play = np.diff(self.ends, axis=0).mean(axis=0)
        return float(wall), float(learner), float(play)


def overlap(game_name: str, positions: int, iterations: int, rounds: int) -> None:
    """Samples that are learned in an hour with overlap 0 and 1, in turns: one core plays, another learns."""
    from ray.cluster_utils import Cluster

    play_core, learn_core = sorted(os.sched_getaffinity(0))[:2]
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    try:
        cluster.add_node(num_cpus=1, include_dashboard=False)
        with connect(cluster.address) as crew:
            [(worker, _)] = crew.facts
            pin(worker.process, play_core)
            pin(os.getpid(), learn_core)
            found: dict[int, list[tuple[float, float, float]]] = {0: [], 1: []}
            for _ in range(rounds):
                for which, means in found.items():
                    config = load_config(
                        game=game_name,
                        iterations=iterations,
                        overlap=which,
                        self_play={"units": 2, "games_per_unit": 64, "positions": positions},
                        learner={"threads": 1},
                        arena={"every": 0, "final_strength": False},
                    )
                    seen = Iterations(worker.process)
                    with tempfile.TemporaryDirectory() as folder:
                        train(config, Path(folder) / "run", seen, crew=crew)
                    means.append(seen.mean)
                    wall, learner, play = seen.mean
                    print(
                        f"overlap = {which}: {wall:.1f} s an iteration ({3600 * seen.samples / wall:,.0f} samples an "
                        f"hour); processor time: self-play {play:.1f} s, learner {learner:.1f} s",
                        flush=True,
                    )
            walls = {which: np.mean(means, axis=0)[0] for which, means in found.items()}
            _, learner, play = np.mean([*found[0], *found[1]], axis=0)
            print(
                f"overlap = 1 learns {walls[0] / walls[1]:.2f} times the samples an hour by the wall; on idle cores "
                f"{(learner + play) / max(learner, play):.2f} times, by the processor time of both sides"
            )
    finally:
        cluster.shutdown()


def pin(process: int, core: int) -> None:
    """All threads that it has; those to come inherit it."""
    for thread in Path(f"/proc/{process}/task").iterdir():
        os.sched_setaffinity(int(thread.name), {core})


def family() -> list[int]:
    """This process and all that it started, directly or not."""
    parents: dict[int, int] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(path.parent.name)] = int(path.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    found = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return sorted(found)


def busy_seconds(processes: list[int]) -> float:
    total = 0
    for pid in processes:
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        total += int(fields[11]) + int(fields[12])
    return total / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    of_head = commands.add_parser("head")
    of_head.add_argument("--nodes", type=int, default=200)
    of_head.add_argument("--unit-seconds", type=float, default=5.0)
    of_head.add_argument("--bytes", type=int, default=200_000)
    of_head.add_argument("--seconds", type=float, default=30.0)
    of_cost = commands.add_parser("cost")
    of_cost.add_argument("--game", default="connect_four")
    of_cost.add_argument("--positions", type=int, default=8192)
    of_cost.add_argument("--rounds", type=int, default=3)
    of_memory = commands.add_parser("memory")
    of_memory.add_argument("--units", type=int, default=15_360)
    of_overlap = commands.add_parser("overlap")
    of_overlap.add_argument("--game", default="connect_four")
    of_overlap.add_argument("--positions", type=int, default=2048)
    of_overlap.add_argument("--iterations", type=int, default=5)
    of_overlap.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    if given.command == "head":
        head(given.nodes, given.unit_seconds, given.bytes, given.seconds)
    elif given.command == "memory":
        memory(given.units)
    elif given.command == "overlap":
        overlap(given.game, given.positions, given.iterations, given.rounds)
    else:
        cost(given.game, given.positions, given.rounds)
