"""Who may import whom, in both languages. The Python layers themselves are in pyproject.toml (import-linter)."""

import re
import sys
import tomllib
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).parents[1]

# C++ folders from the top: a folder includes itself and those of lower layers, not the others of its own layer.
CPP_LAYERS = [
    ["bindings"],
    ["tengen/search", "tengen/records", "tengen/tables"],
    ["tengen/rollout"],
    ["tengen/games"],
    ["tengen/base"],
]
CPP_SOURCES = sorted(path for path in (ROOT / "cpp").rglob("*") if path.suffix in (".h", ".cpp", ".c"))
PYTHON_HEADERS = ("Python.h", "nanobind/", "numpy/")

# Who may import which package from outside; a package that is not here may not be imported at all.
EXTERNAL_PACKAGES = {
    "numpy": {"tengen"},
    "pydantic": {"tengen.config", "tengen.network", "tengen.run.folder", "tengen.interfaces.web"},
    "safetensors": {"tengen.network", "tengen.run.folder", "tengen.run.verify"},
    "tomli_w": {"tengen.run.folder"},
    "sgfmill": {"tengen.games.sgf", "tengen.games.trees"},
    "rich": {"tengen.interfaces"},
    "tyro": {"tengen.interfaces"},
    "fastapi": {"tengen.interfaces.web"},
    "starlette": {"tengen.interfaces.web"},
    "uvicorn": {"tengen.interfaces.cli.serve", "tengen.interfaces.web.listening"},
    "h11": {"tengen.interfaces.web.listening"},
    "segno": {"tengen.interfaces.cli.serve"},
    "numba": {"tengen.games"},
    "llvmlite": {"tengen.games"},
    "pyspiel": {"tengen.games", "tengen.bench"},
    "ray": {"tengen.cluster"},
    "torch": {"tengen.network", "tengen.learner", "tengen.examples.alphazero"},
    "openvino": {"tengen.network"},
    "onnx": {"tengen.export"},
    "pyarrow": {"tengen.gamefiles"},
    "nncf": {"tengen.network"},
}


def includes(path: Path) -> list[str]:
    return re.findall(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', path.read_text(), flags=re.MULTILINE)


def folder_of(path: str) -> str | None:
    return next((folder for layer in CPP_LAYERS for folder in layer if path.startswith(folder + "/")), None)


def may_include(folder: str, other: str) -> bool:
    above = [i for i, layer in enumerate(CPP_LAYERS) if folder in layer]
    below = [i for i, layer in enumerate(CPP_LAYERS) if other in layer]
    return folder == other or above < below


@pytest.mark.parametrize("path", CPP_SOURCES, ids=lambda path: path.name)
def test_cpp_includes_only_lower_layers(path: Path) -> None:
    own = path.relative_to(ROOT / "cpp").as_posix()
    if own.startswith(("tests/", "fuzz/")):
        return  # tests and fuzz targets see everything
    folder = folder_of(own)
    assert folder is not None, f"{own} is in no folder of the design"
    for include in includes(path):
        if (ROOT / "cpp" / include).exists():
            included = folder_of(include)
            assert included is not None, f"{own} includes {include}"
            assert may_include(folder, included), f"{own} includes {include}, which is not of a lower layer"


@pytest.mark.parametrize("path", CPP_SOURCES, ids=lambda path: path.name)
def test_no_python_outside_bindings(path: Path) -> None:
    if path.parent.name != "bindings":
        assert not [include for include in includes(path) if include.startswith(PYTHON_HEADERS)]


def test_headers_are_included_by_their_full_path() -> None:
    """So that the layer is seen in the line, and a moved file does not compile by chance."""
    local = {path.name for path in CPP_SOURCES}
    for path in CPP_SOURCES:
        for include in includes(path):
            assert include not in local, f"{path.name} includes {include} without its folder"


def is_in(module: str, packages: set[str]) -> bool:
    return any(module == package or module.startswith(package + ".") for package in packages)


def test_external_packages_stay_in_their_place() -> None:
    graph = grimp.build_graph("tengen", include_external_packages=True)
    external = {module for module in graph.modules if graph.is_module_squashed(module)} - sys.stdlib_module_names
    assert external <= set(EXTERNAL_PACKAGES)
    for package in external:
        for importer in graph.find_modules_that_directly_import(package):
            assert is_in(importer, EXTERNAL_PACKAGES[package]), f"{importer} imports {package}"


def test_the_readme_of_the_package_lists_every_room_in_the_order_of_the_layers() -> None:
    layers = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"][0]["layers"]
    rows = re.findall(r"^\| (`.*?`) \| ", (ROOT / "python" / "README.md").read_text(), flags=re.MULTILINE)
    listed = [{re.sub(r"/$|\.py$", "", name) for name in re.findall(r"`(.*?)`", row)} for row in rows]
    assert listed == [set(layer.split(" | ")) for layer in layers if not layer.startswith("(")]
