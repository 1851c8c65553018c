"""The documentation does what it says: sessions are run, commands exist, links lead somewhere."""

import doctest
import re
from pathlib import Path

import pytest

from tengen.games import load
from tengen.games.check import check_game
from tengen.interfaces.cli import COMMANDS, run

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), ROOT / "cpp/README.md"]


RUN_ELSEWHERE = {"tutorial_own_game.md"}  # test_tutorial.py writes the file that it tells of


@pytest.mark.parametrize("page", [page for page in PAGES if page.name not in RUN_ELSEWHERE], ids=lambda page: page.name)
def test_sessions_run_as_printed(page: Path) -> None:
    assert doctest.testfile(str(page), module_relative=False).failed == 0


def test_readme_has_a_session() -> None:
    assert len(doctest.DocTestParser().get_examples(README.read_text())) >= 5


def test_the_rules_file_of_the_readme_is_a_game(tmp_path: Path) -> None:
    blocks: list[str] = re.findall(r"^```python\n(.*?)^```$", README.read_text(), flags=re.MULTILINE | re.DOTALL)
    (rules,) = (block for block in blocks if block.startswith("# my_game.py"))
    path = tmp_path / "my_game.py"
    path.write_text(rules)
    game = load(str(path))
    assert check_game(game).passed
    assert game.state("2 2 2 2 0").legal_actions == (0, 1)  # 13 of 15 matches are taken


def readme_commands() -> list[list[str]]:
    shell = "".join(re.findall(r"^```sh\n(.*?)^```$", README.read_text(), flags=re.MULTILINE | re.DOTALL))
    lines = re.findall(r"^tengen (.*?)(?:\s+#.*)?$", shell, flags=re.MULTILINE)
    return [line.split() for line in lines]


def test_readme_shows_only_commands_that_exist() -> None:
    commands = readme_commands()
    assert len(commands) >= 4
    assert all(" ".join(words[:2]) in COMMANDS or words[0] in COMMANDS for words in commands)


@pytest.mark.parametrize("words", [words for words in readme_commands() if words[0] in ("games", "show", "perft")])
def test_quick_commands_of_the_readme_run(words: list[str]) -> None:
    assert run(words) == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_files(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text())
    assert [link for link in links if not (page.parent / link).exists()] == []


def slugs(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    headings: list[str] = re.findall(r"^#+ (.+)$", page.read_text(), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_headings(page: Path) -> None:
    links: list[tuple[str, str]] = re.findall(r"\]\((?!https?:)([^)#]*)#([^)]+)\)", page.read_text())
    assert [link for link in links if link[1] not in slugs(page.parent / link[0] if link[0] else page)] == []


def test_make_targets_in_the_documentation_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))
    for page in PAGES:
        named = set(re.findall(r"`make ([a-z-]+)`|^    make ([a-z-]+)", page.read_text(), flags=re.MULTILINE))
        assert {name for pair in named for name in pair if name} <= targets
