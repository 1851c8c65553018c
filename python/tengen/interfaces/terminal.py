"""What commands in the terminal share: a board in colours, a bar for games, and lines from whoever types."""

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol, TextIO

from tengen import State
from tengen.interfaces.board_names import board_names

if TYPE_CHECKING:
    from rich.text import Text

LONGEST_LINE = 1000  # characters; no move and no command comes near
COLOURS = {0: "bold cyan", 1: "bold yellow", None: "dim"}  # of pieces, by owner


def draw(state: State, before: State | None = None) -> "Text":
    """The board, the first player's pieces in one colour and the second's in another.

    Pieces that were not there `before` stand out. A game that does not say what stands on its board is shown as it
    draws itself.
    """
    from rich.text import Text

    cells = state.cells
    if cells is None:
        return Text(str(state))
    spec = state.game.spec
    old = before.cells if before is not None else None
    columns, rows = board_names(state.game)
    wide = max(map(len, columns), default=1)
    named = spec.action_layout != "columns"
    margin = max(map(len, rows)) + 1 if named else 0
    heading = " ".join(f"{name:>{wide}}" for name in columns)
    text = Text(f"{' ' * margin}{heading}\n" if named else "")
    for row in range(spec.height):
        slant = " " * (row * (wide + 1) // 2) if spec.shape == "hex" else ""
        text.append(slant + (f"{rows[row]:>{margin - 1}} " if named else ""))
        for column, code in enumerate(cells[row].tolist()):
            piece = spec.pieces[code - 1] if code else None
            text.append(" " * (wide - 1 + (column > 0)))
            is_new = piece is not None and old is not None and old[row, column] != code
            style = "" if piece is None else COLOURS[piece.owner]
            text.append(piece.letter if piece else ".", f"{style} reverse".strip() if is_new else style)
        text.append("\n")
    if not named:
        text.append(f"{heading}\n")
    text.append(_turn(state) if state.outcome is None else "game over")
    return text


def _turn(state: State) -> str:
    """Whose turn it is, with the letter of that player's pieces where the name is another."""
    spec = state.game.spec
    name = spec.player_names[state.to_move]
    letters = [piece.letter for piece in spec.pieces if piece.owner == state.to_move]
    sign = f" ({letters[0]})" if len(letters) == 1 and letters[0] != name else ""
    return f"{name}{sign} to move"


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
