"""The native core, in the build that this processor runs best.

`import tengen._core` gives the compiled module: this file loads it from `_native/<level>/` and puts it in its place.
TENGEN_CORE asks for another build, by its level (`baseline` runs everywhere) or by its path.
"""

import importlib.machinery
import importlib.util
import os
import sys
from pathlib import Path

from tengen._cpu import level

# `__path__` of the package, not `__file__`: an editable install keeps the compiled files elsewhere.
_ROOTS = [Path(entry) / "_native" for entry in sys.modules["tengen"].__path__]


def _built(name: str) -> Path | None:
    """The compiled core of that level, if it was built."""
    paths = (root / name / f"_core{suffix}" for root in _ROOTS for suffix in importlib.machinery.EXTENSION_SUFFIXES)
    return next((path for path in paths if path.exists()), None)


def _choice() -> Path:
    if wanted := os.environ.get("TENGEN_CORE"):
        path = _built(wanted) or Path(wanted)
        if not path.is_file():
            raise ImportError(f"TENGEN_CORE={wanted} is neither a level that was built nor a compiled file.")
        return path
    path = _built(level()) or _built("baseline")
    if path is None:
        raise ImportError(f"tengen was installed without its native core; looked in {', '.join(map(str, _ROOTS))}.")
    return path


def _load(path: Path) -> None:
    spec = importlib.util.spec_from_file_location(__name__, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.modules[__name__] = module


_load(_choice())
