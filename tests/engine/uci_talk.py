"""A conversation with `tengen uci` or `tengen usi` inside of the test's process."""

import re
import threading

from tiny_networks import LooksAtTheBoard

import tengen
from tengen import SearchParams
from tengen.interfaces.uci import UCI, Brain, Dialect, Uci

PATIENCE = 30.0  # seconds, for a machine that is busy
BESTMOVE = re.compile(r"bestmove (\S+)(?: ponder (\S+))?")


class Talk:
    """A conversation in this process, in any game whose actions have texts."""

    def __init__(
        self,
        name: str = "gomoku",
        dialect: Dialect = UCI,
        simulations: int = 0,
        instant_wins: bool = False,
        **options: float,
    ) -> None:
        self.game = tengen.load(name, **options)
        evaluator = LooksAtTheBoard(self.game)
        brain = Brain(
            "fake",
            self.game,
            SearchParams(leaves_per_batch=2, instant_wins=instant_wins),
            lambda threads: evaluator,
            simulations,
        )
        self.lines: list[str] = []
        self._news = threading.Condition()
        self.session = Uci(brain, dialect, self._write)

    def _write(self, text: str) -> None:
        assert text.endswith("\n")
        with self._news:
            self.lines += text.splitlines()
            self._news.notify_all()

    def send(self, *lines: str) -> None:
        for line in lines:
            assert self.session.obey(line) or line.startswith("quit")

    def wait_for(self, beginning: str) -> str:
        """The next line that begins so; it and those before it are taken away."""
        with self._news:
            assert self._news.wait_for(lambda: any(line.startswith(beginning) for line in self.lines), PATIENCE)
            at = next(i for i, line in enumerate(self.lines) if line.startswith(beginning))
            found = self.lines[at]
            self.before, self.lines = self.lines[:at], self.lines[at + 1 :]
            return found

    def __call__(self, *lines: str) -> str:
        """Sends lines, and waits for the move."""
        self.send(*lines)
        found = BESTMOVE.fullmatch(self.wait_for("bestmove"))
        assert found is not None
        return found[1]
