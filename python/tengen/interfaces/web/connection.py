"""One page at the other end of a WebSocket: hears requests, hands them to the pool, and sends the answers.

Workers deliver from their own threads. What is to be sent waits in an outbox of bounded size: an analysis that was not
sent yet gives way to a newer one of the same search, and while there is no room nothing more is read. So a page that
reads slowly is told less, and nobody waits for it.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np
from pydantic import BaseModel
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from tengen import Game, TengenError
from tengen.engine import EngineError, Limit
from tengen.interfaces.web.analyses import analysis_word
from tengen.interfaces.web.boards import position_of, state_word
from tengen.interfaces.web.explorers import Explorer
from tengen.interfaces.web.games import Games
from tengen.interfaces.web.limits import (
    Limits,
    MessageTooLargeError,
    SecondsLimitError,
    SimulationsLimitError,
    TooManyExplorersError,
    TooManyRequestsError,
)
from tengen.interfaces.web.messages import (
    Analyse,
    Choose,
    Close,
    Explore,
    MessageError,
    Play,
    Request,
    Show,
    Step,
    Stop,
    parse_request,
    request_id,
)
from tengen.interfaces.web.models import LEVELS, Models
from tengen.interfaces.web.pool import Once, Owner, Pool
from tengen.interfaces.web.searches import Finding, Search, Setting, Trees, choose_action
from tengen.interfaces.web.shapes import AnalysisWord, StateWord, Word

__all__ = ["Connection", "Service"]

logger = logging.getLogger(__name__)

OUTBOX = 32  # answers that wait to be sent; while there are more, nothing is read

Id = int | str | None


class UnknownRequestError(TengenError):
    """Nothing of that id is under way."""


class UnknownExplorerError(TengenError):
    """No explorer of that number is open in this connection."""


class UnknownLevelError(TengenError):
    """No level of that name."""


@dataclass(frozen=True)
class Service:
    """What all connections share."""

    games: Games
    models: Models
    pool: Pool
    trees: Trees
    limits: Limits
    house: Owner = field(default_factory=Owner)  # for what nobody asked for
    warm: set[str] = field(default_factory=set)  # models that were made ready, or are about to be

    def warm_up(self, game: Game) -> None:
        """Makes the model that a page will most likely play with ready, while its visitor looks at the board."""
        name = self.models.names(game)[0]
        if name not in self.warm and not self.models.is_loaded(name):
            self.warm.add(name)
            self.pool.add(self.house, _guarded(lambda: self.models.get(name, game).warm_up(game), logger.error))


class ChosenWord(Word):
    action: int
    text: str
    state: StateWord
    analysis: AnalysisWord


class Outbox:
    """Texts on their way out, the oldest first. For the thread of the event loop only."""

    def __init__(self) -> None:
        self._texts: dict[object, str] = {}
        self._filled = asyncio.Event()
        self._has_room = asyncio.Event()
        self._has_room.set()
        self._closed = False

    def put(self, text: str, *, key: object = None, instead_of: object = None) -> None:
        """Adds a text. One that was put under a `key` gives way to the next of that key, or to one `instead_of` it."""
        self._texts.pop(instead_of, None)
        self._texts[object() if key is None else key] = text
        self._filled.set()
        if len(self._texts) >= OUTBOX:
            self._has_room.clear()

    async def take(self) -> str | None:
        """The next text; None when it was closed."""
        await self._filled.wait()
        if self._closed:
            return None
        text = self._texts.pop(next(iter(self._texts)))
        if not self._texts:
            self._filled.clear()
        if len(self._texts) < OUTBOX:
            self._has_room.set()
        return text

    async def room(self) -> None:
        """Waits until there is room for an answer."""
        await self._has_room.wait()

    def close(self) -> None:
        self._closed = True
        self._filled.set()
        self._has_room.set()


class Connection:
    """Serves one page until it goes."""

    def __init__(self, websocket: WebSocket, service: Service) -> None:
        self._websocket = websocket
        self._service = service
        self._owner = Owner()
        self._outbox = Outbox()
        self._loop = asyncio.get_running_loop()
        self._under_way: dict[int | str, Search | Once] = {}  # requests that a worker will answer
        self._explorers: dict[int, Explorer | None] = {}  # None while it is being made
        self._last_explorer = 0
        self._random = np.random.default_rng()

    async def serve(self) -> None:
        """Until the page goes; then all it had asked for ends."""
        sender = asyncio.create_task(self._send())
        try:
            while (text := await self._next_message()) is not None:
                await self._hear(text)
                await self._outbox.room()
        finally:
            self._service.pool.forget(self._owner)
            self._service.trees.forget(self._owner)
            self._explorers.clear()  # their trees go now, not when the garbage collector comes by
            self._under_way.clear()
            self._outbox.close()
            sender.cancel()
            with suppress(asyncio.CancelledError):
                await sender

    async def _next_message(self) -> str | bytes | None:
        if self._websocket.client_state is not WebSocketState.CONNECTED:
            return None
        message = await self._websocket.receive()
        if message["type"] == "websocket.disconnect":
            return None
        text: str | bytes | None = message.get("text")
        return message.get("bytes", b"") if text is None else text

    async def _send(self) -> None:
        try:
            while (text := await self._outbox.take()) is not None:
                await self._websocket.send_text(text)
        except (WebSocketDisconnect, RuntimeError):  # the page has gone
            self._outbox.close()

    # --- Requests ---------------------------------------------------------------------------------------------------

    async def _hear(self, text: str | bytes) -> None:
        try:
            request = self._parse(text)
        except Exception as error:
            small = isinstance(text, str) and not isinstance(error, MessageTooLargeError)
            self._say("error", request_id(text) if small else None, error_word(error))
            return
        try:
            await self._obey(request)
        except Exception as error:
            self._say("error", request.id, error_word(error))

    def _parse(self, text: str | bytes) -> Request:
        if isinstance(text, bytes):
            raise MessageError("A message is a text, not bytes.")
        limit = self._service.limits.message_bytes
        if len(text) > limit or len(text.encode(errors="replace")) > limit:
            raise MessageTooLargeError(f"A message has at most {limit} bytes.")
        return parse_request(text)

    async def _obey(self, request: Request) -> None:
        match request:
            case Show() | Play():
                self._say("state", request.id, await asyncio.to_thread(self._state, request))
            case Choose():
                self._begin(request.id, self._choice(request))
            case Analyse():
                self._begin(request.id, self._analysis(request))
            case Stop():
                self._stop(request)
            case Explore():
                self._begin(request.id, self._exploration(request))
            case Step():
                self._begin(request.id, self._steps(request))
            case Close():
                self._explorer(request.explorer)
                del self._explorers[request.explorer]
                self._say("closed", request.id, Word())

    def _begin(self, re: int | str, task: Search | Once) -> None:
        self._under_way[re] = task
        self._service.pool.add(self._owner, task)

    def _check_room(self, re: int | str) -> None:
        if re in self._under_way:
            raise MessageError(f"A request with the id {re!r} is under way.")
        if len(self._under_way) >= self._service.limits.requests:
            raise TooManyRequestsError(f"A page has at most {self._service.limits.requests} requests under way.")

    def _state(self, request: Show | Play) -> StateWord:
        state = self._service.games.state(request.position)
        if isinstance(request, Play):
            state = state.play(request.action)
        else:
            self._service.warm_up(state.game)
        return state_word(state, position_of(state, request.position))

    def _stop(self, request: Stop) -> None:
        search = self._under_way.get(request.target)
        if search is None:
            raise UnknownRequestError(f"No request with the id {request.target!r} is under way.")
        if isinstance(search, Search):
            search.stop()
        self._say("stopped", request.id, Word())

    # --- Searches ---------------------------------------------------------------------------------------------------

    def _choice(self, request: Choose) -> Search:
        self._check_room(request.id)
        simulations, temperature = self._strength(request)

        def prepare() -> Setting:
            state = self._service.games.state(request.position)
            if state.outcome is not None:
                raise EngineError("The game is over: there is nothing to play.")
            model = self._service.models.get(request.model, state.game)
            return Setting(self._service.trees.fresh(model, state, simulations), model)

        def answer(finding: Finding) -> None:
            state = finding.analysis.state
            action = choose_action(finding.analysis, temperature, self._random)
            after = state.play(action)
            word = ChosenWord(
                action=action,
                text=state.action_text(action),
                state=state_word(after, position_of(after, request.position)),
                analysis=analysis_word(finding, request.position),
            )
            self._answer("move", request.id, word)

        return self._search(request.id, prepare, Limit(simulations, self._service.limits.seconds), answer)

    def _analysis(self, request: Analyse) -> Search:
        self._check_room(request.id)
        limit = Limit(self._simulations(request.simulations), self._seconds(request.seconds))

        def prepare() -> Setting:
            state = self._service.games.state(request.position)
            model = self._service.models.get(request.model, state.game)
            return Setting(self._service.trees.take(self._owner, model, state), model)

        def answer(finding: Finding) -> None:
            word = analysis_word(finding, request.position)
            self._answer("analysis", request.id, word, final=finding.final)

        def keep(setting: Setting) -> None:
            self._service.trees.give_back(self._owner, setting.model, setting.engine)

        return self._search(request.id, prepare, limit, answer, keep, reports=True)

    def _search(
        self,
        re: int | str,
        prepare: Callable[[], Setting],
        limit: Limit,
        answer: Callable[[Finding], None],
        on_end: Callable[[Setting], None] = lambda setting: None,
        *,
        reports: bool = False,
    ) -> Search:
        return Search(
            prepare,
            limit,
            on_finding=answer,
            on_error=lambda error: self._answer_error(re, error),
            on_end=on_end,
            reports=reports,
            largest_tree=self._service.trees.largest,
        )

    def _strength(self, request: Choose) -> tuple[int, float]:
        """Simulations and temperature, of the level or as given."""
        if (request.level is None) == (request.simulations is None):
            raise MessageError("Say either the level or the number of simulations.")
        if request.simulations is not None:
            return self._simulations(request.simulations), request.temperature or 0.0
        level = next((level for level in LEVELS if level.name == request.level), None)
        if level is None:
            names = ", ".join(level.name for level in LEVELS)
            raise UnknownLevelError(f"There is no level '{request.level}'; there are: {names}.")
        return level.simulations, level.temperature if request.temperature is None else request.temperature

    def _simulations(self, asked: int | None) -> int:
        most = self._service.limits.simulations
        if asked is not None and asked > most:
            raise SimulationsLimitError(f"A search has at most {most} simulations here, not {asked}.")
        return most if asked is None else asked

    def _seconds(self, asked: float | None) -> float:
        most = self._service.limits.seconds
        if asked is not None and asked > most:
            raise SecondsLimitError(f"A search takes at most {most:g} seconds here, not {asked:g}.")
        return most if asked is None else asked

    # --- Explorers --------------------------------------------------------------------------------------------------

    def _exploration(self, request: Explore) -> Once:
        self._check_room(request.id)
        if len(self._explorers) >= self._service.limits.explorers:
            most = self._service.limits.explorers
            raise TooManyExplorersError(f"A page has at most {most} explorers; close one of them.")
        self._last_explorer += 1
        number = self._last_explorer
        self._explorers[number] = None

        def explore() -> None:
            state = self._service.games.state(request.position)
            model = self._service.models.get(request.model, state.game)
            trees = self._service.trees
            explorer = Explorer(number, state, model, request.params, request.seed, largest_tree=trees.largest)
            trees.count(explorer)
            if self._owner.gone:
                return
            self._explorers[number] = explorer
            self._answer("explorer", request.id, explorer.word())

        def fail(error: Exception) -> None:
            self._explorers.pop(number, None)
            self._answer_error(request.id, error)

        return _guarded(explore, fail)

    def _steps(self, request: Step) -> Once:
        self._check_room(request.id)
        explorer = self._explorer(request.explorer)
        return _guarded(
            lambda: self._answer(
                "steps", request.id, explorer.step(request.count, last=request.last, whole=request.whole)
            ),
            lambda error: self._answer_error(request.id, error),
        )

    def _explorer(self, number: int) -> Explorer:
        explorer = self._explorers.get(number)
        if explorer is None:
            raise UnknownExplorerError(f"There is no explorer {number} in this connection; ask for one by 'explore'.")
        return explorer

    # --- Answers ----------------------------------------------------------------------------------------------------

    def _say(self, kind: str, re: Id, word: BaseModel) -> None:
        """From the event loop."""
        self._outbox.put(_text(kind, re, word))

    def _answer(self, kind: str, re: int | str, word: BaseModel, *, final: bool = True) -> None:
        """From a worker. One that is not final may be left out in favour of the next."""
        text = _text(kind, re, word)

        def deliver() -> None:
            if final:
                self._under_way.pop(re, None)
                self._outbox.put(text, instead_of=(kind, re))
            else:
                self._outbox.put(text, key=(kind, re))

        with suppress(RuntimeError):  # the server is on its way out
            self._loop.call_soon_threadsafe(deliver)

    def _answer_error(self, re: int | str, error: Exception) -> None:
        self._answer("error", re, error_word(error))


class ErrorWord(Word):
    error: str
    message: str


def error_word(error: Exception) -> ErrorWord:
    """What is said about an error: its name and its sentence, if it is one of ours."""
    if isinstance(error, TengenError):
        return ErrorWord(error=type(error).__name__, message=str(error))
    logger.error("An unexpected error.", exc_info=error)
    return ErrorWord(error="InternalError", message="Something went wrong in the server; its log tells more.")


def _guarded(do: Callable[[], None], fail: Callable[[Exception], None]) -> Once:
    def attempt() -> None:
        try:
            do()
        except Exception as error:
            fail(error)

    return Once(attempt)


def _text(kind: str, re: Id, word: BaseModel) -> str:
    head = json.dumps({"type": kind, "re": re})
    body = word.model_dump_json()
    return f"{head[:-1]}, {body[1:]}" if body != "{}" else head
