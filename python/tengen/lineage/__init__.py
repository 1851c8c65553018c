"""The lineage: every method from random play to today's, each given the same machine time, then all against all."""

from tengen.lineage.contest import Contest, LineageError, Result, Snapshot, hold
from tengen.lineage.members import MEMBERS, Member, Uses, members_named

__all__ = [
    "MEMBERS",
    "Contest",
    "LineageError",
    "Member",
    "Result",
    "Snapshot",
    "Uses",
    "hold",
    "members_named",
]
