"""How long to think about a move: never so long that the game is lost on time, and no shorter than there is time for.

Free of protocols: GTP, Gomocup, UCI and USI fill in a `Clock`. `allow` divides it into a target for this move and a
limit that is never passed; `Pace` ends the search in between, when more of it would not change the move. Seconds
everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from tengen import State
from tengen.engine import Engine, Standing

__all__ = ["Allowance", "Clock", "Delays", "Pace", "allow", "moves_to_come"]

MOST_OF_TARGET = 3.0  # an unclear move may take so many times its target ...
MOST_OF_CLOCK = 0.5  # ... but never more than this share of the clock, unless it is the last before more time comes
# What stays on the clock, because delays come in series, and even a move that takes no thought takes some time: so many
# times the lag, or the longest delay of late; and what the usual delay costs in so many moves, beyond what they bring.
# In simulations of 150 games at 1 s + 0.01 s none is lost if one move of a hundred waits for 0.2 s; where delays are
# longer or more frequent, 1 to 15 of them are.
MARGINS, DELAYS_KEPT, MOVES_KEPT = 10, 4, 100
FORGETTING = 0.995  # of the longest delay, after every move
SHARE_OF_INCREMENT = 0.9  # what is not spent is there for later, and for delays


@dataclass(frozen=True)
class Clock:
    """The time of the player to move."""

    left: float = math.inf  # on the clock
    increment: float = 0.0  # added after every move
    moves_to_go: int = 0  # moves to be made with what is left, before more is added; 0: with all of the game
    byoyomi: float = 0.0  # for every move, once nothing is left on the clock
    per_move: float = math.inf  # upper bound of one move


@dataclass(frozen=True)
class Allowance:
    """What one move may take."""

    target: float
    most: float  # at least the target


UNLIMITED = Allowance(math.inf, math.inf)


class Delays:
    """How much longer moves took than they should have: on a machine on which others work, a process may have to wait.

    It is learned from the moves of a session, and outlives its games.
    """

    def __init__(self) -> None:
        self.longest = 0.0  # lately
        self.usual = 0.0  # of a move
        self._last = 0.0  # of the last move, as it was seen here
        self._expected = math.inf  # what should be on the clock at the next move

    def note(self, took: float, worked: float, allowance: Allowance, clock: Clock) -> None:
        """A move took so long, `worked` of it on a processor; `clock` is how it stood before."""
        self._last = max(0.0, min(took - worked, took - allowance.target))
        self.usual += 0.1 * (self._last - self.usual)
        self.longest = max(FORGETTING * self.longest, self._last)
        adds_up = not clock.moves_to_go and not clock.byoyomi
        self._expected = clock.left - took + clock.increment if adds_up else math.inf

    def hear(self, clock: Clock) -> None:
        """The clock at the next move of the game: what is missing was lost on the way, where it can't be seen here."""
        lost = self._expected - clock.left
        self._expected = math.inf
        if 0.0 < lost < math.inf:
            self.usual += 0.1 * lost
            self.longest = max(self.longest, self._last + lost)


ON_TIME = Delays()  # never told of any


def allow(clock: Clock, moves: float, lag: float, delays: Delays = ON_TIME) -> Allowance:
    """The time for this move. `moves` are probably still to come, this one included; `lag` is kept as a margin."""
    if math.isinf(clock.left):
        only = max(0.0, clock.per_move - lag)
        return Allowance(only, only)
    moves = max(1.0, clock.moves_to_go or moves)
    if clock.byoyomi > 0.0 or moves == 1.0:  # what is left after this move is of little or no use
        kept = lag
    else:
        kept = max(MARGINS * lag, DELAYS_KEPT * delays.longest)
        kept += MOVES_KEPT * max(0.0, delays.usual - SHARE_OF_INCREMENT * clock.increment)
    left = max(0.0, clock.left)
    usable = max(0.0, left + clock.byoyomi - kept)
    share = min(usable, left / moves + SHARE_OF_INCREMENT * clock.increment + clock.byoyomi)
    room = usable if moves == 1.0 else MOST_OF_CLOCK * max(0.0, usable - clock.byoyomi) + clock.byoyomi
    most = max(0.0, min(usable, room, MOST_OF_TARGET * share, clock.per_move - lag))
    return Allowance(min(share, most), most)


def moves_to_come(state: State) -> float:
    """How many moves the player to move will probably make until the end of the game.

    A guess, on the long side: a game that ends early leaves time on the clock, but one without time is lost.
    """
    spec, plies = state.game.spec, len(state.moves)
    if spec.action_layout in ("cells", "columns"):  # every move fills a cell; games end before the board is full
        return max(10.0, (spec.height * spec.width - plies) / 4.0)
    return max(20.0, 40.0 - plies / 4.0)  # chess: about 80 plies, but many games are much longer


class Pace:
    """Says after every batch of a search whether it has had enough time."""

    def __init__(self, allowance: Allowance) -> None:
        self._allowance = allowance
        self._before = 0.0
        self._batch = 0.0  # seconds that a batch may take: the search can't be ended within one

    def must_stop(self, seconds: float) -> bool:
        """Whether another batch would pass the limit."""
        self._batch = max(0.8 * self._batch, seconds - self._before)
        self._before = seconds
        return seconds + self._batch >= self._allowance.most

    def is_enough(self, seconds: float, standing: Standing) -> bool:
        """Whether to stop `seconds` after the beginning, when the moves stand like that."""
        target = self._allowance.target
        if self.must_stop(seconds) or standing.choices <= 1:
            return True
        if seconds >= target:
            return standing.settled
        per_second = standing.simulations / max(seconds, 1e-9)
        return standing.settled and standing.lead > per_second * (target - seconds)  # nobody can catch up

    def watch(self, engine: Engine) -> Callable[[float], bool]:
        """The same as `Engine.think` asks it."""
        return lambda seconds: self.is_enough(seconds, engine.standing())
