"""`tengen export onnx`: a network as an ONNX file."""

import importlib.util
from pathlib import Path
from typing import Annotated

import tyro

from tengen import TengenError
from tengen.interfaces.cli.model_argument import ModelArgument


def run(
    model: ModelArgument,
    *,
    output: Annotated[Path | None, tyro.conf.arg(metavar="FILE")] = None,
    batch: Annotated[str, tyro.conf.arg(metavar="INT|dynamic")] = "dynamic",
) -> None:
    """Writes a network as an ONNX file: planes in, policy_logits and wdl_logits out.

    Args:
        output: the file; without it GAME.onnx
        batch: positions in one call: a number, or any
    """
    from tengen.export import write_export
    from tengen.network.checkpoint import find_network, load_network

    rows = _parse_batch(batch)
    file = load_network(find_network(model))
    if importlib.util.find_spec("onnx") is None:
        raise TengenError("ONNX files need the package onnx: pip install 'tengen[export]'.")
    from tengen.export.onnx_file import OPSET, onnx_model

    path = output or Path(f"{file.game}.onnx")
    content = onnx_model(file, rows)
    write_export(path, content)
    planes, height, width = file.planes_shape
    size = "height, width" if file.plays_any_size else f"{height}, {width}"
    print(f"Written: {path}, {len(content) / 1e6:.2f} MB, opset {OPSET}")
    print(f"planes [{rows or 'batch'}, {planes}, {size}] -> policy_logits [actions], wdl_logits [win, draw, loss]")


def _parse_batch(text: str) -> int | None:
    if text == "dynamic":
        return None
    if not (text.isascii() and text.isdigit()) or not 1 <= int(text) <= 1_000_000:
        raise TengenError(f"A batch has a number of positions from 1 on, or is dynamic; not '{text}'.")
    return int(text)
