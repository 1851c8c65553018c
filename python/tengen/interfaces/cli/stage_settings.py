"""The settings of a stage that is called alone: those that a run of the game would have."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

if TYPE_CHECKING:
    from tengen.config import RunConfig

ConfigFile = Annotated[Path | None, tyro.conf.arg(metavar="FILE")]
Sets = Annotated[tuple[str, ...], tyro.conf.arg(name="set", metavar="NAME=VALUE"), tyro.conf.UseAppendAction]


def stage_config(game: str, file: Path | None, sets: Sequence[str], seed: int) -> RunConfig:
    """Refused with the settings that cause it if a run with them would not have the memory."""
    from tengen.interfaces.cli.game_argument import parse_game
    from tengen.run.footprint import check_memory, count_parameters, threads_of
    from tengen.run.settings import resolve

    config = resolve(game, file=file, sets=sets, seed=seed).config
    rules = parse_game(game)
    check_memory(rules, config, parameters=count_parameters(rules, config), threads=threads_of(config))
    return config
