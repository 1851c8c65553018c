"""The Play screen in a real browser: whole games, by mouse and by keyboard, and what happens to them on the way."""

from __future__ import annotations

import json
import re
import tomllib
from urllib.parse import urlencode

import pytest
from conftest import resting, until
from playwright.sync_api import Browser, Page, expect
from sites import Site

from tengen.base.bundled import bundled_folder, bundled_names
from tengen.network.checkpoint import find_network, game_of, load_network

MOST_MOVES = 400  # of a visitor, in a whole game
FIRST_PASS = 15  # the move after which a visitor passes whenever that is allowed
YOURS, OVER = "Your turn", ("You win", "The agent wins", "A draw")


def place(game: str, moves: str = "", **settings: object) -> str:
    query = urlencode({**({"moves": moves} if moves else {}), "side": 0, "level": "beginner", **settings}, safe=",")
    return f"/#/play/{game}?{query}"


def headline(page: Page) -> str:
    """What the page says of the game once it is the visitor's turn, or the end."""
    return (
        page.locator("[data-current=true] .status h1")
        .filter(has_text=re.compile("|".join([YOURS, *OVER])))
        .inner_text()
    )


def stones(page: Page) -> int:
    """Cells of the board that are not empty."""
    return page.locator("[role=gridcell]:not([aria-label*=', empty'])").count()


def moves_made(page: Page) -> int:
    return page.locator(".move-list li").count()


def wait_for_moves(page: Page, count: int) -> None:
    """Until so many were made, or more."""
    page.locator(".move-list li").nth(count - 1).wait_for()


def confirm_if_asked(page: Page, made: int) -> None:
    """A pass that may end the game is asked about."""
    page.locator(f".move-list li:nth-child({made + 1}), dialog.confirm").first.wait_for()
    if page.locator("dialog.confirm").count():
        page.get_by_role("button", name="Yes").click()


def place_of(model: str) -> str:
    """A new game against a bundled network, with the options that it was trained with."""
    config = tomllib.loads((bundled_folder("models") / model / "config.toml").read_text())
    options = {name: json.dumps(value) for name, value in config.get("options", {}).items()}
    return place(config["game"], model=model, **options)


def moves_pieces(model: str) -> bool:
    return game_of(load_network(find_network(model))).spec.action_layout == "planes"


@pytest.mark.parametrize("model", [name for name in bundled_names("models") if moves_pieces(name)])
def test_the_first_moves_of_pieces_by_clicking(page: Page, model: str) -> None:
    page.goto(place_of(model))
    for _ in range(3):
        assert headline(page) == YOURS
        made = moves_made(page)
        page.locator("[data-legal]").first.click()
        page.locator(".legal circle").first.wait_for()
        page.locator(".legal circle").first.click(force=True)
        wait_for_moves(page, made + 2)


@pytest.mark.parametrize("model", [name for name in bundled_names("models") if not moves_pieces(name)])
def test_a_whole_game_by_clicking(page: Page, model: str) -> None:
    page.goto(place_of(model))
    for turn in range(MOST_MOVES):
        if headline(page) != YOURS:
            break
        passing, legal = page.locator("[data-action]"), page.locator("[data-legal]")
        passes = passing.count() and (turn >= FIRST_PASS or not legal.count())
        target = passing.first if passes else legal.nth(turn * 7 % legal.count())
        made = moves_made(page)
        target.click()
        if passes:
            confirm_if_asked(page, made)
        wait_for_moves(page, made + 1)
    assert headline(page) in OVER
    expect(page.locator("[data-legal]")).to_have_count(0)
    expect(page.locator(".status p")).to_contain_text(f"The end after {moves_made(page)} moves")


def test_undo_takes_back_both_moves(page: Page) -> None:
    page.goto(place("tic_tac_toe"))
    expect(page.get_by_role("button", name="Undo")).to_be_disabled()
    page.locator("[data-cell='4']").click()
    expect(page.locator(".move-list li")).to_have_count(2)
    assert stones(page) == 2
    page.locator("[data-legal]").first.click()
    wait_for_moves(page, 4)
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".move-list li")).to_have_count(2)
    assert stones(page) == 2
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".move-list li")).to_have_count(0)
    assert stones(page) == 0
    assert headline(page) == YOURS


def test_the_agent_begins_when_the_visitor_is_second(page: Page) -> None:
    page.goto(place("connect_four", side=1))
    expect(page.locator(".move-list li")).to_have_count(1)
    assert headline(page) == YOURS
    expect(page.get_by_role("button", name="Undo")).to_be_disabled()


def test_hint_resign_and_a_new_game(page: Page) -> None:
    page.goto(place("tic_tac_toe", "b2,a1,a2,b1"))  # c2 wins at once
    page.get_by_role("button", name="Hint").click()
    expect(page.locator("[data-ring=hint]")).to_be_visible()
    expect(page.locator("[data-cell='5']")).to_have_accessible_name("c2, empty, can be played, hint")
    expect(page.locator(".hint")).to_contain_text("Try c2")
    page.get_by_role("button", name="Resign").click()
    expect(page.locator(".status h1")).to_have_text("You resigned")
    expect(page.locator(".status p")).to_have_text("O wins.")
    expect(page.locator("[data-legal]")).to_have_count(0)
    page.get_by_role("button", name="New game").click()
    assert headline(page) == YOURS
    assert stones(page) == 0


