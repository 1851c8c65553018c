"""External programs as players: what all protocols share. Each protocol has a file beside this one.

Every failure (the program dies, hangs, floods its output, sends an invalid answer, plays an illegal move) is an
ExternalEngineError that names the program and what it did, so that a match can score the game as lost and continue; the
next move starts the program again.
"""

from __future__ import annotations

import contextlib
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence

from tengen._core import ArgumentError, Game, State
from tengen.base.threads import InUse, one_thread
from tengen.external.process import EngineResignedError, ExternalEngineError, Program, found_command

__all__ = [
    "SECONDS_PER_ANSWER",
    "EngineResignedError",
    "ExternalEngineError",
    "ExternalPlayer",
    "shown",
]

SECONDS_PER_ANSWER = 60.0
SECONDS_TO_QUIT = 1.0


class ExternalPlayer(ABC):
    """A player that is an external program. It has one board, so it plays one game at a time; it can fail; close it.

    For one thread at a time, except `stop`. The program is started when the first move is needed. `seconds` is the time
    limit of one answer; `options` are those of the player's text ("depth=5"), with the meaning that the protocol gives
    them. A protocol is a subclass with `_greet`, `_ask_move` and `_action`, and the command that ends the program.
    """

    QUIT: str  # the command that ends the program
    HAS_OPTIONS = True  # whether the player's text may have options

    def __init__(
        self,
        name: str,
        command: str,
        game: Game,
        seconds: float = SECONDS_PER_ANSWER,
        options: Mapping[str, str] | None = None,
    ) -> None:
        self.check(game)
        self.name = name
        self._in_use = InUse(name)
        self._command = found_command(name, command)
        self._game = game
        self._seconds = seconds
        self._options = dict(options or {})
        self._program: Program | None = None

    @classmethod
    @abstractmethod
    def check(cls, game: Game) -> None:
        """Raises a TengenError for a game that the protocol has no words for."""

    @abstractmethod
    def _greet(self) -> None:
        """The first words to a program that has just been started."""

    @abstractmethod
    def _ask_move(self, state: State) -> str:
        """Shows the position to the program and returns the move that it answers, as it wrote it."""

    @abstractmethod
    def _action(self, state: State, said: str) -> int | None:
        """The action of a move as the program writes it, legal or not; None if it is not a move."""

    @one_thread
    def choose(self, states: Sequence[State], seeds: Sequence[int]) -> list[int]:
        """As for any player; raises ExternalEngineError if the program fails. Seeds have no effect on it."""
        return [self._choose(state) for state in states]

    def stop(self) -> None:
        """Kills the program at once, from any thread. A caller that waits for an answer gets an ExternalEngineError."""
        if (program := self._program) is not None:
            program.close()

    @one_thread
    def close(self) -> None:
        """Asks the program to quit, then kills it. The next move starts it again."""
        if self._program is not None:
            with contextlib.suppress(ExternalEngineError):
                self._program.send(f"{self.QUIT}\n")
                self._program.wait(SECONDS_TO_QUIT)
        self._drop()

    def _choose(self, state: State) -> int:
        if state.game != self._game:
            raise ArgumentError(f"{self.name} was started for {self._game!r}, not for {state.game!r}.")
        try:
            if self._program is None:
                self._start()
            said = self._ask_move(state)
            action = self._action(state, said)
            if action is None:
                raise self._blame(f"answered with '{shown(said)}', which is not a move")
            if not state.is_legal(action):
                raise self._blame(f"played {shown(said)}, which is not legal here")
        except BaseException as error:
            if not isinstance(error, EngineResignedError):
                self._drop()  # also after Ctrl-C: an answer may be in flight
            raise
        return action

    def _start(self) -> None:
        self._program = Program(self.name, self._command)
        self._greet()

    def _send(self, command: str) -> None:
        assert self._program is not None
        self._program.send(f"{command}\n")

    def _lines(self) -> Iterator[str]:
        """Its lines as they come, without the empty ones; an error when the time of one answer is over."""
        assert self._program is not None
        return self._program.answers(b"\n", self._seconds)

    def _wait_for(self, answer: str, never: str | None = None) -> str:
        """Its next line that begins with `answer`; others are comments, but not those that begin with `never`."""
        for line in self._lines():
            if line.startswith(answer):
                return line
            if never is not None and line.startswith(never):
                raise self._blame(f"sent unexpected output: '{shown(line)}'")
        raise AssertionError("lines never end")

    def _unexpected(self) -> str:
        """What it said since the last answer, which it was not asked for."""
        assert self._program is not None
        return self._program.unread().decode(errors="replace").strip()

    def _blame(self, deed: str) -> ExternalEngineError:
        assert self._program is not None
        return self._program.blame(deed)

    def _resigned(self) -> EngineResignedError:
        return EngineResignedError(self.name, "resigned")

    def _drop(self) -> None:
        if self._program is not None:
            self._program.close()
        self._program = None


def shown(text: str, longest: int = 60) -> str:
    """What a program wrote, fit for an error message."""
    printable = "".join(c if c.isprintable() else " " for c in text[:longest])
    return printable + "..." if len(text) > longest else printable
