"""Self-play: the same games whatever the timing, however they are cut into iterations; and the signs of its values."""

import json
import pickle
import random
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from itertools import count
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from small_runs import small_config

import tengen
from tengen import Evaluation, Outcome
from tengen.config import SelfPlayConfig
from tengen.records import GameRecord
from tengen.selfplay import GamesInFlight, SelfPlayResult, UnitResult, play_games, play_unit
from tengen.train import train

GAME = tengen.load("tic_tac_toe")
FOUR = tengen.load("connect_four")


class Opinionated:
    """Answers from a hash of each position alone, after a pause that nobody can foresee."""

    def __init__(self, game: tengen.Game, pause: float = 0.0) -> None:
        self._actions = game.spec.num_actions
        self._pause = pause
        self.batches: list[int] = []

    def __call__(self, planes: NDArray[np.float32], /) -> Evaluation:
        self.batches.append(len(planes))
        time.sleep(random.random() * self._pause)
        rows = [np.random.default_rng(list(row.astype(np.uint8).tobytes())) for row in planes]
        logits = np.array([rng.normal(size=self._actions) for rng in rows], np.float32)
        return Evaluation(logits, np.array([rng.uniform(-0.9, 0.9) for rng in rows], np.float32))


def config(**changes: object) -> SelfPlayConfig:
    return small_config(self_play=changes).self_play  # type: ignore[arg-type]


def play(
    settings: SelfPlayConfig, *, pause: float = 0.0, threads: int = 2, seed: int = 5, game: tengen.Game = GAME
) -> SelfPlayResult:
    evaluators = [Opinionated(game, pause) for _ in range(threads)]
    return play_games(game, evaluators, settings, seed=seed, iteration=3, network="abc")


def everything(result: SelfPlayResult) -> list[GameRecord]:
    return [*result.records, *(record for thread in result.in_flight for record in thread.games)]


@pytest.mark.parametrize("selection", ["gumbel", "puct"])
def test_same_games_whatever_the_timing(selection: str) -> None:
    settings = config(positions=150, search={"selection": selection, "random_symmetry": True, "cache_entries": 64})
    first, second = play(settings), play(settings, pause=0.002)
    assert first.records == second.records
    assert first.in_flight == second.in_flight
    assert play(settings, seed=6).records != first.records


@pytest.mark.parametrize("fast", [0, 2])
def test_a_game_is_the_same_however_the_run_is_cut(fast: int) -> None:
    """What a game's number and the seed decide does not depend on where iterations end."""
    settings = config(positions=120, units=1, fast_simulations=fast, full_share=0.5, resign_below=-1.0)
    short = settings.model_copy(update={"positions": 17})
    whole = play(settings, threads=1)
    games: dict[int, GameRecord] = {}
    in_flight: tuple[GamesInFlight, ...] = ()
    evaluator = Opinionated(GAME)
    while len(games) < len(whole.records):
        part = play_games(GAME, [evaluator], short, seed=5, iteration=3, network="abc", in_flight=in_flight)
        in_flight = part.in_flight
        games |= {record.seed: record for record in part.records}
    for record in whole.records:
        if record.seed in games:
            assert games[record.seed] == record
    assert len(games.keys() & {record.seed for record in whole.records}) > len(whole.records) // 2


def test_it_goes_on_until_enough_games_have_ended() -> None:
    settings = config(positions=16)  # two plies of each game
    evaluators = [Opinionated(FOUR), Opinionated(FOUR)]
    assert play_games(FOUR, evaluators, settings, seed=5, iteration=0).report.positions == 16
    longer = play_games(FOUR, evaluators, settings, seed=5, iteration=0, least_games=7)
    assert len(longer.records) >= 7
    assert longer.report.positions > 16
    enough = play_games(FOUR, evaluators, config(positions=400), seed=5, iteration=0, least_games=7)
    assert enough.report.positions == 400


def test_a_run_does_not_learn_from_the_shortest_games_alone(tmp_path: Path) -> None:
    settings = small_config(iterations=2, self_play={"positions": 16, "resign_below": -1.0})
    train(settings, tmp_path / "run")
    first, second = (json.loads(line)["self_play"] for line in (tmp_path / "run" / "metrics.jsonl").open())
    assert first["games"] >= 8  # as many as are played at once
    assert second["positions"] == 16


def test_unfinished_games_go_on() -> None:
    settings = config(positions=30)
    first = play(settings)
    begun = {record.seed: record for thread in first.in_flight for record in thread.games}
    assert len(begun) == settings.units * settings.games_per_unit
    second = play_games(
        GAME, [Opinionated(GAME)] * 2, settings, seed=5, iteration=4, network="def", in_flight=first.in_flight
    )
    gone_on = [record for record in everything(second) if record.seed in begun]
    assert {record.seed for record in gone_on} == begun.keys()
    for record in gone_on:
        before = begun[record.seed]
        assert record.moves[: len(before.moves)].tolist() == before.moves.tolist()
        assert (record.network, record.iteration) == ("abc", 3)  # who began it


