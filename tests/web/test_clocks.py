"""Clocks of the Play screen, in a browser whose time the test moves."""

from __future__ import annotations

from playwright.sync_api import Page, expect


def test_the_time_of_who_is_to_move_runs_out(page: Page) -> None:
    page.clock.install()
    page.goto("/#/play/connect_four?side=0&level=beginner&clock=60%2B0")
    yours, agents = page.locator("[data-clock='0']"), page.locator("[data-clock='1']")
    expect(yours).to_have_text("1:00")
    page.clock.fast_forward(5_000)
    expect(yours).to_have_text("1:00")  # it begins with the first move
    page.locator("[data-cell='38']").click()
    page.clock.run_for(500)
    expect(page.locator(".move-list li")).to_have_count(2)
    expect(yours).to_have_class("clock is-running")
    expect(agents).to_have_class("clock")
    page.clock.fast_forward(20_000)
    expect(yours).to_contain_text("0:3")
    page.reload()
    expect(yours).to_contain_text("0:3")  # a reload does not stop the time
    page.clock.fast_forward(60_000)
    page.clock.run_for(500)
    expect(page.locator(".status h1")).to_have_text("Time is up")
    expect(page.locator(".status p")).to_have_text("X had no time left: O wins.")
    expect(page.locator("[data-legal]")).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(yours).to_have_text("1:00")
    expect(page.locator(".move-list li")).to_have_count(2)


def test_a_move_adds_its_seconds_and_a_new_game_has_all_its_time(page: Page) -> None:
    page.clock.install()
    page.goto("/#/play/tic_tac_toe?side=0&level=beginner")
    page.get_by_label("Clock", exact=True).select_option("180+2")
    yours = page.locator("[data-clock='0']")
    page.locator("[data-cell='4']").click()
    page.clock.run_for(300)
    expect(page.locator(".move-list li")).to_have_count(2)
    page.clock.fast_forward(10_000)
    page.locator("[data-legal]").first.click()
    page.clock.run_for(300)
    expect(page.locator(".move-list li")).to_have_count(4)
    expect(yours).to_contain_text("2:5")  # 180 - 10 + 2
    page.get_by_role("button", name="New game").click()
    expect(yours).to_have_text("3:00")
    page.get_by_label("Clock", exact=True).select_option("")
    expect(yours).to_have_count(0)
