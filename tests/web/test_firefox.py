"""The main ways through the page in Firefox; everything else is tested in Chromium."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from firefox import Firefox, firefox
from sites import Site


@pytest.fixture(scope="module")
def browser_of_file(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Firefox]:
    with firefox(tmp_path_factory.mktemp("firefox")) as browser:
        yield browser


@pytest.fixture
def fox(browser_of_file: Firefox, site: Site) -> Iterator[Firefox]:
    """On a page of the site; what that writes into its console as an error fails the test."""
    browser_of_file.go(site.address)
    yield browser_of_file
    complaints, browser_of_file.complaints = browser_of_file.complaints, []
    assert complaints == []


def test_a_game_against_the_agent(fox: Firefox, site: Site) -> None:
    fox.go(f"{site.address}#/play/connect_four?side=0&level=beginner")
    fox.press("[data-cell='38']")
    fox.wait("document.querySelectorAll('.move-list li').length >= 2")
    fox.wait("document.querySelector('.status h1').textContent === 'Your turn'")
    fox.type("ArrowUp")  # the keyboard is where the press was, or on the page: nothing breaks
    fox.ask("document.querySelector('[data-cell][tabindex=\"0\"]').focus()")
    fox.type("Enter")
    fox.wait("document.querySelectorAll('.move-list li').length >= 4")


def test_analysis_and_review(fox: Firefox, site: Site) -> None:
    fox.go(f"{site.address}#/analyse/tic_tac_toe?moves=b2,a1,c3,a3")
    fox.wait("document.querySelector('[data-simulations][data-running=false]')")
    fox.wait("document.querySelectorAll('tr[data-move]').length > 0")
    fox.type("ArrowLeft")
    fox.wait("document.querySelector('.game-tree [aria-current]')?.dataset.moves === 'b2 a1 c3'")
    fox.go(f"{site.address}#/analyse/tic_tac_toe?moves=b2,a1,c3,a3&review=yes")
    fox.wait("document.querySelector('[data-review=done]')")


def test_the_explorer_steps_and_draws_all_nodes(fox: Firefox, site: Site) -> None:
    fox.go(f"{site.address}#/explore/connect_four?model=uniform")
    fox.press("[aria-label='+1000 simulations']:enabled")
    fox.wait("document.querySelector('output[data-simulations=\"1000\"][data-busy=false]')")
    fox.press(".tree-legend input")
    fox.wait("Number(document.querySelector('.tree-crowd')?.dataset.drawn) > 500")
    fox.press("[aria-label='Step: one simulation']")
    fox.wait("document.querySelector('output[data-simulations=\"1001\"][data-busy=false]')")


def test_curves_of_a_run(fox: Firefox, site: Site) -> None:
    fox.go(f"{site.address}#/train/bundled.connect_four")
    fox.wait("document.querySelectorAll('.chart-box canvas').length >= 5")


def test_shogi_promotes_and_drops(fox: Firefox, site: Site) -> None:
    fox.go(f"{site.address}#/analyse/shogi?moves=7g7f,3c3d")
    fox.press("[data-cell='64']")  # 8h
    fox.press("[data-cell='16']")  # 2b
    fox.press("[data-choice='8h2b+']")
    fox.wait("document.querySelector('.hand button')")
    assert fox.ask("document.querySelectorAll('[data-figure=horse]').length") == 1


def test_another_language(fox: Firefox, site: Site) -> None:
    fox.go(f"{site.address}#/play/go")
    fox.ask("localStorage.setItem('tengen.language', 'ru')")
    fox.go(f"{site.address}?again#/play/go")
    fox.wait("document.querySelector('.status h1')?.textContent === 'Ваш ход'")
    fox.ask("localStorage.removeItem('tengen.language')")
