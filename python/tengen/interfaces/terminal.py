"""What commands in the terminal share: a board in colours, a bar for games, and lines from whoever types."""

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol, TextIO

from tengen import State

if TYPE_CHECKING:
    from rich.text import Text

LONGEST_LINE = 1000  # characters; no move and no command comes near


def draw(state: State, before: State | None = None) -> "Text":
    """The board, the first player's stones in one colour and the second's in another.

    Stones that were not there `before`, or were the other player's, stand out.
    """
    from rich.text import Text

    board = str(state)
    text = Text(board)
    text.highlight_regex(r"\bX\b", "bold cyan")
    text.highlight_regex(r"\bO\b", "bold yellow")
    old = str(before) if before is not None else ""
    if len(old) == len(board):
        last_line = board.rfind("\n")  # says who is to move
        for i in range(last_line):
            if board[i] != old[i] and board[i] in "XO":
                text.stylize("reverse", i, i + 1)
    return text


class GamesBar(Protocol):
    """Moves the bar on to so many games, with some words about the last one."""

    def __call__(self, done: int, words: str = "") -> None: ...


@contextmanager
def games_bar(total: int) -> Iterator[GamesBar]:
    """A bar while games go on: on a terminal only, and gone when they are over."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)  # so that the answer can go into a file while one watches
    columns = (
        SpinnerColumn(),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.description}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("", total=total)

        def move_on(done: int, words: str = "") -> None:
            progress.update(task, completed=done, description=words)

        yield move_on


def printable(text: str, longest: int = 40) -> str:
    """What someone typed, fit to be shown: short, on one line, without characters that steer the terminal."""
    shown = "".join(c if c.isprintable() else "?" for c in text[:longest])
    return shown + "..." if len(text) > longest else shown


class Typist:
    """Whoever types: a person at a terminal, or a program at the other end of a pipe. Takes whatever comes."""

    def __init__(self) -> None:
        for stream in (sys.stdin, sys.stdout):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="replace")  # bytes that are no text; characters the terminal does not have

    def read(self, prompt: str) -> str | None:
        """The next line, without the spaces around it; None when no more will come."""
        if sys.stdin is None:  # closed before the program began
            return None
        try:
            if sys.stdin.isatty() and sys.stdout.isatty():
                import readline  # noqa: F401  # arrow keys in input()

                return input(prompt).strip()
            return self._from_pipe(sys.stdin, prompt)
        except (EOFError, OSError):  # OSError: a terminal that was closed
            print()
            return None

    def _from_pipe(self, stream: TextIO, prompt: str) -> str | None:
        print(prompt, end="", flush=True)
        line = rest = stream.readline(LONGEST_LINE)
        while rest and not rest.endswith("\n"):  # too long: skip to its end
            rest = stream.readline(LONGEST_LINE)
        if not line:
            raise EOFError
        line = line.strip()
        print(printable(line))  # so that the text reads as on a terminal
        return line
