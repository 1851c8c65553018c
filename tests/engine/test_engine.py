"""The engine and Agent: what they find, what they keep, and that they stop when told."""

import threading
from pathlib import Path

import numpy as np
import pytest
from tiny_networks import LooksAtTheBoard, save_tiny

import tengen
from tengen.engine import Analysis, Engine, EngineError, Limit

UNENDING = Limit()
EIGHT_LEAVES = tengen.SearchParams(leaves_per_batch=8)
PATIENCE = 60.0  # seconds, for a machine that is busy


@pytest.fixture
def game() -> tengen.Game:
    return tengen.load("go", size=9)


@pytest.fixture
def engine(game: tengen.Game) -> Engine:
    return Engine(game, LooksAtTheBoard(game), EIGHT_LEAVES)


def test_an_analysis_says_what_the_search_found(engine: Engine) -> None:
    found = engine.think(Limit(simulations=200))
    assert found.simulations == 200
    assert found.state == engine.state
    assert found.moves[0].action == found.best_action
    assert sum(move.visits for move in found.moves) == 200
    visits = [move.visits for move in found.moves]
    assert visits == sorted(visits, reverse=True)
    for move in found.moves:
        assert move.text == found.state.action_text(move.action)
        assert move.line[0] == move.action
        state = found.state
        for action in move.line:
            state = state.play(action)
        assert move.win_rate == (1 + move.value) / 2
        assert 0 < move.prior < 1
    assert len(found.moves[0].line) > 1
    assert found.moves[0].text in str(found)


def test_the_same_numbers_as_a_plain_search(game: tengen.Game) -> None:
    params = tengen.SearchParams(leaves_per_batch=1)
    found = Engine(game, LooksAtTheBoard(game), params).think(Limit(simulations=100))
    plain = tengen.search(game, [game.initial_state()], LooksAtTheBoard(game), params, simulations=100)[0]
    assert found.best_action == plain.best_action
    assert {move.action: move.visits for move in found.moves} == {
        int(action): int(plain.visits[action]) for action in np.flatnonzero(plain.visits)
    }
    assert found.value == plain.root_value
    assert found.moves[0].line == plain.line


def test_a_search_in_stints_finds_what_it_finds_in_one_piece(game: tengen.Game) -> None:
    whole = Engine(game, LooksAtTheBoard(game), EIGHT_LEAVES).think(Limit(simulations=200))
    for stint in ({"seconds": 0.0}, {"pause_after": 30}):
        engine = Engine(game, LooksAtTheBoard(game), EIGHT_LEAVES)
        done, stints = 0, 0
        while done < 200:
            limit = Limit(200 - done, stint.get("seconds"))
            done += engine.work(limit, stint.get("pause_after")).simulations
            stints += 1
        found = engine.analysis(done)
        assert (found.moves, found.value, found.simulations) == (whole.moves, whole.value, 200)
        assert stints > 5


def test_first_sight_is_what_the_evaluator_says(game: tengen.Game, engine: Engine) -> None:
    sight = engine.first_sight()
    value = LooksAtTheBoard(game)(game.initial_state().planes()[None]).values[0]
    assert sight.win - sight.loss == pytest.approx(value)
    assert sight.win + sight.draw + sight.loss == pytest.approx(1.0)
    assert set(sight.priors) == set(engine.state.legal_actions)
    assert sum(sight.priors.values()) == pytest.approx(1.0, abs=1e-5)
    engine.think(Limit(simulations=50))
    assert engine.first_sight() == sight


def test_the_tree_is_kept_from_move_to_move(game: tengen.Game) -> None:
    evaluator = LooksAtTheBoard(game)
    engine = Engine(game, evaluator, EIGHT_LEAVES)
    best = engine.think(Limit(simulations=200)).moves[0]
    engine.play(best.action)
    kept = engine.think(Limit(simulations=1))
    assert sum(move.visits for move in kept.moves) == best.visits  # its children's visits, and the new one
    assert best.line[1] in {move.action for move in kept.moves}
    # A position further on is reached in the same tree; any other starts anew.
    engine.set_position(kept.state.play(kept.best_action))
    assert sum(move.visits for move in engine.think(Limit(simulations=1)).moves) > 1
    engine.set_position(game.state("A1 B2"))
    assert sum(move.visits for move in engine.think(Limit(simulations=1)).moves) == 1


