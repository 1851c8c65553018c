"""The command line as a person meets it: what it prints, where, and with which exit code."""

import json
import re
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import tengen
from tengen.games import names
from tengen.interfaces.cli import COMMANDS, EXTRAS, run

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
EXTRA = re.compile(r"tengen\[(\w+)\]")
TENGEN = [str(Path(sys.executable).with_name("tengen"))]
BENCH_KEYS = [
    *("tic_tac_toe", "connect_four", "othello", "go_9x9", "go_19x19", "gomoku_15x15", "chess", "shogi"),
    "connect_four_python",
]


@pytest.mark.parametrize("arguments", [[], ["--help"], ["-h"]])
def test_overview_names_every_command(cli, arguments: list[str]) -> None:
    out = cli(*arguments)
    assert all(f"  {name} " in out for name in COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(capsys: pytest.CaptureFixture[str], name: str) -> None:
    with pytest.raises(SystemExit) as left:
        run([*name.split(), "--help"])
    assert left.value.code == 0
    assert f"usage: tengen {name}" in capsys.readouterr().out


def test_version(cli) -> None:
    assert cli("--version") == f"tengen {tengen.__version__}\n"


def test_games_lists_every_game_with_its_options(cli) -> None:
    out = cli("games")
    assert [line.split()[0] for line in out.splitlines() if not line.startswith(" ")] == names()
    assert "size=15             5 to 19: rows and columns" in out
    assert "exactly_five=false  false or true: " in out


def test_show_draws_the_position(cli) -> None:
    assert cli("show", "tic_tac_toe", "a1", "b2").splitlines() == [
        *("  a b c", "3 . . .", "2 . O .", "1 X . .", "X to move"),
        "legal: a3 b3 c3 a2 c2 b1 c1",
    ]


def test_show_starts_from_a_board(cli) -> None:
    assert cli("show", "tic_tac_toe", "c1", "--board", "X . .\n. O .\n. . .").splitlines()[1:5] == [
        "3 X . .",
        "2 . O .",
        "1 . . X",
        "O to move",
    ]


def test_show_says_who_won(cli) -> None:
    assert cli("show", "tic_tac_toe", "a1 a2 b1 b2 c1").endswith("X wins (three in a row)\n")
    assert cli("show", "tic_tac_toe", "b2", "a1", "a3", "c1", "b1", "b3", "a2", "c2", "c3").endswith(
        "a draw (the board is full)\n"
    )


def test_options_follow_the_name(cli) -> None:
    assert "  a b c d e\n5 . . . . .\n" in cli("show", "gomoku:size=5,exactly_five=true")


def test_perft_counts(cli) -> None:
    rows = [line.split() for line in cli("perft", "tic_tac_toe", "9").splitlines()[1:-1]]
    assert rows[9] == ["9", "127,872", "127,872"]
    assert sum(int(finished.replace(",", "")) for _, _, finished in rows) == 255_168


def test_check_game_finds_nothing_in_an_engine(cli) -> None:
    assert "Nothing wrong was found." in cli("check-game", "tic_tac_toe", "--games", "5")


def test_check_game_finds_wrong_rules(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    rules = (EXAMPLES / "connect_four.py").read_text()
    broken = tmp_path / "broken.py"
    broken.write_text(rules.replace("longest_game = 42", "longest_game = 9"))
    assert run(["check-game", str(broken)]) == 1
    assert "WRONG" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["shwo"], "There is no command 'shwo'; did you mean 'show'?"),
        (["qqqq"], "There is no command 'qqqq'; tengen --help lists them."),
        (
            ["bench"],
            "'bench' is the beginning of several commands: bench games, bench search, bench selfplay, bench learning.",
        ),
        (["show", "gomuko"], "There is no game called 'gomuko'; did you mean 'gomoku'?"),
        (["show", "tic_tac_toe", "z9"], "'z9' is not an action of tic_tac_toe"),
        (["show", "tic_tac_toe", "a1", "a1"], "a1 is not legal here"),
        (["show", "tic_tac_toe", "\udcff"], "is not an action of tic_tac_toe"),
        (["show", "gomoku:size=99"], "size must be a whole number from 5 to 19, not 99"),
        (["show", "gomoku:size=nan"], "size must be a whole number"),
        (["show", "gomoku:size=big"], "The option size must be a number, true or false, not 'big'."),
        (["show", "gomoku:size"], "Options are written name=value, as in go:size=9,komi=7; found 'size'."),
        (["show", "gomoku:komi=7"], "gomoku has no option 'komi'"),
        (["perft", "tic_tac_toe", "--", "-1"], "The depth must be 0 or more."),
        (["check-game", "tic_tac_toe", "--games", "0"], "at least one game"),
        (["check-game", "no_such_file.py"], "no_such_file.py"),
        (["bench", "games", "gomuko"], "There is no game called 'gomuko'; did you mean 'gomoku'?"),
        (["bench", "games", "gone.py"], "gone.py"),
        (["bench", "games", "--slices", "0"], "at least one slice"),
        (["bench", "games", "--seconds", "nan"], "at least one slice"),
    ],
)
def test_user_errors_are_one_line(refused, arguments: list[str], words: str) -> None:
    assert words in refused(*arguments)


