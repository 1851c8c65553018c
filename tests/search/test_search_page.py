"""docs/search.md says what the search does: its code runs, and its table of parameters is the search's own."""

import doctest
from pathlib import Path

from tengen._core import param_specs

PAGE = Path(__file__).parents[2] / "docs" / "search.md"


def test_the_code_on_the_page_runs() -> None:
    result = doctest.testfile(str(PAGE), module_relative=False)
    assert result.attempted > 0
    assert result.failed == 0


def test_the_table_lists_every_parameter() -> None:
    rows = [line for line in PAGE.read_text().splitlines() if line.startswith("| `")]
    assert rows == [f"| `{spec.name}` | `{spec.default!r}` | {spec.help} |" for spec in param_specs()]
