"""Gomoku programs ("brains") of the Gomocup protocol as players: https://plastovicka.github.io/protocl2en.htm"""

from __future__ import annotations

import time

from tengen._core import Game, State, TengenError
from tengen.external.programs import ExternalPlayer, shown

__all__ = ["GomocupProgram", "NoBrainsError", "check_has_brains", "no_brains", "point_action", "point_text", "rule_of"]

COMMENTS = ("MESSAGE", "DEBUG", "SUGGEST")  # lines that are no answers
# Options of a player's text with the same meaning in every protocol, and their names here. The last two are extensions
# that several brains know. All others are sent as they are: INFO <name> <value>.
INFO_NAMES = {"movetime": "timeout_turn", "depth": "max_depth", "nodes": "max_node"}
# Without time limits a brain would think for hours: a second a move unless the player's text says more.
DEFAULTS = {"timeout_turn": "1000", "timeout_match": "0", "time_left": "2147483647", "max_memory": "0"}
FREE_STYLE, EXACTLY_FIVE = 0, 1  # INFO rule
# After its move a brain may not listen yet: Rapfi drops a command that comes while its search is being put away.
PAUSE = 0.02  # seconds


class NoBrainsError(TengenError):
    """A game that the Gomocup protocol has no words for."""


def check_has_brains(game: Game) -> None:
    """Raises NoBrainsError unless the game is five in a row on a board of at least five cells a side."""
    if rule_of(game) is None or min(game.spec.height, game.spec.width) < 5:
        raise no_brains(game.spec.name)


def no_brains(name: str) -> NoBrainsError:
    """Of the game with this name."""
    return NoBrainsError(
        f"The Gomocup protocol is for gomoku, and for mnk with k=5 on at least 5x5; {name} is not one of them."
    )


def rule_of(game: Game) -> int | None:
    """The number of the rule in the protocol; None if it is not five in a row."""
    options = game.spec.options
    if game.spec.source == "gomoku":
        return EXACTLY_FIVE if options.get("exactly_five") else FREE_STYLE
    return FREE_STYLE if game.spec.source == "mnk" and options.get("k") == 5 else None


def point_text(game: Game, action: int) -> str:
    """'7,8': column and row, from 0 at the top left."""
    row, column = divmod(action, game.spec.width)
    return f"{column},{row}"


def point_action(game: Game, text: str) -> int | None:
    """The action of a point; None for any other text."""
    column, comma, row = (part.strip() for part in text.partition(","))
    if not comma or not all(part.isascii() and part.isdecimal() and len(part) < 4 for part in (column, row)):
        return None
    inside = int(column) < game.spec.width and int(row) < game.spec.height
    return int(row) * game.spec.width + int(column) if inside else None


class GomocupProgram(ExternalPlayer):
    """A Gomoku program. A move that follows from its last one is sent alone, any other position as a whole."""

    QUIT = "END"

    _position: State | None = None  # after its last move

    @classmethod
    def check(cls, game: Game) -> None:
        check_has_brains(game)

    def _greet(self) -> None:
        self._new_board()
        told = {**DEFAULTS, "rule": str(rule_of(self._game))}
        told |= {INFO_NAMES.get(name, name): value for name, value in self._options.items()}
        for name, value in told.items():
            self._send(f"INFO {name} {value}")

    def _new_board(self) -> None:
        self._position = None
        spec = self._game.spec
        self._send(f"START {spec.width}" if spec.width == spec.height else f"RECTSTART {spec.width},{spec.height}")
        answer = self._answer()
        if not answer.upper().startswith("OK"):
            raise self._blame(f"answered START with '{shown(answer)}' instead of OK")

    def _ask_move(self, state: State) -> str:
        time.sleep(PAUSE)
        if unasked := "; ".join(line for line in self._unexpected().splitlines() if not _is_comment(line)):
            raise self._blame(f"sent unexpected output: '{shown(unasked)}'")
        if self._position is not None and state.moves and self._follows(state):
            self._send(f"TURN {point_text(state.game, state.moves[-1])}")
        else:
            if self._position is not None:
                self._new_board()
            self._send("\n".join(_board_commands(state)))
        return self._answer()

    def _follows(self, state: State) -> bool:
        assert self._position is not None
        last = state.moves[-1]
        return self._position.is_legal(last) and self._position.play(last) == state

    def _action(self, state: State, said: str) -> int | None:
        action = point_action(state.game, said)
        if action is not None and state.is_legal(action):
            self._position = state.play(action)
        return action

    def _answer(self) -> str:
        for line in self._lines():
            if line.upper().startswith(("ERROR", "UNKNOWN")):
                raise self._blame(f"refused: '{shown(line)}'")
            if not _is_comment(line):
                return line
        raise AssertionError("lines never end")


def _is_comment(line: str) -> bool:
    return not line.strip() or line.split(maxsplit=1)[0].upper() in COMMENTS


def _board_commands(state: State) -> list[str]:
    """BEGIN, or BOARD with every stone: 1 is a stone of the brain, 2 one of its opponent; in order of play if known."""
    assert state.cells is not None
    owners = {code: piece.owner for code, piece in enumerate(state.game.spec.pieces, 1)}
    codes = state.cells.ravel().tolist()
    stones = [action for action, code in enumerate(codes) if code]
    if not stones:
        return ["BEGIN"]
    if state.start_board is None:
        stones = list(state.moves)
    fields = {action: 1 if owners[codes[action]] == state.to_move else 2 for action in stones}
    return ["BOARD", *(f"{point_text(state.game, action)},{field}" for action, field in fields.items()), "DONE"]