def test_moves_forth_and_back(engine: Engine) -> None:
    start = engine.state
    engine.play("D4")
    after = engine.play("E5")
    assert engine.state == after
    assert engine.undo() == start.play("D4")
    assert engine.undo() == start
    with pytest.raises(EngineError, match="no move to take back"):
        engine.undo()
    engine.set_position(after)
    with pytest.raises(tengen.IllegalActionError):
        engine.play("D4")
    assert engine.state == after
    assert engine.undo() == start.play("D4")  # a position that was set has a past too
    engine.new_game(tengen.load("go", size=5))
    assert engine.think(Limit(simulations=10)).state.game.spec.width == 5


def test_a_game_that_is_over() -> None:
    game = tengen.load("tic_tac_toe")
    engine = Engine(game)
    engine.set_position(game.state("a1 a2 b1 b2 c1"))
    found = engine.think(Limit(simulations=10))
    assert found.moves == ()
    assert found.value == -1  # the player to move has lost
    assert found.stopped == "game over"
    with pytest.raises(EngineError, match="over"):
        _ = found.best_action
    engine.ponder()
    engine.stop()


def test_a_proven_win_is_played_and_said() -> None:
    game = tengen.load("tic_tac_toe")
    engine = Engine(game)
    engine.set_position(game.state("a1 a2 b1 b2"))
    found = engine.think(Limit(simulations=1000))
    assert found.moves[0].text == "c1"
    assert found.proven == tengen.Outcome(0)
    assert found.distance == 1
    assert found.stopped == "proven"
    assert found.value == 1.0


def test_limits(engine: Engine) -> None:
    assert engine.think(Limit(simulations=0)).moves[0].visits == 0  # the network alone
    assert engine.think(Limit(seconds=0.05)).simulations > 0
    assert engine.think(Limit(simulations=20, seconds=PATIENCE)).simulations == 20
    assert engine.think(Limit(seconds=0.0)).best_action in engine.state.legal_actions
    with pytest.raises(tengen.ArgumentError):
        Limit(simulations=-1)
    with pytest.raises(tengen.ArgumentError):
        Limit(seconds=float("nan"))


def test_stop_from_another_thread(engine: Engine) -> None:
    found: list[Analysis] = []
    reported = threading.Event()
    thread = threading.Thread(target=lambda: found.append(engine.think(UNENDING, lambda _: reported.set(), every=0.0)))
    thread.start()
    assert reported.wait(PATIENCE)
    engine.stop()
    thread.join(PATIENCE)
    assert found[0].stopped == "searching"
    assert found[0].simulations > 0


def test_a_move_ends_the_thinking_of_another_thread(engine: Engine) -> None:
    reported = threading.Event()
    thread = threading.Thread(target=lambda: engine.think(UNENDING, lambda _: reported.set(), every=0.0))
    thread.start()
    assert reported.wait(PATIENCE)
    assert engine.play("E5").moves
    thread.join(PATIENCE)
    assert not thread.is_alive()


def test_a_callback_may_stop(engine: Engine) -> None:
    heard: list[int] = []

    def hear(found: Analysis) -> None:
        heard.append(found.simulations)
        if len(heard) == 3:
            engine.stop()

    engine.think(UNENDING, hear, every=0.0)
    assert len(heard) == 3
    assert heard == sorted(heard)


