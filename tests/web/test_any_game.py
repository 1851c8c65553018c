"""Games of a user's own on the page, in a real browser: columns, hexagons, moves from cell to cell, moves by name."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect
from test_play import moves_made, place, stones, wait_for_moves

import tengen
from tengen.interfaces.web.boards import board_word

OVER = re.compile("You win|The agent wins|A draw")


def cell(page: Page, name: str) -> Any:
    """The cell of that name."""
    return page.locator(f"[role=gridcell][aria-label^='{name},']")


def legal_cells(page: Page) -> set[str]:
    """Names of the cells that can be pressed."""
    labels = page.locator("[data-legal]").evaluate_all("all => all.map((one) => one.getAttribute('aria-label'))")
    return {label.split(",")[0] for label in labels}


def test_a_file_with_columns_on_every_screen(own_page: Page) -> None:
    page = own_page
    page.goto(place("connect_four_2"))
    expect(page.get_by_label("Game", exact=True)).to_have_value("connect_four_2")
    page.locator("[data-cell='3']").click()  # anywhere in the column
    wait_for_moves(page, 2)
    expect(page.locator("[data-cell='38']")).to_have_accessible_name(re.compile("column 4, row 1, X"))
    assert stones(page) == 2
    page.get_by_role("link", name="Analyse this game").click()
    page.mouse.move(0, 0)  # over a row of the table it would show that line instead of the labels
    expect(page.locator("[data-label]")).to_have_count(7)
    expect(page.locator("[data-label]:has-text('100')")).to_have_count(0)
    page.goto("/#/explore/connect_four_2?moves=4")
    page.get_by_role("button", name="10 simulations").click()
    expect(page.locator("output[data-simulations='10'][data-busy=false]")).to_be_visible()
    expect(page.get_by_role("grid", name="Position of the new node")).to_be_visible()
    page.goto("/#/train")
    expect(page.get_by_label("Game").locator("option[value=connect_four_2]")).to_have_text(
        "Connect four (connect_four.py)"
    )


def test_hexagons_are_pressed_where_they_are_drawn(own_page: Page) -> None:
    page = own_page
    page.goto(place("hex"))
    expect(page.locator(".hexagons .square")).to_have_count(25)
    expect(page.locator(".side-0, .side-1")).to_have_count(2)  # each has two sides of the board
    box = cell(page, "c3").bounding_box()
    left, right = cell(page, "a5").bounding_box(), cell(page, "a1").bounding_box()
    assert box is not None
    assert left is not None
    assert right is not None
    assert right["x"] > left["x"] + 1.5 * box["width"]  # rows lie further right, row by row
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    wait_for_moves(page, 2)
    expect(page.locator(".move-list li").first).to_have_text("1.c3", use_inner_text=True)
    expect(cell(page, "c3")).to_have_accessible_name("c3, X")
    for _ in range(25):
        if page.locator(".status h1").filter(has_text=OVER).count():
            break
        made = moves_made(page)
        page.locator("[data-legal]").first.click()
        wait_for_moves(page, made + 1)
        page.locator("[data-current=true] .status h1").filter(
            has_text=re.compile("Your turn|" + OVER.pattern)
        ).wait_for()
    expect(page.locator(".status h1")).to_have_text(OVER)


def test_a_move_from_cell_to_cell_by_two_presses(own_page: Page) -> None:
    page = own_page
    page.goto(place("breakthrough"))
    expect(cell(page, "b2")).to_have_accessible_name("b2, X, can be played")
    assert legal_cells(page) == {f"{column}2" for column in "abcde"}
    cell(page, "b2").click()
    expect(page.locator("[data-ring=source]")).to_be_visible()
    assert legal_cells(page) == {"a3", "b3", "c3"}
    cell(page, "e5").click()  # no target: put back
    expect(page.locator("[data-ring=source]")).to_have_count(0)
    cell(page, "b2").click()
    cell(page, "d2").click()  # another piece instead
    assert legal_cells(page) == {"c3", "d3", "e3"}
    cell(page, "d2").click()  # put back
    assert legal_cells(page) == {f"{column}2" for column in "abcde"}
    cell(page, "d2").click()
    cell(page, "c3").click()
    wait_for_moves(page, 2)
    expect(page.locator(".move-list li").first).to_have_text("1.d2c3", use_inner_text=True)
    expect(cell(page, "d2")).to_have_accessible_name(re.compile("^d2, (empty|O)"))


def test_a_move_by_dragging(own_page: Page) -> None:
    page = own_page
    page.goto(place("breakthrough"))
    cell(page, "a2").drag_to(cell(page, "d4"))  # too far: nothing happens
    expect(page.locator("[data-ring=source]")).to_have_count(0)
    assert moves_made(page) == 0
    cell(page, "a2").drag_to(cell(page, "b3"))
    wait_for_moves(page, 2)
    expect(page.locator(".move-list li").first).to_have_text("1.a2b3", use_inner_text=True)


def test_a_move_from_cell_to_cell_by_the_keyboard(own_page: Page) -> None:
    page = own_page
    page.goto(place("breakthrough"))
    cell(page, "c3").focus()
    for key in ("ArrowDown", "Enter", "ArrowUp", "ArrowLeft", "Enter"):
        page.keyboard.press(key)
    wait_for_moves(page, 2)
    expect(page.locator(".move-list li").first).to_have_text("1.c2b3", use_inner_text=True)


def test_analysis_of_moves_from_cell_to_cell(own_page: Page) -> None:
    page = own_page
    page.goto("/#/analyse/breakthrough?moves=b2b3,a4b3")
    row = page.locator("tr[data-move]").first
    best = row.get_attribute("data-move")
    expect(page.locator(".arrow-best")).to_have_count(1)
    row.hover()
    expect(page.locator(".arrow[data-line='1']")).to_have_count(1)
    expect(page.locator(".arrow[data-line='1'].arrow-player-0")).to_have_count(1)
    assert re.fullmatch("[a-e][1-5][a-e][1-5]", best or "")
    page.mouse.move(0, 0)
    cell(page, "c2").click()
    cell(page, "b3").click()
    expect(page.locator(".game-tree")).to_contain_text("c2b3")
    page.keyboard.press("ArrowLeft")  # after a press on the board, keys step through the game
    expect(page).to_have_url(re.compile("moves=b2b3,a4b3,c2b3&at=2"))
    page.keyboard.press("Home")
    expect(page).to_have_url(re.compile("&at=0"))
    page.keyboard.press("End")
    expect(page).not_to_have_url(re.compile("&at="))


def test_moves_with_the_same_cells_are_chosen_by_name(own_page: Page) -> None:
    page = own_page
    page.goto("/#/analyse/crowns?moves=a1a2,b4b3,a2b3,a4a3")
    cell(page, "b3").click()
    cell(page, "c4").click()  # takes the man there, as a man or as a king
    chooser = page.get_by_role("dialog", name="Which move?")
    expect(chooser.locator("[data-choice]")).to_have_text(["b3c4", "b3c4=k"])
    expect(chooser.locator("[data-choice]").first).to_be_focused()
    page.keyboard.press("Escape")
    expect(chooser).to_have_count(0)
    cell(page, "c4").click()
    chooser.get_by_text("b3c4=k").click()
    expect(page.locator(".over")).to_contain_text("White wins")
    expect(cell(page, "c4")).to_have_accessible_name(re.compile("c4, white king"))
    expect(page.locator(".stone-text").filter(has_text="K")).to_have_count(1)


def test_a_game_without_pieces_is_played_by_name(own_page: Page) -> None:
    page = own_page
    page.goto(place("nim"))
    expect(page.locator(".board-text")).to_contain_text("d |||||||")
    options = page.get_by_role("option")
    expect(page.get_by_role("listbox").get_by_role("option")).to_have_count(16)
    page.get_by_role("combobox", name="16 legal moves").fill("d")
    expect(page.get_by_role("listbox").get_by_role("option")).to_have_text([f"take{count}d" for count in range(1, 8)])
    page.keyboard.press("ArrowDown")
    expect(options.filter(has_text="take2d")).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Enter")
    wait_for_moves(page, 2)
    expect(page.locator(".move-list li").first).to_have_text("1.take2d", use_inner_text=True)
    while not page.locator("[data-current=true] .status h1").filter(has_text=OVER).count():
        made = moves_made(page)
        page.locator("[data-action]").first.click()
        wait_for_moves(page, made + 1)
        page.locator("[data-current=true] .status h1").filter(
            has_text=re.compile("Your turn|" + OVER.pattern)
        ).wait_for()
    expect(page.locator(".status p")).to_contain_text(f"The end after {moves_made(page)} moves")


@pytest.mark.parametrize("screen", ["analyse", "explore"])
def test_moves_by_name_on_the_other_screens(own_page: Page, screen: str) -> None:
    page = own_page
    page.goto(f"/#/{screen}/nim")
    expect(page.locator(".board-text").first).to_contain_text("c |||||")
    page.locator("[data-action=take5c]").click()
    expect(page).to_have_url(re.compile("moves=take5c"))
    expect(page.locator(".board-text").first).not_to_contain_text("c |")


def test_a_bad_game_fails_alone(own_page: Page) -> None:
    page = own_page
    page.goto("/")
    expect(page.locator("[data-broken]")).to_contain_text("there is no function legal(state, mask)")
    option = page.get_by_label("Game", exact=True).locator("option", has_text="broken.py")
    expect(option).to_have_attribute("disabled", "")
    expect(page.locator("[role=gridcell]").first).to_be_visible()
    page.goto("/#/play/broken.py")
    expect(page.get_by_role("alert")).to_contain_text("there is no function legal(state, mask)")
    page.get_by_role("link", name="Other games").click()
    expect(page.locator("[role=gridcell]").first).to_be_visible()


def test_a_link_to_a_game_that_the_server_does_not_have(own_page: Page) -> None:
    """It is not taken for one to another game."""
    for screen in ("play", "analyse", "explore"):
        own_page.goto(f"/#/{screen}/mancala?moves=a1")
        expect(own_page.get_by_role("alert")).to_contain_text("The server has no game called mancala.")
        own_page.get_by_role("link", name="Other games").click()
        expect(own_page.locator("[role=gridcell]").first).to_be_visible()


def test_long_names_stay_in_their_places(own_page: Page) -> None:
    own_page.goto("/#/analyse/strip?moves=a1,h1&model=uniform")
    own_page.locator("[data-simulations][data-running=false]").wait_for()
    wide = """cells => cells.filter((one) => one.scrollWidth > one.clientWidth)
        .filter((one) => getComputedStyle(one).overflowX !== "hidden").length"""
    assert own_page.locator(".moves thead th").evaluate_all(wide) == 0
    own_page.goto("/#/explore/strip?moves=a1,h1&model=uniform")
    own_page.get_by_role("button", name="+100 simulations").click()
    own_page.locator("output[data-simulations='100'][data-busy=false]").wait_for()
    beyond = "table => table.getBoundingClientRect().right - table.closest('.stage-card').getBoundingClientRect().right"
    assert own_page.locator("table.changes").evaluate(beyond) < 0


def test_players_called_by_a_colour_have_it(tmp_path: Path, rules_file: Path) -> None:
    """Unless the file says which colours its pieces have."""
    colours = {}
    for names in (["red", "blue"], ["Red", "O"], ["black", "white"]):
        path = tmp_path / f"{names[0]}_{names[1]}.py"
        path.write_text(f"{rules_file.read_text()}\nplayer_names = {names}\n")
        colours[path.stem] = [piece.colour for piece in board_word(tengen.load(str(path), size=3)).pieces]
    assert colours == {"red_blue": ["#c8442f", "#2f6cc0"], "Red_O": ["", ""], "black_white": ["", ""]}


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("game", ["hex", "breakthrough", "dots_and_boxes", "crowns", "nim", "strip"])
def test_every_board_fits_a_phone(own_page: Page, game: str, theme: str) -> None:
    own_page.set_viewport_size({"width": 390, "height": 844})
    own_page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    for screen in ("play", "analyse", "explore"):
        own_page.goto(f"/#/{screen}/{game}")
        expect(own_page.locator(".board, .board-text").first).to_be_visible()
        own_page.wait_for_timeout(300)
        assert own_page.evaluate("document.documentElement.scrollWidth") <= 390


def test_pieces_that_are_held_are_put_on_the_board(own_page: Page) -> None:
    """No game has hands yet, so what the server says of Breakthrough is given one: a man of X for c3."""
    page, asked = own_page, []

    def through(route: WebSocketRoute) -> None:
        server = route.connect_to_server()

        def to_page(message: str | bytes) -> None:
            answer = json.loads(message)
            if answer["type"] == "state" and answer["position"]["moves"] == []:
                answer["hands"] = [[{"piece": 1, "count": 2}], []]
                drop = {"action": 999, "text": "m@c3", "source": None, "target": 12, "piece": 1}
                answer["legal"].append(drop)
            route.send(json.dumps(answer))

        def to_server(message: str | bytes) -> None:
            asked.append(json.loads(message))
            server.send(message)

        server.on_message(to_page)
        route.on_message(to_server)

    page.route_web_socket(re.compile("/ws$"), through)
    page.goto("/#/analyse/breakthrough")
    held = page.get_by_role("group", name="Pieces that X holds").get_by_role("button")
    held.click()
    assert legal_cells(page) == {"c3"}
    cell(page, "c3").click()
    expect(page).to_have_url(re.compile("moves=m%40c3"))
    assert any(one.get("position", {}).get("moves") == ["m@c3"] for one in asked)
    page.locator(".waiting").wait_for()  # the server knows no such move, and says so
