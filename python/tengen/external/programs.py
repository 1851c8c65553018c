"""Programs outside: started, talked to line by line, watched, and never left behind.

`GtpProgram` is any engine of the Go Text Protocol as a player. Whatever goes wrong with it (it dies, hangs, floods its
output, answers nonsense, plays illegally) is an ExternalEngineError that names the program and what it did, so that a
match can score the game as lost and go on; the next move starts the program anew. Even if Python itself is killed, a
guard ends what it had started.
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
MOST_UNREAD = 1 << 20  # bytes; no answer comes near
LAST_WORDS = 500  # bytes of the standard error that are kept for the blame
SECONDS_TO_QUIT = 1.0
COLOURS = ("black", "white")  # of the first and the second player
GAMES_FOLDER = "/usr/games"  # where Debian has its engines, though it is not on every PATH
# Waits for a line that never comes: the end of the pipe does, however Python ends. Then the group $0 has to go.
GUARD = 'read -r _; kill -s KILL -- "-$0"'


class ExternalEngineError(TengenError):
    """An external program failed. `engine` says which, `deed` what it did."""

    def __init__(self, engine: str, deed: str, last_words: str = "") -> None:
        self.engine = engine
        self.deed = deed
        super().__init__(f"{engine} {deed}" + (f"; its last words: {last_words}" if last_words else "."))


class EngineResignedError(ExternalEngineError):
    """It gave the game up: lost, but nothing is wrong with it."""


class Program:
    """A running program with pipes. Its processes end with `close`, with this object, or with Python."""

    def __init__(self, name: str, command: Sequence[str]) -> None:
        self.name = name
        pipe = subprocess.PIPE
        try:
            # A group of its own: children that it starts end with it, and Ctrl-C is for us to handle.
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
        except (OSError, ValueError):  # it does not listen any more; ValueError: another thread has closed it
            self._blame_silence(0.0)

    def unread(self) -> bytes:
        """What it has said and nobody has read, without waiting."""
        return self._output.take_all()

    def read_to(self, end: bytes, seconds: float) -> str:
        """What it says up to and with `end`, which is whole lines; carriage returns are left out."""
        said = self._output.take_to(end, seconds)
        if said is None:
            self._blame_silence(seconds)
        return said.decode(errors="replace")

    def blame(self, deed: str) -> ExternalEngineError:
        """Ends the program; gives the error to raise."""
        self.close()
        words = self._complaints.take_all()[-LAST_WORDS:].decode(errors="replace")
        return ExternalEngineError(self.name, deed, " ".join(words.split()))

    def close(self) -> None:
        """Ends the program and every process that it started."""
        self._end()

    @property
    def closed(self) -> bool:
        """Whether it was ended by us; a program that has died is not."""
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
    """Bytes from a pipe, read by a thread of its own, as many as fit."""

    def __init__(self, most: int, kept: int | None = None) -> None:
        self.closed = False
        self.overfull = False
        self._most = most
        self._kept = kept  # only so many of the last bytes matter
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
        """None if `end` does not come in time, or cannot come any more."""
        with self._news:
            self._news.wait_for(lambda: end in self._bytes or self.closed or self.overfull, seconds)
            if self.overfull or end not in self._bytes:
                return None
            length = self._bytes.index(end) + len(end)
            taken = bytes(self._bytes[:length])
            del self._bytes[:length]
            return taken


def _guard(group: int) -> subprocess.Popen[bytes] | None:
    """A shell that outlives us by the moment it takes to end that group of processes."""
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
    """Kills the whole group, and waits until it is gone."""
    if guard is not None:
        guard.kill()  # first: the number of a group that is gone may become someone else's
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
    """A player that is a program: it has one board, so it plays one game at a time; it may fail; it must be ended."""

    name: str

    @abstractmethod
    def choose(self, states: Sequence[State], seeds: Sequence[int]) -> list[int]:
        """As of any player; an ExternalEngineError if it fails at one of them."""

    @abstractmethod
    def close(self) -> None:
        """Ends the program, politely if it listens. The next move starts it again."""

    @abstractmethod
    def stop(self) -> None:
        """Ends the program at once. For any thread: whoever waits for an answer gets an ExternalEngineError."""


class GtpProgram(ExternalPlayer):
    """A player that asks a program by the Go Text Protocol. For one thread at a time.

    It is started when the first move is asked for. Positions are set up move by move; as long as a game goes on, only
    new moves are sent. `seconds` is the longest that it may take for one answer.
    """

    def __init__(self, name: str, command: str, game: Game, seconds: float = SECONDS_PER_ANSWER) -> None:
        check_has_vertices(game)
        self.name = name
        self._command = _found(name, command)
        self._game = game
        self._seconds = seconds
        self._program: Program | None = None
        self._known: frozenset[str] = frozenset()
        self._moves: tuple[int, ...] | None = None  # on its board; None before it has one

    def choose(self, states: Sequence[State], seeds: Sequence[int]) -> list[int]:
        """Seeds change nothing: the program has its own."""
        return [self._choose(state) for state in states]

    def stop(self) -> None:
        if (program := self._program) is not None:
            program.close()

    def close(self) -> None:
        """Asks it to quit, and makes sure that it does. The next move starts it again."""
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
                raise self._blame(f"answered genmove with '{_shown(said)}', which is no move")
            if not state.is_legal(action):
                raise self._blame(f"played {vertex_text(state.game, action)}, which is not legal here")
        except BaseException as error:
            if not isinstance(error, EngineResignedError):
                self._drop()  # also after Ctrl-C: an answer may be on its way
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
                    f"{self.name} can only be shown games that began at the start, not drawn positions."
                )
            self._ask("clear_board")
            here = ()
        for ply in range(len(here), len(state.moves)):
            self._show(state, ply)
        self._moves = state.moves

    def _show(self, state: State, ply: int) -> None:
        """A move that was played. Some programs of Othello pass by themselves, and refuse to be told."""
        command = f"play {COLOURS[self._player(state, ply)]} {vertex_text(state.game, state.moves[ply])}"
        answer = self._answer(command)
        if answer[0] == "?" and not _only_a_pass(state.game.state(state.moves[:ply])):
            raise self._refusal(command, answer)

    def _player(self, state: State, ply: int) -> int:
        """In the games of this protocol the players alternate, passes included."""
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
        """What it answers; an error if it refuses."""
        answer = self._answer(command)
        if answer[0] == "?":
            raise self._refusal(command, answer)
        return answer[1:]

    def _answer(self, command: str) -> str:
        """From the = or ? on; an error if it says anything but one answer."""
        assert self._program is not None
        if unasked := self._program.unread().strip():
            raise self._blame(f"spoke without being asked: '{_shown(unasked.decode(errors='replace'))}'")
        self._program.send(f"{command}\n")
        deadline = time.monotonic() + self._seconds
        answer = ""
        while not answer.strip():  # some send an empty line too many
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
    """The words of a command, the program with its whole path."""
    try:
        words = shlex.split(command)
    except ValueError as error:  # a quotation that does not end
        raise ExternalEngineError(name, f"can't be started: {error}") from error
    if not words:
        raise ExternalEngineError(name, "can't be started: there is no command")
    places = os.pathsep.join([os.environ.get("PATH", os.defpath), GAMES_FOLDER])
    program = shutil.which(words[0], path=places)
    if program is None:
        raise ExternalEngineError(name, f"can't be started: there is no program '{words[0]}'")
    return [program, *words[1:]]


def komi_of(game: Game) -> float | None:
    """None in a game without."""
    komi = game.spec.options.get("komi")
    return None if komi is None else float(komi)


def _only_a_pass(state: State) -> bool:
    return state.legal_actions == (pass_action(state.game),)


def _shown(text: str, longest: int = 60) -> str:
    shown = "".join(c if c.isprintable() else " " for c in text[:longest])
    return shown + "..." if len(text) > longest else shown
