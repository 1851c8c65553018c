"""Every setting of a training run: one frozen model per stage, composed into RunConfig.

A run's TOML file holds only what differs from these defaults. Unknown keys are refused with their path and the name
that was probably meant. Search parameters are defined in C++ (`search/params.h`) and only referred to here.
"""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool, ValidationError, field_validator, model_validator

from tengen._core import SearchParams, TengenError, param_specs
from tengen.base.reading import UnreadableError, read_text

__all__ = [
    "AlphaGoConfig",
    "ArenaConfig",
    "ConfigError",
    "DqnConfig",
    "ImitationConfig",
    "LearnerConfig",
    "NetworkConfig",
    "ReinforceConfig",
    "ReplayConfig",
    "RunConfig",
    "SelfPlayConfig",
    "TablesConfig",
    "load_config",
]


MOST = 10**9  # of every setting that has no other upper bound: more makes no sense, or no machine has the memory
MOST_THREADS = 1024
MOST_UNITS = 65_536
MOST_CONFIG_BYTES = 1 << 16  # of a file; ours have 4,000, and a parser takes time that grows with the square
# Settings that have another name in older files.
RENAMED = {"self_play.games_per_thread": "self_play.games_per_unit"}


class ConfigError(TengenError):
    """A setting that does not exist or has an impossible value."""


