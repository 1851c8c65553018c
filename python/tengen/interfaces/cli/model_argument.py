"""A network as it is named on the command line: `net.safetensors`, `runs/connect_four`, `go_9x9`."""

from typing import Annotated

import tyro

from tengen import TengenError

HELP = "the file of a network, the folder of a run, or the name of a bundled network, such as connect_four"
ModelArgument = Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="MODEL", help=HELP)]


def check_seconds(seconds: float | None) -> None:
    """Refuses what is no time for a move."""
    if seconds is not None and not 0.0 < seconds < 1e6:
        raise TengenError(f"--seconds must be more than 0 and less than a million, not {seconds:g}.")