def test_pondering_helps_the_next_search(engine: Engine) -> None:
    reported = threading.Event()
    engine.ponder(lambda found: reported.set() if found.simulations > 100 else None, every=0.0)
    assert reported.wait(PATIENCE)
    found = engine.think(Limit(simulations=1))  # ends the pondering
    assert sum(move.visits for move in found.moves) > 100
    before = threading.active_count()
    engine.ponder()
    engine.play(found.best_action)
    assert threading.active_count() == before


def test_ctrl_c_leaves_the_engine_in_order(game: tengen.Game) -> None:
    class Interrupted(LooksAtTheBoard):
        def __call__(self, planes, /):  # type: ignore[no-untyped-def]
            if self.positions > 50:
                self.positions = -1_000_000
                raise KeyboardInterrupt
            return super().__call__(planes)

    engine = Engine(game, Interrupted(game))
    with pytest.raises(KeyboardInterrupt):
        engine.think(Limit(simulations=1000))
    assert engine.think(Limit(simulations=10)).simulations == 10
    engine.play("E5")


def test_agent(tmp_path: Path) -> None:
    agent = tengen.Agent("tic_tac_toe", simulations=50)
    state = agent.game.state("a1 b2 b1")
    assert state.action_text(agent.choose(state)) == "c1"  # else it is lost
    found = agent.analyse(state.play("c1"))
    assert found.state == state.play("c1")
    assert "tic" in repr(agent)
    seconds = tengen.Agent("tic_tac_toe", seconds=0.02)
    assert seconds.choose(state) in state.legal_actions
    # Another board size than the network was trained on, where its heads allow that.
    file = save_tiny(tmp_path / "go.safetensors", tengen.load("go", size=5))
    small = tengen.load("go", size=7)
    assert tengen.Agent(file, simulations=20, game=small).choose(small.initial_state()) < 50


def test_an_agent_that_can_not_be(tmp_path: Path) -> None:
    with pytest.raises(tengen.TengenError, match="no network 'nobody'"):
        tengen.Agent("nobody")
    with pytest.raises(tengen.TengenError, match="at least 1"):
        tengen.Agent("tic_tac_toe", simulations=0)
    with pytest.raises(tengen.TengenError, match="plays tic_tac_toe"):
        tengen.Agent("tic_tac_toe", game=tengen.load("go"))
    with pytest.raises(AttributeError, match="agent"):
        _ = tengen.agents


def test_only_some_actions_are_considered() -> None:
    game = tengen.load("gomoku", size=5)
    engine = Engine(game)
    engine.set_position(game.state("a1 b1 a2 b2 a3 b3 a4 b4"))
    c1, d1 = game.parse_action("c1"), game.parse_action("d1")
    found = engine.think(Limit(simulations=100), only=(c1, d1))
    assert {move.action for move in found.moves} == {c1, d1}
    assert sum(move.prior for move in found.moves) == pytest.approx(1.0)
    assert engine.think(Limit(simulations=400)).moves[0].text == "a5"  # all again: it wins
    engine.think(Limit(simulations=10), only=(c1,))
    engine.play("d1")  # any move may be played
    assert len(engine.think(Limit(simulations=100)).moves) > 1
    with pytest.raises(tengen.TengenError, match="a1 is not legal"):
        engine.think(Limit(simulations=10), only=(game.parse_action("a1"),))


def test_how_the_moves_stand() -> None:
    game = tengen.load("gomoku", size=5)
    engine = Engine(game)
    engine.set_position(game.state("a1 b1 a2 b2 a3 b3 a4 b4"))
    engine.think(Limit(simulations=50))
    standing = engine.standing()
    assert standing.choices == 17
    assert standing.simulations <= 50
    assert 0 <= standing.lead <= 50


def test_memory_and_evaluator_can_change() -> None:
    game = tengen.load("tic_tac_toe")
    engine = Engine(game, most_tree_bytes=1 << 20)
    engine.play("b2")
    engine.resize(2 << 20)
    engine.use(None)
    assert engine.most_tree_bytes == 2 << 20
    assert engine.state == game.state("b2")
    engine.warm_up()
    assert engine.undo() == game.initial_state()
