"""Players by their texts: timed, mixed, perfect."""

import numpy as np
import pytest

import tengen
from tengen.external import solvers
from tengen.external.solvers import BitBullySolver, SolverError, find_solver, solve_all
from tengen.players import PlayerSpecError, SearchPlayer, TimedPlayer, make_player


def test_greedy_takes_what_it_can() -> None:
    othello, go, four = tengen.load("othello"), tengen.load("go", size=5), tengen.load("connect_four")
    greedy = make_player("greedy", othello)
    state = othello.state("f5 f6 e6 f4 e3 c5 c4 e7")
    discs = {action: str(state.play(action)).count("X") for action in state.legal_actions}
    most = {action for action, count in discs.items() if count == max(discs.values())}
    assert {greedy.choose([state], [seed])[0] for seed in range(40)} == most
    assert len(set(discs.values())) > 1
    atari = go.state("C3 C2 A1 B3 A5 D3 E5")
    assert atari.action_text(greedy.choose([atari], [1])[0]) == "C4"
    winning = four.state("1 7 2 7 3 7")
    assert winning.action_text(greedy.choose([winning], [1])[0]) == "4"
    start = four.initial_state()
    assert len({greedy.choose([start], [seed])[0] for seed in range(50)}) == 7
    with pytest.raises(PlayerSpecError, match="takes no argument"):
        make_player("greedy:2", othello)


def test_a_player_by_the_clock() -> None:
    game = tengen.load("tic_tac_toe")
    player = make_player("search:tic_tac_toe:0.01s", game)
    assert isinstance(player, TimedPlayer)
    states = [game.initial_state(), game.state("b2 a1")]
    for state, action in zip(states, player.choose(states, [1, 2]), strict=True):
        assert state.is_legal(action)


def test_a_player_by_the_clock_ends_early_once_it_knows() -> None:
    game = tengen.load("tic_tac_toe")
    state = game.state("a1 b2 b1")
    hours = make_player("search:tic_tac_toe:9999s", game)
    assert state.action_text(hours.choose([state], [1])[0]) == "c1"


def test_half_network_half_play_out() -> None:
    game = tengen.load("tic_tac_toe")
    player = make_player("mixed:tic_tac_toe:50", game)
    assert isinstance(player, SearchPlayer)
    assert player.params.rollout_weight == 0.5
    state = game.state("a1 b2 b1")
    assert state.action_text(player.choose([state], [1])[0]) == "c1"


@pytest.mark.parametrize("limit", ["s", "0s", "-1s", "nans", "1e9s", "twos", "2 m", "0", ""])
def test_limits_that_are_none(limit: str) -> None:
    with pytest.raises(PlayerSpecError, match="say how many"):
        make_player(f"search:tic_tac_toe:{limit}", tengen.load("tic_tac_toe"))


def test_a_solver_plays_perfectly() -> None:
    game = tengen.load("tic_tac_toe")
    player = make_player("solver", game)
    solved = solve_all(game)
    states = list(solved)[::50]
    for state, action in zip(states, player.choose(states, range(len(states))), strict=True):
        assert solved[state][action] == np.nanmax(solved[state])
    openings = {player.choose([game.initial_state()], [seed])[0] for seed in range(30)}
    assert len(openings) > 5  # all first moves draw, and each is played
    with pytest.raises(SolverError, match="gomoku has too many positions"):
        make_player("solver", tengen.load("gomoku", size=5))
    with pytest.raises(SolverError, match="tic_tac_toe has too many positions"):
        solve_all(game, most_states=1000)
    with pytest.raises(PlayerSpecError, match="takes no argument"):
        make_player("solver:3", game)


def test_connect_four_is_solved_by_bitbully(monkeypatch: pytest.MonkeyPatch) -> None:
    game = tengen.load("connect_four")
    solver = find_solver(game)
    assert isinstance(solver, BitBullySolver)
    first = solver.scores(game.initial_state())
    assert np.argmax(first) == 3  # the middle wins, the columns beside it draw, the others lose
    assert np.sign(first).tolist() == [-1, -1, 0, 1, 0, -1, -1]
    full = game.state([0] * 6)
    assert np.isnan(solver.scores(full)[0])
    assert not np.isnan(solver.scores(full)[1:]).any()
    drawn = game.state(
        board=str(game.state([2, 2, 3, 3, 4]))
    )  # without its moves; X has three in a row, open at both ends
    assert np.nanmax(solver.scores(drawn)) < 0
    monkeypatch.setattr(solvers.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(SolverError, match="pip install bitbully"):
        make_player("solver", game)
