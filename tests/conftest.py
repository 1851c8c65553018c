"""What the tests of commands share."""

import signal

import pytest

from tengen.interfaces.cli import run

# A shell that runs the tests in the background makes them ignore Ctrl-C, and so the programs they start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]):  # type: ignore[no-untyped-def]
    """Runs a command line; gives what it printed."""

    def call(*arguments: str) -> str:
        assert run(list(arguments)) == 0
        printed = capsys.readouterr()
        assert not printed.err
        return printed.out

    return call


@pytest.fixture
def refused(capsys: pytest.CaptureFixture[str]):  # type: ignore[no-untyped-def]
    """Runs a wrong command line; gives the one line of complaint."""

    def call(*arguments: str) -> str:
        assert run(list(arguments)) == 2
        printed = capsys.readouterr()
        assert printed.err.startswith("tengen: ")
        assert printed.err.count("\n") == 1
        return printed.err

    return call
