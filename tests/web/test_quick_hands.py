"""Presses that come early, by a quick hand or on a slow machine: they do what is meant, or the board says it waits."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect
from test_any_game import cell

# Presses the first of some cells as soon as it is drawn and can be pressed, in the same moment, and then the next.
EARLY = """(labels) => {
    const found = () => document.querySelector(`[role=gridcell][data-legal][aria-label^='${labels[0]},']`);
    const watch = new MutationObserver(() => {
        if (!labels.length || !found()) return;
        found().dispatchEvent(new MouseEvent("click", { bubbles: true }));
        labels.shift();
    });
    watch.observe(document, { subtree: true, childList: true, attributes: true });
}"""


def press_early(page: Page, *labels: str) -> None:
    page.add_init_script(f"({EARLY})({json.dumps(labels)})")


def test_a_piece_is_taken_up_as_soon_as_it_is_seen(own_page: Page) -> None:
    press_early(own_page, "b3", "c4")
    own_page.goto("/#/analyse/crowns?moves=a1a2,b4b3,a2b3,a4a3", wait_until="commit")
    chooser = own_page.get_by_role("dialog", name="Which move?")
    expect(chooser.locator("[data-choice]")).to_have_text(["b3c4", "b3c4=k"])


def test_a_move_is_made_as_soon_as_the_board_is_seen(page: Page) -> None:
    press_early(page, "c3")
    page.goto("/#/analyse/tic_tac_toe?moves=b2,a1", wait_until="commit")
    expect(page.locator(".game-tree [aria-current]")).to_have_attribute("data-moves", "b2 a1 c3")
    page.reload()
    expect(page.locator(".game-tree [aria-current]")).to_have_attribute("data-moves", "b2 a1 c3")


class Slow:
    """A server whose answers about positions wait until the test lets them through."""

    def __init__(self, page: Page) -> None:
        self.is_slow = False
        self._held: list[tuple[WebSocketRoute, str | bytes]] = []
        page.route_web_socket(re.compile("/ws$"), self._through)

    def _through(self, route: WebSocketRoute) -> None:
        route.connect_to_server().on_message(lambda message: self._to_page(route, message))

    def _to_page(self, route: WebSocketRoute, message: str | bytes) -> None:
        answer: dict[str, Any] = json.loads(message)
        if self.is_slow and answer["type"] == "state":
            self._held.append((route, message))
        else:
            route.send(message)

    def let_through(self) -> None:
        self.is_slow = False
        for route, message in self._held:
            route.send(message)


@pytest.mark.parametrize("screen", ["analyse", "explore"])
def test_no_press_is_taken_for_one_in_another_position(page: Page, screen: str) -> None:
    """While the server has not said what the new position is, the board of the one before is there only to look at."""
    slow = Slow(page)
    page.goto(f"/#/{screen}/tic_tac_toe?moves=b2,a1,c3")
    board = page.locator("[role=grid]").first
    expect(board.locator("[data-legal]")).to_have_count(6)
    slow.is_slow = True
    page.goto(f"/#/{screen}/tic_tac_toe?moves=c1,c2", wait_until="commit")
    expect(board).to_have_attribute("aria-disabled", "true")
    expect(board.locator("[data-legal]")).to_have_count(0)
    board.locator("[data-cell='0']").dispatch_event("click")
    slow.let_through()
    expect(board).not_to_have_attribute("aria-disabled", "true")
    expect(board.locator("[data-legal]")).to_have_count(7)
    assert "moves=c1,c2" in page.url
    cell(page, "a3").first.click()
    expect(page).to_have_url(re.compile("moves=c1,c2,a3"))


def test_a_missing_run_is_not_asked_for(page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto("/#/train/no_such_run?with=nor_this_one")
    expect(page.get_by_role("alert")).to_have_text("There is no run called no_such_run.")
    assert [address for address in asked if "such" in address or "nor_this" in address] == []
