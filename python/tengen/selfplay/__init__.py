"""Self-play in units: threads, other processes and other machines may play them in any order, with the same games.

A unit that was lost is played again. Games in flight at the end of an iteration go on in the next one: they are handed
back as unfinished records.
"""

from tengen.selfplay.games import SelfPlayResult, play_games, whole_games
from tengen.selfplay.unit import GamesInFlight, UnitFigures, UnitResult, play_unit

__all__ = ["GamesInFlight", "SelfPlayResult", "UnitFigures", "UnitResult", "play_games", "play_unit", "whole_games"]
