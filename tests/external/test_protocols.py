"""External programs of the other protocols: Gomocup, NBoard, UCI and USI, with the faults that GTP's have."""

import os
import sys
from pathlib import Path

import pytest
from test_external import must_pass

import tengen
from tengen.arena import play_match
from tengen.external.gomocup import GomocupProgram, point_action, point_text
from tengen.external.nboard import NBoardProgram
from tengen.external.programs import EngineResignedError, ExternalEngineError, ExternalPlayer
from tengen.external.uci import UciProgram, UsiProgram
from tengen.players import PlayerSpecError, make_player

ENGINES = Path(__file__).parents[1] / "support" / "engines.py"
KINDS = {"gomocup": GomocupProgram, "nboard": NBoardProgram, "uci": UciProgram, "usi": UsiProgram}
GAMES = {protocol: tengen.load("gomoku", size=5) for protocol in KINDS} | {"nboard": tengen.load("othello")}
FIRST_MOVES = {"nboard": "d3 c3"}


def program(protocol: str, fault: str = "none", seconds: float = 60.0, **options: str) -> ExternalPlayer:
    game = GAMES[protocol]
    command = f"{sys.executable} {ENGINES} {game.spec.source} {fault} {protocol}"
    return KINDS[protocol](f"{protocol}:{fault}", command, game, seconds, options)


def some_state(protocol: str) -> tengen.State:
    return GAMES[protocol].state(FIRST_MOVES.get(protocol, "a5 a1"))


@pytest.mark.parametrize("protocol", KINDS)
def test_a_good_program_plays_several_games_at_once(protocol: str) -> None:
    player = program(protocol)
    game = GAMES[protocol]
    states = [game.initial_state(), some_state(protocol), game.initial_state()]
    assert player.choose(states, [0] * 3) == [state.legal_actions[0] for state in states]
    following = some_state(protocol).play(some_state(protocol).legal_actions[0])
    following = following.play(following.legal_actions[-1])
    assert player.choose([following], [0]) == [following.legal_actions[0]]
    player.close()
    assert player._program is None
    assert player.choose(states[:1], [0]) == [states[0].legal_actions[0]]  # it is started again
    player.close()


@pytest.mark.parametrize("protocol", KINDS)
def test_whole_games(protocol: str) -> None:
    game = GAMES[protocol]
    match = play_match(game, (program(protocol), make_player("random", game)), games=4, seed=1)
    assert match.reasons == {}
    assert all(played.final.outcome == played.outcome for played in match.games)


@pytest.mark.parametrize("protocol", KINDS)
@pytest.mark.parametrize(
    ("fault", "deed"),
    [
        ("dies", r"died \(exit code 3\); its standard error ends with: (.* )?out of memory"),
        ("floods", "floods its output"),
        ("closes", "closed its output"),
        ("illegal", "played (0,4|A1|a1), which is not legal here"),
        ("words", "(answered with|played) .*I like.*, which is not (a move|legal here)"),
    ],
)
def test_faults_are_named(protocol: str, fault: str, deed: str) -> None:
    player = program(protocol, fault)
    state = GAMES[protocol].state("a1" if fault == "illegal" and protocol != "nboard" else "")
    with pytest.raises(ExternalEngineError, match=f"^{protocol}:{fault} {deed}") as caught:
        player.choose([state], [0])
    assert caught.value.engine == f"{protocol}:{fault}"
    assert player._program is None


@pytest.mark.parametrize("protocol", KINDS)
def test_a_program_that_speaks_out_of_turn(protocol: str) -> None:
    player = program(protocol, "talks")
    states = [GAMES[protocol].initial_state(), some_state(protocol)] * 3
    with pytest.raises(ExternalEngineError, match=f"{protocol}:talks (sent unexpected output|played)"):
        player.choose(states, range(6))
    assert player._program is None


@pytest.mark.parametrize("protocol", KINDS)
def test_a_program_that_hangs_is_ended(protocol: str) -> None:
    player = program(protocol, "hangs")
    player._start()
    player._seconds = 0.2
    assert player._program is not None
    pid = player._program._process.pid
    with pytest.raises(ExternalEngineError, match=f"{protocol}:hangs gave no answer within 0.2 s"):
        player.choose([GAMES[protocol].initial_state()], [0])
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


@pytest.mark.parametrize(
    ("protocol", "deed"),
    [
        ("gomocup", "answered START with 'hello' instead of OK"),
        ("uci", "gave no answer within 2 s"),
        ("nboard", "gave no answer within 2 s"),
    ],
)
def test_a_program_of_another_protocol(protocol: str, deed: str) -> None:
    player = program(protocol, "nonsense", seconds=2.0)
    with pytest.raises(ExternalEngineError, match=deed):
        player.choose([GAMES[protocol].initial_state()], [0])


