"""What the settings of every stage are made of: a frozen model, fields with a meaning and bounds, a named error."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from tengen._core import TengenError
from tengen.base.spelling import did_you_mean

MOST = 10**9  # of every setting that has no other upper bound: more makes no sense, or no machine has the memory
MOST_THREADS = 1024


class ConfigError(TengenError):
    """A setting that does not exist or has an impossible value."""


class Stage(BaseModel):
    """The settings of one stage: frozen, and with no name or number that is not known."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


def setting(default: Any, meaning: str, *, unit: str = "", **bounds: Any) -> Any:
    """A field with what docs/settings.md says of it. A number without an upper bound has MOST."""
    if isinstance(default, int | float) and not isinstance(default, bool) and not bounds.keys() & {"le", "lt"}:
        bounds["le"] = MOST if isinstance(default, int) else float(MOST)
    return Field(default, description=meaning, json_schema_extra={"unit": unit} if unit else None, **bounds)


def unknown_setting(path: str, key: str, names: Sequence[str]) -> str:
    """That there is no such setting, and which was probably meant."""
    return f"There is no setting '{path}'; {did_you_mean(key, names)}"
