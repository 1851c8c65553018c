"""The argument `--cluster`: who does the work, if not this machine alone."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import tyro

from tengen import Game
from tengen.base.crew import Crew

ClusterArgument = Annotated[str | None, tyro.conf.arg(metavar="auto|local|HOST:PORT")]


@contextmanager
def crew_of(address: str | None, game: Game, module: str = "") -> Iterator[Crew | None]:
    """The nodes of that cluster; None for this machine. What may change the bits is said before anything begins."""
    if address is None:
        yield None
        return
    from tengen.cluster.connecting import connect
    from tengen.cluster.facts import differences, facts_here
    from tengen.cluster.sending import SentFiles

    with connect(address, SentFiles.of(game, module)) as crew:
        for sentence in differences(facts_here(), [facts for facts, _ in crew.facts]):
            print(f"tengen: {sentence}", file=sys.stderr)
        yield crew
