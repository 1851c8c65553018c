"""A game and its options as text: `go:size=9,komi=7` on a command line, `size=9, komi=7` in a specification."""

from __future__ import annotations

from tengen._core import GameOptionError

__all__ = ["Option", "parse_options", "plain_option", "split_game"]

Option = bool | int | float
WORDS = {"true": True, "false": False}


def split_game(text: str) -> tuple[str, dict[str, Option]]:
    """What load() takes: 'go:size=9' is 'go' with size 9."""
    if text.startswith("openspiel:"):  # its options are inside: OpenSpiel reads them itself
        return text, {}
    name, _, options = text.partition(":")
    return name, parse_options(options)


def parse_options(text: str) -> dict[str, Option]:
    """'size=9,komi=7.5', with or without spaces."""
    return dict(_option(part.strip()) for part in text.split(",") if part.strip())


def _option(part: str) -> tuple[str, Option]:
    name, equals, value = part.partition("=")
    if not equals:
        raise GameOptionError(f"Options are written name=value, as in go:size=9,komi=7; found '{part}'.")
    if value.lower() in WORDS:
        return name, WORDS[value.lower()]
    try:
        return name, plain_option(float(value))
    except ValueError:
        raise GameOptionError(f"The option {name} must be a number, true or false, not '{value}'.") from None


def plain_option(value: Option) -> Option:
    """A whole number as an int."""
    return int(value) if isinstance(value, float) and value.is_integer() else value
