"""`tengen gtp` as a Go program meets it: driven by @sabaki/gtp, the client of Sabaki (`make test` installs it)."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tiny_networks import save_tiny

import tengen
from tengen.games.sgf import read_sgf
from tengen.games.vertices import vertex_action

ROOT = Path(__file__).parents[2]
PACKAGES = ROOT / "build/npm/node_modules"
PATIENCE = 120.0  # seconds, for a machine that is busy


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    """All that the client saw."""
    assert (PACKAGES / "@sabaki/gtp").is_dir(), "@sabaki/gtp is not installed; make sabaki does it"
    network = save_tiny(tmp_path_factory.mktemp("network") / "go.safetensors", tengen.load("go", size=5))
    code = "import sys; from tengen.interfaces.cli import run; sys.exit(run(sys.argv[1:]))"
    engine = [sys.executable, "-c", code, "gtp", str(network), "--simulations", "8"]
    done = subprocess.run(
        ["node", str(Path(__file__).with_name("sabaki.js")), *engine],
        capture_output=True, text=True, check=False, timeout=PATIENCE,
        env={**os.environ, "NODE_PATH": str(PACKAGES)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    answer: dict[str, object] = json.loads(done.stdout)
    return answer


def test_answers(seen) -> None:  # type: ignore[no-untyped-def]
    answers = seen["answers"]
    assert (answers["protocol_version"]["content"], answers["name"]["content"]) == ("2", "tengen")
    assert (answers["castle"]["error"], answers["castle"]["content"]) == (True, "unknown command")
    assert answers["knows"] is True
    assert seen["stderr"] == []
    assert seen["stopped"]


def test_a_whole_game(seen) -> None:  # type: ignore[no-untyped-def]
    """Legal by our own rules, and the same game as the engine prints."""
    game, printed = read_sgf(seen["sgf"])
    assert game == tengen.load("go", size=5, komi=6.5)
    state = game.initial_state()
    for move in seen["moves"]:
        action = vertex_action(game, move)
        assert action is not None
        state = state.play(action)
    assert state == printed
    assert re.fullmatch(r"[BW]\+\d+(\.5)?", seen["score"])


def test_the_client_knows_where_the_engine_is(seen) -> None:  # type: ignore[no-untyped-def]
    assert seen["tracked"] == 4
    assert seen["board"].strip() == str(tengen.load("go", size=5).state(" ".join(seen["moves"][:4]))).strip()


def test_streams_end_with_the_next_command(seen) -> None:  # type: ignore[no-untyped-def]
    for stream in seen["analyses"]:
        assert not stream["error"]
        assert stream["next"] == "tengen"
        assert all(re.match(r"info move ([A-E]\d|pass) visits \d+ .*pv ", line) for line in stream["lines"])
        assert stream["lines"]
    assert re.fullmatch(r"=", seen["chosen"][0])
    assert re.fullmatch(r"play ([A-E]\d|pass)", seen["chosen"][-2])
    assert seen["chosen"][-1] == ""
