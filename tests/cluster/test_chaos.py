"""A run on a cluster on which everything dies: workers, nodes, the head, all of it. It ends with the bits of one that
nobody touched, and leaves no process behind.
"""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from clusters import add_node, cluster_of, processes_of_ray, worker_processes
from small_runs import small_config, what_counts

from tengen.cluster import connect
from tengen.train import train

ITERATIONS = 14
PATIENCE = 4.0
PLAY = {"units": 6, "games_per_unit": 8, "positions": 1200, "simulations": 24}
HEAD = f"""
import sys
from pathlib import Path
sys.path.insert(0, {str(Path(__file__).parents[1] / "support")!r})
from small_runs import small_config
from tengen.cluster import connect
from tengen.cluster import connect
from tengen.train import train
with connect(sys.argv[1], patience={PATIENCE}) as crew:
    train(small_config(iterations={ITERATIONS}, self_play={PLAY!r}), Path(sys.argv[2]), crew=crew)
"""


def start_head(address: str, folder: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", HEAD, address, str(folder)])


def iterations_done(folder: Path) -> int:
    with suppress(OSError):
        return (folder / "metrics.jsonl").read_bytes().count(b"\n")
    return 0


def wait_for(what: Callable[[], bool], seconds: float = 120.0) -> None:
    until = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < until
        time.sleep(0.1)


def raylet_of(node: Any) -> int:
    return int(node.all_processes["raylet"][0].process.pid)


def strikes(cluster: Any, rng: random.Random) -> Iterator[str]:
    """Ten kills at random moments of a worker or of a node, for which another comes; and a node that freezes."""
    for number in range(10):
        time.sleep(rng.uniform(0.3, 2.0))
        workers = worker_processes()
        if number == 4:
            frozen = raylet_of(rng.choice(sorted(cluster.worker_nodes, key=raylet_of)))
            stopped = [frozen, *workers[:1]]
            for process in stopped:
                os.kill(process, signal.SIGSTOP)
            time.sleep(1.5 * PATIENCE)
            for process in stopped:
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGCONT)
            yield "froze a node"
        if number % 2 and workers:
            with suppress(ProcessLookupError):
                os.kill(rng.choice(workers), signal.SIGKILL)
            yield "killed a worker"
        else:
            victim = rng.choice(sorted(cluster.worker_nodes, key=raylet_of))
            with suppress(ProcessLookupError):
                os.kill(raylet_of(victim), signal.SIGKILL)
            cluster.worker_nodes.discard(victim)
            add_node(cluster)
            yield "killed a node, and added one"


@pytest.mark.verify
@pytest.mark.parametrize("seed", [1])
def test_a_run_on_which_everything_dies_ends_with_the_same_bits(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    others = set(processes_of_ray())  # that were there before
    train(small_config(iterations=ITERATIONS, self_play=PLAY), tmp_path / "alone")
    folder = tmp_path / "run"
    struck = []
    with cluster_of(3) as cluster:
        head = start_head(cluster.address, folder)
        wait_for(lambda: iterations_done(folder) >= 1)
        for number, what in enumerate(strikes(cluster, rng)):
            struck.append(what)
            if number == 5:
                head.kill()  # the program that leads
                head.wait()
                struck.append("killed the head")
                head = start_head(cluster.address, folder)
        done = iterations_done(folder)
        wait_for(lambda: iterations_done(folder) > done or head.poll() is not None)
        head.kill()
        head.wait()
        struck.append("killed the head and the cluster")
    assert iterations_done(folder) < ITERATIONS, f"the run was over before it was struck: {struck}"
    with cluster_of(2) as cluster:  # all of Ray is new
        assert start_head(cluster.address, folder).wait(600) == 0
    assert what_counts(folder) == what_counts(tmp_path / "alone")
    wait_for(lambda: set(processes_of_ray()) <= others, 30)


@pytest.mark.verify
@pytest.mark.parametrize("nodes", [2, 4])
def test_any_number_of_nodes_gives_the_same_bits(tmp_path: Path, nodes: int) -> None:
    config = small_config(iterations=4, self_play={**PLAY, "precision": "int8"}, replay={"window_most": 5000})
    train(config, tmp_path / "alone")
    with cluster_of(nodes) as cluster, connect(cluster.address) as crew:
        train(config, tmp_path / "run", crew=crew)
        assert crew.threads == nodes
    assert what_counts(tmp_path / "run") == what_counts(tmp_path / "alone")
