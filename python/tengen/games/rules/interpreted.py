"""Rules run by Python itself, on states that are bytes: what bind_table_game.cpp calls back.

An OpenSpiel game answers the same calls (openspiel.py). Rules see the same numbers as when they are compiled: fields
and cells are plain ints and floats, never numpy scalars that overflow at 127.
"""

import math
import random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tengen._core import BoardTextError, RulesError
from tengen.games.rules.declaration import FUNCTIONS, Declaration
from tengen.games.rules.endless import LOADING_SECONDS, TakesTooLongError, time_limit
from tengen.games.rules.results import DRAW, ONGOING
from tengen.games.rules.source import said, where


class _Cells(np.ndarray[Any, Any]):
    """An array whose elements are plain numbers when they are read, and so are its sums and the like."""

    def __getitem__(self, key: Any) -> Any:
        value = super().__getitem__(key)
        return value.item() if isinstance(value, np.generic) else value

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        return array.item() if array.ndim == 0 else super().__array_wrap__(array, context, return_scalar)


class _Record:
    """A state whose fields are attributes: `state.to_move`, `state.cells[2, 3]`."""

    __slots__ = ("_fields",)
    _fields: np.void

    def __init__(self, fields: np.void) -> None:
        object.__setattr__(self, "_fields", fields)

    def __getattr__(self, name: str) -> Any:
        try:
            value = self._fields[name]
        except ValueError:
            names = ", ".join(self._fields.dtype.names or ())
            raise AttributeError(f"State has no field '{name}'; its fields are: {names}") from None
        return value.view(_Cells) if isinstance(value, np.ndarray) else value.item()

    def __setattr__(self, name: str, value: Any) -> None:
        getattr(self, name)
        self._fields[name] = value

    def __repr__(self) -> str:
        return "the state"

    __getitem__ = __getattr__
    __setitem__ = __setattr__


