"""The training page in a real browser: a run is started there, watched, looked into, stopped and resumed."""

from __future__ import annotations

import csv
import json
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from conftest import PATIENCE, WIDE, at_rest, resting
from playwright.sync_api import Browser, Page, expect
from servers import Server, served
from test_access import found_by_axe

import tengen
from tengen.base.bundled import bundled_folder
from tengen.run.metrics import read_reports

SMALL_TRAIN = (sys.executable, str(Path(__file__).parent / "small_train.py"))
FINDING = {"name": "window too old", "cause": "the learner still sees old games", "remedy": "lower replay.window_share"}
RATING = {"network": "30", "elo": 181.4, "error": 32.0, "zero": "rollout:100", "seconds": 2.0, "anchors": []}

PRINTS_ITS_ARGUMENTS = "import sys; print(*sys.argv[1:])"

TRAINING = 300_000  # milliseconds: a run imports torch before it says anything, on a busy machine for minutes


@contextmanager
def visit(browser: Browser, server: Server, width: int = 1200) -> Iterator[Page]:
    """A page that has nothing to complain about."""
    complaints: list[str] = []
    size = {"width": width, "height": 850}
    context = browser.new_context(base_url=f"http://{server.host}", viewport=size, locale="en-GB")
    context.set_default_timeout(PATIENCE)
    page = resting(context.new_page())
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


def wait_until(is_so: Callable[[], bool]) -> None:
    give_up = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < give_up
        time.sleep(0.02)


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
            at_rest(page)
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
        expect(page.get_by_label("Runs").get_by_role("link").first).to_contain_text("first")
        expect(page.locator(".chart").first).to_have_attribute("data-points", str(len(reports)))
        diagnosis = page.get_by_label("Diagnosis")
        expect(diagnosis).to_contain_text("Window too old. The learner still sees old games.")
        expect(diagnosis).to_contain_text("What helps: lower replay.window_share.")
        assert figure(page, "Strength", "Elo") == "181"
        expect(page.locator(".tiles")).to_contain_text("± 32; rollout:100 has 0")
        expect(page.get_by_role("button", name="Resume")).to_have_count(0)
        expect(page.get_by_role("img", name="Losses at iteration 30")).to_be_visible()


def test_runs_are_laid_over_each_other(browser: Browser, runs: Path, tmp_path: Path) -> None:
    with served(runs=runs) as server, visit(browser, server) as page:
        page.goto("/#/train/first")
        charts = page.locator(".chart")
        expect(charts.first).to_have_attribute("data-curves", "1")
        page.get_by_label("Lay bundled.othello over the charts").check()
        expect(page.locator(".chart[data-curves='2']")).to_have_count(6)
        expect(charts.nth(1).locator("li")).to_have_text([re.compile("first"), re.compile("bundled.othello")])
        settings = page.locator(".run-settings")
        expect(settings).to_contain_text("Settings that differ")
        expect(settings.locator("[data-setting='game'] td")).to_have_text(["tic_tac_toe", "othello"])
        expect(settings.locator("[data-setting='arena.threshold']")).to_have_count(0)

        rough = figure(page, "Game length", "first")
        page.get_by_role("slider", name="Smoothing").press("End")
        expect(page.get_by_role("slider", name="Smoothing")).to_have_value("0.95")
        assert figure(page, "Game length", "first") != rough
        page.get_by_role("radio", name="Time").check()
        expect(page.get_by_role("img", name=re.compile("^Losses at minute"))).to_be_visible()
        assert "with=bundled.othello&x=time&smooth=0.95" in page.url
        with page.expect_download() as download:
            page.get_by_role("button", name="Download figures").click()
        download.value.save_as(tmp_path / "figures.csv")
        rows = list(csv.DictReader((tmp_path / "figures.csv").open()))
        reports = read_reports(runs / "first")
        own = [row for row in rows if row["run"] == "first"]
        assert [float(row["Losses: policy"]) for row in own] == [report.learner.policy_loss for report in reports]
        assert {row["run"] for row in rows} == {"first", "bundled.othello"}
        assert found_by_axe(page) == []


def test_a_run_is_renamed_and_deleted(browser: Browser, runs: Path) -> None:
    with served(runs=runs) as server, visit(browser, server) as page:
        page.goto("/#/train/first")
        page.get_by_role("button", name="Rename").first.click()
        page.get_by_label("Name", exact=True).fill("second")
        page.get_by_role("dialog").get_by_role("button", name="Rename").click()
        expect(page.locator(".run-head")).to_contain_text("second")
        assert not (runs / "first").exists()
        page.get_by_role("button", name="Delete", exact=True).click()
        page.get_by_role("button", name="Delete it").click()
        expect(page.get_by_role("heading", name="Watch it learn")).to_be_visible()
        assert not (runs / "second").exists()
        page.goto("/#/train/bundled.othello")
        expect(page.locator("canvas").first).to_be_visible()
        expect(page.get_by_role("button", name="Delete")).to_have_count(0)
        refused = server.post("/api/runs/bundled.othello/rename", {"name": "mine"})
        assert (refused.status_code, refused.json()["error"]) == (409, "RunStateError")


