"""The page by keyboard alone: review a game, step the explorer, compare two runs. (test_play.py plays a game so.)"""

from __future__ import annotations

from playwright.sync_api import Page, expect

NAMED = "(name) => [document.activeElement.ariaLabel, document.activeElement.textContent.trim()].includes(name)"
MOST_STOPS = 200


def tab_to(page: Page, name: str) -> None:
    """Goes from stop to stop until the one with this name."""
    for _ in range(MOST_STOPS):
        page.keyboard.press("Tab")
        if page.evaluate(NAMED, name):
            return
    raise AssertionError(f"no stop is called {name}")


def test_a_game_is_reviewed(page: Page) -> None:
    page.goto("/#/analyse/tic_tac_toe?moves=b2,b1,a1")
    expect(page.get_by_role("button", name="Review this game")).to_be_enabled()
    tab_to(page, "Review this game")
    page.keyboard.press("Enter")
    page.locator("[data-review=done]").wait_for()
    tab_to(page, "Try again from here")
    page.keyboard.press("Enter")
    expect(page.locator(".move-list li")).to_have_count(1)  # before the mistake


def test_the_explorer_is_stepped(page: Page) -> None:
    page.goto("/#/explore/tic_tac_toe?moves=b2")
    expect(page.get_by_role("button", name="Step: one simulation")).to_be_enabled()
    tab_to(page, "+10 simulations")
    page.keyboard.press("Enter")
    page.locator("output[data-simulations='10'][data-busy=false]").wait_for()
    tab_to(page, "Next stage")
    page.keyboard.press("Enter")
    page.locator("output[data-simulations='11'][data-busy=false]").wait_for()
    tab_to(page, page.get_by_role("application").get_attribute("aria-label") or "")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.get_by_role("region", name="Node")).to_be_visible()


def test_two_runs_are_compared(page: Page) -> None:
    page.goto("/#/train/bundled.connect_four")
    page.locator(".chart-box").first.wait_for()
    tab_to(page, "Lay bundled.othello over the charts")
    page.keyboard.press("Space")
    expect(page.locator(".chart").first).to_have_attribute("data-curves", "2")
    expect(page.locator("[data-setting]").first).to_be_visible()


def test_the_board_of_another_game_is_a_stop_too(page: Page) -> None:
    """Also one with fewer cells, after the keyboard was on the last cell of a larger one."""
    page.goto("/#/play/othello?side=0")
    page.locator("[data-cell='63']").focus()
    page.get_by_label("Game", exact=True).select_option("tic_tac_toe")
    expect(page.locator("[role=gridcell]")).to_have_count(9)
    expect(page.locator("[role=gridcell][tabindex='0']")).to_have_count(1)
