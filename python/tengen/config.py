"""Every setting of a training run: one frozen model per stage, composed into RunConfig.

A run's TOML file holds only what differs from these defaults. Unknown keys are refused with their path and the name
that was probably meant. Search parameters are defined in C++ (`search/params.h`) and only referred to here.
"""

from __future__ import annotations

import difflib
import tomllib
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from tengen._core import SearchParams, TengenError, param_specs

__all__ = [
    "ArenaConfig",
    "ConfigError",
    "LearnerConfig",
    "NetworkConfig",
    "ReplayConfig",
    "RunConfig",
    "SelfPlayConfig",
    "load_config",
]


class ConfigError(TengenError):
    """A setting that does not exist or has an impossible value."""


class _Stage(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class NetworkConfig(_Stage):
    """The shape of the network. Defaults: `small`, right for boards up to 9x9 on a CPU.

    In a config file `preset = "medium"` stands for the settings of that preset; others next to it go on top.
    """

    PRESETS: ClassVar[dict[str, dict[str, Any]]] = {
        "tiny": {"blocks": 2, "channels": 16, "pooling": False, "policy_channels": 16, "value_channels": 16},
        "small": {},
        "medium": {"blocks": 6, "channels": 96},
        # AlphaGo Zero's tower of a convolution and 19 blocks; its 17 planes are go with history=8.
        "alphago_zero": {
            "blocks": 19,
            "channels": 256,
            "pooling": False,
            "policy_channels": 32,
            "value_channels": 256,
            "reply_head": False,
        },
    }

    blocks: int = Field(4, ge=1, le=60, description="residual blocks")
    channels: int = Field(64, ge=4, le=1024, description="channels of the trunk")
    pooling: bool = Field(True, description="global pooling in every third block (KataGo 2019)")
    policy_channels: int = Field(32, ge=4, le=1024, description="channels of the policy head")
    value_channels: int = Field(32, ge=4, le=1024, description="channels and hidden units of the value head")
    reply_head: bool = Field(True, description="also predict the opponent's reply (KataGo 2019)")
    ownership_head: bool = Field(False, description="also predict whose each cell will be at the end (Go, Othello)")
    score_head: bool = Field(False, description="also predict the final margin (Go, Othello)")

    @classmethod
    def preset(cls, name: str, **changes: Any) -> NetworkConfig:
        """One of PRESETS, with `changes` on top."""
        return cls.model_validate({"preset": name, **changes})

    @model_validator(mode="before")
    @classmethod
    def _expand_preset(cls, content: Any) -> Any:
        if not isinstance(content, dict) or "preset" not in content:
            return content
        changes = dict(content)
        name = changes.pop("preset")
        if name not in cls.PRESETS:
            raise ValueError(_unknown("network.preset." + str(name), str(name), list(cls.PRESETS)))
        return {**cls.PRESETS[name], **changes}


class SelfPlayConfig(_Stage):
    """How games are made."""

    threads: int = Field(0, ge=0, description="threads that play the units; 0: one per core")
    units: int = Field(0, ge=0, description="parts that self-play is divided into; 0: one per core when a run begins")
    games_per_unit: int = Field(128, ge=1, description="games in flight in each unit")
    positions: int = Field(16_384, ge=1, description="positions searched per iteration, all units together")
    simulations: int = Field(32, ge=1, description="per recorded position")
    final_simulations: int = Field(
        0, ge=0, description="that they grow to in the course of the run, by equal factors (MiniZero 2023); 0: constant"
    )
    precision: Literal["f32", "bf16", "int8"] = Field("int8", description="of the network that plays")
    fast_simulations: int = Field(0, ge=0, description="playout cap: of the positions that are not recorded; 0: off")
    full_share: float = Field(1.0, gt=0, le=1, description="share of the positions that are recorded (KataGo: 0.25)")
    temperature: float = Field(1.0, ge=0, description="of the move choice in the first temperature_plies plies")
    temperature_plies: int = Field(12, ge=0, description="after them the best move is played")
    random_start_share: float = Field(0.5, ge=0, le=1, description="share of the games that start with random plies")
    random_start_plies: int = Field(8, ge=0, description="the most of them")
    archive_start_share: float = Field(
        0.0, ge=0, le=1, description="share that starts one random ply off an earlier game"
    )
    resign_below: float = Field(
        -1.0, ge=-1, le=0, description="resign at this value, or lower if more than 1 in 20 were wrong; -1: never"
    )
    never_resign_share: float = Field(
        0.1, ge=0, le=1, description="share of the games that are played out, to know how many were wrong"
    )
    keep_values: bool = Field(False, description="also keep the root values of searches that are not recorded")
    search: dict[str, Any] = Field(
        default_factory=lambda: {"selection": "gumbel", "random_symmetry": True, "cache_entries": 32_768},
        description="search parameters that differ from the defaults",
    )

    @model_validator(mode="before")
    @classmethod
    def _former_names(cls, content: Any) -> Any:
        """Configs of before units say games_per_thread."""
        if not isinstance(content, dict) or "games_per_thread" not in content:
            return content
        changed = dict(content)
        former = changed.pop("games_per_thread")
        changed.setdefault("games_per_unit", former)
        return changed

    @field_validator("search")
    @classmethod
    def _known_search_parameters(cls, value: dict[str, Any]) -> dict[str, Any]:
        names = [spec.name for spec in param_specs()]
        for key in value:
            if key not in names:
                raise ValueError(_unknown("self_play.search." + key, key, names))
        SearchParams(**value)
        return value

    @property
    def search_params(self) -> SearchParams:
        return SearchParams(**self.search)

    @property
    def most_simulations(self) -> int:
        return max(self.simulations, self.final_simulations, self.fast_simulations)

    def simulations_at(self, progress: float) -> int:
        """Per recorded position, when this share of the run is done."""
        growth = (self.final_simulations or self.simulations) / self.simulations
        return round(self.simulations * float(growth**progress))


class ReplayConfig(_Stage):
    """Which positions the learner sees: a window over the newest that grows with the run."""

    window_start: int = Field(40_000, ge=1, description="positions in the window at first")
    window_share: float = Field(0.6, ge=0, le=1, description="plus this share of all positions so far")
    window_most: int = Field(600_000, ge=1, description="but no more than this")
    surprise_weight: float = Field(
        0.5, ge=0, le=1, description="share of the sampling weight given to surprise (KataGo)"
    )


class LearnerConfig(_Stage):
    """How the network learns."""

    batch: int = Field(128, ge=1, description="samples a step; in runs of an hour small batches pay")
    samples_per_position: float = Field(3.0, gt=0, description="gradient samples per new position (KataGo: at most 4)")
    learning_rate: float = Field(2e-3, gt=0, description="Muon's and AdamW's; SGD wants about ten times more")
    warmup: float = Field(0.02, ge=0, le=1, description="share of the run over which the rate rises")
    flat_until: float = Field(0.6, ge=0, le=1, description="share of the run after which the rate falls (cosine)")
    final_rate: float = Field(0.03, gt=0, le=1, description="the rate at the end, as a share of learning_rate")
    weight_decay: float = Field(1e-4, ge=0, description="c in the paper's loss")
    gradient_clip: float = Field(3.0, gt=0)
    optimizer: Literal["muon", "adamw", "sgd"] = Field(
        "muon", description="of the convolutions of the blocks; muon leaves the other weights to adamw"
    )
    value_weight: float = Field(1.0, ge=0, description="of the value loss against the policy loss")
    reply_weight: float = Field(0.15, ge=0, description="of the opponent's reply (KataGo: 0.15)")
    ownership_weight: float = Field(0.5, ge=0, description="of whose each cell is at the end (Go, Othello)")
    score_weight: float = Field(0.5, ge=0, description="of the final margin (Go, Othello)")
    search_value_share: float = Field(0.5, ge=0, le=1, description="lambda in (1 - lambda) z + lambda q")
    search_value_ramp: float = Field(0.15, ge=0, le=1, description="share of the run over which lambda rises from 0")
    average_decay: float = Field(
        0.5, ge=0, lt=1, description="of the averaged weights that play, per iteration; 0: off"
    )
    precision: Literal["auto", "f32", "bf16"] = Field("auto", description="auto: bf16 where the processor has it")
    device: Literal["auto", "cpu", "cuda", "mps"] = Field(
        "auto", description="of learning and of self-play; auto: a GPU if there is one"
    )
    threads: int = Field(0, ge=0, description="replicas that share a batch, one thread each; 0: one per core")


class ArenaConfig(_Stage):
    """Measuring the network on a ladder of opponents and, if gating, against the champion."""

    every: int = Field(10, ge=0, description="iterations between measurements; 0: never")
    games: int = Field(40, ge=2, description="per measurement and opponent")
    opponents: int = Field(3, ge=1, description="per measurement: those of the ladder that tell most")
    simulations: int = Field(100, ge=0, description="of the networks")
    anchors: tuple[str, ...] = Field(
        ("random", "rollout:100", "rollout:1000"),
        min_length=1,
        description="fixed players of the ladder, weakest first; older networks of the run come on top",
    )
    opening_plies: int = Field(4, ge=0, description="random plies at the start of a game; fewer in short games")
    final_accuracy: bool = Field(True, description="compare the last network with the truth, where that is known")
    gating: bool = Field(False, description="the candidate must beat the champion (AlphaGo Zero)")
    gating_games: int = Field(400, ge=2, description="of that match; it ends earlier once it is decided")
    threshold: float = Field(0.55, ge=0, le=1, description="the score it must exceed (AlphaGo Zero: 0.55 of 400 games)")


class RunConfig(_Stage):
    """A whole run. Given the same seed, threads and machine, two runs end with the same bits.

    In a config file `preset = "paper"` stands for the settings of that preset; others next to it go on top.
    """

    PRESETS: ClassVar[dict[str, dict[str, Any]]] = {
        # The method of AlphaGo Zero (2017) and AlphaZero (2018). The network's size is another matter: network.preset.
        "paper": {
            "network": {"pooling": False, "reply_head": False, "ownership_head": False, "score_head": False},
            "self_play": {
                "positions": 65_536,  # the paper: 25,000 games
                "simulations": 800,
                "fast_simulations": 0,
                "full_share": 1.0,
                "temperature": 1.0,
                "temperature_plies": 30,
                "random_start_share": 0.0,
                "archive_start_share": 0.0,
                "resign_below": -0.9,  # or lower, so that at most 1 in 20 are wrong
                "never_resign_share": 0.1,
                "search": {
                    "selection": "puct",
                    "c_puct": 1.25,
                    "c_puct_base": 19_652.0,
                    "unvisited_value": "zero",
                    "noise_fraction": 0.25,
                    "dirichlet_alpha": 0.0,  # as many as 0.03 on the 361 points of Go
                    "forced_playouts": 0.0,
                    "solve": False,
                    "discount": 1.0,
                    "random_symmetry": True,
                },
            },
            # One window, uniformly; the paper's half a million games of Go are more than a small machine holds.
            "replay": {"window_start": 600_000, "window_share": 0.0, "window_most": 600_000, "surprise_weight": 0.0},
            "learner": {
                "batch": 2048,
                "samples_per_position": 1.4,  # 700,000 steps of 2048 on 4.9 million games
                "optimizer": "sgd",  # with momentum 0.9
                "learning_rate": 0.02,
                "warmup": 0.0,
                "flat_until": 0.3,
                "final_rate": 0.01,
                "weight_decay": 1e-4,
                "gradient_clip": 1e6,  # none
                "value_weight": 1.0,
                "search_value_share": 0.0,
                "average_decay": 0.0,
            },
            "arena": {"simulations": 800, "gating": True, "gating_games": 400, "threshold": 0.55},
        },
    }

    game: str
    options: dict[str, float] = Field(default_factory=dict, description="options of the game")
    seed: int = Field(1, ge=0)
    iterations: int = Field(200, ge=1, description="self-play and learning, in turns")
    network: NetworkConfig = NetworkConfig()
    self_play: SelfPlayConfig = SelfPlayConfig()
    replay: ReplayConfig = ReplayConfig()
    learner: LearnerConfig = LearnerConfig()
    arena: ArenaConfig = ArenaConfig()


def load_config(path: Path | None = None, **settings: Any) -> RunConfig:
    """The config of a TOML file, with `settings` on top of it.

    A preset that the file names lies beneath the file; one among the settings goes on top of it.
    """
    content: dict[str, Any] = {}
    if path is not None:
        try:
            content = tomllib.loads(path.read_text())
        except OSError as error:
            raise ConfigError(f"The config {path} can't be read: {error.strerror}.") from error
        except tomllib.TOMLDecodeError as error:
            raise ConfigError(f"The config {path} is not TOML: {error}.") from error
    try:
        return RunConfig(**_merged(_expanded(content), _expanded(settings)))
    except ValidationError as error:
        raise ConfigError(_explained(error)) from error


def _expanded(content: dict[str, Any]) -> dict[str, Any]:
    """The settings that a preset stands for, with the others next to it on top."""
    if "preset" not in content:
        return content
    name = str(content["preset"])
    if name not in RunConfig.PRESETS:
        raise ConfigError(_unknown(f"preset.{name}", name, list(RunConfig.PRESETS)))
    return _merged(RunConfig.PRESETS[name], {key: value for key, value in content.items() if key != "preset"})


def _merged(base: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    merged = dict(base)
    for key, value in over.items():
        known = merged.get(key)
        merged[key] = _merged(known, value) if isinstance(known, dict) and isinstance(value, dict) else value
    return merged


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
        return _unknown(path, str(first["loc"][-1]), list(model.model_fields))
    message = first["msg"].removeprefix("Value error, ")
    return f"{path}: {message[0].lower()}{message[1:]} (it is {first['input']!r})."


def _unknown(path: str, key: str, names: list[str]) -> str:
    close = difflib.get_close_matches(key, names, n=1, cutoff=0.5)
    hint = f"did you mean '{close[0]}'?" if close else f"there are: {', '.join(names)}."
    return f"There is no setting '{path}'; {hint}"
