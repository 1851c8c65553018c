"""Reading files that anyone may have written: bounded, and with a reason if it fails."""

from __future__ import annotations

from pathlib import Path

from tengen._core import TengenError

__all__ = ["UnreadableError", "read_text"]


class UnreadableError(TengenError):
    """A file that can't be read as text. The message is the reason alone, for a sentence of the caller's."""


def read_text(path: Path, most_bytes: int) -> str:
    """The text of a file that has at most so many bytes; of a device or a pipe no more is read."""
    try:
        with path.open("rb") as file:
            content = file.read(most_bytes + 1)
    except OSError as error:
        raise UnreadableError(error.strerror or str(error)) from error
    except ValueError as error:  # a null byte in the path
        raise UnreadableError(str(error)) from error
    if len(content) > most_bytes:
        raise UnreadableError(f"it has more than {most_bytes:,} bytes")
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise UnreadableError("it is not text (UTF-8)") from error
