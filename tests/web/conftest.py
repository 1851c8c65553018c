"""A server for the tests of the page, shared by those of a file."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from servers import Server, served


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with served(runs=tmp_path_factory.mktemp("runs")) as running:
        yield running


@pytest.fixture
def rules_file() -> Path:
    return Path(__file__).parents[2] / "examples" / "hex.py"
