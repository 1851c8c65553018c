"""Tournaments: every game once, whatever happens in between; ratings with intervals; programs that fail cost games."""

import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import tengen
from tengen.base.durable import run_lock
from tengen.games.sgf import read_sgf
from tengen.strength.ratings import Result, bootstrap, rate
from tengen.strength.tournament import (
    Plan,
    Tournament,
    TournamentError,
    TournamentGame,
    game_file,
    gauntlet,
    neighbours,
    play_tournament,
    round_robin,
    table,
)

ENGINES = Path(__file__).parents[1] / "support" / "engines.py"
GAME = tengen.load("connect_four")
PLAYERS = ("random", "uniform:4", "rollout:8")
COMMAND = [sys.executable, "-c", "from tengen.interfaces.cli import main; main()", "tournament"]


def plan(players: tuple[str, ...] = PLAYERS, games: int = 6, **others: object) -> Plan:
    return Plan(GAME, players, round_robin(players), games, **{"seed": 3, **others})  # type: ignore[arg-type]


def test_everyone_meets_everyone_with_both_colours(tmp_path: Path) -> None:
    heard: list[TournamentGame] = []
    result = play_tournament(plan(), tmp_path, threads=2, on_game=heard.append)
    assert len(result.games) == len(heard) == 18
    openings = {}
    for game in result.games:
        assert game.played.final.outcome == game.played.outcome
        assert game.colours[game.played.first] == game.players[0]
        openings.setdefault((game.meeting, game.played.number // 2), set()).add(game.played.final.moves[:4])
    assert all(len(shared) == 1 for shared in openings.values())
    assert len({min(shared) for shared in openings.values()}) == 3  # the same three for every two players
    by_player = {standing.player: standing for standing in result.standings}
    assert sum(standing.points for standing in result.standings) == 18
    for standing in result.standings:
        assert standing.games == 12
        for opponent, (points, games) in standing.against.items():
            assert points + by_player[opponent].against[standing.player][0] == games == 6
    assert (tmp_path / "table.md").read_text() == table(result) + "\n"
    first = (tmp_path / "games" / "1-2-0001.txt").read_text()
    assert "first: random\nsecond: uniform:4\nresult: " in first


def test_games_are_kept_as_sgf_with_the_reason_of_a_forfeit(tmp_path: Path) -> None:
    game = tengen.load("gomoku", size=7)
    dies = f"gtp:{sys.executable} {ENGINES} dies"
    players = ("random", "greedy", dies)
    result = play_tournament(Plan(game, players, round_robin(players), 2), tmp_path)
    for played in result.games:
        text = (tmp_path / "games" / game_file(played)[0]).read_text()
        assert read_sgf(text, game) == (game, played.played.final)
        assert all(f"[{player}]" in text for player in played.players)
        assert ("+F]" in text and "died" in text) == (dies in played.players)


def games_of(result: Tournament) -> list[tuple[object, ...]]:
    return [(game.key, game.played.final.moves, game.played.outcome) for game in result.games]


def test_cut_off_anywhere_it_goes_on_and_plays_no_game_twice(tmp_path: Path) -> None:
    whole = play_tournament(plan(), tmp_path / "whole")
    log = (tmp_path / "whole" / "games.jsonl").read_bytes()
    rng = random.Random(1)
    for run in range(4):
        folder = tmp_path / str(run)
        folder.mkdir()
        (folder / "tournament.json").write_bytes((tmp_path / "whole" / "tournament.json").read_bytes())
        part = log[: rng.randrange(len(log))]
        (folder / "games.jsonl").write_bytes(part)
        heard: list[TournamentGame] = []
        there: list[int] = []
        again = play_tournament(plan(), folder, threads=1 + run % 2, on_start=there.append, on_game=heard.append)
        assert there == [part.count(b"\n")]
        assert len(heard) == 18 - part.count(b"\n")
        assert games_of(again) == games_of(whole)
        assert table(again) == table(whole)
        assert len(list((folder / "games").iterdir())) == 18
        assert bool(again.notes) == (not part.endswith(b"\n") and bool(part))


def test_a_line_that_was_changed_is_played_again(tmp_path: Path) -> None:
    whole = play_tournament(plan(games=2), tmp_path)
    path = tmp_path / "games.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    lines[2] = lines[2].replace('"winner": 0', '"winner": 5').replace('"winner": 1', '"winner": 0')
    path.write_text("".join(lines))
    heard: list[TournamentGame] = []
    again = play_tournament(plan(games=2), tmp_path, on_game=heard.append)
    assert len(heard) == 1
    assert "1 damaged line" in again.notes[0]
    assert games_of(again) == games_of(whole)
    assert play_tournament(plan(games=2), tmp_path).notes == ()


def test_more_games_may_follow(tmp_path: Path) -> None:
    few = play_tournament(plan(games=2), tmp_path)
    more = play_tournament(plan(games=4), tmp_path)
    assert set(games_of(few)) < set(games_of(more))
    assert len(more.games) == 12


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (plan(seed=4), "its seed is 3, not 4"),
        (plan(("random", "uniform:4", "uniform:9")), "its players are random, uniform:4, rollout:8, not random, uni"),
        (plan(opening_plies=2), "its opening plies is None, not 2"),
        (
            Plan(tengen.load("tic_tac_toe"), PLAYERS, round_robin(PLAYERS), 2, seed=3),
            r"its game is tengen.load\('connect_four'",
        ),
    ],
)
def test_another_tournament_in_the_folder_is_refused(tmp_path: Path, other: Plan, words: str) -> None:
    play_tournament(plan(games=2), tmp_path)
    before = (tmp_path / "games.jsonl").read_bytes()
    with pytest.raises(TournamentError, match=f"{words}.*choose another folder"):
        play_tournament(other, tmp_path)
    assert (tmp_path / "games.jsonl").read_bytes() == before


