"""Every setting of a training run: one frozen model per stage, composed into RunConfig.

A run's TOML file holds only what differs from these defaults. Unknown keys are refused with their path and the name
that was probably meant. Search parameters are defined in C++ (`search/params.h`) and only referred to here.
"""

from tengen.config.arena import ArenaConfig
from tengen.config.learner import LearnerConfig, ReplayConfig
from tengen.config.methods import AlphaGoConfig, DqnConfig, ImitationConfig, ReinforceConfig, TablesConfig
from tengen.config.network import NetworkConfig
from tengen.config.reading import (
    RENAMED,
    expanded,
    load_config,
    make_config,
    merged,
    preset_settings,
    read_config,
)
from tengen.config.run import RunConfig
from tengen.config.selfplay import SelfPlayConfig, search_defaults
from tengen.config.stage import MOST, ConfigError, unknown_setting

__all__ = [
    "MOST",
    "RENAMED",
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
    "expanded",
    "load_config",
    "make_config",
    "merged",
    "preset_settings",
    "read_config",
    "search_defaults",
    "unknown_setting",
]
