"""External programs: started, controlled line by line through pipes, and never left running.

`GtpProgram` makes any engine of the Go Text Protocol a player. Every failure (it dies, hangs, floods its output, sends
an invalid answer, plays an illegal move) is an ExternalEngineError that names the program and what it did, so that a
match can score the game as lost and continue; the next move starts the program again. Even if Python itself is killed,
a guard process kills the programs that it had started.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
import weakref
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import IO, NoReturn

from tengen._core import ArgumentError, Game, State, TengenError
from tengen.games.vertices import check_has_vertices, pass_action, vertex_action, vertex_text

__all__ = [
    "SECONDS_PER_ANSWER",
    "EngineResignedError",
    "ExternalEngineError",
    "ExternalPlayer",
    "GtpProgram",
    "Program",
]

SECONDS_PER_ANSWER = 60.0
MOST_UNREAD = 1 << 20  # bytes; far more than any valid answer
LAST_WORDS = 500  # bytes at the end of its standard error that an error message quotes
SECONDS_TO_QUIT = 1.0
COLOURS = ("black", "white")  # of the first and the second player
GAMES_FOLDER = "/usr/games"  # where Debian installs engines; not on every PATH
# Waits for a line that is never sent. The pipe closes when Python ends in any way; then process group $0 is killed.
GUARD = 'read -r _; kill -s KILL -- "-$0"'


class ExternalEngineError(TengenError):
    """An external program failed: `engine` is its name, `deed` what it did, as in "closed its output"."""

    def __init__(self, engine: str, deed: str, last_words: str = "") -> None:
        self.engine = engine
        self.deed = deed
        super().__init__(f"{engine} {deed}" + (f"; its standard error ends with: {last_words}" if last_words else "."))


class EngineResignedError(ExternalEngineError):
    """The program resigned: the game is lost, but the program did not fail."""


class Program:
    """A running program with pipes. Its processes are killed by `close`, with this object, or when Python ends."""

    def __init__(self, name: str, command: Sequence[str]) -> None:
        self.name = name
        pipe = subprocess.PIPE
        try:
            # It gets its own process group, so that its children are killed with it and Ctrl-C reaches only us.
            self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True)
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            raise ExternalEngineError(name, f"can't be started: {reason}") from error
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self._output = _Inbox(MOST_UNREAD)
        self._complaints = _Inbox(sys.maxsize, kept=LAST_WORDS)
        self._output.fill_from(self._process.stdout)
        self._complaints.fill_from(self._process.stderr)
        self._end = weakref.finalize(self, _end, self._process, _guard(self._process.pid))

    def send(self, text: str) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(text.encode())
            self._process.stdin.flush()
        except (OSError, ValueError):  # it no longer reads; ValueError: another thread has closed the pipe
            self._blame_silence(0.0)

    def unread(self) -> bytes:
        """Output that has not been read yet, without waiting for more."""
        return self._output.take_all()

    def read_to(self, end: bytes, seconds: float) -> str:
        """Its output up to and including `end`, which ends a line; carriage returns are removed."""
        said = self._output.take_to(end, seconds)
        if said is None:
            self._blame_silence(seconds)
        return said.decode(errors="replace")

    def blame(self, deed: str) -> ExternalEngineError:
        """Ends the program and returns the error to raise."""
        self.close()
        words = self._complaints.take_all()[-LAST_WORDS:].decode(errors="replace")
        return ExternalEngineError(self.name, deed, " ".join(words.split()))

    def close(self) -> None:
        """Kills the program and every process that it started."""
        self._end()

    @property
    def closed(self) -> bool:
        """Whether we ended it; False for a program that died by itself."""
        return not self._end.alive

    def _blame_silence(self, seconds: float) -> NoReturn:
        if self._output.overfull:
            raise self.blame("floods its output")
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(0.5 if self._output.closed else 0)
        code = self._process.returncode
        if code is not None:
            raise self.blame(f"died (exit code {code})" if code >= 0 else f"died (signal {-code})")
        if self._output.closed:
            raise self.blame("closed its output")
        raise self.blame(f"gave no answer within {round(seconds, 2):g} s")


class _Inbox:
    """Bytes from a pipe, read by a thread of its own up to an upper bound."""

    def __init__(self, most: int, kept: int | None = None) -> None:
        self.closed = False
        self.overfull = False
        self._most = most
        self._kept = kept  # if given, only so many of the last bytes are kept
        self._bytes = bytearray()
        self._news = threading.Condition()

    def fill_from(self, pipe: IO[bytes]) -> None:
        threading.Thread(target=self._fill, args=(pipe,), daemon=True).start()

    def _fill(self, pipe: IO[bytes]) -> None:
        with contextlib.suppress(OSError), pipe:
            while (chunk := os.read(pipe.fileno(), 1 << 16)) and not self.overfull:
                with self._news:
                    self._bytes += chunk.replace(b"\r", b"")
                    if self._kept is not None:
                        del self._bytes[: -self._kept]
                    self.overfull = len(self._bytes) > self._most
                    self._news.notify_all()
        with self._news:
            self.closed = True
            self._news.notify_all()

    def take_all(self) -> bytes:
        with self._news:
            taken = bytes(self._bytes)
            self._bytes.clear()
            return taken

    def take_to(self, end: bytes, seconds: float) -> bytes | None:
        """The bytes up to and including `end`; None if it does not come in time or the pipe is closed or overfull."""
        with self._news:
            self._news.wait_for(lambda: end in self._bytes or self.closed or self.overfull, seconds)
            if self.overfull or end not in self._bytes:
                return None
            length = self._bytes.index(end) + len(end)
            taken = bytes(self._bytes[:length])
            del self._bytes[:length]
            return taken


def _guard(group: int) -> subprocess.Popen[bytes] | None:
    """A shell process that kills the process group when Python has ended."""
    if os.name != "posix":
        return None
    silent = subprocess.DEVNULL
    return subprocess.Popen(
        ["/bin/sh", "-c", GUARD, str(group)],
        stdin=subprocess.PIPE,
        stdout=silent,
        stderr=silent,
        start_new_session=True,
    )


def _end(process: subprocess.Popen[bytes], guard: subprocess.Popen[bytes] | None) -> None:
    """Kills the process group of the program and waits until the program has ended."""
    if guard is not None:
        guard.kill()  # before the group: the id of a group that has ended may be reused by another program
        guard.communicate()
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.wait()
    if process.stdin is not None:
        with contextlib.suppress(OSError):
            process.stdin.close()  # the other pipes are closed by the threads that read them


class ExternalPlayer(ABC):
    """A player that is an external program. It has one board, so it plays one game at a time; it can fail; close it."""

    name: str

    @abstractmethod
    def choose(self, states: Sequence[State], seeds: Sequence[int]) -> list[int]:
        """As for any player; raises ExternalEngineError if the program fails."""

    @abstractmethod
    def close(self) -> None:
        """Asks the program to quit and then kills it. The next move starts it again."""

    @abstractmethod
    def stop(self) -> None:
        """Kills the program at once, from any thread. A caller that waits for an answer gets an ExternalEngineError."""


class GtpProgram(ExternalPlayer):
    """A program of the Go Text Protocol as a player. For one thread at a time.

    The program is started when the first move is needed. A position is sent move by move, and in the same game only the
    new moves are sent. `seconds` is the time limit of one answer.
    """

    def __init__(self, name: str, command: str, game: Game, seconds: float = SECONDS_PER_ANSWER) -> None:
        check_has_vertices(game)
        self.name = name
        self._command = _found(name, command)
        self._game = game
        self._seconds = seconds
        self._program: Program | None = None
        self._known: frozenset[str] = frozenset()
        self._moves: tuple[int, ...] | None = None  # on its board; None if its board is not known

    def choose(self, states: Sequence[State], seeds: Sequence[int]) -> list[int]:
        """Seeds have no effect on an external program."""
        return [self._choose(state) for state in states]

    def stop(self) -> None:
        if (program := self._program) is not None:
            program.close()

    def close(self) -> None:
        """Asks the program to quit, then kills it. The next move starts it again."""
        if self._program is not None:
            with contextlib.suppress(ExternalEngineError):
                self._program.send("quit\n")
                self._program.read_to(b"\n\n", SECONDS_TO_QUIT)
            self._program.close()
        self._program = None

    def _choose(self, state: State) -> int:
        try:
            self._set_up(state)
            said = self._ask(f"genmove {COLOURS[state.to_move]}").strip()
            if said.lower() == "resign":
                self._moves = None
                raise EngineResignedError(self.name, "resigned")
            action = vertex_action(state.game, said)
            if action is None:
                raise self._blame(f"answered genmove with '{_shown(said)}', which is not a move")
            if not state.is_legal(action):
                raise self._blame(f"played {vertex_text(state.game, action)}, which is not legal here")
        except BaseException as error:
            if not isinstance(error, EngineResignedError):
                self._drop()  # also after Ctrl-C: an answer may be in flight
            raise
        self._moves = (*state.moves, action)
        return action

    def _set_up(self, state: State) -> None:
        if self._program is None:
            self._start()
        if state.game != self._game:
            raise ArgumentError(f"{self.name} was started for {self._game!r}, not for {state.game!r}.")
        here = self._moves
        if here is None or state.moves[: len(here)] != here:
            if state.game.state(state.moves) != state:
                raise ArgumentError(
                    f"{self.name} can only play games from the initial position, not positions that were set up."
                )
            self._ask("clear_board")
            here = ()
        for ply in range(len(here), len(state.moves)):
            self._show(state, ply)
        self._moves = state.moves

    def _show(self, state: State, ply: int) -> None:
        """Sends a move that was played. Some Othello programs pass by themselves and refuse to be told of a pass."""
        command = f"play {COLOURS[self._player(state, ply)]} {vertex_text(state.game, state.moves[ply])}"
        answer = self._answer(command)
        if answer[0] == "?" and not _only_a_pass(state.game.state(state.moves[:ply])):
            raise self._refusal(command, answer)

    def _player(self, state: State, ply: int) -> int:
        """Who made that move: in the games of this protocol players alternate, and a pass is a move."""
        return (state.to_move + len(state.moves) - ply) % 2

    def _start(self) -> None:
        self._program = Program(self.name, self._command)
        self._ask("protocol_version")
        self._known = frozenset(self._ask("list_commands").split())
        self._moves = None
        self._ask(f"boardsize {self._game.spec.width}")
        komi = komi_of(self._game)
        if komi is not None and "komi" in self._known:
            self._ask(f"komi {komi:g}")
        self._ask("clear_board")
        self._moves = ()

    def _ask(self, command: str) -> str:
        """The content of its answer; an error if it refuses."""
        answer = self._answer(command)
        if answer[0] == "?":
            raise self._refusal(command, answer)
        return answer[1:]

    def _answer(self, command: str) -> str:
        """Its answer, from the = or ? on; an error if the output is anything else."""
        assert self._program is not None
        if unasked := self._program.unread().strip():
            raise self._blame(f"sent unexpected output: '{_shown(unasked.decode(errors='replace'))}'")
        self._program.send(f"{command}\n")
        deadline = time.monotonic() + self._seconds
        answer = ""
        while not answer.strip():  # some programs send an extra empty line
            answer = self._program.read_to(b"\n\n", max(0.0, deadline - time.monotonic()))
        answer = answer.strip()
        if answer[0] in "=?":
            return answer
        raise self._blame(f"answered '{command}' with '{_shown(answer)}', which is not GTP")

    def _refusal(self, command: str, answer: str) -> ExternalEngineError:
        return self._blame(f"refused '{command}': {_shown(answer[1:].strip()) or 'no reason given'}")

    def _blame(self, deed: str) -> ExternalEngineError:
        assert self._program is not None
        return self._program.blame(deed)

    def _drop(self) -> None:
        if self._program is not None:
            self._program.close()
        self._program = None


def _found(name: str, command: str) -> list[str]:
    """The words of a command, with the full path of the program."""
    try:
        words = shlex.split(command)
    except ValueError as error:  # an unclosed quotation mark
        raise ExternalEngineError(name, f"can't be started: {error}") from error
    if not words:
        raise ExternalEngineError(name, "can't be started: there is no command")
    places = os.pathsep.join([os.environ.get("PATH", os.defpath), GAMES_FOLDER])
    program = shutil.which(words[0], path=places)
    if program is None:
        raise ExternalEngineError(name, f"can't be started: there is no program '{words[0]}'")
    return [program, *words[1:]]


def komi_of(game: Game) -> float | None:
    """The komi of a game; None in a game without one."""
    komi = game.spec.options.get("komi")
    return None if komi is None else float(komi)


def _only_a_pass(state: State) -> bool:
    return state.legal_actions == (pass_action(state.game),)


def _shown(text: str, longest: int = 60) -> str:
    shown = "".join(c if c.isprintable() else " " for c in text[:longest])
    return shown + "..." if len(text) > longest else shown
