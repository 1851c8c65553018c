"""The config of a file and of settings: read, presets put in, laid over each other, and every setting checked."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from tengen.base.reading import UnreadableError, read_text
from tengen.config.network import NetworkConfig
from tengen.config.run import RunConfig
from tengen.config.stage import ConfigError, unknown_setting

MOST_CONFIG_BYTES = 1 << 16  # of a file; ours have 4,000, and a parser takes time that grows with the square
# Settings that have another name in older files.
RENAMED = {"self_play.games_per_thread": "self_play.games_per_unit"}


def load_config(path: Path | None = None, **settings: Any) -> RunConfig:
    """The config of a TOML file, with `settings` on top of it.

    A preset that the file names lies beneath the file; one among the settings goes on top of it. Nothing here looks at
    the game: the settings that suit one are `tengen.run.settings.resolve`.
    """
    content = read_config(path) if path is not None else {}
    return make_config(merged(expanded(content), expanded(settings)))


def make_config(content: Mapping[str, Any]) -> RunConfig:
    """The config of these settings, each checked. ConfigError names the first that is wrong."""
    try:
        return RunConfig(**content)
    except ValidationError as error:
        raise ConfigError(_explained(error)) from error


def read_config(path: Path) -> dict[str, Any]:
    """What a TOML file says, under the names that settings have today."""
    try:
        content = tomllib.loads(read_text(path, MOST_CONFIG_BYTES))
    except UnreadableError as error:
        raise ConfigError(f"The config {path} can't be read: {error}.") from error
    except RecursionError as error:
        raise ConfigError(f"The config {path} has tables or lists too deep in each other.") from error
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"The config {path} is not TOML: {error}.") from error
    for old, new in RENAMED.items():
        table, _, name = old.rpartition(".")
        place = content.get(table)
        if isinstance(place, dict) and name in place:
            place.setdefault(new.rpartition(".")[2], place.pop(name))
    return content


def expanded(content: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that presets and a module of one's own stand for, with the others next to them on top."""
    found = dict(content)
    network = found.get("network")
    if isinstance(network, str):
        found["network"] = {"module": network}
    elif isinstance(network, dict) and "preset" in network:
        found["network"] = NetworkConfig.preset_settings(network)
    if "preset" not in found:
        return found
    return merged(preset_settings(str(found.pop("preset"))), found)


def preset_settings(name: str) -> dict[str, Any]:
    """What a preset of a whole run stands for."""
    if name not in RunConfig.PRESETS:
        raise ConfigError(unknown_setting(f"preset.{name}", name, list(RunConfig.PRESETS)))
    return RunConfig.PRESETS[name]


def merged(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """`base` with what `over` says on top, key by key."""
    both = dict(base)
    for key, value in over.items():
        known = both.get(key)
        both[key] = merged(known, value) if isinstance(known, dict) and isinstance(value, dict) else value
    return both


def _explained(error: ValidationError) -> str:
    """The first problem in words, with its path and, for an unknown key, the likely one."""
    first = error.errors()[0]
    path = ".".join(str(part) for part in first["loc"])
    if first["type"] == "extra_forbidden":
        model: type[BaseModel] = RunConfig
        for part in first["loc"][:-1]:
            annotation = model.model_fields[str(part)].annotation
            assert isinstance(annotation, type)
            model = annotation
        return unknown_setting(path, str(first["loc"][-1]), list(model.model_fields))
    if first["loc"][0] == "options" and len(first["loc"]) > 1:  # pydantic speaks of one type of the three
        return f"options.{first['loc'][1]}: an option is a number, true or false (it is {first['input']!r})."
    message = first["msg"].removeprefix("Value error, ")
    if message.startswith("There is no setting"):
        return message
    return f"{path}: {message[0].lower()}{message[1:]} (it is {first['input']!r})."
