"""Games between players, and questions about positions, as jobs of a crew: the same answers on any machine.

A player is made where the job is done, from its text; the networks that it names are sent along.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from tengen._core import Game, State, TengenError
from tengen.arena import MatchResult, PlayedGame, make_openings, play_games
from tengen.base.crew import Crew, Hand
from tengen.network.checkpoint import NetworkFile, check_fits, find_network, load_network
from tengen.network.evaluator import NetworkEvaluator, make_evaluator
from tengen.players import Player, SearchPlayer, answers_in_batches, make_player

__all__ = ["Meetings", "Seats", "Table", "match_by_crew"]

GAMES_AT_A_TABLE = 16  # of a job: enough to share batches, few enough that every core gets some


@dataclass(frozen=True)
class Seats:
    """Players by their texts, with all that another machine needs to make the same ones."""

    game: Game
    networks: dict[str, NetworkFile]  # by the name that a player's text has for it
    leaves: dict[
        str, int
    ]  # that a search collects in a batch, by player: it follows from the cores of the first machine

    @staticmethod
    def of(game: Game, players: Sequence[str]) -> Seats:
        """TengenError for a player that only one machine can have: a program, or one that plays by the clock."""
        for text in players:
            if not answers_in_batches(text):
                raise TengenError(
                    f"'{text[:200]}' can't play on a cluster: it is a program, plays by the clock, or uses all cores "
                    "of a machine. Leave --cluster out."
                )
        networks: dict[str, NetworkFile] = {}

        def load(model: str, game: Game) -> NetworkEvaluator:
            networks[model] = load_network(find_network(model))
            check_fits(networks[model], game)
            return make_evaluator(networks[model], precision="f32", threads=1, game=game)

        made = {text: make_player(text, game, load) for text in players}
        leaves = {text: p.params.leaves_per_batch for text, p in made.items() if isinstance(p, SearchPlayer)}
        return Seats(game, networks, leaves)

    def players(self, texts: Sequence[str], number: int) -> list[dict[str, Player]]:
        """So many of each, for a thread each."""
        evaluators = {model: make_evaluator(net, threads=1, game=self.game) for model, net in self.networks.items()}

        def clone(model: str, game: Game) -> NetworkEvaluator:
            return evaluators[model].clone()

        return [
            {text: self._as_here(text, make_player(text, self.game, clone)) for text in texts} for _ in range(number)
        ]

    def _as_here(self, text: str, player: Player) -> Player:
        if isinstance(player, SearchPlayer) and text in self.leaves:
            player.params = player.params.replace(leaves_per_batch=self.leaves[text])
        return player


class Table(NamedTuple):
    """Some games of two players: one job."""

    players: tuple[str, str]
    numbers: tuple[int, ...]
    seed: int


@dataclass(frozen=True)
class Meetings:
    """What the tables of a match or a tournament have in common."""

    seats: Seats
    texts: tuple[str, ...]
    openings: tuple[State, ...]

    def hands(self, number: int) -> list[Hand[Table, list[PlayedGame]]]:
        return [partial(self._play, players) for players in self.seats.players(self.texts, number)]

    def _play(
        self,
        players: dict[str, Player],
        table: Table,
        /,
        should_stop: Callable[[], bool],
        on_progress: Callable[[int], None],
    ) -> list[PlayedGame]:
        """Between two moves of all games the crew is heard: `play_games` asks whether it is cancelled."""
        done = 0

        def on_game(played: PlayedGame) -> None:
            nonlocal done
            done += 1
            on_progress(done)

        a, b = (players[text] for text in table.players)
        asked = _Asked(should_stop)
        return play_games((a, b), self.openings, table.numbers, seed=table.seed, cancelled=asked, on_game=on_game)


class _Asked(threading.Event):
    """An event that is set when somebody says so."""

    def __init__(self, should_stop: Callable[[], bool]) -> None:
        super().__init__()
        self._should_stop = should_stop

    def is_set(self) -> bool:
        return self._should_stop()


def match_by_crew(
    crew: Crew,
    game: Game,
    players: tuple[str, str],
    *,
    games: int,
    seed: int = 0,
    opening_plies: int | None = None,
    openings: Sequence[State] = (),
    on_game: Callable[[PlayedGame], None] = lambda played: None,
) -> MatchResult:
    """The match that `play_match` plays, by a crew."""
    starts = tuple(openings or make_openings(game, (games + 1) // 2, opening_plies, seed))
    numbers = range(games)
    tables = [
        Table(players, tuple(numbers[first : first + GAMES_AT_A_TABLE]), seed)
        for first in range(0, games, GAMES_AT_A_TABLE)
    ]

    def on_answer(number: int, played: list[PlayedGame]) -> None:
        for each in played:
            on_game(each)

    work = Meetings(Seats.of(game, players), tuple(dict.fromkeys(players)), starts)
    done = crew.do(work, tables, on_answer=on_answer)
    played = sorted((each for table in done.answers for each in table), key=lambda each: each.number)
    return MatchResult(players, tuple(played), seed)
