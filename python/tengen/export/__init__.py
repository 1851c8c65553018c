"""Networks for other programs: an agent in one file for Kaggle (`export.kaggle`), an ONNX file (`export.onnx_file`)."""

from __future__ import annotations

from pathlib import Path

from tengen._core import TengenError
from tengen.base.durable import write_bytes

__all__ = ["ExportError", "write_export"]


class ExportError(TengenError):
    """A network that can't be exported that way, or a file that can't be written."""


def write_export(path: Path, content: bytes) -> None:
    """Writes the file whole or not at all."""
    try:
        write_bytes(path, content)
    except OSError as error:
        raise ExportError(f"{path} can't be written: {error.strerror}.") from error
