"""A walk through all positions of a game, those after few actions first, until a number of them is reached.

Another walk begins near the ends of games that were played: many rules matter only there.

Small games are walked through to their end. Then it is known how long the longest game is, and whether one can go on
for ever, because play comes back to a position that it has left.
"""

from collections import deque
from dataclasses import dataclass, field

from tengen._core import State, TengenError
from tengen.games.check.laws import Laws, StopGameError
from tengen.games.check.report import failed, wrong
from tengen.games.check.walk import End, Seen, after


@dataclass
class Everything:
    """What the walk came to."""

    states: list[State] = field(default_factory=list)
    ends: list[End] = field(default_factory=list)
    complete: bool = False
    longest: int | None = None  # actions of the longest game; None if that is not known
    parents: list[list[tuple[int, int]]] = field(default_factory=list)  # of each state: a state before it, the action


def walk_through(laws: Laws, most: int) -> Everything:
    """Looks at up to `most` positions from the start, each once, and at all actions of each."""
    walk = walk_from(laws, [laws.game.initial_state()], most)
    if walk.complete and not laws.broken:
        _measure(laws, walk)
    return walk


def walk_from(laws: Laws, starts: list[State], most: int) -> Everything:
    """Looks at up to `most` positions that follow from these, each once, and at all actions of each."""
    walk = Everything()
    try:
        walk.complete = _visit(laws, walk, starts, most)
    except StopGameError:
        pass
    except TengenError as error:
        laws.found(failed(error))
    return walk


def _visit(laws: Laws, walk: Everything, starts: list[State], most: int) -> bool:
    """Fills the walk; whether every position was reached."""
    numbers: dict[State, int] = {}
    waiting: deque[tuple[int, Seen]] = deque()

    def reach(state: State, parents: list[tuple[int, int]]) -> Seen:
        numbers[state] = len(walk.states)
        walk.states.append(state)
        walk.parents.append(parents)
        waiting.append((numbers[state], laws.look_once(state)))
        return waiting[-1][1]

    for start in starts:
        if start not in numbers:
            reach(start, [])
    while waiting:
        number, seen = waiting.popleft()
        if seen.outcome is not None:
            continue
        state = walk.states[number]
        laws.check_refusals(state, seen, tries=1)
        for action in seen.legal:
            child = laws.step(state, action)
            if child in numbers:
                walk.parents[numbers[child]].append((number, action))
                continue
            if len(walk.states) >= most or laws.time_is_up() or laws.broken:
                return False
            child_seen = reach(child, [(number, action)])
            laws.check_effect(state, seen, action, child, child_seen)
            if child_seen.outcome is not None:
                walk.ends.append(End(child_seen.outcome.winner, seen.to_move, len(child.moves), child))
    return True


def _measure(laws: Laws, walk: Everything) -> None:
    """The longest game, by going through the positions in an order in which all that lead to one come before it."""
    parents = walk.parents
    children: list[list[int]] = [[] for _ in parents]
    for number, before in enumerate(parents):
        for parent, _ in before:
            children[parent].append(number)
    missing = [len(before) for before in parents]
    length = [0] * len(parents)
    ready = [number for number, count in enumerate(missing) if count == 0]
    for number in ready:  # grows
        for child in children[number]:
            length[child] = max(length[child], length[number] + 1)
            missing[child] -= 1
            if missing[child] == 0:
                ready.append(child)
    if len(ready) < len(parents):
        inside = next(number for number, count in enumerate(missing) if count > 0)
        text = f"A game can go on for ever: play can come back to a position that can be reached {_when(walk, inside)}."
        why = "Count the moves in the state and end the game at a limit, or forbid that a position comes back."
        laws.found(wrong("too long", f"{text} {why}"))
        return
    walk.longest = max(length)
    if walk.longest > laws.spec.longest_game:
        moves = _longest_way(laws, walk, length)
        text = f"A game can have {walk.longest} actions, but longest_game is {laws.spec.longest_game}: {moves}."
        laws.found(wrong("too long", text))


def _when(walk: Everything, number: int) -> str:
    return after(walk.states[number])


def _longest_way(laws: Laws, walk: Everything, length: list[int]) -> str:
    number = length.index(max(length))
    actions: list[str] = []
    while length[number] > 0:
        number, action = next(
            (before, action) for before, action in walk.parents[number] if length[before] == length[number] - 1
        )
        actions.append(walk.states[number].action_text(action))
    return " ".join(reversed(actions))
