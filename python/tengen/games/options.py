"""The options of a game, from text."""

from __future__ import annotations

import ast

__all__ = ["parse_options"]


def parse_options(text: str) -> dict[str, float]:
    """'size=9, komi=7.5' as GameSpec.options has it."""
    pairs = (pair.split("=") for pair in text.split(", ") if pair)
    return {name: float(ast.literal_eval(value)) for name, value in pairs}
