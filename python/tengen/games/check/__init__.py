"""Finds what is wrong with the rules of a game, by playing it and asking the same things in several ways.

A wrong thing breaks a promise of the Game concept (game.h). A question is asked where some correct games look the same.
Works on every Game; the compiled rules of a file are also compared with what Python itself makes of them.
"""

import random
from collections.abc import Sequence

from tengen._core import ArgumentError, Game, TengenError
from tengen.games.check.afterwards import CHECKS, Check
from tengen.games.check.everything import Everything, walk_from, walk_through
from tengen.games.check.laws import CAUSES, Laws
from tengen.games.check.players import Players, play_game
from tengen.games.check.report import CheckReport, Coverage, Finding, failed
from tengen.games.check.walk import Material, Walk, some

__all__ = ["CheckReport", "Coverage", "Finding", "check_game"]

OTHER_GAMES = 6  # by each kind of players that are not random
WALK_POSITIONS = 8000  # at most
LAST_ACTIONS = 6  # a second walk begins so many positions before the end of games
LATE_STARTS = 16  # of so many of them
SLOWER = 4  # interpreted rules are slow: a fourth of both
THOROUGH = 10  # times as much of everything
SECONDS = 10.0
# Which share of the time has passed when each part ends.
RANDOM_ENDS, OTHERS_END = 0.35, 0.7


def check_game(
    game: Game,
    *,
    games: int = 60,
    positions: int = 2500,
    seconds: float | None = None,
    thorough: bool = False,
    seed: int = 0,
) -> CheckReport:
    """Plays the game, walks through its positions from the start, and reports what is wrong.

    Up to `games` random games with about `positions` positions, some games by players who search or look for rare
    positions, and a walk through all positions, up to some thousands. `thorough` does ten times as much. It all ends
    after about `seconds` (10, or 100 if thorough), which most games do not need.
    """
    if games < 1 or positions < 1 or not (seconds is None or seconds > 0.0):
        raise ArgumentError("A check plays at least one game, looks at one position, and takes more than no time.")
    times = THOROUGH if thorough else 1
    laws = Laws(game, random.Random(seed), SECONDS * times if seconds is None else seconds)
    walks = _random_games(laws, games * times, positions * times)
    slower = SLOWER if game.backend == "interpreted" else 1
    others, searched = _other_games(laws, max(2, OTHER_GAMES * times // slower))
    walk = Everything()
    if walks and not laws.broken:
        walk = walk_through(laws, WALK_POSITIONS * times // slower)
    late = Everything()
    if others and not walk.complete and not laws.broken:
        starts = [played.states[-LAST_ACTIONS:][0] for played in some(others, LATE_STARTS)]
        late = walk_from(laws, starts, WALK_POSITIONS * times // slower // 2)
    if walks and not laws.broken:  # else the rest would be noise
        ends = [end for played in (*walks, *others) if (end := played.end)] + walk.ends + late.ends
        _check_together(
            laws, Material(walks + others, searched, walk.states + late.states, ends, walk.complete), CHECKS
        )
    out_of_time = laws.time_is_up()
    coverage = Coverage(
        len(walks), len(others), laws.positions, len(walk.states), walk.complete, walk.longest, out_of_time
    )
    findings = sorted(laws.findings.values(), key=lambda finding: not finding.certain)
    return CheckReport(repr(game), game.backend, coverage, tuple(findings))


def _random_games(laws: Laws, games: int, positions: int) -> list[Walk]:
    random_player = Players(laws).random
    walks: list[Walk] = []
    for _ in range(games):
        if laws.positions >= positions or (walks and laws.time_is_up(RANDOM_ENDS)):
            break
        walk = play_game(laws, (random_player, random_player), RANDOM_ENDS if walks else float("inf"))
        if walk is not None:
            walks.append(walk)
        if not laws.findings.keys().isdisjoint(CAUSES):
            break
    return walks


def _other_games(laws: Laws, games: int) -> tuple[list[Walk], list[tuple[int, Walk]]]:
    """Games of each kind in turn, so that none is left out if time is short."""
    players = Players(laws)
    kinds = {
        "curious": (players.curious, players.curious),
        "first hunts": (players.hunter, players.long),
        "second hunts": (players.long, players.hunter),
        "long": (players.long, players.long),
        "short": (players.short, players.short),
        "search": (players.search, players.search),
        "first searches": (players.search, players.random),
        "second searches": (players.random, players.search),
    }
    walks: list[Walk] = []
    searched: list[tuple[int, Walk]] = []
    for _ in range(games):
        for kind, both in kinds.items():
            if laws.broken or laws.time_is_up(OTHERS_END):
                break
            walk = play_game(laws, both, OTHERS_END)
            if walk is not None:
                walks.append(walk)
                if kind in ("first searches", "second searches") and players.can_search:
                    searched.append((0 if kind == "first searches" else 1, walk))
    if players.error is not None and not laws.broken:
        laws.found(failed(players.error))
    return walks, searched


def _check_together(laws: Laws, material: Material, checks: Sequence[Check]) -> None:
    for check in checks:
        try:
            for finding in check(laws.game, material):
                laws.found(finding)
        except TengenError as error:
            laws.found(failed(error))
