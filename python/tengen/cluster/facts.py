"""What there is on a node, and in what nodes differ that must be alike for the same bits."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from tengen import __version__
from tengen._cpu import level  # type: ignore[import-untyped]
from tengen.base.memory import memory_there

__all__ = ["NodeFacts", "differences", "facts_here"]

PACKAGES = ("numpy", "openvino", "torch")  # whose arithmetic is in the bits


@dataclass(frozen=True)
class NodeFacts:
    """A node as it describes itself."""

    name: str  # of the machine
    process: int  # of the worker
    cores: int
    memory: int  # bytes
    tengen: str  # version
    python: str
    processor: str  # its name, and the level that the core was built for
    packages: dict[str, str]  # version by name; "" where one is not installed


def facts_here() -> NodeFacts:
    """Of this machine."""
    return NodeFacts(
        name=platform.node(),
        process=os.getpid(),
        cores=os.cpu_count() or 1,
        memory=memory_there().bytes,
        tengen=__version__,
        python=platform.python_version(),
        processor=f"{_processor()} ({level()})",
        packages={package: _version(package) for package in PACKAGES},
    )


def differences(here: NodeFacts, nodes: Sequence[NodeFacts]) -> list[str]:
    """A sentence for each thing in which nodes differ from this machine, so that bits may differ."""
    found: dict[str, list[str]] = {}
    for node in nodes:
        for what in _differing(here, node):
            found.setdefault(what, []).append(node.name)
    return [f"{', '.join(dict.fromkeys(names))}: {what}; bits may differ." for what, names in found.items()]


def _differing(here: NodeFacts, node: NodeFacts) -> Iterator[str]:
    if node.tengen != here.tengen:
        yield f"tengen {node.tengen} there, {here.tengen} here"
    if node.processor != here.processor:
        yield f"the processor is {node.processor} there, {here.processor} here"
    for package, version in here.packages.items():
        if node.packages.get(package, "") != version:
            yield f"{package} {node.packages.get(package) or 'missing'} there, {version or 'missing'} here"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.processor() or platform.machine())


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""
