"""What a node gets before its first job of a stage: the pickled work, and the user's own files that it needs.

A rules file and a network's own module are code. They are sent, and run, because the user of the head named them; a
node runs whatever its head sends anyway (docs/cluster.md, security). Only the text of the file itself travels.
"""

from __future__ import annotations

import pickle
import tempfile
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from tengen._core import Game
from tengen.games.pickling import use_copy
from tengen.network.modules import load_class

__all__ = ["Parcel", "SentFiles"]


@dataclass(frozen=True)
class SentFiles:
    """The files of the user that nodes may not have."""

    rules: tuple[Path, ...] = ()
    modules: tuple[str, ...] = ()  # as FILE.py:CLASS

    @staticmethod
    def of(game: Game, module: str = "") -> SentFiles:
        """Those of a game, and of a network that is a module of one's own."""
        source = game.spec.source
        return SentFiles((Path(source),) if source.endswith(".py") else (), (module,) if module else ())


@dataclass(frozen=True)
class Parcel:
    """Work with all that a node needs to open it. Texts are packed once, on the head."""

    work: bytes
    rules: tuple[tuple[str, bytes], ...]  # name and text
    modules: tuple[tuple[str, str, bytes], ...]  # name of the file, class, text

    @staticmethod
    def pack(work: Any, files: SentFiles) -> Parcel:
        from ray import cloudpickle  # which also takes what a script of the user defines

        rules = [(path, path.read_bytes()) for path in files.rules]
        for path, text in rules:  # what comes back from a node names the file by its digest
            use_copy(sha256(text).hexdigest(), str(path))
        named = [name.rpartition(":") for name in files.modules]
        modules = tuple((Path(file).name, attribute, Path(file).read_bytes()) for file, _, attribute in named)
        return Parcel(cloudpickle.dumps(work), tuple((path.name, text) for path, text in rules), modules)

    def open(self) -> Any:
        """The work. Files are put into a folder that only this process knows and may read."""
        if self.rules or self.modules:
            folder = Path(_folder().name)
            for name, text in self.rules:
                digest = sha256(text).hexdigest()
                use_copy(digest, _written(folder / digest[:16], name, text))
            for name, attribute, text in self.modules:
                load_class(f"{_written(folder / sha256(text).hexdigest()[:16], name, text)}:{attribute}")
        return pickle.loads(self.work)


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    """One for all parcels of this process; it goes with the process, unless that is killed."""
    return tempfile.TemporaryDirectory(prefix="tengen-")


def _written(folder: Path, name: str, text: bytes) -> str:
    folder.mkdir(exist_ok=True)
    (folder / name).write_bytes(text)
    return str(folder / name)
