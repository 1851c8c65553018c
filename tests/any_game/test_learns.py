"""A minute of training beats a random player, in games that none of us wrote the defaults for.

By the clock, and so only in `make verify`. On a busy machine a minute is less than a minute.
"""

import json
from pathlib import Path

import pytest
from games import GAMES, AnyGame, write_tutorial_rules

from tengen.interfaces.cli import run

MATCH = ["--games", "40", "--json"]


@pytest.mark.verify
@pytest.mark.parametrize("game", [game for game in GAMES if not game.is_drawn], ids=lambda game: game.label)
def test_a_minute_beats_random(game: AnyGame, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_tutorial_rules(tmp_path)
    argument = game.argument.format(rules=tmp_path)
    assert run(["train", argument, "--minutes", "1", "--run", str(tmp_path / "run")]) == 0
    capsys.readouterr()
    assert run(["match", argument, f"search:{tmp_path / 'run'}:32", "random", *MATCH]) == 0
    result = json.loads(capsys.readouterr().out)
    print(game.label, result)
    assert result["interval"][0] > 0.5, result
