"""tengen learns board games from their rules alone, by playing itself."""

from tengen._core import (
    ActionTextError,
    ArgumentError,
    BoardTextError,
    Game,
    GameOptionError,
    GameSpec,
    IllegalActionError,
    Outcome,
    RulesError,
    State,
    Symmetry,
    TengenError,
    UnknownGameError,
)
from tengen.games import load

__version__ = "0.1.0"

__all__ = [
    "ActionTextError",
    "ArgumentError",
    "BoardTextError",
    "Game",
    "GameOptionError",
    "GameSpec",
    "IllegalActionError",
    "Outcome",
    "RulesError",
    "State",
    "Symmetry",
    "TengenError",
    "UnknownGameError",
    "load",
]
