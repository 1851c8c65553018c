"""What the search finds without a network: tactics, proofs, forced wins; judged by exhaustive and exact solvers."""

from typing import Any

import connect_four_wins
import pytest
from connect_four_wins import Position
from fake_evaluators import HashEvaluator
from tactics import Tactic, find_threats, find_wins, keeps_win, winning_moves

from tengen import Forest, SearchParams, State, load, search
from tengen.arena import play_match
from tengen.players import make_player
from tengen.search import run

TIC_TAC_TOE = load("tic_tac_toe")
CONNECT_FOUR = load("connect_four")
OTHELLO = load("othello")


def test_rollouts_never_lose_tic_tac_toe_to_random() -> None:
    players = (make_player("rollout:1000", TIC_TAC_TOE), make_player("random", TIC_TAC_TOE))
    match = play_match(TIC_TAC_TOE, players, games=1000, seed=1)
    assert match.losses == 0
    assert match.wins > 850
    assert sum(game.first == 0 for game in match.games) == 500


# --- tactics --------------------------------------------------------------------------------------------------------

# Early positions in which one disc turns over the last of the opponent's: found in random games.
OTHELLO_WIPE_OUTS = [
    "d3 c3 b3 e3 f5 f4 f3 d6",
    "d3 e3 f3 c5 b6 e2 f6 d2 c3 e6 f5 d6 d7 g5 d1 f7 h5 f4",
    "c4 c5 c6 c3 c2 d6 e6 f6",
    "d3 e3 f3 c3 b3 f4 f5 d6",
    "d3 e3 f3 e2 f5 c4 c2 f4 e1 e6 c6 d6 c5 b6 c7 f6 a7 d2 f7 c3 b3 f2",
    "c4 c5 e6 e3 e2 b4 b3 d6 c6 b6 a7 b2 a4 b5",
    "d3 e3 f2 e2 f5 c4 e1 f4 g3 f1 b4 g2 g1 b5",
    "c4 e3 f5 c6 c5 c3 f4 g5 b4",
]


def othello_wipe_outs() -> list[Tactic]:
    states = [OTHELLO.state(moves) for moves in OTHELLO_WIPE_OUTS]
    return [(state, winning_moves(state, 1)) for state in states]


TACTICS: dict[str, Any] = {
    "connect four, win in one": lambda: find_wins(CONNECT_FOUR, 8, 30, plies=1, count=30, seed=1),
    "connect four, stop a win": lambda: find_threats(CONNECT_FOUR, 8, 30, count=30, seed=1),
    "connect four, win in two": lambda: find_wins(CONNECT_FOUR, 8, 30, plies=3, count=30, seed=1),
    "othello, win in one": othello_wipe_outs,
    "othello, win in two": lambda: find_wins(OTHELLO, 57, 58, plies=3, count=10, seed=1),
    "gomoku 15x15, win in one": lambda: find_wins(load("gomoku"), 100, 140, plies=1, count=10, seed=1),
    "gomoku 7x7, stop a win": lambda: find_threats(load("gomoku", size=7), 20, 40, count=20, seed=1),
    "gomoku 6x6, win in two": lambda: find_wins(load("gomoku", size=6), 20, 28, plies=3, count=20, seed=1),
}


@pytest.mark.parametrize("name", TACTICS)
def test_rollouts_solve_tactics(name: str) -> None:
    tactics = TACTICS[name]()
    states = [state for state, _ in tactics]
    for state, solutions in tactics:
        assert 1 <= len(solutions) < len(state.legal_actions)
    for chosen, (state, solutions) in zip(
        make_player("rollout:1000", states[0].game).choose(states, seeds=range(len(states))), tactics, strict=True
    ):
        # A win that takes two moves more is a win too.
        assert chosen in solutions or ("win" in name and keeps_win(state.play(chosen), state.to_move, 6)), repr(state)


# --- proofs ---------------------------------------------------------------------------------------------------------

BOTH = [{}, {"selection": "uct", "rollout_weight": 1.0}]


@pytest.mark.parametrize("changes", BOTH, ids=["uniform", "rollouts"])
def test_tic_tac_toe_is_a_draw(changes: dict[str, Any]) -> None:
    result = search(TIC_TAC_TOE, [TIC_TAC_TOE.initial_state()], simulations=300_000, **changes)[0]
    assert result.stopped == "proven"
    assert result.proven is not None
    assert result.proven.is_draw
    assert result.root_value == 0.0


