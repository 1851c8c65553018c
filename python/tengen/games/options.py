"""The options of a game as text: `size=9, komi=7.5`, on the command line and in the headers of old networks."""

from __future__ import annotations

from tengen._core import GameOptionError

__all__ = ["OptionValue", "parse_options"]

OptionValue = bool | int | float

FLAGS = {"true": True, "false": False}


def parse_options(text: str) -> dict[str, OptionValue]:
    """What load() takes, from what GameSpec.options_text has or a person writes: blanks and case do not matter."""
    return dict(_option(part.strip()) for part in text.split(",") if part.strip())


def _option(part: str) -> tuple[str, OptionValue]:
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
