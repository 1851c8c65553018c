"""The page as a whole: built from its sources, small, usable on a phone and without a mouse, on every screen."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

import tengen.interfaces.web

ROOT = Path(__file__).parents[2]
STATIC = Path(tengen.interfaces.web.__file__).parent / "static"
PLACES = {
    "play": "/#/play/connect_four?moves=4,4&side=0&level=beginner",
    "analyse": "/#/analyse/connect_four?moves=4,4",
    "explore": "/#/explore/tic_tac_toe?moves=b2",
    "train": "/#/train",
}

# Controls that a visitor could not name: no text, no label, no title.
NAMELESS = """() => [...document.querySelectorAll("button, a[href], input, select, textarea, [tabindex]")]
    .filter((one) => !(one.textContent.trim() || one.getAttribute("aria-label") || one.labels?.length || one.title))
    .map((one) => one.outerHTML)"""


def test_the_built_files_are_those_of_the_sources() -> None:
    web = ROOT / "web"
    names = ["build.mjs", "package.json", "package-lock.json", "tsconfig.json"]
    folders = [path for folder in ("src", "languages") for path in (web / folder).rglob("*")]
    sources = [path for path in folders if path.is_file() and not path.name.startswith(".")]
    digest = hashlib.sha256()
    for name in sorted(names + [path.relative_to(web).as_posix() for path in sources]):
        content = (web / name).read_bytes()
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    built = (STATIC / "assets" / "sources.sha256").read_text().strip()
    assert built == digest.hexdigest(), "the page was not built from these sources: cd web && npm ci && npm run build"


def test_the_licences_of_what_is_bundled_come_with_the_page() -> None:
    packages = json.loads((ROOT / "web" / "package.json").read_text())["dependencies"]
    notices = (STATIC / "assets" / "licences.txt").read_text()
    assert all(f"{name} {version} (MIT)" in notices for name, version in packages.items())
    assert notices.count("Permission is hereby granted") == len(packages) == notices.count("Copyright (c)")


def test_the_page_is_small() -> None:
    sent = [STATIC / "index.html", STATIC / "assets" / "app.js", STATIC / "assets" / "app.css"]
    assert sum(len(gzip.compress(path.read_bytes())) for path in sent) < 120_000
    assert not list(STATIC.rglob("*.map"))


def test_what_is_sent_is_compressed(page: Page) -> None:
    with page.expect_response("**/app.js") as answer:
        page.goto("/")
    answer.value.finished()
    script = (STATIC / "assets" / "app.js").stat().st_size
    assert 0 < answer.value.request.sizes()["responseBodySize"] < script / 2


def test_the_lock_file_names_no_host() -> None:
    assert '"resolved"' not in (ROOT / "web" / "package-lock.json").read_text()


@pytest.mark.parametrize("screen", PLACES)
def test_every_screen_on_a_phone(page: Page, screen: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(PLACES[screen])
    expect(page.locator("main > *").first).to_be_visible()
    if screen != "train":
        page.locator("svg").nth(2).wait_for()
    page.wait_for_timeout(500)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.evaluate(NAMELESS) == []


def test_the_screens_are_reached_by_their_names(page: Page) -> None:
    page.goto("/")
    for name in ("Analyse", "Explore", "Train", "Play"):
        link = page.get_by_role("navigation").get_by_role("link", name=name)
        link.click()
        expect(link).to_have_attribute("aria-current", "page")
        expect(page).to_have_title(re.compile(f"^{name}"))
