"""A rules file as it stands on disk: its options set, its code run once, its names ready to be read.

An option is a module-level constant with a type, `size: int = 11`: the value given to load() takes the place of the one
in the file before the code runs, so that everything the file derives from it follows.
"""

import ast
import hashlib
import itertools
import math
import traceback
from dataclasses import dataclass
from numbers import Real
from pathlib import Path
from types import ModuleType

from tengen._core import GameOptionError, RulesError
from tengen.games.rules.endless import LOADING_SECONDS, TakesTooLongError, count_rounds, time_limit

MODULE_NUMBERS = itertools.count(1)
OPTION_TYPES = {"int": int, "float": float, "bool": bool}


@dataclass(frozen=True)
class RulesFile:
    path: str  # as given to load()
    options: dict[str, float]  # as load() takes them, with their defaults
    digest: str  # SHA-256 of its text
    module: ModuleType  # not in sys.modules; its name is its own


def read_rules_file(path: str, options: dict[str, float]) -> RulesFile:
    """Reads and runs the file."""
    text = _read(path)
    tree = _parse(path, text)
    values = _set_options(path, tree, options)
    module = ModuleType(f"tengen_rules_{next(MODULE_NUMBERS)}_{Path(path).stem}")
    module.__file__ = path
    count_rounds(tree)
    try:
        with time_limit(LOADING_SECONDS):
            exec(compile(tree, path, "exec"), module.__dict__)
    except TakesTooLongError as error:
        why = f"the file itself, outside its functions, has not finished after {LOADING_SECONDS:.0f} seconds"
        raise RulesError(f"{path}{where(error, path)}: {why}.") from None
    except ValueError as error:
        if options:  # an assertion of the file about its options
            raise GameOptionError(f"{path}: {error}") from error
        raise RulesError(f"{path}{where(error, path)}: {said(error)}") from error
    except (Exception, SystemExit) as error:  # sys.exit() would end whatever loads the file, without a word
        raise RulesError(f"{path}{where(error, path)}: {said(error)}") from error
    return RulesFile(path, values, hashlib.sha256(text).hexdigest(), module)


def said(error: BaseException) -> str:
    """The error as Python would print it, on one line: `IndexError: index 9 is out of bounds`."""
    return " ".join("".join(traceback.format_exception_only(error)).split())


def where(error: BaseException, path: str) -> str:
    """The last line of that file which the error passed: `, line 31`."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == path]
    return f", line {lines[-1]}" if lines else ""


def _read(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a null byte in the path
        reason = error.strerror if isinstance(error, OSError) else error
        raise RulesError(f"The rules file '{path}' can't be read: {reason}.") from error


def _parse(path: str, text: bytes) -> ast.Module:
    try:
        return ast.parse(text, path)
    except SyntaxError as error:
        raise RulesError(f"{path}, line {error.lineno}: {error.msg}.") from error
    except (ValueError, RecursionError, MemoryError) as error:  # null bytes; brackets too deep in each other
        raise RulesError(f"{path} is not a Python file: {error}.") from error


def _set_options(path: str, tree: ast.Module, given: dict[str, float]) -> dict[str, float]:
    """Puts the given values into the tree; the values of all options."""
    values: dict[str, float] = {}
    for statement in tree.body:
        match statement:
            case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=ast.expr() as default):
                kind = OPTION_TYPES.get(ast.unparse(annotation))
                if kind is None:
                    if name in given:
                        text = f"{name} is a {ast.unparse(annotation)}, and an option is an int, a float or a bool"
                        raise GameOptionError(f"{path} has no option '{name}': {text}.")
                    continue
                values[name] = _literal(path, name, kind, default)
                if name in given:
                    values[name] = _checked(path, name, kind, given[name])
                statement.value = ast.copy_location(ast.Constant(values[name]), default)
    for name in given:
        if name not in values:
            known = f"its options are: {', '.join(values)}" if values else "it takes none"
            raise GameOptionError(f"{path} has no option '{name}'; {known}.")
    return values


def _literal(path: str, name: str, kind: type, value: ast.expr) -> float:
    try:
        return _checked(path, name, kind, ast.literal_eval(value))
    except (ValueError, GameOptionError):
        plain = {bool: "True or False", int: "a plain whole number", float: "a plain number"}[kind]
        raise RulesError(f"{path}, line {value.lineno}: the option {name} needs {plain} as its default.") from None


def _checked(path: str, name: str, kind: type, value: object) -> float:
    try:
        number = float(value) if isinstance(value, Real) else math.nan  # numpy's numbers too
    except OverflowError:
        number = math.inf
    if kind is float and math.isfinite(number):
        return number
    if number.is_integer() and (kind is int or number in (0, 1)):
        return kind(number)  # type: ignore[no-any-return]
    wanted = {bool: "True or False", int: "a whole number", float: "a number"}[kind]
    raise GameOptionError(f"{path}: {name} must be {wanted}, not {value!r}.")
