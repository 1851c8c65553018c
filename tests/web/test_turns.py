"""Nobody starves: the pool takes turns, and a page that asks for much or does not read waits for itself."""

import asyncio
import json
import threading
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from servers import PATIENCE, position
from starlette.websockets import WebSocketState

from tengen import Evaluation, SearchParams
from tengen.interfaces.web import searches
from tengen.interfaces.web.connection import OUTBOX, Connection, Service
from tengen.interfaces.web.games import Games
from tengen.interfaces.web.limits import Limits
from tengen.interfaces.web.models import Model, Models
from tengen.interfaces.web.pool import Once, Owner, Pool
from tengen.interfaces.web.searches import Trees


class Counting:
    """A task of some turns that writes down each of them."""

    def __init__(self, name: str, turns: int, book: list[str]) -> None:
        self.name, self.left, self.book = name, turns, book

    def turn(self) -> bool:
        self.book.append(self.name)
        self.left -= 1
        return self.left > 0


@pytest.fixture
def pool() -> Iterator[Pool]:
    """With one worker, so that turns come one after the other."""
    pool = Pool(1)
    yield pool
    pool.close()


def test_owners_take_turns_however_much_they_ask_for(pool: Pool) -> None:
    book: list[str] = []
    gate = threading.Event()
    pool.add(Owner(), Once(lambda: bool(gate.wait(PATIENCE)) or None))
    greedy, modest, late = Owner(), Owner(), Owner()
    for name in ("g1", "g2", "g3"):
        pool.add(greedy, Counting(name, 3, book))
    pool.add(modest, Counting("m", 3, book))
    pool.add(late, Counting("l", 2, book))
    gate.set()
    assert pool.wait_until_idle(PATIENCE)
    assert book == ["g1", "m", "l", "g2", "m", "l", "g3", "m", "g1", "g2", "g3", "g1", "g2", "g3"]


def test_an_owner_who_has_gone_gets_no_more_turns(pool: Pool) -> None:
    book: list[str] = []
    owner = Owner()
    leaves = Once(lambda: pool.forget(owner))
    pool.add(owner, Counting("a", 10**9, book))
    pool.add(Owner(), leaves)
    assert pool.wait_until_idle(PATIENCE)
    pool.add(owner, Counting("b", 1, book))
    assert pool.wait_until_idle(0.0)


