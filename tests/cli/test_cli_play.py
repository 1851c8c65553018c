"""`tengen play`: what a person can type, what comes back, and that nothing typed ever breaks it."""

import io
import os
import pty
import random
import re
import select
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import tengen
from tengen.games import names
from tengen.interfaces.cli import run
from tengen.interfaces.cli.play import HELP, default_player
from tengen.interfaces.terminal import LONGEST_LINE, draw, printable
from tengen.players import make_player

PROGRAM = "from tengen.interfaces.cli import main; main()"
OWN_TERMINAL = "import os; os.close(os.open(os.ttyname(0), os.O_RDWR)); "  # so that Ctrl-C typed there is a signal
LONGEST_SILENCE = 120  # seconds; then a test fails rather than waits for ever

PROMPT = "your move: "
AGAIN = "Another game, with sides swapped? yes, no or undo: "
Talk = Callable[..., str]

ALL_SQUARES = ["b2", "a1", "b1", "c1", "a2", "c2", "a3", "b3", "c3"]
EMPTY = "  a b c\n3 . . .\n2 . . .\n1 . . .\nX to move\n"


@pytest.fixture
def rules() -> Path:
    """The folder of small rules files."""
    return Path(__file__).parents[1] / "support" / "rules"


@pytest.fixture
def examples() -> Path:
    return Path(__file__).parents[2] / "examples"


@pytest.fixture
def talk(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Talk:
    """Plays a session with these lines typed (text or bytes) and then the end of the input; gives what was printed."""

    def session(arguments: str, *typed: str | bytes, end: bytes = b"\n") -> str:
        data = b"\n".join(line.encode() if isinstance(line, str) else line for line in typed) + end
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))
        assert run(["play", *arguments.split()]) == 0
        printed = capsys.readouterr()
        assert printed.err == ""
        assert printed.out.endswith("Goodbye.\n")
        return printed.out

    return session


def answers(out: str) -> list[str]:
    """What came after each prompt."""
    return out.split(PROMPT)[1:]


# --- What can be typed --------------------------------------------------------------------------------------------


def test_a_move_is_answered_with_a_move_and_a_thought(talk: Talk) -> None:
    out = talk("tic_tac_toe rollout:100 --seed 1", "b2", "quit")
    said = re.search(r"^O plays (\w\d)  \(O's chances (\d+) %; best line (\w\d)[ \w]*\)$", out, re.MULTILINE)
    assert said is not None
    assert said[1] == said[3]
    assert 0 < int(said[2]) < 50
    board = str(tengen.load("tic_tac_toe").state(f"b2 {said[1]}"))
    assert f"{said[0]}\n{board}\n{PROMPT}" in out


def test_a_certain_result_is_called_so(talk: Talk) -> None:
    out = talk("tic_tac_toe rollout:2000 --seed 1", "a2", "hint", "b1", "hint", "a3", "a1", "c3", "c1", "quit")
    assert re.search(r"O plays \w\d  \(a certain (win|draw) in \d+ plies; best line", out) or re.search(
        r"O plays \w\d  \(a certain draw; best line", out
    )


def test_random_has_no_thoughts(talk: Talk) -> None:
    assert re.search(r"^O plays \w\d$", talk("tic_tac_toe random", "b2"), re.MULTILINE)


def test_machine_moves_first_when_asked(talk: Talk) -> None:
    out = talk("connect_four rollout:10 --second", "quit")
    assert "you are O, rollout:10 is X" in out
    assert "X plays " in out.split(PROMPT)[0]
    assert "you are X, rollout:10 is O" in talk("connect_four rollout:10 --first", "quit")


def test_moves_lists_the_legal_moves(talk: Talk) -> None:
    listed = answers(talk("othello rollout:10", "moves"))[0].splitlines()[1]
    state = tengen.load("othello").initial_state()
    assert listed.split() == [state.action_text(action) for action in state.legal_actions]


def test_moves_lists_those_with_a_name(talk: Talk, examples: Path) -> None:
    said = answers(talk(f"{examples / 'breakthrough.py'}:size=5 random", "moves b2", "moves x9", "quit"))
    assert said[0].splitlines()[1] == "b2a3 b2b3 b2c3"
    assert said[1].splitlines()[1] == "No legal move has 'x9' in its name."


