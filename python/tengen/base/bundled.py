"""What comes with tengen besides code: `examples`, games as rules files; `experiments`, the settings of runs; `models`,
networks that they made.

In a checkout they are folders at its root; an installed package carries them inside.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

__all__ = ["bundled_folder", "bundled_names"]

_PACKAGE = Path(__file__).parents[1]


def bundled_folder(kind: Literal["examples", "experiments", "models"]) -> Path:
    """Where they are."""
    inside = _PACKAGE / kind
    return inside if inside.is_dir() else _PACKAGE.parents[1] / kind


def bundled_names(kind: Literal["examples", "experiments", "models"]) -> list[str]:
    """What they are called: connect_four, go_9x9 ..."""
    return sorted(path.stem for path in bundled_folder(kind).glob("*") if not path.name.startswith("."))
