"""Matches: two players, varied openings, colours swapped, and an honest interval around the score.

A player that is an external program may fail. That costs it the game, with the reason kept, and the match goes on.
When a match ends, or is given up, so do all programs.
"""

from __future__ import annotations

import math
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from tengen._core import Game, Outcome, State
from tengen.external.programs import ExternalEngineError, ExternalPlayer
from tengen.games.openings import OpeningsError
from tengen.players import Player

__all__ = [
    "Challenge",
    "MatchResult",
    "Pair",
    "PlayedGame",
    "challenge",
    "choose_openings",
    "decided",
    "elo_difference",
    "in_threads",
    "make_openings",
    "move_seed",
    "play_games",
    "play_match",
    "play_matches",
    "score_interval",
]

Pair = tuple[Player, Player]
T = TypeVar("T")

GAMES_AT_ONCE = 64  # of a match, in each thread
CHALLENGE_ROUND = 64  # games between two looks at the score; an even number, so that both colours are had


@dataclass(frozen=True)
class PlayedGame:
    """One finished game of a match."""

    final: State  # as far as it was played
    first: int  # which of the two players had the first move: 0 or 1
    outcome: Outcome
    reason: str = ""  # why the loser lost before the game was over: what its program did, or that it resigned
    number: int = 0  # in the match

    def points(self, player: int) -> float:
        """1 for a win of that player, 1/2 for a draw, 0 for a loss."""
        return (1.0 + self.outcome.value_for(0 if player == self.first else 1)) / 2.0


@dataclass(frozen=True)
class MatchResult:
    """A match seen from its first player's side."""

    names: tuple[str, str]
    games: tuple[PlayedGame, ...]
    seed: int

    @property
    def wins(self) -> int:
        return sum(game.points(0) == 1.0 for game in self.games)

    @property
    def draws(self) -> int:
        return sum(game.points(0) == 0.5 for game in self.games)

    @property
    def losses(self) -> int:
        return len(self.games) - self.wins - self.draws

    @property
    def score(self) -> float:
        """Points per game, from 0 to 1."""
        return sum(game.points(0) for game in self.games) / len(self.games)

    @property
    def reasons(self) -> dict[str, int]:
        """Why games were lost before they were over, and how many."""
        return dict(Counter(game.reason for game in self.games if game.reason))

    @property
    def interval(self) -> tuple[float, float]:
        """95 % interval of the score."""
        return score_interval(self.score, len(self.games))


def score_interval(score: float, games: int, z: float = 1.959964) -> tuple[float, float]:
    """Wilson's interval, 95 % by default. A draw counts as half a win and half a loss: it is a little too wide then."""
    centre = score + z * z / (2 * games)
    spread = z * math.sqrt(score * (1 - score) / games + z * z / (4 * games * games))
    scale = 1 + z * z / games
    return max(0.0, min(score, (centre - spread) / scale)), min(1.0, max(score, (centre + spread) / scale))


def elo_difference(score: float) -> float:
    """How many Elo points stronger the player is who scores this much: 400 log10(s / (1 - s)); infinite at 0 and 1."""
    if not 1e-9 < score < 1.0 - 1e-9:  # the ends of an interval are 0 and 1 only up to rounding
        return math.copysign(math.inf, score - 0.5)
    return 400.0 * math.log10(score / (1.0 - score))


def play_match(
    game: Game,
    players: Pair,
    *,
    games: int,
    seed: int = 0,
    opening_plies: int | None = None,
    at_once: int = GAMES_AT_ONCE,
    openings: Sequence[State] = (),
    on_game: Callable[[PlayedGame], None] | None = None,
) -> MatchResult:
    """Plays `games` games. Games 2k and 2k + 1 share an opening, with colours swapped: openings[k], or random plies.

    `on_game` hears of every game as it ends; the result has them in the order of their numbers.
    """
    [match] = play_matches(
        game,
        [[players]],
        games=games,
        seed=seed,
        opening_plies=opening_plies,
        openings=openings,
        at_once=at_once,
        on_game=on_game,
    )
    return match