def test_numbers_of_games_are_given_once() -> None:
    first = play(config(positions=100))
    second = play_games(
        GAME, [Opinionated(GAME)] * 2, config(positions=100), seed=5, iteration=4, in_flight=first.in_flight
    )
    seeds = [record.seed for record in (*first.records, *everything(second))]
    assert len(seeds) == len(set(seeds))
    assert set(range(8)) <= set(seeds)


@pytest.mark.parametrize("threads", [1, 3, 5])
def test_threads_make_no_difference(threads: int) -> None:
    """A run that moves to a machine with more or fewer cores plays the same games."""
    settings = config(positions=150, units=3)
    one, other = play(settings, threads=2, pause=0.002), play(settings, threads=threads)
    assert one.records == other.records
    assert one.in_flight == other.in_flight
    assert len(one.in_flight) == 3


@pytest.mark.parametrize("units", [1, 3])
def test_games_are_dealt_anew_to_another_number_of_units(units: int) -> None:
    first = play(config(positions=40))
    begun = {record.seed for unit in first.in_flight for record in unit.games}
    settings = config(positions=60, units=units)
    second = play_games(GAME, [Opinionated(GAME)] * 2, settings, seed=5, iteration=4, in_flight=first.in_flight)
    seeds = [record.seed for record in everything(second)]
    assert len(seeds) == len(set(seeds))
    assert not set(seeds) & {record.seed for record in first.records}
    assert len(begun & set(seeds)) >= min(8, 4 * units)
    assert len(second.in_flight) == units


def unit_of_its_own(settings: bytes, unit: int, in_flight: bytes) -> bytes:
    """What another process does with pickles."""
    result = play_unit(
        GAME,
        Opinionated(GAME),
        pickle.loads(settings),
        seed=5,
        iteration=4,
        unit=unit,
        units=2,
        network="abc",
        in_flight=pickle.loads(in_flight),
    )
    return pickle.dumps(result)


def test_units_can_be_played_in_other_processes() -> None:
    settings = config(positions=90)
    begun = play(settings).in_flight
    here = play_games(GAME, [Opinionated(GAME)] * 2, settings, seed=5, iteration=4, network="abc", in_flight=begun)
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        answers = pool.map(unit_of_its_own, [pickle.dumps(settings)] * 2, range(2), map(pickle.dumps, begun))
        there: list[UnitResult] = [pickle.loads(answer) for answer in answers]
    assert tuple(record for unit in there for record in unit.records) == here.records
    assert tuple(unit.in_flight for unit in there) == here.in_flight
    assert sum(unit.figures.positions for unit in there) == here.report.positions


def test_a_stopped_unit_keeps_its_games() -> None:
    """And played again from there the games are the same, because a search that was cut off is done anew."""
    settings = config(positions=150, resign_below=-1.0)
    batches = count(1)
    first = play_games(
        GAME,
        [Opinionated(GAME)],
        settings.model_copy(update={"units": 1}),
        seed=5,
        iteration=3,
        network="abc",
        least_games=1000,
        should_stop=lambda: next(batches) > 40,
    )
    assert 0 < first.report.positions < 150
    assert sum(len(record.recorded) for record in everything(first)) == first.report.positions
    whole = play_games(
        GAME, [Opinionated(GAME)], settings.model_copy(update={"units": 1}), seed=5, iteration=3, network="abc"
    )
    moves = {record.seed: record.moves.tolist() for record in whole.records}
    for record in everything(first):
        if record.seed in moves:
            assert record.moves.tolist() == moves[record.seed][: len(record.moves)]


def test_stopped_before_it_began() -> None:
    result = play_games(GAME, [Opinionated(GAME)], config(), seed=5, iteration=3, should_stop=lambda: True)
    assert (result.records, result.report.positions) == ((), 0)
    assert [len(unit.games) for unit in result.in_flight] == [4, 4]


def test_every_record_is_valid_and_every_position_is_counted() -> None:
    result = play(config(positions=200, resign_below=-0.3, never_resign_share=0.5))
    for record in everything(result):
        record.validate(GAME)
    assert result.report.positions == 200
    assert sum(len(record.recorded) for record in everything(result)) == 200
    assert result.report.games == len(result.records)
    assert result.report.evaluations > 0


def test_opening_plies_are_not_recorded() -> None:
    result = play(config(positions=200, random_start_share=1.0, random_start_plies=5))
    assert {record.opening_plies for record in everything(result)} == set(range(6))
    for record in everything(result):
        assert (record.recorded >= record.opening_plies).all()
    assert all(record.opening_plies == 0 for record in everything(play(config(random_start_share=0.0))))


