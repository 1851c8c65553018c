"""Who moves and who wins, over all games together: whether the turn changes and outcome() names the right side.

That a player moves twice in a row is no mistake, nor that the first player wins often. A game in which whoever moves
last always loses is a misère game or has its winner on the wrong side; nothing in play tells the two apart, so a rules
file says `misere = True` if it is meant.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

from tengen._core import Game, GameSpec
from tengen.games.check.report import Finding, question, wrong
from tengen.games.check.walk import End, Material, after

FEW_GAMES = 20  # below this the winners say nothing
MANY = 20  # a twentieth of the games
FEW_FULL_GAMES = 3  # of the greatest length


def both_players_move(game: Game, material: Material) -> Iterator[Finding]:
    """The turn changes in some game."""
    movers = {seen.to_move for walk in material.walks for seen in walk.seen[:-1]}
    if len(movers) == 1 and max(len(walk.actions) for walk in material.walks) > 1:
        text = f"The turn never changes: to_move() is {movers.pop()} in every position of {len(material.walks)} games."
        why = "Does play() pass the turn to the other player?"
        yield wrong("one player moves", f"{text} {why}")


def winners(game: Game, material: Material) -> Iterator[Finding]:
    """The last action can win, unless the rules say that the game is misère, and either player can win."""
    decided = [end for end in material.ends if end.winner is not None]
    misere = says_misere(game.spec)
    lost = [end for end in decided if end.winner != end.last_mover]
    if misere and len(lost) < len(decided):
        end = next(end for end in decided if end.winner == end.last_mover)
        text = f"The file says misere = True, but whoever moved last won {after(end.state)}."
        yield wrong("outcome from the wrong side", text)
    elif len(decided) < FEW_GAMES:
        return
    elif not misere and len(lost) == len(decided):
        text = f"In all {len(decided)} decided games the player who moved last lost."
        why = "outcome() names the wrong side: after play() it is already the other player's turn."
        if game.spec.source.endswith(".py"):
            meant = "If the player who moves last is to lose, say so in the file: misere = True."
            yield wrong("outcome from the wrong side", f"{text} {why} {meant}")
        else:
            yield question("outcome from the wrong side", f"{text} Is it a misère game? If not, {why}")
    else:
        yield from _one_always_wins(material, decided)
        yield from _full_games(game, material, decided)


def says_misere(spec: GameSpec) -> bool:
    """Whether a rules file says `misere = True`."""
    if not spec.source.endswith(".py"):
        return False
    for statement in ast.parse(Path(spec.source).read_bytes()).body:
        match statement:
            case ast.Assign(targets=[ast.Name(id="misere")], value=ast.Constant(value=value)):
                return bool(value)
    return False


def _one_always_wins(material: Material, decided: list[End]) -> Iterator[Finding]:
    """One player won everything, even when the other searched and it moved at random."""
    if len({end.winner for end in decided}) > 1:
        return
    winner = decided[0].winner
    by_the_other = sum(end.last_mover != winner for end in decided)
    drawn = len(material.ends) - len(decided)
    if drawn and by_the_other < len(decided) / MANY:
        return  # the other player's aim is a draw
    tried = sum(searcher != winner for searcher, _ in material.searched)
    text = f"Player {winner} won all {len(decided)} decided games"
    why = "outcome() returns the number of the winner, not whether the player to move has won."
    if material.complete:
        yield wrong("outcome from the wrong side", f"{text}, and no position of the game is won by the other. {why}")
    elif by_the_other and tried:
        text = f"{text}, whoever moved last, even in {tried} games against a search, in which it moved at random."
        yield wrong("outcome from the wrong side", f"{text} {why}")
    elif by_the_other:
        yield question("outcome from the wrong side", f"{text}, whoever moved last. Is that meant? {why}")


def _full_games(game: Game, material: Material, decided: list[End]) -> Iterator[Finding]:
    """Where the last action wins all shorter games, a game of full length is not given to who did not make it."""
    if len(decided) < len(material.ends):
        return  # there are draws
    given = [end for end in decided if end.winner != end.last_mover]
    shorter = [end for end in decided if end.actions < game.spec.longest_game]
    full_only = all(end.actions == game.spec.longest_game for end in given)
    if len(given) >= FEW_FULL_GAMES and len(shorter) >= FEW_GAMES and full_only:
        text = (
            f"{len(given)} games of {game.spec.longest_game} actions were won by player {given[0].winner}, who did not "
        )
        why = "move last. All shorter games were won by the last action, and no game was a draw."
        yield question("no draws", f"{text}{why} Should a game that lasts so long be a draw?")


def scores(game: Game, material: Material) -> Iterator[Finding]:
    """Where the game has a score, the player who is ahead wins."""
    scored = [(score, end) for end in material.ends if (score := end.state.score) is not None]
    against = [(score, end) for score, end in scored if end.winner != (None if score == 0 else 0 if score > 0 else 1)]
    if not against:
        return
    score, end = against[0]
    result = "a draw" if end.winner is None else f"won by player {end.winner}"
    text = f"The score is {score:g} for player 0 {after(end.state)}, but the game is {result}."
    decided = [pair for pair in scored if pair[0] != 0 and pair[1].winner is not None]
    if len(decided) >= FEW_GAMES and all(pair in against for pair in decided):
        text = f"{text} So it is in all {len(decided)} decided games: score() must be positive if player 0 is ahead."
        yield wrong("score and outcome disagree", text)
    else:
        yield question("score and outcome disagree", f"{text} Is that meant?")
