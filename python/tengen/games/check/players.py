"""The players whose games are checked. Random ones see what is common; the others go where random ones rarely come.

- curious: to kinds of positions that were rarest so far (a capture, a second move in a row);
- hunter: to boards on which the opponent has few stones and few actions left;
- long and short: to the most and the fewest actions that a game can have;
- search: to positions of sensible play, by UCT with random play-outs; also against a random player, from either side.
"""

from collections import Counter
from collections.abc import Callable

import numpy as np

from tengen._core import Forest, Game, SearchParams, State, TengenError
from tengen.games.check.laws import Laws, StopGameError
from tengen.games.check.report import Finding, failed, wrong
from tengen.games.check.walk import Seen, Walk, has_stones, legal_of

Player = Callable[[State, Seen], int]

CANDIDATES = 8  # actions that a player looks at who looks one action ahead
HUNTED = 40  # the same for the hunter, who must not miss a capture
PLAYOUTS = 4  # of each of them, to guess how long it lasts
GOES_ON = 2  # besides the value of an outcome for the first player
SEARCH = SearchParams(selection="uct", rollout_weight=1.0)
RANDOM_OPENING = 2  # actions before a search begins: else all its games would be alike


class Players:
    """The players of one game. They choose; that what they choose is right is checked by Laws."""

    def __init__(self, laws: Laws) -> None:
        self._laws = laws
        self._game = laws.game
        self._numbers = laws.numbers
        self._counts: Counter[tuple[int, ...]] = Counter()  # of kinds of positions
        self._simulations = 10 if laws.game.backend == "interpreted" else 80
        self.can_search = isinstance(laws.game, Game)  # a game that only looks like one can't be given to C++
        self.error: TengenError | None = None  # a rule failed in a play-out

    def random(self, state: State, seen: Seen) -> int:
        return self._numbers.choice(seen.legal)

    def curious(self, state: State, seen: Seen) -> int:
        """Takes the action that leads to the kind of position which was met least often."""

        def rarity(child: State) -> float:
            kind = self._kind_of(child)
            self._counts[kind] += 1
            return -self._counts[kind]

        return self._best(seen, state, rarity)

    def hunter(self, state: State, seen: Seen) -> int:
        """Takes the action that leaves the opponent the fewest stones, then the fewest actions, and goes on."""

        def worth(child: State) -> tuple[float, ...]:
            moves_again = child.to_move == seen.to_move
            _, actions, outcome, *stones = self._kind_of(child)  # stones: of the player to move, of the other
            theirs = stones[1 if moves_again else 0] if stones else 0
            return outcome == GOES_ON, -theirs, moves_again or -actions

        return self._best(seen, state, worth, HUNTED)

    def long(self, state: State, seen: Seen) -> int:
        """Takes the action after which random play lasts longest."""
        return self._best(seen, state, lambda child: 0.0 if child.outcome else 1.0 + self._length(child))

    def short(self, state: State, seen: Seen) -> int:
        """Takes the action after which random play ends soonest."""
        return self._best(seen, state, lambda child: 0.0 if child.outcome else -1.0 - self._length(child))

    def search(self, state: State, seen: Seen) -> int:
        """Takes the action that a small search prefers."""
        if len(state.moves) < RANDOM_OPENING or not self.can_search:
            return self.random(state, seen)
        try:
            forest = Forest(self._game, 1, SEARCH, self._numbers.getrandbits(32))
            forest.set_root(0, state)
            forest.begin(0, self._simulations + 2 * len(seen.legal))
            while forest.searching():
                forest.select()  # play-outs need no evaluations
            return forest.result(0).best_action
        except TengenError as error:
            self.error = error
            return self.random(state, seen)

    def _best(
        self, seen: Seen, state: State, worth: Callable[[State], float | tuple[float, ...]], most: int = CANDIDATES
    ) -> int:
        actions = self._numbers.sample(seen.legal, min(most, len(seen.legal)))
        return max(actions, key=lambda action: worth(self._laws.step(state, action)))  # the first of equal ones

    def _kind_of(self, state: State) -> tuple[int, ...]:
        outcome = state.outcome
        kind = (state.to_move, len(legal_of(state)), GOES_ON if outcome is None else int(outcome.value_for(0)))
        if not has_stones(self._laws.spec):
            return kind
        own, opponents = np.count_nonzero(state.planes()[:2], axis=(1, 2))
        return (*kind, int(own), int(opponents))

    def _length(self, state: State) -> float:
        if not self.can_search:
            return 0.0
        try:
            counts = self._game.random_playouts(PLAYOUTS, self._numbers.getrandbits(32), state)
        except TengenError as error:
            self.error = error
            return float(self._laws.spec.longest_game)
        return counts.actions / counts.games


def play_game(laws: Laws, players: tuple[Player, Player], share: float) -> Walk | None:
    """Plays and checks one game; None if it did not come to its end, or not within this share of the time."""
    game, spec = laws.game, laws.spec
    try:
        state = game.initial_state()
        walk = Walk([state], [laws.look_twice(state)], [])
        if walk.seen[0].outcome is not None:
            laws.found(wrong("over at the start", "outcome() says that the game is over before the first action."))
            return None
        while walk.seen[-1].outcome is None:
            if len(walk.actions) == spec.longest_game:
                laws.found(too_long(len(walk.actions)))
                break
            if laws.time_is_up(share):
                return None
            state, seen = walk.states[-1], walk.seen[-1]
            laws.check_refusals(state, seen)
            action = players[seen.to_move](state, seen)
            walk.states.append(laws.step(state, action))
            walk.seen.append(laws.look_twice(walk.states[-1]))
            walk.actions.append(action)
            laws.check_effect(state, seen, action, walk.states[-1], walk.seen[-1])
        laws.check_game(walk)
    except StopGameError:
        return None
    except TengenError as error:
        laws.found(failed(error))
        return None
    return walk


def too_long(actions: int) -> Finding:
    """The rules promise that no game has so many actions."""
    text = f"A game went on after {actions} actions, but longest_game is {actions}."
    return wrong("too long", f"{text} Either games do not end, or longest_game is too small.")
