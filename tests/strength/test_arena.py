"""Matches and players: fair colours, shared openings, honest intervals, results that a seed gives back."""

import math
from collections.abc import Sequence
from itertools import pairwise

import pytest

from tengen import State, load
from tengen.arena import MatchResult, play_match, score_interval
from tengen.players import Player, PlayerSpecError, RandomPlayer, make_player

GAME = load("connect_four")
TIC_TAC_TOE = load("tic_tac_toe")


class Recorder:
    """Plays the lowest legal action and remembers what it was asked."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.asked: list[tuple[State, int]] = []

    def choose(self, states: Sequence[State], seeds: Sequence[int]) -> list[int]:
        self.asked += zip(states, seeds, strict=True)
        return [state.legal_actions[0] for state in states]


def moves(match: MatchResult) -> list[tuple[int, tuple[int, ...]]]:
    return [(game.first, game.final.moves) for game in match.games]


def test_colours_are_swapped_and_pairs_share_openings() -> None:
    first, second = Recorder("a"), Recorder("b")
    match = play_match(GAME, (first, second), games=20, seed=3, opening_plies=4)
    assert match.names == ("a", "b")
    assert [game.first for game in match.games] == [0, 1] * 10
    openings = [game.final.moves[:4] for game in match.games]
    assert openings[::2] == openings[1::2]
    assert len({GAME.state(list(opening)) for opening in openings}) == 10
    # Both play the same moves, so each pair is the same game twice, and the points are shared.
    for even, odd in zip(match.games[::2], match.games[1::2], strict=True):
        assert even.final == odd.final
        assert even.points(0) == odd.points(1) == 1 - even.points(1)
    assert match.score == 0.5
    for player, recorder in enumerate((first, second)):
        assert recorder.asked
        for state, _ in recorder.asked:
            owners = {
                (game.first if state.to_move == 0 else 1 - game.first)
                for game in match.games
                if game.final.moves[: len(state.moves)] == state.moves
            }
            assert player in owners


def test_every_move_has_a_seed_of_its_own() -> None:
    recorders = Recorder("a"), Recorder("b")
    play_match(GAME, recorders, games=10, seed=1)
    seeds = [seed for recorder in recorders for _, seed in recorder.asked]
    assert len(set(seeds)) == len(seeds)


@pytest.mark.parametrize("at_once", [1, 3, 8, 64])
def test_games_at_once_change_nothing(at_once: int) -> None:
    def play(at_once: int, seed: int = 5) -> MatchResult:
        players = (make_player("rollout:40", GAME), make_player("uniform:30", GAME))
        return play_match(GAME, players, games=16, seed=seed, at_once=at_once)

    match = play(at_once)
    assert moves(match) == moves(play(16))
    assert moves(match) != moves(play(16, seed=6))


def test_counts_add_up() -> None:
    told = []
    players = (make_player("rollout:100", TIC_TAC_TOE), RandomPlayer())
    match = play_match(TIC_TAC_TOE, players, games=101, seed=2, on_game=told.append)
    assert match.wins + match.draws + match.losses == len(match.games) == 101
    assert len(told) == 101  # as they end, so in another order
    assert set(map(id, told)) == set(map(id, match.games))
    assert match.score == (match.wins + match.draws / 2) / 101
    assert match.wins > match.losses
    low, high = match.interval
    assert low < match.score < high


def test_points_follow_the_colours() -> None:
    """Whoever moves first in column 1 wins with four in it; the other goes elsewhere."""

    class Stacker(Recorder):
        def choose(self, states: Sequence[State], seeds: Sequence[int]) -> list[int]:
            return [0 if self.name == "tower" else 1 + len(state.moves) // 2 % 3 for state in states]

    match = play_match(GAME, (Stacker("tower"), Stacker("spread")), games=2, opening_plies=0)
    assert (match.wins, match.losses) == (2, 0)
    swapped = play_match(GAME, (Stacker("spread"), Stacker("tower")), games=2, opening_plies=0)
    assert (swapped.wins, swapped.losses) == (0, 2)


@pytest.mark.parametrize(("wins", "games"), [(0, 10), (1, 10), (5, 10), (81, 263), (55, 100), (400, 400)])
def test_interval_is_wilsons(wins: int, games: int) -> None:
    """Its ends are the two chances p from which the score is just 1.96 standard deviations away."""
    score = wins / games
    low, high = score_interval(score, games)
    assert 0.0 <= low <= score <= high <= 1.0
    for p in (low, high):
        if 0.0 < p < 1.0:
            assert abs(score - p) / math.sqrt(p * (1 - p) / games) == pytest.approx(1.959964, abs=1e-5)
    assert (low == 0.0) == (wins == 0)
    assert (high == 1.0) == (wins == games)


def test_interval_of_the_books() -> None:
    """81 of 263 (Newcombe 1998, table I, method 3): 0.2553 to 0.3662."""
    low, high = score_interval(81 / 263, 263)
    assert (round(low, 4), round(high, 4)) == (0.2553, 0.3662)


def test_interval_narrows_with_the_games() -> None:
    widths = [high - low for low, high in (score_interval(0.6, games) for games in (10, 100, 1000, 10_000))]
    assert all(wide > 2 * narrow for wide, narrow in pairwise(widths))


# --- players --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["random", "rollout:60", "uniform:60"])
def test_a_player_answers_by_state_and_seed_alone(text: str) -> None:
    player: Player = make_player(text, GAME)
    assert player.name == text
    states = [GAME.state("4 4 3"), GAME.initial_state(), GAME.state("1 2 1 2 1 2"), GAME.initial_state()]
    seeds = [11, 12, 13, 14]
    together = player.choose(states, seeds)
    assert together == [player.choose([state], [seed])[0] for state, seed in zip(states, seeds, strict=True)]
    assert together == player.choose(states[::-1], seeds[::-1])[::-1]
    assert all(action in state.legal_actions for action, state in zip(together, states, strict=True))
    assert player.choose([], []) == []


def test_random_player_is_uniform() -> None:
    chosen = RandomPlayer().choose([GAME.initial_state()] * 7000, range(7000))
    assert all(850 < chosen.count(action) < 1150 for action in range(7))


NO_PLAYERS = ["gnugo", "random:3", "random:", "rollout", "rollout:", "rollout:0", "rollout:-5", "rollout:many"]
NO_PLAYERS += ["uniform:1e3", "uniform:99999999999", "Rollout:10", "rollout:10:20", "", " random"]


@pytest.mark.parametrize("text", NO_PLAYERS)
def test_texts_that_are_no_player(text: str) -> None:
    with pytest.raises(PlayerSpecError):
        make_player(text, GAME)


def test_more_simulations_win() -> None:
    players = (make_player("rollout:400", GAME), make_player("rollout:20", GAME))
    match = play_match(GAME, players, games=40, seed=1)
    assert match.interval[0] > 0.5
