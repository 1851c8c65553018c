"""What plays in `tengen uci` and `tengen usi`: a network, or `rollout`, which needs none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import tyro

from tengen import SearchParams, TengenError
from tengen.interfaces.cli.game_argument import parse_game
from tengen.interfaces.cli.model_argument import HELP, check_seconds

if TYPE_CHECKING:
    from tengen.interfaces.uci import Brain, Dialect
    from tengen.network import Evaluator

__all__ = ["BrainArgument", "converse_in"]

ROLLOUT = "rollout"  # classic MCTS, which values a position by a random play-out
BrainArgument = Annotated[
    str | None,
    tyro.conf.Positional,
    tyro.conf.arg(metavar="[MODEL]", help=f"{HELP}; or {ROLLOUT}, which plays without a network"),
]


def converse_in(dialect: Dialect, model: str | None, game: str, simulations: int | None, seconds: float | None) -> None:
    """Holds a conversation until the other side ends it."""
    from tengen.interfaces.lines import converse
    from tengen.interfaces.uci import Uci

    check_seconds(seconds)
    if simulations is not None and not 1 <= simulations <= 10**9:
        raise TengenError(f"--simulations is a whole number from 1 to a billion, not {simulations}.")
    model = model or _bundled(game, dialect)
    brain = _rollout(game, simulations, seconds) if model == ROLLOUT else _network(model, game, simulations, seconds)
    converse(lambda write: Uci(brain, dialect, write))


def _bundled(game: str, dialect: Dialect) -> str:
    """The bundled network of that game; TengenError if there is none."""
    from tengen.base.bundled import bundled_names

    name = game.partition(":")[0]
    if name in bundled_names("models"):
        return name
    raise TengenError(
        f"No network for {name} comes with tengen. Name one that you have trained, as in tengen {dialect.hello} "
        f"runs/{name}, or play without a network: tengen {dialect.hello} {ROLLOUT}."
    )


def _rollout(game: str, simulations: int | None, seconds: float | None) -> Brain:
    from tengen.interfaces.uci import Brain

    params = SearchParams(selection="uct", rollout_weight=1.0)
    return Brain(ROLLOUT, parse_game(game), params, lambda threads: None, simulations or 0, seconds)


def _network(model: str, game_text: str, simulations: int | None, seconds: float | None) -> Brain:
    """The game is the network's own; only where that is a rules file, the one that was given."""
    from tengen.interfaces.uci import Brain
    from tengen.network import make_evaluator
    from tengen.network.checkpoint import check_fits, find_network, game_of, load_network
    from tengen.players import MOST_SIMULATIONS, analysing_params, leaves_at_once, playing_evaluator

    network = load_network(find_network(model))
    is_given = network.is_of_rules_file and game_text.partition(":")[0].endswith(".py")
    game = parse_game(game_text) if is_given else game_of(network)
    check_fits(network, game)
    most = simulations or MOST_SIMULATIONS
    params = analysing_params(network, most, game).replace(leaves_per_batch=leaves_at_once(most))

    def evaluator_of(threads: int) -> Evaluator:
        return playing_evaluator(make_evaluator(network, threads=threads, game=game), game)

    return Brain(model, game, params, evaluator_of, simulations or 0, seconds)
