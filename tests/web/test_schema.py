"""The HTTP API keeps to its own schema, whatever it is asked (schemathesis)."""

import sys
from pathlib import Path

import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.specs.openapi.checks import positive_data_acceptance

from tengen.interfaces.web.server import create_app

FEW = settings(
    max_examples=8,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


def test_the_api_keeps_to_its_schema(tmp_path: Path) -> None:
    app = create_app(runs=tmp_path, hosts=["testserver"], train_command=(sys.executable, "-c", ""))
    schema = schemathesis.openapi.from_asgi("/openapi.json", app)
    operations = [found.ok() for found in schema.get_all_operations()]
    assert len(operations) == 14
    for operation in operations:  # a schema can't say which texts are games or records, so refusals are fine

        @FEW
        @given(case=operation.as_strategy())
        def check(case: schemathesis.Case) -> None:
            case.call_and_validate(excluded_checks=[positive_data_acceptance])

        check()
    app.state.service.pool.close()
