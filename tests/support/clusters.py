"""Ray clusters on this machine, for tests: several nodes of one core each, which are gone when the block ends."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

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
