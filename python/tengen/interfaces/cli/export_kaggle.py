"""`tengen export kaggle`: a network as an agent for Kaggle's ConnectX."""

import shlex
from pathlib import Path
from typing import Annotated

import tyro

from tengen.interfaces.cli.model_argument import ModelArgument


def run(model: ModelArgument, *, output: Annotated[Path, tyro.conf.arg(metavar="FILE")] = Path("main.py")) -> None:
    """Writes a Connect Four network as an agent for Kaggle's ConnectX: one file that needs only numpy.

    Args:
        output: the file that is written, to be submitted to Kaggle
    """
    from tengen.export import write_export
    from tengen.export.kaggle import agent_program
    from tengen.network.checkpoint import find_network, load_network

    program = agent_program(load_network(find_network(model))).encode()
    write_export(output, program)
    print(f"Written: {output}, {len(program) / 1e6:.2f} MB")
    print(f"To submit it: kaggle competitions submit connectx -f {shlex.quote(str(output))} -m tengen")
