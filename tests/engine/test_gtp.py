"""The Go Text Protocol as a conversation: lines of every kind, streams of analysis, clocks, files, whole games."""

import contextlib
import itertools
import os
import random
import re
import shlex
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from gtp_talk import ANSWER, Talk
from sgfmill import sgf
from tiny_networks import LooksAtTheBoard, save_tiny

import tengen
from tengen import SearchParams
from tengen.engine import Limit
from tengen.interfaces.gtp import Gtp
from tengen.interfaces.gtp.language import clean
from tengen.interfaces.timekeeping import Allowance, Clock

PATIENCE = 60.0  # seconds, for a machine that is busy


@pytest.fixture
def talk() -> Talk:
    return Talk()


@pytest.mark.parametrize(
    "line",
    ["\t7  name\r\n", "7 name # and a comment\n", "\x007 na\x1bme\x7f\n", "   7 name", "7\tname\twith words"],
    ids=["tabs and CRLF", "comment", "control characters", "spaces", "too many words"],
)
def test_lines_are_cleaned(talk: Talk, line: str) -> None:
    assert talk(line) == "=7 tengen"


@pytest.mark.parametrize("line", ["\n", "   \t \r\n", "# name\n", "", "\x00\x01\n"])
def test_empty_lines_have_no_answer(talk: Talk, line: str) -> None:
    assert talk.session.obey(line)
    assert talk.written == ""


def test_commands_that_every_engine_has(talk: Talk) -> None:
    required = "protocol_version name version known_command list_commands quit boardsize clear_board komi play genmove"
    listed = talk("list_commands").removeprefix("= ").split("\n")
    assert set(required.split()) <= set(listed)
    assert all(talk(f"known_command {name}") == "= true" for name in listed)
    assert talk("version") == f"= {tengen.__version__}"
    assert not talk.session.obey("quit")


def test_moves_are_made_and_only_looked_at(talk: Talk) -> None:
    looked = talk("reg_genmove b")
    assert talk("showboard").count("X") == 1  # of "black (X) to move"
    assert talk("genmove b") == looked
    assert talk("showboard").count("X") == 1
    assert "white (O) to move" in talk("showboard")
    assert talk("genmove b").startswith("= ")  # twice in a row: the other side passed in between
    assert talk("showboard").count("X") == 2


def test_a_player_who_passed_may_move_again(talk: Talk) -> None:
    assert [talk(line) for line in ("play b D4", "play w pass", "play w E5", "play b E4")] == ["="] * 4
    assert talk("play b pass") == "="
    assert talk("play w pass") == "="
    assert talk("play b pass") == "="
    assert talk("genmove w") == "= pass"  # the game is over
    assert talk("play b A1") == "="  # but they may go on


def test_a_game_longer_than_the_rules_have_room_for() -> None:
    """Our rules end a game of Go by its length; controllers do not."""
    talk = Talk(size=2, komi=0)
    for move in range(40):
        assert talk(f"play {'bw'[move % 2]} pass") == "=" or talk("clear_board") == "="
    talk = Talk(size=3)
    cells = [f"{column}{row}" for row in "123" for column in "ABC"]
    choose = random.Random(1).choice
    colour, played = 0, 0
    while played < 60:
        answer = talk(f"play {'bw'[colour]} {choose(cells)}")
        played += answer == "="
        colour = 1 - colour
    assert talk("final_score")[2] in "BW0"


@pytest.mark.parametrize(("name", "options"), [("othello", {}), ("gomoku", {"size": 9}), ("gomoku", {"size": 15})])
def test_other_games_to_the_end(name: str, options: dict[str, float]) -> None:
    talk = Talk(name, Limit(simulations=1), **options)
    assert talk("komi 6.5") == "="
    state = tengen.load(name, **options).initial_state()
    while state.outcome is None:
        answer = talk(f"genmove {'bw'[state.to_move]}").removeprefix("= ")
        action = next(a for a in state.legal_actions if _vertex(state, a) == answer)
        state = state.play(action)
    score = talk("final_score").removeprefix("= ")
    winner = state.outcome.winner
    assert score[0] == ("0" if winner is None else "BW"[winner])
    assert talk("fixed_handicap 2") == "? invalid number of stones"
    over = talk("genmove b")
    assert over == ("= pass" if name == "othello" else "? the game is over")


