"""A network as it is named on the command line: `net.safetensors`, `runs/connect_four`, `go_9x9`."""

from typing import Annotated

import tyro

HELP = "the file of a network, the folder of a run, or the name of a bundled network, such as connect_four"
ModelArgument = Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="MODEL", help=HELP)]
