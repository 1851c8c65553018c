"""`tengen usi`: an engine for shogi programs, on standard input and output."""

from typing import Annotated

import tyro

from tengen.interfaces.cli.brain_argument import BrainArgument, converse_in


def run(
    model: BrainArgument = None,
    *,
    game: str = "shogi",
    simulations: Annotated[int | None, tyro.conf.arg(metavar="INT")] = None,
    seconds: Annotated[float | None, tyro.conf.arg(metavar="FLOAT")] = None,
) -> None:
    """Plays shogi for another program, by the Universal Shogi Interface (USI).

    Args:
        game: the game that `rollout` plays, as in shogi; a network knows its own, but for a rules file
        simulations: search each move with at most this many simulations; if it is left out, the clock decides
        seconds: search each move for at most this many seconds
    """
    from tengen.interfaces.uci import USI

    converse_in(USI, model, game, simulations, seconds)