def _vertex(state: tengen.State, action: int) -> str:
    """In Othello rows are counted from the top, and Gomoku has a column i that GTP has not."""
    if action == 64 and state.game.spec.name == "othello":
        return "pass"
    row, column = divmod(action, state.game.spec.width)
    number = row + 1 if state.game.spec.name == "othello" else state.game.spec.height - row
    return "ABCDEFGHJKLMNOP"[column] + str(number)


@pytest.mark.parametrize(("command", "rate"), [("lz-analyze", r"\d{1,5}"), ("kata-analyze", r"[01]\.\d+")])
def test_analysis_streams_until_the_next_line(talk: Talk, command: str, rate: str) -> None:
    talk.session.obey(f"5 {command} b 1")
    assert talk.heard.wait(PATIENCE)
    talk.session.obey("")  # even an empty line ends it
    header, *lines, end = talk.written.split("\n")[:-1]
    assert (header, end) == ("=5", "")
    info = rf"info move [A-J]\d visits \d+ .*winrate {rate} prior {rate} .*order 0 pv( [A-J]\d)+"
    assert lines
    assert re.match(info, lines[-1])
    assert not [thread for thread in threading.enumerate() if thread.name == "tengen-ponder"]
    assert talk("name") == "= tengen"


def test_a_second_move_in_a_row_is_no_pass_that_would_end_the_game(talk: Talk) -> None:
    """Ahead on the board, the search would like two passes; but the first of them is only inserted."""
    talk("set_free_handicap a1 b1 c1")
    assert talk("reg_genmove b") != "= pass"
    talk.session.obey("lz-analyze b 1")
    assert talk.heard.wait(PATIENCE)
    talk.session.obey("")
    assert "move pass" not in talk.written


def test_stones_are_disputed_after_two_passes(talk: Talk) -> None:
    for move in ("b d4", "w e5", "b pass", "w pass"):
        assert talk(f"play {move}") == "="
    assert talk("final_status_list alive") == "= E5 D4"
    assert talk("final_status_list dead") == "="
    assert talk("kgs-genmove_cleanup b") == "= pass"
    assert talk("play b pass") == "="  # one too many changes nothing
    assert talk("play w e5") == "? illegal move"
    assert talk("play w f5") == "="
    assert talk("genmove b") != "= pass"
    assert talk("undo") == talk("undo") == talk("undo") == "="
    assert talk("play b f5") == "="
    assert talk("final_status_list") == talk("final_status_list lost") == "? syntax error"


@pytest.mark.parametrize("command", ["lz-analyze", "kata-analyze"])
def test_analysis_of_a_proven_position_says_its_line(command: str) -> None:
    """Its search is over before the first report is due."""
    talk = Talk("gomoku", size=5)
    for move in ("b a1", "w b1", "b a2", "w b2", "b a3", "w b3", "b a4", "w b4"):
        talk(f"play {move}")
    talk.session.obey(f"{command} 100000")
    assert talk.heard.wait(PATIENCE)
    talk.session.obey("")
    assert re.search(r"\ninfo move A5 .*winrate (10000|1\.000000) .*order 0 pv A5", talk.written)
    assert talk.written.count("order 0 ") == 1


@pytest.mark.parametrize("command", ["kata-analyze", "kata-genmove_analyze"])
def test_ownership_is_for_the_player_to_move_from_the_top_left(talk: Talk, command: str) -> None:
    for line in ("boardsize 3", "play b A3", "play w B1"):
        assert talk(line) == "="
    talk.written = ""
    talk.session.obey(f"{command} b 1 ownership true")
    assert talk.heard.wait(PATIENCE)
    talk.session.obey("")
    infos, owned = talk.written.split("\n")[1].split(" ownership ")
    assert re.match(r"info move .* pv( [A-C]\d| pass)+$", infos)
    assert [float(word) for word in owned.split()] == [1, 0, 0, 0, 0, 0, 0, -1, 0]


@pytest.mark.parametrize(
    "asked", ["kata-analyze b 1", "kata-analyze b 1 ownership false", "lz-analyze b 1 ownership true"]
)
def test_ownership_is_said_only_to_who_asks(talk: Talk, asked: str) -> None:
    talk.session.obey(asked)
    assert talk.heard.wait(PATIENCE)
    talk.session.obey("")
    assert "ownership" not in talk.written


