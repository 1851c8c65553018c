"""A server that others in the network can reach: only those who have its link are answered, and nobody takes it all."""

import contextlib
import os
import pty
import re
import select
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
import segno
from servers import PATIENCE, Page, Server, position, served
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from tengen.interfaces.cli.serve import is_loopback, qr_code
from tengen.interfaces.web.limits import Limits

TOKEN = "a-token-of-the-session"


@pytest.fixture(scope="module")
def open_server() -> Iterator[Server]:
    with served(token=TOKEN) as server:
        yield server


def cookie(server: Server, token: str = TOKEN) -> str:
    return f"tengen_token_{server.host.partition(':')[2]}={token}"


@pytest.mark.parametrize("path", ["/", "/api/games", "/api/about", "/assets/app.js", "/openapi.json", "/api/runs"])
def test_a_stranger_is_told_nothing(open_server: Server, path: str) -> None:
    for asked in (
        path,
        f"{path}?token=",
        f"{path}?token={TOKEN[:-1]}",
        f"{path}?token={TOKEN}x",
        f"{path}?Token={TOKEN}",
    ):
        answer = open_server.get(asked)
        assert (answer.status_code, answer.json()["error"]) == (403, "TokenError"), asked
    assert open_server.get(path, Cookie=cookie(open_server, "wrong")).status_code == 403


def test_a_stranger_starts_no_run(open_server: Server) -> None:
    answer = open_server.post("/api/runs", {"game": "tic_tac_toe", "minutes": 1})
    assert (answer.status_code, answer.json()["error"]) == (403, "TokenError")


@pytest.mark.parametrize("ending", ["", "?token=wrong", "?token=%ff", "?token=&token="])
def test_a_stranger_has_no_websocket(open_server: Server, ending: str) -> None:
    with pytest.raises(InvalidStatus) as refused, connect(f"ws://{open_server.host}/ws{ending}"):
        pass
    assert refused.value.response.status_code == 403


def test_the_link_lets_a_browser_in(open_server: Server) -> None:
    with httpx.Client(base_url=f"http://{open_server.host}") as browser:
        first = browser.get(f"/?token={TOKEN}&game=go")
        assert (first.status_code, first.headers["location"]) == (303, "/?game=go")
        assert first.headers["cache-control"] == "no-store"
        kept = first.headers["set-cookie"].lower()
        assert "httponly" in kept
        assert "samesite=strict" in kept
        assert browser.get("/").status_code == 200
        assert browser.get("/api/games").status_code == 200
        with connect(f"ws://{open_server.host}/ws", additional_headers={"Cookie": cookie(open_server)}) as socket:
            assert Page(socket).ask("show", position=position("tic_tac_toe"))["type"] == "state"


def test_a_program_gives_the_token_in_the_address(open_server: Server) -> None:
    assert open_server.get(f"/api/about?token={TOKEN}").status_code == 200
    with connect(f"ws://{open_server.host}/ws?token={TOKEN}") as socket:
        assert Page(socket).ask("show", position=position("tic_tac_toe"))["type"] == "state"


def test_a_page_of_another_origin_is_refused_even_with_the_cookie(open_server: Server) -> None:
    answer = open_server.get("/api/about", Cookie=cookie(open_server), Origin="http://evil.example")
    assert (answer.status_code, answer.json()["error"]) == (403, "OriginError")


@pytest.mark.parametrize("header", ["=", "a" * 5000, 'x="\\', "tengen_token=\x80", ";;;=;"])
def test_cookies_of_any_kind(open_server: Server, header: str) -> None:
    answer = httpx.get(f"http://{open_server.host}/api/about", headers={"Cookie": header.encode("latin-1")})
    assert answer.json()["error"] == "TokenError"


@pytest.mark.parametrize(
    ("host", "here"),
    [
        *(("127.0.0.1", True), ("127.8.8.8", True), ("::1", True), ("localhost", True), ("0.0.0.0", False)),
        *(("::", False), ("192.168.1.5", False), ("my-machine", False), ("localhost.evil.example", False)),
    ],
)
def test_which_addresses_are_this_machine_only(host: str, here: bool) -> None:
    assert is_loopback(host) == here


