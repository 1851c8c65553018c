"""`tengen check-game`: what a game's author runs first."""

from tengen.interfaces.cli.game_argument import GameArgument, parse_game

WRONG = 1  # the exit code when the rules are wrong


def run(
    game: GameArgument, games: int = 60, seconds: float | None = None, thorough: bool = False, seed: int = 0
) -> int:
    """Looks for mistakes in the rules of a game by playing it; the exit code is 1 if something is certainly wrong.

    Besides random games there are games by players who search, who go for rare positions and who make games long or
    short, and a walk through all positions of the game, up to some thousands. Questions do not change the exit code.

    Args:
        games: the number of random games
        seconds: the check ends after about this time; 10 if it is left out, and 100 with --thorough
        thorough: do ten times as much of everything
        seed: the seed of the random numbers; another one plays other games
    """
    from tengen.games.check import check_game

    report = check_game(parse_game(game), games=games, seconds=seconds, thorough=thorough, seed=seed)
    print(report.text())
    return 0 if report.passed else WRONG
