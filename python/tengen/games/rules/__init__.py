"""Games written in one Python file: `tengen.load("my_game.py")`; docs/tutorial_own_game.md tells how to write one.

The rules are compiled by Numba into a table of C functions (table_game.h) that the search calls without Python. Rules
that Numba can't compile are called back one by one: slower, same results, and a RulesWarning says so and why.
"""

import warnings

from tengen._core import Game, make_table_game
from tengen.games.rules.declaration import Declaration, declare
from tengen.games.rules.interpreted import Interpreted
from tengen.games.rules.results import DRAW, ONGOING
from tengen.games.rules.source import read_rules_file

__all__ = ["DRAW", "ONGOING", "RulesWarning", "load", "load_interpreted"]


class RulesWarning(UserWarning):
    """The rules of a file run interpreted, not compiled."""


def load(path: str, **options: float) -> Game:
    """The game whose rules are in that file, compiled if they can be."""
    declaration = declare(read_rules_file(path, options))
    interpreted = Interpreted(declaration)
    interpreted.try_out()
    try:
        from tengen.games.rules.compiled import CannotCompileError, compile_rules
    except ImportError as error:
        missing = isinstance(error, ModuleNotFoundError) and error.name == "numba"
        _warn(declaration, "numba is not installed (pip install 'tengen[rules]')" if missing else str(error))
        return _game(declaration, interpreted, addresses=None)
    try:
        compiled = compile_rules(declaration)
    except CannotCompileError as error:
        _warn(declaration, str(error))
        return _game(declaration, interpreted, addresses=None)
    interpreted.keep_alive(compiled)
    return _game(declaration, interpreted, compiled.addresses)


def load_interpreted(path: str, **options: float) -> Game:
    """The same game, its rules run by Python itself: to compare with the compiled ones, or to debug them."""
    declaration = declare(read_rules_file(path, options))
    return _game(declaration, Interpreted(declaration), addresses=None)


def _warn(declaration: Declaration, why: str) -> None:
    text = f"{declaration.path} runs interpreted, which is slower but plays the same: {why}"
    warnings.warn(text, RulesWarning, stacklevel=4)  # the caller of tengen.load


def _game(declaration: Declaration, interpreted: Interpreted, addresses: dict[str, int] | None) -> Game:
    return make_table_game(
        interpreted,
        name=declaration.name,
        source=declaration.path,
        options=declaration.options,
        rules_digest=declaration.digest,
        board=declaration.board,
        action_layout=declaration.layout,
        num_actions=declaration.num_actions,
        longest_game=declaration.longest_game,
        plane_names=list(declaration.plane_names),
        player_names=declaration.player_names,
        symmetries=declaration.symmetries,
        pieces=declaration.pieces,
        state_size=declaration.state.itemsize,
        addresses=addresses,
    )
