"""Programs of other people and a network of a user's own rules file: it plays, or a sentence says why not."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tiny_networks import save_tiny

import tengen
from tengen.interfaces.cli import run

EXAMPLES = Path(__file__).parents[2] / "examples"
PROGRAM = "from tengen.interfaces.cli import main; main()"


@pytest.fixture(scope="module")
def hex_rules(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """A rules file whose moves are cells of a square board, and its network."""
    folder = tmp_path_factory.mktemp("hex")
    rules = str(shutil.copy(EXAMPLES / "hex.py", folder / "hex.py"))
    return rules, str(save_tiny(folder / "hex.safetensors", tengen.load(rules, size=3)))


def talk(lines: str, *command: str) -> str:
    """All that a program answers to these lines."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    words = [sys.executable, "-c", PROGRAM, *command]
    return subprocess.run(words, input=lines, capture_output=True, text=True, check=True, env=environment).stdout


def refusal(capsys: pytest.CaptureFixture[str], *command: str) -> str:
    capsys.readouterr()
    assert run(list(command)) == 2
    return capsys.readouterr().err


def test_gtp_plays_a_rules_file_that_it_is_given(hex_rules: tuple[str, str]) -> None:
    rules, network = hex_rules
    lines = "play b A1\ngenmove w\nquit\n"
    answers = talk(lines, "gtp", network, "--game", f"{rules}:size=3", "--simulations", "4").split("\n\n")
    assert answers[0].strip() == "="
    assert answers[1].removeprefix("= ") in {f"{column}{row}" for column in "ABC" for row in "123"} - {"A1"}


def test_uci_plays_a_rules_file_that_it_is_given(hex_rules: tuple[str, str]) -> None:
    rules, network = hex_rules
    answer = talk("position startpos moves a1\ngo nodes 4\nquit\n", "uci", network, "--game", f"{rules}:size=3")
    best = next(line.split()[1] for line in answer.splitlines() if line.startswith("bestmove"))
    assert tengen.load(rules, size=3).state("a1").is_legal(best)


@pytest.mark.parametrize("protocol", ["gtp", "uci", "usi"])
def test_without_the_rules_a_sentence_asks_for_them(
    hex_rules: tuple[str, str], protocol: str, capsys: pytest.CaptureFixture[str]
) -> None:
    complaint = refusal(capsys, protocol, hex_rules[1])
    assert "This network plays hex, whose rules are a file" in complaint
    assert "--game RULES.py" in complaint


def test_gomocup_is_for_five_in_a_row(hex_rules: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    complaint = refusal(capsys, "gomocup", hex_rules[1])
    assert "The Gomocup protocol is for gomoku" in complaint
    assert "hex is not one of them" in complaint


@pytest.mark.parametrize("command", [["gtp"], ["export", "onnx"]])
def test_a_rules_file_is_no_network(
    hex_rules: tuple[str, str], command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert "hex.py is a Python file, not a network" in refusal(capsys, *command, hex_rules[0])
