"""All settings of a run: the stages together, presets of a whole run, and what suits a method."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pydantic import Field, StrictBool

from tengen.config.arena import ArenaConfig
from tengen.config.learner import LearnerConfig, ReplayConfig
from tengen.config.methods import AlphaGoConfig, DqnConfig, ImitationConfig, ReinforceConfig, TablesConfig
from tengen.config.network import NetworkConfig
from tengen.config.selfplay import SelfPlayConfig
from tengen.config.stage import Stage, setting

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


class RunConfig(Stage):
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
    seed: int = setting(1, "where all chance of the run comes from", ge=0, lt=2**64)
    iterations: int = setting(
        200, "iterations of self-play and learning; a run that is given minutes goes by them", unit="iterations", ge=1
    )
    overlap: int = setting(
        0,
        "1: the next iteration is played with the network before last while the learner works; 0: one after the other",
        ge=0,
        le=1,
    )
    method: Literal["alphago", "alphazero", "dqn", "imitation", "reinforce", "temporal"] = setting(
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
