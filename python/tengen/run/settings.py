"""Which settings suit a game: one answer for command line, page and doctor, and where each value comes from.

What is further to the right covers what lies beneath it, setting by setting:

    defaults < sized for game and minutes < experiment of the game < method < preset < config file < --set < flags

An experiment (`experiments/*.toml`, here or bundled) says what was found out about one game on one board. It holds for
all options that leave board and actions as they are, such as the komi of Go; the options of the run stay the user's.
"""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tengen._core import Game
from tengen.base.bundled import bundled_folder
from tengen.base.spelling import nearest
from tengen.config import (
    ConfigError,
    RunConfig,
    expanded,
    make_config,
    merged,
    preset_settings,
    read_config,
    search_defaults,
    unknown_setting,
)
from tengen.games import load
from tengen.games.options import Option, split_game
from tengen.run.sizing import FIRST_TRY_MINUTES, facts_of, sizes_for

__all__ = [
    "ONE_CORE",
    "Settings",
    "changed_settings",
    "find_experiment",
    "laid_over",
    "resolve",
    "setting_values",
    "settings_toml",
]

# What a run is told whose minutes are those of the processor: in one thread they pass as those of a clock would.
ONE_CORE = ("self_play.threads=1", "self_play.units=1", "learner.threads=1")


@dataclass(frozen=True)
class Settings:
    """A config, and for each of its settings, by dotted name, where the value comes from."""

    config: RunConfig
    origins: dict[str, str]


def resolve(
    game: Game | str | None = None,
    *,
    minutes: float | None = None,
    file: Path | None = None,
    sets: Sequence[str] = (),
    preset: str | None = None,
    seed: int | None = None,
    iterations: int | None = None,
    method: str | None = None,
    cores: int | None = None,
) -> Settings:
    """The settings of a run of `game`, or of the game that the file names.

    `sets` are texts such as "self_play.simulations=64". `minutes` is how long the run may take; without it the run is
    sized for a first try; `cores` is how many it is sized for, by default all of this machine. ConfigError says in a
    sentence what is wrong.
    """
    from_file = read_config(file) if file is not None else {}
    said = _parsed(sets)
    chosen, given_by = _chosen_game(game, from_file, said, file)
    sizes = sizes_for(facts_of(chosen), minutes or FIRST_TRY_MINUTES, cores or os.cpu_count() or 1)
    layers: list[_Layer] = [(_sized_for(minutes), sizes)]
    if (experiment := find_experiment(chosen)) is not None:
        layers.append((_shown(experiment), expanded(read_config(experiment))))
    flags = {"seed": seed, "iterations": iterations, "method": method}
    layers += _layers_on_top(file, from_file, said, preset, flags)
    content: dict[str, Any] = {}
    for _, layer in layers:
        content = merged(content, layer)
    config = make_config({**content, "game": chosen.spec.source, "options": _options_of(chosen)})
    return Settings(config, _origins(config, layers, given_by))


def laid_over(
    kept: RunConfig,
    *,
    file: Path | None = None,
    sets: Sequence[str] = (),
    preset: str | None = None,
    seed: int | None = None,
    iterations: int | None = None,
    method: str | None = None,
) -> RunConfig:
    """The config of a begun run with these on top of it."""
    from_file = read_config(file) if file is not None else {}
    content = kept.model_dump(mode="json")
    flags = {"seed": seed, "iterations": iterations, "method": method}
    for _, layer in _layers_on_top(file, from_file, _parsed(sets), preset, flags):
        content = merged(content, layer)
    return make_config(content)


_Layer = tuple[str, dict[str, Any]]  # where the settings come from, and what they are


