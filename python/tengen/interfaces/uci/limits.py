"""The arguments of `go`: how long to think, and about which moves."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from tengen.interfaces.timekeeping import Clock
from tengen.interfaces.uci.dialect import Dialect

__all__ = ["Go", "parse_go"]

MOST = 10**12  # of anything; a larger number means as much
SWITCHES = ("infinite", "ponder")
# A tree does not grow level by level. So a depth is the length of the best line, with a bound on the simulations, which
# doubles with every ply up to this depth.
DEEPEST = 13


@dataclass
class Go:
    """What `go` asks for. Times in seconds."""

    clock: Clock = field(default_factory=Clock)  # of the player to move
    move_time: float | None = None
    nodes: int | None = None
    depth: int | None = None
    mate: int | None = None  # in so many moves; in USI: within so many milliseconds
    infinite: bool = False
    ponder: bool = False
    search_moves: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()  # what could not be read

    @property
    def has_clock(self) -> bool:
        return math.isfinite(self.clock.left)

    @property
    def has_end(self) -> bool:
        """Whether the search ends in any case. One for a mate alone goes on until there is one."""
        limits = (self.move_time, self.nodes, self.depth)
        return not self.infinite and (self.has_clock or any(limit is not None for limit in limits))

    @property
    def is_bounded(self) -> bool:
        """Whether the search may answer before it is told to."""
        return self.has_end or (not self.infinite and self.mate is not None)

    @property
    def most_simulations(self) -> int | None:
        """A bound that follows from nodes and depth."""
        bounds = [] if self.nodes is None else [max(1, self.nodes)]
        if self.depth is not None:
            bounds.append(100 * 2 ** min(max(0, self.depth), DEEPEST))
        return min(bounds, default=None)


def parse_go(words: list[str], dialect: Dialect, to_move: int) -> Go:
    """Reads the words after `go`. Unknown ones are skipped, as the protocol wants it.

    What should be a number and is none counts as 0: whoever asked waits for a move, and gets one at once.
    """
    mine = dialect.clocks[to_move]
    numbers = {"movestogo": 0, "movetime": 0, "nodes": 0, "depth": 0, "mate": 0, "byoyomi": 0}
    numbers |= {f"{colour}{kind}": 0 for colour in "wb" for kind in ("time", "inc")}
    go, given, at = Go(), {}, 0
    while at < len(words):
        word = words[at]
        at += 1
        if word in SWITCHES:
            go.infinite |= word == "infinite"
            go.ponder |= word == "ponder"
        elif word == "searchmoves":
            end = next((i for i in range(at, len(words)) if words[i] in numbers or words[i] in SWITCHES), len(words))
            go.search_moves = tuple(words[at:end])
            at = end
        elif word in numbers:
            if at < len(words):
                number = _number(words[at])
                if number is None:
                    go.problems += (f"'{words[at][:40]}' is not a number; {word} counts as 0",)
                given[word] = number or 0
            at += 1
    seconds = {name: given[name] / 1000.0 for name in given}
    if f"{mine}time" in given or "byoyomi" in given:
        go.clock = Clock(
            left=max(0.0, seconds.get(f"{mine}time", 0.0)),
            increment=max(0.0, seconds.get(f"{mine}inc", 0.0)),
            moves_to_go=max(0, given.get("movestogo", 0)),
            byoyomi=max(0.0, seconds.get("byoyomi", 0.0)),
        )
    if "movetime" in given:
        go.move_time = max(0.0, seconds["movetime"])
    go.nodes, go.depth, go.mate = given.get("nodes"), given.get("depth"), given.get("mate")
    if go.mate is not None and dialect.mate_in_plies and go.mate < MOST:
        go.move_time = max(0.0, seconds["mate"])  # USI gives the time for it, not the moves
    return go


def _number(word: str) -> int | None:
    if word == "infinite":  # "go mate infinite" of USI
        return MOST
    digits = word.removeprefix("-")
    if not (digits.isascii() and digits.isdecimal()):
        return None
    size = MOST if len(digits) > len(str(MOST)) else min(MOST, int(digits))
    return -size if word.startswith("-") else size
