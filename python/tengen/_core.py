"""The native core, in the build that this processor runs best.

`import tengen._core` gives the compiled module: this file loads it from `_native/<level>/` and puts it in its own place.
TENGEN_CPU=baseline asks for the build that runs everywhere.
"""

import importlib.machinery
import importlib.util
import os
import sys
from pathlib import Path

from tengen._cpu import level


def _load() -> None:
    wanted = os.environ.get("TENGEN_CPU") or level()
    # `__path__` of the package, not `__file__`: an editable install keeps the compiled files elsewhere.
    roots = [Path(entry) / "_native" for entry in sys.modules["tengen"].__path__]
    for name in (wanted, "baseline", "v3"):
        for root in roots:
            for suffix in importlib.machinery.EXTENSION_SUFFIXES:
                path = root / name / f"_core{suffix}"
                if path.exists():
                    spec = importlib.util.spec_from_file_location(__name__, path)
                    assert spec is not None and spec.loader is not None
                    module = importlib.util.module_from_spec(spec)
                    spec.loader.exec_module(module)
                    sys.modules[__name__] = module
                    return
    raise ImportError(f"tengen was installed without its native core (looked in {', '.join(map(str, roots))})")


_load()
