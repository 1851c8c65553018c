"""`tengen report`: the page of a run, made again from its figures."""

from pathlib import Path
from typing import Annotated

import tyro


def run(folder: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="RUN")]) -> None:
    """Writes the report.html of a run anew, from its metrics.jsonl.

    Args:
        folder: the folder of the run, as in runs/connect_four
    """
    from tengen.interfaces.report_page import write_page

    print(f"Written: {write_page(folder)}")
