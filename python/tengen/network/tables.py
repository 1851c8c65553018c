"""Which tables a config asks for: tuples by random walks on the board, as many cells as the pieces allow."""

from __future__ import annotations

from tengen._core import ArgumentError, Game, random_tuples
from tengen.config import ConfigError, TablesConfig
from tengen.network.architecture import TupleTables

__all__ = ["count_weights", "describe_tables"]


def describe_tables(game: Game, config: TablesConfig, seed: int) -> TupleTables:
    """The tables of a run. ConfigError if the game does not say what stands on its cells, or if they are too large."""
    try:
        tuples = random_tuples(game, config.tuples, config.tuple_cells, seed, config.mark_targets)
        described = TupleTables(
            tuples=tuple(map(tuple, tuples)),
            stages=config.stages,
            shares_players=config.share_players,
            marks_targets=config.mark_targets,
            temperature=config.prior_temperature,
        )
        described.shape.weights_shape(game)
    except ArgumentError as error:
        raise ConfigError(f"tables: {error}") from error
    return described


def count_weights(game: Game, described: TupleTables) -> int:
    banks, tuples, entries = described.shape.weights_shape(game)
    return banks * tuples * entries
