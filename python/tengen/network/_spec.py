"""What a GameSpec says of its rules, also one that has its options as text and no digest yet."""

from __future__ import annotations

from typing import Any

from tengen._core import GameSpec
from tengen.network.old_header import options_from_text

__all__ = ["options_of", "rules_digest_of"]


def options_of(spec: GameSpec) -> dict[str, Any]:
    options: Any = spec.options
    return options_from_text(options) if isinstance(options, str) else dict(options)


def rules_digest_of(spec: GameSpec) -> str:
    return str(getattr(spec, "rules_digest", ""))
