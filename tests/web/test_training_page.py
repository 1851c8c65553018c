"""The training page in a real browser: a run is started there, watched, looked into, stopped and resumed."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from servers import Server, served

import tengen
from tengen.base.bundled import bundled_folder
from tengen.run.folder import read_reports

SMALL_TRAIN = (sys.executable, str(Path(__file__).parent / "small_train.py"))
FINDING = {"name": "window too old", "cause": "the learner still sees old games", "remedy": "lower replay.window_share"}
RATING = {"network": "30", "elo": 181.4, "error": 32.0, "zero": "rollout:100", "seconds": 2.0, "anchors": []}

TRAINING = 300_000  # milliseconds: a run imports torch before it says anything, on a busy machine for minutes


@contextmanager
def visit(browser: Browser, server: Server, width: int = 1200) -> Iterator[Page]:
    """A page that has nothing to complain about."""
    complaints: list[str] = []
    context = browser.new_context(base_url=f"http://{server.host}", viewport={"width": width, "height": 850})
    context.set_default_timeout(30_000)
    page = context.new_page()
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    yield page
    context.close()
    assert complaints == []


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """A folder with one finished run, which was measured once and has something to complain about."""
    shutil.copytree(bundled_folder("models") / "tic_tac_toe", tmp_path / "first")
    metrics = tmp_path / "first" / "metrics.jsonl"
    lines = metrics.read_text().splitlines()
    newest = json.loads(lines[-1]) | {"findings": [FINDING], "rating": RATING}
    metrics.write_text("\n".join([*lines[:-1], json.dumps(newest)]) + "\n")
    return tmp_path


def figure(page: Page, chart: str, curve: str) -> str:
    """The newest number of a curve."""
    item = page.locator(".chart", has=page.get_by_role("heading", name=chart)).locator("li", has_text=curve)
    return item.locator("b").inner_text()


def iteration(page: Page) -> int:
    return int(page.get_by_role("progressbar").get_attribute("value") or 0)


def test_a_run_from_its_start_to_the_explorer(browser: Browser, tmp_path: Path) -> None:
    with served(runs=tmp_path, train_command=SMALL_TRAIN) as server, visit(browser, server) as page:
        try:
            page.goto("/#/train")
            expect(page.get_by_role("heading", name="Watch it learn")).to_be_visible()
            page.get_by_label("Minutes").fill("3")
            page.get_by_role("button", name="Start training").click()
            losses = page.locator(".chart", has=page.get_by_role("heading", name="Losses"))
            expect(losses.locator("canvas")).to_be_visible(timeout=TRAINING)  # its first point
            assert int(losses.get_attribute("data-points") or 0) >= 1
            expect(page.get_by_role("button", name="Start training")).to_be_disabled()

            page.get_by_role("button", name="Stop").click()
            expect(page.get_by_role("button", name="Resume")).to_be_visible(timeout=TRAINING)
            reports = read_reports(tmp_path / "tic_tac_toe")
            expect(losses).to_have_attribute("data-points", str(len(reports)))
            assert float(figure(page, "Losses", "policy")) == pytest.approx(reports[-1].learner.policy_loss, rel=6e-3)
            assert float(figure(page, "Game length", "moves")) == pytest.approx(
                reports[-1].self_play.mean_length, rel=6e-3
            )
            stopped_at = iteration(page)
            assert stopped_at == reports[-1].iteration

            replay = page.get_by_label("Newest games")
            replay.get_by_role("button", name="Next").click()
            replay.get_by_role("button", name="Next").click()
            expect(replay.locator("[role=gridcell]:not([aria-label*=', empty'])")).to_have_count(2)
            replay.get_by_role("link", name="explorer").click()
            expect(page.get_by_role("heading", name="Inside the search")).to_be_visible()
            expect(page.get_by_role("heading", name="Network of run tic_tac_toe")).to_be_visible()
            page.get_by_role("radio", name="Fast").check()
            page.get_by_role("button", name="10 simulations").click()
            expect(page.locator("output[data-simulations='10']")).to_be_visible()
            expect(page.locator(".explore-root [role=gridcell]:not([aria-label*=', empty'])")).to_have_count(2)

            page.go_back()
            page.get_by_role("button", name="Resume").click()
            expect(page.get_by_role("button", name="Stop")).to_be_visible()
            expect(losses).not_to_have_attribute("data-points", str(len(reports)), timeout=TRAINING)
            assert iteration(page) > stopped_at
        finally:
            for _ in range(2):  # the second time, at once
                server.post("/api/runs/tic_tac_toe/stop", {})


def test_a_run_of_a_users_own_game_is_replayed(browser: Browser, tmp_path: Path, rules_file: Path) -> None:
    """Moves from cell to cell, learned, replayed and explored."""
    game = tengen.load(str(rules_file.with_name("breakthrough.py")), size=5)
    with (
        served(runs=tmp_path, train_command=SMALL_TRAIN, files=[game]) as server,
        visit(browser, server) as page,
    ):
        try:
            page.goto("/#/train")
            page.get_by_label("Game").select_option("breakthrough")
            page.get_by_role("button", name="Start training").click()
            replay = page.get_by_label("Newest games")
            replay.get_by_role("button", name="Next").click(timeout=TRAINING)
            expect(replay.locator(".last-cell")).to_have_count(2)
            expect(replay.locator("[role=gridcell][aria-label*=', empty']")).to_have_count(5)  # a move, and no capture
            replay.get_by_role("link", name="explorer").click()
            expect(page.get_by_role("heading", name="Network of run breakthrough")).to_be_visible()
            page.get_by_role("button", name="10 simulations").click()
            expect(page.locator("output[data-simulations='10']")).to_be_visible()
        finally:
            for _ in range(2):  # the second time, at once
                server.post("/api/runs/breakthrough/stop", {})


def test_a_finished_run_in_figures_and_words(browser: Browser, runs: Path) -> None:
    reports = read_reports(runs / "first")
    with served(runs=runs) as server, visit(browser, server) as page:
        page.goto("/#/train")
        expect(page.get_by_label("Runs").get_by_role("link")).to_contain_text("first")
        expect(page.locator(".chart").first).to_have_attribute("data-points", str(len(reports)))
        diagnosis = page.get_by_label("Diagnosis")
        expect(diagnosis).to_contain_text("Window too old. The learner still sees old games.")
        expect(diagnosis).to_contain_text("What helps: lower replay.window_share.")
        assert figure(page, "Strength", "Elo") == "181"
        expect(page.locator(".tiles")).to_contain_text("± 32; rollout:100 has 0")
        assert page.get_by_role("button", name="Resume").count() == 0
        assert page.get_by_role("img", name="Losses at iteration 30").is_visible()


def test_a_phone_has_room_for_it(browser: Browser, runs: Path) -> None:
    with served(runs=runs) as server, visit(browser, server, width=390) as page:
        page.goto("/#/train/first")
        expect(page.locator("canvas")).to_have_count(6)
        assert page.evaluate("document.documentElement.scrollWidth") == 390
