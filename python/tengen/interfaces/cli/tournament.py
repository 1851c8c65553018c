"""`tengen tournament`: everyone against everyone, and a table with ratings."""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import tyro

from tengen import TengenError
from tengen.base.reading import UnreadableError, read_text
from tengen.interfaces.cli.cluster_argument import ClusterArgument, crew_of
from tengen.interfaces.cli.game_argument import GameArgument, parse_game
from tengen.interfaces.cli.match import check_opening_plies, read_book
from tengen.interfaces.cli.player_argument import HELP, check_seed
from tengen.interfaces.terminal import games_bar, printable
from tengen.network.modules import VARIABLE
from tengen.strength.tournament import Plan, Tournament, TournamentGame, play_tournament, round_robin, table

MOST_GAMES = 100_000
MOST_THREADS = 1024
MOST_PLAYERS_BYTES = 1 << 20  # of a file


def run(
    game: GameArgument,
    players: Annotated[tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="PLAYER", help=HELP)] = (),
    *,
    games: int = 20,
    players_file: Annotated[Path | None, tyro.conf.arg(name="players", metavar="FILE")] = None,
    folder: Annotated[Path | None, tyro.conf.arg(metavar="DIR")] = None,
    seed: int = 0,
    opening_plies: Annotated[int | None, tyro.conf.arg(metavar="INT")] = None,
    openings: Annotated[Path | None, tyro.conf.arg(metavar="FILE")] = None,
    threads: Annotated[int | None, tyro.conf.arg(metavar="INT")] = None,
    cluster: ClusterArgument = None,
    as_json: Annotated[bool, tyro.conf.arg(name="json"), tyro.conf.FlagCreatePairsOff] = False,
) -> None:
    """Plays everyone against everyone, and rates them. Stopped or killed, the same command goes on.

    Args:
        games: of each two players; two at a time share an opening, with colours swapped
        players_file: more players, one a line
        folder: where the games and the table are kept; by default tournaments/ and the game's name
        seed: another seed, other games
        opening_plies: random plies at the start of each game; by default 4, fewer in short games
        openings: a file of openings instead: an opening a line, as moves or as FEN or EPD, or the games of a PGN file
        threads: games that go on at the same time; by default as many as there are cores
        cluster: who plays: the nodes of a Ray cluster; auto, local, or HOST:PORT (docs/cluster.md)
        as_json: print one JSON object instead of the table
    """
    rules = parse_game(game)
    check_seed(seed)
    check_opening_plies(rules, opening_plies)
    threads = os.cpu_count() or 1 if threads is None else threads
    if not 1 <= games <= MOST_GAMES:
        raise TengenError(f"Two players of a tournament play 2 to {MOST_GAMES} games, not {games}.")
    if not 1 <= threads <= MOST_THREADS:
        raise TengenError(f"A tournament has 1 to {MOST_THREADS} threads, not {threads}.")
    everyone = (*players, *(_read_players(players_file) if players_file is not None else ()))
    book = read_book(rules, openings, opening_plies, games // 2, seed)
    plan = Plan(rules, everyone, round_robin(everyone), games, seed, opening_plies, book)
    folder = folder or Path("tournaments") / rules.spec.name
    with (
        crew_of(cluster, rules, os.environ.get(VARIABLE, "")) as crew,
        _progress(plan) as (on_start, on_game),
    ):
        tournament = play_tournament(plan, folder, threads=threads, crew=crew, on_start=on_start, on_game=on_game)
    print(json.dumps(_as_dict(tournament, game, folder)) if as_json else _report(tournament, folder))


def _read_players(path: Path) -> list[str]:
    try:
        lines = [line.strip() for line in read_text(path, MOST_PLAYERS_BYTES).splitlines()]
    except UnreadableError as error:
        raise TengenError(f"The players of {path} can't be read: {error}.") from error
    return [line for line in lines if line and not line.startswith("#")]


def _report(tournament: Tournament, folder: Path) -> str:
    early = [
        f"{standing.player} lost {number} of its games early: {printable(reason, longest=300)}"
        for standing in tournament.standings
        for reason, number in standing.reasons.items()
    ]
    middle = next(standing.player for standing in tournament.standings if standing.elo == 0.0)
    return "\n".join(
        [
            *tournament.notes,
            table(tournament),
            *early,
            verdict(tournament),
            f"Elo relative to {middle}. {len(tournament.games)} games, in {folder}/games.",
        ]
    )


def verdict(tournament: Tournament) -> str:
    """Who won, if the intervals say so: players whose intervals overlap are not clearly apart."""
    first, *others = tournament.standings
    near = [standing.player for standing in others if standing.interval[1] >= first.interval[0]]
    if near:
        return f"{first.player} has the highest Elo, but is not clearly stronger than {', '.join(near)}."
    return f"{first.player} is stronger than all others."


def _as_dict(tournament: Tournament, game: str, folder: Path) -> dict[str, object]:
    return {
        "game": game,
        "seed": tournament.plan.seed,
        "games": len(tournament.games),
        "folder": str(folder),
        "notes": list(tournament.notes),
        "players": [
            {
                "player": standing.player,
                "elo": standing.elo,
                "interval": list(standing.interval),
                "points": standing.points,
                "games": standing.games,
                "against": {
                    opponent: {"points": points, "games": games}
                    for opponent, (points, games) in standing.against.items()
                },
                "reasons": standing.reasons,
            }
            for standing in tournament.standings
        ],
    }


@contextmanager
def _progress(plan: Plan) -> Iterator[tuple[Callable[[int], None], Callable[[TournamentGame], None]]]:
    """A bar with the last game while the tournament goes on."""
    with games_bar(plan.games * len(plan.meetings)) as move_on:
        played = 0

        def on_start(done: int) -> None:
            nonlocal played
            played = done
            move_on(played)

        def on_game(game: TournamentGame) -> None:
            nonlocal played
            played += 1
            move_on(played, printable(" - ".join(game.players), longest=60))

        yield on_start, on_game