def test_games_start_a_ply_off_the_way_of_earlier_ones() -> None:
    archive = [[4, 0, 8], [0, 4], [0, 3, 1, 4, 6, 2, 5, 8]]  # after the last one only the end of the game is left
    evaluators = [Opinionated(GAME), Opinionated(GAME)]
    settings = config(positions=300, random_start_share=0.0, archive_start_share=0.5)
    result = play_games(GAME, evaluators, settings, seed=1, iteration=1, archive=archive)
    starts = {tuple(record.moves[: record.opening_plies].tolist()) for record in everything(result)}
    assert {()} | {tuple(moves) for moves in archive[2:]} < starts
    forks = starts - {(), tuple(archive[2])}
    assert {fork[:-1] for fork in forks} == {tuple(moves) for moves in archive[:2]}
    assert len(forks) > 6


def test_fast_searches_are_played_but_not_recorded() -> None:
    result = play(config(positions=400, fast_simulations=1, full_share=0.25))
    recorded = sum(len(record.recorded) for record in everything(result))
    assert 50 < recorded < 150
    assert result.report.positions == 400


def test_nobody_resigns_who_must_not() -> None:
    never = play(config(positions=300, resign_below=-0.1, never_resign_share=1.0))
    often = play(config(positions=300, resign_below=-0.1, never_resign_share=0.0))
    assert not any(record.resigned for record in never.records)
    assert any(record.resigned for record in often.records)
    for record in often.records:
        if record.resigned:
            assert record.outcome == Outcome(1 - len(record.moves) % 2)  # the one to move has lost


def test_values_are_for_the_player_to_move() -> None:
    """A search that proves the end knows who wins: +1 for the winner to move, -1 for the loser, just before the end."""
    result = play(config(positions=300, simulations=64, resign_below=-1.0))
    won = 0
    for record in result.records:
        assert record.outcome is not None
        last_value, last_ply = float(record.root_values[-1]), int(record.recorded[-1])
        expected = record.outcome.value_for(last_ply % 2)
        assert last_value == pytest.approx(expected, abs=1e-6)
        won += expected == 1.0
    assert won > 5  # and the last move of a game that is won is the winner's


def test_first_player_score_is_the_first_players() -> None:
    result = play(config(positions=200, resign_below=-1.0))
    results = [record.outcome.value_for(0) for record in result.records if record.outcome is not None]
    assert result.report.first_player_score == pytest.approx(np.mean([(value + 1) / 2 for value in results]))
    assert result.report.draws == pytest.approx(np.mean([value == 0 for value in results]))


def test_batches_fill_up() -> None:
    """One request for all games of a unit, not one a game."""
    evaluator = Opinionated(FOUR)
    settings = config(positions=64, units=1, games_per_unit=16, simulations=8, search={"cache_entries": 0})
    play_games(FOUR, [evaluator], settings, seed=1, iteration=0)
    assert np.mean(evaluator.batches) > 10


def test_one_failing_thread_stops_the_others() -> None:
    class Broken:
        def __call__(self, planes: NDArray[np.float32], /) -> Evaluation:
            raise RuntimeError("out of order")

    before = threading.active_count()
    with pytest.raises(RuntimeError, match="out of order"):
        play_games(GAME, [Broken(), Opinionated(GAME, 0.01)], config(positions=10**6), seed=1, iteration=0)
    assert threading.active_count() == before


def test_progress_is_told() -> None:
    heard: list[tuple[int, int]] = []
    play_games(
        GAME,
        [Opinionated(GAME, 0.05)],
        config(positions=40, units=1),
        seed=1,
        iteration=0,
        on_progress=lambda *now: heard.append(now),
    )
    assert heard
    assert all(0 <= done <= total == 40 for done, total in heard)
    assert [done for done, _ in heard] == sorted(done for done, _ in heard)


def test_simulations_grow_by_equal_factors(tmp_path: Path) -> None:
    growing = small_config(4, self_play={"simulations": 4, "final_simulations": 64})
    assert [growing.self_play.simulations_at(progress) for progress in (0.0, 0.25, 0.5, 0.75, 1.0)] == [
        4,
        8,
        16,
        32,
        64,
    ]
    assert small_config().self_play.simulations_at(0.7) == 4
    train(growing, tmp_path / "run")
    with (tmp_path / "run" / "metrics.jsonl").open() as lines:
        played = [json.loads(line)["self_play"] for line in lines]
    searched = [report["simulations"] / report["positions"] for report in played]
    assert searched == sorted(searched)  # a solved position ends its search early, so they are fewer than allowed
    assert searched[0] <= 4 < searched[-1] <= 32
