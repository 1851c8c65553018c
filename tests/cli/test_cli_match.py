"""`tengen match`: the answer in words and as JSON, the arithmetic behind it, and a terminal against a pipe."""

import json
import math
import os
import pty
import re
import subprocess
import sys
from types import SimpleNamespace

import pytest

import tengen
from tengen.arena import MatchResult, PlayedGame, elo_difference, play_match, score_interval
from tengen.interfaces.cli.match import report
from tengen.interfaces.cli.tournament import verdict
from tengen.players import make_player
from tengen.strength.tournament import Standing

COMMAND = [sys.executable, "-c", "from tengen.interfaces.cli import main; main()"]
FIRST_WINS = "a1 a2 b1 b2 c1"
DRAWN = "b2 a1 a3 c1 b1 b3 a2 c2 c3"


def result(wins: int, draws: int, losses: int) -> MatchResult:
    """A match with these games, seen from the first player's side."""
    game = tengen.load("tic_tac_toe")
    won, drawn = game.state(FIRST_WINS), game.state(DRAWN)
    games = (
        [PlayedGame(won, 0, won.outcome)] * wins
        + [PlayedGame(drawn, 0, drawn.outcome)] * draws
        + [PlayedGame(won, 1, won.outcome)] * losses
    )
    return MatchResult(("a", "b"), tuple(games), seed=0)


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        (
            (93, 5, 2),
            "a beat b: 93 wins, 5 draws, 2 losses; score 95.5 %, 95 % interval 89.5 to 98.1 %\n"
            "Elo difference +531, 95 % interval +372 to +689",
        ),
        (
            (1, 1, 18),
            "a lost to b: 1 win, 1 draw, 18 losses; score 7.5 %, 95 % interval 1.8 to 26.9 %\n"
            "Elo difference -436, 95 % interval -700 to -173",
        ),
        (
            (2, 0, 2),
            "a and b: no clear difference: 2 wins, 0 draws, 2 losses; score 50.0 %, 95 % interval 15.0 to 85.0 %\n"
            "Elo difference +0, 95 % interval -301 to +301\n"
            "The interval includes 50 %; more games make it narrower.",
        ),
        (
            (6, 0, 4),
            "a and b: no clear difference: 6 wins, 0 draws, 4 losses; score 60.0 %, 95 % interval 31.3 to 83.2 %\n"
            "Elo difference +70, 95 % interval -137 to +278\n"
            "The interval includes 50 %; more games make it narrower.",
        ),
        (
            (50, 0, 0),
            "a beat b: 50 wins, 0 draws, 0 losses; score 100.0 %, 95 % interval 92.9 to 100.0 %\n"
            "Elo difference at least +446",
        ),
        (
            (0, 0, 50),
            "a lost to b: 0 wins, 0 draws, 50 losses; score 0.0 %, 95 % interval 0.0 to 7.1 %\n"
            "Elo difference at most -446",
        ),
    ],
)
def test_report_in_words(counts: tuple[int, int, int], words: str) -> None:
    assert report(result(*counts)) == words


def test_elo_difference_is_the_logistic_one() -> None:
    assert elo_difference(0.5) == 0
    assert elo_difference(10 / 11) == pytest.approx(400)
    for score in (0.01, 0.3, 0.75, 0.999):
        assert elo_difference(1 - score) == pytest.approx(-elo_difference(score))
        assert 1 / (1 + 10 ** (-elo_difference(score) / 400)) == pytest.approx(score)


@pytest.mark.parametrize("games", range(1, 40))
def test_elo_of_a_clean_score_is_bounded_on_one_side_only(games: int) -> None:
    low, high = map(elo_difference, score_interval(1.0, games))
    assert math.isfinite(low)
    assert high == math.inf
    low, high = map(elo_difference, score_interval(0.0, games))
    assert low == -math.inf
    assert math.isfinite(high)


def test_json_is_one_object_that_agrees_with_the_arena(cli) -> None:
    answer = json.loads(cli("match", "connect_four", "rollout:20", "random", "--games", "11", "--seed", "5", "--json"))
    game = tengen.load("connect_four")
    expected = play_match(game, (make_player("rollout:20", game), make_player("random", game)), games=11, seed=5)
    assert answer == {
        "game": "connect_four",
        "players": ["rollout:20", "random"],
        "seed": 5,
        "games": 11,
        "wins": expected.wins,
        "draws": expected.draws,
        "losses": expected.losses,
        "score": expected.score,
        "interval": pytest.approx(expected.interval),
        "elo": None if expected.losses + expected.draws == 0 else pytest.approx(elo_difference(expected.score)),
        "reasons": {},
        "elo_interval": [end if math.isfinite(end) else None for end in map(elo_difference, expected.interval)],
    }
    assert answer["wins"] + answer["draws"] + answer["losses"] == answer["games"]


