"""An observer of one's own: `--observer my_file.py:MyObserver` makes one of the class in that file.

The file is Python code that the user names, and it is run.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

from tengen._core import TengenError
from tengen.report import Observer

__all__ = ["ObserverError", "load_observer"]

METHODS = ("run_started", "stage", "iteration_finished")


class ObserverError(TengenError):
    """An observer that can't be loaded."""


def load_observer(text: str) -> Observer:
    """An object of the class that `text` names, made without arguments."""
    file, colon, name = text.rpartition(":")
    path = Path(file)
    if not colon or not name.isidentifier() or path.suffix != ".py":
        raise ObserverError(f"An observer is named as my_file.py:MyObserver, not as '{text}'.")
    if not path.is_file():
        raise ObserverError(f"There is no file {path} with an observer.")
    made = getattr(_run(path), name, None)
    if not isinstance(made, type):
        raise ObserverError(f"{path} has no class {name}.")
    lacking = [method for method in METHODS if not callable(getattr(made, method, None))]
    if lacking:
        raise ObserverError(
            f"{name} in {path} has no {' and no '.join(lacking)}; begin with class {name}(SilentObserver), which "
            "tengen.report has, and override what you want to hear."
        )
    try:
        observer: Observer = made()
    except Exception as error:
        raise ObserverError(f"{name} in {path} can't be made without arguments: {error}.") from error
    return observer


def _run(path: Path) -> object:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault(path.stem, module)  # dataclasses look there for their module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise ObserverError(f"{path} can't be run: {type(error).__name__}: {error}.") from error
    return module
