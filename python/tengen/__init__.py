"""tengen learns board games from their rules alone, by playing itself."""

from typing import TYPE_CHECKING

from tengen._core import (
    ActionCells,
    ActionTextError,
    ArgumentError,
    BoardTextError,
    EvaluatorError,
    Forest,
    Game,
    GameOptionError,
    GameSpec,
    IllegalActionError,
    Outcome,
    Piece,
    Reason,
    RecordError,
    RulesError,
    SearchParamError,
    SearchParams,
    State,
    Symmetry,
    TengenError,
    UnknownGameError,
)
from tengen.games import load
from tengen.network import Evaluation, Evaluator, UniformEvaluator
from tengen.search import SearchResult, Stepper, search

if TYPE_CHECKING:
    from tengen.agent import Agent

__version__ = "0.1.0"

__all__ = [
    "ActionCells",
    "ActionTextError",
    "Agent",
    "ArgumentError",
    "BoardTextError",
    "Evaluation",
    "Evaluator",
    "EvaluatorError",
    "Forest",
    "Game",
    "GameOptionError",
    "GameSpec",
    "IllegalActionError",
    "Outcome",
    "Piece",
    "Reason",
    "RecordError",
    "RulesError",
    "SearchParamError",
    "SearchParams",
    "SearchResult",
    "State",
    "Stepper",
    "Symmetry",
    "TengenError",
    "UniformEvaluator",
    "UnknownGameError",
    "load",
    "search",
]


def __getattr__(name: str) -> object:
    """Agent, imported when it is asked for: whoever only plays through rules need not wait for it."""
    if name == "Agent":
        from tengen.agent import Agent

        return Agent
    raise AttributeError(f"module 'tengen' has no attribute '{name}'")
