"""Shogi on the page: its own pieces, hands, promotion, and records in and out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from conftest import opened
from playwright.sync_api import Browser, Page, expect
from sites import Site

from tengen.games.shogi import read_kif
from tengen.games.trees import read_tree

KIF = "手合割\uff1a平手\n手数----指手---------消費時間--\n   1 ７六歩(77)\n   2 ３四歩(33)\n   3 ２二角成(88)\n"


@pytest.mark.parametrize(("game", "pieces"), [("shogi", 40), ("minishogi", 12), ("minichess", 20)])
def test_every_piece_is_drawn(page: Page, game: str, pieces: int) -> None:
    page.goto(f"/#/play/{game}?side=0")
    expect(page.locator("svg.board [data-figure]")).to_have_count(pieces)


def test_squares_are_named_as_in_its_moves(page: Page) -> None:
    page.goto("/#/play/shogi?side=0")
    expect(page.locator("[data-cell='56']")).to_have_accessible_name("7g, black pawn, can be played")


def test_a_piece_is_promoted_and_one_in_hand_is_dropped(page: Page) -> None:
    page.goto("/#/analyse/shogi?moves=7g7f,3c3d")
    page.locator("[data-cell='64']").click()
    page.locator("[data-cell='16']").click()
    choices = page.get_by_role("dialog", name="Which move?")
    expect(choices.locator("[data-figure=bishop]")).to_have_count(1)
    expect(choices.locator("[data-figure=horse]")).to_have_count(1)
    choices.locator("[data-choice='8h2b+']").click()
    expect(page.locator("svg.board [data-figure=horse]")).to_have_count(1)
    page.locator("[data-cell='6']").click()  # 3a takes it
    page.locator("[data-cell='16']").click()
    expect(page.locator(".game-tree [aria-current]")).to_have_attribute("data-moves", "7g7f 3c3d 8h2b+ 3a2b")
    hand = page.get_by_role("group", name="Pieces that black holds")
    hand.get_by_role("button", name="bishop, 1").click()
    page.locator("[data-cell='40']").click()
    expect(page.locator(".game-tree [aria-current]")).to_have_attribute("data-moves", "7g7f 3c3d 8h2b+ 3a2b B*5e")
    expect(hand).to_have_count(0)


MOVES = "7g7f,3c3d,8h2b%2B,3a2b,B*4e"
WRITTEN = {
    "en-GB": ["P-7f", "P-3d", "Bx2b+", "Sx2b", "B*4e"],
    "ru-RU": ["P-7f", "P-3d", "Bx2b+", "Sx2b", "B*4e"],
    "zh-CN": ["▲７六歩", "△３四歩", "▲２二角成", "△２二銀", "▲４五角打"],
    "zh-TW": ["▲７六歩", "△３四歩", "▲２二角成", "△２二銀", "▲４五角打"],
}


@pytest.mark.parametrize("locale", WRITTEN)
def test_moves_are_written_as_the_reader_knows_them(
    browser: Browser, site: Site, complaints: list[str], locale: str
) -> None:
    with opened(browser, site, complaints, locale=locale) as page:
        page.goto(f"/#/play/shogi?moves={MOVES}&side=0&level=beginner&model=uniform")
        expect(page.locator(".move-list button").nth(4)).to_be_visible()
        assert page.locator(".move-list button").all_inner_texts()[:5] == WRITTEN[locale]
        page.goto(f"/#/analyse/shogi?moves={MOVES}&model=uniform")
        expect(page.locator(".game-tree button")).to_have_text(WRITTEN[locale])
        page.goto("/#/analyse/shogi?moves=7g7f,3c3d&model=uniform")
        best = page.locator(".moves th button").first
        expect(best).to_have_text(re.compile("^▲" if locale.startswith("zh") else r"^\+?[PLNSGBRK]"))
        page.goto("/#/explore/shogi?moves=7g7f,3c3d&model=uniform")
        page.get_by_role("button", name=re.compile(r"^\+10 ")).click()
        page.locator("output[data-simulations='10'][data-busy=false]").wait_for()
        shown = page.locator(".policy-table th[scope=row]").first
        expect(shown).to_have_text(re.compile("^[１-９]" if locale.startswith("zh") else r"^\+?[PLNSGBRK]"))


def test_a_promotion_is_not_a_check(page: Page) -> None:
    page.goto("/#/analyse/shogi?moves=7g7f,3c3d,8h2b%2B&model=uniform")
    expect(page.locator("svg.board [data-figure=horse]")).to_have_count(1)
    expect(page.locator(".in-check")).to_have_count(0)
    page.goto("/#/analyse/chess?moves=e2e4,f7f6,d1h5&model=uniform")
    expect(page.locator(".in-check")).to_have_count(1)


def test_kif_keeps_variations_and_comments_both_ways(page: Page, tmp_path: Path) -> None:
    page.goto("/#/analyse/shogi")
    page.get_by_role("button", name="Paste a game").click()
    page.locator("#pasted").fill(f"{KIF}*a trade\n\n変化：3手\n   3 ２六歩(27)\n*quiet\n")
    page.get_by_role("button", name="Show it").click()
    tree = page.locator(".game-tree")
    expect(tree.locator(".variation")).to_contain_text("P-2f")
    expect(tree).to_contain_text("a trade")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download KIF").click()
    download.value.save_as(tmp_path / "game.kif")
    written = [(move.parent, move.text, move.comment) for move in read_tree((tmp_path / "game.kif").read_bytes()).moves]
    assert written == [(-1, "", ""), (0, "7g7f", ""), (1, "3c3d", ""), (2, "8h2b+", "a trade"), (2, "2g2f", "quiet")]


def test_kif_in_and_out_and_sfen(page: Page, tmp_path: Path) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto("/#/analyse/connect_four")
    page.get_by_role("button", name="Paste a game").click()
    page.locator("#pasted").fill(KIF)
    page.get_by_role("button", name="Show it").click()
    expect(page.locator(".game-tree [aria-current]")).to_have_attribute("data-moves", "7g7f 3c3d 8h2b+")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download KIF").click()
    download.value.save_as(tmp_path / "game.kif")
    written = read_kif((tmp_path / "game.kif").read_bytes())
    assert [usi for _, usi in written.usi_moves()] == ["7g7f", "3c3d", "8h2b+"]
    page.get_by_role("button", name="Copy SFEN").click()
    expect(page.locator(".notice")).to_have_text("The position is copied.")
    assert str(page.evaluate("navigator.clipboard.readText()")).startswith("lnsgkgsnl/1r5+B1/")


def test_the_board_turns_with_its_pieces(page: Page) -> None:
    page.goto("/#/play/shogi?side=0")
    king = page.locator("svg.board [data-figure=king]").last
    expect(king).not_to_have_attribute("transform", "rotate")
    before = king.get_attribute("transform") or ""
    page.get_by_role("button", name="Flip the board").click()
    expect(page.locator("svg.board [data-figure=king]").last).not_to_have_attribute("transform", before)
