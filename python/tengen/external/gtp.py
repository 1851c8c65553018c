"""Programs of the Go Text Protocol, version 2, as players: https://www.lysator.liu.se/~gunnar/gtp/"""

from __future__ import annotations

from tengen._core import ArgumentError, Game, State
from tengen.external.process import ExternalEngineError
from tengen.external.programs import ExternalPlayer, shown
from tengen.games.vertices import check_has_vertices, pass_action, vertex_action, vertex_text

__all__ = ["GtpProgram", "komi_of"]

COLOURS = ("black", "white")  # of the first and the second player


class GtpProgram(ExternalPlayer):
    """A program of the Go Text Protocol. In the same game only the new moves are sent."""

    QUIT = "quit"
    HAS_OPTIONS = False

    _known: frozenset[str] = frozenset()  # its commands
    _moves: tuple[int, ...] | None = None  # on its board; None if its board is not known

    @classmethod
    def check(cls, game: Game) -> None:
        check_has_vertices(game)

    def _greet(self) -> None:
        self._ask("protocol_version")
        self._known = frozenset(self._ask("list_commands").split())
        self._moves = None
        self._ask(f"boardsize {self._game.spec.width}")
        komi = komi_of(self._game)
        if komi is not None and "komi" in self._known:
            self._ask(f"komi {komi:g}")
        self._ask("clear_board")
        self._moves = ()

    def _ask_move(self, state: State) -> str:
        self._set_up(state)
        said = self._ask(f"genmove {COLOURS[state.to_move]}").strip()
        if said.lower() == "resign":
            self._moves = None
            raise self._resigned()
        return said

    def _action(self, state: State, said: str) -> int | None:
        action = vertex_action(state.game, said)
        if action is not None:
            self._moves = (*state.moves, action)
        return action

    def _set_up(self, state: State) -> None:
        here = self._moves
        if here is None or state.moves[: len(here)] != here:
            if state.start_board is not None:
                raise ArgumentError(
                    f"{self.name} can only play games from the initial position, not positions that were set up."
                )
            self._ask("clear_board")
            here = ()
        for ply in range(len(here), len(state.moves)):
            self._show(state, ply)

    def _show(self, state: State, ply: int) -> None:
        """Sends a move that was played. Some Othello programs pass by themselves and refuse to be told of a pass."""
        command = f"play {COLOURS[self._player(state, ply)]} {vertex_text(state.game, state.moves[ply])}"
        answer = self._answer(command)
        if answer[0] == "?" and not _only_a_pass(state.game.state(state.moves[:ply])):
            raise self._refusal(command, answer)

    def _player(self, state: State, ply: int) -> int:
        """Who made that move: in the games of this protocol players alternate, and a pass is a move."""
        return (state.to_move + len(state.moves) - ply) % 2

    def _ask(self, command: str) -> str:
        """The content of its answer; an error if it refuses."""
        answer = self._answer(command)
        if answer[0] == "?":
            raise self._refusal(command, answer)
        return answer[1:]

    def _answer(self, command: str) -> str:
        """Its answer, from the = or ? on; an error if the output is anything else."""
        assert self._program is not None
        if unasked := self._unexpected():
            raise self._blame(f"sent unexpected output: '{shown(unasked)}'")
        self._send(command)
        answer = next(self._program.answers(b"\n\n", self._seconds))
        if answer[0] in "=?":
            return answer
        raise self._blame(f"answered '{command}' with '{shown(answer)}', which is not GTP")

    def _refusal(self, command: str, answer: str) -> ExternalEngineError:
        return self._blame(f"refused '{command}': {shown(answer[1:].strip()) or 'no reason given'}")


def komi_of(game: Game) -> float | None:
    """The komi of a game; None in a game without one."""
    komi = game.spec.options.get("komi")
    return None if komi is None else float(komi)


def _only_a_pass(state: State) -> bool:
    return state.legal_actions == (pass_action(state.game),)
