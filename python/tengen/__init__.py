"""tengen learns board games from their rules alone, by playing itself.

    import tengen

    game = tengen.load("connect_four")            # or "go", "my_game.py", "openspiel:hex(board_size=5)"
    state = game.state("4 4 3")                   # after these moves; print(state) draws the board
    state = state.play("5")                       # a state never changes; play gives the next one
    state.to_move, state.legal_actions, state.outcome, state.planes()

    [found] = tengen.search(game, [state], simulations=400)    # without a network
    print(state.action_text(found.best_action), found.root_value)

    agent = tengen.Agent("connect_four")          # a network with search: a bundled one, a file or a run
    print(agent.analyse(state))

Names, each with a help of its own, as in help(tengen.State):

    load                                    a game by its name, or from a file of rules
    Game, GameSpec, Piece, Symmetry         the rules, and what they are about
    State, ActionCells, Outcome, Reason     a position, where a move goes, how a game ended and why
    Agent                                   a network that plays and analyses
    search, SearchParams, SearchResult      one search of many positions
    Stepper                                 a search one simulation at a time, to look into it
    Forest                                  the trees themselves, for one's own loop
    Evaluator, Evaluation, UniformEvaluator what tells a search how good a position is
    TengenError                             every error of tengen is one; ActionTextError, ArgumentError,
                                            BoardTextError, EvaluatorError, GameOptionError, IllegalActionError,
                                            InUseError, RecordError, RulesError, SearchParamError and
                                            UnknownGameError say which

Further on, in modules of their own:

    tengen.games.rules, tengen.games.check  write a game in one Python file, and have it checked
    tengen.config, tengen.train             the settings of a training run, and the run
    tengen.engine, tengen.players           one game at the board; every kind of player
    tengen.network, tengen.records          networks and their files; recorded games
    tengen.strength                         ratings, tournaments, reviews

The command `tengen` does the same from a shell: `tengen --help`.
"""

from typing import TYPE_CHECKING

from tengen._core import ActionCells as ActionCells
from tengen._core import ActionTextError as ActionTextError
from tengen._core import ArgumentError as ArgumentError
from tengen._core import BoardTextError as BoardTextError
from tengen._core import EvaluatorError as EvaluatorError
from tengen._core import Forest as Forest
from tengen._core import Game as Game
from tengen._core import GameOptionError as GameOptionError
from tengen._core import GameSpec as GameSpec
from tengen._core import IllegalActionError as IllegalActionError
from tengen._core import InUseError as InUseError
from tengen._core import Outcome as Outcome
from tengen._core import Piece as Piece
from tengen._core import Reason as Reason
from tengen._core import RecordError as RecordError
from tengen._core import RulesError as RulesError
from tengen._core import SearchParamError as SearchParamError
from tengen._core import SearchParams as SearchParams
from tengen._core import State as State
from tengen._core import Symmetry as Symmetry
from tengen._core import TengenError as TengenError
from tengen._core import UnknownGameError as UnknownGameError
from tengen.games import load as load
from tengen.network import Evaluation as Evaluation
from tengen.network import Evaluator as Evaluator
from tengen.network import UniformEvaluator as UniformEvaluator
from tengen.search import SearchResult as SearchResult
from tengen.search import Stepper as Stepper
from tengen.search import search as search

if TYPE_CHECKING:
    from tengen.agent import Agent as Agent

__version__ = "0.1.0"

# There is no __all__: help() would print every class of it in full, 1,700 lines. `import X as X` tells type checkers
# that a name is public.


def __getattr__(name: str) -> object:
    """Agent, imported when it is asked for: whoever only plays through rules need not wait for it."""
    if name == "Agent":
        from tengen.agent import Agent

        return Agent
    raise AttributeError(f"module 'tengen' has no attribute '{name}'")


def __dir__() -> list[str]:
    return [*(globals().keys() - {"TYPE_CHECKING"}), "Agent"]