@pytest.mark.parametrize("changes", BOTH, ids=["uniform", "rollouts"])
def test_othello_4x4_is_lost_for_the_first_player(changes: dict[str, Any]) -> None:
    game = load("othello", size=4)
    result = search(game, [game.initial_state()], simulations=100_000, **changes)[0]
    assert result.stopped == "proven"
    assert result.proven is not None
    assert result.proven.winner == 1
    assert result.root_value == -1.0


@pytest.mark.parametrize("selection", ["puct", "uct", "gumbel"])
def test_every_proof_in_a_tree_is_right(selection: str) -> None:
    """All proofs in trees of tic-tac-toe, with their distances, against plain minimax."""
    known: dict[State, tuple[float, int]] = {}
    proofs = 0
    for seed, moves in enumerate(("", "a1", "b2 a1", "a2 b3 c1", "a1 b2 c3")):
        state = TIC_TAC_TOE.state(moves)
        params = SearchParams(simulations=3000, selection=selection, leaves_per_batch=1 + seed)
        forest = Forest(TIC_TAC_TOE, 1, params, seed)
        forest.set_root(0, state)
        forest.begin()
        run(forest, HashEvaluator(TIC_TAC_TOE))
        arrays = forest.tree(0)
        states = [state]
        for node in range(1, len(arrays.visits)):
            states.append(states[arrays.parent[node]].play(int(arrays.action[node])))
        for here, proof, distance in zip(states, arrays.proven, arrays.distance, strict=True):
            if proof == 0:
                continue
            proofs += 1
            value, plies = minimax(here, known)
            assert value == {1: 1.0, 2: -1.0, 3: 0.0}[int(proof)]
            assert value == 0.0 or distance >= plies
            assert distance <= 9 - len(here.moves)
    assert proofs > 1000


def minimax(state: State, known: dict[State, tuple[float, int]]) -> tuple[float, int]:
    """The value for the first player and the plies to the end: wins as soon, losses as late as possible."""
    if state in known:
        return known[state]
    if state.outcome is not None:
        answer = (state.outcome.value_for(0), 0)
    else:
        sign = 1 if state.to_move == 0 else -1
        below = [minimax(state.play(action), known) for action in state.legal_actions]
        best = max(sign * value for value, _ in below)
        plies = [n for value, n in below if sign * value == best]
        answer = (sign * best, 1 + (min(plies) if best > 0 else max(plies)))
    known[state] = answer
    return answer


# --- Connect Four against an exact solver ---------------------------------------------------------------------------

FORCED_WIN_SEARCHES: dict[str, dict[str, Any]] = {
    "uniform": {"simulations": 1_000_000},
    "uniform, uct": {"simulations": 100_000, "selection": "uct"},
}


def test_the_set_of_forced_wins_is_what_it_says() -> None:
    positions = connect_four_wins.stored()
    assert len(positions) == 200
    assert all(position.shortest <= 7 for position in positions)
    assert sum(position.shortest >= 5 for position in positions) == 140
    for position in positions[:10]:
        assert connect_four_wins.solve(position.moves) == position.plies


@pytest.mark.verify
def test_the_exact_solver_still_gives_the_stored_answers() -> None:
    for position in connect_four_wins.stored():
        assert connect_four_wins.solve(position.moves) == position.plies


@pytest.mark.parametrize("name", FORCED_WIN_SEARCHES)
def test_every_forced_win_within_8_plies_is_proven(name: str) -> None:
    positions = connect_four_wins.stored()
    states = [CONNECT_FOUR.state(position.moves) for position in positions]
    results = search(CONNECT_FOUR, states, None, SearchParams(**FORCED_WIN_SEARCHES[name]))
    shortest = 0
    for position, state, result in zip(positions, states, results, strict=True):
        assert result.stopped == "proven"
        assert result.proven is not None
        assert result.proven.winner == state.to_move
        # No proof is shorter than the truth, and nearly all are as short.
        assert result.distance >= position.plies[result.best_action] >= position.shortest
        shortest += result.distance == position.shortest
        check_line(position, state, result.line)
    assert shortest >= 190


def test_rollouts_play_every_forced_win_within_8_plies() -> None:
    positions = connect_four_wins.stored()
    player = make_player("rollout:100000", CONNECT_FOUR)
    states = [CONNECT_FOUR.state(position.moves) for position in positions]
    for position, chosen in zip(positions, player.choose(states, seeds=range(200)), strict=True):
        assert position.plies[chosen] > 0


def check_line(position: Position, state: State, line: tuple[int, ...]) -> None:
    """The line that is shown begins with a winning action, is legal and, if it ends the game, wins it."""
    assert position.plies[line[0]] > 0
    player = state.to_move
    for action in line:
        state = state.play(action)
    if state.outcome is not None:
        assert state.outcome.winner == player
