"""`tengen check-game`: what a game's author runs first."""

from tengen import TengenError
from tengen.interfaces.cli.game_argument import GameArgument, parse_game

WRONG = 1  # the exit code when the rules are wrong


def run(game: GameArgument, games: int = 60, seed: int = 0) -> int:
    """Looks for mistakes in the rules of a game by playing it; the exit code is 1 if there are any.

    Args:
        games: random games to play
        seed: another seed, other games
    """
    from tengen.games.check import check_game

    if games < 1:
        raise TengenError("A check plays at least one game.")
    report = check_game(parse_game(game), games=games, seed=seed)
    print(report.text())
    return 0 if report.passed else WRONG
