"""A game and its options as text: `go:size=9,komi=7` on a command line, `size=9, komi=7.5` in old networks."""

from __future__ import annotations

from tengen._core import GameOptionError

__all__ = ["OPENSPIEL_PREFIX", "Option", "parse_options", "plain_option", "split_game"]

Option = bool | int | float

OPENSPIEL_PREFIX = "openspiel:"
FLAGS = {"true": True, "false": False}


def split_game(text: str) -> tuple[str, dict[str, Option]]:
    """What load() takes: 'go:size=9' is 'go' with size 9.

    OpenSpiel reads its own options, in parentheses; ours come behind them: 'openspiel:chess:longest_game=200'.
    """
    prefix = OPENSPIEL_PREFIX if text.startswith(OPENSPIEL_PREFIX) else ""
    name, _, options = text.removeprefix(prefix).partition(":")
    return prefix + name, parse_options(options)


def parse_options(text: str) -> dict[str, Option]:
    """What load() takes, from GameSpec.options_text or from what a person writes: blanks and case do not matter."""
    return dict(_option(part.strip()) for part in text.split(",") if part.strip())


def _option(part: str) -> tuple[str, Option]:
    name, equals, value = (word.strip() for word in part.partition("="))
    if not equals or not name:
        raise GameOptionError(f"Options are written name=value, as in go:size=9,komi=7; found '{part[:80]}'.")
    if value.lower() in FLAGS:
        return name, FLAGS[value.lower()]
    for number in (int, float):
        try:
            return name, number(value)
        except ValueError:
            continue
    raise GameOptionError(f"The option {name} must be a number, true or false, not '{value[:80]}'.")


def plain_option(value: Option) -> Option:
    """A whole number as an int."""
    return int(value) if isinstance(value, float) and value.is_integer() else value
