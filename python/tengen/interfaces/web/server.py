"""The server: HTTP and the WebSocket of docs/web.md, for pages of its own only.

It keeps no games. Besides requests under way it has networks that are loaded, trees that may be asked about again, and
the runs that it started.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request, WebSocket
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, Response
from fastapi.staticfiles import StaticFiles
from pydantic import Field
from starlette.exceptions import HTTPException
from starlette.types import Scope

import tengen
from tengen import Game, TengenError
from tengen.games.sgf import read_sgf, write_sgf
from tengen.interfaces.web.boards import board_word, state_word
from tengen.interfaces.web.connection import Connection, ErrorWord, Service, error_word
from tengen.interfaces.web.games import Games
from tengen.interfaces.web.guard import Guard
from tengen.interfaces.web.limits import Limits, TooManyConnectionsError
from tengen.interfaces.web.models import DEFAULT_LEVEL, LEVELS, Models
from tengen.interfaces.web.pool import Pool
from tengen.interfaces.web.runs import (
    GamesOfRun,
    Resume,
    RunDetails,
    Runs,
    RunStateError,
    RunSummary,
    StartRun,
    UnknownRunError,
)
from tengen.interfaces.web.searches import Trees
from tengen.interfaces.web.shapes import Asked, BoardWord, LevelWord, Position, Word

__all__ = ["create_app"]

STATIC = Path(__file__).parent / "static"
NO_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>tengen</title>
<p>The page is not part of this installation; the server is: <a href="/api/games">/api/games</a>."""


STATUS = {UnknownRunError: 404, RunStateError: 409}  # of errors; the others are 400
REFUSED: dict[int | str, dict[str, Any]] = {
    status: {"model": ErrorWord, "description": meaning}
    for status, meaning in ((400, "refused"), (404, "no such thing"), (409, "not now"), (422, "no such request"))
}


class SgfText(Asked):
    text: str = Field(max_length=200_000)


class PositionWord(Asked):
    position: Position


class GameWord(Word):
    name: str
    title: str
    summary: str
    problem: str | None  # why the page can't show this game; then it has no board and no models
    options: dict[str, bool | int | float]  # as the first network knows the game; without one the defaults
    board: BoardWord | None  # with these options
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
    broken: Mapping[str, str] | None = None,
    model_folders: Sequence[Path] = (),
    runs: Path = Path("runs"),
    hosts: Sequence[str] = (),
    limits: Limits | None = None,
    workers: int | None = None,
    train_command: Sequence[str] | None = None,
) -> FastAPI:
    """The server as an ASGI application. `hosts` are names, besides addresses and localhost, that it answers to.

    `files` are games besides the built-in ones, `broken` are games that could not be loaded, with the reason.
    `workers` search at a time, by default one for each core; `train_command` is what runs are started with, in place
    of `python -m tengen`.
    """
    limits = limits or Limits()
    workers = workers or os.cpu_count() or 1
    games_of_page = Games(files, broken)
    service = Service(games_of_page, Models(model_folders, runs), Pool(workers), Trees(limits.tree_bytes), limits)
    known_runs = Runs(runs, service.games, limits.runs, train_command)
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
        return _refusal(STATUS.get(type(error), 400), error_word(error))

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
        return [
            *(_game_word(service, name) for name in service.games.names()),
            *(_problem_word(name, problem) for name, problem in service.games.broken.items()),
        ]

    @app.get("/api/about")
    def about() -> AboutWord:
        return AboutWord(version=tengen.__version__, threads=workers, evaluator=_evaluator(), limits=asdict(limits))

    @app.post("/api/sgf/read", responses=REFUSED)
    def position_of_sgf(asked: SgfText) -> PositionWord:
        _, state = read_sgf(asked.text)
        return PositionWord(position=service.games.position(state))

    @app.post("/api/sgf/write", responses=REFUSED)
    def sgf_of_position(asked: PositionWord) -> SgfText:
        return SgfText(text=write_sgf(service.games.state(asked.position)))

    @app.get("/api/runs")
    def all_runs() -> list[RunSummary]:
        return known_runs.summaries()

    @app.get("/api/runs/{name}", responses=REFUSED)
    def one_run(name: str, after: int = 0) -> RunDetails:
        return known_runs.details(name, after)

    @app.get("/api/runs/{name}/games", responses=REFUSED)
    def games_of_run(name: str) -> GamesOfRun:
        return known_runs.games(name)

    @app.post("/api/runs", status_code=201, responses=REFUSED)
    def start_run(asked: StartRun) -> RunDetails:
        return known_runs.start(asked)

    @app.post("/api/runs/{name}/stop", responses=REFUSED)
    def stop_run(name: str) -> RunDetails:
        return known_runs.stop(name)

    @app.post("/api/runs/{name}/resume", responses=REFUSED)
    def resume_run(name: str, asked: Resume | None = None) -> RunDetails:
        return known_runs.resume(name, asked or Resume())

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
    """A game that fails fails alone, with a sentence in its place."""
    games, models = service.games, service.models
    try:
        options = games.options(name, models.trained_on(games.load(name)))
        game = games.load(name, options)
        state_word(game.initial_state(), Position(game=name, options=options))  # rules that fail do so here
        return GameWord(
            name=name,
            title=games.title(name),
            summary=games.summary(name),
            problem=None,
            options=options,
            board=board_word(game),
            models=models.names(game),
            levels=list(LEVELS),
            default_level=DEFAULT_LEVEL,
        )
    except Exception as error:
        return _problem_word(name, error_word(error).message, games.title(name))


def _problem_word(name: str, problem: str, title: str | None = None) -> GameWord:
    return GameWord(
        name=name,
        title=title or name,
        summary="",
        problem=problem,
        options={},
        board=None,
        models=[],
        levels=[],
        default_level=DEFAULT_LEVEL,
    )


def _evaluator() -> str:
    """What computes networks here, in a few words; nothing is imported for that."""
    found = [
        name for package, name in (("openvino", "OpenVINO"), ("torch", "torch")) if importlib.util.find_spec(package)
    ]
    return f"{found[0]}, one thread a search" if found else "none: install OpenVINO or torch to play with a network"


def _refusal(status: int, word: ErrorWord) -> Response:
    return JSONResponse(word.model_dump(), status)


class _Page(StaticFiles):
    """The page's files. What looks like a question to the API is none of them, however its dots are written."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        if scope["path"].startswith("/api/"):
            raise HTTPException(404)
        return await super().get_response(path, scope)


def _serve_page(app: FastAPI) -> None:
    if (STATIC / "index.html").exists():
        app.mount("/", _Page(directory=STATIC, html=True))
        return

    @app.get("/", include_in_schema=False)
    def no_page() -> Response:
        return HTMLResponse(NO_PAGE)
