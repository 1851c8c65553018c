"""The opening explorer: moves, frequencies and results, of a run's games and of one's own documents."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from conftest import resting
from playwright.sync_api import Browser, Page, expect
from servers import position, served

import tengen
from tengen.base.bundled import bundled_folder
from tengen.records import GameRecord, ShardWriter

GAMES = ("b2 a1 a2 b1 c2", "b2 a1 a3 c1 b1 b3 a2 c2 c3", "b2 a3 c1 b3 c3 c2 a1", "a1 b2 a2 b1 c3 b3")


def record(moves: str) -> GameRecord:
    state = tengen.load("tic_tac_toe").state(moves)
    nothing = np.zeros(0)
    none: Sequence[int] = ()
    return GameRecord(
        moves=np.array(state.moves),
        recorded=np.array(none),
        offsets=np.array([0]),
        actions=np.array(none),
        parts=np.array(none),
        root_values=nothing,
        surprise=nothing,
        outcome=state.outcome,
    )


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """A run of tic-tac-toe that played a few games."""
    shutil.copytree(bundled_folder("models") / "tic_tac_toe", tmp_path / "first")
    writer = ShardWriter(tmp_path / "first" / "games", tengen.load("tic_tac_toe"))
    writer.append([record(moves) for moves in GAMES])
    writer.commit()
    writer.close()
    return tmp_path


def test_the_games_of_a_run_are_counted(runs: Path) -> None:
    with served(runs=runs) as server:
        found = server.post("/api/runs/first/openings", {"position": position("tic_tac_toe", "b2")}).json()
        assert (found["games"], found["looked_at"]) == (3, 4)
        counted = [
            (move["text"], move["games"], move["wins"], move["draws"], move["losses"]) for move in found["moves"]
        ]
        assert counted == [("a1", 2, 1, 1, 0), ("a3", 1, 1, 0, 0)]
        refused = server.post("/api/runs/first/openings", {"position": position("connect_four")})
        assert (refused.status_code, refused.json()["error"]) == (409, "RunStateError")


def test_openings_on_the_page(browser: Browser, runs: Path) -> None:
    with served(runs=runs) as server:
        page: Page = resting(browser.new_page(base_url=f"http://{server.host}", locale="en-GB"))
        page.goto("/#/analyse/tic_tac_toe?moves=b2,a1,a2")
        expect(page.locator(".game-tree [data-moves]")).to_have_count(3)
        page.keyboard.press("Home")
        page.get_by_text("Opening explorer").click()
        rows = page.locator("[data-opening]")
        expect(rows).to_have_count(1)
        expect(rows.first).to_have_attribute("data-opening", "b2")
        page.get_by_label("Games").select_option("run:first")
        expect(page.locator("[data-reached]")).to_have_text("4 of 4 games came to this position.")
        expect(rows).to_have_count(2)
        rows.first.get_by_role("button").click()
        expect(page.locator("[data-reached]")).to_have_text("3 of 4 games came to this position.")
        expect(page.locator("[data-opening='a1'] .bar")).to_have_accessible_name("X won 1, 1 drawn, O won 0")
        page.close()


def test_ones_own_games_count_with_their_results(browser: Browser, runs: Path) -> None:
    with served(runs=runs) as server:
        page: Page = resting(browser.new_page(base_url=f"http://{server.host}", locale="en-GB"))
        for moves in ("b2,a1,a2,b1,c2", "b2,b1,a1,c3", "b2,a1,c1,a3,a2,c2,b1,b3,c3"):  # won, not ended, drawn
            page.goto(f"/#/analyse/tic_tac_toe?moves={moves}")
            expect(page.locator(".game-tree [data-moves]")).to_have_count(moves.count(",") + 1)
            page.goto("/#/play")
        page.goto("/#/analyse/tic_tac_toe")
        page.get_by_text("Opening explorer").click()
        row = page.locator("[data-opening='b2']")
        expect(row).to_have_attribute("data-games", "3")
        expect(row.locator(".bar")).to_have_accessible_name("X won 1, 1 drawn, O won 0")
        page.close()
