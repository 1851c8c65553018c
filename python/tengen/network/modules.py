"""Finds a researcher's own torch module: `network = "my_net.py:MyNet"` in the config of a run.

Whoever names the file lets tengen run it. The file of a network only records the name and the digest of the module, and
opening it runs nothing. To play with it the module is named again: by the config of the run, by
`make_evaluator(..., module="my_net.py:MyNet")`, or by the environment variable TENGEN_MODULE. Needs no torch itself.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tengen._core import TengenError

__all__ = ["VARIABLE", "ModuleError", "ModuleWarning", "class_for", "digest_of", "load_class", "remember"]

VARIABLE = "TENGEN_MODULE"


class ModuleError(TengenError):
    """A module of one's own that can't be found, run or used."""


class ModuleWarning(UserWarning):
    """A module that was changed since it made a network."""


_named: dict[tuple[str, str], Callable[..., Any]] = {}  # by digest and class: those that somebody named


def digest_of(name: str) -> str:
    """SHA-256 of the text of the file in FILE:CLASS."""
    return hashlib.sha256(_text(_locate(name)[0])).hexdigest()


def load_class(name: str) -> Callable[..., Any]:
    """The class in FILE:CLASS. Runs the file: only for names that the user gave."""
    path, attribute = _locate(name)
    digest = digest_of(name)
    if (digest, attribute) not in _named:
        module_name = f"tengen_own_{digest[:16]}"
        found = importlib.util.spec_from_file_location(module_name, path)
        assert found is not None
        assert found.loader is not None
        module = sys.modules[module_name] = importlib.util.module_from_spec(found)
        try:
            found.loader.exec_module(module)
        except Exception as error:  # whatever the user's file may raise
            del sys.modules[module_name]
            raise ModuleError(f"{path} can't be run: {type(error).__name__}: {error}.") from error
        if not callable(getattr(module, attribute, None)):
            raise ModuleError(f"There is no class {attribute} in {path}.")
        _named[digest, attribute] = getattr(module, attribute)
    return _named[digest, attribute]


def class_for(name: str, digest: str, given: str = "") -> Callable[..., Any]:
    """The class that made a network: the one `given`, else one that was named before, else that of TENGEN_MODULE."""
    attribute = name.rpartition(":")[2]
    given = given or ("" if (digest, attribute) in _named else os.environ.get(VARIABLE, ""))
    if not given:
        if (digest, attribute) in _named:
            return _named[digest, attribute]
        raise ModuleError(
            f"This network is computed by a torch module of its maker's own, {name} (SHA-256 {digest[:12]}…), which "
            f"tengen runs only if you name it: module='FILE.py:{attribute}' in Python, or the environment variable "
            f"{VARIABLE}=FILE.py:{attribute}."
        )
    if digest_of(given) != digest:
        warnings.warn(
            f"{given} is not the file that made this network, or was changed since; it is used if the weights fit.",
            ModuleWarning,
            stacklevel=3,
        )
    return load_class(given)


def remember(name: str, digest: str, fitting: Callable[..., Any]) -> None:
    """From here on `class_for` knows the class of this network, because the user has named it and its weights fit."""
    _named[digest, name.rpartition(":")[2]] = fitting


def _locate(name: str) -> tuple[Path, str]:
    file, _, attribute = name.rpartition(":")
    if not file.endswith(".py") or not attribute.isidentifier():
        raise ModuleError(f"A module of one's own is named as FILE.py:CLASS, such as my_net.py:MyNet, not '{name}'.")
    return Path(file), attribute


def _text(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ModuleError(f"The network's module {path} can't be read: {error.strerror}.") from error
