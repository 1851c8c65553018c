"""One game, three lenses: Play, Analyse and Explore show the same position; each tab has its own game."""

from __future__ import annotations

import pytest
from conftest import at_rest, resting
from playwright.sync_api import Browser, Page, expect
from sites import Site

SCREENS = ("Play", "Analyse", "Explore")


def stones(page: Page) -> int:
    return page.locator("[role=grid]").first.locator("[role=gridcell]:not([aria-label*=', empty'])").count()


def visit(page: Page, screen: str) -> None:
    page.get_by_label("Screens").get_by_role("link", name=screen).click()
    at_rest(page)


@pytest.mark.parametrize("first", SCREENS)
def test_the_header_carries_the_position(page: Page, first: str) -> None:
    page.goto(f"/#/{first.lower()}/connect_four?moves=4,4,3,5,4,4&at=3&side=1")
    page.locator("[role=gridcell]").first.wait_for()
    for screen in (*SCREENS, "Train", *SCREENS):
        visit(page, screen)
        if screen == "Train":
            continue
        expect(page.locator("[role=grid]").first).to_have_attribute("aria-colcount", "7")
        expect(page.locator("[role=gridcell][aria-label*='last move']").first).to_have_accessible_name(
            "column 3, row 1, X, last move" + (", can be played" if screen != "Play" else "")
        )
        assert "moves=4,4,3,5,4,4&at=3" in page.url
    page.locator(".wordmark").click()
    expect(page).to_have_title("Play · tengen")
    assert "moves=4,4,3,5,4,4&at=3" in page.url


def test_two_tabs_have_a_game_each(page: Page, site: Site) -> None:
    page.goto("/#/play/connect_four?moves=4,4&side=0")
    page.locator("[role=gridcell]").first.wait_for()
    other = resting(page.context.new_page())
    other.goto("/#/play/othello?side=0")
    expect(other.locator("[role=gridcell]")).to_have_count(64)
    for tab, cells in ((page, 42), (other, 64)):
        for screen in ("Analyse", "Train", "Play"):
            visit(tab, screen)
        expect(tab.locator("[role=gridcell]")).to_have_count(cells)
    assert "moves=4,4" in page.url
    other.close()


def test_a_new_tab_begins_a_new_game(page: Page) -> None:
    page.goto("/#/play/connect_four?moves=4,4&side=0")
    page.locator("[role=gridcell]").first.wait_for()
    other = resting(page.context.new_page())
    other.goto("/")
    other.locator("[role=gridcell]").first.wait_for()
    assert stones(other) == 0
    other.close()


def test_games_that_are_analysed_are_documents_of_their_own(page: Page) -> None:
    page.goto("/#/play/tic_tac_toe?side=0&level=beginner")
    for cell in (4, 0):
        page.get_by_role("button", name="New game").click()
        page.locator(f"[data-cell='{cell}']").click()
        expect(page.locator(".move-list li")).to_have_count(2)
        page.get_by_role("link", name="Analyse this game").click()
        expect(page.locator(".game-tree [data-moves]")).to_have_count(2)
        expect(page.locator(".variation")).to_have_count(0)
        page.go_back()
        at_rest(page)


def test_the_game_goes_on_in_its_document(page: Page) -> None:
    page.goto("/#/play/tic_tac_toe?moves=b2,a1&side=0&level=beginner")
    page.get_by_role("link", name="Analyse this game").click()
    expect(page.locator(".game-tree [data-moves]")).to_have_count(2)
    visit(page, "Play")
    page.locator("[data-cell='2']").click()
    expect(page.locator(".move-list li")).to_have_count(4)
    page.get_by_role("link", name="Analyse this game").click()
    expect(page.locator(".game-tree [data-moves]")).to_have_count(4)
    expect(page.locator(".variation")).to_have_count(0)


def test_an_impossible_link_leaves_nothing_behind(page: Page, browser: Browser) -> None:
    page.goto("/#/analyse/tic_tac_toe?moves=b2,b2")
    expect(page.get_by_role("alert")).to_contain_text("b2")
    expect(page.locator(".game-tree [data-moves]")).to_have_count(0)
    page.goto("/#/analyse/tic_tac_toe?moves=b2,a1")
    expect(page.locator(".game-tree [data-moves]")).to_have_count(2)
    kept = page.evaluate("Object.entries(localStorage).filter(([name]) => name.startsWith('tengen.analysis'))")
    assert len(kept) == 1
    page.goto("/#/analyse/tic_tac_toe?moves=b2,a1,a1&at=2")  # the position can be, its game can't
    expect(page.get_by_role("alert")).to_contain_text("a1")


def test_explore_this_position_from_everywhere(page: Page) -> None:
    for screen in ("play", "analyse"):
        page.goto(f"/#/{screen}/tic_tac_toe?moves=b2,a1,c3&at=2&side=0&model=tic_tac_toe")
        page.get_by_role("link", name="Explore this position").click()
        expect(page.get_by_role("heading", name="Inside the search")).to_be_visible()
        expect(page.locator(".explore-root [role=gridcell]:not([aria-label*=', empty'])")).to_have_count(2)
