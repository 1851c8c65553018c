"""`tengen serve` in a process of its own, for the tests that open it in a browser."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path

START_SECONDS = 120


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


@dataclass
class Site:
    """A server at a port that stays the same when it is started anew."""

    runs: Path
    games: tuple[str, ...] = ()  # besides the built-in ones
    port: int = field(default_factory=_free_port)
    _process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    def start(self) -> None:
        command = [sys.executable, "-c", "from tengen.interfaces.cli import main; main()", "serve", "--no-browser"]
        games = [word for game in self.games for word in ("--game", game)]
        self._process = subprocess.Popen([*command, "--port", str(self.port), "--runs", str(self.runs), *games])
        give_up = time.monotonic() + START_SECONDS
        while True:
            try:
                urllib.request.urlopen(f"{self.address}api/about").close()
                return
            except OSError:
                assert self._process.poll() is None, "the server ended"
                assert time.monotonic() < give_up, "the server does not answer"
                time.sleep(0.1)

    def kill(self) -> None:
        assert self._process is not None
        self._process.kill()
        self._process.wait()
