"""The settings of a stage that is called alone: those that a run of the game would have."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from tengen.interfaces.cli.game_argument import split_game

if TYPE_CHECKING:
    from tengen.config import RunConfig

ConfigFile = Annotated[Path | None, tyro.conf.arg(metavar="FILE")]


def stage_config(game: str, file: Path | None) -> RunConfig:
    from tengen.config import load_config

    name, options = split_game(game)
    return load_config(file, game=name, **({"options": options} if options else {}))
