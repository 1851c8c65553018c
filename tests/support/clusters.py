"""Ray clusters on this machine, for tests: several nodes of one core each, which are gone when the block ends."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"

from ray.cluster_utils import Cluster

STORE = 100 * 1024 * 1024  # bytes of each node's object store


def add_node(cluster: Cluster, cores: int = 1) -> object:
    return cluster.add_node(num_cpus=cores, object_store_memory=STORE, include_dashboard=False)


@contextmanager
def cluster_of(nodes: int) -> Iterator[Cluster]:
    """The head has no cores, so that any of the nodes may be killed."""
    cluster = Cluster(
        initialize_head=True,
        head_node_args={"num_cpus": 0, "object_store_memory": STORE, "include_dashboard": False},
    )
    try:
        for _ in range(nodes):
            add_node(cluster)
        yield cluster
    finally:
        cluster.shutdown()


def processes_of_ray() -> list[int]:
    """Of this machine, all that belong to Ray and live."""
    return [pid for pid, command in _commands() if "/ray/" in command or command.startswith("ray::")]


def worker_processes() -> list[int]:
    """Those that do jobs, among all that this process has started."""
    own = _family()
    return sorted(pid for pid, command in _commands() if command.startswith("ray::Worker") and pid in own)


def _family() -> set[int]:
    parents = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            parents[int(path.parent.name)] = int(path.read_text().rpartition(")")[2].split()[1])
    found = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return found


def _commands() -> Iterator[tuple[int, str]]:
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            yield int(path.parent.name), path.read_bytes().replace(b"\0", b" ").decode(errors="replace")