def test_moves_from_cell_to_cell(talk: Talk, examples: Path) -> None:
    for typed in ("b2c3", "B2C3", "b2-c3", "b2 c3"):
        out = talk(f"{examples / 'breakthrough.py'}:size=5 random", typed, "quit")
        assert "O plays " in out
        assert re.search(r"^2 X \. X X X$", out, re.MULTILINE)
    said = answers(talk(f"{examples / 'breakthrough.py'}:size=5 random", "b2", "b2d4", "b2a1", "quit"))
    assert said[0].splitlines()[1] == "'b2' is only the beginning of a move: b2a3, b2b3, b2c3. Type the whole name."
    assert "is neither a move nor a command" in said[1]
    assert "b2a1 is not legal here; moves lists what is." in said[2]


def test_a_game_without_pieces(talk: Talk, rules: Path) -> None:
    out = talk(f"{rules / 'nim.py'} random", "take7d", "quit")
    assert "a |\nb |||\nc |||||\nd |||||||\nX to move\n" in out
    assert "O plays take" in out


def test_board_draws_it_again(talk: Talk) -> None:
    assert answers(talk("tic_tac_toe random", "board"))[0] == f"board\n{EMPTY}"


def test_hint_is_a_legal_move_even_beside_an_opponent_who_knows_nothing(talk: Talk) -> None:
    for player in ("rollout:50", "random"):
        said = re.search(r"^hint: (\S+)  \(your chances \d+ %; best line", talk(f"connect_four {player}", "hint"), re.M)
        assert said is not None
        assert tengen.load("connect_four").initial_state().is_legal(said[1])


def test_help_names_every_command(talk: Talk) -> None:
    out = talk("tic_tac_toe random", "help")
    commands = [line.split()[0] for line in HELP.splitlines()[1:]]
    assert commands == ["undo", "hint", "moves", "board", "resign", "quit"]
    assert all(f"\n{command} " in out for command in commands)
    assert "as in a3" in out


def test_moves_and_commands_in_capitals_or_not_with_spaces_around(talk: Talk) -> None:
    out = talk("tic_tac_toe random --seed 1", "  B2  ", "\tUNDO", "Quit")
    assert "O plays" in answers(out)[0]
    assert answers(out)[1] == f"UNDO\n{EMPTY}"


def test_an_illegal_move_is_refused_and_asked_again(talk: Talk) -> None:
    out = talk("tic_tac_toe rollout:10", "b2", "b2")
    assert answers(out)[1] == "b2\nb2 is not legal here; moves lists what is.\n"


def test_a_slip_is_understood(talk: Talk) -> None:
    assert "'udno' is neither a move nor a command; did you mean 'undo'?" in talk("tic_tac_toe random", "udno")


def test_undo_takes_back_both_moves(talk: Talk) -> None:
    out = talk("tic_tac_toe rollout:10 --seed 2", "b2", "a1", "undo", "undo", "undo")
    after = answers(out)
    assert after[2] == "undo\n" + after[0].split("\n", 2)[2]  # the board after the first pair
    assert after[3] == f"undo\n{EMPTY}"
    assert after[4] == "undo\nYou have no move to take back yet.\n"


def test_undo_leaves_the_machine_its_first_move(talk: Talk) -> None:
    out = talk("tic_tac_toe rollout:10 --second --seed 2", "undo", *ALL_SQUARES[:4], *["undo"] * 4)
    undone = [part for part in answers(out) if part.startswith("undo")]
    assert undone[0] == undone[-1] == "undo\nYou have no move to take back yet.\n"
    last_board = [part for part in undone if "to move" in part][-1]
    assert last_board.count("X") == 1
    assert last_board.endswith("O to move\n")


def test_the_same_seed_gives_the_same_game(talk: Talk) -> None:
    typed = ["d3", "c5", "f6", "e3", "moves", "hint"]
    sessions = [talk("othello rollout:30 --seed 9", *typed) for _ in range(2)]
    assert sessions[0] == sessions[1]
    assert len({talk(f"othello rollout:30 --seed {seed}", *typed) for seed in range(4)}) > 1


