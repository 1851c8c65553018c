"""Texts that others wrote (rules files, game records, links, runs) stay texts: none becomes part of the page."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from conftest import opened
from playwright.sync_api import Browser, Page, expect
from sites import Site

from tengen.base.bundled import bundled_folder

NAME = quote("tags<b>")  # of the game in tags.py
RULES = Path(__file__).parents[1] / "support" / "rules"
BAD = "<img src=x onerror=\"document.title='run'\"><script>document.title='run'</script>"


@pytest.fixture(scope="module")
def hostile_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A game whose names are HTML, and a run that ended with HTML and has findings in HTML."""
    runs = tmp_path_factory.mktemp("hostile_runs")
    shutil.copytree(bundled_folder("models") / "tic_tac_toe", runs / "first")
    metrics = runs / "first" / "metrics.jsonl"
    *lines, newest = metrics.read_text().splitlines()
    finding = {"name": BAD, "cause": BAD, "remedy": BAD}
    metrics.write_text("\n".join([*lines, json.dumps(json.loads(newest) | {"findings": [finding]})]) + "\n")
    shutil.copytree(runs / "first", runs / "<img src=x onerror=alert(1)>")  # not a name of a run: it is left out
    site = Site(runs, (str(RULES / "tags.py"),))
    site.start()
    yield site
    site.kill()


@pytest.fixture
def hostile(browser: Browser, hostile_site: Site, complaints: list[str]) -> Iterator[Page]:
    with opened(browser, hostile_site, complaints) as page:
        yield page
        check_clean(page)


def check_clean(page: Page) -> None:
    """No element came from a text. What the browser's own policy had to stop is a complaint and fails the test too."""
    assert page.locator("img, main script, body > script:not([src])").count() == 0
    assert page.title().endswith("· tengen")


def test_names_of_a_rules_file(hostile: Page) -> None:
    hostile.goto(f"/#/play/{NAME}?side=0&level=beginner")
    hostile.locator("[data-cell='4']").click()
    expect(hostile.locator(".move-list li")).to_have_count(2)
    expect(hostile.locator(".move-list li").first).to_contain_text("<img/src=x")
    check_clean(hostile)
    hostile.goto(f"/#/analyse/{NAME}?model=uniform")
    expect(hostile.locator(".moves th button").first).to_contain_text("<img/src=x")
    check_clean(hostile)
    hostile.goto(f"/#/explore/{NAME}?model=uniform")
    hostile.get_by_role("button", name="+10 simulations").click()
    hostile.locator("output[data-simulations='10'][data-busy=false]").wait_for()


def test_comments_of_records_and_names_of_analyses(hostile: Page) -> None:
    for game, text in {
        "go": f"(;GM[1]SZ[9]C[{BAD}];B[ee]C[{BAD}];W[cc])",
        "chess": f'[White "{BAD.replace(chr(34), chr(39))}"]\n\n1. e4 {{{BAD}}} e5 *',
        "shogi": f"手合割\uff1a平手\n*{BAD}\n   1 ７六歩(77)\n*{BAD}\n",
    }.items():
        hostile.goto(f"/#/analyse/{game}?model=uniform")
        hostile.get_by_role("button", name="Paste a game").click()
        hostile.locator("#pasted").fill(text)
        hostile.get_by_role("button", name="Show it").click()
        expect(hostile.locator(".game-tree .tree-comment").first).to_contain_text("<img src=x")
        hostile.get_by_label("Name of this analysis").fill(BAD)
        hostile.get_by_label("Name of this analysis").press("Enter")
        check_clean(hostile)
    hostile.get_by_role("button", name="Open", exact=True).click()
    expect(hostile.get_by_role("dialog")).to_contain_text("<img src=x")


def test_links(hostile: Page) -> None:
    hostile.goto(f"/#/analyse/chess?start={quote(BAD)}&moves={quote(BAD)}")
    expect(hostile.get_by_role("alert").first).to_be_visible()
    check_clean(hostile)
    hostile.goto(f"/#/play/{quote(BAD, safe='')}")
    expect(hostile.get_by_role("alert")).to_contain_text(f"The server has no game called {BAD}.")
    check_clean(hostile)
    hostile.goto(f"/#/play/connect_four?model={quote(BAD)}&level={quote(BAD)}&clock={quote(BAD)}&side={quote(BAD)}")
    expect(hostile.locator(".status h1")).to_be_visible()
    check_clean(hostile)
    hostile.goto(f"/#/train/{quote(BAD, safe='')}?with={quote(BAD)}&x={quote(BAD)}")
    expect(hostile.get_by_role("alert")).to_have_text(f"There is no run called {BAD}.")


def test_what_a_run_says(hostile: Page) -> None:
    hostile.goto("/#/train/first")
    expect(hostile.get_by_label("Diagnosis")).to_contain_text("<img src=x")
    names = hostile.get_by_label("Runs").get_by_role("link").all_inner_texts()
    assert not any("img" in name for name in names)