def read_opening(terminal: int) -> tuple[str, re.Match[str] | None]:
    """What the command says, up to the last line of the picture; all it said if it ends before or says no more."""
    said, link = b"", None
    with contextlib.suppress(OSError):  # the command has ended
        while select.select([terminal], [], [], PATIENCE)[0]:
            said += os.read(terminal, 1 << 16)
            text = said.decode(errors="ignore").replace("\r", "")
            link = re.search(r"tengen is at (http://\S+/\?token=[\w-]{22}) ", text)
            if link is not None and qr_code(link[1]) in text:
                break
    return said.decode(errors="ignore").replace("\r", ""), link


def test_the_command_prints_a_link_with_a_token_and_its_picture(tmp_path: Path) -> None:
    main, terminal = pty.openpty()
    command = [sys.executable, "-m", "tengen", "serve", "--no-browser", "--port", "0", "--host", "0.0.0.0"]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=terminal, stderr=terminal)
    os.close(terminal)
    try:
        text, link = read_opening(main)
        assert link is not None, text
        assert "start and stop training runs" in text
        assert "not encrypted" in text
        port = link[1].partition("//")[2].partition("/")[0].rpartition(":")[2]
        end = f"127.0.0.1:{port}"
        assert httpx.get(f"http://{end}/api/about").json()["error"] == "TokenError"
        token = link[1].rpartition("=")[2]
        assert httpx.get(f"http://{end}/api/about?token={token}").status_code == 200
        assert qr_code(link[1]) in text
    finally:
        process.kill()
        process.wait()
        os.close(main)


def test_the_picture_is_the_link() -> None:
    """Every character of the terminal is two modules, one above the other."""
    link = "http://192.168.1.5:8000/?token=abcdefghijklmnopqrstuv"
    rows = re.sub(r"\x1b\[[0-9;]*m", "", qr_code(link)).split("\n")
    light = {"█": (1, 1), "▀": (1, 0), "▄": (0, 1), " ": (0, 0)}
    read = [[light[character][half] for character in row] for row in rows for half in (0, 1)]
    expected = [list(row) for row in segno.make(link, error="l", micro=False).matrix_iter(border=2)]
    assert [[1 - module for module in row] for row in read[: len(expected)]] == expected


def test_a_request_must_arrive_in_time() -> None:
    with served(limits=Limits(request_seconds=0.3)) as server:
        host, port = server.host.split(":")
        for begun in (b"", b"GET / HTT", b"GET /api/about HTTP/1.1\r\nHost: localhost\r\nX-Slow: "):
            with socket.create_connection((host, int(port))) as slow:
                slow.sendall(begun)
                slow.settimeout(PATIENCE)
                with contextlib.suppress(ConnectionResetError):
                    assert slow.recv(1) == b""
        body = b"POST /api/records/read HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nx"
        with socket.create_connection((host, int(port))) as slow:
            slow.sendall(body)
            slow.settimeout(PATIENCE)
            with contextlib.suppress(ConnectionResetError):
                assert slow.recv(1) == b""
        with server.page() as page:  # a page is not a request: it stays
            time.sleep(0.5)
            assert page.ask("show", position=position("tic_tac_toe"))["type"] == "state"


def answers(server: Server) -> bool:
    try:
        return server.get("/api/about").status_code == 200
    except httpx.TransportError:
        return False


def test_a_server_has_so_many_connections() -> None:
    with served(limits=Limits(http_connections=3)) as server:
        host, port = server.host.split(":")
        with contextlib.ExitStack() as held:
            for _ in range(3):
                held.enter_context(socket.create_connection((host, int(port))))
            assert not all(answers(server) for _ in range(100))  # the three may not have been noticed yet
        assert any(answers(server) for _ in range(1000))  # they are gone


def test_long_headers_are_refused(open_server: Server) -> None:
    with contextlib.suppress(httpx.TransportError):  # it may close before all of it was sent
        answer = httpx.get(f"http://{open_server.host}/api/about?token={TOKEN}", headers={"X-Long": "x" * 200_000})
        assert answer.status_code == 400
