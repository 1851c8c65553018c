"""External programs: good ones play, and every fault gets its name while no process is left behind."""

import contextlib
import os
import random
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

import tengen
from tengen.external.gtp import GtpProgram
from tengen.external.programs import EngineResignedError, ExternalEngineError
from tengen.players import PlayerSpecError, make_player

ENGINES = Path(__file__).parents[1] / "support" / "engines.py"
GNUGO = "/usr/games/gnugo --mode gtp --level 1 --chinese-rules --never-resign"


def program(fault: str, name: str = "gomoku", seconds: float = 60.0) -> GtpProgram:
    size = {"othello": 8}.get(name, 5)
    return GtpProgram(
        f"gtp:{fault}", f"{sys.executable} {ENGINES} {name} {fault}", tengen.load(name, size=size), seconds
    )


def alive(pid: int) -> bool:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, 0)
        return not Path(f"/proc/{pid}/stat").read_text().partition(") ")[2].startswith("Z")
    return False


def pid_of(player: GtpProgram) -> int:
    assert player._program is not None
    return player._program._process.pid


def test_a_good_program_plays_several_games_at_once() -> None:
    player = program("none")
    game = tengen.load("gomoku", size=5)
    states = [game.state("a5"), game.state("b5"), game.state("a5 b5 c5"), game.initial_state()]
    assert player.choose(states, [0] * 4) == [1, 0, 3, 0]
    assert player.choose([states[2].play("d5").play("a4")], [0]) == [4]  # goes on from another game
    pid = pid_of(player)
    player.close()
    assert not alive(pid)
    assert player.choose(states[:1], [0]) == [1]  # it is started again
    player.close()


@pytest.mark.parametrize("name", ["go", "othello"])
def test_moves_and_passes_get_through(name: str) -> None:
    player = program("none", name)
    state = tengen.load(name, size=5 if name == "go" else 8).initial_state()
    for _ in range(6):
        action = player.choose([state], [0])[0]
        assert action == state.legal_actions[0]
        state = state.play(action)
        state = state.play(state.legal_actions[-1])  # a pass, in Go
        if state.outcome is not None:
            break
    player.close()


@pytest.mark.parametrize(
    ("fault", "deed"),
    [
        ("dies", r"died \(exit code 3\); its standard error ends with: out of memory"),
        ("floods", "floods its output"),
        ("closes", "closed its output"),
        ("illegal", "played A1, which is not legal here"),
        ("words", "answered with 'I like D4', which is not a move"),
        ("nonsense", "answered 'protocol_version' with 'hello', which is not GTP"),
    ],
)
def test_faults_are_named(fault: str, deed: str) -> None:
    player = program(fault)
    with pytest.raises(ExternalEngineError, match=f"gtp:{fault} {deed}") as caught:
        player.choose([player._game.state("a1" if fault == "illegal" else "")], [0])
    assert caught.value.engine == f"gtp:{fault}"
    assert player._program is None


def test_a_program_may_pass_by_itself_where_it_must() -> None:
    """As gtp-rhino does: it refuses to be told of a pass. Where a pass is a choice, that is a fault."""
    state = next(s for s in map(must_pass, range(100)) if s is not None).play("pass")
    player = program("passes", "othello")
    assert player.choose([state], [0]) == [state.legal_actions[0]]
    player.close()
    player = program("passes", "go")
    with pytest.raises(ExternalEngineError, match="refused 'play black pass': no reason given"):
        player.choose([player._game.state("pass")], [0])


def must_pass(seed: int) -> tengen.State | None:
    """A position of a random game in which nothing else is legal."""
    rng = random.Random(seed)
    state = tengen.load("othello").initial_state()
    while state.outcome is None:
        if state.legal_actions == (64,):
            return state
        state = state.play(rng.choice(state.legal_actions))
    return None