def test_a_run_shows_only_figures_that_its_way_of_learning_has(browser: Browser, runs: Path) -> None:
    """The network of chess learned from records without games of its own, that of minishogi without a policy."""
    with served(runs=runs) as server, visit(browser, server) as page:
        page.goto("/#/train/bundled.chess")
        expect(page.locator(".tiles")).to_contain_text("positions of the records")
        expect(page.locator(".chart", has_text="Moves of the records").locator("canvas")).to_be_visible()
        for name in ("Game length", "Uncertainty", "How games end", "Speed"):
            expect(page.locator(".chart", has_text=name)).to_have_count(0)
        expect(page.get_by_role("button", name="Resume")).to_have_count(0)
        expect(page.locator(".run-head")).not_to_contain_text("can go on")
        page.goto("/#/train/bundled.minishogi")
        losses = page.locator(".chart", has_text="Losses").locator("li")
        expect(losses.filter(has_text="policy")).to_contain_text("\N{EN DASH}")
        expect(losses.filter(has_text="value")).to_contain_text(re.compile(r"\d"))
        expect(page.locator(".chart", has_text="Moves of the records")).to_have_count(0)
        page.goto("/#/train/bundled.chess?with=bundled.minishogi")
        expect(page.locator("[data-setting=start]")).to_be_visible()  # a hash, which is a long word
        assert page.evaluate("document.documentElement.scrollWidth") <= WIDE["width"]


def test_settings_are_changed_in_the_form(browser: Browser, tmp_path: Path) -> None:
    command = (sys.executable, "-c", PRINTS_ITS_ARGUMENTS)
    with served(runs=tmp_path, train_command=command) as server, visit(browser, server) as page:
        page.goto("/#/train")
        form = page.locator(".start-form")
        form.get_by_text("Settings").click()
        form.get_by_text("self-play", exact=True).click()
        field = form.locator("[data-setting='self_play.simulations']")
        expect(field).to_contain_text("simulations")
        field.locator("input").fill("33")
        expect(form.locator("summary").first).to_have_text("Settings (1 changed)")
        form.get_by_role("button", name="Start training").click()
        said = tmp_path / "tic_tac_toe" / "output.txt"
        wait_until(lambda: said.exists() and said.read_text().endswith("\n"))
        assert "--set self_play.simulations=33" in said.read_text()
    for wrong in ("network.module=evil.py:Net", "arena.anchors=['gtp:sh']"):
        with served(runs=tmp_path, train_command=command) as server:
            refused = server.post("/api/runs", {"game": "tic_tac_toe", "minutes": 1.0, "sets": [wrong]})
            assert (refused.status_code, refused.json()["error"]) == (400, "ConfigError")


def test_iterations_that_did_not_learn_have_no_loss(browser: Browser, runs: Path) -> None:
    metrics = runs / "first" / "metrics.jsonl"
    lines = [json.loads(line) for line in metrics.read_text().splitlines()]
    for line in lines[-2:]:
        line["learner"] |= {"steps": 0, "policy_loss": 0.0, "value_loss": 0.0, "value_loss_of_mean": 0.0}
    metrics.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with served(runs=runs) as server, visit(browser, server) as page:
        page.goto("/#/train")
        expect(page.locator(".chart").first).to_have_attribute("data-points", str(len(lines)))
        learned = lines[-3]["learner"]["policy_loss"]
        assert float(figure(page, "Losses", "policy")) == pytest.approx(learned, rel=6e-3)


def test_a_run_that_used_up_its_minutes_is_finished(browser: Browser, runs: Path) -> None:
    metrics = runs / "first" / "metrics.jsonl"
    lines = [json.loads(line) | {"iterations": 1000} for line in metrics.read_text().splitlines()]
    lines[-1]["seconds_left"] = 0.0
    metrics.write_text("".join(json.dumps(line) + "\n" for line in lines))
    (runs / "first" / "page.json").write_text('{"minutes": 2.0}')
    with served(runs=runs) as server, visit(browser, server) as page:
        page.goto("/#/train/first")
        expect(page.locator(".run-head")).to_contain_text("finished: its time is used up")
        expect(page.get_by_label("Runs")).to_contain_text("finished")
        expect(page.get_by_role("button", name="Train 5 minutes more")).to_be_visible()
        expect(page.get_by_role("button", name="Resume")).to_have_count(0)


def test_a_run_from_the_page_measures_its_strength(tmp_path: Path) -> None:
    """Also of a game whose settings leave that out."""
    with served(runs=tmp_path, train_command=(sys.executable, "-c", PRINTS_ITS_ARGUMENTS)) as server:
        assert server.post("/api/runs", {"game": "tic_tac_toe", "minutes": 1.0}).status_code == 201
        said = tmp_path / "tic_tac_toe" / "output.txt"
        wait_until(lambda: said.read_text().endswith("\n"))
        assert "--set arena.every=5" in said.read_text()
        asked = {"game": "tic_tac_toe", "minutes": 1.0, "measured": False, "sets": ["self_play.simulations=9"]}
        wait_until(lambda: server.post("/api/runs", asked).status_code == 201)
        said = tmp_path / "tic_tac_toe_2" / "output.txt"
        wait_until(lambda: said.read_text().endswith("\n"))
        assert "arena" not in said.read_text()
        assert "--set self_play.simulations=9" in said.read_text()
        refused = server.post("/api/runs", {**asked, "sets": ["self_play.simulatoins=9"]})
        assert (refused.status_code, refused.json()["error"]) == (400, "ConfigError")


def test_a_phone_has_room_for_it(browser: Browser, runs: Path) -> None:
    with served(runs=runs) as server, visit(browser, server, width=390) as page:
        page.goto("/#/train/first")
        expect(page.locator("canvas")).to_have_count(6)
        assert page.evaluate("document.documentElement.scrollWidth") == 390
