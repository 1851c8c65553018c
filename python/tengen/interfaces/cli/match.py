"""`tengen match`: which of two players is stronger, and how sure that is."""

import json
import math
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import tyro

from tengen import Game, State, TengenError
from tengen.arena import GAMES_AT_ONCE, MatchResult, Pair, PlayedGame, choose_openings, elo_difference, play_matches
from tengen.games.openings import read_openings
from tengen.interfaces.cli.cluster_argument import ClusterArgument, crew_of
from tengen.interfaces.cli.game_argument import GameArgument, parse_game
from tengen.interfaces.cli.memory_argument import MemoryArgument, memory_bytes
from tengen.interfaces.cli.player_argument import PlayerArgument, check_seed
from tengen.interfaces.terminal import games_bar, printable
from tengen.network.modules import VARIABLE
from tengen.players import Player, SearchPlayer, SharedModels, answers_in_batches, make_player
from tengen.run.footprint import check_trees
from tengen.strength.jobs import match_by_crew

MOST_GAMES = 1_000_000


def run(
    game: GameArgument,
    a: PlayerArgument,
    b: PlayerArgument,
    *,
    games: int = 100,
    seed: int = 0,
    opening_plies: Annotated[int | None, tyro.conf.arg(metavar="INT")] = None,
    memory: MemoryArgument = None,
    openings: Annotated[Path | None, tyro.conf.arg(metavar="FILE")] = None,
    cluster: ClusterArgument = None,
    as_json: Annotated[bool, tyro.conf.arg(name="json"), tyro.conf.FlagCreatePairsOff] = False,
) -> None:
    """Plays a match between two players, colours swapped, and says who is stronger.

    Args:
        games: how many; two at a time share an opening, with colours swapped
        seed: another seed, other games
        opening_plies: random plies at the start of each game; by default 4, fewer in short games
        memory: how much memory the match may take, as in 4GB; searches that may need more are refused
        openings: a file of openings instead: an opening a line, as moves or as FEN or EPD, or the games of a PGN file
        cluster: who plays: the nodes of a Ray cluster; auto, local, or HOST:PORT (docs/cluster.md)
        as_json: print one JSON object instead of a sentence
    """
    limit = memory_bytes(memory)
    rules = parse_game(game)
    check_seed(seed)
    if not 1 <= games <= MOST_GAMES:
        raise TengenError(f"A match has 1 to {MOST_GAMES} games, not {games}.")
    check_opening_plies(rules, opening_plies)
    if cluster is not None:
        with crew_of(cluster, rules, os.environ.get(VARIABLE, "")) as crew, _progress(games) as on_game:
            assert crew is not None
            book = read_book(rules, openings, opening_plies, (games + 1) // 2, seed)
            result = match_by_crew(
                crew, rules, (a, b), games=games, seed=seed, opening_plies=opening_plies, openings=book, on_game=on_game
            )
        print(json.dumps(_as_dict(result, game)) if as_json else report(result))
        return
    seats = _seats(rules, a, b, games)
    # Every core has trees of its own.
    check_players(rules, seats[0][0], min(games, GAMES_AT_ONCE * len(seats)), limit)
    book = read_book(rules, openings, opening_plies, (games + 1) // 2, seed)
    with _progress(games) as on_game:
        [result] = play_matches(
            rules, seats, games=games, seed=seed, opening_plies=opening_plies, openings=book, on_game=on_game
        )
    print(json.dumps(_as_dict(result, game)) if as_json else report(result))


def _seats(game: Game, a: str, b: str, games: int) -> list[list[Pair]]:
    """The pair of players for each core; once if one of them has cores or a program of its own."""
    if not (answers_in_batches(a) and answers_in_batches(b)):
        return [[(make_player(a, game), make_player(b, game))]]
    models = SharedModels()
    cores = max(1, min(os.cpu_count() or 1, games // 2))
    return [[(make_player(a, game, models), make_player(b, game, models))] for _ in range(cores)]


def check_players(game: Game, players: Sequence[Player], at_once: int, memory: int | None = None) -> None:
    """Refuses searches whose trees can't be kept. Those of one player are gone when the other is asked."""
    for player in players:
        if isinstance(player, SearchPlayer):
            check_trees(game, at_once, min(player.params.simulations, player.params.max_nodes), memory)


def check_opening_plies(game: Game, plies: int | None) -> None:
    """Refuses what no game can begin with."""
    longest = game.spec.longest_game
    if plies is not None and not 0 <= plies < longest:
        raise TengenError(f"An opening of {game.spec.name} has 0 to {longest - 1} plies, not {plies}.")


def read_book(game: Game, path: Path | None, plies: int | None, needed: int, seed: int) -> tuple[State, ...]:
    """So many openings of a file; none if there is no file."""
    if path is None:
        return ()
    if plies is not None:
        raise TengenError("Give --openings or --opening-plies, not both.")
    return choose_openings(read_openings(path, game), needed, seed)


def report(result: MatchResult) -> str:
    """The result in words. The first of them say no more than the interval does."""
    a, b = result.names
    low, high = result.interval
    verdict = (
        f"{a} beat {b}" if low > 0.5 else f"{a} lost to {b}" if high < 0.5 else f"{a} and {b}: no clear difference"
    )
    lines = [
        f"{verdict}: {_count(result.wins, 'win')}, {_count(result.draws, 'draw')}, "
        f"{_count(result.losses, 'loss', 'losses')}; score {_percent(result.score)} %, "
        f"95 % interval {_percent(low)} to {_percent(high)} %",
        _elo_text(result),
    ]
    if low <= 0.5 <= high:
        lines.append("The interval includes 50 %; more games make it narrower.")
    return "\n".join([*lines, *_reason_lines(result)])


def _reason_lines(result: MatchResult) -> list[str]:
    """Games that ended early, and why. The reasons quote programs, so they are made fit for a terminal."""
    return [
        f"{_count(number, 'game')} ended early: {printable(reason, longest=300)}"
        for reason, number in result.reasons.items()
    ]


def _elo_text(result: MatchResult) -> str:
    """The difference in Elo; where nothing was lost, or won, there is only a bound on one side."""
    difference = elo_difference(result.score)
    low, high = map(elo_difference, result.interval)
    if math.isinf(difference):
        return f"Elo difference at least {low:+.0f}" if difference > 0 else f"Elo difference at most {high:+.0f}"
    return f"Elo difference {difference:+.0f}, 95 % interval {low:+.0f} to {high:+.0f}"


def _count(number: int, one: str, many: str | None = None) -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"


def _as_dict(result: MatchResult, game: str) -> dict[str, object]:
    return {
        "game": game,
        "players": list(result.names),
        "seed": result.seed,
        "games": len(result.games),
        "wins": result.wins,
        "draws": result.draws,
        "losses": result.losses,
        "score": result.score,
        "interval": list(result.interval),
        "elo": _finite(elo_difference(result.score)),
        "reasons": result.reasons,
        "elo_interval": [_finite(elo_difference(end)) for end in result.interval],
    }


def _finite(number: float) -> float | None:
    """JSON has no infinity."""
    return number if math.isfinite(number) else None


@contextmanager
def _progress(games: int) -> Iterator[Callable[[PlayedGame], None]]:
    """A bar with the score so far while the match goes on."""
    with games_bar(games) as move_on:
        tally = {1.0: 0, 0.5: 0, 0.0: 0}  # points of the first player -> games
        one_at_a_time = threading.Lock()

        def on_game(played: PlayedGame) -> None:
            with one_at_a_time:
                tally[played.points(0)] += 1
                wins, draws, losses = tally.values()
                move_on(wins + draws + losses, f"+{wins} ={draws} -{losses}")

        yield on_game
