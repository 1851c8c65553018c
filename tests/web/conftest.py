"""A server and a real browser for the tests of the page. What a page complains about in its console fails the test."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Playwright, sync_playwright

START_SECONDS = 60
CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--headless",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
WIDE = {"width": 1200, "height": 850}


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


@dataclass
class Server:
    """`tengen serve` in a process of its own, at a port that stays the same when it is started anew."""

    runs: Path
    port: int = field(default_factory=_free_port)
    _process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    def start(self) -> None:
        command = [sys.executable, "-c", "from tengen.interfaces.cli import main; main()", "serve", "--no-browser"]
        self._process = subprocess.Popen([*command, "--port", str(self.port), "--runs", str(self.runs)])
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


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One for all tests; one that kills it starts it again."""
    server = Server(tmp_path_factory.mktemp("runs"))
    server.start()
    yield server
    server.kill()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = _launch(playwright)
        yield browser
        browser.close()


@pytest.fixture
def complaints() -> list[str]:
    """What pages wrote into their console as an error. A test that makes some on purpose takes them out."""
    return []


@pytest.fixture
def page(browser: Browser, server: Server, complaints: list[str]) -> Iterator[Page]:
    """A browser that was never here before; `page.goto("#/play")` is a place on the page."""
    context = browser.new_context(base_url=server.address, viewport=WIDE, accept_downloads=True)
    context.set_default_timeout(20_000)
    page = context.new_page()
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: _stays_here(request.url, complaints))
    yield page
    context.close()
    assert complaints == []


def _stays_here(url: str, complaints: list[str]) -> None:
    if not url.startswith(("http://127.0.0.1", "ws://127.0.0.1", "data:", "blob:")):
        complaints.append(f"loaded from elsewhere: {url}")


def _launch(playwright: Playwright) -> Browser:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or "/usr/bin/chromium"
    return playwright.chromium.launch(executable_path=chromium, args=CHROMIUM_FLAGS)
