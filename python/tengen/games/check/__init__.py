"""Finds what is wrong with the rules of a game, by playing random games and asking the same things in several ways.

A wrong thing breaks a promise of the Game concept (game.h). A question is asked where some correct games look the same.
Works on every Game; the compiled rules of a file are also compared with what Python itself makes of them.
"""

import random

from tengen._core import Game, TengenError
from tengen.games.check.afterwards import CHECKS
from tengen.games.check.playing import RandomGames
from tengen.games.check.report import CheckReport, Finding, wrong

__all__ = ["CheckReport", "Finding", "check_game"]


def check_game(game: Game, *, games: int = 60, positions: int = 2500, seed: int = 0) -> CheckReport:
    """Plays up to `games` random games, looking at about `positions` positions, and reports what is wrong."""
    played = RandomGames(game, random.Random(seed))
    played.play(games, positions)
    findings = dict(played.findings)
    if played.walks and not any(finding.certain for finding in findings.values()):  # else the rest would be noise
        for check in CHECKS:
            try:
                for finding in check(game, played.walks):
                    findings.setdefault(finding.kind, finding)
            except TengenError as error:
                findings.setdefault("a rule fails", wrong("a rule fails", str(error)))
    return CheckReport(repr(game), game.backend, len(played.walks), played.positions, tuple(findings.values()))
