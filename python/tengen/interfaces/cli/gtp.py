"""`tengen gtp`: an engine for Go programs, on standard input and output."""

from typing import Annotated

import tyro

from tengen import TengenError
from tengen.interfaces.cli.game_argument import parse_game
from tengen.interfaces.cli.memory_argument import MemoryArgument, left_for_trees, memory_bytes
from tengen.interfaces.cli.model_argument import ModelArgument, check_seconds


def run(
    model: ModelArgument,
    *,
    game: Annotated[str | None, tyro.conf.arg(metavar="GAME")] = None,
    simulations: Annotated[int | None, tyro.conf.arg(metavar="INT")] = None,
    seconds: Annotated[float | None, tyro.conf.arg(metavar="FLOAT")] = None,
    ponder: Annotated[bool, tyro.conf.FlagCreatePairsOff] = False,
    resign: float = 0.0,
    memory: MemoryArgument = None,
) -> None:
    """Plays Go, Othello or Gomoku for another program, by the Go Text Protocol.

    Args:
        game: the rules file of a network that has one, or another board size: my_game.py, go:size=9
        simulations: search each move with at most this many simulations; 400 if neither this nor --seconds is given
        seconds: search each move for at most this many seconds; the time settings of the other program may ask for less
        ponder: also search while the opponent thinks
        resign: resign when the win rate falls below this, as in 0.05; at 0 never resign
        memory: how much memory tengen may take, as in 4GB; a search whose tree would need more ends there
    """
    from tengen.agent import Agent
    from tengen.interfaces.gtp import Gtp
    from tengen.interfaces.lines import converse

    check_seconds(seconds)
    if not 0.0 <= resign <= 0.5:
        raise TengenError(f"--resign must be a win rate from 0 to 0.5, not {resign:g}.")
    limit = memory_bytes(memory)
    agent = Agent(model, game=None if game is None else parse_game(game), simulations=simulations, seconds=seconds)
    trees = None if limit is None else left_for_trees(limit)
    converse(
        lambda write: Gtp(
            agent.game,
            agent.evaluator,
            agent.params,
            agent.limit,
            write,
            ponder=ponder,
            resign=resign,
            most_tree_bytes=trees,
        )
    )
