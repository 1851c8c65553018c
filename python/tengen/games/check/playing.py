"""The checks that are made while random games are played: of each position, each action and each finished game."""

import random

import numpy as np

from tengen._core import Game, IllegalActionError, State, TengenError
from tengen.games.check.report import Finding, question, wrong
from tengen.games.check.walk import Seen, Walk, after, difference, has_stones, look, some, stones

CAUSES = {"non-determinism", "aliasing", "planes left unwritten", "planes not finite"}  # the rest would be noise


class _StopGameError(Exception):
    """This game can't go on; a finding says why."""


class RandomGames:
    """Random games of one game, and what was found in them."""

    def __init__(self, game: Game, numbers: random.Random) -> None:
        self.game = game
        self.spec = game.spec
        self.numbers = numbers
        self.findings: dict[str, Finding] = {}  # by kind
        self.walks: list[Walk] = []
        self.positions = 0
        self.by_hash: dict[int, tuple[State, Seen]] = {}

    def play(self, games: int, positions: int) -> None:
        """Plays until one of the two numbers is reached."""
        for _ in range(games):
            if self.positions >= positions:
                break
            try:
                self._play_game()
            except _StopGameError:
                continue
            except TengenError as error:
                self._found(wrong("a rule fails", str(error)))
            if causes := self.findings.keys() & CAUSES:
                self.findings = {kind: self.findings[kind] for kind in causes}
                break

    def _found(self, finding: Finding) -> None:
        self.findings.setdefault(finding.kind, finding)

    def _play_game(self) -> None:
        state = self.game.initial_state()
        walk = Walk([state], [self._look_twice(state)], [])
        if walk.seen[0].outcome is not None:
            self._found(wrong("over at the start", "outcome() says that the game is over before the first action."))
            raise _StopGameError
        while walk.seen[-1].outcome is None:
            if len(walk.actions) == self.spec.longest_game:
                text = f"A game went on after {len(walk.actions)} actions, but longest_game is {len(walk.actions)}."
                self._found(wrong("too long", f"{text} Either games do not end, or longest_game is too small."))
                break
            self._check_refusals(walk.states[-1], walk.seen[-1])
            action = self.numbers.choice(walk.seen[-1].legal)
            walk.states.append(self._step(walk.states[-1], action))
            walk.seen.append(self._look_twice(walk.states[-1]))
            walk.actions.append(action)
            self._check_effect(walk)
        self.walks.append(walk)
        self._check_aliasing(walk)
        self._check_replay(walk)

    # --- of a position

    def _look_twice(self, state: State) -> Seen:
        self.positions += 1
        seen, again = look(self.game, state), look(self.game, state)
        if seen != again:
            text = f"{difference(seen, again)} when asked twice {after(state)}."
            self._found(wrong("non-determinism", text))
        self._check_planes(state, seen)
        self._check_hash(state, seen)
        self._check_end(state, seen)
        return seen

    def _check_planes(self, state: State, seen: Seen) -> None:
        planes = seen.planes_of(self.spec)
        if np.isfinite(planes).all():
            return
        name = self.spec.plane_names[int(np.argwhere(~np.isfinite(planes))[0][0])]
        if np.isfinite(look(self.game, state, fill=0.0).planes_of(self.spec)).all():
            text = f"planes() leaves a part of the plane '{name}' as it was {after(state)}; it must write every value."
            self._found(wrong("planes left unwritten", text))
        else:
            self._found(
                wrong("planes not finite", f"planes() writes no number into the plane '{name}' {after(state)}.")
            )

    def _check_hash(self, state: State, seen: Seen) -> None:
        known, known_seen = self.by_hash.setdefault(seen.hash, (state, seen))
        if known != state or known_seen.without_hash() != seen.without_hash():
            text = f"The positions {after(known)} and {after(state)} are different, but their hashes are the same"
            self._found(wrong("hash collision", f"{text}; a search would take one for the other."))

    def _check_end(self, state: State, seen: Seen) -> None:
        if seen.outcome is None and not seen.legal:
            text = f"legal() allows nothing {after(state)}, but outcome() says that the game goes on. "
            self._found(wrong("no legal action", f"{text}Allow a pass, or end the game:\n{state}"))
            raise _StopGameError
        if seen.outcome is not None and seen.legal:
            text = f"The game is over {after(state)}, but {self.game.action_text(seen.legal[0])} is still legal."
            self._found(wrong("legal after the end", text))

    # --- of an action

    def _step(self, state: State, action: int) -> State:
        text = f"legal() allows {self.game.action_text(action)} {after(state)}, but play()"
        try:
            return state.play(action)
        except IllegalActionError:
            self._found(wrong("legal and play disagree", f"{text} refuses it."))
        except TengenError as error:
            self._found(wrong("legal and play disagree", f"{text} fails on it: {error}"))
        raise _StopGameError

    def _check_refusals(self, state: State, seen: Seen) -> None:
        """Two of the actions that are not legal are refused, however one asks."""
        legal = set(seen.legal)
        for action in self.numbers.sample(range(self.spec.num_actions), min(4, self.spec.num_actions)):
            if action in legal:
                continue
            accepted = state.is_legal(action)
            try:
                state.play(action)
                accepted = True
            except IllegalActionError:
                pass
            if accepted:
                text = f"{self.game.action_text(action)} is not among the legal actions {after(state)}"
                self._found(wrong("illegal action accepted", f"{text}, but it is accepted."))

    def _check_effect(self, walk: Walk) -> None:
        before, now = walk.seen[-2:]
        action, text = walk.actions[-1], self.game.action_text(walk.actions[-1])
        allows = f"legal() allows {text} {after(walk.states[-2])}"
        if walk.states[-1] == walk.states[-2] and now == before:
            self._found(wrong("legal and play disagree", f"{allows}, but play() changes nothing."))
        if not has_stones(self.spec):
            return
        old = stones(self.spec, before)
        is_pass = len(before.legal) == 1 or text.lower() == "pass"
        if np.array_equal(old, stones(self.spec, now)) and not is_pass:
            finding = question("action without effect", f"{allows}, but the stones stay as they are. Is it a pass?")
            self._found(finding)
        cells = self.spec.height * self.spec.width
        placed = self.spec.num_actions in (cells, cells + 1) and action < cells
        if placed and old.reshape(2, cells)[:, action].any():
            self._found(question("stone on a stone", f"{allows}, where a stone stands already. Is that meant?"))

    # --- of a finished game

    def _check_aliasing(self, walk: Walk) -> None:
        """Positions that were kept are the same after the game has gone on."""
        if "non-determinism" in self.findings:
            return
        for state, seen in some(list(zip(walk.states, walk.seen, strict=True)), 10):
            now = look(self.game, state)
            if now != seen:
                text = f"The position {after(state)} was kept while the game went on, and changed: "
                why = "States share something, or the rules keep something outside the state."
                self._found(wrong("aliasing", f"{text}{difference(seen, now)}. {why}"))
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
                self._found(wrong("non-determinism", text))
                return
            if now.hash != seen.hash:
                text = f"Two equal positions {after(state)} have different hashes."
                self._found(wrong("equal states, different hashes", text))
                return
            if action is not None:
                state = self._step(state, action)
