"""The page in its readers' languages: no text is missing in any, the browser chooses, and axe finds nothing."""

from __future__ import annotations

import ast
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import opened, resting
from playwright.sync_api import Browser, Page, expect
from servers import served
from sites import Site
from test_access import found_by_axe

import tengen
from tengen.base.bundled import bundled_folder
from tengen.interfaces.web.boards import board_word
from tengen.interfaces.web.games import Games
from tengen.interfaces.web.models import LEVELS
from tengen.interfaces.web.run_settings import settings_word
from tengen.run import diagnostics

WEB = Path(__file__).parents[2] / "web"
LANGUAGES = ("zh-Hans", "zh-Hant", "ru")
PLACES = {
    "play": "/#/play/go?size=9&moves=E5,pass,pass&side=0&clock=300+0",
    "analyse": "/#/analyse/connect_four?moves=4,4,3,5&at=3",
    "explore": "/#/explore/tic_tac_toe?moves=b2&tour=5",
    "train": "/#/train/bundled.connect_four",
}


def table_of(language: str, part: str = "") -> dict[str, str]:
    table: dict[str, str] = json.loads((WEB / "languages" / part / f"{language}.json").read_text())
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


def training_texts() -> set[str]:
    """The help of settings with their units, and what a diagnosis says; its values are numbered: {1}."""
    settings = settings_word(tengen.load("tic_tac_toe"), 5.0, None).settings
    found = {text for setting in settings for text in (setting.meaning, setting.unit)}
    for rule in ast.parse(Path(diagnostics.__file__).read_text()).body:
        if isinstance(rule, ast.FunctionDef):
            found |= set(said_by(ast.Module(rule.body, [])))
    return found - {""}


def said_by(node: ast.AST) -> Iterator[str]:
    """The texts of a rule, but for its docstring and what it compares with."""
    if isinstance(node, ast.Compare) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
        return
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        values = iter(range(1, 10))
        parts = (part.value if isinstance(part, ast.Constant) else f"{{{next(values)}}}" for part in node.values)
        yield "".join(map(str, parts))
    else:
        for child in ast.iter_child_nodes(node):
            yield from said_by(child)


def values_in(text: str) -> set[str]:
    """Those that are written; a number that only chooses a form may be left out."""
    return set(re.findall(r"\{(\w+)\}", text))


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_text_is_missing_and_none_is_left_over(language: str) -> None:
    table = table_of(language)
    assert (texts() | names()) - set(table) == set()
    assert set(table) - texts() - names() == set()
    assert set(table_of(language, "training")) == training_texts()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_has_the_values_of_the_english_one(language: str) -> None:
    for english, said in [*table_of(language).items(), *table_of(language, "training").items()]:
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


def test_help_of_settings_and_diagnosis(browser: Browser, tmp_path: Path, language: str) -> None:
    shutil.copytree(bundled_folder("models") / "tic_tac_toe", tmp_path / "first")
    metrics = tmp_path / "first" / "metrics.jsonl"
    cause = "none of the last 10 candidates beat the champion; the best of them scored 49%"
    finding = {"name": "no candidate promoted", "cause": cause, "remedy": "lower the moon"}
    *lines, newest = metrics.read_text().splitlines()
    metrics.write_text("\n".join([*lines, json.dumps(json.loads(newest) | {"findings": [finding]})]) + "\n")
    table, more = table_of(language), table_of(language, "training")
    with served(runs=tmp_path) as server:
        context = browser.new_context(base_url=f"http://{server.host}", locale=LOCALES[language])
        page = resting(context.new_page())
        page.goto("/#/train/first")
        diagnosis = page.get_by_label(table["Diagnosis"])
        best = more["; the best of them scored {1}"].replace("{1}", "49%")
        said = more["none of the last {1} candidates beat the champion{2}"].replace("{1}", "10").replace("{2}", best)
        for text in (more["no candidate promoted"][1:], said[1:], "lower the moon"):  # but for capitals
            expect(diagnosis).to_contain_text(text)
        form = page.locator(".start-form")
        form.get_by_text(table["Settings"]).click()
        field = form.locator("[data-setting='learner.batch']")
        expect(field).to_contain_text(more["samples a step; in runs of an hour small batches pay"])
        expect(field).to_contain_text(f"({more['samples']})")
        context.close()


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
        assert reader.locator(".header nav").evaluate("nav => nav.scrollWidth <= nav.clientWidth"), place
