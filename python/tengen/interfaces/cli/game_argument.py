"""A game on the command line: `go`, `go:size=9,komi=7`, `my_game.py`, `openspiel:hex(board_size=5)`."""

from typing import Annotated

import tyro

from tengen import Game, load
from tengen.games.options import split_game

__all__ = ["HELP", "GameArgument", "parse_game", "split_game"]

HELP = "a game with its options, as in go:size=9,komi=7; a file of rules (my_game.py); or openspiel:hex(board_size=5)"
GameArgument = Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="GAME", help=HELP)]


def parse_game(text: str) -> Game:
    """The game that `text` names."""
    name, options = split_game(text)
    return load(name, **options)
