"""The page in its readers' languages: no text is missing in any, the browser chooses, and axe finds nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import opened
from playwright.sync_api import Browser, Page, expect
from sites import Site
from test_access import found_by_axe

import tengen
from tengen.interfaces.web.boards import board_word
from tengen.interfaces.web.games import Games
from tengen.interfaces.web.models import LEVELS

WEB = Path(__file__).parents[2] / "web"
LANGUAGES = ("zh-Hans", "zh-Hant", "ru")
PLACES = {
    "play": "/#/play/go?size=9&moves=E5,pass,pass&side=0&clock=300+0",
    "analyse": "/#/analyse/connect_four?moves=4,4,3,5&at=3",
    "explore": "/#/explore/tic_tac_toe?moves=b2&tour=5",
    "train": "/#/train/bundled.connect_four",
}


def table_of(language: str) -> dict[str, str]:
    table: dict[str, str] = json.loads((WEB / "languages" / f"{language}.json").read_text())
    return table


def texts() -> set[str]:
    """What the sources say in English."""
    found: set[str] = set()
    for path in (WEB / "src").rglob("*.ts*"):
        if path.name != "language.ts":
            found.update(map(json.loads, re.findall(r'\b(?:t|rich)\(\s*("(?:[^"\\]|\\.)*")', path.read_text())))
    return found


def names() -> set[str]:
    """What the games say: titles, players, pieces, options, levels, what they count, and why a game ended."""
    found = {reason.value for reason in tengen.Reason} | {level.name for level in LEVELS}
    found |= {"pass", "inaccuracy", "mistake", "blunder", "piece"}
    for name in tengen.games.names():
        game = tengen.load(name)
        board = board_word(game)
        found |= {Games().title(name), board.score_name, *board.players, *(piece.name for piece in board.pieces)}
        found |= {option.replace("_", " ") for option in game.spec.options}
    return found - {""}


def values_in(text: str) -> set[str]:
    """Those that are written; a number that only chooses a form may be left out."""
    return set(re.findall(r"\{(\w+)\}", text))


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_text_is_missing_and_none_is_left_over(language: str) -> None:
    table = table_of(language)
    assert (texts() | names()) - set(table) == set()
    assert set(table) - texts() - names() == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_has_the_values_of_the_english_one(language: str) -> None:
    for english, said in table_of(language).items():
        assert said.strip(), english
        assert values_in(said) == values_in(english), english
        assert said.count("*") == english.count("*"), english
        assert all(len(forms.split("|")) == 3 for forms in re.findall(r"\{\w+:([^}]*)\}", said)), said


@pytest.fixture(params=LANGUAGES)
def language(request: pytest.FixtureRequest) -> str:
    chosen: str = request.param
    return chosen


@pytest.fixture
def reader(browser: Browser, site: Site, complaints: list[str], language: str) -> Iterator[Page]:
    """A browser of someone who reads that language."""
    with opened(browser, site, complaints, locale=LOCALES[language]) as page:
        yield page


LOCALES = {"zh-Hans": "zh-CN", "zh-Hant": "zh-TW", "ru": "ru-RU"}


def test_the_browser_chooses_and_the_reader_can_switch(reader: Page, language: str) -> None:
    table = table_of(language)
    reader.goto("/#/play/connect_four?moves=4,4&side=0")
    expect(reader.locator(".status h1")).to_have_text(table["Your turn"])
    expect(reader.locator("html")).to_have_attribute("lang", language)
    expect(reader.get_by_label(table["Game"]).locator("option[value=connect_four]")).to_have_text(table["Connect Four"])
    reader.locator(".language-switch").select_option("en")
    expect(reader.locator(".status h1")).to_have_text("Your turn")
    expect(reader.locator(".move-list li")).to_have_count(2)  # the same place
    reader.reload()
    expect(reader.locator(".status h1")).to_have_text("Your turn")
    reader.locator(".language-switch").select_option(language)
    expect(reader.locator(".status h1")).to_have_text(table["Your turn"])


def test_a_reader_of_another_language_has_english(browser: Browser, site: Site, complaints: list[str]) -> None:
    with opened(browser, site, complaints, locale="de-DE") as page:
        page.goto("/")
        expect(page.locator(".status h1")).to_have_text("Your turn")
        expect(page.locator("html")).to_have_attribute("lang", "en")


def test_results_numbers_and_errors(reader: Page, language: str) -> None:
    table = table_of(language)
    reader.goto("/#/play/go?size=9&moves=E5,pass,pass&side=0")
    why = reader.locator(".status p")
    expect(why).to_contain_text(table["two passes"])
    expect(why).to_contain_text("81 : 7")
    if language == "ru":
        expect(why).to_contain_text("3 ходов")
    reader.goto("/#/analyse/connect_four?moves=4,9")
    expect(reader.get_by_role("alert")).to_contain_text(table["The game knows no such move."])


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing(reader: Page, language: str, theme: Any) -> None:
    reader.emulate_media(color_scheme=theme, reduced_motion="reduce")
    for screen, place in PLACES.items():
        reader.goto(place)
        reader.locator("main h1").first.wait_for(state="attached")
        if screen == "analyse":
            reader.locator("[data-simulations][data-running=false]").wait_for()
        elif screen == "explore":
            reader.locator("output[data-simulations='3'][data-busy=false]").wait_for()
        elif screen == "train":
            reader.locator(".chart-box").first.wait_for()
        else:
            reader.locator(".status h1").wait_for()
        assert found_by_axe(reader) == [], screen


def test_every_screen_fits_a_phone(reader: Page) -> None:
    reader.set_viewport_size({"width": 390, "height": 844})
    for place in PLACES.values():
        reader.goto(place)
        reader.locator("main h1").first.wait_for(state="attached")
        expect(reader.locator("main .waiting")).to_have_count(0)
        assert reader.evaluate("document.documentElement.scrollWidth") <= 390, place
