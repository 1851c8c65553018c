"""The server: HTTP and the WebSocket of docs/web.md, for pages of its own only.

It keeps no games. Besides requests under way it has networks that are loaded, trees that may be asked about again, and
the runs that it started.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict
from pathlib import Path

from fastapi import FastAPI, Request, WebSocket
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, HTMLResponse, JSONResponse, Response
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException

import tengen
from tengen import Game, TengenError
from tengen.interfaces.web.boards import board_word
from tengen.interfaces.web.connection import Connection, ErrorWord, Service, error_word
from tengen.interfaces.web.games import Games
from tengen.interfaces.web.guard import Guard
from tengen.interfaces.web.limits import Limits, TooManyConnectionsError
from tengen.interfaces.web.models import DEFAULT_LEVEL, LEVELS, Models
from tengen.interfaces.web.pool import Pool
from tengen.interfaces.web.searches import Trees
from tengen.interfaces.web.words import BoardWord, LevelWord, Word

__all__ = ["create_app"]

STATIC = Path(__file__).parent / "static"
NO_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>tengen</title>
<p>The page is not part of this installation; the server is: <a href="/api/games">/api/games</a>."""


class GameWord(Word):
    name: str
    title: str
    summary: str
    options: dict[str, bool | int | float]  # with their defaults
    board: BoardWord  # with these options
    models: list[str]  # the one to take without being told first
    levels: list[LevelWord]
    default_level: str


class AboutWord(Word):
    version: str
    threads: int
    evaluator: str
    limits: dict[str, int | float]


def create_app(
    *,
    files: Sequence[Game] = (),
    model_folders: Sequence[Path] = (),
    runs: Path = Path("runs"),
    hosts: Sequence[str] = (),
    limits: Limits | None = None,
) -> FastAPI:
    """The server as an ASGI application. `hosts` are names, besides addresses and localhost, that it answers to."""
    limits = limits or Limits()
    threads = os.cpu_count() or 1
    service = Service(Games(files), Models(model_folders, runs), Pool(threads), Trees(limits.tree_bytes), limits)
    connections: set[WebSocket] = set()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        service.pool.close()

    app = FastAPI(title="tengen", version=tengen.__version__, docs_url=None, redoc_url=None, lifespan=lifespan)
    app.state.service = service
    app.add_middleware(Guard, hosts=hosts, body_bytes=limits.body_bytes)

    @app.exception_handler(TengenError)
    def refuse(request: Request, error: TengenError) -> Response:
        return _refusal(400, error_word(error))

    @app.exception_handler(RequestValidationError)
    def refuse_body(request: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        return _refusal(422, ErrorWord(error="RequestError", message=f"{where}: {first['msg']}"))

    @app.exception_handler(HTTPException)
    def refuse_path(request: Request, error: HTTPException) -> Response:
        word = ErrorWord(error="RequestError", message=f"{request.url.path}: {error.detail}.")
        return JSONResponse(word.model_dump(), error.status_code, error.headers)

    @app.get("/api/games")
    def games() -> list[GameWord]:
        return [_game_word(service, name) for name in service.games.names()]

    @app.get("/api/about")
    def about() -> AboutWord:
        return AboutWord(
            version=tengen.__version__, threads=threads, evaluator="one thread a search", limits=asdict(limits)
        )

    @app.websocket("/ws")
    async def talk(websocket: WebSocket) -> None:
        await websocket.accept()
        if len(connections) >= limits.connections:
            error = TooManyConnectionsError(f"This server has {limits.connections} pages open; close one of them.")
            await websocket.send_json({"type": "error", "re": None, **error_word(error).model_dump()})
            await websocket.close(code=1013)  # try again later
            return
        connections.add(websocket)
        try:
            await Connection(websocket, service).serve()
        finally:
            connections.discard(websocket)

    _serve_page(app)
    return app


def _game_word(service: Service, name: str) -> GameWord:
    game = service.games.load(name)
    return GameWord(
        name=name,
        title=service.games.title(name),
        summary=service.games.summary(name),
        options=service.games.options(name),
        board=board_word(game),
        models=service.models.names(game),
        levels=list(LEVELS),
        default_level=DEFAULT_LEVEL,
    )


def _refusal(status: int, word: ErrorWord) -> Response:
    return JSONResponse(word.model_dump(), status)


def _serve_page(app: FastAPI) -> None:
    @app.get("/", include_in_schema=False)
    def page() -> Response:
        index = STATIC / "index.html"
        return FileResponse(index) if index.exists() else HTMLResponse(NO_PAGE)

    app.mount("/", StaticFiles(directory=STATIC, check_dir=False))
