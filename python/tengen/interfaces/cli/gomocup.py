"""`tengen gomocup`: an engine for Gomoku programs, on standard input and output."""

from typing import Annotated

import tyro

from tengen.interfaces.cli.model_argument import ModelArgument, check_seconds


def run(
    model: ModelArgument,
    *,
    simulations: Annotated[int | None, tyro.conf.arg(metavar="INT")] = None,
    seconds: Annotated[float | None, tyro.conf.arg(metavar="FLOAT")] = None,
) -> None:
    """Plays Gomoku for another program, such as Piskvork, by the Gomocup protocol.

    Args:
        simulations: search each move with at most this many simulations; if it is left out, only the clock counts
        seconds: search each move for at most this many seconds; the other program may allow less
    """
    from tengen.agent import Agent
    from tengen.external.gomocup import no_brains
    from tengen.interfaces.gomocup import Gomocup
    from tengen.interfaces.lines import converse
    from tengen.network.checkpoint import find_network, load_network
    from tengen.players import MOST_SIMULATIONS

    check_seconds(seconds)
    if (network := load_network(find_network(model))).is_of_rules_file:
        raise no_brains(network.game)
    agent = Agent(model, simulations=MOST_SIMULATIONS if simulations is None else simulations, seconds=seconds)
    converse(lambda write: Gomocup(agent.engine, agent.evaluator.network, agent.limit, write))