@pytest.mark.parametrize("following", ["6 genmove b", "undo", "castle", "6 lz-analyze w 1"])
def test_the_next_command_ends_a_stream_and_is_answered(talk: Talk, following: str) -> None:
    talk("play b A1")
    talk.written = ""
    talk.session.obey("5 kata-analyze 1")
    assert talk.heard.wait(PATIENCE)
    talk.session.obey(following)
    talk.session.end()
    stream, answer, end = talk.written.split("\n\n")
    assert re.fullmatch(r"=5(\ninfo .*)+", stream)
    assert re.match(r"[=?]6?( |\n|$)", answer)
    assert end == ""


def test_analysis_and_a_move(talk: Talk) -> None:
    talk.session.obey("lz-genmove_analyze w 1")
    first, *_, move, end = talk.written.split("\n")[:-1]
    assert (first, end) == ("=", "")
    assert re.fullmatch(r"play [A-J]\d", move)
    assert talk("undo") == "="
    assert talk("lz-analyze interval") == "? syntax error"
    assert talk("kata-analyze b interval x") == "? syntax error"


@pytest.mark.parametrize(("resign", "given_up"), [(0.0, []), (0.1, ["= resign", "play resign"])])
def test_resigning_when_all_is_lost(resign: float, given_up: list[str]) -> None:
    """X has two threats. That has to be seen in two moves in a row, and the protocol goes on."""
    game = tengen.load("tic_tac_toe")
    said: list[str] = []
    session = Gtp(game, LooksAtTheBoard(game), SearchParams(), Limit(simulations=400), said.append, resign=resign)
    for line in ("play b A1", "play w B1", "play b A3", "play w A2", "play b C3", "genmove w", "undo"):
        session.obey(line)
    assert "resign" not in "".join(said)
    for line in ("genmove w", "undo", "play b C3", "lz-genmove_analyze w"):
        session.obey(line)
    assert re.findall(r"^(?:= |play )resign$", "".join(said), re.MULTILINE) == given_up
    session.obey("clear_board")
    session.obey("genmove b")
    assert re.fullmatch(r"= [A-C]\d\n\n", said[-1])


def test_pondering_goes_on_between_moves() -> None:
    game = tengen.load("go", size=5)
    evaluator = LooksAtTheBoard(game)
    session = Gtp(game, evaluator, SearchParams(), Limit(simulations=4), lambda _: None, ponder=True)
    session.obey("genmove b")
    before, enough = evaluator.positions, threading.Event()
    for _ in range(600):
        if evaluator.positions > before + 20:
            break
        enough.wait(0.1)
    assert evaluator.positions > before + 20
    session.obey("play w A1")
    after = evaluator.positions
    enough.wait(0.05)
    assert evaluator.positions == after


def test_the_clock_decides_how_long_a_move_takes(talk: Talk) -> None:
    lag = 0.1

    def allowed(*lines: str, player: int) -> tuple[float, float] | None:
        for line in lines:
            assert talk(line) == "="
        allowance = talk.session._allowance(player)
        return None if allowance is None else (allowance.target, allowance.most)

    assert allowed(player=0) is None
    assert allowed("time_settings 0 30 0", player=1) is None  # byo-yomi without stones: no clock either
    assert allowed("time_settings 100 0 0", player=0) == pytest.approx((100 * 4 / 81, 3 * 100 * 4 / 81))
    assert allowed("time_left w 5 1", player=1) == pytest.approx((5 - lag, 5 - lag))
    assert allowed("time_left b 0 0", player=0) == (0.0, 0.0)
    assert allowed("time_settings 0 20 10", player=0) == pytest.approx((2.0, 6.0))
    assert talk("genmove b").startswith("= ")


def test_the_clock_runs_where_nobody_tells_the_time(talk: Talk) -> None:
    talk("time_settings 0 20 2")
    talk.session._spend(0, 5.0)
    assert talk.session._clocks[0] == Clock(15.0, moves_to_go=1)
    talk.session._spend(0, 5.0)
    assert talk.session._clocks[0] == Clock(20.0, moves_to_go=2)  # a new period
    talk("time_settings 10 20 2")
    talk.session._spend(1, 4.0)
    assert talk.session._clocks[1] == Clock(6.0)
    talk.session._spend(1, 7.0)
    assert talk.session._clocks[1] == Clock(20.0, moves_to_go=2)
    talk("time_settings 10 0 0")
    talk.session._spend(0, 12.0)
    assert talk.session._allowance(0) == Allowance(0.0, 0.0)


