"""The tutorial is run: its Python blocks are the file they name, its sessions must answer what the page says."""

import doctest
import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "tutorial_own_game.md"


def test_the_tutorial_does_what_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    sessions = doctest.DocTestParser()
    names: dict[str, object] = {}
    runner = doctest.DocTestRunner()
    for kind, code in re.findall(r"^```(\w+)\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL):
        if kind == "python":
            first, _, rest = code.partition("\n")
            with Path(first.removeprefix("# ")).open("a") as file:
                file.write(rest + "\n\n")
        else:
            assert kind == "pycon"
            session = sessions.get_doctest(code, names, PAGE.name, str(PAGE), 0)
            runner.run(session, clear_globs=False)
            names = session.globs
    assert runner.summarize().failed == 0
    assert runner.summarize().attempted > 15


def test_the_functions_and_constants_of_the_tables_are_all_there_are() -> None:
    from tengen.games.rules.declaration import FUNCTIONS

    text = PAGE.read_text()
    for name, parameters in FUNCTIONS.items():
        assert f"| `{name}({', '.join(parameters)})` |" in text
