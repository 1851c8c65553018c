"""tengen learns board games from their rules alone, by playing itself."""

from tengen._core import (
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

__version__ = "0.1.0"

__all__ = [
    "ActionTextError",
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