def test_games_as_files(talk: Talk, tmp_path: Path) -> None:
    file = tmp_path / "game.sgf"
    for line in ("boardsize 9", "komi 5.5", "play b D4", "play w pass", "play b A9"):
        talk(line)
    assert talk(f"printsgf {file}") == "="
    read = sgf.Sgf_game.from_bytes(file.read_bytes())  # another program's reading of it
    assert (read.get_size(), read.get_komi()) == (9, 5.5)
    assert [node.get_move() for node in read.get_main_sequence()[1:]] == [("b", (3, 3)), ("w", None), ("b", (8, 0))]
    shown = talk("showboard")
    assert talk("clear_board") == "="
    assert talk(f"loadsgf {file}") == "="
    assert talk("showboard") == shown
    assert talk(f"loadsgf {file} 2") == "="  # before move 2
    assert talk("showboard").count("X") == 1
    file.write_text("(;FF[4]SZ[5]KM[0]C[a \\] bracket];AB[aa][bb]AW[cc];B[dd](;W[de];B[])(;W[ee]))")
    assert talk(f"loadsgf {file}") == "="
    assert talk("final_score") == "= B+1"
    for bad in (
        "",
        "()",
        "(;SZ[5];B[zz])",
        "(;SZ[99])",
        "(;SZ[x])",
        "(;SZ[5];B[aa];W[aa])",
        "(;B[aa]",
        "(;SZ[5];B[aa];AB[bb])",
    ):
        file.write_text(bad)
        assert talk(f"loadsgf {file}") == "? cannot load file", bad
    assert talk("final_score") == "= B+1"  # nothing changed


WORDS = [
    "b", "w", "black", "WHITE", "A1", "d4", "T19", "i5", "pass", "resign", "0", "1", "2", "5", "9", "-1", "19", "1e9",
    "nan", "inf", "7.5", "99999999999999999999", "interval", "é", "\x00", "\x7f", "#", "=", "?", "=1", "\t", "x" * 300,
]  # fmt: skip


