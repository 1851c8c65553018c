"""A player and a seed as they are written on the command line: `rollout:1000`, `--seed 7`."""

from typing import Annotated

import tyro

from tengen import TengenError
from tengen.players import PLAYER_FORMS

HELP = f"one of: {PLAYER_FORMS}"
PlayerArgument = Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="PLAYER", help=HELP)]


def check_seed(seed: int) -> None:
    """Refuses what no random generator takes."""
    if not 0 <= seed < 2**64:
        raise TengenError("A seed is a whole number from 0 to 18446744073709551615.")