def test_a_task_that_fails_does_not_end_its_worker(pool: Pool) -> None:
    done = threading.Event()
    pool.add(Owner(), Once(lambda: 1 // 0))  # type: ignore[arg-type, return-value]
    pool.add(Owner(), Once(done.set))
    assert done.wait(PATIENCE)


# --- Connections, with the other end of the WebSocket in our hands


class FakeSocket:
    """A WebSocket whose page sends what the test says and reads only while `reads` is set."""

    client_state = WebSocketState.CONNECTED

    def __init__(self) -> None:
        self.incoming: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.heard: list[dict[str, Any]] = []
        self.reads = asyncio.Event()
        self.reads.set()
        self.taken = 0  # messages that the server has read

    def send(self, kind: str, **fields: Any) -> None:
        self.incoming.put_nowait({"type": "websocket.receive", "text": json.dumps({"type": kind, **fields})})

    def leave(self) -> None:
        self.incoming.put_nowait({"type": "websocket.disconnect"})

    async def receive(self) -> dict[str, Any]:
        message = await self.incoming.get()
        self.taken += 1
        return message

    async def send_text(self, text: str) -> None:
        await self.reads.wait()
        self.heard.append(json.loads(text))

    async def wait_for(self, kind: str, re: int) -> dict[str, Any]:
        while True:
            for answer in self.heard:
                if (answer["type"], answer["re"]) == (kind, re):
                    return answer
            await asyncio.sleep(0.005)


class Witness:
    """In place of a network: knows nothing, but writes down a board of every batch it is asked about."""

    network = SimpleNamespace(has_ownership=False, has_score=False)

    def __init__(self) -> None:
        self.boards: list[bytes] = []

    def __call__(self, planes: np.ndarray[Any, Any], /) -> Evaluation:
        self.boards.append(planes[0].tobytes())
        return Evaluation(np.zeros((len(planes), 225), np.float32), np.zeros(len(planes), np.float32))


class OneModel(Models):
    """Whatever is asked for, it is that one."""

    def __init__(self, evaluator: Any) -> None:
        super().__init__()
        self._evaluator = evaluator

    def get(self, name: str, game: Any) -> Model:
        return Model(name, SearchParams(), self._evaluator)


@pytest.fixture
def service() -> Iterator[Service]:
    pool = Pool(1)
    yield Service(Games(), OneModel(Witness()), pool, Trees(1 << 28), Limits())
    pool.close()


def run_with(service: Service, pages: int, script: Any) -> None:
    """Runs a script with so many pages connected."""

    async def main() -> None:
        sockets = [FakeSocket() for _ in range(pages)]
        tasks = [asyncio.create_task(Connection(socket, service).serve()) for socket in sockets]  # type: ignore[arg-type]
        await asyncio.wait_for(script(*sockets), PATIENCE)
        for socket in sockets:
            socket.reads.set()
            socket.leave()
        await asyncio.wait_for(asyncio.gather(*tasks), PATIENCE)

    asyncio.run(main())


def test_a_greedy_page_gets_one_turn_for_each_of_the_others(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted in batches, not by a clock: a turn is one batch here."""
    monkeypatch.setattr(searches, "TURN_SECONDS", 0.0)
    gate = threading.Event()
    service.pool.add(Owner(), Once(lambda: bool(gate.wait(PATIENCE)) or None))

    async def script(greedy: FakeSocket, *others: FakeSocket) -> None:
        for number in range(8):
            greedy.send("analyse", id=number, position=position("gomoku", f"a{number + 1}"), model="x")
        for number, other in enumerate(others):
            asked = {"position": position("gomoku", f"o{number + 1}"), "model": "x", "simulations": 320}
            other.send("choose", id=0, **asked)
        while service.pool.waiting() < 12:
            await asyncio.sleep(0.005)
        gate.set()
        for other in others:
            await other.wait_for("move", 0)

    run_with(service, 5, script)
    games = Games()
    roots = [games.load("gomoku").state(f"o{number + 1}").planes() for number in range(4)]
    boards = service.models._evaluator.boards  # type: ignore[attr-defined]
    # Stones never leave the board: a leaf belongs to the page whose first stone it has.
    owners = [owner_of(np.frombuffer(board, np.float32).reshape(2, 15, 15), roots) for board in boards]
    last = max(index for index, owner in enumerate(owners) if owner is not None)
    turns = [owners[: last + 1].count(number) for number in range(4)]
    greedy_turns = owners[: last + 1].count(None)
    assert max(turns) - min(turns) <= 1
    assert greedy_turns <= max(turns) + 2 * 8  # the first turn of a search asks about its root besides


def owner_of(board: Any, roots: list[Any]) -> int | None:
    stones = board.sum(0)
    return next((number for number, root in enumerate(roots) if (stones >= root.sum(0)).all()), None)


def test_a_page_that_does_not_read_is_told_less_and_keeps_nobody_waiting(service: Service) -> None:
    async def script(deaf: FakeSocket, other: FakeSocket) -> None:
        deaf.reads.clear()
        deaf.send("analyse", id=-1, position=position("gomoku"), model="x")
        for number in range(5 * OUTBOX):
            deaf.send("show", id=number, position=position("tic_tac_toe"))
        other.send("choose", id=0, position=position("gomoku"), model="x", simulations=100)
        await other.wait_for("move", 0)
        for number in range(3 * OUTBOX):
            other.send("show", id=number, position=position("tic_tac_toe"))
        await other.wait_for("state", 3 * OUTBOX - 1)
        assert deaf.heard == []
        assert deaf.taken <= OUTBOX + 2
        deaf.send("stop", id=-2, target=-1)
        deaf.reads.set()
        await deaf.wait_for("stopped", -2)
        await deaf.wait_for("state", 5 * OUTBOX - 1)
        shown = [answer["re"] for answer in deaf.heard if answer["type"] == "state"]
        assert shown == list(range(5 * OUTBOX))

    run_with(service, 2, script)


def test_a_page_that_leaves_leaves_nothing_behind(service: Service) -> None:
    async def script(page: FakeSocket) -> None:
        for number in range(4):
            page.send("analyse", id=number, position=position("gomoku"), model="x")
        page.send("analyse", id=9, position=position("gomoku"), model="x", simulations=10)
        await page.wait_for("analysis", 9)

    run_with(service, 1, script)
    assert service.pool.wait_until_idle(PATIENCE)
    assert service.trees.kept() == 0


def test_trees_stay_within_their_bound(service: Service) -> None:
    small = Service(service.games, service.models, service.pool, Trees(1 << 22), service.limits)

    async def script(page: FakeSocket) -> None:
        page.send("analyse", id=0, position=position("gomoku"), model="x")  # until stopped, or until the tree is large
        while not (await page.wait_for("analysis", 0))["final"]:
            page.heard = [answer for answer in page.heard if answer.get("final")]

    run_with(small, 1, script)
