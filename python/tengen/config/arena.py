"""How the network is measured."""

from __future__ import annotations

from tengen.config.stage import Stage, setting


class ArenaConfig(Stage):
    """Measuring the network on a ladder of opponents and, if gating, against the champion."""

    every: int = setting(10, "iterations between measurements; 0: no measurements", unit="iterations", ge=0)
    games: int = setting(40, "games per measurement and opponent", unit="games", ge=2)
    opponents: int = setting(3, "opponents per measurement: those of the ladder that tell most", ge=1)
    simulations: int = setting(100, "simulations of the networks", unit="simulations", ge=0)
    anchors: tuple[str, ...] = setting(
        ("random", "rollout:100", "rollout:1000"),
        "fixed players of the ladder, weakest first; older networks of the run come on top",
        min_length=1,
    )
    opening_plies: int = setting(4, "random plies at the start of a game; fewer in short games", unit="plies", ge=0)
    final_strength: bool = setting(
        True, "whether the last network is measured: by known positions, else by a few games"
    )
    gating: bool = setting(False, "whether the candidate must beat the champion (AlphaGo Zero)")
    gating_games: int = setting(
        400, "games of candidate against champion (AlphaGo Zero: 400); fewer once it is decided", unit="games", ge=2
    )
    threshold: float = setting(
        0.55, "score that the candidate must exceed (AlphaGo Zero: 0.55)", unit="share", ge=0, le=1
    )