def test_a_program_that_hangs_is_ended_with_its_children() -> None:
    player = program("child", seconds=60.0)
    player._start()
    player._seconds = 0.2
    pid = pid_of(player)
    with pytest.raises(ExternalEngineError, match=r"gtp:child gave no answer within .* s") as caught:
        player.choose([player._game.initial_state()], [0])
    found = re.search(r"ends with: (\d+)", str(caught.value))
    assert found is not None
    for _ in range(100):  # the child is init's to bury
        if not alive(int(found[1])):
            break
        time.sleep(0.1)
    assert not alive(int(found[1]))
    assert not alive(pid)


def test_a_program_that_speaks_out_of_turn() -> None:
    player = program("talks")
    states = [player._game.initial_state(), player._game.state("a5 b5")] * 3
    with pytest.raises(ExternalEngineError, match=r"gtp:talks (sent unexpected output|played|answered)"):
        player.choose(states, range(6))
    assert player._program is None


def test_resigning_is_no_fault() -> None:
    player = program("resigns")
    with pytest.raises(EngineResignedError, match="gtp:resigns resigned"):
        player.choose([player._game.initial_state()], [0])
    assert alive(pid_of(player))
    player.close()


def test_a_program_that_will_not_quit_is_ended() -> None:
    player = program("stays")
    player.choose([player._game.initial_state()], [0])
    pid = pid_of(player)
    player.close()
    assert not alive(pid)


def test_a_player_that_is_forgotten_ends_its_program() -> None:
    player = program("none")
    player.choose([player._game.initial_state()], [0])
    pid = pid_of(player)
    del player
    assert not alive(pid)


def test_programs_that_can_not_be_started() -> None:
    go = tengen.load("go")
    with pytest.raises(ExternalEngineError, match="can't be started: there is no program '/no/such/program'"):
        make_player("gtp:/no/such/program --mode gtp", go)
    with pytest.raises(ExternalEngineError, match="can't be started: No closing quotation"):
        make_player("gtp:gnugo '", go)
    with pytest.raises(PlayerSpecError, match="say which program"):
        make_player("gtp:", go)
    with pytest.raises(tengen.TengenError, match="connect_four is not one of them"):
        make_player("gtp:x", tengen.load("connect_four"))


def test_the_time_for_an_answer_is_part_of_the_text() -> None:
    go = tengen.load("go")
    assert make_player("gtp:0.5s:gnugo --mode gtp", go)._seconds == 0.5
    assert make_player("gtp:gnugo --mode gtp", go)._seconds == 60.0
    with pytest.raises(PlayerSpecError, match="how many seconds"):
        make_player("gtp:0s:gnugo", go)
    with pytest.raises(PlayerSpecError, match="say which program, as in 'gtp:5s:gnugo"):
        make_player("gtp:5s: ", go)


def test_a_killed_python_leaves_no_program_behind() -> None:
    """Not even one that has stopped to listen, nor its children."""
    code = f"""
import sys, threading
sys.path.insert(0, {str(Path(__file__).parent)!r})
from test_external import pid_of, program
player = program("child")
player._start()
threading.Thread(target=player.choose, args=([player._game.initial_state()], [0]), daemon=True).start()
print(pid_of(player), player._program._complaints.take_to(b"\\n", 60).decode(), flush=True)
threading.Event().wait()
"""
    python = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert python.stdout is not None
    pids = [int(word) for word in python.stdout.readline().split()]
    assert len(pids) == 2
    assert all(map(alive, pids))
    python.kill()
    python.communicate()
    for _ in range(100):
        if not any(map(alive, pids)):
            break
        time.sleep(0.1)
    assert not any(map(alive, pids))


def test_gnu_go_plays_a_game() -> None:
    """Whole games, by our rules: every move of either side is legal for both."""
    game = tengen.load("go", size=5, komi=7)
    player = make_player(f"gtp:{GNUGO}", game)
    other = make_player("random", game)
    state = game.initial_state()
    while state.outcome is None:
        mover = player if state.to_move == 0 else other
        state = state.play(mover.choose([state], [len(state.moves)])[0])
    assert isinstance(player, GtpProgram)
    player.close()