class _Stage(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


def _setting(default: Any, meaning: str, *, unit: str = "", **bounds: Any) -> Any:
    """A field with what docs/settings.md says of it. A number without an upper bound has MOST."""
    if isinstance(default, int | float) and not isinstance(default, bool) and not bounds.keys() & {"le", "lt"}:
        bounds["le"] = MOST if isinstance(default, int) else float(MOST)
    return Field(default, description=meaning, json_schema_extra={"unit": unit} if unit else None, **bounds)


class NetworkConfig(_Stage):
    """The shape of the network. Defaults: `small`, right for boards up to 9x9 on a CPU.

    In a config file `preset = "medium"` stands for the settings of that preset; others next to it go on top.
    `network = "my_net.py:MyNet"` stands for `module`.
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
    block: Literal["residual", "se"] = Field(
        "residual", description="kind of the blocks: residual (He 2015) or se (squeeze and excitation, Hu 2018)"
    )
    pooling: bool = Field(True, description="global pooling in every third block (KataGo 2019)")
    kind: Literal["policy and value", "separate", "policy", "value", "ntuple"] = Field(
        "policy and value",
        description="which heads the network has; a search needs a value; separate: a network for the policy and one "
        "for the value; ntuple: tables instead of layers",
    )
    policy_channels: int = Field(32, ge=4, le=1024, description="channels of the policy head")
    value_channels: int = Field(32, ge=4, le=1024, description="channels and hidden units of the value head")
    reply_head: bool = Field(True, description="also predict the opponent's reply (KataGo 2019)")
    ownership_head: bool = Field(False, description="also predict whose each cell will be at the end (Go, Othello)")
    score_head: bool = Field(False, description="also predict the final margin (Go, Othello)")
    grow: tuple[tuple[float, int, int], ...] = Field(
        (), description="[share, blocks, channels] of larger sizes, each from that share of the run on; [[0.3, 4, 64]]"
    )
    module: str = Field("", description="a torch module of one's own, as FILE.py:CLASS, in place of all of the above")
    settings: dict[str, Any] = Field(default_factory=dict, description="what that module is made with")

    @classmethod
    def preset(cls, name: str, **changes: Any) -> NetworkConfig:
        """One of PRESETS, with `changes` on top."""
        return cls.model_validate({"preset": name, **changes})

    @classmethod
    def preset_settings(cls, content: dict[str, Any]) -> dict[str, Any]:
        """A table with the preset that it names put into settings. Each says the size, whatever lies beneath it."""
        changes = dict(content)
        name = str(changes.pop("preset"))
        if name not in cls.PRESETS:
            raise ConfigError(unknown_setting("network.preset." + name, name, list(cls.PRESETS)))
        size = {key: cls.model_fields[key].default for key in ("blocks", "channels")}
        return {**size, **cls.PRESETS[name], **changes}

    @model_validator(mode="before")
    @classmethod
    def _expand_preset(cls, content: Any) -> Any:
        if isinstance(content, str):
            return {"module": content}
        return cls.preset_settings(content) if isinstance(content, dict) and "preset" in content else content

    @model_validator(mode="after")
    def _score_needs_value(self) -> NetworkConfig:
        if self.kind == "policy" and self.score_head:
            raise ValueError("the margin is predicted by the value head, which a network of kind 'policy' has not")
        return self

    @model_validator(mode="after")
    def _grows_as_one(self) -> NetworkConfig:
        if self.kind == "separate" and self.grow:
            raise ValueError("networks of kind 'separate' do not grow; leave network.grow empty")
        return self

    @field_validator("grow")
    @classmethod
    def _rising(cls, value: tuple[tuple[float, int, int], ...]) -> tuple[tuple[float, int, int], ...]:
        shares = [share for share, _, _ in value]
        if not all(0.0 < share < 1.0 for share in shares) or sorted(set(shares)) != shares:
            raise ValueError("the shares of the run must rise, between 0 and 1")
        return value

    @model_validator(mode="after")
    def _only_larger(self) -> NetworkConfig:
        if self.grow and self.module:
            raise ValueError("a module of one's own can't grow; leave network.grow out")
        for before, after in pairwise([(self.blocks, self.channels), *(size for _, *size in self.grow)]):
            if not (before[0] <= after[0] <= 60 and before[1] <= after[1] <= 1024):
                raise ValueError("each size of network.grow has at least the blocks and channels of the one before")
        return self

    @property
    def sizes(self) -> tuple[NetworkConfig, ...]:
        """The network as it begins, and after each growth."""
        grown = [{"blocks": blocks, "channels": channels, "grow": ()} for _, blocks, channels in self.grow]
        return (self.model_copy(update={"grow": ()}), *(self.model_copy(update=size) for size in grown))

    def growths_at(self, progress: float) -> int:
        """How often it has grown when this share of the run is done."""
        return sum(share <= progress for share, _, _ in self.grow)


class SelfPlayConfig(_Stage):
    """How games are made.

    A `search` table names what differs from SEARCH; the rest stays as it is there.
    """

    # Search parameters of self-play that are not the defaults of `search/params.h`.
    SEARCH: ClassVar[dict[str, Any]] = {"selection": "gumbel", "random_symmetry": True, "cache_entries": 32_768}

    threads: int = _setting(0, "threads that play the units; 0: one per core", unit="threads", ge=0, le=MOST_THREADS)
    units: int = _setting(
        0,
        "self-play units an iteration; 0: one per core when the run begins, then kept",
        unit="units",
        ge=0,
        le=MOST_UNITS,
    )
    games_per_unit: int = _setting(128, "games in flight in each unit", unit="games", ge=1)
    positions: int = _setting(16_384, "positions searched an iteration, by all units together", unit="positions", ge=1)
    simulations: int = _setting(32, "simulations per recorded position", unit="simulations", ge=1)
    final_simulations: int = _setting(
        0,
        "simulations at the end of the run, reached by equal factors (MiniZero 2023); 0: they stay as they are",
        unit="simulations",
        ge=0,
    )
    precision: Literal["f32", "bf16", "int8"] = _setting("int8", "number format of the network that plays")
    fast_simulations: int = _setting(
        0,
        "playout cap (KataGo 2019): simulations of the positions that are not recorded; 0: every position is recorded",
        unit="simulations",
        ge=0,
    )
    full_share: float = _setting(
        1.0, "with a playout cap: share of the positions that are recorded (KataGo: 0.25)", unit="share", gt=0, le=1
    )
    temperature: float = _setting(1.0, "temperature of the move choice in the first temperature_plies plies", ge=0)
    temperature_plies: int = _setting(12, "after so many plies the best move is played", unit="plies", ge=0)
    random_start_share: float = _setting(
        0.5, "share of the games that start with random plies", unit="share", ge=0, le=1
    )
    random_start_plies: int = _setting(8, "upper bound of the random plies that a game starts with", unit="plies", ge=0)
    archive_start_share: float = _setting(
        0.0, "share of the games that start one random ply off an earlier game", unit="share", ge=0, le=1
    )
    archive_records: str = Field(
        "", description="folder of records that these games start from, in place of earlier games of the run"
    )
    resign_below: float = _setting(
        -1.0,
        "resign at this value, or a lower one if more than 1 in 20 resignations are wrong; -1: never",
        unit="value",
        ge=-1,
        le=0,
    )
    never_resign_share: float = _setting(
        0.1,
        "share of the games in which nobody resigns, to know how many resignations are wrong",
        unit="share",
        ge=0,
        le=1,
    )
    exact_nodes: int = _setting(
        0,
        "positions that an exact search by the rules may look at before a position is searched with the network; where "
        "it finds the result, the game is played out by it; 0: off",
        unit="positions",
        ge=0,
        le=100_000_000,
    )
    keep_values: bool = _setting(False, "whether records also keep the root values of searches that give no target")
    search: dict[str, Any] = Field(
        default_factory=lambda: dict(SelfPlayConfig.SEARCH), description="parameters of the search"
    )

    @field_validator("search")
    @classmethod
    def _over_the_defaults(cls, value: dict[str, Any]) -> dict[str, Any]:
        """SEARCH with `value` on top; what equals the default of the search and is not in SEARCH need not be said."""
        defaults = search_defaults()
        for key in value:
            if key not in defaults:
                raise ValueError(unknown_setting("self_play.search." + key, key, list(defaults)))
        params = {**cls.SEARCH, **value}
        SearchParams(**params)
        return {key: given for key, given in params.items() if key in cls.SEARCH or given != defaults[key]}

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


def search_defaults() -> dict[str, Any]:
    """Every parameter of the search with its default, but for the number of simulations: self_play.simulations."""
    return {spec.name: spec.default for spec in param_specs() if spec.name != "simulations"}


class ReplayConfig(_Stage):
    """Which positions the learner sees: a window over the newest that grows with the run."""

    window_start: int = _setting(40_000, "positions in the window at first", unit="positions", ge=1)
    window_share: float = _setting(
        0.6, "share of all positions so far that the window grows by", unit="share", ge=0, le=1
    )
    window_most: int = _setting(600_000, "upper bound of the window", unit="positions", ge=1)
    surprise_weight: float = _setting(
        0.5, "share of the sampling weight given to surprise (KataGo)", unit="share", ge=0, le=1
    )


class LearnerConfig(_Stage):
    """How the network learns."""

    batch: int = _setting(128, "samples a step; in runs of an hour small batches pay", unit="samples", ge=1)
    samples_per_position: float = _setting(
        3.0, "gradient samples per new position (KataGo: at most 4)", unit="samples", gt=0
    )
    learning_rate: float = _setting(2e-3, "rate of Muon and AdamW; SGD wants about ten times more", gt=0)
    warmup: float = _setting(0.02, "share of the run over which the rate rises", unit="share", ge=0, le=1)
    flat_until: float = _setting(
        0.6, "share of the run after which the rate falls, along a cosine", unit="share", ge=0, le=1
    )
    final_rate: float = _setting(0.03, "the rate at the end, as a share of learning_rate", unit="share", gt=0, le=1)
    weight_decay: float = _setting(1e-4, "c in the loss of the paper (AlphaGo Zero: 1e-4)", ge=0)
    gradient_clip: float = _setting(3.0, "norm that a gradient is cut to", gt=0)
    optimizer: Literal["muon", "adamw", "sgd"] = _setting(
        "muon", "optimizer of the convolutions of the blocks; muon leaves the other weights to adamw"
    )
    value_weight: float = _setting(1.0, "weight of the value loss against the policy loss", ge=0)
    reply_weight: float = _setting(0.15, "weight of the opponent's reply (KataGo: 0.15)", ge=0)
    ownership_weight: float = _setting(0.5, "weight of whose each cell is at the end (Go, Othello)", ge=0)
    score_weight: float = _setting(0.5, "weight of the final margin (Go, Othello)", ge=0)
    search_value_share: float = _setting(
        0.5, "lambda in (1 - lambda) z + lambda q, the target of the value", unit="share", ge=0, le=1
    )
    search_value_ramp: float = _setting(
        0.15, "share of the run over which lambda rises from 0", unit="share", ge=0, le=1
    )
    average_decay: float = _setting(
        0.5, "decay an iteration of the averaged weights, which play; 0: the newest weights play", ge=0, lt=1
    )
    precision: Literal["auto", "f32", "bf16"] = _setting(
        "auto", "number format of learning; auto: bf16 where the processor has it"
    )
    device: Literal["auto", "cpu", "cuda", "mps"] = _setting(
        "auto", "device of learning and of self-play; auto: a GPU if there is one"
    )
    partners: int = _setting(
        0, "processes of a cluster that share every batch, a node or a GPU each; 0: this machine learns", ge=0, le=1024
    )
    threads: int = _setting(
        0, "replicas that share a batch, one thread each; 0: one per core", unit="threads", ge=0, le=MOST_THREADS
    )


class TablesConfig(_Stage):
    """Tables of an n-tuple network (network.kind = "ntuple"), and how they learn by temporal differences."""

    tuples: int = _setting(24, "tuples of cells, chosen by random walks on the board", unit="tuples", ge=1, le=1024)
    tuple_cells: int = _setting(
        0, "cells of a tuple; 0: as many as keep its table within 65,536 entries", unit="cells", ge=0, le=40
    )
    stages: int = _setting(1, "tables apart for positions with few and with many pieces", unit="stages", ge=1, le=64)
    share_players: bool = _setting(
        False, "whether both players use the same tables, with the colours swapped; right where the rules are the same"
    )
    mark_targets: bool = _setting(
        False, "whether an empty cell that the player can move to is told apart from the other empty ones"
    )
    prior_temperature: float = _setting(0.4, "the priors are softmax(value after the move / temperature)", gt=0)
    games: int = _setting(5_000, "games an iteration; a run of minutes plays what fits", unit="games", ge=1)
    learning_rate: float = _setting(1.0, "share of its error that a new position corrects", gt=0)
    final_rate: float = _setting(0.1, "the rate at the end, as a share of learning_rate", unit="share", gt=0, le=1)
    coherence: bool = _setting(
        True, "whether each weight has a step size of its own (temporal coherence, Beal and Smith 1999)"
    )
    return_share: float = _setting(
        0.7, "lambda of TD(lambda): 0 learns from the next position, 1 from the result", unit="share", ge=0, le=1
    )
    random_moves: float = _setting(0.1, "share of random moves (epsilon), from which nothing is learned", ge=0, le=1)
    teach_share: float = _setting(
        0.0, "share of a run of layers in which tables play the games that it learns from; 0: never", ge=0, lt=1
    )
    teach_games: int = _setting(
        250_000, "games by which these tables learn at first; a run of minutes plays what fits", unit="games", ge=1
    )
    teach_simulations: int = _setting(128, "simulations per position that they play", unit="simulations", ge=1)


class DqnConfig(_Stage):
    """Deep Q-learning (method = "dqn")."""

    epsilon: float = _setting(0.5, "share of random moves in self-play at first", unit="share", ge=0, le=1)
    final_epsilon: float = _setting(0.05, "share of random moves from half of the run on", unit="share", ge=0, le=1)

    def epsilon_at(self, progress: float) -> float:
        """Falls evenly until half of the run is done."""
        fallen = min(1.0, 2.0 * progress)
        return self.epsilon + (self.final_epsilon - self.epsilon) * fallen


class ReinforceConfig(_Stage):
    """REINFORCE with a baseline (method = "reinforce")."""

    entropy_weight: float = _setting(0.02, "weight of the policy's entropy, which keeps it trying other moves", ge=0)
    older_share: float = _setting(
        0.5, "share of the games against older networks of the run, as there are any", unit="share", ge=0, le=1
    )
    older_selves: int = _setting(4, "older networks that are met, the newest that the run has kept", ge=1, le=64)


class ImitationConfig(_Stage):
    """Learning from games that exist (method = "imitation"): which games, how they are split, and when it is enough."""

    records: str = Field("", description="folder of the records, as `tengen records import` writes it, or of a run")
    validation_share: float = _setting(
        0.05, "share of the games that tell which network is the best", unit="share", gt=0, le=0.5
    )
    test_share: float = _setting(
        0.1, "share of the games that only the last network is measured on", unit="share", gt=0, le=0.5
    )
    steps: int = _setting(1000, "steps an iteration; a run of minutes takes what fits", unit="steps", ge=1)
    positions: int = _setting(
        8192, "positions of the validation games that are looked at after an iteration", unit="positions", ge=1
    )
    patience: int = _setting(
        8, "iterations without a better network before the run ends; 0: never", unit="iterations", ge=0
    )


class AlphaGoConfig(_Stage):
    """The four stages of AlphaGo (method = "alphago"): imitation, rollout policy, policy gradient, value.

    Records, steps and test games of the first are those of `imitation`.
    """

    imitation_share: float = _setting(0.4, "share of the iterations for imitation", unit="share", gt=0, lt=1)
    rollout_share: float = _setting(0.05, "share of the iterations for the rollout policy", unit="share", gt=0, lt=1)
    gradient_share: float = _setting(0.3, "share of the iterations for the policy gradient", unit="share", gt=0, lt=1)
    share_players: bool = _setting(
        False, "whether both players have one rollout policy; right where the rules are the same for both"
    )
    rollout_rate: float = _setting(0.1, "step size of the rollout policy (AdaGrad)", gt=0)
    rollout_decay: float = _setting(
        1e-4, "how fast weights of the rollout policy that nothing confirms fall to 0", ge=0
    )
    gradient_games: int = _setting(
        128, "games against the pool in an iteration of the policy gradient (AlphaGo: 128)", unit="games", ge=2
    )
    gradient_rate: float = _setting(0.1, "the rate of the policy gradient, as a share of learner.learning_rate", gt=0)
    entropy_weight: float = _setting(0.0, "weight of the policy's entropy in the policy gradient (AlphaGo: 0)", ge=0)
    pool: int = _setting(10, "older selves that the policy plays against, imitation's among them", ge=1, le=64)
    pool_every: int = _setting(5, "iterations of the policy gradient between two older selves", unit="iterations", ge=1)
    match_games: int = _setting(
        100,
        "games of the improved policy against imitation's when the third stage is over; 0: none",
        unit="games",
        ge=0,
    )
    value_games: int = _setting(
        512, "games in an iteration of the value, of each of which one position is learned", unit="games", ge=1
    )

    @model_validator(mode="after")
    def _leaves_time_for_the_value(self) -> AlphaGoConfig:
        if self.imitation_share + self.rollout_share + self.gradient_share >= 1.0:
            raise ValueError("imitation_share, rollout_share and gradient_share together must be below 1")
        return self


class ArenaConfig(_Stage):
    """Measuring the network on a ladder of opponents and, if gating, against the champion."""

    every: int = _setting(10, "iterations between measurements; 0: no measurements", unit="iterations", ge=0)
    games: int = _setting(40, "games per measurement and opponent", unit="games", ge=2)
    opponents: int = _setting(3, "opponents per measurement: those of the ladder that tell most", ge=1)
    simulations: int = _setting(100, "simulations of the networks", unit="simulations", ge=0)
    anchors: tuple[str, ...] = _setting(
        ("random", "rollout:100", "rollout:1000"),
        "fixed players of the ladder, weakest first; older networks of the run come on top",
        min_length=1,
    )
    opening_plies: int = _setting(4, "random plies at the start of a game; fewer in short games", unit="plies", ge=0)
    final_strength: bool = _setting(
        True, "whether the last network is measured: by known positions, else by a few games"
    )
    gating: bool = _setting(False, "whether the candidate must beat the champion (AlphaGo Zero)")
    gating_games: int = _setting(
        400, "games of candidate against champion (AlphaGo Zero: 400); fewer once it is decided", unit="games", ge=2
    )
    threshold: float = _setting(
        0.55, "score that the candidate must exceed (AlphaGo Zero: 0.55)", unit="share", ge=0, le=1
    )


# Of methods whose self-play asks the network once a move; all games of a round are played side by side to their ends.
_WITHOUT_SEARCH: dict[str, Any] = {
    "simulations": 1,
    "final_simulations": 0,
    "fast_simulations": 0,
    "games_per_unit": 64,
    "precision": "f32",
    "random_start_share": 0.75,  # neither noise nor a search leads a greedy player off its way
    "random_start_plies": 6,
}


# Without a search a large network costs more than it tells.
_SMALL_NETWORK: dict[str, Any] = {"blocks": 2, "channels": 32, "pooling": False, "reply_head": False}


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
                    "cache_entries": 0,
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
        # Tables instead of layers, learned by temporal differences instead of search (docs/networks.md).
        "ntuple": {"network": {"kind": "ntuple"}},
    }

    # What suits a method; it lies beneath preset, file and --set.
    METHOD_SETTINGS: ClassVar[dict[str, dict[str, Any]]] = {
        "dqn": {
            "iterations": 40,
            "network": _SMALL_NETWORK,
            "self_play": {**_WITHOUT_SEARCH, "positions": 2048, "search": {"discount": 0.99}},
            "learner": {"batch": 256, "samples_per_position": 8.0, "average_decay": 0.0},
        },
        "reinforce": {
            "iterations": 200,
            "network": _SMALL_NETWORK,
            "self_play": {**_WITHOUT_SEARCH, "positions": 4096, "search": {"discount": 0.99}},
            "replay": {"window_start": 8192, "window_share": 0.0, "window_most": 8192, "surprise_weight": 0.0},
            "learner": {"batch": 256, "samples_per_position": 1.0, "average_decay": 0.0},
        },
    }

    game: str = Field(description="name of the game, path of a file of rules, or a game of OpenSpiel")
    options: dict[str, StrictBool | int | float] = Field(default_factory=dict, description="options of the game")
    seed: int = _setting(1, "where all chance of the run comes from", ge=0, lt=2**64)
    iterations: int = _setting(
        200, "iterations of self-play and learning; a run that is given minutes goes by them", unit="iterations", ge=1
    )
    overlap: int = _setting(
        0,
        "1: the next iteration is played with the network before last while the learner works; 0: one after the other",
        ge=0,
        le=1,
    )
    method: Literal["alphago", "alphazero", "dqn", "imitation", "reinforce", "temporal"] = _setting(
        "alphazero",
        "how the network learns: alphazero (self-play with search), imitation (from records), alphago (records, then "
        "policy gradient and value), dqn, reinforce, temporal (only for ntuple tables)",
    )
    start: str = Field("", description="digest of the network that the run began with; empty: a blank one")
    network: NetworkConfig = NetworkConfig()
    self_play: SelfPlayConfig = SelfPlayConfig()
    replay: ReplayConfig = ReplayConfig()
    learner: LearnerConfig = LearnerConfig()
    tables: TablesConfig = TablesConfig()
    alphago: AlphaGoConfig = AlphaGoConfig()
    dqn: DqnConfig = DqnConfig()
    reinforce: ReinforceConfig = ReinforceConfig()
    imitation: ImitationConfig = ImitationConfig()
    arena: ArenaConfig = ArenaConfig()


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


def unknown_setting(path: str, key: str, names: Sequence[str]) -> str:
    """That there is no such setting, and which was probably meant."""
    close = difflib.get_close_matches(key, names, n=1, cutoff=0.5)
    hint = f"did you mean '{close[0]}'?" if close else f"there are: {', '.join(names)}."
    return f"There is no setting '{path}'; {hint}"
