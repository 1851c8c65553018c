"""A game on the command line: `go`, `go:size=9,komi=7`, `my_game.py`, `openspiel:hex(board_size=5)`."""

from typing import Annotated

import tyro

from tengen import Game, GameOptionError, load

HELP = "a game with its options, as in go:size=9,komi=7; a file of rules (my_game.py); or openspiel:hex(board_size=5)"
GameArgument = Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="GAME", help=HELP)]

FLAGS = {"true": True, "false": False}


def parse_game(text: str) -> Game:
    """The game that `text` names."""
    name, options = split_game(text)
    return load(name, **options)


def split_game(text: str) -> tuple[str, dict[str, float]]:
    """What load() takes: 'go:size=9' is 'go' with size 9."""
    if text.startswith("openspiel:"):  # its options are inside: OpenSpiel reads them itself
        return text, {}
    name, _, options = text.partition(":")
    return name, dict(_option(part) for part in options.split(",") if part)


def _option(part: str) -> tuple[str, float]:
    name, equals, value = part.partition("=")
    if not equals:
        raise GameOptionError(f"Options are written name=value, as in go:size=9,komi=7; found '{part}'.")
    if value.lower() in FLAGS:
        return name, FLAGS[value.lower()]
    try:
        return name, float(value)
    except ValueError:
        raise GameOptionError(f"The option {name} must be a number, true or false, not '{value}'.") from None
