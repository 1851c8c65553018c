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
    from tengen.run.settings import resolve

    return resolve(game, file=file, sets=sets, seed=seed).config
