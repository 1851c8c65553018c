"""`tengen gtp`: an engine for Go programs, on standard input and output."""

import contextlib
import sys
from typing import Annotated

import tyro

from tengen import TengenError
from tengen.interfaces.cli.model_argument import ModelArgument


def run(
    model: ModelArgument,
    *,
    simulations: Annotated[int | None, tyro.conf.arg(metavar="INT")] = None,
    seconds: Annotated[float | None, tyro.conf.arg(metavar="FLOAT")] = None,
    ponder: Annotated[bool, tyro.conf.FlagCreatePairsOff] = False,
    resign: float = 0.0,
) -> None:
    """Plays Go, Othello or Gomoku for another program, by the Go Text Protocol.

    Args:
        simulations: search each move with at most this many simulations; 400 if neither this nor --seconds is given
        seconds: search each move for at most this many seconds; the time settings of the other program may ask for less
        ponder: also search while the opponent thinks
        resign: resign when the win rate falls below this, as in 0.05; at 0 never resign
    """
    from tengen.agent import Agent
    from tengen.interfaces.gtp import LONGEST_LINE, Gtp

    if seconds is not None and not 0.0 < seconds < 1e6:
        raise TengenError(f"--seconds must be more than 0 and less than a million, not {seconds:g}.")
    if not 0.0 <= resign <= 0.5:
        raise TengenError(f"--resign must be a win rate from 0 to 0.5, not {resign:g}.")
    agent = Agent(model, simulations=simulations, seconds=seconds)
    out, lines = sys.stdout, sys.stdin.buffer

    def write(text: str) -> None:
        out.write(text)
        out.flush()

    with contextlib.redirect_stdout(sys.stderr):  # nothing but the protocol goes out
        session = Gtp(agent.game, agent.evaluator, agent.params, agent.limit, write, ponder=ponder, resign=resign)
        going_on = True
        while going_on and (line := lines.readline(LONGEST_LINE)):
            rest = line
            while rest and not rest.endswith(b"\n"):  # too long: the rest is skipped
                rest = lines.readline(LONGEST_LINE)
            going_on = session.obey(line.decode(errors="replace"))
        session.end_stream()