# --- Ends of games --------------------------------------------------------------------------------------------------


def test_resign_and_play_another_with_sides_swapped(talk: Talk) -> None:
    out = talk("tic_tac_toe random", "resign", "perhaps", "yes", "resign", "y", "quit")
    assert "You resigned: O wins.\n" in out
    assert "You resigned: X wins.\n" in out
    assert re.findall(r"you are (\w)", out) == ["X", "O", "X"]
    assert out.count(AGAIN) == 3


@pytest.mark.parametrize("seed", range(12))
def test_a_whole_game_ends_with_its_result(talk: Talk, seed: int) -> None:
    """The person fills the squares in order; the moves that were accepted and the answers make the game."""
    out = talk(f"tic_tac_toe random --seed {seed}", *ALL_SQUARES, "no").partition(AGAIN)[0]
    state = tengen.load("tic_tac_toe").initial_state()
    for answer in answers(out):
        typed = answer.partition("\n")[0]
        if "is not legal here" in answer:
            assert not state.is_legal(typed)
            continue
        state = state.play(typed)
        if said := re.search(r"O plays (\w\d)", answer):
            state = state.play(said[1])
    assert state.outcome is not None
    verdict = {0: "X wins, you won", 1: "O wins, you lost", None: "a draw"}[state.outcome.winner]
    assert out.endswith(f"{draw(state).plain}\nThe game is over: {verdict} ({state.outcome.sentence}).\n")


def test_a_lost_game_can_go_on_with_the_last_move_taken_back(talk: Talk) -> None:
    out = talk("tic_tac_toe random --seed 3", *ALL_SQUARES, "undo", "moves", "quit")
    end, _, rest = out.partition(AGAIN)
    assert "The game is over" in end
    while not rest.startswith("undo"):  # squares that were typed past the end are no answers
        rest = rest.partition(AGAIN)[2]
    assert "X to move" in rest
    assert answers(rest)[0].startswith("moves\n")


def test_undo_with_nothing_to_take_back_asks_again(talk: Talk) -> None:
    assert talk("tic_tac_toe random", "resign", "undo", "no").count(AGAIN) == 2


def test_a_move_that_is_forced_is_named(talk: Talk) -> None:
    game = tengen.load("othello", size=4)
    typed = [game.action_text(action) for action in range(game.spec.num_actions)] * 12
    random.Random(0).shuffle(typed)
    sessions = [talk(f"othello:size=4 random --seed {seed}", *typed, "no") for seed in range(30)]
    assert any(f"The only legal move is pass.\n{PROMPT}" in out for out in sessions)


# --- Odd input ------------------------------------------------------------------------------------------------------

ODD = [
    b"\xff\xfe\x00\x01",
    b"\x00",
    b"\x00" * 5000,
    b"\x1b[2J\x1b]0;title\x07",
    b"a" * (LONGEST_LINE - 1),
    b"b2" * LONGEST_LINE,
    b"x" * 3_000_000,
    "é 天元 🙂 \u202e \u2028".encode(),
    b"\xf0\x9f\x99",
    b"\r\r\r",
    b"\x04\x03\x1a",
    b"b2 b2",
    b"-1",
    b"99999999999999999999",
    b"'; drop table; --",
    b"{}",
    b"%s%n",
    b"__import__('os')",
    b"",
    b"   ",
]


@pytest.mark.parametrize("odd", ODD, ids=lambda odd: repr(odd[:12]))
def test_the_game_goes_on_after_odd_input(talk: Talk, odd: bytes) -> None:
    out = talk("tic_tac_toe random --seed 1", odd, "b2", "resign", odd, "no")
    assert "O plays" in out
    assert "You resigned" in out
    assert "\x1b" not in out
    assert "\x00" not in out
    assert len(out) < 5000


@pytest.mark.parametrize("end", [b"", b"\n", b"hin", b"\xf0\x9f", b"x" * 5000])
@pytest.mark.parametrize("before", [[], ["b2"], ["resign"], ["resign", "yes"]])
def test_the_end_of_the_input_leaves(talk: Talk, before: list[str], end: bytes) -> None:
    talk("tic_tac_toe random", *before, b"", end=end)


