"""A run that begins with a network that exists: `tengen train GAME --from MODEL`.

The run takes the network's weights and its shape, and nothing else: the optimizer begins anew, because what it has
gathered belongs to the run that gathered it. The config of the run says the shape, so that the run goes on without
MODEL once its first iteration is committed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tengen._core import Game
from tengen.config import ConfigError, NetworkConfig
from tengen.network.architecture import OWNERSHIP, REPLY, SCORE, Architecture, Layer, describe
from tengen.network.checkpoint import NetworkFile, check_fits
from tengen.run.settings import Settings, setting_values

__all__ = ["shape_of", "starting_from"]


def starting_from(settings: Settings, game: Game, start: NetworkFile) -> Settings:
    """The settings of a run that begins with `start`: its shape, and its digest so that the run is known by it.

    Refuses a network of another game, and one of another shape than the settings that someone chose ask for.
    """
    check_fits(start, game)
    is_tables = settings.config.network.kind == "ntuple" or settings.config.method == "temporal"
    if is_tables or start.architecture.tables is not None:
        raise ConfigError("start: a run of tables begins with empty ones; --from is for networks of layers.")
    shape = shape_of(game, start)
    asked, has = setting_values(settings.config), shape.model_dump(mode="json")
    for name, value in has.items():
        origin = settings.origins.get(f"network.{name}", "")
        is_chosen = origin == "--set" or (origin.endswith(".toml") and not origin.startswith("experiments/"))
        if is_chosen and asked.get(f"network.{name}") != value:
            raise ConfigError(
                f"network.{name}: the network to begin with has {value!r}, and {origin} asks for "
                f"{asked.get(f'network.{name}')!r}; a run keeps the shape of the network, so leave the setting out."
            )
    config = settings.config.model_copy(update={"network": shape, "start": start.digest})
    origins = settings.origins | dict.fromkeys((f"network.{name}" for name in has), "--from")
    return Settings(config, {**origins, "start": "--from"})


def shape_of(game: Game, network: NetworkFile) -> NetworkConfig:
    """The settings under which a blank network has this architecture. ConfigError if there are none."""
    architecture = network.architecture
    if architecture.module is not None:
        found = NetworkConfig(module=architecture.module.name, settings=architecture.module.settings)
    else:
        found = NetworkConfig.model_validate(_settings_of(architecture))
    if describe(game.spec, found) != architecture:
        raise ConfigError(
            "start: the network to begin with has a shape that this tengen can't make for this game: a head that does "
            "not fit its actions, or a module whose file was changed since."
        )
    return found


def _settings_of(architecture: Architecture) -> dict[str, Any]:
    towers = architecture.towers or (architecture,)
    trunk, heads = towers[0].trunk, [head for tower in towers for head in tower.heads]
    outputs = {output for head in heads for output in head.outputs}
    policy, value = (_head(heads, name) for name in ("policy", "value"))
    kinds = {layer.kind for layer in trunk[1:]} - {"pooling"}
    together = "separate" if architecture.towers else "policy and value"
    found: dict[str, Any] = {
        "blocks": len(trunk) - 1,
        "channels": trunk[0].sizes["channels"],
        "block": next(iter(kinds), "residual"),
        "pooling": any(layer.kind == "pooling" for layer in trunk),
        "kind": together if policy and value else "policy" if policy else "value",
        "reply_head": REPLY in outputs,
        "ownership_head": OWNERSHIP in outputs,
        "score_head": SCORE in outputs,
    }
    if policy:
        found["policy_channels"] = max(4, policy.sizes["hidden"])  # a dense head may have got fewer than it asked for
    if value:
        found["value_channels"] = value.sizes["hidden"]
    return found


def _head(heads: Sequence[Layer], name: str) -> Layer | None:
    """The head of that name. In a network of towers the name of the tower stands in front of it."""
    return next((head for head in heads if head.name.rpartition(".")[2] == name), None)