@pytest.mark.parametrize("arguments", [["perft", "tic_tac_toe"], ["perft", "tic_tac_toe", "much"], ["games", "--nope"]])
def test_wrong_arguments_leave_with_usage(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as left:
        run(arguments)
    assert left.value.code == 2


def test_bench_prints_one_json_object_and_nothing_else(cli) -> None:
    speeds = json.loads(cli("bench", "games", "--json", "--slices", "1", "--seconds", "0.002"))
    assert list(speeds) == BENCH_KEYS
    for key, speed in speeds.items():
        assert set(speed) == {"tengen", "openspiel", "ratio"} | ({"engine_ratio"} if key.endswith("_python") else set())
        assert speed["ratio"] == pytest.approx(speed["tengen"] / speed["openspiel"], rel=0.01)


def test_bench_without_openspiel_shows_our_own_speed(cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)  # makes `import pyspiel` fail
    speeds = json.loads(cli("bench", "games", "--json", "--slices", "1", "--seconds", "0.002"))
    assert all(
        speed["tengen"] > 0 and speed["openspiel"] is None and speed["ratio"] is None for speed in speeds.values()
    )
    table = cli("bench", "games", "--slices", "1", "--seconds", "0.002")
    assert "OpenSpiel is not installed" in table
    assert "tengen[openspiel]" in table


def test_bench_takes_games_of_ones_own(cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of rules, a game of OpenSpiel, which also runs natively, and two of ours with options."""
    monkeypatch.chdir(tmp_path)
    rules = Path("mine.py")
    rules.write_text((EXAMPLES / "connect_four.py").read_text())
    given = [str(rules), "openspiel:breakthrough(rows=5,columns=5)", "gomoku:size=15", "othello:size=4"]
    speeds = json.loads(cli("bench", "games", *given, "--json", "--slices", "1", "--seconds", "0.002"))
    assert list(speeds) == given
    assert all(speed["tengen"] > 0 for speed in speeds.values())
    assert [speed["openspiel"] is not None for speed in speeds.values()] == [False, True, True, False]
    table = cli("bench", "games", str(rules), "--slices", "1", "--seconds", "0.002")
    assert "mine.py" in table


def test_a_missing_package_is_named_with_its_extra(refused, monkeypatch: pytest.MonkeyPatch) -> None:
    """A command that needs more than is installed says what to install, wherever the import fails."""

    def needs_torch(*_: object) -> None:
        raise ModuleNotFoundError("No module named 'torch.nn'", name="torch.nn")

    monkeypatch.setattr("tengen.interfaces.cli._dispatch", needs_torch)
    assert refused("train") == "tengen: This needs torch, which is not installed: pip install 'tengen[train]'.\n"


def test_every_extra_that_is_named_exists() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    named = {match for path in (ROOT / "python").rglob("*.py") for match in EXTRA.findall(path.read_text())}
    assert named | set(EXTRAS.values()) == set(declared)


def test_a_closed_pipe_is_no_error() -> None:
    program = subprocess.Popen([*TENGEN, "games"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert program.stdout is not None
    assert program.stderr is not None
    program.stdout.close()
    assert program.stderr.read() == ""
    program.wait()


def test_ctrl_c_ends_a_long_count_without_a_word() -> None:
    command = [*TENGEN, "perft", "gomoku", "200"]
    program = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert program.stdout is not None
    assert "positions" in program.stdout.readline()  # it has begun
    program.send_signal(signal.SIGINT)
    _, errors = program.communicate()
    assert program.returncode == 130
    assert errors == ""