def _layers_on_top(
    file: Path | None,
    from_file: Mapping[str, Any],
    said: Mapping[str, Any],
    preset: str | None,
    flags: Mapping[str, int | str | None],
) -> list[_Layer]:
    """Method, preset, file, --set and flags. There is one preset: that of the command line, else that of the file."""
    layers: list[_Layer] = []
    method = flags.get("method") or said.get("method") or from_file.get("method")
    if method in RunConfig.METHOD_SETTINGS:
        layers.append((f"method {method}", RunConfig.METHOD_SETTINGS[str(method)]))
    name = preset or said.get("preset") or from_file.get("preset")
    if name is not None:
        layers.append((f"preset {name}", preset_settings(str(name))))
    for origin, content in ((str(file), from_file), ("--set", said)):
        layers.append((origin, expanded({key: value for key, value in content.items() if key != "preset"})))
    layers += [(f"--{flag}", {flag: value}) for flag, value in flags.items() if value is not None]
    return layers


def _sized_for(minutes: float | None) -> str:
    if minutes is None:
        return f"sized for the game and a first try of {FIRST_TRY_MINUTES:g} minutes"
    return f"sized for the game and {minutes:g} minute{'s' * (minutes != 1)}"


# ---- The game


def _chosen_game(
    game: Game | str | None, from_file: Mapping[str, Any], said: Mapping[str, Any], file: Path | None
) -> tuple[Game, dict[str, str]]:
    """The game, and for its name and each of its options that someone gave, who did."""
    named = from_file.get("game")
    if isinstance(game, Game):
        name, own = game.spec.source, _options_of(game)
    elif game is not None:
        name, own = split_game(game)
    elif named is not None:
        name, own = str(named), {}
    else:
        where = f"{file} names none" if file is not None else "there is no config that names one"
        raise ConfigError(f"Which game? {where}; give GAME, as in tengen train connect_four.")
    if named is not None and not _same_name(str(named), name):
        raise ConfigError(f"{file} is of {named}, not of {name}.")
    given_by = {"game": str(file) if game is None else "GAME"}
    options: dict[str, Any] = {}
    for origin, table in ((str(file), from_file), ("--set", said), ("GAME", {"options": own})):
        checked = make_config({"game": name, "options": table.get("options", {})}).options
        options |= checked
        given_by |= dict.fromkeys((f"options.{option}" for option in checked), origin)
    return load(name, **options), given_by


def _same_name(a: str, b: str) -> bool:
    return a == b or (a.endswith(".py") and b.endswith(".py") and Path(a).resolve() == Path(b).resolve())


def _options_of(game: Game) -> dict[str, Option]:
    """Every option with its value."""
    return dict(game.spec.options)


# ---- Experiments


def find_experiment(game: Game) -> Path | None:
    """What was found out about this game on this board: a file of `experiments` here, else one that is bundled.

    A file that names no game is for the game that it is called after. One that names a method is for that alone.
    """
    name = game.spec.source
    for folder in (Path("experiments"), bundled_folder("experiments")):
        for path in sorted(folder.glob("*.toml"), key=lambda path: (path.stem != Path(name).stem, path.name)):
            is_called_so = path.stem == Path(name).stem
            try:
                content = read_config(path)
            except ConfigError:
                if is_called_so:
                    raise
                continue  # of another game, which it may keep anyone from training, but not this one
            if "method" in content:
                continue
            if "game" not in content and is_called_so:
                return path
            if _same_name(str(content.get("game")), name) and _board(
                load(name, **content.get("options", {}))
            ) == _board(game):
                return path
    return None


def _board(game: Game) -> tuple[int, int, int]:
    return game.spec.height, game.spec.width, game.spec.num_actions


def _shown(experiment: Path) -> str:
    is_bundled = experiment.parent == bundled_folder("experiments")
    return f"experiments/{experiment.name}" if is_bundled else str(experiment)


# ---- --set


def _parsed(sets: Sequence[str]) -> dict[str, Any]:
    """'self_play.simulations=64' as tables of a config; each value as TOML has it, or else a text."""
    known = [*_defaults(), "preset", "network.preset"]
    content: dict[str, Any] = {}
    for text in sets:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not equals:
            raise ConfigError(f"--set takes NAME=VALUE, as in --set self_play.simulations=64; found '{text}'.")
        if name not in known and not name.startswith(("options.", "network.settings.")):
            raise ConfigError(_unknown_set(name, known))
        if name == "game":
            raise ConfigError("The game of a run is given as GAME, not by --set.")
        nested: Any = _toml_value(value)
        for part in reversed(name.split(".")):
            nested = {part: nested}
        content = merged(content, nested)
    return content