def test_json_of_a_clean_score_has_no_infinity(cli) -> None:
    answer = cli("match", "tic_tac_toe", "rollout:400", "random", "--games", "2", "--opening-plies", "0", "--json")
    assert "Infinity" not in answer


def test_same_seed_same_answer(cli) -> None:
    line = ["match", "othello:size=4", "random", "uniform:10", "--games", "30", "--json"]
    assert cli(*line, "--seed", "1") == cli(*line, "--seed", "1")
    answers = {cli(*line, "--seed", str(seed)) for seed in range(5)}
    assert len({json.dumps({**json.loads(answer), "seed": 0}) for answer in answers}) > 1


def test_every_game_is_reported_as_it_ends_and_kept_in_order() -> None:
    game = tengen.load("tic_tac_toe")
    heard: list[PlayedGame] = []
    players = make_player("random", game), make_player("random", game)
    match = play_match(game, players, games=20, opening_plies=2, on_game=heard.append)
    assert [played.first for played in match.games] == [0, 1] * 10
    for even, odd in zip(match.games[::2], match.games[1::2], strict=True):
        assert even.final.moves[:2] == odd.final.moves[:2]
    assert sorted(heard, key=match.games.index) == list(match.games)
    assert heard != list(match.games)  # a short game of a later number ends first


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["match", "nim", "random", "random"], "There is no game called 'nim'"),
        (
            ["match", "othello", "randon", "random"],
            "'randon' is not a player; a player is one of: random, greedy, alphabeta:DEPTH, rollout:N",
        ),
        (["match", "othello", "random", "rollout"], "'rollout': say how many simulations, as in 'rollout:400'."),
        (["match", "othello", "random", "uniform:-3"], "say how many simulations"),
        (["match", "othello", "random", "random", "--games", "0"], "A match has 1 to 1000000 games, not 0."),
        (["match", "othello", "random", "random", "--games", "10000000"], "A match has 1 to 1000000 games"),
        (["match", "othello", "random", "random", "--seed", "-1"], "A seed is a whole number from 0"),
        (["match", "tic_tac_toe", "random", "random", "--opening-plies", "9"], "has 0 to 8 plies, not 9"),
        (["match", "tic_tac_toe", "random", "random", "--opening-plies", "-1"], "has 0 to 8 plies, not -1"),
    ],
)
def test_user_errors_are_one_line(refused, arguments: list[str], words: str) -> None:
    assert words in refused(*arguments)


@pytest.mark.parametrize("arguments", [["match"], ["match", "othello", "random"], ["match", "a", "b", "c", "d"]])
def test_wrong_arguments_leave_with_usage(cli, arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as left:
        cli(*arguments)
    assert left.value.code == 2


def test_progress_is_on_the_terminal_and_the_answer_alone_in_the_pipe() -> None:
    ours, theirs = pty.openpty()
    command = [*COMMAND, "match", "tic_tac_toe", "rollout:50", "random", "--games", "40"]
    program = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs, text=True, env=terminal_environment())
    os.close(theirs)
    shown = read_all(ours)
    answer, _ = program.communicate()
    assert program.returncode == 0
    assert re.fullmatch(r"rollout:50 beat random: .* %\nElo difference .*\n", answer)
    assert "40/40" in shown


def terminal_environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name != "NO_COLOR"} | {"TERM": "xterm"}


def read_all(terminal: int) -> str:
    """What was written to a terminal until its other end closed."""
    parts = []
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:  # EIO: nobody is at the other end
            part = b""
        if not part:
            os.close(terminal)
            return b"".join(parts).decode()
        parts.append(part)


def standing(player: str, elo: float, low: float, high: float) -> Standing:
    return Standing(player, elo, (low, high), points=0.0, games=0, against={}, reasons={})


@pytest.mark.parametrize(
    ("second", "words"),
    [
        ((-90.0, -140.0, -40.0), "a is stronger than all others."),
        ((-20.0, -70.0, 30.0), "a has the highest Elo, but is not clearly stronger than b."),
    ],
)
def test_a_tournament_names_a_winner_only_if_the_intervals_do(second: tuple[float, ...], words: str) -> None:
    standings = (standing("a", 0.0, 0.0, 0.0), standing("b", *second), standing("c", -300.0, -400.0, -200.0))
    assert verdict(SimpleNamespace(standings=standings)) == words  # type: ignore[arg-type]
