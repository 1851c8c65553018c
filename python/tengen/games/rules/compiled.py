"""Rules compiled by Numba into the C functions of RulesTable (cpp/tengen/games/table_game.h).

Every function of the file that the rules call is compiled with them, with array bounds checked; an error raised in a
rule ends as a return code, because the callers hold no GIL. Only this module and the two it
stands on, bits.py and cache.py, import numba.
"""
# Numba's own types say little, and the functions it compiles take theirs from the arguments.
# mypy: disable-error-code="attr-defined, call-arg, no-untyped-call, no-untyped-def, var-annotated"

import linecache
import re
import sys
import warnings
from types import FunctionType
from typing import Any

import numba
import numpy as np
from numba import carray, cfunc, njit, types
from numba.core.errors import NumbaWarning

from tengen._core import RulesError
from tengen.games.rules import cache
from tengen.games.rules.bits import (
    RNG_STEP,
    U64,
    copier,
    count_all_ones,
    count_ones,
    high_product,
    mix,
    nth_of_all_ones,
    nth_one,
    stack_bytes,
)
from tengen.games.rules.cache import MachineCode
from tengen.games.rules.declaration import Declaration
from tengen.games.rules.results import FAILED, ONGOING

RULES = ("start", "to_move", "legal", "play", "outcome", "planes")

# Numba asks for the size of what an array in a record holds, and its bool does not say: it is a byte.
types.Boolean.bitwidth = 8


checked_jit = njit(boundscheck=True, error_model="python", nogil=True)


class CannotCompileError(Exception):
    """A rule uses Python that Numba does not know."""


def compile_rules(declaration: Declaration) -> MachineCode:
    """The rules as C functions, compiled now or on an earlier day; or CannotCompileError."""
    key = cache.key(declaration, RULES)
    if kept := cache.find(key):
        return kept
    name = declaration.module.__name__
    sys.modules[name] = declaration.module  # or else Numba mixes up the names of functions that call themselves
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NumbaWarning)
            entries = _entries(declaration, _compile_functions(declaration))
    finally:
        del sys.modules[name]
    cache.keep(key, entries)
    return MachineCode({rule: entry.address for rule, entry in entries.items()}, tuple(entries.values()))


def _compile_functions(declaration: Declaration) -> dict[str, Any]:
    """The author's functions, each compiled for the arguments it gets."""
    defined = vars(declaration.module)
    namespace = dict(defined)
    for name, value in defined.items():
        function = getattr(value, "py_func", value)
        if isinstance(function, FunctionType) and function.__globals__ is defined:
            namespace[name] = checked_jit(_in_namespace(function, namespace))
    rules = {}
    for rule, arguments in _arguments(declaration).items():
        rules[rule] = namespace[rule] if rule in namespace else checked_jit(declaration.functions[rule])
        try:
            rules[rule].compile(arguments)
        except Exception as error:  # NumbaError as a rule, but Numba's own faults must not stop the author either
            raise CannotCompileError(_in_author_words(declaration, rule, error)) from error
        _check_result(declaration, rule, rules[rule].nopython_signatures[0].return_type)
    return rules


def _in_namespace(function: FunctionType, namespace: dict[str, Any]) -> FunctionType:
    """The same function, calling the compiled functions instead of the plain ones."""
    return FunctionType(function.__code__, namespace, function.__name__, function.__defaults__, function.__closure__)


def _arguments(declaration: Declaration) -> dict[str, tuple[Any, ...]]:
    try:
        state = numba.from_dtype(declaration.state)
    except Exception as error:  # a number of a size that Numba does not have, such as np.longdouble
        raise CannotCompileError(f"Numba can't handle a field of State: {error}") from error
    more = {
        "legal": (types.Array(types.boolean, 1, "C"),),
        "play": (types.int64,),
        "planes": (types.Array(types.float32, 3, "C"),),
    }
    return {rule: (state, *more.get(rule, ())) for rule in RULES}


def _check_result(declaration: Declaration, rule: str, result: Any) -> None:
    if rule == "outcome" and not isinstance(result, types.Integer):
        raise RulesError(
            f"{declaration.path}: outcome() must always return ONGOING, DRAW, or the number of the winner, 0 or 1; "
            f"it can return {result}."
        )
    if rule == "to_move" and not isinstance(result, (types.Integer, types.Boolean)):
        raise RulesError(f"{declaration.path}: to_move() must always return 0 or 1; it can return {result}.")


