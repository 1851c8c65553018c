"""`tengen gtp`: an engine for Go programs, on standard input and output."""

import contextlib
import sys
from typing import Annotated

import tyro

from tengen import TengenError

Model = Annotated[
    str, tyro.conf.Positional, tyro.conf.arg(metavar="MODEL", help="a network's file, a run, or a bundled name")
]


def run(
    model: Model,
    *,
    simulations: Annotated[int | None, tyro.conf.arg(metavar="INT")] = None,
    seconds: Annotated[float | None, tyro.conf.arg(metavar="FLOAT")] = None,
    ponder: Annotated[bool, tyro.conf.FlagCreatePairsOff] = False,
    resign: float = 0.0,
) -> None:
    """Plays Go, Othello or Gomoku for another program, by the Go Text Protocol.

    Args:
        simulations: a move, at most; 400 unless seconds are given
        seconds: a move, at most; time_settings may ask for less
        ponder: think in the opponent's time too
        resign: give up below this win rate, as in 0.05; by default never
    """
    from tengen.agent import Agent
    from tengen.interfaces.gtp import LONGEST_LINE, Gtp

    if seconds is not None and not 0.0 < seconds < 1e6:
        raise TengenError("A move takes more than 0 seconds.")
    if not 0.0 <= resign <= 0.5:
        raise TengenError(f"A win rate to resign at is from 0 to 0.5, not {resign:g}.")
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
