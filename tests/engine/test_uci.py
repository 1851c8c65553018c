"""UCI and USI as a conversation, in games of any kind: commands, options, limits, streams, clocks, noise."""

import gc
import os
import random
import re
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from tiny_networks import save_tiny
from uci_talk import Talk

import tengen
from tengen import TengenError
from tengen.arena import play_match
from tengen.engine import Engine, Limit
from tengen.external.uci import UciProgram
from tengen.interfaces.skill import FULL, choose_at, level_of_elo, simulations_at
from tengen.interfaces.uci import UCI, USI, Dialect
from tengen.interfaces.uci.info import centipawns, win_draw_loss
from tengen.interfaces.uci.limits import parse_go
from tengen.players import make_player

INFO = re.compile(
    r"info depth (\d+) seldepth (\d+) multipv (\d+) score (?:cp|mate) (-?\d+)(?: wdl (\d+) (\d+) (\d+))? "
    r"nodes (\d+) nps (\d+) hashfull (\d+) time (\d+) pv (.+)"
)


@pytest.fixture
def talk() -> Talk:
    return Talk(size=5)


def test_the_greeting(talk: Talk) -> None:
    talk.send("uci")
    talk.wait_for("uciok")
    assert talk.before[0] == f"id name tengen {tengen.__version__} fake"
    assert talk.before[1].startswith("id author ")
    options = talk.before[2:]
    assert all(
        re.fullmatch(r"option name [\w ]+ type (spin default \d+ min \d+ max \d+|check default \w+|button)", o)
        for o in options
    )
    for name in ["Threads", "Hash", "Ponder", "MultiPV", "Simulations", "UCI_LimitStrength", "UCI_Elo", "UCI_ShowWDL"]:
        assert sum(option.startswith(f"option name {name} type") for option in options) == 1
    talk.send("isready")
    assert talk.wait_for("readyok")


def test_the_greeting_of_usi() -> None:
    talk = Talk(dialect=USI, size=5)
    talk.send("usi")
    talk.wait_for("usiok")
    names = [line.split(" type ")[0].removeprefix("option name ") for line in talk.before[2:]]
    assert {"USI_Hash", "USI_Ponder", "Skill_Level", "MultiPV"} <= set(names)
    assert all(" " not in name for name in names)


def test_positions_and_moves(talk: Talk) -> None:
    best = talk("position startpos", "go nodes 20")
    assert talk.game.initial_state().is_legal(best)
    state = talk.game.state("a1 b1 a2 b2 a3 b3 a4 b4")
    assert talk(f"position startpos moves {state.moves_text}", "go nodes 400") == "a5"
    assert talk("go nodes 400") == "a5"  # the position stays
    talk.send("ucinewgame")
    assert talk("go nodes 20") == best


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("position", "a position is startpos or fen"),
        ("position here", "a position is startpos or fen"),
        ("position fen", "a position is startpos or fen"),
        ("position fen nonsense", "."),
        ("position startpos moves a1 a1", "a1 is not legal after 1 moves"),
        ("position startpos moves e2e4", "e2e4 is not legal after 0 moves"),
        ("position startpos a1", "after startpos comes the word moves, not 'a1'"),
        ("setoption", "needs a name"),
        ("setoption name Contempt value 3", "there is no option 'Contempt'"),
        ("setoption name MultiPV value 0", "option MultiPV: it is a whole number from 1 to 25, not '0'"),
        ("setoption name MultiPV value three", "a whole number"),
        ("setoption name Ponder value maybe", "true or false"),
        ("hello", "unknown command: hello"),
        ("hello \x1b world", "unknown command: hello world"),
    ],
)  # fmt: skip
def test_bad_lines_are_told_and_change_nothing(talk: Talk, line: str, problem: str) -> None:
    talk.send("position startpos moves c3", line)
    told = talk.wait_for("info string")
    assert re.search(problem, told), told
    assert talk.before == []
    assert talk("go nodes 10") != "c3"