def _in_author_words(declaration: Declaration, rule: str, error: Exception) -> str:
    """Numba's long story in one line: the line of the file that it does not know, and the first thing it says."""
    linecache.checkcache(declaration.path)
    line = getattr(getattr(error, "loc", None), "line", None)
    code = linecache.getline(declaration.path, line).strip() if line else ""
    text = re.sub("\x1b\\[[0-9;]*m", "", str(error)).replace(str(numba.from_dtype(declaration.state)), "State")
    if found := re.search(r"reflected list.*assigned to variable '(\w+)' in globals", text):
        return f"the constant {found[1]} is a list; write a tuple of tuples, or np.array({found[1]})"
    told = [part.strip().strip("'\"") for part in text.splitlines()]
    told = [part for part in told if part and not part.startswith("Failed in")]
    why = " ".join(told[:2]) if told and told[0].endswith(":") else told[0] if told else repr(error)
    why = why if len(why) < 200 else why[:200] + "..."
    return f"Numba can't compile {rule}()" + (f", line {line}, `{code}`" if code else "") + f": {why}"


def _entries(declaration: Declaration, rules: dict[str, Any]) -> dict[str, Any]:
    """One C function for each entry of RulesTable. `context` is for interpreted rules."""
    start, to_move, legal, play, outcome, planes = (rules[rule] for rule in RULES)
    num_actions = declaration.num_actions
    planes_shape = (len(declaration.plane_names), *declaration.board)
    context_type, state_type = types.voidptr, types.CPointer(numba.from_dtype(declaration.state))
    mask_type = types.CPointer(types.boolean)

    def entry(*arguments: Any) -> Any:
        return cfunc(types.int32(context_type, state_type, *arguments), error_model="python")

    @entry()
    def start_entry(context, state):
        try:
            start(carray(state, 1)[0])
        except Exception:
            return FAILED
        return 0

    @entry()
    def to_move_entry(context, state):
        try:
            return to_move(carray(state, 1)[0])
        except Exception:
            return FAILED

    @entry(mask_type)
    def legal_entry(context, state, mask):
        try:
            if outcome(carray(state, 1)[0]) == ONGOING:
                legal(carray(state, 1)[0], carray(mask, num_actions))
        except Exception:
            return FAILED
        return 0

    @entry(types.int32)
    def play_entry(context, state, action):
        try:
            play(carray(state, 1)[0], np.int64(action))
        except Exception:
            return FAILED
        return 0

    @entry()
    def outcome_entry(context, state):
        try:
            return outcome(carray(state, 1)[0])
        except Exception:
            return FAILED

    @entry(types.CPointer(types.float32))
    def planes_entry(context, state, out):
        try:
            planes(carray(state, 1)[0], carray(out, planes_shape))
        except Exception:
            return FAILED
        return 0

    playout_entry = entry(types.CPointer(types.uint64), types.CPointer(types.int64))(
        _playout(declaration, legal, play, outcome)
    )
    return {
        "start": start_entry,
        "to_move": to_move_entry,
        "legal": legal_entry,
        "play": play_entry,
        "outcome": outcome_entry,
        "planes": planes_entry,
        "playout": playout_entry,
    }


def _playout(declaration: Declaration, legal: Any, play: Any, outcome: Any) -> Any:
    """A whole random game: the rules are inlined into one loop, which is most of the speed of random play-outs."""
    num_actions = declaration.num_actions
    num_words = (num_actions + 7) // 8
    longest_game = declaration.longest_game

    @njit(error_model="python")
    def playout(state, random, mask, words, actions):
        for taken in range(longest_game + 1):
            result = outcome(state)
            if result != ONGOING:
                actions[0] = taken
                return result, random
            for i in range(num_words):
                words[i] = 0
            legal(state, mask)
            if num_words == 1:  # byte by byte: what legal() has just stored is still in registers
                word = U64(0)
                for i in range(num_actions):
                    word |= U64(mask[i]) << U64(8 * i)
                count = count_ones(word)
            else:
                count = count_all_ones(words)
            if count == 0:
                break
            random += RNG_STEP
            n = high_product(mix(random), count)
            play(state, nth_one(word, n) if num_words == 1 else nth_of_all_ones(words, n))
        return FAILED, random

    state_dtype = declaration.state
    state_bytes, mask_bytes = stack_bytes(state_dtype.itemsize), stack_bytes(8 * num_words)
    copy_state = copier(state_dtype.itemsize)

    def playout_entry(context, state, rng, actions):
        # The game is played on a copy, in registers if it is small, which takes the state's place if all goes well.
        local, mask = state_bytes(), mask_bytes()
        copy_state(local, state)
        random = rng[0]
        try:
            result, random = playout(
                carray(local, 1, state_dtype)[0],
                random,
                carray(mask, num_actions, np.bool_),
                carray(mask, num_words, np.uint64),
                carray(actions, 1),
            )
        except Exception:
            return FAILED
        if result != FAILED:
            copy_state(state, local)
            rng[0] = random
        return result

    return playout_entry
