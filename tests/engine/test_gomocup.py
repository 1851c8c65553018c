"""The Gomocup protocol as a conversation: every command, lines of every kind, clocks, whole games."""

import random
import re
import sys
from pathlib import Path

import pytest
from tiny_networks import LooksAtTheBoard, save_tiny

import tengen
from tengen import SearchParams
from tengen.arena import play_match
from tengen.engine import Engine, Limit
from tengen.external.gomocup import GomocupProgram, NoBrainsError
from tengen.interfaces.gomocup import Gomocup
from tengen.players import make_player

POINT = re.compile(r"\d+,\d+")


class Talk:
    """A conversation in this process."""

    def __init__(self, name: str = "gomoku", limit: Limit | None = None, **options: float) -> None:
        game = tengen.load(name, **(options or {"size": 9}))
        evaluator = LooksAtTheBoard(game)
        engine = Engine(game, evaluator, SearchParams(leaves_per_batch=2, instant_wins=True))
        self.written: list[str] = []
        self.session = Gomocup(engine, evaluator.network, limit or Limit(simulations=8), self._write)

    def _write(self, text: str) -> None:
        assert text.endswith("\n")
        assert text.count("\n") == 1
        self.written.append(text.rstrip("\n"))

    def __call__(self, *lines: str) -> list[str]:
        """The answers to some lines, without messages."""
        self.written.clear()
        for line in lines:
            assert self.session.obey(line) or line.upper().startswith("END")
        self.session.end()
        return [line for line in self.written if not line.startswith("MESSAGE")]


@pytest.fixture
def talk() -> Talk:
    return Talk()


def test_a_game_from_the_beginning(talk: Talk) -> None:
    assert talk("START 9") == ["OK"]
    [first] = talk("BEGIN")
    assert POINT.fullmatch(first)
    [second] = talk("TURN 0,0" if first != "0,0" else "TURN 1,1")
    assert second not in (first, "0,0")
    assert talk(f"TURN {second}") == [f"ERROR there is a stone on {second}"]
    assert talk(f"TAKEBACK {first}") == ["ERROR only the last move can be taken back"]
    assert talk(f"TAKEBACK {second}") == ["OK"]
    assert talk("RESTART") == ["OK"]
    assert talk("BEGIN") == [first]  # the same position, the same move


def test_a_position_is_set_as_a_whole() -> None:
    """Own stones and the opponent's: five in a row is there to be completed or stopped."""
    talk = Talk(limit=Limit(simulations=1000))
    own = [f"{x},4,1" for x in range(4)]
    other = [f"{x},6,2" for x in range(4)]  # at the edge: one point stops it
    talk("START 9")
    assert talk("BOARD", *own, *other, "DONE") == ["4,4"]  # it wins
    more = ["0,0,2", "8,8,1", "8,0,2"]
    assert talk("RESTART", "BOARD", *other, *more, "2,2,1", "5,1,1", "7,1,1", "3,3,1", "DONE")[1:] == ["4,6"]


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        (["START"], "syntax error"),
        (["START nine"], "syntax error"),
        (["START 4"], "size"),
        (["START 100"], "size"),
        (["RECTSTART 9"], "width and height"),
        (["RECTSTART 9,8"], "square boards only"),
        (["TURN"], "not a point"),
        (["TURN 9,0"], "not a point"),
        (["TURN -1,0"], "not a point"),
        (["TURN 1,2,3"], "not a point"),
        (["TAKEBACK 1,1"], "only the last move"),
        (["BOARD", "1,1,1", "1,1,2", "DONE"], "two stones are on one point"),
        (["BOARD", "1,1,1", "DONE"], "it is not my turn"),
        (["BOARD", "1,1,3", "1,1,1", "DONE"], "'1,1,3' is not a stone"),
        (["BOARD", "hello", "you", "", "DONE"], "'hello' is not a stone"),
        (["SWAP2BOARD", "4,4", "3,3", "DONE"], "swap2 is not known"),
        (["BOARD", *(f"{x},0,1" for x in range(5)), *(f"{x},2,2" for x in range(5)), "DONE"], "over|end"),
    ],
)
def test_bad_lines_are_refused_and_change_nothing(talk: Talk, lines: list[str], problem: str) -> None:
    [answer] = talk(*lines)
    assert answer.startswith("ERROR ")
    assert re.search(problem, answer), answer
    assert talk("START 9") == ["OK"]


def test_a_board_that_is_not_finished_gives_way_to_the_next_command(talk: Talk) -> None:
    assert talk("BOARD", "1,1,9", "START 9") == ["OK"]
    assert talk("BOARD", "1,1,2", "RESTART") == ["OK"]
    assert talk("DONE") == ["UNKNOWN DONE"]


