"""How games for learning are made."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pydantic import Field, field_validator

from tengen._core import SearchParams, param_specs
from tengen.config.stage import MOST_THREADS, Stage, setting, unknown_setting

MOST_UNITS = 65_536


class SelfPlayConfig(Stage):
    """How games are made.

    A `search` table names what differs from SEARCH; the rest stays as it is there.
    """

    # Search parameters of self-play that are not the defaults of `search/params.h`.
    SEARCH: ClassVar[dict[str, Any]] = {"selection": "gumbel", "random_symmetry": True, "cache_entries": 32_768}

    threads: int = setting(0, "threads that play the units; 0: one per core", unit="threads", ge=0, le=MOST_THREADS)
    units: int = setting(
        0,
        "self-play units an iteration; 0: one per core when the run begins, then kept",
        unit="units",
        ge=0,
        le=MOST_UNITS,
    )
    games_per_unit: int = setting(128, "games in flight in each unit", unit="games", ge=1)
    positions: int = setting(16_384, "positions searched an iteration, by all units together", unit="positions", ge=1)
    simulations: int = setting(32, "simulations per recorded position", unit="simulations", ge=1)
    final_simulations: int = setting(
        0,
        "simulations at the end of the run, reached by equal factors (MiniZero 2023); 0: they stay as they are",
        unit="simulations",
        ge=0,
    )
    precision: Literal["f32", "bf16", "int8"] = setting("int8", "number format of the network that plays")
    fast_simulations: int = setting(
        0,
        "playout cap (KataGo 2019): simulations of the positions that are not recorded; 0: every position is recorded",
        unit="simulations",
        ge=0,
    )
    full_share: float = setting(
        1.0, "with a playout cap: share of the positions that are recorded (KataGo: 0.25)", unit="share", gt=0, le=1
    )
    temperature: float = setting(1.0, "temperature of the move choice in the first temperature_plies plies", ge=0)
    temperature_plies: int = setting(12, "after so many plies the best move is played", unit="plies", ge=0)
    random_start_share: float = setting(
        0.5, "share of the games that start with random plies", unit="share", ge=0, le=1
    )
    random_start_plies: int = setting(8, "upper bound of the random plies that a game starts with", unit="plies", ge=0)
    archive_start_share: float = setting(
        0.0, "share of the games that start one random ply off an earlier game", unit="share", ge=0, le=1
    )
    archive_records: str = Field(
        "", description="folder of records that these games start from, in place of earlier games of the run"
    )
    resign_below: float = setting(
        -1.0,
        "resign at this value, or a lower one if more than 1 in 20 resignations are wrong; -1: never",
        unit="value",
        ge=-1,
        le=0,
    )
    never_resign_share: float = setting(
        0.1,
        "share of the games in which nobody resigns, to know how many resignations are wrong",
        unit="share",
        ge=0,
        le=1,
    )
    exact_nodes: int = setting(
        0,
        "positions that an exact search by the rules may look at before a position is searched with the network; where "
        "it finds the result, the game is played out by it; 0: off",
        unit="positions",
        ge=0,
        le=100_000_000,
    )
    keep_values: bool = setting(False, "whether records also keep the root values of searches that give no target")
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
