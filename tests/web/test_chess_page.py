"""Chess in a real browser: pieces, promotion, check, notation, FEN and PGN in and out."""

from __future__ import annotations

from pathlib import Path

from conftest import until
from playwright.sync_api import Page, expect

import tengen
from tengen.games.trees import read_tree

PGN = '[White "A"] 1. e4 {best by test} (1. d4 d5) e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0'
FEN = "8/4P1k1/8/8/8/8/6K1/8 w - - 0 1"


def cell(page: Page, name: str) -> int:
    """The number of a cell of a board of eight."""
    return (8 - int(name[1])) * 8 + "abcdefgh".index(name[0])


def at(page: Page, name: str):  # type: ignore[no-untyped-def]
    return page.locator(f"[data-cell='{cell(page, name)}']").first


def paste(page: Page, text: str) -> None:
    page.get_by_role("button", name="Paste a game").click()
    page.locator("#pasted").fill(text)
    page.get_by_role("button", name="Show it").click()


def test_a_game_by_pressing_and_dragging(page: Page) -> None:
    page.goto("/#/play/chess?side=0&level=beginner&model=uniform")
    expect(page.locator("[data-figure]")).to_have_count(32 + 3)  # and those beside the players' names
    at(page, "e2").click()
    expect(page.locator(".legal circle")).to_have_count(2)
    at(page, "e4").click()
    expect(page.locator(".move-list li")).to_have_count(2)
    expect(page.locator(".move-list li button").first).to_have_text("e4", use_inner_text=True)
    at(page, "g1").drag_to(at(page, "f3"))
    expect(page.locator(".move-list li")).to_have_count(4)
    expect(page.locator(".move-list li button").nth(2)).to_have_text("Nf3", use_inner_text=True)


def test_black_sees_the_board_from_the_other_side(page: Page) -> None:
    page.goto("/#/play/chess?side=1&level=beginner&model=uniform&moves=e2e4")
    expect(page.locator("[data-legal]").first).to_be_visible()
    king, rook = at(page, "e8").bounding_box(), at(page, "e1").bounding_box()
    assert king is not None
    assert rook is not None
    assert king["y"] > rook["y"]
    page.get_by_role("button", name="Flip the board").click()
    until(page, lambda: (at(page, "e8").bounding_box() or king)["y"] < king["y"])


def test_promotion_is_chosen_by_piece(page: Page) -> None:
    page.goto("/#/analyse/chess")
    paste(page, FEN)
    expect(page.locator("svg.board [data-figure]")).to_have_count(3)
    at(page, "e7").click()
    at(page, "e8").click()
    choices = page.get_by_role("dialog", name="Which move?")
    expect(choices.get_by_role("button")).to_have_text(["e8=Q", "e8=N+", "e8=B", "e8=R", "Cancel"])
    choices.get_by_role("button", name="e8=N+").click()
    expect(page.locator("[data-check]")).to_have_attribute("data-check", str(cell(page, "g7")))
    expect(page.locator(".game-tree [aria-current]")).to_have_text("e8=N+")


def test_pgn_in_and_out_with_variations_and_fen(page: Page, tmp_path: Path) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto("/#/analyse/chess")
    paste(page, PGN)
    tree = page.locator(".game-tree")
    expect(tree.locator("[aria-current]")).to_have_text("Qxf7#")
    expect(tree.locator(".variation button")).to_have_text(["d4", "d5"])
    expect(page.get_by_text("White wins: checkmate")).to_be_visible()
    page.get_by_role("button", name="Copy FEN").click()
    expect(page.locator(".notice")).to_have_text("The position is copied.")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == read_tree(PGN).main_line.position_text
    with page.expect_download() as download:
        page.get_by_role("button", name="Download PGN").click()
    download.value.save_as(tmp_path / "game.pgn")
    assert [move.text for move in read_tree((tmp_path / "game.pgn").read_text()).moves] == [
        move.text for move in read_tree(PGN).moves
    ]


def test_the_explorer_searches_chess(page: Page) -> None:
    page.goto("/#/explore/chess?moves=e2e4,e7e5&model=uniform")
    page.get_by_role("button", name="+10 simulations").click()
    page.locator("output[data-simulations='10'][data-busy=false]").wait_for()
    texts = page.locator(".policy-table tbody th").all_inner_texts()
    state = tengen.load("chess").state(["e2e4", "e7e5"])
    legal = [state.notation(action) for action in state.legal_actions]
    assert texts
    assert set(texts) <= set(legal)
