"""How strong the network of a run is: Elo with error bars, on a ladder of opponents.

The ladder has fixed anchors (random, rollout:100 ...) and, on top of them, older networks of the run. A measurement
plays few games, against the opponents whose games give the most information: those about as strong as the network. The
ratings are the maximum likelihood of all matches of the run in the model of Bradley and Terry (1952): a player who is d
Elo stronger scores 1 / (1 + 10^(-d / 400)).
"""

from __future__ import annotations

import math
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tengen._core import Game
from tengen.arena import MatchResult, Pair, PlayedGame, play_matches
from tengen.config import ArenaConfig
from tengen.players import Player, make_player
from tengen.report import IterationReport, RatingReport, StrengthReport

__all__ = [
    "Rating",
    "Result",
    "bootstrap",
    "expected_score",
    "iteration_of",
    "measure",
    "network_name",
    "opponents",
    "rate",
    "results_of",
    "zero_of",
]

RESAMPLES = 500  # of a bootstrap; about a dozen of them lie outside each end of a 95 % interval
PRIOR_GAMES = 1.0  # drawn games added to each pair as a prior, so that no rating is infinite
ELO = 400.0 / math.log(10.0)  # Elo points per natural unit (logit) of strength


@dataclass(frozen=True)
class Result:
    """The points of one player against another; a draw is half a point."""

    player: str
    opponent: str
    games: int
    points: float


@dataclass(frozen=True)
class Rating:
    elo: float
    error: float  # 95 %: the truth is within elo +- error


def expected_score(elo: float, opponent: float) -> float:
    return 1.0 / (1.0 + math.exp((opponent - elo) / ELO))


def rate(results: Iterable[Result], zero: str) -> dict[str, Rating]:
    """The ratings of all players who are connected with `zero` by matches; `zero` has Elo 0.

    Errors come from the Fisher information. A draw counts as half a win and half a loss, which makes them slightly too
    wide.
    """
    pairs = _connected(_pairs(results), zero)
    names = [zero, *sorted({name for pair in pairs for name in pair} - {zero})]
    index = {name: i for i, name in enumerate(names)}
    a = np.array([index[pair[0]] for pair in pairs], int)
    b = np.array([index[pair[1]] for pair in pairs], int)
    games = np.array([pairs[pair][0] + PRIOR_GAMES for pair in pairs])
    points = np.array([pairs[pair][1] + PRIOR_GAMES / 2 for pair in pairs])
    strength = np.zeros(len(names))  # in natural units
    information = np.zeros((len(names), len(names)))
    for _ in range(200):  # Newton's method; the log-likelihood is concave, and long steps are shortened
        expected = 1.0 / (1.0 + np.exp(strength[b] - strength[a]))
        slope = np.zeros(len(names))
        np.add.at(slope, a, points - games * expected)
        np.add.at(slope, b, games * expected - points)
        information[:] = 0.0
        weight = games * expected * (1.0 - expected)
        for i, j, sign in ((a, a, 1), (b, b, 1), (a, b, -1), (b, a, -1)):
            np.add.at(information, (i, j), sign * weight)
        step = np.linalg.solve(information[1:, 1:], slope[1:])
        strength[1:] += step * min(1.0, 2.0 / max(np.abs(step).max(initial=0.0), 1e-9))
        if np.abs(step).max(initial=0.0) < 1e-9:
            break
    deviations = np.sqrt(np.diag(np.linalg.inv(information[1:, 1:])))
    return {zero: Rating(0.0, 0.0)} | {
        name: Rating(float(strength[i + 1] * ELO), float(1.959964 * deviations[i] * ELO))
        for i, name in enumerate(names[1:])
    }