def play_matches(
    game: Game,
    seats: Sequence[Sequence[Pair]],
    *,
    games: int,
    seed: int = 0,
    opening_plies: int | None = None,
    at_once: int = GAMES_AT_ONCE,
    openings: Sequence[State] = (),
    first: int = 0,
    on_game: Callable[[PlayedGame], None] | None = None,
    should_stop: Callable[[], bool] = lambda: False,
) -> tuple[MatchResult, ...]:
    """Several matches side by side, so that a player who is in all of them answers in large batches.

    `seats` has an entry for each thread: the same pairs of players, made of objects that only this thread uses.
    `at_once` games of each match go on in a thread; all of them get an even share if there are fewer. The games have
    the numbers from `first`, an even one. `should_stop` is asked before every move: those openings are left out then
    whose two games have not both ended.
    """
    openings = openings or make_openings(game, (first + games + 1) // 2, opening_plies, seed)
    numbers = range(first, first + games)
    played = _play_numbers(
        seats, openings, numbers, seed=seed, at_once=at_once, on_game=on_game, should_stop=should_stop
    )
    return tuple(
        MatchResult((a.name, b.name), _whole_pairs(played, match, numbers), seed)
        for match, (a, b) in enumerate(seats[0])
    )


def _whole_pairs(played: dict[tuple[int, int], PlayedGame], match: int, numbers: range) -> tuple[PlayedGame, ...]:
    """The games of a match in order, without those whose opening was not played with both colours."""
    ended = [k for k in numbers if (match, k) in played]
    return tuple(played[match, k] for k in ended if (match, k ^ 1) in played or k ^ 1 not in numbers)


@dataclass(frozen=True)
class Challenge:
    """A candidate's match against the champion, as far as it had to be played."""

    match: MatchResult  # from the candidate's side
    promoted: bool


def challenge(
    game: Game,
    seats: Sequence[Pair],
    *,
    games: int,
    threshold: float,
    seed: int = 0,
    opening_plies: int | None = None,
    on_game: Callable[[PlayedGame], None] | None = None,
    should_stop: Callable[[], bool] = lambda: False,
) -> Challenge:
    """Whether the candidate scores more than `threshold`. `seats` are candidate and champion, for each thread.

    Ends as soon as it is decided, which is looked at every CHALLENGE_ROUND games. When it is stopped before, the games
    that have ended decide; if there are none, the champion stays.
    """
    played: list[PlayedGame] = []
    promoted: bool | None = None
    while promoted is None:
        number = min(CHALLENGE_ROUND, games - len(played))
        [match] = play_matches(
            game,
            [[pair] for pair in seats],
            games=number,
            first=len(played),
            seed=seed,
            opening_plies=opening_plies,
            at_once=CHALLENGE_ROUND,
            on_game=on_game,
            should_stop=should_stop,
        )
        played += match.games
        points = sum(game.points(0) for game in played)
        if len(match.games) < number:
            promoted = points > threshold * len(played)
        else:
            promoted = decided(points, len(played), games, threshold)
    candidate, champion = seats[0]
    return Challenge(MatchResult((candidate.name, champion.name), tuple(played), seed), promoted)


def decided(points: float, played: int, games: int, threshold: float) -> bool | None:
    """Whether a match ends above the threshold: for certain, or with 99.9 % confidence. None while it is open."""
    needed = threshold * games
    if points > needed or played == games:
        return points > needed
    if points + games - played <= needed:
        return False
    low, high = score_interval(points / played, played, z=3.290527)
    return low > threshold if not low <= threshold <= high else None


def play_games(
    pair: Pair,
    openings: Sequence[State],
    numbers: Iterable[int],
    *,
    seed: int,
    cancelled: threading.Event | None = None,
    on_game: Callable[[PlayedGame], None] | None = None,
) -> list[PlayedGame]:
    """The games of these numbers of one match, in this thread, as they end. Game k starts from openings[k // 2].

    A game does not depend on which others are played. The players are left as they are: programs go on.
    """
    starts = {(0, k): openings[k // 2] for k in numbers}
    return list(_play([pair], starts, seed, on_game, (cancelled or threading.Event()).is_set).values())


def _play_numbers(
    seats: Sequence[Sequence[Pair]],
    openings: Sequence[State],
    numbers: range,
    *,
    seed: int,
    at_once: int,
    on_game: Callable[[PlayedGame], None] | None,
    should_stop: Callable[[], bool],
) -> dict[tuple[int, int], PlayedGame]:
    """The games of these numbers of every match, by match and number. Which thread plays which follows no clock."""
    table = min(at_once, -(-len(numbers) // len(seats)))
    tables = [numbers[start : start + table] for start in range(0, len(numbers), table)]
    cancelled = threading.Event()

    def play(thread: int) -> dict[tuple[int, int], PlayedGame]:
        played: dict[tuple[int, int], PlayedGame] = {}
        for mine in tables[thread :: len(seats)]:
            starts = {(match, k): openings[k // 2] for match in range(len(seats[thread])) for k in mine}
            played |= _play(seats[thread], starts, seed, on_game, lambda: cancelled.is_set() or should_stop())
        return played

    players = [player for pairs in seats for pair in pairs for player in pair]
    parts = in_threads(play, len(seats), players, cancelled)
    return {key: game for part in parts for key, game in part.items()}


def in_threads(
    work: Callable[[int], T], threads: int, players: Iterable[Player], cancelled: threading.Event
) -> list[T]:
    """work(0), work(1) ... side by side. However they end, the programs among the players end too.

    When one of them fails, or someone presses Ctrl-C, `cancelled` tells the others, and nobody waits for a program.
    """
    programs = {id(player): player for player in players if isinstance(player, ExternalPlayer)}.values()
    try:
        if threads == 1:
            return [work(0)]
        with ThreadPoolExecutor(threads) as pool:
            futures = [pool.submit(work, thread) for thread in range(threads)]
            try:
                wait(futures, return_when=FIRST_EXCEPTION)
                return _results(futures)
            finally:
                cancelled.set()
                while wait(futures, timeout=0.05).not_done:
                    for program in programs:  # again and again: one may just have been started
                        program.stop()
    finally:
        cancelled.set()
        for program in programs:
            program.close()


def _results(futures: Sequence[Future[T]]) -> list[T]:
    """Raises the error of the first that failed; those that did not are all done then, or nobody asks for them."""
    for future in futures:
        if future.done():
            future.result()
    return [future.result() for future in futures]


def _play(
    pairs: Sequence[Pair],
    starts: dict[tuple[int, int], State],
    seed: int,
    on_game: Callable[[PlayedGame], None] | None,
    should_stop: Callable[[], bool],
) -> dict[tuple[int, int], PlayedGame]:
    """Plays all these games: side by side, so that batches are large, but those of a program one after the other."""
    played: dict[tuple[int, int], PlayedGame] = {}
    for together in _sittings(pairs, starts):
        played |= _play_together(pairs, together, seed, on_game, should_stop)
    return played


def _sittings(pairs: Sequence[Pair], starts: dict[tuple[int, int], State]) -> Iterator[dict[tuple[int, int], State]]:
    """A program has one board: what goes wrong with it is the fault of the one game that it plays."""
    alone = {i for i, pair in enumerate(pairs) if any(isinstance(player, ExternalPlayer) for player in pair)}
    yield {key: state for key, state in starts.items() if key[0] not in alone}
    for key, state in starts.items():
        if key[0] in alone:
            yield {key: state}


def _play_together(
    pairs: Sequence[Pair],
    starts: dict[tuple[int, int], State],
    seed: int,
    on_game: Callable[[PlayedGame], None] | None,
    should_stop: Callable[[], bool],
) -> dict[tuple[int, int], PlayedGame]:
    """Plays these games side by side: every round, each player answers all positions in which it is to move."""
    states = dict(starts)  # (match, number) -> state of a game that goes on; the first player of game k is k % 2
    players = {id(player): player for pair in pairs for player in pair}
    finished: dict[tuple[int, int], PlayedGame] = {}
    while states and not should_stop():
        for player in players.values():
            mine = [key for key, state in states.items() if pairs[key[0]][(state.to_move + key[1]) % 2] is player]
            if not mine:
                continue
            answers = _answers(
                player, [states[key] for key in mine], [move_seed(seed, key[1], len(states[key].moves)) for key in mine]
            )
            if should_stop():  # programs may have been ended by us, which is no fault of theirs
                break
            for key, answer in zip(mine, answers, strict=True):
                played = _after(states[key], answer, key[1])
                if isinstance(played, PlayedGame):
                    del states[key]
                    finished[key] = played
                    if on_game is not None:
                        on_game(played)
                else:
                    states[key] = played
    return finished


def _answers(player: Player, states: Sequence[State], seeds: Sequence[int]) -> list[int | ExternalEngineError]:
    """An action for each state, or why there is none: only the positions that it fails at are lost."""
    try:
        return [*player.choose(states, seeds)]
    except ExternalEngineError as error:
        if len(states) == 1:
            return [error]
    return [answer for state, seed in zip(states, seeds, strict=True) for answer in _answers(player, [state], [seed])]


def _after(state: State, answer: int | ExternalEngineError, number: int) -> State | PlayedGame:
    """Whoever has no answer has lost."""
    if isinstance(answer, ExternalEngineError):
        return PlayedGame(state, number % 2, Outcome(1 - state.to_move), str(answer), number)
    state = state.play(answer)
    if (outcome := state.outcome) is None:
        return state
    return PlayedGame(state, number % 2, outcome, number=number)


def make_openings(game: Game, count: int, plies: int | None, seed: int) -> list[State]:
    """Random positions after `plies` plies (by default 4, fewer in short games), all different if there are enough.

    More of them begin with the same ones.
    """
    plies = min(4, game.spec.longest_game // 10) if plies is None else plies
    openings: list[State] = []
    seen: set[State] = set()
    for pair in range(count):
        rng = np.random.default_rng([seed, pair])
        for _ in range(100):
            state = game.initial_state()
            while len(state.moves) < plies and state.outcome is None:
                state = state.play(int(rng.choice(state.legal_actions)))
            if state.outcome is None and state not in seen:
                break
        else:
            state = state if state.outcome is None else game.initial_state()
        seen.add(state)
        openings.append(state)
    return openings


def choose_openings(openings: Sequence[State], count: int, seed: int) -> tuple[State, ...]:
    """So many of a book, in an order that the seed decides; more of them begin with the same ones."""
    if len(openings) < count:
        raise OpeningsError(f"These games need {count} openings, and there are {len(openings)}.")
    order = np.random.default_rng(seed).permutation(len(openings))
    return tuple(openings[i] for i in order[:count])


def move_seed(seed: int, game_number: int, ply: int) -> int:
    """What a player gets to choose that move with: another number for every move of every game."""
    return int(np.random.SeedSequence([seed, game_number, ply]).generate_state(1, np.uint64)[0])
