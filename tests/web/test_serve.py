"""`tengen serve` as people start it: quick, without torch, and a game goes on after it was killed."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from servers import PATIENCE, Page, position
from websockets.sync.client import connect

from tengen.interfaces.cli import run
from tengen.interfaces.cli.serve import load_each


@contextlib.contextmanager
def serving(folder: Path, port: int) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "tengen", "serve", "--no-browser", "--port", str(port)]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == f"tengen is at http://127.0.0.1:{port}/ (Ctrl-C ends it).\n"
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            with contextlib.suppress(httpx.TransportError):
                if httpx.get(f"http://127.0.0.1:{port}/").status_code == 200:
                    break
        yield process
    finally:
        process.kill()
        process.wait()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def test_a_game_goes_on_after_the_server_was_killed(tmp_path: Path) -> None:
    port = free_port()
    asked = {"model": "connect_four", "simulations": 50}
    moves: dict[str, Any] = position("connect_four", "4")
    with serving(tmp_path, port) as process, connect(f"ws://127.0.0.1:{port}/ws") as web:
        moves = Page(web).ask("choose", position=moves, **asked)["state"]["position"]
        Page(web).send("analyse", position=moves, model="connect_four")
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    with serving(tmp_path, port) as process, connect(f"ws://127.0.0.1:{port}/ws") as web:
        page = Page(web)
        assert page.ask("show", position=moves)["position"] == moves
        after = page.ask("choose", position=page.ask("play", position=moves, action="1")["position"], **asked)
        assert len(after["state"]["position"]["moves"]) == 4
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) in (0, 130, -signal.SIGINT)
    assert list(tmp_path.iterdir()) == []


def test_the_server_needs_neither_torch_nor_openvino_to_start() -> None:
    code = (
        "import sys; from tengen.interfaces.web.server import create_app; create_app(); "
        "sys.exit(bool({'torch', 'openvino', 'numba'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_port_that_is_taken_is_said(refused: Any) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert f"port {port}" in refused("serve", "--no-browser", "--port", str(port))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [(("--models", "nowhere"), "nowhere"), (("--port", "99999"), "65535")],
)
def test_what_can_not_be_served_is_said(refused: Any, arguments: tuple[str, ...], said: str) -> None:
    assert said in refused("serve", "--no-browser", *arguments)


def test_games_that_can_not_be_loaded_are_left_out() -> None:
    games, problems = load_each(["no_such_game", "go:size=5", "nowhere/my_game.py", "elsewhere/my_game.py"])
    assert [game.spec.name for game in games] == ["go"]
    assert list(problems) == ["no_such_game", "my_game.py", "elsewhere/my_game.py"]
    assert "no game called 'no_such_game'" in problems["no_such_game"]


def test_help_tells_what_it_does(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        run(["serve", "--help"])
    assert "--no-browser" in capsys.readouterr().out
