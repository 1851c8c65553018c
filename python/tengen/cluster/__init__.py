"""More than one machine: the jobs of a stage done by the nodes of a Ray cluster, with the same bits as on one machine.

`connect("auto")` gives a crew (`tengen.base.crew`) that `train`, matches, tournaments and evaluations take in place of
this machine's threads. ray is imported in this room and nowhere else, and only once a cluster is asked for.
"""

from tengen.cluster.connecting import ClusterError, connect
from tengen.cluster.facts import NodeFacts, differences
from tengen.cluster.sending import SentFiles

__all__ = ["ClusterError", "NodeFacts", "SentFiles", "connect", "differences"]