def test_a_slip_in_the_first_command_can_be_put_right(tmp_path: Path) -> None:
    with pytest.raises(tengen.TengenError, match="'randon' is not a player"):
        play_tournament(plan(("randon", "uniform:4"), games=2), tmp_path)
    assert len(play_tournament(plan(("random", "uniform:4"), games=2), tmp_path).games) == 2


def test_plans_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(TournamentError, match=r"even number of games.*not 3"):
        plan(games=3)
    with pytest.raises(TournamentError, match="'random' is listed more than once"):
        plan(("random", "random"))
    with pytest.raises(TournamentError, match="at least two players"):
        plan(("random",))
    with run_lock(tmp_path), pytest.raises(tengen.TengenError, match="in use by process"):
        play_tournament(plan(), tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(TournamentError, match="can't be a tournament's folder"):
        play_tournament(plan(), tmp_path / "file")


def test_other_meetings_and_given_openings(tmp_path: Path) -> None:
    assert gauntlet("abc") == ((0, 1), (0, 2))
    assert neighbours("abc") == ((0, 1), (1, 2))
    openings = (GAME.initial_state(), GAME.state("4 4"), GAME.state("1 7"))
    result = play_tournament(
        Plan(GAME, PLAYERS, gauntlet(PLAYERS), 3, openings=openings, swapped=False), tmp_path, threads=2
    )
    assert len(result.games) == 6
    for game in result.games:
        assert game.colours[0] == "random"
        opening = openings[game.played.number // 2].moves
        assert game.played.final.moves[: len(opening)] == opening


# ---- Ratings


def test_bootstrapped_intervals() -> None:
    single = [Result("a", "b", 1, float(i % 10 < 7)) for i in range(100)]
    rating = rate(single, "b")["a"]
    low, high = bootstrap(single, "b")["a"]
    assert low < rating.elo < high
    assert high - low == pytest.approx(2 * rating.error, rel=0.2)  # games that are independent
    openings_decide = [Result("a", "b", 2, 1.0)] * 50
    low, high = bootstrap(openings_decide, "b")["a"]
    assert high - low < 1.0 < rate(openings_decide, "b")["a"].error  # both won with the same colour, every time
    assert bootstrap(single, "b")["b"] == (0.0, 0.0)


def test_a_clean_score_has_no_narrow_interval() -> None:
    """Drawing again from games that were all won gives the same each time, which says nothing."""
    results = [Result("a", "b", 2, 2.0)] * 10 + [Result("b", "c", 2, 1.0 + i % 2) for i in range(10)]
    intervals, ratings = bootstrap(results, "b"), rate(results, "b")
    low, high = intervals["a"]
    assert high >= ratings["a"].elo + ratings["a"].error
    assert low <= ratings["a"].elo - ratings["a"].error
    assert intervals["c"][1] - intervals["c"][0] < 2 * ratings["c"].error


def test_players_who_met_once_are_not_known_apart() -> None:
    """Drawing again from one pair of games gives that pair each time."""
    results = [Result("a", "b", 2, 1.5), Result("b", "c", 2, 1.5), Result("a", "c", 2, 1.0)]
    intervals, ratings = bootstrap(results, "b"), rate(results, "b")
    for name in "ac":
        low, high = intervals[name]
        assert high - low >= 2 * ratings[name].error > 0.0


# ---- Programs, and the command


def test_a_program_that_dies_costs_games_and_not_the_tournament(tmp_path: Path) -> None:
    gomoku = tengen.load("gomoku", size=5)
    engines = {fault: f"gtp:{sys.executable} {ENGINES} gomoku {fault}" for fault in ("dies", "none")}
    players = (engines["dies"], engines["none"], "random")
    result = play_tournament(Plan(gomoku, players, round_robin(players), 2, seed=1), tmp_path, threads=2)
    assert len(result.games) == 6
    standings = {standing.player: standing for standing in result.standings}
    assert standings[players[0]].points == 0
    [(reason, count)] = standings[players[0]].reasons.items()
    assert "died (exit code 3); its standard error ends with: out of memory" in reason
    assert count == 4
    assert standings["random"].reasons == {}
    again = play_tournament(Plan(gomoku, players, round_robin(players), 2, seed=1), tmp_path)
    assert games_of(again) == games_of(result)
    assert again.standings == result.standings


def test_killed_the_same_command_goes_on(tmp_path: Path, cli) -> None:  # type: ignore[no-untyped-def]
    arguments = ["connect_four", "rollout:300", "uniform:300", "--games", "40", "--folder", str(tmp_path / "t")]
    log = tmp_path / "t" / "games.jsonl"
    for ending in (signal.SIGKILL, signal.SIGINT):
        before = log.read_bytes().count(b"\n") if log.exists() else 0
        running = subprocess.Popen([*COMMAND, *arguments])
        while not log.exists() or log.read_bytes().count(b"\n") < before + 3:
            assert running.poll() is None
            time.sleep(0.01)
        running.send_signal(ending)
        assert running.wait() == (130 if ending == signal.SIGINT else -ending)
    kept = log.read_bytes()
    kept = kept[: kept.rfind(b"\n") + 1]
    answer = json.loads(cli("tournament", *arguments, "--json"))
    assert answer["games"] == 40
    assert log.read_bytes().startswith(kept)
    keys = [json.loads(line)["number"] for line in log.read_text().splitlines()]
    assert sorted(keys) == list(range(40))
    assert {player["player"] for player in answer["players"]} == {"rollout:300", "uniform:300"}
    assert sum(player["points"] for player in answer["players"]) == 40


def test_the_command_prints_the_table(tmp_path: Path, cli) -> None:  # type: ignore[no-untyped-def]
    others = tmp_path / "players.txt"
    others.write_text("# weak ones\nrandom\n\nuniform:2\n")
    folder = tmp_path / "t"
    command = ["tournament", "tic_tac_toe", "rollout:20", "--players", str(others), "--games", "4"]
    shown = cli(*command, "--folder", str(folder), "--threads", "1")
    assert shown.splitlines()[0].startswith("|  # | player")
    assert (folder / "table.md").read_text() in shown
    assert f"12 games, in {folder}/games." in shown


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["random"], "at least two players"),
        (["random", "randon"], "'randon' is not a player"),
        (["random", "uniform:2", "--games", "0"], "play 2 to 100000 games, not 0"),
        (["random", "uniform:2", "--games", "3"], "an even number of games"),
        (["random", "uniform:2", "--threads", "0"], "1 to 1024 threads, not 0"),
        (["random", "uniform:2", "--seed", "-1"], "A seed is a whole number"),
        (["random", "uniform:2", "--opening-plies", "9"], "has 0 to 8 plies, not 9"),
        (["random", "--players", "nowhere.txt"], "The players of nowhere.txt can't be read: No such file"),
    ],
)
def test_user_errors_are_one_line(refused, tmp_path: Path, arguments: list[str], words: str) -> None:  # type: ignore[no-untyped-def]
    assert words in refused("tournament", "tic_tac_toe", *arguments, "--folder", str(tmp_path / "t"))
