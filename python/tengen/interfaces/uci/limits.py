"""The arguments of `go`: how long to think, and about which moves."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from tengen.interfaces.timekeeping import Clock
from tengen.interfaces.uci.dialect import Dialect
from tengen.players import MOST_SIMULATIONS

__all__ = ["Go", "parse_go"]

MOST = 10**12  # of anything; a larger number means as much
SWITCHES = ("infinite", "ponder")
CLOCK = ("wtime", "btime", "winc", "binc", "movestogo", "byoyomi")
NUMBERS = (*CLOCK, "movetime", "nodes", "depth", "mate")  # each is followed by one
# A tree does not grow level by level. So a depth is the length of the best line, with a bound on the simulations, which
# doubles with every ply up to this depth.
DEEPEST = 13


@dataclass
class Go:
    """What `go` asks for. Times in seconds."""

    clock: Clock = field(default_factory=Clock)  # of the player to move
    move_time: float | None = None
    most_simulations: int | None = None  # a bound that follows from nodes, depth and a mate in so many moves
    depth: int | None = None
    wants_mate: bool = False
    infinite: bool = False
    ponder: bool = False
    search_moves: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()  # what could not be read

    @property
    def has_clock(self) -> bool:
        return math.isfinite(self.clock.left)

    @property
    def has_end(self) -> bool:
        """Whether the search ends in any case. USI's "go mate infinite" goes on until there is one."""
        limits = (self.move_time, self.most_simulations)
        return not self.infinite and (self.has_clock or any(limit is not None for limit in limits))

    @property
    def is_bounded(self) -> bool:
        """Whether the search may answer before it is told to."""
        return self.has_end or (not self.infinite and self.wants_mate)


def parse_go(words: list[str], dialect: Dialect, to_move: int) -> Go:
    """Reads the words after `go`. Unknown ones are skipped, as the protocol wants it.

    What should be a number and is none counts as 0: whoever asked waits for a move, and gets one at once.
    """
    go, given, at = Go(), {}, 0
    while at < len(words):
        word = words[at]
        at += 1
        if word in SWITCHES:
            go.infinite |= word == "infinite"
            go.ponder |= word == "ponder"
        elif word == "searchmoves":
            end = next((i for i in range(at, len(words)) if words[i] in NUMBERS or words[i] in SWITCHES), len(words))
            go.search_moves = tuple(words[at:end])
            at = end
        elif word in NUMBERS:
            is_last = at == len(words) or words[at] in NUMBERS or words[at] in SWITCHES
            if word == "mate" and words[at : at + 1] == ["infinite"]:  # of USI
                given[word], at = MOST, at + 1
            elif is_last:
                given[word] = 0
                go.problems += (f"{word} has no number and counts as 0",)
            else:
                number = _number(words[at])
                given[word], at = number or 0, at + 1
                if number is None:
                    go.problems += (f"'{words[at - 1][:40]}' is not a number; {word} counts as 0",)
    seconds = {name: max(0.0, given[name] / 1000.0) for name in given}
    if any(name in CLOCK for name in given):  # whoever gives any clock waits for a move
        mine = dialect.clocks[to_move]
        go.clock = Clock(
            left=seconds.get(f"{mine}time", 0.0),
            increment=seconds.get(f"{mine}inc", 0.0),
            moves_to_go=max(0, given.get("movestogo", 0)),
            byoyomi=seconds.get("byoyomi", 0.0),
        )
    go.move_time, go.depth, go.wants_mate = seconds.get("movetime"), given.get("depth"), "mate" in given
    bounds = [min(max(1, given["nodes"]), MOST_SIMULATIONS)] if "nodes" in given else []
    bounds += [_simulations_of(go.depth)] if go.depth is not None else []
    if go.wants_mate and not dialect.mate_in_plies:
        bounds.append(_simulations_of(2 * given["mate"] - 1))
    elif go.wants_mate and given["mate"] < MOST:
        go.move_time = seconds["mate"]  # USI gives the time for it, not the moves
    go.most_simulations = min(bounds, default=None)
    return go


def _simulations_of(depth: int) -> int:
    return int(100 * 2 ** min(max(0, depth), DEEPEST))


def _number(word: str) -> int | None:
    digits = word.removeprefix("-")
    if not (digits.isascii() and digits.isdecimal()):
        return None
    size = MOST if len(digits) > len(str(MOST)) else min(MOST, int(digits))
    return -size if word.startswith("-") else size
