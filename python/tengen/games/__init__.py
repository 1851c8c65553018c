"""Games by name: `load("go", size=9)`, `load("my_game.py")`, `load("openspiel:hex(board_size=5)")`."""

import math
from numbers import Real

from tengen._core import Game, GameOptionError, OptionKind, OptionSpec, UnknownGameError, game_entries, make_game
from tengen.base.spelling import did_you_mean
from tengen.games.options import OPENSPIEL_PREFIX

__all__ = ["OptionKind", "OptionSpec", "game_entries", "load", "names"]


def names() -> list[str]:
    """The names of the built-in games."""
    return [entry.name for entry in game_entries()]


def load(name: str, **options: float) -> Game:
    """The game of that name: a built-in game, a file of Python rules, or a game of OpenSpiel.

    >>> load("gomoku", size=9)
    tengen.load('gomoku', size=9, exactly_five=False)
    """
    if not isinstance(name, str):
        raise TypeError(f"A game is loaded by its name, such as load('go'), not by {name!r}.")
    if name.startswith(OPENSPIEL_PREFIX):
        from tengen.games import openspiel

        return openspiel.load(name.removeprefix(OPENSPIEL_PREFIX), **options)
    if name.endswith(".py"):
        from tengen.games import rules

        return rules.load(name, **options)
    if name not in names():
        raise UnknownGameError(f"There is no game called '{name[:40]}'; {did_you_mean(name, names())}")
    return make_game(name, {option: _number(name, option, value) for option, value in options.items()})


def _number(name: str, option: str, value: object) -> float:
    if isinstance(value, Real):  # numpy's numbers too
        try:
            return float(value)
        except OverflowError:
            return math.inf  # out of every range
    raise GameOptionError(f"{name}: {option} must be a number, not {value!r}.")
