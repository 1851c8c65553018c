"""Fifty pages play at once: nobody starves, and the server's memory stays as it was."""

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
from servers import position
from test_serve import free_port, serving
from websockets.asyncio.client import connect

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
