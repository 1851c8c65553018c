"""Self-play that knows the result: games that the rules alone settle are played out with exact targets."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from test_selfplay import FOUR, GAME, Opinionated, config, everything

import tengen
from tengen._core import exact_lines
from tengen.config import SelfPlayConfig
from tengen.records import GameRecord
from tengen.selfplay import GamesInFlight, SelfPlayResult, play_games

DISCOUNT = 0.9
EXAMPLES = Path(__file__).parents[2] / "examples"


def play(settings: SelfPlayConfig, game: tengen.Game = FOUR, threads: int = 2) -> SelfPlayResult:
    return play_games(game, [Opinionated(game) for _ in range(threads)], settings, seed=5, iteration=3, network="abc")


def some_exact(**changes: object) -> SelfPlayConfig:
    """Connect Four from anywhere, with a bound that settles some of the positions."""
    starts = {"random_start_share": 1.0, "random_start_plies": 20, "resign_below": -1.0}
    return config(**{"positions": 300, "exact_nodes": 300, **starts, **changes})


@cache
def worth(moves: tuple[int, ...]) -> tuple[float, tuple[int, ...]]:
    """By plain minimax of tic-tac-toe: the discounted result for the player to move, and the actions that keep it."""
    state = GAME.state(list(moves))
    if state.outcome is not None:
        return state.outcome.value_for(state.to_move), ()
    values = {action: -DISCOUNT * worth((*moves, action))[0] for action in state.legal_actions}
    best = max(values.values())
    return best, tuple(action for action, value in values.items() if value == best)


def exact_part(record: GameRecord) -> range:
    """The indices of the recorded positions after the one position that was searched."""
    return range(1, len(record.recorded))


def test_targets_and_results_are_exact() -> None:
    """Tic-tac-toe is settled from any position, so only the first position of a game is searched."""
    settings = config(positions=300, exact_nodes=20_000, search={"discount": DISCOUNT}, resign_below=-1.0)
    result = play(settings, GAME)
    assert len(result.records) > 20
    for record in result.records:
        record.validate(GAME)
        assert not record.adjudicated
        moves = tuple(record.moves.tolist())
        assert record.recorded.tolist() == list(range(record.opening_plies, len(moves)))
        for index in exact_part(record):
            value, best = worth(moves[: record.recorded[index]])
            assert record.root_values[index] == pytest.approx(value)
            target = record.policy_target(index, 9)
            assert np.flatnonzero(target).tolist() == list(best)
            assert target[list(best)] == pytest.approx(1.0 / len(best), abs=1e-4)
            assert record.surprise[index] == record.surprise[0]
            outcome = record.outcome
            assert outcome is not None
            assert np.sign(value) == outcome.value_for(GAME.state(list(moves[: record.recorded[index]])).to_move)
    recorded = sum(len(record.recorded) for record in everything(result))
    assert result.report.positions == recorded
    assert result.report.exact_positions == sum(len(exact_part(record)) for record in result.records)


def test_what_the_rules_settle_needs_no_network() -> None:
    with_exact, without = play(some_exact()), play(some_exact(exact_nodes=0))
    assert without.report.exact_positions == 0
    assert 0 < with_exact.report.exact_positions < with_exact.report.positions
    assert with_exact.report.evaluations < without.report.evaluations
    for record in everything(with_exact):
        record.validate(FOUR)


def test_same_games_however_they_are_cut_and_by_whatever_threads() -> None:
    whole = play(some_exact(units=1), threads=1)
    games: dict[int, GameRecord] = {}
    in_flight: tuple[GamesInFlight, ...] = ()
    for _ in range(30):
        part = play_games(
            FOUR,
            [Opinionated(FOUR)],
            some_exact(units=1, positions=23),
            seed=5,
            iteration=3,
            network="abc",
            in_flight=in_flight,
        )
        in_flight = part.in_flight
        games |= {record.seed: record for record in part.records}
    common = games.keys() & {record.seed for record in whole.records}
    assert len(common) > len(whole.records) // 2
    assert all(games[record.seed] == record for record in whole.records if record.seed in common)
    two_units = some_exact(units=2)
    assert play(two_units, threads=1).records == play(two_units, threads=2).records


def test_players_who_pass() -> None:
    """Othello: the best score is what is kept, and passes are moves of the line."""
    game = tengen.load("othello", size=4)
    settings = config(
        positions=200, exact_nodes=50_000, random_start_share=1.0, random_start_plies=4, resign_below=-1.0
    )
    result = play(settings, game)
    assert result.report.exact_positions > 50
    for record in result.records:
        assert record.validate(game).outcome == record.outcome


def result_of(state: tengen.State) -> float:
    """With perfect play, for the player to move, by plain minimax."""
    if state.outcome is not None:
        return state.outcome.value_for(state.to_move)
    following = [state.play(action) for action in state.legal_actions]
    return max(result_of(after) if after.to_move == state.to_move else -result_of(after) for after in following)


def test_a_rules_file_in_which_players_move_again() -> None:
    """Dots and Boxes: whoever closes a box moves again."""
    game = tengen.load(str(EXAMPLES / "dots_and_boxes.py"))
    rng = np.random.default_rng(1)
    for seed in range(10):
        state = game.initial_state()
        while len(state.moves) < game.spec.longest_game - 6 and state.outcome is None:
            state = state.play(int(rng.choice(state.legal_actions)))
        if state.outcome is not None:
            continue
        [line] = exact_lines([state], 100_000, [seed])
        assert line is not None
        assert line.outcome.value_for(state.to_move) == result_of(state)
        for position in line.positions:
            state = state.play(position.played)
        assert state.outcome is not None
        assert state.outcome.winner == line.outcome.winner


@pytest.mark.parametrize("name", ["chess", "shogi", "go", "gomoku", "openspiel:hex", str(EXAMPLES / "breakthrough.py")])
def test_every_game_can_be_asked(name: str) -> None:
    state = tengen.load(name).initial_state()
    assert exact_lines([state, state], 50, [1, 2]) == [None, None]


def test_a_mate_in_two() -> None:
    """Chess: the rook takes away the last rank but one, the other one mates."""
    game = tengen.load("chess")
    [line] = exact_lines([game.state([], board="7k/8/8/8/8/8/R7/1R4K1 w - - 0 1")], 20_000, [1])
    assert line is not None
    assert line.outcome.winner == 0
    assert len(line.positions) == 3


def test_a_bound_that_settles_nothing() -> None:
    [line] = exact_lines([FOUR.initial_state()], 100, [1])
    assert line is None
    [line] = exact_lines([FOUR.state("4 4 3 3")], 1000, [1])
    assert line is not None
    assert len(line.positions[0].best) == 2
    assert line.outcome.winner == 0


@pytest.mark.parametrize("positions", [0, -1, 10**12])
def test_wrong_bounds_are_refused(positions: int) -> None:
    with pytest.raises(tengen.ArgumentError, match="between 1 and"):
        exact_lines([GAME.initial_state()], positions, [1])


def test_wrong_questions_are_refused() -> None:
    with pytest.raises(tengen.ArgumentError, match="a seed for each"):
        exact_lines([GAME.initial_state()], 10, [])
    with pytest.raises(tengen.ArgumentError, match="over"):
        exact_lines([GAME.state([0, 3, 1, 4, 2])], 10, [1])