def test_agent_against_agent_with_a_pause(page: Page) -> None:
    page.goto(place("gomoku", side="watch", model="uniform"))  # no game so short that it ends before the press
    wait_for_moves(page, 1)
    page.get_by_role("button", name="Pause").click()
    expect(page.locator(".status h1")).to_have_text("Paused")
    made = moves_made(page)
    page.wait_for_timeout(800)  # longer than the agents take between two moves
    assert moves_made(page) == made
    page.get_by_role("button", name="Go on").click()
    wait_for_moves(page, made + 1)


def test_pass_is_a_button_where_it_is_legal(page: Page) -> None:
    page.goto(place("go", "E5,E6", size=9, model="uniform"))
    page.locator("[data-action='pass']").click()
    page.get_by_role("button", name="Yes").click()
    wait_for_moves(page, 4)
    expect(page.locator(".move-list li").nth(2)).to_have_text("2.pass", use_inner_text=True)


def test_a_reload_and_a_link_go_on_with_the_game(page: Page, browser: Browser) -> None:
    page.goto(place("connect_four", "4,4,4", side=1))
    page.locator("[data-cell='0']").click()
    expect(page.locator(".move-list li")).to_have_count(5)
    moves = page.locator(".move-list").inner_text()
    page.reload()
    expect(page.locator(".move-list")).to_have_text(moves.replace("\n", ""), use_inner_text=False)
    other = resting(browser.new_page())
    other.goto(page.url)
    expect(other.locator(".move-list li")).to_have_count(5)
    expect(other.locator(".move-list")).to_have_text(moves, use_inner_text=True)
    other.close()


def test_changing_game_side_and_colours(page: Page) -> None:
    page.goto("/")
    page.get_by_label("Game").select_option("othello")
    expect(page.locator("[role=gridcell]")).to_have_count(64)
    assert stones(page) == 4
    page.get_by_label("White, who moves second").check()
    wait_for_moves(page, 1)
    before = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    page.get_by_role("button", name="Use dark colours").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") != before
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")


def test_a_position_that_cannot_be(page: Page) -> None:
    page.goto(place("tic_tac_toe", "b2,b2"))
    expect(page.locator(".waiting")).to_contain_text("b2")
    page.get_by_role("button", name="New game").click()
    expect(page.locator("[role=gridcell]")).to_have_count(9)


def test_an_impossible_option_is_said(page: Page) -> None:
    page.goto(place("go", size=9))
    expect(page.locator("[role=gridcell]")).to_have_count(81)
    page.get_by_text("Options").click()
    page.get_by_label("size").fill("99")
    page.get_by_label("size").press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("size")
    expect(page.locator(".status h1, h1[role=status]")).to_have_text("Not possible")
    page.get_by_label("size").fill("7")
    page.get_by_label("size").press("Enter")
    expect(page.locator("[role=gridcell]")).to_have_count(49)
    expect(page.get_by_role("alert")).to_have_count(0)


def test_a_pass_that_may_lose_the_game_is_explained(page: Page) -> None:
    page.goto(place("go", "E5,E6", size=9, komi=7, model="uniform"))
    page.locator("[data-action='pass']").click()
    question = page.get_by_role("dialog")
    expect(question).to_contain_text("If the answer is the same, the game ends. As the board stands: White wins")
    expect(question).to_contain_text("Capture dead stones before you pass.")
    question.get_by_role("button", name="No").click()
    expect(question).to_have_count(0)
    assert moves_made(page) == 2

    page.goto(place("go", "E5,pass", size=9, komi=7, model="uniform"))
    expect(page.locator(".move-list li").nth(1)).to_have_text("pass")
    page.locator("[data-action='pass']").click()
    expect(question).to_contain_text("This ends the game. As the board stands: Black wins: two passes, 81 to 7.")
    question.get_by_role("button", name="Yes").click()
    expect(page.locator(".status h1")).to_have_text("You win")


def test_prisoners_territory_and_discs_are_counted(page: Page) -> None:
    page.goto(place("go", "E5,E6,A1,D5,A2,F5,A3,E4", size=9))  # E5 is taken
    expect(page.locator("[data-tally='1']")).to_have_text("White1 captured", use_inner_text=False)
    expect(page.locator("[data-tally='0']")).to_contain_text("0")
    page.goto(place("go", "E5,E6,A1,D5,A2,F5,A3,E4,pass,pass", size=9))
    expect(page.locator(".ownership .owner-1")).to_have_count(1)  # the point of E5; the rest is nobody's
    page.goto(place("othello", "d3,c3"))
    expect(page.locator("[data-tally='0']")).to_contain_text("3")
    expect(page.locator("[data-tally='1']")).to_contain_text("3")


