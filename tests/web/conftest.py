"""A server for the tests of the protocol, and one with a real browser for those of the page.

What a page complains about in its console fails its test.

A machine that is busy is slow, not wrong. So no test presses, types or reads before the page is where it was sent:
`page.goto` waits for that (`at_rest`), and after a link is followed the test does (`at_rest`, or by what it expects).
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Playwright, expect, sync_playwright
from servers import Server, served
from sites import Site

PATIENCE = 120_000  # milliseconds: a busy machine is slow, not wrong
CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--headless",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
RULES = Path(__file__).parents[1] / "support" / "rules"
WIDE = {"width": 1200, "height": 850}

# Drawn is the place of the address, and the server has said what there is to know of it.
RESTS = """() => {
    const main = document.querySelector("main");
    return main?.dataset.place === location.hash && main.querySelector("[aria-busy=true]") === null;
}"""

expect.set_options(timeout=PATIENCE)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """For those that speak the protocol: in this process, shared by the tests of a file."""
    with served(runs=tmp_path_factory.mktemp("runs")) as running:
        yield running


@pytest.fixture
def rules_file() -> Path:
    return Path(__file__).parents[2] / "examples" / "hex.py"


@pytest.fixture
def rules() -> Path:
    """The folder of small rules files."""
    return RULES


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """One for all tests; one that kills it starts it again."""
    site = Site(tmp_path_factory.mktemp("runs"))
    site.start()
    yield site
    site.kill()


@pytest.fixture(scope="module")
def own_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A site with games of a user's own, one of which can't be loaded."""
    examples = Path(__file__).parents[2] / "examples"
    files = [examples / "connect_four.py", f"{examples / 'hex.py'}:size=5", f"{examples / 'breakthrough.py'}:size=5"]
    files += [examples / "dots_and_boxes.py", *(RULES / f"{name}.py" for name in ("broken", "crowns", "nim", "strip"))]
    site = Site(tmp_path_factory.mktemp("own_runs"), tuple(map(str, files)))
    site.start()
    yield site
    site.kill()


@pytest.fixture
def own_page(browser: Browser, own_site: Site, complaints: list[str]) -> Iterator[Page]:
    """As `page`, of the site with a user's own games."""
    with opened(browser, own_site, complaints) as page:
        yield page


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Of a file: while it is there, its event loop is the thread's, and no other test could have one."""
    with sync_playwright() as playwright:
        browser = _launch(playwright)
        yield browser
        browser.close()


@pytest.fixture
def complaints() -> list[str]:
    """What pages wrote into their console as an error. A test that makes some on purpose takes them out."""
    return []


@pytest.fixture
def page(browser: Browser, site: Site, complaints: list[str]) -> Iterator[Page]:
    """A browser that was never here before; `page.goto("#/play")` is a place on the page."""
    with opened(browser, site, complaints) as page:
        yield page


def until(page: Page, holds: Callable[[], object]) -> None:
    """Waits in Python: the page lets nobody evaluate text in it."""
    end = time.monotonic() + PATIENCE / 1000
    while not holds():
        assert time.monotonic() < end, "it never came to that"
        page.wait_for_timeout(20)


def at_rest(page: Page) -> None:
    """Until then a press may be one on the board of the place before."""
    until(page, lambda: page.evaluate(RESTS))


def resting(page: Page) -> Page:
    """The page, which from now on comes to rest wherever it goes. `wait_until="commit"` is the way around that."""
    go = page.goto

    def goto(address: str, **options: Any) -> None:
        go(address, **options)
        if options.get("wait_until") != "commit":
            at_rest(page)

    page.goto = goto  # type: ignore[method-assign, assignment]
    return page


@contextmanager
def opened(browser: Browser, site: Site, complaints: list[str], locale: str = "en-GB") -> Iterator[Page]:
    context = browser.new_context(base_url=site.address, viewport=WIDE, accept_downloads=True, locale=locale)
    context.set_default_timeout(PATIENCE)
    page = resting(context.new_page())
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: _stays_here(request.url, complaints))
    yield page
    context.close()
    assert complaints == []


def _stays_here(url: str, complaints: list[str]) -> None:
    if not url.startswith(("http://127.0.0.1", "ws://127.0.0.1", "data:", "blob:")):
        complaints.append(f"loaded from elsewhere: {url}")


def _launch(playwright: Playwright) -> Browser:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or "/usr/bin/chromium"
    return playwright.chromium.launch(executable_path=chromium, args=CHROMIUM_FLAGS)