@pytest.mark.parametrize("limits", ["nodes many", "wtime soon btime 3", "movetime 1e3", "depth ٣"])
def test_a_limit_that_is_no_number_is_told_and_answered_at_once(talk: Talk, limits: str) -> None:
    """Whoever sends it waits for a move; in a game by the clock the game would be lost."""
    assert talk.game.initial_state().is_legal(talk("position startpos", f"go {limits}"))
    assert "is not a number" in talk.before[0]
    assert "counts as 0" in talk.before[0]


LIMITS = ["nodes", "depth", "movetime", "wtime", "btime", "winc", "movestogo", "byoyomi", "mate", "wtime btime"]


@pytest.mark.parametrize("dialect", [UCI, USI], ids=lambda dialect: dialect.hello)
@pytest.mark.parametrize("limit", [*LIMITS, *(f"{limit} -5" for limit in LIMITS), "mate 1"])
def test_every_limit_without_a_number_or_with_a_negative_one_ends_a_search(dialect: Dialect, limit: str) -> None:
    talk = Talk(dialect=dialect, size=5)
    talk.send("position startpos", f"go {limit}")
    assert talk.wait_for("checkmate" if "mate" in limit and dialect is USI else "bestmove")
    if limit in LIMITS:
        assert talk.before[0] == f"info string {limit.split(maxsplit=1)[0]} has no number and counts as 0"


def test_a_missing_number_does_not_swallow_the_next_limit() -> None:
    go = parse_go(["nodes", "depth", "3", "wtime", "ponder"], UCI, 0)
    assert (go.depth, go.clock.left, go.ponder) == (3, 0.0, True)


def test_more_nodes_than_any_search_has_are_searched_until_the_stop(talk: Talk) -> None:
    assert talk("position startpos", "go nodes 99999999999999", "stop")


def test_a_number_beyond_all_measure_is_a_large_one(talk: Talk) -> None:
    assert talk("position startpos", "go nodes 5 movetime 99999999999999999999")
    assert " nodes 5 " in talk.before[-1]
    assert parse_go(["wtime", "9" * 5000], UCI, 0).clock.left == parse_go(["wtime", "9" * 20], UCI, 0).clock.left
    assert parse_go(["wtime", "-" + "9" * 20], UCI, 0).clock.left == 0.0


