"""Matches with programs that fail: the game is lost, for a reason that has a name, and the match goes on."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import tengen
from tengen.arena import MatchResult, play_match, play_matches
from tengen.external.gtp import GtpProgram
from tengen.external.programs import ExternalEngineError
from tengen.players import Player, make_player

ENGINES = Path(__file__).parents[1] / "support" / "engines.py"
GAME = tengen.load("gomoku", size=5)


def engine(fault: str, seconds: float = 60.0) -> GtpProgram:
    return GtpProgram(f"gtp:{fault}", f"{sys.executable} {ENGINES} gomoku {fault}", GAME, seconds)


def played(*players: Player, games: int = 4) -> MatchResult:
    return play_match(GAME, (players[0], players[1]), games=games, seed=1, opening_plies=1)


def children() -> set[int]:
    """Processes that this one has started and that have not ended."""
    found = set()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, parent = stat.read_text().rpartition(") ")[2].split()[:2]
            if int(parent) == os.getpid() and state != "Z":
                found.add(int(stat.parent.name))
    return found


@pytest.fixture(autouse=True)
def _nothing_left_behind():  # type: ignore[no-untyped-def]
    before = children()
    yield
    assert children() <= before


@pytest.mark.parametrize(
    ("fault", "deed"),
    [
        ("dies", "died (exit code 3); its standard error ends with: out of memory"),
        ("floods", "floods its output"),
        ("illegal", "which is not legal here."),
        ("nonsense", "which is not GTP."),
        ("resigns", "resigned."),
    ],
)
def test_every_game_is_lost_for_its_reason(fault: str, deed: str) -> None:
    match = played(engine(fault), make_player("random", GAME), games=2)
    assert match.losses == 2
    for game in match.games:
        assert game.reason.startswith(f"gtp:{fault} ")
        assert deed in game.reason
        assert game.final.outcome is None
        assert (game.final.to_move + game.number) % 2 == 0  # it was its move
    assert sum(match.reasons.values()) == 2


def test_a_program_that_hangs_loses_on_time() -> None:
    class Impatient(GtpProgram):
        """Takes its time to start, as a loaded machine does, but not to move."""

        def _start(self) -> None:
            self._seconds = 60.0
            super()._start()
            self._seconds = 0.1

    player = Impatient("gtp:hangs", f"{sys.executable} {ENGINES} gomoku hangs", GAME)
    match = played(make_player("random", GAME), player, games=2)
    assert match.wins == 2
    assert all("gtp:hangs gave no answer within 0.1" in game.reason for game in match.games)


def test_a_good_program_loses_nothing_for_a_reason() -> None:
    match = played(engine("none"), make_player("random", GAME), games=3)
    assert match.reasons == {}
    assert all(game.final.outcome == game.outcome for game in match.games)
    assert [game.number for game in match.games] == [0, 1, 2]


def test_of_two_matches_only_the_one_with_the_fault_is_lost() -> None:
    random = make_player("random", GAME)
    bad, good = play_matches(GAME, [[(engine("resigns"), random), (random, random)]], games=3, seed=1)
    assert bad.losses == 3
    assert good.reasons == {}
    assert good.games == played_alone(random)


def played_alone(random: Player) -> tuple[object, ...]:
    [match] = play_matches(GAME, [[(random, random)]], games=3, seed=1)
    return match.games


class FailsAt:
    """Plays the first legal action, and fails wherever there is a stone in a corner; asked for many at once."""

    name = "fails"

    def choose(self, states, seeds):  # type: ignore[no-untyped-def]
        if any(0 in state.moves for state in states):
            raise ExternalEngineError(self.name, "does not like corners")
        return [state.legal_actions[1] for state in states]


def test_of_many_games_at_once_only_those_concerned_are_lost() -> None:
    match = played(FailsAt(), make_player("random", GAME), games=24)
    for game in match.games:
        assert bool(game.reason) == (0 in game.final.moves)
    assert 0 < sum(match.reasons.values()) < 24


def test_an_error_in_one_thread_ends_the_program_that_another_waits_for() -> None:
    waiting = threading.Event()

    class Waited(GtpProgram):
        def _ask(self, command: str) -> str:
            if command.startswith("genmove"):
                waiting.set()
            return super()._ask(command)

    class Broken:
        name = "broken"

        def choose(self, states, seeds):  # type: ignore[no-untyped-def]
            waiting.wait()
            raise RuntimeError("a bug")

    hangs = Waited("gtp:hangs", f"{sys.executable} {ENGINES} gomoku hangs", GAME, seconds=600.0)
    seats = [[(hangs, hangs)], [(Broken(), Broken())]]
    heard: list[object] = []
    with pytest.raises(RuntimeError, match="a bug"):
        play_matches(GAME, seats, games=2, opening_plies=0, on_game=heard.append)
    assert heard == []  # it was ended by us: that is no loss


def test_ctrl_c_leaves_no_program_behind(tmp_path: Path) -> None:
    code = "from tengen.interfaces.cli import main; main()"
    command = f"gtp:{sys.executable} {ENGINES} gomoku child"
    match = subprocess.Popen([sys.executable, "-c", code, "match", "gomoku:size=5", command, "random"])
    while len(found := below(match.pid)) < 3:  # the program, its child, and the guard
        assert match.poll() is None
        time.sleep(0.05)
    match.send_signal(signal.SIGINT)
    assert match.wait() == 130
    for _ in range(100):
        if not any(Path(f"/proc/{pid}").exists() for pid in found):
            break
        time.sleep(0.1)
    assert not any(Path(f"/proc/{pid}").exists() for pid in found)


def below(pid: int) -> set[int]:
    """Processes that a process has started, and those that these have."""
    found: set[int] = set()
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{pid}/task").glob("*/children"):
            for child in map(int, task.read_text().split()):
                found |= {child} | below(child)
    return found


def test_the_command_shows_the_reasons(cli) -> None:  # type: ignore[no-untyped-def]
    command = f"gtp:60s:{sys.executable} {ENGINES} gomoku resigns"
    shown = cli("match", "gomoku:size=5", command, "random", "--games", "2", "--opening-plies", "1")
    assert f"2 games ended early: {command} resigned." in shown