def bootstrap(blocks: Sequence[Result], zero: str, seed: int = 0) -> dict[str, tuple[float, float]]:
    """95 % intervals of the ratings, by resampling the games of every pair of players with replacement.

    A block is resampled as a whole: the two games of one opening with colours swapped, which are not independent.
    Resampling shows no variation where a player's rating would be infinite without the prior (one side won everything),
    and in a pair of players with a single block; the interval is then at least that of the Fisher information.
    """
    rng = np.random.default_rng(seed)
    pairs = sorted({(block.player, block.opponent) for block in blocks})
    met_once: set[str] = set()
    drawn: dict[tuple[str, str], tuple[NDArray[np.int64], NDArray[np.float64]]] = {}  # games and points, [RESAMPLES]
    for pair in pairs:
        mine = [block for block in blocks if (block.player, block.opponent) == pair]
        met_once.update(pair if len(mine) == 1 else ())
        choice = rng.integers(len(mine), size=(RESAMPLES, len(mine)))
        games = np.array([block.games for block in mine])[choice].sum(axis=1)
        drawn[pair] = games, np.array([block.points for block in mine])[choice].sum(axis=1)
    samples = [
        rate([Result(*pair, int(drawn[pair][0][i]), float(drawn[pair][1][i])) for pair in pairs], zero)
        for i in range(RESAMPLES)
    ]
    comparable = _comparable(blocks, zero)
    intervals = {}
    for name, rating in rate(blocks, zero).items():
        low, high = np.percentile([sample[name].elo for sample in samples], [2.5, 97.5]).tolist()
        if name not in comparable or name in met_once:
            low, high = min(low, rating.elo - rating.error), max(high, rating.elo + rating.error)
        intervals[name] = (low, high)
    return intervals


def _comparable(results: Sequence[Result], zero: str) -> set[str]:
    """Players with a finite rating without the prior: they scored against `zero`, and `zero` against them, directly or
    through other players (Ford 1957).
    """
    scored = {(result.player, result.opponent) for result in results if result.points > 0}
    scored |= {(result.opponent, result.player) for result in results if result.points < result.games}

    def reached(edges: set[tuple[str, str]]) -> set[str]:
        known = {zero}
        while more := {b for a, b in edges if a in known} - known:
            known |= more
        return known

    return reached(scored) & reached({(b, a) for a, b in scored})


def _pairs(results: Iterable[Result]) -> dict[tuple[str, str], tuple[float, float]]:
    """Games and points of the alphabetically first player of each pair; results of both directions are added."""
    games: dict[tuple[str, str], float] = defaultdict(float)
    points: dict[tuple[str, str], float] = defaultdict(float)
    for result in results:
        turned = result.player > result.opponent
        pair = (result.opponent, result.player) if turned else (result.player, result.opponent)
        games[pair] += result.games
        points[pair] += result.games - result.points if turned else result.points
    return {pair: (games[pair], points[pair]) for pair in sorted(games) if pair[0] != pair[1]}


def _connected(
    pairs: dict[tuple[str, str], tuple[float, float]], zero: str
) -> dict[tuple[str, str], tuple[float, float]]:
    known = {zero}
    while more := {name for pair in pairs for name in pair if known & set(pair)} - known:
        known |= more
    return {pair: score for pair, score in pairs.items() if pair[0] in known}


# ---- The ladder of a run


