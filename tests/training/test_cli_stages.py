"""`tengen selfplay` and `tengen learn`: one stage alone, as a person meets it."""

from pathlib import Path

import pytest
import tomli_w
from small_runs import SMALL

import tengen
from tengen.network.checkpoint import load_network
from tengen.records import read_games

GAME = tengen.load("tic_tac_toe")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small.toml").write_text(tomli_w.dumps(SMALL))
    return tmp_path


def selfplay(cli, model: Path, out: str, *more: str) -> str:  # type: ignore[no-untyped-def]
    command = ["selfplay", "tic_tac_toe", "--model", str(model), "--out", out, "--games", "30"]
    said: str = cli(*command, "--config", "small.toml", *more)
    return said


def test_games_are_played_and_learned_from(place: Path, cli, three_iterations: Path) -> None:
    said = selfplay(cli, three_iterations, "games")
    assert "30 games with" in said
    records = list(read_games(place / "games", GAME))
    assert sorted(record.seed for record in records) == list(range(30))
    for record in records:
        record.validate(GAME)
    learn = ["learn", "tic_tac_toe", "--records", "games", "--config", "small.toml", "--steps", "4"]
    assert "30 games with" in cli(*learn, "--out", "new.safetensors")
    blank = load_network("new.safetensors")
    assert blank.made_by == {"records": "games", "seed": "1"}
    cli(*learn, "--out", "more.safetensors", "--from", str(three_iterations))
    more = load_network("more.safetensors")
    assert more.digest != blank.digest
    assert more.architecture == load_network(three_iterations / "networks" / "000003.safetensors").architecture


def test_the_games_of_a_seed_are_the_same(place: Path, cli, three_iterations: Path) -> None:
    """Whatever the threads; and every one to its end, so that short games are not more often among them."""
    for out, more in (("one", ()), ("other", ("--set", "self_play.threads=1")), ("seed", ("--seed", "2"))):
        selfplay(cli, three_iterations, out, *more)
    one, other, seed = (
        {record.seed: record for record in read_games(place / out, GAME)} for out in ("one", "other", "seed")
    )
    assert one == other
    assert one != seed


def test_the_games_of_a_run_are_learned_from(place: Path, cli, three_iterations: Path) -> None:
    said = cli(
        "learn", "tic_tac_toe", "--records", str(three_iterations), "--out", "out.safetensors", "--set",
        "network.channels=8", "--set", "learner.batch=32",
    )  # fmt: skip
    assert "steps" in said
    assert load_network("out.safetensors").game == "tic_tac_toe"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["selfplay", "tic_tac_toe", "--model", "nowhere", "--out", "x"], "There is no network 'nowhere'"),
        (["selfplay", "tic_tac_toe", "--model", "tic_tac_toe", "--out", "x", "--games", "0"], "At least one game"),
        (["selfplay", "tic_tac_toe", "--model", "connect_four", "--out", "x"], "not tic_tac_toe"),
        (["learn", "tic_tac_toe", "--records", "nowhere", "--out", "x"], "There are no recorded positions in nowhere"),
        (["learn", "tic_tac_toe", "--records", "nowhere", "--out", "x", "--steps", "0"], "at least one step"),
    ],
)
def test_wrong_command_lines(place: Path, refused, arguments: list[str], words: str) -> None:
    assert words in refused(*arguments)
    assert not (place / "x").exists()


def test_records_of_another_game_are_refused(place: Path, refused, three_iterations: Path) -> None:
    said = refused("learn", "connect_four", "--records", str(three_iterations), "--out", "x")
    assert "holds games of tic_tac_toe (no options), not of connect_four" in said


def test_a_folder_with_games_is_not_written_over(place: Path, cli, refused, three_iterations: Path) -> None:
    selfplay(cli, three_iterations, "games")
    command = ["selfplay", "tic_tac_toe", "--model", str(three_iterations), "--out", "games"]
    assert "There are games in games already" in refused(*command)