def test_ten_thousand_lines_of_anything(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Every line that is not empty gets exactly one answer, and none of them is our mistake."""
    monkeypatch.chdir(tmp_path)  # printsgf writes where it is told
    rng = random.Random(5)
    talk = Talk(size=5, limit=Limit(simulations=1))
    commands = sorted(set(talk("list_commands")[2:].split("\n")) - {"quit"})
    makers: list[Callable[[], str]] = [
        lambda: " ".join([rng.choice(commands), *rng.choices(WORDS, k=rng.randrange(5))]),
        lambda: " ".join(rng.choices([*WORDS, *commands], k=rng.randrange(1, 6))),
        lambda: rng.randbytes(rng.randrange(60)).decode(errors="replace"),
        lambda: f"{rng.randrange(10**12)} {rng.choice(commands)} {rng.choice(WORDS)}",
        lambda: f"play {rng.choice('bw')} {rng.choice('ABCDE')}{rng.randrange(1, 6)}",
    ]
    analysing = 0
    for i in range(10_000):
        line = rng.choice(makers)() if i % 1000 else "x" * 1_000_000
        talk.written = ""
        assert talk.session.obey(line)
        talk.session.end()
        answered = talk.written
        analysing += "analyze" in line and answered.startswith("=")
        assert bool(ANSWER.fullmatch(answered)) == bool(clean(line)), (line[:100], answered[:100])
        assert "internal error" not in answered, line[:100]
    assert analysing > 20


def program(*arguments: str, stdin: bytes) -> subprocess.CompletedProcess[bytes]:
    code = (
        "import sys; from tengen.interfaces.cli import run; code = run(sys.argv[1:]); "
        "assert 'torch' not in sys.modules; sys.exit(code)"
    )
    return subprocess.run(
        [sys.executable, "-c", code, "gtp", *arguments], input=stdin, capture_output=True, check=False, env=os.environ
    )


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny(tmp_path_factory.mktemp("network") / "go.safetensors", tengen.load("go", size=9))


@contextlib.contextmanager
def conversation(network: Path, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """A program to talk to; at the end it must have ended by itself, without a word on standard error."""
    command = [sys.executable, "-m", "tengen", "gtp", str(network), *arguments]
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe)
    try:
        yield process
        assert process.stderr is not None
        assert process.wait(PATIENCE) == 0
        assert process.stderr.read() == b""
    finally:
        process.kill()
        for stream in (process.stdin, process.stdout, process.stderr):
            assert stream is not None
            with contextlib.suppress(BrokenPipeError):
                stream.close()
        process.wait()


@pytest.mark.parametrize("asked", [b"lz-analyze 1\n", b"genmove b\n", b"name\n"], ids=["stream", "move", "idle"])
def test_a_reader_that_has_gone_ends_it(network: Path, asked: bytes) -> None:
    with conversation(network, "--seconds", "1000") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"name\n" + asked)  # and stays open
        process.stdin.flush()
        assert process.stdout.readline() == b"= tengen\n"
        process.stdout.close()


@pytest.mark.parametrize("last", [b"", b"quit\n"], ids=["end of input", "quit"])
def test_a_reader_that_has_stalled_does_not_keep_it(network: Path, last: bytes) -> None:
    """The pipe is full: every further answer would wait for ever."""
    with conversation(network, "--seconds", "1000") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"showboard\n" * 800 + b"kata-analyze 1\n")
        process.stdin.flush()
        assert process.stdout.readline() == b"= \n"
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(last)
            process.stdin.close()


def test_a_slow_reader_gets_every_answer(network: Path) -> None:
    """More than a pipe holds, read late; and of the analyses that nobody read only some are left out."""
    with conversation(network, "--simulations", "1") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"showboard\n" * 800 + b"7 kata-analyze 1\n")
        process.stdin.flush()
        time.sleep(1.0)  # it fills the pipe meanwhile
        lines = iter(process.stdout.readline, b"")
        assert next(lines) == b"= \n"
        assert sum(line == b"= \n" for line in itertools.takewhile(lambda line: line != b"=7\n", lines)) == 799
        process.stdin.write(b"8 name\nquit\n")
        process.stdin.close()
        rest = [line for line in lines if not line.startswith(b"info")]
        assert rest == [b"\n", b"=8 tengen\n", b"\n", b"=\n", b"\n"]


def test_the_program(network: Path) -> None:
    """A network file, all board sizes, and only protocol on the standard output."""
    said = (
        b"1 name\r\nboardsize 7\n\xff\xfe\n"
        + b"y" * 100_000
        + b"\n2 genmove b\nlz-analyze 1\n3 genmove w\nquit\nname\n"
    )
    answer = program(str(network), "--simulations", "20", stdin=said)
    assert answer.returncode == 0, answer.stderr
    assert answer.stderr == b""
    text = answer.stdout.decode()
    assert re.fullmatch(
        r"=1 tengen\n\n=\n\n\? unknown command\n\n\? unknown command\n\n=2 ([A-H]\d|pass)\n\n=\n(info .*\n)*\n"
        r"=3 ([A-H]\d|pass)\n\n=\n\n",
        text,
    ), text


def test_the_program_refuses_what_it_can_not_play(refused: Callable[..., str]) -> None:
    assert "no network 'nobody'" in refused("gtp", "nobody")
    assert "--seconds must be more than 0" in refused("gtp", "tic_tac_toe", "--seconds", "0")
    assert "from 0 to 0.5, not 0.9" in refused("gtp", "tic_tac_toe", "--resign", "0.9")


def test_games_against_gnu_go(network: Path) -> None:
    """Both sides by protocol, with GNU Go as the judge of every move: no complaint from either."""
    command = "/usr/games/gnugo --mode gtp --level 1 --chinese-rules --positional-superko --never-resign"
    with subprocess.Popen(shlex.split(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as gnugo:
        assert gnugo.stdin is not None
        assert gnugo.stdout is not None

        def theirs(line: str) -> str:
            gnugo.stdin.write(line + "\n")
            gnugo.stdin.flush()
            answer = gnugo.stdout.readline().strip()
            assert gnugo.stdout.readline() == "\n"
            assert answer.startswith("="), f"{line}: {answer}"
            return answer[1:].strip()

        ours = Talk(size=5, limit=Limit(simulations=8))
        for game in range(4):
            for line in (f"boardsize {5 + game % 2 * 2}", "komi 7", "clear_board"):
                assert ours(line) == "="
                theirs(line)
            passes = ply = 0
            while passes < 2 and ply < 60:
                colour = "bw"[ply % 2]
                if ply % 2 == game // 2:
                    move = theirs(f"genmove {colour}")
                    assert ours(f"play {colour} {move}") == "="
                else:
                    move = ours(f"genmove {colour}").removeprefix("= ")
                    theirs(f"play {colour} {move}")
                passes = passes + 1 if move.lower() == "pass" else 0
                ply += 1
            assert ours("final_score").startswith("=")
        theirs("quit")