def zero_of(config: ArenaConfig) -> str:
    """The anchor with Elo 0: the middle one. Nearly every player beats the weakest, which gives little information."""
    return config.anchors[len(config.anchors) // 2]


def network_name(iteration: int) -> str:
    """The name of a network of the run as a player on the ladder."""
    return f"iteration {iteration}"


def iteration_of(name: str) -> int:
    """The iteration of a network, from its name on the ladder."""
    return int(name.removeprefix("iteration "))


def results_of(reports: Iterable[IterationReport]) -> list[Result]:
    """All matches that a run has played to measure itself."""
    found = []
    for report in reports:
        if report.rating is not None:
            found += _results(report.rating.network, (*report.rating.anchors, *report.strength))
    return found


def _results(network: str, matches: Iterable[StrengthReport]) -> list[Result]:
    return [
        Result(
            network if match.player == "network" else match.player,
            match.opponent,
            match.games,
            match.games * match.score,
        )
        for match in matches
    ]


def opponents(config: ArenaConfig, results: Sequence[Result], network: str, older: Sequence[str]) -> list[str]:
    """Opponents of a measurement: at first all anchors, later those with the largest expected information, p (1 - p).

    The network is expected to be as strong as the newest rated one. `older` are the networks that are still available.
    """
    ratings = rate(results, zero_of(config))
    rated = [result.player for result in results if result.player in ratings and result.player not in config.anchors]
    if not rated:
        return list(config.anchors)
    strength = ratings[rated[-1]].elo
    candidates = [name for name in (*config.anchors, *older) if name in ratings and name != network]

    def information(name: str) -> float:
        expected = expected_score(strength, ratings[name].elo)
        return expected * (1.0 - expected)

    best = sorted(candidates, key=information, reverse=True)[: config.opponents]
    return [name for name in candidates if name in best]


def measure(
    game: Game,
    config: ArenaConfig,
    network: int,
    history: Sequence[IterationReport],
    *,
    seats: Callable[[int], Sequence[Player]],
    older: Iterable[int],
    seed: int,
    opening_plies: int,
    seconds: float = math.inf,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> tuple[tuple[StrengthReport, ...], RatingReport | None]:
    """Rates the network of an iteration by matches against some players of the ladder.

    `seats(iteration)` makes the players of a network, one for each thread; `older` are the iterations it can be called
    with. With a limit in seconds there are as many games as fit, and no rating if not even one opening was played to
    its end with both colours.
    """
    started = time.perf_counter()
    known = results_of(history)
    name = network_name(network)
    iterations = {network_name(iteration): iteration for iteration in older}
    chosen = opponents(config, known, name, list(iterations))
    among = [] if known else list(pairwise(config.anchors))
    pairings: list[list[Pair]] = []  # for each thread
    networks = {opponent: seats(iterations[opponent]) for opponent in chosen if opponent in iterations}
    for thread, player in enumerate(seats(network)):
        anchors = {anchor: make_player(anchor, game) for anchor in config.anchors}
        mine = [(player, networks[other][thread] if other in networks else anchors[other]) for other in chosen]
        pairings.append(mine + [(anchors[a], anchors[b]) for a, b in among])
    matches = _matches(
        game,
        pairings,
        games=config.games,
        seed=seed,
        opening_plies=opening_plies,
        until=started + seconds,
        on_progress=on_progress,
    )
    strength = tuple(_strength(match, "network") for match in matches[: len(chosen)] if match.games)
    between = tuple(_strength(match, match.names[0]) for match in matches[len(chosen) :] if match.games)
    zero = zero_of(config)
    rating = rate([*known, *_results(name, (*between, *strength))], zero).get(name)
    if rating is None:
        return strength, None
    return strength, RatingReport(name, rating.elo, rating.error, zero, time.perf_counter() - started, between)


def _matches(
    game: Game,
    pairings: Sequence[Sequence[Pair]],
    *,
    games: int,
    seed: int,
    opening_plies: int,
    until: float,
    on_progress: Callable[[int, int], None],
) -> list[MatchResult]:
    """All games, or if the time does not suffice, by the measure of the first two of each match, as many as fit."""
    done = 0
    wanted = games

    def on_game(played: PlayedGame) -> None:
        nonlocal done
        done += 1
        on_progress(done, wanted * len(pairings[0]))

    def play(number: int, first: int = 0) -> tuple[MatchResult, ...]:
        return play_matches(
            game,
            pairings,
            games=number,
            first=first,
            seed=seed,
            opening_plies=opening_plies,
            on_game=on_game,
            should_stop=lambda: time.perf_counter() >= until,
        )

    if until == math.inf:
        return list(play(games))
    started = time.perf_counter()
    matches = play(2)
    took = time.perf_counter() - started
    wanted = min(games, 2 + 2 * int(max(0.0, until - time.perf_counter()) / took))
    if wanted == 2:
        return list(matches)
    more = play(wanted - 2, first=2)
    return [replace(one, games=one.games + other.games) for one, other in zip(matches, more, strict=True)]


def _strength(match: MatchResult, player: str) -> StrengthReport:
    return StrengthReport(match.names[1], len(match.games), match.score, match.interval, player)
