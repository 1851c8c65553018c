"""Compiled rules kept between runs, so that the same rules are compiled once on a machine.

What is kept is machine code, under a key made of everything it was made from: the bytecode of the rules, the value of
every constant they use, the sizes of the game, this package, Numba, Python and the processor. Rules that reach outside
their file (other than numpy and math) have no key and are compiled every time. TENGEN_CACHE names another folder than
~/.cache/tengen; "off" keeps nothing. What is kept is run, so a folder or file that others can write to is not used.
"""
# mypy: disable-error-code="attr-defined, import-untyped, no-untyped-call"

import builtins
import hashlib
import json
import os
import re
import stat
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import llvmlite
import llvmlite.binding as llvm
import numba
import numpy as np
from numba.core.registry import cpu_target
from numba.core.runtime import rtsys

from tengen.games.rules.declaration import Declaration

MOST_FILES = 100  # the least recently made are thrown away
OWN_SOURCES = ("compiled.py", "declaration.py", "results.py", "bits.py")  # of the code around the author's
MODULES_WITHOUT_SURPRISE = ("numpy", "math")


@dataclass(frozen=True)
class MachineCode:
    """The C functions of one game: where each is, and what keeps it there."""

    addresses: dict[str, int]
    engines: tuple[Any, ...]


class _NoKeyError(Exception):
    pass


def folder() -> Path | None:
    """Where compiled rules are kept; None: nowhere."""
    named = os.environ.get("TENGEN_CACHE")
    if named == "off":
        return None
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tengen"
    return (Path(named) if named else home) / "rules"


def key(declaration: Declaration, rules: tuple[str, ...]) -> str | None:
    """The same key means the same machine code; None if the rules could use something that is not in the key."""
    digest = hashlib.sha256()
    try:
        for part in _parts(declaration, rules):
            digest.update(part.encode() + b"\0")
    except _NoKeyError:
        return None
    return digest.hexdigest()[:32]


def _parts(declaration: Declaration, rules: tuple[str, ...]) -> Iterator[str]:
    yield from (numba.__version__, llvmlite.__version__, np.__version__, sys.version)
    yield repr(cpu_target.target_context.codegen().magic_tuple())
    yield repr(sorted(setting for setting in os.environ.items() if setting[0].startswith("NUMBA_")))
    yield from (Path(__file__).with_name(name).read_text() for name in OWN_SOURCES)
    yield repr((declaration.board, declaration.num_actions, declaration.longest_game, len(declaration.plane_names)))
    yield _value(declaration.state)
    names = vars(declaration.module)
    seen: set[FunctionType] = set()
    waiting = [declaration.functions[rule] for rule in rules]
    while waiting:
        function = waiting.pop()
        if not isinstance(function, FunctionType) or function.__closure__:
            raise _NoKeyError
        if function in seen:
            continue
        seen.add(function)
        yield function.__name__
        yield _value(function.__defaults__)
        yield from _code(function.__code__)
        if function.__globals__ is not names:
            continue  # the defaults of declaration.py
        for name in sorted(_names(function.__code__) & names.keys()):
            value = getattr(names[name], "py_func", names[name])
            if isinstance(value, FunctionType) and value.__globals__ is names:
                waiting.append(value)
            else:
                yield f"{name} = {_value(value)}"


def _names(code: CodeType) -> set[str]:
    inner = (_names(constant) for constant in code.co_consts if isinstance(constant, CodeType))
    return set(code.co_names).union(*inner)


def _code(code: CodeType) -> Iterator[str]:
    yield repr((code.co_code, code.co_names, code.co_varnames, code.co_argcount, code.co_flags))
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _code(constant)
        else:
            yield repr(constant)


def _value(value: Any) -> str:
    match value:
        case bool() | int() | float() | str() | None | np.generic():
            return f"{type(value).__name__} {value!r}"
        case tuple():
            return f"({', '.join(_value(part) for part in value)})"
        case np.ndarray() if value.dtype.kind in "biuf":
            return f"{value.dtype.str} {value.shape} {value.tobytes().hex()}"
        case np.dtype():
            return f"dtype {value.descr}"
        case ModuleType() if value.__name__ in MODULES_WITHOUT_SURPRISE:
            return value.__name__
        case type() if value.__module__ in MODULES_WITHOUT_SURPRISE or vars(builtins).get(value.__name__) is value:
            return value.__name__
    raise _NoKeyError


def keep(name: str | None, functions: dict[str, Any]) -> None:
    """Writes the machine code of Numba C callbacks. A cache that can't be written is no error."""
    place = folder()
    if name is None or place is None:
        return
    body = b""
    header: dict[str, Any] = {"functions": {}, "needs": []}
    for rule, function in functions.items():
        text = function._library.get_llvm_str()
        if any("NumbaEnv" in line for line in text.splitlines() if not line.startswith("@")):
            return  # it needs Python objects of this process, as print() does
        header["needs"] += re.findall(r'^declare .*?@"?([\w.$]+)', text, re.MULTILINE)
        header["needs"] += re.findall(r'^@"?([^" ]+)"? = external', text, re.MULTILINE)
        code = function._library.serialize_using_object_code()[2][0]
        header["functions"][rule] = [function.native_name, len(code)]
        body += code
    header["needs"] = sorted({need for need in header["needs"] if not need.startswith("llvm.")})
    header["sha256"] = hashlib.sha256(body).hexdigest()
    try:
        place.mkdir(parents=True, exist_ok=True)
        place.chmod(0o700)  # fails if it is another user's
        with tempfile.NamedTemporaryFile(dir=place, delete=False) as file:
            file.write(json.dumps(header).encode() + b"\n" + body)
        Path(file.name).replace(place / f"{name}.bin")
        for old in sorted(place.glob("*.bin"), key=lambda path: path.stat().st_mtime)[:-MOST_FILES]:
            old.unlink(missing_ok=True)
    except OSError:
        return


def _is_only_ours(path: Path) -> bool:
    """Whether nobody but this user can have written there."""
    status = path.lstat()
    return status.st_uid == os.geteuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def find(name: str | None) -> MachineCode | None:
    """The machine code kept under that key, ready to be called."""
    place = folder()
    if name is None or place is None:
        return None
    file = place / f"{name}.bin"
    try:
        if not _is_only_ours(place) or not _is_only_ours(file):
            return None
        first, _, body = file.read_bytes().partition(b"\n")
        header = json.loads(first)
        if header["sha256"] != hashlib.sha256(body).hexdigest():
            return None
    except (OSError, ValueError, KeyError):
        return None
    rtsys.initialize(cpu_target.target_context)  # Numba's own functions, by name
    if any(llvm.address_of_symbol(need) is None for need in header["needs"]):
        return None
    addresses, engines = {}, []
    for rule, (symbol, size) in header["functions"].items():
        code, body = body[:size], body[size:]
        # An engine of its own for each: names are unique in a process only, and this code comes from another.
        machine = llvm.Target.from_default_triple().create_target_machine()
        engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
        engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        engine.finalize_object()
        addresses[rule] = engine.get_function_address(symbol)
        engines.append(engine)
    return MachineCode(addresses, tuple(engines)) if all(addresses.values()) else None
