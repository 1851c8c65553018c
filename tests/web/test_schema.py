"""The HTTP API keeps to its own schema, whatever it is asked (schemathesis)."""

import sys
from pathlib import Path

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings

from tengen.interfaces.web.server import create_app


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> schemathesis.BaseSchema:
    runs: Path = tmp_path_factory.mktemp("runs")
    app = create_app(runs=runs, train_command=(sys.executable, "-c", ""))
    return schemathesis.openapi.from_asgi("/openapi.json", app)


schema = schemathesis.pytest.from_fixture("api")


@schema.parametrize()
@settings(
    max_examples=8,
    deadline=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_the_api_keeps_to_its_schema(case: schemathesis.Case) -> None:
    case.call_and_validate()
