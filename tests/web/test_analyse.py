"""The Analyse screen in a real browser: its numbers are the engine's, its layers and its tree do what they say."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from conftest import until
from playwright.sync_api import Locator, Page, WebSocketRoute, expect
from sgfmill.sgf import Sgf_game

import tengen
from tengen.engine import Limit
from tengen.games.trees import read_tree
from tengen.interfaces.web.models import Models
from tengen.interfaces.web.searches import new_engine

QUICK_SIMULATIONS = 200  # of web/src/screens/analyse.tsx


def arrive(page: Page, place: str) -> None:
    """Goes there and waits until the first search is over."""
    page.goto(place)
    page.locator("[data-simulations][data-running=false]").wait_for()


def test_layers_show_the_engines_numbers(page: Page) -> None:
    arrive(page, "/#/analyse/connect_four?moves=4,4,3")
    state = tengen.load("connect_four").state(["4", "4", "3"])
    model = Models().get("connect_four", state.game)
    engine = new_engine(model, state, None)
    sight = engine.first_sight()
    analysis = engine.think(Limit(simulations=QUICK_SIMULATIONS))

    rows = page.locator("tr[data-move]")
    shown = [
        {name: row.get_attribute(f"data-{name}") for name in ("move", "visits", "value", "prior")} for row in rows.all()
    ]
    assert [(row["move"], int(row["visits"] or 0)) for row in shown] == [(m.text, m.visits) for m in analysis.moves]
    for row, move in zip(shown, analysis.moves, strict=True):
        assert float(row["value"] or 9) == pytest.approx(move.value, abs=1e-6)
        assert float(row["prior"] or 9) == pytest.approx(move.prior, abs=1e-6)

    best = analysis.moves[0]
    cells = {label.get_attribute("data-label"): label for label in page.locator("[data-label]").all()}
    assert len(cells) == len(analysis.moves)
    landing = {"1": 35, "2": 36, "3": 30, "4": 24, "5": 39, "6": 40, "7": 41}
    written = cells[str(landing[best.text])].locator("text").all_text_contents()
    assert written == [str(round(100 * best.win_rate)), str(best.visits)]

    bar = page.locator(".bar")
    assert state.to_move == 1  # and the bar has the first player on the left
    assert float(bar.get_attribute("data-win") or 9) == pytest.approx(sight.loss, abs=1e-6)
    assert float(bar.get_attribute("data-draw") or 9) == pytest.approx(sight.draw, abs=1e-6)
    assert float(bar.get_attribute("data-loss") or 9) == pytest.approx(sight.win, abs=1e-6)

    page.get_by_label("Network: how likely").check()
    expect(page.locator("[data-label]")).to_have_count(0)
    heat = {
        h.get_attribute("data-heat"): float(h.get_attribute("data-value") or 9)
        for h in page.locator("[data-heat]").all()
    }
    priors = {str(landing[state.action_text(action)]): prior for action, prior in sight.priors.items()}
    assert heat == pytest.approx(priors, abs=1e-6)

    page.get_by_label("Nothing over the board").check()
    expect(page.locator("[data-heat]")).to_have_count(0)


def test_live_search_starts_deepens_and_stops(page: Page) -> None:
    arrive(page, "/#/analyse/connect_four")
    count = page.locator("[data-simulations]")
    page.get_by_role("button", name="Deeper").click()
    expect(page.locator(f"[data-simulations='{4 * QUICK_SIMULATIONS}'][data-running=false]")).to_be_visible()
    page.get_by_role("button", name="Start live search").click()
    expect(page.locator("[data-running=true]")).to_be_visible()
    first = count.get_attribute("data-simulations") or ""
    page.locator(f"[data-simulations]:not([data-simulations='{first}'])").wait_for()
    page.get_by_role("button", name="Stop", exact=True).click()
    expect(page.get_by_role("button", name="Start live search")).to_be_visible()
    page.locator("[data-simulations][data-running=false]").wait_for()


def test_the_line_of_a_move_shows_on_hover(page: Page) -> None:
    arrive(page, "/#/analyse/tic_tac_toe?moves=b2")
    row = page.locator("tr[data-move]").first
    row.hover()
    expect(page.locator("[data-line='1']")).to_be_visible()
    line = page.locator("tr[data-move]").first.locator(".line-column").inner_text().split()
    assert page.locator("[data-line]").count() == 1 + len(line)
    page.mouse.move(2, 2)
    expect(page.locator("[data-line]")).to_have_count(0)
    page.locator("[data-label]").first.wait_for()


def test_the_graph_fills_itself_and_a_click_jumps(page: Page) -> None:
    page.goto("/#/analyse/tic_tac_toe?moves=b2,a1,a2,b1,c2")
    expect(page.locator(".graph-line")).to_have_attribute("data-known", "6")
    expect(page.get_by_text("The game is over. X wins: three in a row.")).to_be_visible()
    box = page.locator(".graph svg").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 0.4 * box["width"], box["y"] + 20)
    expect(page.locator(".game-tree [aria-current]")).to_have_attribute("data-moves", "b2 a1")
    page.get_by_label("Move shown").press("ArrowRight")
    expect(page.locator(".game-tree [aria-current]")).to_have_attribute("data-moves", "b2 a1 a2")
    page.get_by_role("button", name="To the end").click()
    expect(page.locator(".game-tree [aria-current]")).to_have_attribute("data-moves", "b2 a1 a2 b1 c2")


def test_variations_are_kept(page: Page) -> None:
    page.goto("/#/analyse/tic_tac_toe?moves=b2,a1")
    page.locator("[data-cell='2']").click()
    expect(page.locator(".game-tree [data-moves]")).to_have_count(3)
    page.locator(".game-tree [data-moves='b2']").click()
    page.locator("[data-cell='8']").click()
    expect(page.locator(".variation [data-moves='b2 c1']")).to_have_attribute("aria-current", "step")
    page.reload()
    expect(page.locator(".game-tree [data-moves]")).to_have_count(4)
    page.locator(".game-tree [data-moves='b2 a1']").click()
    page.get_by_role("button", name="Remove from here").click()
    expect(page.locator(".game-tree [data-moves]")).to_have_count(2)
    page.locator("body").press("ArrowLeft")
    page.locator("body").press("ArrowRight")
    expect(page.locator(".game-tree [aria-current]")).to_have_attribute("data-moves", "b2")


def test_paste_and_download(page: Page, tmp_path: Path) -> None:
    page.goto("/#/analyse/connect_four")
    page.get_by_role("button", name="Paste a game").click()
    page.locator("#pasted").fill("1. 4 4 2. 3 9")
    page.get_by_role("button", name="Show it").click()
    expect(page.get_by_role("alert")).to_contain_text("9")
    page.locator("#pasted").fill("1. 4 4 2. 3, 5")
    page.get_by_role("button", name="Show it").click()
    expect(page.locator(".game-tree [aria-current]")).to_have_attribute("data-moves", "4 4 3 5")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download moves").click()
    download.value.save_as(tmp_path / "moves.txt")
    assert (tmp_path / "moves.txt").read_text().split() == ["4", "4", "3", "5"]


def test_sgf_in_and_out(page: Page, tmp_path: Path) -> None:
    page.goto("/#/analyse/connect_four")
    page.get_by_role("button", name="Paste a game").click()
    page.locator("#pasted").fill("(;FF[4]GM[1]SZ[9]KM[7];B[ee];W[cc];B[];W[gg])")
    page.get_by_role("button", name="Show it").click()
    expect(page.locator(".game-tree [aria-current]")).to_have_attribute("data-moves", "E5 C7 pass G3")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download SGF").click()
    download.value.save_as(tmp_path / "game.sgf")
    game = Sgf_game.from_bytes((tmp_path / "game.sgf").read_bytes())
    assert game.get_size() == 9
    assert [node.get_move() for node in game.get_main_sequence()[1:]] == [
        ("b", (4, 4)),
        ("w", (6, 2)),
        ("b", None),
        ("w", (2, 6)),
    ]


SGF = "(;FF[4]GM[1]SZ[9]KM[7]C[a game];B[ee]C[the middle];W[cc](;B[];W[gg])(;B[gc]C[instead];W[cg];B[gg]))"


def test_sgf_keeps_variations_and_comments_both_ways(page: Page, tmp_path: Path) -> None:
    page.goto("/#/analyse/connect_four")
    page.get_by_role("button", name="Paste a game").click()
    page.locator("#pasted").fill(SGF)
    page.get_by_role("button", name="Show it").click()
    tree = page.locator(".game-tree")
    expect(tree.locator("[aria-current]")).to_have_attribute("data-moves", "E5 C7 pass G3")
    expect(tree.locator(".variation [data-moves]")).to_have_count(3)
    expect(tree.locator(".variation [data-moves]").first).to_have_attribute("data-moves", "E5 C7 G7")
    expect(tree.locator(".tree-comment")).to_have_text(["a game", "the middle", "instead"])
    page.reload()
    expect(tree.locator(".variation [data-moves]")).to_have_count(3)
    with page.expect_download() as download:
        page.get_by_role("button", name="Download SGF").click()
    download.value.save_as(tmp_path / "game.sgf")
    assert read_tree((tmp_path / "game.sgf").read_bytes()) == read_tree(SGF)


DROPPED = {  # files as their programs write them, and the comment of the first move
    "game.sgf": ("(;GM[1]SZ[9]CA[gb2312];B[ee]C[天元])".encode("gb2312"), "天元"),
    "old.sgf": ("(;GM[1]SZ[9];B[ee]C[天元])".encode("gb18030"), "天元"),
    "game.kif": ("手合割\uff1a平手\n   1 ７六歩(77)\n*角道\n".encode("cp932"), "角道"),
    "game.pgn": ('[White "A"]\n\n1. e4 {très bien} *'.encode("latin1"), "très bien"),
}


@pytest.mark.parametrize("name", DROPPED)
def test_files_in_other_encodings(page: Page, name: str) -> None:
    content, comment = DROPPED[name]
    page.goto("/#/analyse/connect_four")
    page.locator("[data-cell]").first.wait_for()
    drop_file(page, name, content)
    expect(page.locator(".game-tree .tree-comment")).to_have_text(comment)


def test_a_file_is_dropped_on_the_page(page: Page) -> None:
    page.goto("/#/analyse/connect_four")
    page.locator("[data-cell]").first.wait_for()
    drop_file(page, "game.sgf", SGF.encode())
    expect(page.locator(".variation [data-moves]")).to_have_count(3)


def drop_file(page: Page, name: str, content: bytes) -> None:
    page.evaluate(
        """([name, bytes]) => {
            const dataTransfer = new DataTransfer();
            dataTransfer.items.add(new File([new Uint8Array(bytes)], name));
            for (const type of ["dragover", "drop"]) {
                document.body.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
            }
        }""",
        [name, list(content)],
    )


def test_keys_step_through_the_game_after_a_press_on_the_board(page: Page) -> None:
    page.goto("/#/analyse/tic_tac_toe?moves=b2,a1")
    here = page.locator(".game-tree [aria-current]")
    page.locator("[data-cell='2']").click()
    expect(here).to_have_attribute("data-moves", "b2 a1 c3")
    for key, moves in (("ArrowLeft", "b2 a1"), ("ArrowLeft", "b2"), ("End", "b2 a1 c3"), ("ArrowLeft", "b2 a1")):
        page.keyboard.press(key)
        expect(here).to_have_attribute("data-moves", moves)
    page.keyboard.press("Home")
    expect(here).to_have_count(0)
    page.keyboard.press("ArrowRight")
    expect(here).to_have_attribute("data-moves", "b2")


@pytest.mark.parametrize("place", ["tic_tac_toe", "connect_four", "go?size=9", "chess"])
def test_nothing_jumps_while_the_search_fills_the_table(page: Page, place: str) -> None:
    """From before the server has said anything of the position until the search is over."""
    held: list[tuple[WebSocketRoute, str | bytes]] = []
    is_holding = True

    def hold(socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()
        server.on_message(lambda message: held.append((socket, message)) if is_holding else socket.send(message))

    page.route_web_socket("**/ws", hold)
    page.goto(f"/#/analyse/{place}", wait_until="commit")
    graph = page.locator(".graph")
    graph.wait_for()
    before = graph.bounding_box()
    is_holding = False
    for socket, message in held:
        socket.send(message)
    page.locator("[data-simulations][data-running=false]").wait_for()
    page.locator("tr[data-move]").first.wait_for()
    assert graph.bounding_box() == before


def test_a_long_game_shows_the_move_it_is_at(page: Page) -> None:
    moves = ",".join(f"{letter}{number}" for number in range(1, 10) for letter in "ABCDEFGHJ"[:6])
    page.goto(f"/#/analyse/go?size=9&moves={moves}")
    tree, here = page.locator(".game-tree"), page.locator(".game-tree [aria-current]")
    for at in (54, 1, 54):
        page.keyboard.press("Home" if at == 1 else "End")
        if at == 1:
            page.keyboard.press("ArrowRight")
        expect(page.locator(".steps")).to_contain_text(f"{at} / 54")
        until(page, lambda: _is_inside(here, tree))


def _is_inside(inner: Locator, outer: Locator) -> bool:
    """Without scrolling, and not cut off above or below."""
    box, part = outer.bounding_box(), inner.bounding_box()
    assert box is not None
    assert part is not None
    return box["y"] - 1 <= part["y"] and part["y"] + part["height"] <= box["y"] + box["height"] + 1


def test_on_a_phone_board_and_steps_stay_in_sight(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    for place in ("/#/analyse/go?size=9&moves=E5,C3", "/#/play/connect_four?moves=4,4"):
        page.goto(place)
        page.locator("[role=gridcell]").first.wait_for()
        page.evaluate("scrollTo(0, document.body.scrollHeight)")
        expect(page.get_by_role("button", name="Back", exact=True)).to_be_in_viewport(ratio=1)
        expect(page.locator("svg.board")).to_be_in_viewport(ratio=0.95)


def copied_link(page: Page) -> str:
    """What Copy link puts into the clipboard, which takes a moment."""
    page.evaluate("navigator.clipboard.writeText('')")
    page.get_by_role("button", name="Copy link").click()
    until(page, lambda: page.evaluate("navigator.clipboard.readText()"))
    link: str = page.evaluate("navigator.clipboard.readText()")
    return link


def test_a_link_shows_the_same_position(page: Page) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto("/#/analyse/go?size=9&moves=E5,pass,C3")
    link = copied_link(page)
    page.goto("/#/play")
    page.goto(link)
    expect(page.locator("[data-cell='40']")).to_have_accessible_name("E5, black")
    expect(page.locator("[data-cell='56']")).to_have_accessible_name("C3, black, last move")
    page.get_by_role("button", name="To the start").click()
    link = copied_link(page)
    page.goto("/#/play")
    page.evaluate("localStorage.clear()")  # another browser
    page.goto(link)
    expect(page.locator(".game-tree [data-moves]")).to_have_count(3)  # the whole game, at the same place in it
    expect(page.locator(".steps-count")).to_have_text("0 / 3")


def test_values_are_what_the_server_said(page: Page) -> None:
    """Of a game that no network knows, heard on the wire and read on the page."""
    heard: list[dict[str, object]] = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: heard.append(json.loads(str(frame)))))
    arrive(page, "/#/analyse/othello?model=uniform&moves=d3")
    until(page, lambda: any(message["type"] == "analysis" and message["final"] for message in heard))
    final = next(message for message in heard if message["type"] == "analysis" and message["final"])
    moves = final["moves"]
    assert isinstance(moves, list)
    shown = page.locator("tr[data-move]").first
    assert shown.get_attribute("data-move") == moves[0]["text"]
    assert shown.get_attribute("data-visits") == str(moves[0]["visits"])


def test_the_lead_is_shown_where_a_network_has_a_score_head(page: Page) -> None:
    arrive(page, "/#/analyse/go?size=9&moves=E5")
    expect(page.locator(".value [data-lead]")).to_have_text(re.compile(r"^(Black|White) \+\d+\.\d points$"))
    arrive(page, "/#/analyse/connect_four?moves=4")
    expect(page.locator(".value [data-lead]")).to_have_count(0)


def test_a_review_says_what_a_mistake_lost_in_points(page: Page) -> None:
    page.goto("/#/analyse/go?size=9&moves=E5,A1,C4&review=yes")
    page.locator("[data-review=done]").wait_for()
    expect(page.locator(".review-worst")).to_contain_text(
        re.compile(r"White lost \d+ %, \d+\.\d points; .+ was better\.")
    )
