"""`tengen uci`: an engine for chess programs, on standard input and output."""

from typing import Annotated

import tyro

from tengen.interfaces.cli.brain_argument import BrainArgument, converse_in


def run(
    model: BrainArgument = None,
    *,
    game: str = "chess",
    simulations: Annotated[int | None, tyro.conf.arg(metavar="INT")] = None,
    seconds: Annotated[float | None, tyro.conf.arg(metavar="FLOAT")] = None,
) -> None:
    """Plays chess for another program, by the Universal Chess Interface (UCI).

    Args:
        game: the game that `rollout` plays, as in chess:chess960=true; a network knows its own, but for a rules file
        simulations: search each move with at most this many simulations; if it is left out, the clock decides
        seconds: search each move for at most this many seconds
    """
    from tengen.interfaces.uci import UCI

    converse_in(UCI, model, game, simulations, seconds)
