"""An agent for Kaggle's ConnectX in one file: `kaggle_agent.py` with a network written into it.

The network is the text of the same functions that compute it here: the operations in numpy and the kinds of layers that
it has, and below them its own layers, one a line.
"""

from __future__ import annotations

import base64
import inspect
import io
import textwrap
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tengen.export import ExportError
from tengen.network.architecture import LOGITS, WDL, Layer
from tengen.network.checkpoint import NetworkFile, check_whole
from tengen.network.layers import function_of
from tengen.network.numpy_operations import NumpyOperations, softmax
from tengen.network.on_numpy import matrices

__all__ = ["agent_program", "agent_weights"]

TEMPLATE = Path(__file__).parent / "kaggle_agent.py"
NETWORK_BEGINS, NETWORK_ENDS = "# ---- The network", "# ---- The search"  # the part that is replaced
NO_WEIGHTS = 'WEIGHTS = ""\n'  # the end of the template
HEADS = {LOGITS: "logits", WDL: "wdl"}
COMPUTE = '''def compute(net: NumpyOperations, x: Array) -> tuple[Array, Array]:
    """planes [B, H, W, 3] -> logits [B, W] of the columns, and win, draw, loss [B, 3] of the player to move."""'''


def agent_program(file: NetworkFile) -> str:
    """The text of main.py."""
    weights = {name: weight.astype(np.float16) for name, weight in agent_weights(file).items()}
    for name, weight in weights.items():
        if not np.isfinite(weight).all():
            raise ExportError(f"The weights of '{name}' are too large for half precision.")
    data = "\n".join(textwrap.wrap(base64.b64encode(_as_npz(weights)).decode(), 118))
    maker = f"# Made by tengen from the network {file.digest[:12]}, trained on {file.game} ({file.options_text}).\n"
    before, rest = TEMPLATE.read_text(encoding="utf-8").split(NETWORK_BEGINS)
    after = rest.partition(NETWORK_ENDS)[2].removesuffix(NO_WEIGHTS)
    return f'{maker}{before}{network_text(file)}{NETWORK_ENDS}{after}WEIGHTS = """\n{data}\n"""\n'


def network_text(file: NetworkFile) -> str:
    """The network as Python: a function `compute(net, planes)` and what it calls."""
    heads = [head for head in file.architecture.heads if set(head.outputs) & HEADS.keys()]
    compute = [COMPUTE]
    compute += [f"    x = {_call(layer)}" for layer in file.architecture.trunk]
    compute += [f"    {HEADS[head.outputs[0]]} = next({_call(head)})" for head in heads]
    compute += ["    return logits[:, 0, 0], softmax(wdl[:, 0, 0])"]
    functions = dict.fromkeys(function_of(layer) for layer in (*file.architecture.trunk, *heads))
    layers = [inspect.getsource(function) for function in (softmax, *functions)]
    operations = [inspect.getsource(NumpyOperations), "Operations, Board, Vector = NumpyOperations, Array, Array"]
    parts = [f"{NETWORK_BEGINS}: a residual tower with two heads", *operations, *layers, "\n".join(compute)]
    return "\n\n\n".join(part.rstrip("\n") for part in parts) + "\n\n\n"


def agent_weights(file: NetworkFile) -> dict[str, NDArray[np.float32]]:
    """Every layer that plays, as the agent multiplies with it: `weight` [inputs, outputs] and `bias` [outputs]."""
    if file.source != "connect_four":
        raise ExportError(f"Kaggle's ConnectX is Connect Four, but this network plays {file.game}.")
    if file.architecture.module is not None:
        raise ExportError(
            "The agent for Kaggle has numpy alone, which can't compute a torch module of one's own "
            f"({file.architecture.module.name})."
        )
    if file.architecture.towers:
        raise ExportError("The agent for Kaggle computes one tower with two heads, and this network has two towers.")
    if file.architecture.tables is not None:
        raise ExportError(
            "The agent for Kaggle computes a network of layers with numpy; this one is an n-tuple network, whose "
            "priors need the rules of the game for every move."
        )
    if not (file.has_policy and file.has_value):
        raise ExportError("The agent for Kaggle searches, for which a network needs both a policy and a value.")
    check_whole(file)
    return matrices(file, HEADS)


def _call(layer: Layer) -> str:
    sizes = "".join(f", {name}={size}" for name, size in layer.sizes.items())
    return f'{function_of(layer).__name__}(net, "{layer.name}", x{sizes})'


def _as_npz(weights: dict[str, NDArray[np.float16]]) -> bytes:
    """Half precision: a rounding of 0.05 % in each weight, which no answer shows (docs/export.md)."""
    content = io.BytesIO()
    np.savez_compressed(content, allow_pickle=False, **weights)
    return content.getvalue()
