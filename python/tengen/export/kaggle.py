"""An agent for Kaggle's ConnectX in one file: `kaggle_agent.py` with the weights of a network written into it."""

from __future__ import annotations

import base64
import io
import textwrap
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tengen.export import ExportError
from tengen.network.checkpoint import NetworkFile
from tengen.network.folding import folded

__all__ = ["agent_program", "agent_weights"]

TEMPLATE = Path(__file__).parent / "kaggle_agent.py"
NO_WEIGHTS = 'WEIGHTS = ""\n'  # the end of the template
FOLDED = ("stem", "policy.local", "value.local")  # and the convolutions of the blocks
DENSE = ("policy.bias", "policy.column", "policy.out", "value.hidden", "value.out")


def agent_program(file: NetworkFile) -> str:
    """The text of main.py."""
    data = base64.b64encode(_as_npz(agent_weights(file))).decode()
    weights = "\n".join(textwrap.wrap(data, 118))
    maker = f"# Made by tengen from the network {file.digest[:12]}, trained on {file.game} ({file.options}).\n"
    template = TEMPLATE.read_text(encoding="utf-8")
    assert template.endswith(NO_WEIGHTS)
    return f'{maker}{template.removesuffix(NO_WEIGHTS)}WEIGHTS = """\n{weights}\n"""\n'


def agent_weights(file: NetworkFile) -> dict[str, NDArray[np.float32]]:
    """Every layer as the agent multiplies with it: `weight` [inputs, outputs] and `bias` [outputs].

    The inputs of a 3x3 convolution are the nine cells row by row, and the channels of each.
    """
    if file.game != "connect_four":
        raise ExportError(f"Kaggle's ConnectX is Connect Four, but this network plays {file.game}.")
    weights: dict[str, NDArray[np.float32]] = {}
    blocks = [f"blocks.{index}" for index in range(file.config.blocks)]
    for name in (*FOLDED, *(f"{block}.{half}" for block in blocks for half in ("first", "second"))):
        weight, bias = folded(file, name)  # [O, I, K, K]
        weights[f"{name}.weight"] = weight.transpose(2, 3, 1, 0).reshape(-1, len(weight))
        weights[f"{name}.bias"] = bias
    for name in (*DENSE, *(f"{block}.bias" for block in blocks)):
        if f"{name}.weight" in file.weights:  # only some blocks have a bias
            weight = file.weights[f"{name}.weight"]
            weights[f"{name}.weight"] = weight.reshape(len(weight), -1).T
            weights[f"{name}.bias"] = file.weights[f"{name}.bias"]
    return weights


def _as_npz(weights: dict[str, NDArray[np.float32]]) -> bytes:
    """Half precision: a rounding of 0.05 % in each weight, which no answer shows (docs/export.md)."""
    halves = {name: weight.astype(np.float16) for name, weight in weights.items()}
    for name, half in halves.items():
        if not np.isfinite(half).all():
            raise ExportError(f"The weights of '{name}' are too large for half precision.")
    content = io.BytesIO()
    np.savez_compressed(content, allow_pickle=False, **halves)
    return content.getvalue()
