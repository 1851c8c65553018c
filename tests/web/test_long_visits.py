"""What a page costs that is used for long: memory of a live search, and the frames of a large tree."""

from __future__ import annotations

import os
import time
from typing import Any

import pytest
from playwright.sync_api import Page, expect

SECONDS = float(os.environ.get("TENGEN_LIVE_SECONDS", "600"))  # that the search is left alone
MOST_MEGABYTES = 20  # of the page's own memory, after whatever it no longer needs is given up
LARGE = 9900  # simulations; each adds a node; an explorer has at most 10,000
LONGEST_TASK = 50.0  # milliseconds of the page's thread, so that other programs of the machine do not count


def megabytes(devtools: Any) -> float:
    devtools.send("HeapProfiler.collectGarbage")
    return float(devtools.send("Runtime.getHeapUsage")["usedSize"]) / 1e6


@pytest.mark.verify
def test_a_live_search_that_is_left_alone_does_not_fill_the_memory(page: Page) -> None:
    devtools = page.context.new_cdp_session(page)
    page.goto("/#/analyse/go?size=9&moves=E5,C3,G7")
    page.get_by_role("button", name="Start live search").click()
    page.locator("[data-running=true]").wait_for()
    end = time.monotonic() + SECONDS
    seen = [megabytes(devtools)]
    while time.monotonic() < end:
        page.wait_for_timeout(min(30_000, 100 * SECONDS))
        if page.locator("[data-running=true]").count() == 0:  # the server's limit of one search
            page.get_by_role("button", name="Stop", exact=True).click()
            page.get_by_role("button", name="Start live search").click()
        seen.append(megabytes(devtools))
    print(
        f"{SECONDS:.0f} s of live search: {seen[0]:.1f} MB at first, {max(seen):.1f} MB at most, "
        f"{seen[-1]:.1f} MB at the end"
    )
    assert max(seen) < MOST_MEGABYTES


@pytest.mark.verify
def test_a_tree_of_ten_thousand_nodes_stalls_no_frame(page: Page) -> None:
    page.goto("/#/explore/gomoku?size=9&model=uniform")
    for done in [*range(1000, 9001, 1000), *range(9100, LARGE + 1, 100)]:
        page.get_by_role("button", name=f"+{1000 if done <= 9000 else 100} simulations", exact=True).click()
        page.locator(f"output[data-simulations='{done}'][data-busy=false]").wait_for(timeout=120_000)
    page.get_by_label("Draw all nodes").check()
    expect(page.locator(".tree-crowd")).to_have_attribute("data-drawn", str(LARGE - 300))
    longest = tasks_while(page, lambda: use_the_tree(page))
    print(f"longest task of {LARGE} nodes: {longest:.0f} ms")
    assert longest < LONGEST_TASK


def use_the_tree(page: Page) -> None:
    for step in range(1, 4):
        page.get_by_role("button", name="Step: one simulation").click()
        page.locator(f"output[data-simulations='{LARGE + step}'][data-busy=false]").wait_for()
    for left in range(0, 3000, 100):
        page.evaluate("(left) => { document.querySelector('.tree').scrollLeft = left; }", left)
        page.evaluate("() => new Promise(requestAnimationFrame)")


def tasks_while(page: Page, use: Any) -> float:
    """The longest task of the page's thread, in milliseconds of its own time."""
    devtools = page.context.new_cdp_session(page)
    events: list[dict[str, Any]] = []
    ended: list[bool] = []
    devtools.on("Tracing.dataCollected", lambda found: events.extend(found["value"]))
    devtools.on("Tracing.tracingComplete", lambda _: ended.append(True))
    devtools.send("Tracing.start", {"categories": "devtools.timeline,disabled-by-default-devtools.timeline"})
    use()
    devtools.send("Tracing.end")
    while not ended:
        page.wait_for_timeout(50)
    threads = {(one["pid"], one["tid"]) for one in events if one["name"] == "FireAnimationFrame"}
    return max(
        one["tdur"] / 1000
        for one in events
        if one["name"] == "RunTask" and "tdur" in one and (one["pid"], one["tid"]) in threads
    )
