"""Clocks of the Play screen, in a browser whose time the test moves."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from conftest import until
from playwright.sync_api import Page, expect

START = datetime(2026, 1, 1, tzinfo=UTC)


def seconds(shown: str) -> int:
    """Of "2:05"."""
    minutes, rest = shown.strip().split(":")
    return 60 * int(minutes) + int(rest)


def test_the_time_of_who_is_to_move_runs_out(page: Page) -> None:
    page.clock.install()
    page.goto("/#/play/connect_four?side=0&level=beginner&clock=300%2B0")
    yours, agents = page.locator("[data-clock='0']"), page.locator("[data-clock='1']")
    expect(yours).to_have_text("5:00")
    page.clock.fast_forward(5_000)
    expect(yours).to_have_text("5:00")  # it begins with the first move
    page.locator("[data-cell='38']").click()
    page.clock.run_for(500)
    expect(page.locator(".move-list li")).to_have_count(2)
    expect(yours).to_have_class("clock is-running")
    expect(agents).to_have_class("clock")
    page.clock.fast_forward(120_000)
    expect(yours).to_have_text(re.compile(r"^\s*[12]:"))  # 3:00, and less by what the machine needs
    page.reload()
    expect(yours).to_have_text(re.compile(r"^\s*[12]:"))  # a reload does not stop the time
    page.clock.fast_forward(300_000)
    page.clock.run_for(500)
    expect(page.locator(".status h1")).to_have_text("Time is up")
    expect(page.locator(".status p")).to_have_text("X had no time left: O wins.")
    expect(page.locator("[data-legal]")).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(yours).to_have_text("5:00")
    expect(page.locator(".move-list li")).to_have_count(2)


def test_a_move_adds_its_seconds_and_a_new_game_has_all_its_time(page: Page) -> None:
    page.clock.install(time=START)
    page.goto("/#/play/tic_tac_toe?side=0&level=beginner")
    page.get_by_label("Clock", exact=True).select_option("180+2")
    yours = page.locator("[data-clock='0']")
    page.locator("[data-cell='4']").click()
    page.clock.run_for(300)
    expect(page.locator(".move-list li")).to_have_count(2)
    page.clock.pause_at(START + timedelta(minutes=2))  # so that the machine's own time does not count
    page.clock.run_for(300)
    left = seconds(yours.inner_text())
    assert left < 180
    page.locator("[data-legal]").first.click()

    def shows_the_added_seconds() -> bool:
        page.clock.run_for(20)  # the clock is drawn when it ticks
        return seconds(yours.inner_text()) == left + 2

    until(page, shows_the_added_seconds)
    page.clock.resume()
    expect(page.locator(".move-list li")).to_have_count(4)
    page.get_by_role("button", name="New game").click()
    expect(yours).to_have_text("3:00")
    page.get_by_label("Clock", exact=True).select_option("")
    expect(yours).to_have_count(0)