def test_what_is_unknown_is_called_so(talk: Talk) -> None:
    assert talk("PROBOARD", "hello\tworld", "", "  \r") == ["UNKNOWN PROBOARD", "UNKNOWN hello world"]
    assert talk("about")[0].startswith('name="tengen", version=')
    assert talk("START 9\r\n") == ["OK"]


def test_the_end() -> None:
    talk = Talk()
    assert not talk.session.obey("END")


def test_the_rules_of_the_manager_are_played() -> None:
    """With INFO rule 1 six in a row do not win."""
    six = ["0,0,1", "1,0,1", "2,0,1", "4,0,1", "5,0,1", "8,8,2", "8,7,2", "8,5,2", "7,1,2", "1,5,2"]
    talk = Talk(limit=Limit(simulations=300))
    assert talk("START 9", "BOARD", *six, "DONE") == ["OK", "3,0"]
    assert talk("INFO rule 1", "RESTART", "BOARD", *six, "DONE")[1:] != ["3,0"]
    assert talk("INFO rule 0", "RESTART", "BOARD", *six, "DONE")[1:] == ["3,0"]


def test_boards_of_other_sizes_and_shapes() -> None:
    talk = Talk("mnk", m=7, n=6, k=5)
    assert talk("RECTSTART 7,6") == ["OK"]
    assert talk("TURN 6,5") != ["ERROR"]
    assert talk("RECTSTART 8,5") == ["OK"]
    assert talk("TURN 7,4")[0] != "7,4"
    with pytest.raises(NoBrainsError):
        Talk("othello", size=8)


def test_what_info_says_is_obeyed() -> None:
    talk = Talk(limit=Limit(seconds=600.0))
    assert talk("START 9", "INFO timeout_turn 0", "BEGIN")[1:]  # at once: a search of ten minutes would not end here
    talk("INFO timeout_turn 600000", "INFO time_left 60", "RESTART", "INFO time_left 60")
    assert POINT.fullmatch(talk("BEGIN")[0])
    assert talk("INFO max_memory 83886080") == []
    assert talk.session._engine.most_tree_bytes == 16 << 20
    assert talk("INFO max_memory 1073741824", "INFO evaluate 1,1", "INFO", "INFO folder /x", "INFO rule many") == []
    assert talk.session._engine.most_tree_bytes == (1 << 30) - (250 << 20)


def test_a_search_can_be_told_to_play_now() -> None:
    talk = Talk(limit=Limit(seconds=600.0))
    talk.session.obey("INFO timeout_turn 600000")
    talk.session.obey("BEGIN")
    talk.session.obey("YXSTOP")
    assert POINT.fullmatch(talk.written[-1])


def test_ten_thousand_lines_of_noise() -> None:
    """Whatever comes, it answers in the words of the protocol, and goes on."""
    rng = random.Random(7)
    words = [
        *(
            "START",
            "RECTSTART",
            "RESTART",
            "BEGIN",
            "TURN",
            "BOARD",
            "DONE",
            "TAKEBACK",
            "INFO",
            "ABOUT",
            "STOP",
            "turn",
        ),
        *("9", "5", "19", "-1", "0,0", "4,4", "8,8", "1,2,1", "3,3,2", "rule", "timeout_turn", "time_left", "1e9", "x"),
        *("max_memory", "\x00", "\xff", "٣,٣", "99999999999", "7 7", ",", " "),
    ]
    talk = Talk(limit=Limit(simulations=2), size=5)
    talk.session._engine.resize = lambda most_tree_bytes: None  # type: ignore[method-assign]  # one of them asks for little
    good = re.compile(r"OK|\d+,\d+|(ERROR|UNKNOWN|MESSAGE) .+|name=.*")
    for _ in range(10_000):
        line = rng.choice((" ", ",")).join(rng.choices(words, k=rng.randrange(4)))
        assert talk.session.obey(line + "\n")
    talk.session.end()
    assert all(good.fullmatch(line) for line in talk.written)
    assert "ERROR internal error" not in talk.written
    assert talk("DONE", "START 5")[-1] == "OK"


def test_the_command_plays_whole_games_as_a_brain(tmp_path: Path) -> None:
    """Two programs of ours meet in the protocol: `tengen gomocup` and the player that drives brains."""
    game = tengen.load("gomoku", size=7)
    model = save_tiny(tmp_path / "net.safetensors", game)
    code = "from tengen.interfaces.cli import main; main()"
    command = f'{sys.executable} -c "{code}" gomocup {model} --simulations 16'
    brain = GomocupProgram("brain", command, game, options={"movetime": "5000"})
    match = play_match(game, (brain, make_player("random", game)), games=4, seed=3)
    assert match.reasons == {}
    assert all(played.final.outcome == played.outcome for played in match.games)
