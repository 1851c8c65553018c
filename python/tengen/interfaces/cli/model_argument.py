"""A network as it is named on the command line: `net.safetensors`, `runs/connect_four`, `go_9x9`."""

from typing import Annotated

import tyro

HELP = "a network's file, a run, or a bundled name"
ModelArgument = Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="MODEL", help=HELP)]
