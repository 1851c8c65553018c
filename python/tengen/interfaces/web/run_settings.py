"""The settings of a run for the form of the page: what each is now, where that comes from, and what it means.

A visitor may set numbers, switches and choices. Settings that name files or programs are left to the command line: a
page must not be able to run code.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from tengen import Game
from tengen._core import param_specs
from tengen.config import ConfigError, RunConfig
from tengen.interfaces.web.shapes import Word
from tengen.run.settings import resolve, setting_values

__all__ = ["SettingWord", "SettingsWord", "check_sets", "settings_word"]

SEARCH = "self_play.search."


class SettingWord(Word):
    name: str  # "self_play.simulations"
    value: bool | int | float | str
    origin: str  # where the value comes from
    meaning: str
    unit: str
    choices: list[str]  # if it is one of a few


class SettingsWord(Word):
    presets: list[str]
    settings: list[SettingWord]


def settings_word(game: Game, minutes: float, preset: str | None) -> SettingsWord:
    """What a run of the game would have, if it were started now."""
    resolved = resolve(game, minutes=minutes, preset=preset)
    values = setting_values(resolved.config)
    return SettingsWord(
        presets=list(RunConfig.PRESETS),
        settings=[
            SettingWord(name=name, value=values[name], origin=resolved.origins[name], **about)
            for name, about in _settable().items()
            if name in values
        ],
    )


def check_sets(sets: Sequence[str]) -> None:
    """ConfigError if one is not a setting that the page may change."""
    known = _settable()
    for text in sets:
        name = text.partition("=")[0].strip()
        if name not in known:
            raise ConfigError(f"'{name[:60]}' is not a setting that can be changed on the page; see docs/settings.md.")


def _settable() -> dict[str, dict[str, object]]:
    """By dotted name what is said of each."""
    found: dict[str, dict[str, object]] = {}
    for stage, field in RunConfig.model_fields.items():
        model = field.annotation
        if isinstance(model, type) and issubclass(model, BaseModel):
            found |= {f"{stage}.{name}": _about(one) for name, one in model.model_fields.items() if _is_settable(one)}
        elif _is_settable(field):
            found[stage] = _about(field)
    for spec in param_specs():
        choices = [str(choice) for choice in spec.choices or ()]
        if choices or isinstance(spec.default, (bool, int, float)):
            found[f"{SEARCH}{spec.name}"] = {"meaning": spec.help, "unit": "", "choices": choices}
    return found


def _is_settable(field: FieldInfo) -> bool:
    return field.annotation in (bool, int, float) or get_origin(field.annotation) is Literal


def _about(field: FieldInfo) -> dict[str, object]:
    extra = field.json_schema_extra if isinstance(field.json_schema_extra, dict) else {}
    choices = [str(choice) for choice in get_args(field.annotation)] if get_origin(field.annotation) is Literal else []
    return {"meaning": field.description or "", "unit": str(extra.get("unit", "")), "choices": choices}
