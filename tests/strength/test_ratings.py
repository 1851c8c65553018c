"""Elo that recovers what is known, error bars that are true, and a ladder that asks the opponents who tell most."""

import math
from dataclasses import asdict, replace
from itertools import pairwise

import numpy as np
import pytest
from reports import report

import tengen
from tengen.arena import play_match, play_matches
from tengen.config import ArenaConfig
from tengen.players import RandomPlayer, SearchPlayer, make_player
from tengen.report import IterationReport, RatingReport, StrengthReport, iteration_report
from tengen.strength.ratings import Result, expected_score, measure, opponents, rate, results_of, zero_of

GAME = tengen.load("tic_tac_toe")
ARENA = ArenaConfig(games=6, simulations=4, anchors=("random", "rollout:10", "rollout:40"), opponents=2)


# ---- Ratings


@pytest.mark.parametrize(("games", "points"), [(10, 5.0), (40, 30.5), (40, 40.0), (7, 0.0)])
def test_two_players(games: int, points: float) -> None:
    """By hand: a drawn game on top, then 400 log10 of the odds; the information is n p (1 - p)."""
    rating = rate([Result("a", "b", games, points)], zero="b")["a"]
    p = (points + 0.5) / (games + 1)
    assert rating.elo == pytest.approx(400 * math.log10(p / (1 - p)), abs=1e-4)
    deviation = 400 / math.log(10) / math.sqrt((games + 1) * p * (1 - p))
    assert rating.error == pytest.approx(1.959964 * deviation, rel=1e-6)


def played(truth: dict[str, float], games: int, rng: np.random.Generator) -> list[Result]:
    """Everyone against the next one, with the chances that these ratings give."""
    return [
        Result(a, b, games, float(rng.binomial(games, expected_score(truth[a], truth[b]))))
        for a, b in pairwise(sorted(truth))
    ]


def test_ratings_are_found_again() -> None:
    truth = {"a": 0.0, "b": 150.0, "c": 310.0, "d": 420.0, "e": 380.0}
    found = rate(played(truth, 100_000, np.random.default_rng(1)), zero="a")
    assert found.keys() == truth.keys()
    for name, rating in found.items():
        assert rating.elo == pytest.approx(truth[name], abs=15)


def test_error_bars_are_true() -> None:
    """The truth is inside about 19 times out of 20, also at the far end of a chain."""
    truth = {"a": 0.0, "b": 120.0, "c": 200.0, "d": 330.0}
    rng = np.random.default_rng(2)
    runs = 400
    inside = dict.fromkeys("bcd", 0)
    for _ in range(runs):
        found = rate(played(truth, 60, rng), zero="a")
        for name in inside:
            inside[name] += abs(found[name].elo - truth[name]) <= found[name].error
    for hits in inside.values():
        assert 0.92 <= hits / runs <= 0.98


