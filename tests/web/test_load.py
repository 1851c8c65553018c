"""What answers of the server cost: to one page with every bundled network, and to fifty, of which none starves."""

import asyncio
import json
import os
import random
import re
import statistics
import time
from pathlib import Path
from typing import Any

import pytest
from servers import position, served
from test_serve import free_port, serving
from websockets.asyncio.client import connect

from tengen.base.bundled import bundled_folder, bundled_names
from tengen.network.checkpoint import find_network, load_network

PAGES = 50
SECONDS = float(os.environ.get("TENGEN_LOAD_SECONDS", "120"))
MOST_GROWTH = 32 << 20  # bytes, from a quarter of the time to its end: what an allocator keeps in reserve


async def play(port: int, number: int, all_play: asyncio.Barrier) -> list[float]:
    """One page: games against the default level. How long each answer took, from when all had had their first."""
    numbers = random.Random(number)
    seconds: list[float] = []
    end = float("inf")
    async with connect(f"ws://127.0.0.1:{port}/ws", compression=None) as web:

        async def ask(kind: str, **fields: Any) -> dict[str, Any]:
            await web.send(json.dumps({"type": kind, "id": 1, **fields}))
            answer: dict[str, Any] = json.loads(await web.recv())
            assert answer["type"] != "error", answer
            return answer

        state = await ask("show", position=position("connect_four"))
        while time.monotonic() < end:
            if not state["legal"]:
                state = await ask("show", position=position("connect_four"))
            action = numbers.choice(state["legal"])["text"]
            state = await ask("play", position=state["position"], action=action)
            if state["legal"]:
                asked = time.monotonic()
                moved = await ask("choose", position=state["position"], model="connect_four", level="medium")
                seconds.append(time.monotonic() - asked)
                state = moved["state"]
            if end == float("inf"):
                await all_play.wait()
                seconds.clear()
                end = time.monotonic() + SECONDS
    return seconds


def resident(pid: int) -> int:
    """Bytes of memory that a process has."""
    found = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    assert found is not None
    return 1024 * int(found[1])


async def play_all(port: int, pid: int) -> tuple[list[list[float]], int]:
    """The answer times of all pages, and by how much the server grew once all were playing."""
    all_play = asyncio.Barrier(PAGES + 1)
    pages = asyncio.gather(*(play(port, number, all_play) for number in range(PAGES)))
    await all_play.wait()
    await asyncio.sleep(SECONDS / 4)
    before = resident(pid)
    answers = await pages
    return answers, resident(pid) - before


@pytest.mark.verify
def test_fifty_pages_play_at_once(tmp_path: Path) -> None:
    port = free_port()
    with serving(tmp_path, port) as process:
        answers, grown = asyncio.run(play_all(port, process.pid))
    medians = sorted(statistics.median(seconds) for seconds in answers)
    print(
        f"{sum(map(len, answers))} moves; median answer of the fastest page {medians[0]:.2f} s, of the slowest "
        f"{medians[-1]:.2f} s; longest answer {max(map(max, answers)):.2f} s; memory grew by {grown / 2**20:.1f} MB"
    )
    assert medians[-1] <= 3 * medians[0]
    assert grown <= MOST_GROWTH


@pytest.mark.verify
@pytest.mark.parametrize("model", bundled_names("models"))
def test_an_answer_at_the_default_level_costs_less_than_a_second(model: str, tmp_path: Path) -> None:
    """In processor time of this process, which the server is part of: other work on the machine does not count."""
    numbers, seconds = random.Random(1), []
    network = load_network(find_network(bundled_folder("models") / model))
    with served(runs=tmp_path) as server, server.page() as page:
        games = {game["name"]: game for game in server.get("/api/games").json()}
        game = games[network.source]
        state = page.ask("show", position={"game": game["name"], "options": game["options"], "moves": []})
        for ply in range(17):
            if ply % 2 == 0:
                begun = time.process_time()
                page.ask("choose", position=state["position"], model=model, level=game["default_level"])
                seconds.append(time.process_time() - begun)
            state = page.ask("play", position=state["position"], action=numbers.choice(state["legal"])["text"])
            if not state["legal"]:
                break
    print(f"{model}: {statistics.median(seconds[1:]):.3f} s in the median, {max(seconds):.3f} s at most")
    assert max(seconds[1:]) < 1.0  # the first one compiles the network
