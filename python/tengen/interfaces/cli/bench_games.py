"""`tengen bench games`: the engines against OpenSpiel's, side by side."""

import json
import platform
import subprocess
import sys
from collections.abc import Iterable
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import tyro

from tengen import TengenError
from tengen.bench.games import CONTESTS, Speed, contest_of, has_openspiel, measure
from tengen.interfaces.cli.game_argument import HELP

INSTALL_OPENSPIEL = (
    "OpenSpiel is not installed, so only our own speed is shown; pip install 'tengen[openspiel]' adds it."
)


def run(
    games: Annotated[tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="GAME", help=HELP)] = (),
    *,
    as_json: Annotated[bool, tyro.conf.arg(name="json"), tyro.conf.FlagCreatePairsOff] = False,
    slices: int = 7,
    seconds: float = 0.2,
) -> None:
    """Measures random play-outs per second, side by side with OpenSpiel, in one thread.

    Without a game it measures the built-in ones, and Connect Four written in Python.

    Args:
        as_json: print one JSON object instead of a table
        slices: the number of turns that each program gets; its median is reported
        seconds: the length of one turn in seconds
    """
    check_slices(slices, seconds)
    speeds = measure(slices, seconds, [contest_of(game) for game in games] or CONTESTS)
    if as_json:
        print(json.dumps({speed.key: as_dict(speed) for speed in speeds}, indent=2))
        return
    print_table(speeds)
    print(f"import tengen: {_import_seconds():.3f} s beyond numpy")


def check_slices(slices: int, seconds: float) -> None:
    """Refuses a bench that measures nothing or never ends."""
    if slices < 1 or not 0 < seconds < 3600:
        raise TengenError("A bench needs at least one slice of more than 0 and less than 3600 seconds.")


def print_table(speeds: Iterable[Speed], what: str = "random play-outs", of_engine: bool = True) -> None:
    """The table, a row as soon as it is measured. `of_engine`: with a column for Python rules."""
    from rich.console import Console
    from rich.live import Live
    from rich.table import Table

    console = Console()
    table = Table("game", title=f"{what} per second, one thread of {cpu_name()}")
    for column in ("tengen", "OpenSpiel", "ratio") + ("of the C++ engine",) * of_engine:
        table.add_column(column, justify="right")
    with Live(table, console=console, auto_refresh=False) if console.is_terminal else nullcontext() as live:
        for speed in speeds:
            cells = [
                speed.key,
                f"{speed.tengen:,.0f}",
                f"{speed.openspiel:,.0f}" if speed.openspiel else "",
                f"{speed.ratio:.1f}x" if speed.ratio else "",
                f"{speed.engine_ratio:.0%}" if speed.engine_ratio else "",
            ]
            table.add_row(*cells[: len(table.columns)])
            if live:
                live.refresh()
    if not console.is_terminal:
        console.print(table)
    if not has_openspiel():
        print(INSTALL_OPENSPIEL)


def cpu_name() -> str:
    """The processor as it calls itself."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def as_dict(speed: Speed) -> dict[str, float | None]:
    """A speed as JSON has it."""
    figures = {"tengen": speed.tengen, "openspiel": speed.openspiel, "ratio": speed.ratio}
    if speed.engine_ratio is not None:
        figures["engine_ratio"] = speed.engine_ratio
    return {name: value and round(value, 3) for name, value in figures.items()}


def _import_seconds() -> float:
    program = "import numpy, time; start = time.process_time(); import tengen; print(time.process_time() - start)"
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return float(answer.stdout)
