"""An engine under any sequence of calls: it is always at the position that the calls lead to, and says so."""

from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import tengen
from tengen import State
from tengen.engine import Analysis, Engine, EngineError, Limit

EXAMPLE = str(Path(__file__).parents[2] / "examples" / "hex.py")
GAMES = ["tic_tac_toe", "othello", EXAMPLE, "openspiel:breakthrough(rows=5,columns=4)"]


class Calls(RuleBasedStateMachine):
    """The model is a state: what is on the board follows from its moves alone."""

    engine: Engine
    state: State

    @initialize(game=st.sampled_from(GAMES))
    def begin(self, game: str) -> None:
        self.engine = Engine(tengen.load(game))
        self.state = self.engine.game.initial_state()

    def teardown(self) -> None:
        if hasattr(self, "engine"):
            self.engine.stop()

    def check(self, found: Analysis) -> None:
        assert found.state == self.state
        assert {move.action for move in found.moves} <= set(self.state.legal_actions)
        assert bool(found.moves) == (self.state.outcome is None)

    @precondition(lambda self: self.state.outcome is None)
    @rule(choice=st.integers(0, 1000), as_text=st.booleans())
    def play(self, choice: int, as_text: bool) -> None:
        action = self.state.legal_actions[choice % len(self.state.legal_actions)]
        self.state = self.state.play(action)
        before = self.engine.state
        assert self.engine.play(before.action_text(action) if as_text else action) == self.state

    @rule(action=st.sampled_from([-1, 10**6, "no move", ""]))
    def play_nonsense(self, action: int | str) -> None:
        with pytest.raises((tengen.TengenError, TypeError)):
            self.engine.play(action)

    @rule()
    def undo(self) -> None:
        if self.state.moves:
            self.state = self.state.game.state(self.state.moves[:-1])
            assert self.engine.undo() == self.state
        else:
            with pytest.raises(EngineError):
                self.engine.undo()

    @rule(plies=st.integers(0, 8), choice=st.integers(0, 1000))
    def set_position(self, plies: int, choice: int) -> None:
        state = self.state.game.initial_state()
        for ply in range(plies):
            if state.outcome is None:
                state = state.play(state.legal_actions[(choice + ply) % len(state.legal_actions)])
        self.state = state
        self.engine.set_position(state)

    @rule(game=st.sampled_from(GAMES))
    def new_game(self, game: str) -> None:
        self.state = tengen.load(game).initial_state()
        self.engine.new_game(self.state.game)

    @rule(simulations=st.integers(0, 40))
    def think(self, simulations: int) -> None:
        found = self.engine.think(Limit(simulations=simulations))
        self.check(found)
        assert found.simulations <= max(1, simulations)

    @rule(simulations=st.integers(1, 40), pause=st.integers(1, 20))
    def work(self, simulations: int, pause: int) -> None:
        self.engine.work(Limit(simulations=simulations), pause)

    @rule()
    def ponder(self) -> None:
        self.engine.ponder()

    @rule()
    def stop(self) -> None:
        self.engine.stop()

    @rule()
    def analyse(self) -> None:
        self.engine.stop()
        self.engine.think(Limit(simulations=0))
        self.check(self.engine.analysis())

    @rule()
    def first_sight(self) -> None:
        self.engine.stop()
        if self.state.outcome is None:
            assert set(self.engine.first_sight().priors) == set(self.state.legal_actions)
        else:
            with pytest.raises(EngineError):
                self.engine.first_sight()

    @invariant()
    def is_where_it_should_be(self) -> None:
        if hasattr(self, "engine"):
            assert self.engine.state == self.state
            assert self.engine.state.moves == self.state.moves
            assert self.engine.tree_bytes >= 0


TestCalls = Calls.TestCase
TestCalls.settings = settings(max_examples=25, stateful_step_count=20, deadline=None, derandomize=True)