def test_is_ready_is_answered_even_if_the_network_fails(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(engine: Engine) -> None:
        raise TengenError("no memory")

    monkeypatch.setattr(Engine, "warm_up", fail)
    talk.send("isready")
    assert talk.lines == ["readyok", "info string no memory"]


@pytest.mark.parametrize(("name", "dialect"), [("chess", UCI), ("minichess", UCI), ("minishogi", USI)])
def test_bundled_networks_are_ready_and_play(name: str, dialect: Dialect) -> None:
    """Some of them are tables, which read states instead of planes."""
    spoken = subprocess.run(
        [*COMMAND, dialect.hello, name],
        input="isready\ngo nodes 20\n",
        capture_output=True,
        text=True,
        check=True,
    )
    lines = spoken.stdout.splitlines()
    assert lines[0] == "readyok"
    assert tengen.load(name).initial_state().is_legal(lines[-1].split()[1])


def test_words_before_a_command_are_skipped(talk: Talk) -> None:
    talk.send("joho isready")
    assert talk.wait_for("readyok")
    talk.send("", "   ", "\r\n", "debug on", "register later")
    assert talk.lines == []


def test_what_info_says(talk: Talk) -> None:
    talk.send("setoption name MultiPV value 3", "setoption name UCI_ShowWDL value true")
    best = talk("position startpos moves c3", "go nodes 60")
    found = [INFO.fullmatch(line) for line in talk.before]
    assert len(found) == 3
    state = talk.game.state("c3")
    for rank, info in enumerate(found, 1):
        assert info is not None
        depth, seldepth, multipv, score, *chances, nodes, _, full, _, line = info.groups()
        assert int(multipv) == rank
        assert int(seldepth) >= int(depth) >= 1
        assert sum(map(int, chances)) == 1000
        assert (int(score) > 0) == (int(chances[0]) > int(chances[2])) or int(score) == 0
        assert int(nodes) == 60
        assert 0 <= int(full) <= 1000
        here = state
        for move in line.split():
            here = here.play(move)  # every move of the line is legal
    assert found[0] is not None
    assert found[0][12].split()[0] == best


def test_proven_wins_are_mates(talk: Talk) -> None:
    for dialect, mate in ((UCI, "mate 1"), (USI, "mate 1")):
        talk = Talk(dialect=dialect, size=5)
        assert talk("position startpos moves a1 b1 a2 b2 a3 b3 a4 b4", "go nodes 100000") == "a5"
        assert f" score {mate} " in talk.before[-1]
    # Four open stones: whatever the other side does, it has lost in two plies.
    talk = Talk("mnk", m=7, n=3, k=3)
    talk("position startpos moves c2 a1 d2", "go nodes 100000")
    assert " score mate -1 " in talk.before[-1]
    talk = Talk("mnk", dialect=USI, m=7, n=3, k=3)
    talk("position startpos moves c2 a1 d2", "go nodes 100000")
    assert " score mate -2 " in talk.before[-1]


def test_a_search_that_fails_still_answers(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*arguments: object) -> None:
        raise RuntimeError("a bug")

    with monkeypatch.context() as patch:
        patch.setattr(talk.session._engine, "think", broken)
        assert talk("position startpos moves c3", "go nodes 5 searchmoves e5") == "e5"
    assert talk.before == ["info string internal error"]
    assert talk("go nodes 5")


def test_usi_asks_for_mates() -> None:
    talk = Talk(dialect=USI, size=5)
    talk.send("position startpos moves a1 b1 a2 b2 a3 b3 a4 b4", "go mate 60000")
    assert talk.wait_for("checkmate") == "checkmate a5"
    talk.send("position startpos", "go mate 20")
    assert talk.wait_for("checkmate") == "checkmate timeout"
    talk.send("go mate infinite", "stop")
    assert talk.wait_for("checkmate") == "checkmate timeout"


def test_only_some_moves_are_searched(talk: Talk) -> None:
    talk.send("position startpos moves a1 b1 a2 b2 a3 b3 a4 b4", "setoption name MultiPV value 9")
    assert talk("go nodes 100 searchmoves c1 d1") in ("c1", "d1")
    assert {line.split(" pv ")[1].split()[0] for line in talk.before} <= {"c1", "d1"}
    assert talk("go searchmoves e5 nodes 10") == "e5"
    assert talk("go nodes 400") == "a5"  # all of them again
    assert talk("go nodes 400 searchmoves z9 a1") == "a5"  # none of these is legal: all are searched


def test_an_infinite_search_answers_when_it_is_told_to(talk: Talk) -> None:
    talk.send("position startpos moves a1 b1 a2 b2 a3 b3 a4 b4", "go infinite")
    talk.wait_for("info")  # proven, so the search is over
    talk.send("isready")
    talk.wait_for("readyok")
    assert not any(line.startswith("bestmove") for line in talk.lines)  # proven, but not asked for
    talk.send("stop")
    assert talk.wait_for("bestmove").split()[1] == "a5"
    talk.send("stop")
    assert talk.lines == []  # nothing to stop


def test_pondering(talk: Talk) -> None:
    talk.send("position startpos moves a1 b1", "go ponder nodes 10")
    assert talk.wait_for("info")
    assert not any(line.startswith("bestmove") for line in talk.lines)
    talk.send("isready")
    talk.wait_for("readyok")
    while talk.session._engine._searcher is not None:
        time.sleep(0.001)
    talk.lines.clear()
    talk.send("ponderhit")
    assert talk.wait_for("bestmove")
    assert talk.before[-1].startswith("info depth ")  # said again: programs forget what came before `ponderhit`
    talk.send("go ponder wtime 600000 btime 600000", "stop")
    assert talk.wait_for("bestmove")
    talk.send("go ponder wtime 100 btime 100", "ponderhit")
    assert talk.wait_for("bestmove")


def test_only_time_on_the_clock_counts_as_a_delay(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    """A proven position waits for `ponderhit` or `stop`: that is not time in which the process had to wait."""
    noted: list[float] = []
    monkeypatch.setattr(talk.session._delays, "note", lambda took, *others: noted.append(took))
    won = "position startpos moves a1 b1 a2 b2 a3 b3 a4 b4"
    for kind in ("ponder", "infinite"):
        talk.send(won, f"go {kind} wtime 1000 btime 1000")
        talk.wait_for("info")
        talk.send("stop")
        assert talk.wait_for("bestmove")
    assert noted == []
    talk.send(won, "go ponder wtime 1000 btime 1000")
    talk.wait_for("info")
    time.sleep(0.05)
    hit = time.monotonic()
    talk.send("ponderhit")
    assert talk.wait_for("bestmove")
    talk.send("stop")  # until the session has noted its move
    [took] = noted
    assert 0.0 <= took <= time.monotonic() - hit


def test_what_the_clock_lost_between_two_moves_is_learned(talk: Talk) -> None:
    talk("position startpos moves a1 b1", "go wtime 60000 btime 60000 nodes 2")
    talk.send("stop")
    assert talk("position startpos moves a1 b1 c1 d1", "go wtime 50000 btime 60000 nodes 2")
    assert 5.0 < talk.session._delays.longest < 10.0
    talk.send("ucinewgame")
    longest = talk.session._delays.longest
    assert talk("position startpos", "go wtime 1000 btime 1000 nodes 2")
    assert talk.session._delays.longest <= longest


def test_a_session_leaves_no_thread_behind() -> None:
    talk = Talk(size=5)
    talk("go nodes 2")
    thread = talk.session._thinker._thread
    assert thread is not None
    talk("go nodes 2")
    assert talk.session._thinker._thread is thread
    del talk
    gc.collect()
    thread.join(60)
    assert not thread.is_alive()


def test_a_new_command_ends_a_search(talk: Talk) -> None:
    talk.send("go infinite", "position startpos moves c3")
    assert talk.wait_for("bestmove")
    talk.send("go infinite", "go nodes 5")
    assert talk.wait_for("bestmove")
    assert talk.wait_for("bestmove")
    talk.send("go infinite", "quit")
    assert talk.wait_for("bestmove")


@pytest.mark.parametrize(
    "limits",
    ["movetime 30", "depth 3", "depth 1 nodes 100000", "wtime 200 btime 200", "wtime 0 btime 0", "wtime -50 btime -50",
     "wtime 500 btime 500 winc 10 binc 10 movestogo 3", "byoyomi 50", "nodes 0", "mate 1 movetime 50", "movetime 0"],
)  # fmt: skip
def test_every_limit_ends_a_search(talk: Talk, limits: str) -> None:
    assert talk.game.initial_state().is_legal(talk("position startpos", f"go {limits}"))


def test_the_clock_of_the_player_to_move_counts() -> None:
    words = ["wtime", "1000", "btime", "2000", "winc", "10", "binc", "20", "movestogo", "7"]
    assert parse_go(words, UCI, 0).clock == parse_go(words, USI, 1).clock
    first, second = parse_go(words, UCI, 0), parse_go(words, UCI, 1)
    assert (first.clock.left, first.clock.increment, first.clock.moves_to_go) == (1.0, 0.01, 7)
    assert (second.clock.left, second.clock.increment) == (2.0, 0.02)
    byoyomi = parse_go(["btime", "0", "wtime", "0", "byoyomi", "10000"], USI, 0).clock
    assert (byoyomi.left, byoyomi.byoyomi) == (0.0, 10.0)
    assert parse_go(["searchmoves", "a", "b", "nodes", "5", "infinite"], UCI, 0).search_moves == ("a", "b")
    assert not parse_go([], UCI, 0).is_bounded
    assert not parse_go(["infinite", "wtime", "5"], UCI, 0).is_bounded
    assert parse_go(["movetime", "infinite"], UCI, 0).infinite
    assert parse_go(["mate", "infinite"], USI, 0).move_time is None


def test_simulations_of_the_command_line_bound_every_move() -> None:
    talk = Talk(simulations=12, size=5)
    talk("go")
    assert " nodes 12 " in talk.before[-1]
    talk("go wtime 3600000 btime 3600000")
    assert " nodes 12 " in talk.before[-1]
    talk.send("setoption name Simulations value 20")
    talk("go movetime 600000")
    assert " nodes 20 " in talk.before[-1]


def test_the_end_of_the_game() -> None:
    talk = Talk(size=5)
    assert talk("position startpos moves a1 b1 a2 b2 a3 b3 a4 b4 a5", "go nodes 5") == "(none)"
    assert talk.before == ["info depth 0 score mate 0"]
    for wait, go_on in (("go infinite", "stop"), ("go ponder nodes 5", "ponderhit"), ("go ponder", "stop")):
        talk.send(wait, "isready")  # the answer waits until the other side asks for it, as after any such search
        assert talk.wait_for("readyok")
        assert not any(line.startswith("bestmove") for line in [*talk.before, *talk.lines])
        assert talk(go_on) == "(none)"
    talk = Talk(dialect=USI, size=5)
    assert talk("position startpos moves a1 b1 a2 b2 a3 b3 a4 b4 a5", "go nodes 5") == "resign"
    talk.send("go mate 100")
    assert talk.wait_for("checkmate") == "checkmate nomate"


def test_levels_play_weaker_on_purpose(talk: Talk) -> None:
    position = "ucinewgame", "position startpos moves c3"
    strong = {talk(*position, "go nodes 30") for _ in range(5)}
    assert len(strong) == 1
    talk.send("setoption name Skill Level value 0")
    weak = {talk(*position, "go nodes 30") for _ in range(30)}
    assert len(weak) > 3
    talk.send("setoption name Skill Level value 20", "setoption name UCI_LimitStrength value true")
    talk.send("setoption name UCI_Elo value 600")
    assert len({talk(*position, "go nodes 30") for _ in range(30)}) > 3
    talk("go wtime 600000 btime 600000")
    assert " nodes 1 " in talk.before[-1]
    talk.send("setoption name UCI_LimitStrength value false")
    assert {talk(*position, "go nodes 30") for _ in range(3)} == strong


def test_what_a_level_is() -> None:
    assert simulations_at(FULL) is None
    assert [simulations_at(level) for level in (0, 10, 19)] == [1, 58, 2217]
    assert (level_of_elo(0), level_of_elo(600), level_of_elo(2400), level_of_elo(9999)) == (0.0, 0.0, 19.0, 19.0)
    engine = Engine(tengen.load("tic_tac_toe"))
    analysis, priors, rng = engine.think(Limit(simulations=200)), engine.first_sight().priors, np.random.default_rng(1)
    assert {choose_at(FULL, analysis, priors, rng) for _ in range(50)} == {analysis.best_action}
    played = {level: [choose_at(level, analysis, priors, rng) for _ in range(300)] for level in (0.0, 18.0)}
    assert played[0.0].count(analysis.best_action) < played[18.0].count(analysis.best_action)
    assert set(played[0.0]) == set(range(9))


def test_scores() -> None:
    assert centipawns(0.0) == 0
    assert centipawns(0.5) == -centipawns(-0.5)
    assert 80 < centipawns(0.5) < 100
    assert centipawns(1.0) == -centipawns(-1.0) == 12_780
    for value, draw in ((0.0, 0.3), (0.5, 0.9), (-1.0, 0.5), (1.0, 0.0), (-0.2, 0.8)):
        win, drawn, loss = win_draw_loss(value, draw)
        assert win + drawn + loss == 1000
        assert min(win, drawn, loss) >= 0
        assert (win - loss) / 1000 == pytest.approx(value, abs=0.002)


def test_options_that_change_the_engine(talk: Talk) -> None:
    talk.send("setoption name Hash value 3")
    assert talk.session._engine.most_tree_bytes == 3 << 20
    talk("go nodes 200")
    assert talk.session._engine.tree_bytes > 0
    talk.send("setoption name Threads value 1", "setoption name Clear Hash")
    assert talk("go nodes 5")


def test_ten_thousand_lines_of_noise() -> None:
    """Whatever comes, only words of the protocol go out, every search is answered once, and nothing hangs."""
    rng = random.Random(11)
    words = [
        "uci",
        "isready",
        "ucinewgame",
        "position",
        "startpos",
        "fen",
        "moves",
        "go",
        "nodes",
        "depth",
        "movetime",
        "wtime",
        "btime",
        "winc",
        "binc",
        "movestogo",
        "infinite",
        "ponder",
        "ponderhit",
        "stop",
        "searchmoves",
        "setoption",
        "name",
        "value",
        "MultiPV",
        "Hash",
        "Skill",
        "Level",
        "Ponder",
        "true",
        "false",
        "UCI_Elo",
        "a1",
        "b2",
        "c3",
        "e5",
        "z9",
        "0",
        "1",
        "2",
        "3",
        "-1",
        "99999999999999999999",
        "x",
        "\x00",
        "ÿ",
        "٣",
        "d",
        "debug",
        "register",
        "gameover",
        "mate",
        "UCI_ShowWDL",
        "Simulations",
    ]
    talk = Talk(simulations=2, size=5)
    talk.session._engine.resize = lambda most_tree_bytes: None  # type: ignore[method-assign]
    good = re.compile(r"(id|option|info) .+|uciok|readyok|bestmove \S+( ponder \S+)?")
    searches = 0
    for _ in range(10_000):
        line = " ".join(rng.choices(words, k=rng.randrange(7)))
        if rng.random() < 0.3:
            line = "position startpos moves " + line
        searches += talk.session._thinker.busy
        assert talk.session.obey(line + "\n")
    talk.send("stop")
    assert all(good.fullmatch(line) for line in talk.lines), [line for line in talk.lines if not good.fullmatch(line)]
    assert "info string internal error" not in talk.lines
    assert sum(line.startswith("bestmove") for line in talk.lines) > 100
    talk.lines.clear()
    assert talk("ucinewgame", "go nodes 2")


COMMAND = [sys.executable, "-c", "from tengen.interfaces.cli import main; main()"]


def test_the_command_plays_whole_games(tmp_path: Path) -> None:
    """`tengen uci` against the player that drives UCI programs."""
    game = tengen.load("connect_four")
    model = save_tiny(tmp_path / "net.safetensors", game)
    command = f'{sys.executable} -c "{COMMAND[2]}" uci {model} --simulations 16'
    program = UciProgram("uci", command, game, options={"nodes": "10", "threads": "1"})
    match = play_match(game, (program, make_player("random", game)), games=4, seed=3)
    assert match.reasons == {}
    assert all(played.final.outcome == played.outcome for played in match.games)


def test_a_brain_without_a_network() -> None:
    lines = "uci\nposition startpos moves 4 4\ngo nodes 50\nquit\n"
    talked = subprocess.run(
        [*COMMAND, "uci", "rollout", "--game", "connect_four"], input=lines, capture_output=True, text=True, check=True
    )
    assert "uciok" in talked.stdout
    assert re.search(r"^bestmove [1-7a-g]", talked.stdout, re.MULTILINE)


def test_no_network_no_game(refused) -> None:  # type: ignore[no-untyped-def]
    assert "No network for othello_of_tomorrow comes with tengen" in refused("uci", "--game", "othello_of_tomorrow")
    assert "tengen uci rollout" in refused("uci", "--game", "gomoku")


def test_the_other_side_may_leave() -> None:
    """At the end of the input a search that has an end still answers; any other ends, so that nothing stays behind."""
    for go in ("go nodes 30", "go infinite", "go mate 9"):
        talked = subprocess.run(
            [*COMMAND, "uci", "rollout", "--game", "connect_four"],
            input=f"{go}\n", capture_output=True, text=True, check=True, env={**os.environ, "OMP_NUM_THREADS": "1"},
        )  # fmt: skip
        assert "bestmove" in talked.stdout
