"""Othello programs of the NBoard protocol, version 2, as players: NTest, Edax and others."""

from __future__ import annotations

from tengen._core import Game, State, TengenError
from tengen.external.programs import ExternalPlayer
from tengen.games.vertices import pass_action, vertex_action

__all__ = ["NBoardProgram"]

DEFAULTS = {"depth": "8"}  # the protocol asks for a depth before the first move
DISCS = {0: "*", 1: "O"}  # by owner
ANSWER = "==="
# "go" obeys the clock of the game. A day is far more than an answer may take, so the depth decides.
CLOCK = "24:00:00"


class NBoardProgram(ExternalPlayer):
    """An Othello program. It gets the whole position before every move; options are sent as `set <name> <value>`."""

    QUIT = "quit"

    @classmethod
    def check(cls, game: Game) -> None:
        if game.spec.source != "othello" or game.spec.width != 8:
            raise TengenError(f"The NBoard protocol is for othello on 8x8; {game!r} is another game.")

    def _greet(self) -> None:
        self._send("nboard 2")
        for name, value in {**DEFAULTS, **self._options}.items():
            self._send(f"set {name} {value}")

    def _ask_move(self, state: State) -> str:
        if state.legal_actions == (pass_action(state.game),):
            return "PA"  # programs differ in whether they want to be asked
        self._send(f"set game {_ggf(state)}")
        self._send("ping 1")
        self._wait_for("pong", never=ANSWER)
        self._send("go")
        # The move is followed by its value and the time taken: '=== F5/1.2/0.5' or '=== f5 1.2 0.5'.
        return self._wait_for(ANSWER).removeprefix(ANSWER).partition("/")[0].strip()

    def _action(self, state: State, said: str) -> int | None:
        move = said.partition(" ")[0].upper()
        return pass_action(state.game) if move in ("PA", "PASS") else vertex_action(state.game, move)


def _ggf(state: State) -> str:
    """The position in the Generic Game Format, without the moves that led to it: Othello has no memory."""
    assert state.cells is not None
    signs = ["-", *(DISCS[piece.owner] for piece in state.game.spec.pieces if piece.owner is not None)]
    board = "".join(signs[code] for code in state.cells.ravel().tolist())
    header = f"GM[Othello]PC[tengen]PB[black]PW[white]RE[?]TI[{CLOCK}]TY[8]"
    return f"(;{header}BO[8 {board} {DISCS[state.to_move]}];)"
