"""A conversation with `tengen gtp` inside of the test's process."""

import re
import threading

from tiny_networks import LooksAtTheBoard

import tengen
from tengen import SearchParams
from tengen.engine import Limit
from tengen.interfaces.gtp import Gtp

ANSWER = re.compile(r"[=?][0-9]*( [^\n]*)?\n(?:[^\n]+\n)*\n")


class Talk:
    """A conversation in this process."""

    def __init__(self, name: str = "go", limit: Limit | None = None, **options: float) -> None:
        game = tengen.load(name, **options)
        self.written = ""
        self.heard = threading.Event()  # a line of a stream
        self.session = Gtp(
            game, LooksAtTheBoard(game), SearchParams(leaves_per_batch=2), limit or Limit(simulations=8), self._write
        )

    def _write(self, text: str) -> None:
        self.written += text
        if text.startswith("info"):
            self.heard.set()

    def __call__(self, line: str) -> str:
        """The answer to a line, without the empty line at its end."""
        self.written = ""
        self.session.obey(line)
        assert ANSWER.fullmatch(self.written), f"{line!r} was answered with {self.written!r}"
        return self.written.removesuffix("\n\n")