def _toml_value(text: str) -> Any:
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (tomllib.TOMLDecodeError, RecursionError):
        return text


def _unknown_set(name: str, known: Sequence[str]) -> str:
    """The likely one may be of another table: 'simulations' alone is that of self-play or of the arena."""
    same = [other for other in known if other.rpartition(".")[2] == name.rpartition(".")[2]]
    if same:
        return f"There is no setting '{name}'; did you mean {' or '.join(repr(other) for other in same)}?"
    table = name.rpartition(".")[0]
    near = [other for other in known if table and other.rpartition(".")[0] == table]
    if near or nearest(name, known):
        return unknown_setting(name, name, near or known)
    return f"There is no setting '{name}'; tengen train GAME --show-config lists them."


# ---- What there is, and where it comes from


def _defaults() -> dict[str, Any]:
    """Every setting by its dotted name, with its default. Options depend on the game and are not among them."""
    return {name: value for name, value in setting_values(RunConfig(game="")).items() if value is not None}


def setting_values(config: RunConfig) -> dict[str, Any]:
    """Every setting of a config by its dotted name, those of the search included that are as they always are."""
    found: dict[str, Any] = {}
    for name, value in config.model_dump(mode="json").items():
        if name == "options":
            found |= {f"options.{option}": chosen for option, chosen in value.items()}
        elif not isinstance(value, dict):
            found[name] = value
        else:
            for key, setting in value.items():
                if (name, key) == ("self_play", "search"):
                    found |= {
                        f"{name}.{key}.{param}": chosen for param, chosen in (search_defaults() | setting).items()
                    }
                else:
                    found[f"{name}.{key}"] = setting
    return found


def changed_settings(kept: RunConfig, wanted: RunConfig) -> dict[str, tuple[Any, Any]]:
    """The settings in which two configs differ, with both values."""
    before, after = setting_values(kept), setting_values(wanted)
    return {
        name: (before.get(name), after.get(name))
        for name in dict.fromkeys([*before, *after])
        if before.get(name) != after.get(name)
    }


def _origins(config: RunConfig, layers: Sequence[_Layer], given_by: Mapping[str, str]) -> dict[str, str]:
    found = {}
    for name in setting_values(config):
        said_by = [origin for origin, content in layers if _says(content, name.split("."))]
        found[name] = given_by.get(name) or (said_by[-1] if said_by and not name.startswith("options.") else "default")
    return found


def _says(content: Mapping[str, Any], parts: Sequence[str]) -> bool:
    for part in parts:
        if not isinstance(content, Mapping) or part not in content:
            return False
        content = content[part]
    return True


def settings_toml(settings: Settings) -> str:
    """The config as TOML that load_config reads, each value with where it comes from as a comment."""
    lines: list[tuple[str, str]] = []  # text, and its comment
    table = ""
    for name, value in _by_table(setting_values(settings.config)):
        above, _, key = name.rpartition(".")
        if above != table:
            lines += [("", ""), (f"[{above}]", "")]
            table = above
        lines.append((f"{key} = {_as_toml(value)}", settings.origins[name]))
    width = min(48, max(len(text) for text, _ in lines))
    return "\n".join(f"{text:{width}}  # {comment}" if comment else text for text, comment in lines) + "\n"


def _by_table(values: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Settings that stand in no table first, as TOML wants it."""
    yield from ((name, value) for name, value in values.items() if "." not in name)
    yield from ((name, value) for name, value in values.items() if "." in name)


def _as_toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(key)} = {_as_toml(part)}" for key, part in value.items()) + " }"
    if isinstance(value, list):
        return f"[{', '.join(map(_as_toml, value))}]"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, bool | str) else repr(value)
