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
from typing import Annotated, Any

from fastapi import FastAPI, Query, Request, WebSocket
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, Response
from fastapi.staticfiles import StaticFiles
from pydantic import Field
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.types import Scope

import tengen
from tengen import Game, TengenError
from tengen.games.trees import MOST_MOVES, GameTree, TreeMove, read_tree, write_tree
from tengen.interfaces.web.boards import board_word, state_word
from tengen.interfaces.web.connection import Connection, ErrorWord, Service, error_word
from tengen.interfaces.web.games import Games
from tengen.interfaces.web.guard import Guard
from tengen.interfaces.web.limits import Limits, TooManyConnectionsError
from tengen.interfaces.web.models import DEFAULT_LEVEL, LEVELS, Models
from tengen.interfaces.web.openings import AskOpenings, OpeningsWord
from tengen.interfaces.web.pool import Pool
from tengen.interfaces.web.run_settings import SettingsWord, settings_word
from tengen.interfaces.web.runs import (
    GamesOfRun,
    Rename,
    Resume,
    RunDetails,
    Runs,
    RunStateError,
    RunSummary,
    StartRun,
    UnknownRunError,
)
from tengen.interfaces.web.searches import Trees
from tengen.interfaces.web.shapes import ActionText, Asked, BoardWord, LevelWord, Name, Position, Word

__all__ = ["create_app"]

STATIC = Path(__file__).parent / "static"
NO_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>tengen</title>
<p>The page is not part of this installation; the server is: <a href="/api/games">/api/games</a>."""


STATUS = {UnknownRunError: 404, RunStateError: 409}  # of errors; the others are 400
REFUSED: dict[int | str, dict[str, Any]] = {
    status: {"model": ErrorWord, "description": meaning}
    for status, meaning in ((400, "refused"), (404, "no such thing"), (409, "not now"), (422, "no such request"))
}


Minutes = Annotated[float, Query(gt=0.0, le=100_000.0)]


class RecordText(Asked):
    text: str = Field(max_length=200_000)


class WrittenRecord(Word):
    text: str


class TreeEntry(Asked):
    parent: int = Field(ge=-1, lt=MOST_MOVES)  # -1: the start, which is the first entry
    text: ActionText
    comment: str = Field(default="", max_length=20_000)
    notation: ActionText = ""


class Record(Asked):
    """A game with its variations. Of a game that was read, the position is the end of the main line."""

    position: Position
    tree: list[TreeEntry] = Field(max_length=MOST_MOVES)


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
    token: str | None = None,
    limits: Limits | None = None,
    workers: int | None = None,
    train_command: Sequence[str] | None = None,
) -> FastAPI:
    """The server as an ASGI application. `hosts` are names, besides addresses and localhost, that it answers to.
    With a `token` it answers only those who have it.

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
    app.add_middleware(Guard, hosts=hosts, body_bytes=limits.body_bytes, token=token)

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

    _serve_records(app, service)
    _serve_changes(app, service, known_runs)
    _serve_page(app)
    return app


def _serve_records(app: FastAPI, service: Service) -> None:
    """Games in and out, with their variations."""

    @app.post("/api/records/read", responses=REFUSED)
    def read_record(asked: RecordText) -> Record:
        read = read_tree(asked.text)
        entries = [
            TreeEntry(parent=move.parent, text=move.text, comment=move.comment[:20_000], notation=move.notation)
            for move in read.moves
        ]
        return Record(position=service.games.position(read.main_line), tree=entries)

    @app.post("/api/records/write", responses=REFUSED)
    def write_record(asked: Record) -> WrittenRecord:
        """As PGN for chess, else as SGF. The moves of the position do not matter, its start does."""
        start = service.games.state(asked.position.model_copy(update={"moves": []}))
        entries = tuple(TreeMove(entry.parent, entry.text, entry.comment) for entry in asked.tree)
        return WrittenRecord(text=write_tree(GameTree(start, entries)))


def _serve_changes(app: FastAPI, service: Service, known_runs: Runs) -> None:
    """What can be set before a run is started, what it played, and what can be changed after it has ended."""

    @app.get("/api/settings", responses=REFUSED)
    def settings_of_run(game: Name, minutes: Minutes = 5.0, preset: Name | None = None) -> SettingsWord:
        return settings_word(service.games.load(game), minutes, preset)

    @app.post("/api/runs/{name}/openings", responses=REFUSED)
    def openings_of_run(name: str, asked: AskOpenings) -> OpeningsWord:
        return known_runs.openings(name, asked.position)

    @app.post("/api/runs/{name}/rename", responses=REFUSED)
    def rename_run(name: str, asked: Rename) -> RunDetails:
        return known_runs.rename(name, asked)

    @app.delete("/api/runs/{name}", status_code=204, responses=REFUSED)
    def delete_run(name: str) -> None:
        known_runs.delete(name)


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
        app.mount("/", GZipMiddleware(_Page(directory=STATIC, html=True), minimum_size=1000))
        return

    @app.get("/", include_in_schema=False)
    def no_page() -> Response:
        return HTMLResponse(NO_PAGE)