@pytest.mark.parametrize("game", ["tic_tac_toe", "connect_four", "othello:size=4", "go:size=5"])
def test_fuzz(talk: Talk, game: str) -> None:
    """Anything in any order: moves, commands, noise."""
    chance = random.Random(game)
    rules = tengen.load(*game.split(":")[:1], **({"size": int(game[-1])} if ":" in game else {}))
    moves = [rules.action_text(action) for action in range(rules.spec.num_actions)]
    commands = ["undo", "hint", "moves", "board", "resign", "help", "yes", "?", "takeback"]
    for seed in range(15):
        typed: list[str | bytes] = []
        for _ in range(120):
            kind = chance.random()
            if kind < 0.6:
                typed.append(chance.choice(moves))
            elif kind < 0.9:
                typed.append(chance.choice(commands))
            else:
                typed.append(chance.randbytes(chance.randrange(30)))
        talk(f"{game} {chance.choice(['random', 'rollout:5', 'uniform:3'])} --seed {seed}", *typed)


def test_printable_is_short_and_harmless() -> None:
    assert printable("d4") == "d4"
    assert printable("\x1b[2J\n") == "?[2J?"
    assert printable("x" * 100) == "x" * 40 + "..."


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["play", "chess2"], "There is no game called 'chess2'"),
        (["play", "othello", "deep:blue"], "'deep:blue' is not a player; a player is one of: random"),
        (["play", "othello", "--first", "--second"], "--first and --second exclude each other"),
        (["play", "othello", "--seed", "-5"], "A seed is a whole number from 0"),
    ],
)
def test_user_errors_are_one_line(refused, arguments: list[str], words: str) -> None:
    assert words in refused(*arguments)


# --- The machine, the board -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", names())
def test_there_is_a_default_player_for_every_game(name: str) -> None:
    game = tengen.load(name)
    text = default_player(game)
    assert 10 <= int(text.removeprefix("rollout:")) <= 10_000
    assert make_player(text, game).name == text


def test_new_and_turned_stones_stand_out() -> None:
    before = tengen.load("othello").initial_state()
    after = before.play("d3")
    drawn = draw(after, before)
    changed = [drawn.plain[span.start : span.end] for span in drawn.spans if str(span.style).endswith("reverse")]
    assert changed == ["X", "X"]  # placed and turned
    assert not [span for span in draw(after).spans if str(span.style).endswith("reverse")]


@pytest.mark.parametrize(("name", "moves"), [("tic_tac_toe", "b2 a1"), ("connect_four", "4 4 1"), ("gomoku", "c3")])
def test_the_board_is_drawn_as_the_game_draws_it(name: str, moves: str) -> None:
    state = tengen.load(name).state(moves)
    assert draw(state).plain == str(state)


def test_players_are_named_with_the_letters_of_their_pieces() -> None:
    assert draw(tengen.load("go").initial_state()).plain.endswith("\nblack (X) to move")


def test_rows_of_hexagons_lie_further_right(examples: Path) -> None:
    board = draw(tengen.load(str(examples / "hex.py"), size=3).state("c3")).plain
    assert board == "  a b c\n3 . . X\n 2 . . .\n  1 . . .\nO to move"


# --- A process of its own -------------------------------------------------------------------------------------------


