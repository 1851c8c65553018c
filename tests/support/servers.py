"""A real server on a free port, in a thread, and a client that asks it one thing after the other."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import uvicorn
from websockets.sync.client import ClientConnection, connect

from tengen.interfaces.web.connection import Service
from tengen.interfaces.web.listening import server_config
from tengen.interfaces.web.server import create_app

PATIENCE = 120.0  # seconds; only a server that does not answer at all makes anyone wait for so long


class Server:
    def __init__(self, port: int, service: Service) -> None:
        self.host = f"127.0.0.1:{port}"
        self.service = service

    @contextmanager
    def page(self, **options: Any) -> Iterator["Page"]:
        with connect(f"ws://{self.host}/ws", max_size=None, compression=None, **options) as socket:
            yield Page(socket)

    def get(self, path: str, **headers: str) -> httpx.Response:
        return httpx.get(f"http://{self.host}{path}", headers=headers)

    def post(self, path: str, content: object, **headers: str) -> httpx.Response:
        return httpx.post(f"http://{self.host}{path}", json=content, headers=headers)


class Page:
    """One connection."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self._last_id = 0

    def send(self, kind: str, **fields: Any) -> int:
        self._last_id += 1
        self.socket.send(json.dumps({"type": kind, "id": self._last_id, **fields}))
        return self._last_id

    def hear(self) -> dict[str, Any]:
        answer = json.loads(self.socket.recv(PATIENCE))
        assert isinstance(answer, dict)
        return answer

    def answers(self, re: int) -> list[dict[str, Any]]:
        """All answers to a request; those to others are passed over."""
        found = []
        while not found or (found[-1]["type"] == "analysis" and not found[-1]["final"]):
            answer = self.hear()
            if answer["re"] == re:
                found.append(answer)
        return found

    def ask(self, kind: str, **fields: Any) -> dict[str, Any]:
        """The last answer to a request."""
        return self.answers(self.send(kind, **fields))[-1]


def position(game: str, moves: str = "", **options: float) -> dict[str, Any]:
    return {"game": game, "options": options, "start": "", "moves": moves.split()}


@contextmanager
def served(**settings: Any) -> Iterator[Server]:
    """A server with these arguments of create_app."""
    app = create_app(**settings)
    config = server_config(app, app.state.service.limits, port=0, log_level="error")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.01)
    try:
        yield Server(server.servers[0].sockets[0].getsockname()[1], app.state.service)
    finally:
        server.should_exit = True
        thread.join()
