"""The laws that hold in every position, for every action and in every finished game, and what was found to break them.

Whoever plays (players.py) or walks (everything.py) tells `Laws` of each step; it asks the same things in several ways.
"""

import random
import time

import numpy as np
import numpy.typing as npt

from tengen._core import Game, IllegalActionError, State, TengenError
from tengen.games.check.report import Finding, question, wrong
from tengen.games.check.walk import Seen, Walk, after, difference, has_stones, look, some, stones

CAUSES = {"non-determinism", "aliasing", "planes left unwritten", "planes not finite"}  # the rest would be noise

LARGEST_PLANE = 100.0  # numbers beyond it are hardly meant for a network


class StopGameError(Exception):
    """This game can't go on; a finding says why."""


class Laws:
    """Checks each step of a game; keeps what was found."""

    def __init__(self, game: Game, numbers: random.Random, seconds: float) -> None:
        self.game = game
        self.spec = game.spec
        self.numbers = numbers
        self.findings: dict[str, Finding] = {}  # by kind
        self.positions = 0
        self._by_hash: dict[int, tuple[State, int]] = {}  # the state, and a hash of all that it answered
        self._by_key: dict[int, tuple[State, int]] = {}  # the same by evaluation_key: planes and legal actions
        self._end = time.monotonic() + seconds
        self._started = time.monotonic()

    @property
    def broken(self) -> bool:
        """Whether something is certainly wrong: what comes after it would be noise."""
        return any(finding.certain for finding in self.findings.values())

    def time_is_up(self, share: float = 1.0) -> bool:
        """Whether this share of the time has passed."""
        return time.monotonic() > self._started + share * (self._end - self._started)

    def found(self, finding: Finding) -> None:
        """Keeps the first finding of its kind, and nothing but causes if there are any."""
        self.findings.setdefault(finding.kind, finding)
        if causes := self.findings.keys() & CAUSES:
            self.findings = {kind: self.findings[kind] for kind in causes}

    # --- of a position

    def look_twice(self, state: State) -> Seen:
        """All that the position answers, asked twice."""
        seen, again = self.look_once(state), look(self.game, state)
        if seen != again:
            self.found(wrong("non-determinism", f"{difference(seen, again)} when asked twice {after(state)}."))
        return seen

    def look_once(self, state: State) -> Seen:
        """All that the position answers, asked once: enough where there are many positions."""
        self.positions += 1
        seen = look(self.game, state)
        self._check_planes(state, seen)
        self._check_hash(state, seen)
        self._check_end(state, seen)
        self._check_bound(state, seen)
        self._check_cells(state, seen)
        return seen

    def _check_planes(self, state: State, seen: Seen) -> None:
        planes = seen.planes_of(self.spec)
        if np.isfinite(planes).all():
            is_own = self.spec.source.endswith(".py")  # nobody can change the planes of OpenSpiel
            if is_own and (largest := np.abs(planes).max(axis=(1, 2))).max() > LARGEST_PLANE:
                name, number = self.spec.plane_names[int(largest.argmax())], largest.max()
                text = f"planes() writes {number:g} into the plane '{name}' {after(state)}."
                self.found(question("large planes", f"{text} A network learns best from numbers between -1 and 1."))
            return
        name = self.spec.plane_names[int(np.argwhere(~np.isfinite(planes))[0][0])]
        if np.isfinite(look(self.game, state, fill=0.0).planes_of(self.spec)).all():
            text = f"planes() leaves a part of the plane '{name}' as it was {after(state)}; it must write every value."
            self.found(wrong("planes left unwritten", text))
        else:
            text = f"planes() writes a value that is not a finite number into the plane '{name}' {after(state)}."
            self.found(wrong("planes not finite", text))

    def _check_hash(self, state: State, seen: Seen) -> None:
        answers = hash(seen.without_hash())
        known, known_answers = self._by_hash.setdefault(seen.hash, (state, answers))
        if known != state or known_answers != answers:
            text = f"The positions {after(known)} and {after(state)} are different, but their hashes are the same"
            self.found(wrong("hash collision", f"{text}; a search would take one for the other."))
        shown = hash((seen.legal, seen.planes))
        known, known_shown = self._by_key.setdefault(state.evaluation_key, (state, shown))
        if known_shown != shown and "hash collision" not in self.findings:
            text = f"The positions {after(known)} and {after(state)} have the same evaluation_key"
            self.found(wrong("evaluation key", f"{text}, but other planes or legal actions."))

    def _check_end(self, state: State, seen: Seen) -> None:
        if seen.outcome is None and not seen.legal:
            text = f"legal() allows nothing {after(state)}, but outcome() says that the game goes on. "
            self.found(wrong("no legal action", f"{text}Allow a pass, or end the game:\n{state}"))
            raise StopGameError
        if seen.outcome is not None and seen.legal:
            text = f"The game is over {after(state)}, but {state.action_text(seen.legal[0])} is still legal."
            self.found(wrong("legal after the end", text))

    def _check_bound(self, state: State, seen: Seen) -> None:
        if len(seen.legal) > self.spec.most_legal:
            text = f"{len(seen.legal)} actions are legal {after(state)}, but most_legal is {self.spec.most_legal}."
            self.found(wrong("most_legal too small", text))

    def _check_cells(self, state: State, seen: Seen) -> None:
        """What stands on the cells is what the planes of own and opponent's stones show."""
        cells = state.cells
        if cells is None or not has_stones(self.spec):
            return
        owners = [None, *(piece.owner for piece in self.spec.pieces)]  # by code
        own = np.isin(cells, [code for code, owner in enumerate(owners) if owner == seen.to_move])
        opponents = np.isin(cells, [code for code, owner in enumerate(owners) if owner == 1 - seen.to_move])
        shown = seen.planes_of(self.spec)[:2] != 0
        shown = shown & ~shown.all(axis=0)  # where both stand on one cell, it shows one of them
        # Planes may be drawn from the side of the player to move.
        if not any((view[0] <= own).all() and (view[1] <= opponents).all() for view in views(shown)):
            text = f"state.cells and the planes do not show the same stones {after(state)}:\n{state}"
            self.found(wrong("cells and planes disagree", text))

    # --- of an action

    def step(self, state: State, action: int) -> State:
        """Plays a legal action."""
        text = f"legal() allows {state.action_text(action)} {after(state)}, but play()"
        try:
            return state.play(action)
        except IllegalActionError:
            self.found(wrong("legal and play disagree", f"{text} refuses it."))
        except TengenError as error:
            self.found(wrong("legal and play disagree", f"{text} fails on it: {error}"))
        raise StopGameError

    def check_refusals(self, state: State, seen: Seen, tries: int = 4) -> None:
        """Actions that are not legal are refused, however one asks."""
        legal = set(seen.legal)
        for action in self.numbers.sample(range(self.spec.num_actions), min(tries, self.spec.num_actions)):
            if action in legal:
                continue
            accepted = state.is_legal(action)
            try:
                state.play(action)
                accepted = True
            except IllegalActionError:
                pass
            if accepted:
                text = f"{state.action_text(action)} is not among the legal actions {after(state)}"
                self.found(wrong("illegal action accepted", f"{text}, but it is accepted."))

    def check_effect(self, state: State, before: Seen, action: int, after_it: State, now: Seen) -> None:
        """An action does something, and does not put a stone on a stone."""
        text = state.action_text(action)
        allows = f"legal() allows {text} {after(state)}"
        if after_it == state and now == before:
            self.found(wrong("legal and play disagree", f"{allows}, but play() changes nothing."))
        if not has_stones(self.spec):
            return
        old, new = stones(self.spec, before), stones(self.spec, now)  # [2, H, W]
        same = np.array_equal(old, new) and self._others_are_the_same(before, now)
        is_pass = len(before.legal) == 1 or text.lower() == "pass"
        if same and not is_pass:
            self.found(question("action without effect", f"{allows}, but the board stays as it is. Is it a pass?"))
        cells = self.spec.height * self.spec.width
        if self.spec.action_layout != "cells" or not action < cells <= self.spec.num_actions:
            return
        old, new = old.reshape(2, cells), new.reshape(2, cells)
        stood, stands = old[:, action], new[:, action]
        moved_away = (old.any(axis=0) & ~new.any(axis=0)).any()  # a piece was moved onto another
        if stood.any() and stands.any() and not moved_away and (same or not np.array_equal(stood, stands)):
            self.found(question("stone on a stone", f"{allows}, where a stone stands already. Is that meant?"))

    def _others_are_the_same(self, before: Seen, now: Seen) -> bool:
        """Whether the planes after the stones show the same; those of one value everywhere may say whose turn it is."""
        old, new = before.planes_of(self.spec)[2:], now.planes_of(self.spec)[2:]
        return all(np.array_equal(a, b) or (np.ptp(a) == 0 and np.ptp(b) == 0) for a, b in zip(old, new, strict=True))

    # --- of a finished game

    def check_game(self, walk: Walk) -> None:
        """The positions were kept as they were, and the same actions lead to them again."""
        self._check_aliasing(walk)
        self._check_replay(walk)

    def _check_aliasing(self, walk: Walk) -> None:
        """Positions that were kept are the same after the game has gone on."""
        if "non-determinism" in self.findings:
            return
        for state, seen in some(list(zip(walk.states, walk.seen, strict=True)), 10):
            now = look(self.game, state)
            if now != seen:
                text = f"The position {after(state)} was kept while the game went on, and changed: "
                why = "States share something, or the rules keep something outside the state."
                self.found(wrong("aliasing", f"{text}{difference(seen, now)}. {why}"))
                return

    def _check_replay(self, walk: Walk) -> None:
        """The same actions lead to the same positions, with the same hashes."""
        if self.findings.keys() & CAUSES:
            return
        state = self.game.initial_state()
        for action, old, seen in zip([*walk.actions, None], walk.states, walk.seen, strict=True):
            now = look(self.game, state)
            if state != old or now.without_hash() != seen.without_hash():
                text = f"The same moves lead to different positions {after(state)}: {difference(seen, now)}."
                self.found(wrong("non-determinism", text))
                return
            if now.hash != seen.hash:
                text = f"Two equal positions {after(state)} have different hashes."
                self.found(wrong("equal states, different hashes", text))
                return
            if action is not None:
                state = self.step(state, action)


def views(planes: npt.NDArray[np.bool_]) -> list[npt.NDArray[np.bool_]]:
    """The planes [C, H, W] as they are, with rows turned over, and turned by half: the board as either side sees it."""
    return [planes, planes[:, ::-1], planes[:, ::-1, ::-1]]