class Interpreted:
    """The functions of a rules file over bytes. Whatever goes wrong in them is a RulesError."""

    def __init__(self, declaration: Declaration) -> None:
        self._rules = declaration
        self._kept: object = None
        functions = declaration.functions
        # C++ asks which of these there are; None means the default text.
        self.action_text = self._action_text if "action_text" in functions else None
        self.parse_action = self._parse_action if "parse_action" in functions else None
        self.board_text = self._board_text if "board_text" in functions or not declaration.pieces else None
        self.set_board = self._set_board if "set_board" in functions else None
        self.cells = self._cells if "cells" in functions else None
        self.score = self._score if "score" in functions else None
        self.reason = self._reason if "reason" in functions else None

    def keep_alive(self, compiled: object) -> None:
        """Compiled functions live as long as this object, which lives as long as the game."""
        self._kept = compiled

    def start(self) -> bytes:
        state = self._writable(bytes(self._rules.state.itemsize))
        self._call_in_place("start", _Record(state[0]))
        return state.tobytes()

    def to_move(self, state: bytes) -> int:
        player = self._call("to_move", self._readable(state))
        if not isinstance(player, (int, np.integer, np.bool_)) or player not in (0, 1):
            raise self._wrong("to_move() returned {}; it returns 0 for the first player or 1 for the second.", player)
        return int(player)

    def outcome(self, state: bytes) -> int:
        result = self._call("outcome", self._readable(state))
        is_number = isinstance(result, (int, np.integer)) and not isinstance(result, bool)
        if not is_number or result not in (ONGOING, DRAW, 0, 1):
            raise self._wrong(
                "outcome() returned {}; it returns ONGOING, DRAW, or the number of the winner, 0 or 1.", result
            )
        return int(result)

    def legal(self, state: bytes) -> bytes:
        mask = np.zeros(self._rules.num_actions, np.bool_).view(_Cells)
        if self.outcome(state) == ONGOING:
            self._call_in_place("legal", self._readable(state), mask)
        return mask.tobytes()

    def play(self, state: bytes, action: int) -> bytes:
        after = self._writable(state)
        self._call_in_place("play", _Record(after[0]), action)
        return after.tobytes()

    def planes(self, state: bytes) -> bytes:
        out = np.zeros((len(self._rules.plane_names), *self._rules.board), np.float32).view(_Cells)
        self._call_in_place("planes", self._readable(state), out)
        return out.tobytes()

    def explain(self, rule: str, state: bytes, action: int) -> str:
        """What is wrong with a rule that failed in its compiled form: the interpreted form knows better."""
        try:
            arguments = () if rule == "start" else (state, action) if rule == "play" else (state,)
            getattr(self, rule)(*arguments)
        except RulesError as error:
            return str(error)
        return f"{self._rules.path}: {rule}() raised an error when compiled, but not when Python itself runs it."

    def try_out(self) -> None:
        """Plays a few random actions, so that plain mistakes are found when the file is loaded.

        An endless recursion is among them: Python stops it with an error, compiled code would end the process.
        """
        with time_limit(LOADING_SECONDS):
            self._try_out()

    def _try_out(self) -> None:
        numbers = random.Random(0)
        state = self.start()
        self.planes(state)
        if self.outcome(state) != ONGOING:
            raise self._wrong(
                "outcome() says that the game is over before the first action; it returned {}.", self.outcome(state)
            )
        for _ in range(min(30, self._rules.longest_game)):
            self.to_move(state)
            legal = np.flatnonzero(np.frombuffer(self.legal(state), np.bool_))
            if not len(legal):
                break
            state = self.play(state, int(numbers.choice(legal)))
        self.planes(state)
        for shown in filter(None, (self.cells, self.score)):
            shown(state)
        if self.reason and self.outcome(state) != ONGOING:
            self.reason(state)

    def _action_text(self, action: int) -> str:
        return self._text("action_text", action)

    def _parse_action(self, text: str) -> int | None:
        action = self._call("parse_action", text)
        if action is not None and not isinstance(action, (int, np.integer)):
            raise self._wrong("parse_action() returned {}; it returns the number of an action, or None.", action)
        return None if action is None or not 0 <= action < self._rules.num_actions else int(action)

    def _board_text(self, state: bytes) -> str:
        if "board_text" in self._rules.functions:
            return self._text("board_text", self._readable(state))
        record = np.frombuffer(state, self._rules.state)[0]
        fields = [f"{name}: {record[name]}" for name in self._rules.state.names or () if name != "to_move"]
        player = self._rules.player_names[self.to_move(state)]
        turn = f"{player} to move" if self.outcome(state) == ONGOING else f"game over, {player} would be next"
        return "\n".join([*fields, turn])

    def _set_board(self, marks: str, to_move: int) -> bytes:
        """`marks` has a letter of a piece or '.' for each cell; the rules get the number of the piece from 0, or -1."""
        letters = "." + ("".join(letter for _, letter, _, _ in self._rules.pieces) or "XO")
        cells = np.array([letters.index(mark) - 1 for mark in marks]).reshape(self._rules.board).view(_Cells)
        state = self._writable(bytes(self._rules.state.itemsize))
        try:
            self._rules.functions["set_board"](_Record(state[0]), cells, to_move)
        except ValueError as error:
            raise BoardTextError(f"{self._rules.path}: {error}") from error
        except Exception as error:
            raise self._raised("set_board", error) from error
        return state.tobytes()

    def _cells(self, state: bytes) -> bytes:
        out = np.zeros(self._rules.board, np.int8).view(_Cells)
        self._call_in_place("cells", self._readable(state), out)
        if out.min() < 0 or out.max() > len(self._rules.pieces):
            most = len(self._rules.pieces)
            raise self._wrong(f"cells() wrote {{}}; a cell is 0 or the code of a piece, 1 to {most}.", int(out.max()))
        return out.tobytes()

    def _score(self, state: bytes) -> float:
        score = self._call("score", self._readable(state))
        if not isinstance(score, (int, float, np.integer, np.floating)) or not math.isfinite(score):
            raise self._wrong("score() returned {}; it returns a number, for the first player.", score)
        return float(score)

    def _reason(self, state: bytes) -> str:
        return self._text("reason", self._readable(state))

    def _text(self, rule: str, argument: object) -> str:
        text = self._call(rule, argument)
        if not isinstance(text, str):
            raise self._wrong(f"{rule}() returned {{}}; it returns a text.", text)
        if not text.isprintable() and not text.replace("\n", "").isprintable():
            raise self._wrong(f"{rule}() returned {{}}, which has characters that can't be printed.", text)
        return text

    def _writable(self, state: bytes) -> NDArray[np.void]:
        return np.frombuffer(bytearray(state), self._rules.state)

    def _readable(self, state: bytes) -> _Record:
        return _Record(np.frombuffer(state, self._rules.state)[0])

    def _call(self, rule: str, *arguments: object) -> Any:
        try:
            return self._rules.functions[rule](*arguments)
        except TakesTooLongError as error:
            at = f"{self._rules.path}{where(error, self._rules.path)}"
            text = (
                f"{rule}() does not return, or is far too slow: 30 actions took more than {LOADING_SECONDS:.0f} seconds"
            )
            raise RulesError(f"{at}: {text}.") from None
        except (Exception, SystemExit) as error:  # sys.exit() would end whatever plays, without a word
            raise self._raised(rule, error, *arguments[1:]) from error

    def _call_in_place(self, rule: str, *arguments: object) -> None:
        result = self._call(rule, *arguments)
        if result is not None:
            changed = FUNCTIONS[rule][-1] if rule != "play" else "state"
            raise self._wrong(f"{rule}() returned {{}}; it changes `{changed}` in place and returns nothing.", result)

    def _wrong(self, text: str, value: object) -> RulesError:
        shown = " ".join(repr(value).split())  # an array has several lines
        return RulesError(f"{self._rules.path}: {text.format(shown if len(shown) < 200 else shown[:200] + '...')}")

    def _raised(self, rule: str, error: BaseException, *shown: object) -> RulesError:
        at = f"{self._rules.path}{where(error, self._rules.path)}"
        if isinstance(error, ValueError) and "read-only" in str(error):
            return RulesError(f"{at}: {rule}() changes the state; only play() and start() may.")
        call = ", ".join([FUNCTIONS[rule][0], *(str(value) for value in shown if isinstance(value, int))])
        return RulesError(f"{at}: {rule}({call}) raised {said(error)}")