def test_a_brain_that_refuses_the_board() -> None:
    player = program("gomocup", "refuses")
    with pytest.raises(ExternalEngineError, match="refused: 'ERROR size'"):
        player.choose([GAMES["gomocup"].initial_state()], [0])


@pytest.mark.parametrize("protocol", ["uci", "usi"])
def test_resigning_is_no_fault(protocol: str) -> None:
    player = program(protocol, "resigns")
    with pytest.raises(EngineResignedError, match=f"{protocol}:resigns resigned"):
        player.choose([GAMES[protocol].initial_state()], [0])
    assert player._program is not None
    player.close()


def test_no_move_at_all_is_not_a_move() -> None:
    player = program("uci", "empty")
    with pytest.raises(ExternalEngineError, match="answered with '', which is not a move"):
        player.choose([GAMES["uci"].initial_state()], [0])


def test_options_are_sent_in_the_spelling_of_the_program() -> None:
    player = program("uci", "none", **{"skill level": "2", "Nodes": "50", "depth": "3"})
    player.choose([GAMES["uci"].initial_state()], [0])
    assert player._program is not None
    told = player._program._complaints.take_to(b"\n", 60.0)
    assert told == b"info string name Skill Level value 2 / nodes 50 depth 3\n"
    player.close()
    player = program("uci", "none", SkilLevel="2")
    with pytest.raises(tengen.ArgumentError, match="uci:none has no option 'SkilLevel'; did you mean 'Skill Level'"):
        player.choose([GAMES["uci"].initial_state()], [0])
    assert player._program is None


def test_positions_that_were_set_up() -> None:
    """A Gomoku or Othello program gets the stones; one of UCI the text of the position."""
    drawing = str(some_state("nboard"))
    player = program("nboard")
    assert player.choose([GAMES["nboard"].state(board=drawing)], [0]) == [some_state("nboard").legal_actions[0]]
    player.close()
    gomoku = GAMES["gomocup"].state(board=str(GAMES["gomocup"].state("a5 b5 c5")))
    player = program("gomocup")
    assert player.choose([gomoku], [0]) == [3]
    player.close()
    player = program("uci")
    with pytest.raises(tengen.ArgumentError, match="a position of gomoku that was set up has no text of one line"):
        player.choose([gomoku], [0])


def test_a_forced_pass_is_not_asked_for() -> None:
    state = next(s for s in map(must_pass, range(100)) if s is not None)
    player = program("nboard", "illegal")
    assert player.choose([state], [0]) == [64]
    player.close()


def test_points_of_the_gomocup_protocol() -> None:
    game = tengen.load("mnk", m=7, n=5, k=5)
    for action in range(35):
        assert point_action(game, point_text(game, action)) == action
    assert point_text(game, 0) == "0,0"
    assert point_text(game, 8) == "1,1"
    assert point_action(game, " 1 , 1 ") == 8
    for wrong in ("", ",", "1", "7,0", "0,5", "-1,0", "1,1,1", "a,b", "1.0,1", "\u0661,1", "0,1000000000000"):
        assert point_action(game, wrong) is None


@pytest.mark.parametrize(
    ("text", "name", "problem"),
    [
        ("gomocup:cat", "othello", "othello is not one of them"),
        ("gomocup:cat", "mnk", "mnk is not one of them"),
        ("nboard:cat", "gomoku", "is for othello on 8x8"),
        ("uci:", "chess", "say which program, as in 'uci:stockfish'"),
        ("usi:depth=3: ", "chess", "say which program, as in 'usi:depth=3:fairy-stockfish'"),
        ("uci:0s:cat", "chess", "how many seconds"),
        ("uci:no such program", "chess", "there is no program 'no'"),
    ],
)
def test_bad_texts_are_refused(text: str, name: str, problem: str) -> None:
    with pytest.raises((PlayerSpecError, tengen.TengenError), match=problem):
        make_player(text, tengen.load("gomoku" if name == "chess" else name))


def test_what_stands_before_a_command() -> None:
    game = tengen.load("gomoku")
    player = make_player("uci:Skill Level=3:nodes=2000:10s:cat -a=b:c", game)
    assert isinstance(player, UciProgram)
    assert player._options == {"Skill Level": "3", "nodes": "2000"}
    assert player._seconds == 10.0
    assert player._command[1:] == ["-a=b:c"]
    player = make_player("uci::cat x=1:y", game)
    assert isinstance(player, UciProgram)
    assert player._options == {}
    assert player._command[1:] == ["x=1:y"]
