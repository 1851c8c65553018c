"""A game on the command line: `go`, `go:size=9,komi=7`, `my_game.py`, `openspiel:hex(board_size=5)`."""

from typing import Annotated

import tyro

from tengen import Game, load
from tengen.games import OPENSPIEL_PREFIX
from tengen.games.options import OptionValue, parse_options

HELP = "a game with its options, as in go:size=9,komi=7; a file of rules (my_game.py); or openspiel:hex(board_size=5)"
GameArgument = Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="GAME", help=HELP)]


def parse_game(text: str) -> Game:
    """The game that `text` names."""
    name, options = split_game(text)
    return load(name, **options)


def split_game(text: str) -> tuple[str, dict[str, OptionValue]]:
    """What load() takes: 'go:size=9' is 'go' with size 9.

    OpenSpiel reads its own options, in parentheses; ours come behind them: 'openspiel:chess:longest_game=200'.
    """
    prefix = OPENSPIEL_PREFIX if text.startswith(OPENSPIEL_PREFIX) else ""
    name, _, options = text.removeprefix(prefix).partition(":")
    return prefix + name, parse_options(options)