class Session:
    """A program that plays, at the other end of two pipes or of a terminal."""

    def __init__(self, *arguments: str, terminal: bool = False, **environment: str) -> None:
        self.terminal, theirs = pty.openpty() if terminal else (None, None)
        ends = (theirs, theirs, theirs) if terminal else (subprocess.PIPE,) * 3
        self.program = subprocess.Popen(
            [sys.executable, "-c", (OWN_TERMINAL if terminal else "") + PROGRAM, "play", *arguments],
            stdin=ends[0],
            stdout=ends[1],
            stderr=ends[2],
            env={**os.environ, "TERM": "dumb", "PYTHONUNBUFFERED": "", **environment},
            start_new_session=True,
        )
        if theirs is not None:
            os.close(theirs)
        self.said = b""

    def until(self, words: str) -> str:
        """What it says up to these words."""
        while words.encode() not in self.said:
            part = self._read()
            assert part, f"it never said {words!r}, but: {self.said.decode(errors='replace')}"
            self.said += part
        heard, _, self.said = self.said.partition(words.encode())
        return heard.decode(errors="replace")

    def type(self, text: str | bytes) -> None:
        data = text.encode() if isinstance(text, str) else text
        if self.terminal is not None:
            os.write(self.terminal, data)
        else:
            assert self.program.stdin is not None
            self.program.stdin.write(data)
            self.program.stdin.flush()

    def interrupt(self) -> None:
        """Presses Ctrl-C while it waits for a line: a signal just before that is noticed only with the next line."""
        while Path(f"/proc/{self.program.pid}/stat").read_text().rpartition(") ")[2][0] != "S":
            time.sleep(0.01)
        if self.terminal is not None:
            self.type("\x03")
        else:
            self.program.send_signal(signal.SIGINT)

    def leave(self) -> int:
        """Waits for the end; nothing may have been said in anger. Gives the exit code."""
        if self.terminal is None:
            assert self.program.stderr is not None
            assert self.program.stderr.read() == b""
        while part := self._read():
            self.said += part
        assert b"Traceback" not in self.said
        if self.terminal is not None:
            os.close(self.terminal)
        return self.program.wait()

    def _read(self) -> bytes:
        end = self.terminal if self.terminal is not None else self.program.stdout
        assert end is not None
        if not select.select([end], [], [], LONGEST_SILENCE)[0]:
            return b""
        try:
            return os.read(end if isinstance(end, int) else end.fileno(), 65536)
        except OSError:  # EIO: the program has left the terminal
            return b""


def test_a_program_can_play_through_pipes() -> None:
    """Every prompt comes before the line that answers it is sent: nothing waits in a buffer."""
    session = Session("connect_four", "rollout:30", "--seed", "4")
    state = tengen.load("connect_four").initial_state()
    while state.outcome is None:
        session.until(PROMPT)
        session.type("hint\n")
        session.until("hint: ")
        hint = session.until("  (")
        session.until(PROMPT)
        session.type(f"{hint}\n")
        state = state.play(hint)
        if state.outcome is None:
            session.until("O plays ")
            state = state.play(session.until("  ("))
    session.until("The game is over: ")
    session.until(AGAIN)
    session.type("no\n")
    assert session.leave() == 0


def test_ctrl_c_once_goes_on_and_twice_leaves() -> None:
    session = Session("tic_tac_toe", "rollout:10")
    session.until(PROMPT)
    session.interrupt()
    session.until("Ctrl-C once more, or quit, leaves.")
    session.until(PROMPT)
    session.type("b2\n")
    session.until("O plays")
    session.until(PROMPT)
    session.interrupt()
    session.until(PROMPT)
    session.interrupt()
    assert session.leave() == 130


def test_on_a_terminal() -> None:
    session = Session("tic_tac_toe", "rollout:10", terminal=True)
    session.until(PROMPT)
    session.type(b"\xff\xfe\n")
    session.until("is neither a move nor a command")
    session.until(PROMPT)
    session.type("b2\n")
    session.until("O plays")
    session.until(PROMPT)
    session.interrupt()
    session.until("Ctrl-C once more, or quit, leaves.")
    session.until(PROMPT)
    session.type("resign\n")
    session.until(AGAIN)
    session.type("\x04")
    session.until("Goodbye.")
    assert session.leave() == 0


def test_a_terminal_that_knows_only_ascii() -> None:
    session = Session("tic_tac_toe", "random", PYTHONIOENCODING="ascii")
    session.until(PROMPT)
    session.type("天元\n")
    session.until("is neither a move nor a command")
    session.until(PROMPT)
    session.type("quit\n")
    assert session.leave() == 0


def test_no_input_at_all() -> None:
    command = shlex.join([sys.executable, "-c", PROGRAM, "play", "tic_tac_toe", "random"])
    for end in ("</dev/null", "<&-"):
        answer = subprocess.run(["sh", "-c", f"{command} {end}"], capture_output=True, text=True, check=False)
        assert (answer.returncode, answer.stderr) == (0, "")
        assert answer.stdout.endswith("Goodbye.\n")