def test_undo_after_resigning_takes_back_the_resignation(page: Page) -> None:
    page.goto(place("tic_tac_toe", "b2,a1,a2,b1"))
    page.get_by_role("button", name="Resign").click()
    expect(page.locator(".status h1")).to_have_text("You resigned")
    page.get_by_role("button", name="Undo").click()
    assert headline(page) == YOURS
    assert moves_made(page) == 4


def test_the_moves_follow_the_game_and_are_a_way_back(page: Page) -> None:
    moves = [f"{letter}{number}" for number in range(1, 10) for letter in "ABCDEF"]
    page.goto(place("go", ",".join(moves), size=9, model="uniform"))
    last = page.locator(".move-list li").nth(53)
    expect(last.get_by_role("button")).to_have_attribute("aria-current", "step")
    box = page.locator(".move-list").bounding_box()
    assert box is not None

    def is_in_sight() -> bool:
        inner = last.bounding_box()
        return inner is not None and inner["y"] + inner["height"] <= box["y"] + box["height"] + 1

    until(page, is_in_sight)
    page.locator(".move-list li").nth(2).get_by_role("button").click()
    expect(page.locator(".status h1")).to_have_text("After 3 moves")
    expect(page.locator("[role=gridcell]:not([aria-label*=', empty'])")).to_have_count(3)
    page.get_by_role("button", name="Back to the game").click()
    assert moves_made(page) == 54
    assert headline(page) == YOURS


def test_the_end_of_go_tells_score_komi_and_reason(page: Page) -> None:
    page.goto(place("go", "E5,pass,pass", size=9, komi=5.5))
    expect(page.locator(".status h1")).to_have_text("You win")
    expect(page.locator(".status p")).to_have_text(
        "Black wins: two passes, 81 to 5.5. The end after 3 moves, komi 5.5."
    )


def test_the_board_is_one_stop_of_the_tab_key_and_shows_where_it_is(page: Page) -> None:
    page.goto(place("connect_four"))
    cells = page.locator("[role=gridcell]")
    expect(cells).to_have_count(42)
    assert cells.evaluate_all("all => all.map((one) => one.getAttribute('tabindex'))").count("0") == 1
    assert page.evaluate("[...document.querySelectorAll('svg [tabIndex]')].every((one) => one.tabIndex <= 0)")
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.getAttribute('role')") == "gridcell":
            break
    ring = page.locator("[data-focus]")
    expect(ring).to_be_visible()
    colours = ring.locator("path").evaluate_all("all => all.map((one) => getComputedStyle(one).stroke)")
    assert colours == ["rgb(17, 21, 26)", "rgb(255, 255, 255)"]  # one of them is seen on any ground
    page.keyboard.press("Tab")
    expect(ring).to_have_count(0)
    assert page.evaluate("document.activeElement.getAttribute('role')") != "gridcell"


def test_a_game_with_the_keyboard_alone(page: Page) -> None:
    page.goto(place("tic_tac_toe"))
    page.locator("[role=gridcell]").first.wait_for()
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.getAttribute('role')") == "gridcell":
            break
    while headline(page) == YOURS:
        made = moves_made(page)
        row, column = divmod(int(page.locator("[data-legal]").first.get_attribute("data-cell") or 0), 3)
        at = int(page.evaluate("document.activeElement.dataset.cell"))
        for key, steps in (("ArrowDown", row - at // 3), ("ArrowRight", column - at % 3)):
            opposite = {"ArrowDown": "ArrowUp", "ArrowRight": "ArrowLeft"}[key]
            for _ in range(abs(steps)):
                page.keyboard.press(key if steps > 0 else opposite)
        assert int(page.evaluate("document.activeElement.dataset.cell")) == 3 * row + column
        page.keyboard.press("Enter")
        wait_for_moves(page, made + 1)
    assert headline(page) in OVER


def test_the_game_goes_on_after_the_server_was_killed(page: Page, site: Site, complaints: list[str]) -> None:
    page.goto(place("tic_tac_toe"))
    page.locator("[data-cell='4']").click()
    expect(page.locator(".move-list li")).to_have_count(2)
    site.kill()
    expect(page.get_by_text("Reconnecting")).to_be_visible()
    page.locator("[data-legal]").first.click()  # asked for while nobody is there
    site.start()
    expect(page.get_by_text("Reconnecting")).to_be_hidden()
    wait_for_moves(page, 4)
    complaints[:] = [text for text in complaints if "WebSocket" not in text]  # the browser's own, while it was gone


@pytest.mark.parametrize(("start", "unit"), [("go?size=9&moves=E5", "points"), ("othello?moves=d3,c3", "discs")])
def test_the_lead_that_the_agent_expects(page: Page, start: str, unit: str) -> None:
    """After a search of the agent, and where it is the visitor's turn from the beginning."""
    page.goto(f"/#/play/{start}&side=0&level=beginner")
    expect(page.locator(".lead")).to_have_text(re.compile(rf"^(Black|White) \+\d+\.\d {unit}$"))
    page.get_by_label("Thinks with").select_option("rollout")  # it does not know the score
    expect(page.locator(".lead")).to_have_count(0)
