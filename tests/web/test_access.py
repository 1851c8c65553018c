"""Everyone can use the page: axe finds nothing on any screen, in both themes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import axe_playwright_python
import pytest
from playwright.sync_api import Page, expect
from sites import Site

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()
RULES = {"rules": {"label-content-name-mismatch": {"enabled": True}}}  # on top of all that are on by themselves


def found_by_axe(page: Page) -> list[str]:
    page.evaluate(AXE)
    found: dict[str, Any] = page.evaluate("(options) => axe.run(document, options)", RULES)
    assert len(found["passes"]) > 10  # it looked
    return [f"{one['id']}: {node['html'][:200]}" for one in found["violations"] for node in one["nodes"]]


def play(page: Page) -> None:
    page.goto("/#/play/connect_four?moves=4,4&side=0&level=beginner")
    page.locator("[data-legal]").first.wait_for()


def end_of_go(page: Page) -> None:
    page.goto("/#/play/go?size=9&moves=E5,pass,pass&side=0")
    expect(page.locator(".status h1")).to_have_text("You win")


def question(page: Page) -> None:
    page.goto("/#/play/go?size=9&moves=E5,pass&side=0")
    page.locator("[data-action='pass']").click()
    expect(page.get_by_role("dialog")).to_be_visible()


def analyse(page: Page) -> None:
    page.goto("/#/analyse/connect_four?moves=4,4,3,5&at=3")
    page.locator("[data-simulations][data-running=false]").wait_for()
    expect(page.locator(".graph-line")).to_have_attribute("data-known", "5")


def explore(page: Page) -> None:
    page.goto("/#/explore/tic_tac_toe?moves=b2")
    page.get_by_role("button", name="10 simulations").click()
    page.locator("output[data-simulations='10'][data-busy=false]").wait_for()


def train(page: Page) -> None:
    page.goto("/#/train")
    page.get_by_role("heading", name="New run").wait_for()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("screen", [play, end_of_go, question, analyse, explore, train])
def test_axe_finds_nothing(page: Page, site: Site, screen: Any, theme: Any) -> None:
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")
    screen(page)
    assert found_by_axe(page) == []
