"""The settings that suit a game: `experiments/GAME.toml` here, else those that come with tengen."""

from __future__ import annotations

import tomllib
from pathlib import Path

from tengen import load
from tengen.base.bundled import bundled_folder
from tengen.interfaces.cli.game_argument import parse_game, split_game


def experiment_of(game: str) -> Path | None:
    """None if nobody has found out yet what suits it. Those that come with tengen are for one board size each."""
    name, _ = split_game(game)
    own = Path("experiments") / f"{Path(name).stem}.toml"
    if own.exists():
        return own
    wanted = parse_game(game)
    for path in sorted(bundled_folder("experiments").glob("*.toml")):
        content = tomllib.loads(path.read_text())
        if content["game"] == name and load(name, **content.get("options", {})) == wanted:
            return path
    return None