def test_neither_order_nor_side_matters() -> None:
    results = [Result("a", "b", 40, 31.5), Result("b", "c", 30, 12.0), Result("a", "c", 20, 9.0)]
    turned = [Result(r.opponent, r.player, r.games, r.games - r.points) for r in reversed(results)]
    halves = [Result(r.player, r.opponent, r.games // 2, r.points / 2) for r in results for _ in range(2)]
    for same in (turned, halves):
        found = rate(same, zero="c")
        for name, rating in rate(results, zero="c").items():
            assert asdict(found[name]) == pytest.approx(asdict(rating))


def test_errors_narrow_with_games_and_add_up_along_a_chain() -> None:
    few = rate([Result("a", "b", 20, 12.0), Result("b", "c", 20, 12.0)], zero="c")
    many = rate([Result("a", "b", 2000, 1200.0), Result("b", "c", 2000, 1200.0)], zero="c")
    assert many["a"].error < few["a"].error / 8
    assert few["a"].error == pytest.approx(math.sqrt(2) * few["b"].error, rel=1e-6)
    assert few["c"].error == 0.0


def test_who_never_met_is_not_rated() -> None:
    found = rate([Result("a", "b", 4, 2.0), Result("x", "y", 4, 2.0), Result("a", "a", 4, 2.0)], zero="a")
    assert found.keys() == {"a", "b"}
    assert rate([], zero="a").keys() == {"a"}


# ---- Matches side by side


def test_matches_side_by_side_are_the_same_matches() -> None:
    def players() -> list[tuple[SearchPlayer | RandomPlayer, ...]]:
        one = make_player("uniform:20", GAME)
        return [(one, make_player("rollout:10", GAME)), (one, RandomPlayer())]

    alone = [play_match(GAME, pair, games=9, seed=3, opening_plies=2) for pair in players()]
    for threads in (1, 2, 3):
        together = play_matches(GAME, [players() for _ in range(threads)], games=9, seed=3, opening_plies=2)
        assert list(together) == alone


# ---- The ladder


def measured(iteration: int, elo: float, strength: dict[str, float], games: int = 100) -> IterationReport:
    matches = tuple(StrengthReport(name, games, score, (0.0, 1.0)) for name, score in strength.items())
    rating = RatingReport(f"iteration {iteration}", elo, 50.0, "rollout:10", 2.0)
    return report(iteration, strength=matches, rating=rating)


def test_at_first_all_anchors_are_met() -> None:
    assert opponents(ARENA, [], "iteration 5", []) == ["random", "rollout:10", "rollout:40"]


def test_then_those_who_tell_most() -> None:
    anchors = [Result("random", "rollout:10", 100, 20.0), Result("rollout:10", "rollout:40", 100, 20.0)]
    weak = [*anchors, *results_of([measured(5, 0, {"random": 0.6, "rollout:10": 0.3})])]
    assert opponents(ARENA, weak, "iteration 10", ["iteration 5"]) == ["random", "iteration 5"]
    strong = [*weak, *results_of([measured(10, 0, {"rollout:40": 0.9, "iteration 5": 0.99})])]
    chosen = opponents(ARENA, strong, "iteration 15", ["iteration 5", "iteration 10"])
    assert chosen == ["rollout:40", "iteration 10"]
    # Nobody meets itself, and a network whose file is gone can't be met.
    assert opponents(ARENA, strong, "iteration 10", ["iteration 5", "iteration 10"])[0] == "rollout:10"
    assert "iteration 10" not in opponents(ARENA, strong, "iteration 15", ["iteration 5"])


def ladder(history: list[IterationReport], network: int, older: tuple[int, ...], seed: int = 1, threads: int = 2):  # type: ignore[no-untyped-def]
    """Measures a made-up run, whose networks search more from iteration to iteration."""

    def seats(iteration: int) -> list[SearchPlayer]:
        params = tengen.SearchParams(simulations=iteration)
        return [SearchPlayer(f"iteration {iteration}", params) for _ in range(threads)]

    return measure(GAME, ARENA, network, history, seats=seats, older=older, seed=seed, opening_plies=2)


def test_a_measurement() -> None:
    strength, rating = ladder([], 5, ())
    assert [match.opponent for match in strength] == ["random", "rollout:10", "rollout:40"]
    assert [(match.player, match.opponent) for match in rating.anchors] == [
        ("random", "rollout:10"),
        ("rollout:10", "rollout:40"),
    ]
    assert rating.zero == zero_of(ARENA) == "rollout:10"
    assert rating.network == "iteration 5"
    history = [report(5, strength=strength, rating=rating)]
    known = results_of(history)
    assert rate(known, rating.zero)["iteration 5"].elo == rating.elo
    second, later = ladder(history, 10, (5,))
    assert len(second) == ARENA.opponents
    assert later.anchors == ()  # they don't change
    assert later.error > 0


def test_a_seed_gives_the_measurement_back() -> None:
    (strength, rating), (again, rated), (other, _) = ladder([], 5, ()), ladder([], 5, ()), ladder([], 5, (), seed=2)
    assert (strength, replace(rating, seconds=0)) == (again, replace(rated, seconds=0))
    assert strength != other
    assert strength == ladder([], 5, (), threads=1)[0]


def test_reports_survive_a_file() -> None:
    import json

    strength, rating = ladder([], 5, ())
    for original in (report(5, strength=strength, rating=rating), report(6)):
        assert iteration_report(json.loads(json.dumps({**asdict(original), "crc32": 7}))) == original
