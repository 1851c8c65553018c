"""`evaluation`: scores of hand-made positions, a whole game solved, and files that are refused by line."""

import json
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import tengen
from tengen import Forest, SearchParams, State, UniformEvaluator
from tengen.search import run
from tengen.strength.accuracy import (
    PositionsError,
    Quality,
    ScoredPositions,
    known_positions,
    load_positions,
    move_quality,
    solved_positions,
)

TIC_TAC_TOE = tengen.load("tic_tac_toe")
CONNECT_FOUR = tengen.load("connect_four")
EMPTY = [0] * 35
FULL = -99


class Fixed:
    """Plays a given action in every position."""

    name = "fixed"

    def __init__(self, *actions: int) -> None:
        self._actions = list(actions)

    def choose(self, states: Sequence[State], seeds: Sequence[int]) -> list[int]:
        assert len(states) == len(seeds) == len(self._actions)
        return self._actions


# ---- Shares


def scored(*rows: list[float]) -> ScoredPositions:
    states = (CONNECT_FOUR.initial_state(),) * len(rows)
    return ScoredPositions(states, np.array(rows, np.float64), "made by hand")


@pytest.mark.parametrize(
    ("action", "good", "perfect"),
    [(0, True, False), (1, True, True), (2, False, False), (3, False, False), (4, True, True)],
)
def test_good_and_perfect_moves_of_a_won_position(action: int, good: bool, perfect: bool) -> None:
    positions = scored([2, 5, 0, -3, 5, np.nan, np.nan])
    assert move_quality([Fixed(action)], positions) == Quality(good=float(good), perfect=float(perfect))


def test_shares_are_over_all_positions() -> None:
    lost = [-4.0, -4, -2, -9, -9, -9, -9]  # every move loses: all are good, the latest loss is perfect
    drawn = [0.0, -1, 0, -1, -1, -1, -1]
    positions = scored(lost, lost, drawn, drawn)
    assert move_quality([Fixed(0, 2, 0, 1)], positions) == Quality(good=0.75, perfect=0.5)


# ---- A solved game


def test_every_position_of_tic_tac_toe() -> None:
    positions = solved_positions(TIC_TAC_TOE)
    assert len(positions) == 4520  # 5478 reachable, of which 958 are over
    assert all(state.outcome is None for state in positions.states)
    row = dict(zip(positions.states, positions.scores, strict=True))
    assert row[TIC_TAC_TOE.initial_state()].tolist() == [0.0] * 9


@pytest.mark.parametrize(
    ("moves", "best", "sign"),
    [
        ("a1 a2 b1 b2", ["c1"], 1),  # wins at once
        ("a1 b2 b1", ["c1"], 0),  # the only defence
        ("a1 a2 b1", ["c1"], -1),  # the only defence for now: b2 then threatens twice
        ("a1 b1", ["a2", "a3", "b2"], 1),  # each forces two threats
        ("a3 c1 c3 b3 a1", ["a2", "b1", "b2", "c2"], -1),  # two threats: nothing helps
    ],
)
def test_solved_by_hand(moves: str, best: list[str], sign: int) -> None:
    state = TIC_TAC_TOE.state(moves)
    positions = solved_positions(TIC_TAC_TOE)
    row = positions.scores[positions.states.index(state)]
    assert np.sign(np.nanmax(row)) == sign
    found = [state.action_text(int(action)) for action in np.flatnonzero(row == np.nanmax(row))]
    assert sorted(found) == sorted(best)


LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


@cache
def score_of(own: frozenset[int], other: frozenset[int]) -> int:
    """Of the player to move, who has the cells `own`: 10 - plies for a win after so many, its negative for a loss."""
    if any(other >= set(line) for line in LINES):
        return -10
    if len(own) + len(other) == 9:
        return 0
    return max(score_after(own, other, cell) for cell in set(range(9)) - own - other)


def score_after(own: frozenset[int], other: frozenset[int], cell: int) -> int:
    worth = -score_of(other, own | {cell})
    return worth - (worth > 0) + (worth < 0)


def test_solver_agrees_with_one_written_by_hand() -> None:
    """On every position, by rules written anew: who completes a line has won."""
    positions = solved_positions(TIC_TAC_TOE)
    for state, row in zip(positions.states, positions.scores, strict=True):
        own, other = (frozenset(state.moves[player::2]) for player in (state.to_move, 1 - state.to_move))
        free = set(range(9)) - own - other
        assert set(np.flatnonzero(~np.isnan(row)).tolist()) == free
        assert all(row[cell] == score_after(own, other, cell) for cell in free)


def test_solver_agrees_with_the_search() -> None:
    """The C++ search proves the result of any position with few moves left."""
    positions = solved_positions(TIC_TAC_TOE)
    chosen = [i for i, state in enumerate(positions.states) if len(state.moves) >= 5][:200]
    answers = tengen.search(TIC_TAC_TOE, [positions.states[i] for i in chosen], simulations=2000)
    for i, answer in zip(chosen, answers, strict=True):
        assert answer.proven is not None
        assert answer.proven.value_for(answer.state.to_move) == np.sign(np.nanmax(positions.scores[i]))


def test_a_large_game_is_not_solved() -> None:
    with pytest.raises(PositionsError, match="too many positions"):
        solved_positions(tengen.load("othello"))


# ---- Endgames of Othello


def best_score(state: tengen.State) -> float:
    """Discs at the end for the player to move, by trying everything."""
    if state.outcome is not None:
        assert state.score is not None
        return state.score if state.to_move == 0 else -state.score
    return max(after(state, action) for action in state.legal_actions)


def after(state: tengen.State, action: int) -> float:
    reply = state.play(action)
    return best_score(reply) * (1 if reply.to_move == state.to_move else -1)


def test_bundled_endgames_have_the_scores_that_trying_everything_gives() -> None:
    positions = known_positions(tengen.load("othello"))
    assert len(positions) == 500
    plies = [len(state.moves) for state in positions.states]
    for i in np.argsort(plies)[-3:].tolist():
        state = positions.states[i]
        for action in state.legal_actions:
            assert positions.scores[i, action] == after(state, action)


def test_every_bundled_endgame_can_be_spoilt() -> None:
    positions = known_positions(tengen.load("othello"))
    signs = np.sign(positions.scores)
    assert all(len(np.unique(row[~np.isnan(row)])) > 1 for row in signs)
    empty = [int((state.cells == 0).sum()) for state in positions.states if state.cells is not None]
    assert (min(empty), max(empty)) == (8, 16)


# ---- The same answers on any number of cores


def test_answers_do_not_depend_on_the_number_of_players() -> None:
    """Each has a thread, and a part of the positions is one batch whoever answers it."""
    positions = solved_positions(TIC_TAC_TOE).some(700)
    asked: list[int] = []

    class Counting:
        name = "counting"

        def choose(self, states: Sequence[tengen.State], seeds: Sequence[int]) -> list[int]:
            asked.append(len(states))
            legal = [state.legal_actions for state in states]
            return [actions[seed % len(actions)] for actions, seed in zip(legal, seeds, strict=True)]

    alone = move_quality([Counting()], positions)
    parts, asked[:] = sorted(asked), []
    assert move_quality([Counting(), Counting(), Counting()], positions) == alone
    assert sorted(asked) == parts


# ---- Files


def write(path: Path, *lines: object) -> Path:
    path.write_text("".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines))
    return path


def test_board_and_moves_say_the_same(tmp_path: Path) -> None:
    scores = [1, 2, 3, 4, 3, 2, 1]
    board = [*EMPTY[:-7], *[0, 0, 0, 2, 0, 0, 0], *[0, 0, 0, 1, 0, 0, 0]]
    path = write(
        tmp_path / "positions.jsonl",
        {"board": board, "score": 4, "move score": scores},
        {"moves": "4 4", "score": 4, "move score": scores},
        {"moves": [3, 3], "score": 4, "move score": scores},
    )
    positions = load_positions(path, CONNECT_FOUR)
    assert [str(state) for state in positions.states] == [str(CONNECT_FOUR.state("4 4"))] * 3
    assert positions.scores.tolist() == [scores] * 3


def test_a_position_may_be_a_text_and_scores_may_have_names(tmp_path: Path) -> None:
    game = tengen.load("minichess")
    fen = "4k/R4/2K2/5/5 w - - 0 1"
    moves = game.state(board=fen).legal_actions
    names = [game.state(board=fen).action_text(action) for action in moves]
    scores = dict(zip(names, range(len(names)), strict=True))
    positions = load_positions(write(tmp_path / "p.jsonl", {"position": fen, "move score": scores}), game)
    assert positions.states[0].position_text == fen
    assert positions.scores[0, list(moves)].tolist() == list(range(len(names)))
    assert np.isfinite(positions.scores).sum() == len(names)
    for wrong, message in (({**scores, "a1a2": 0}, "'a1a2' is not a legal move"), ({names[0]: 1}, "has no score")):
        with pytest.raises(PositionsError, match=message):
            load_positions(write(tmp_path / "p.jsonl", {"position": fen, "move score": wrong}), game)


def test_the_endgames_of_minichess_are_right_where_a_search_proves_them() -> None:
    """The tables they come from and the search that proves mates know nothing of each other."""
    positions = known_positions(tengen.load("minichess")).some(60)
    best, proofs = np.nanmax(positions.scores, axis=1), 0
    for state, score in zip(positions.states, best, strict=True):
        forest = Forest(state.game, 1, SearchParams(simulations=20_000, leaves_per_batch=16), 0)
        forest.set_root(0, state, 0)
        forest.begin()
        run(forest, UniformEvaluator(state.game))
        if (proven := forest.result(0).proven) is not None:
            assert proven.value_for(state.to_move) == np.sign(score)
            assert score <= 0 or 200 - score <= forest.result(0).distance  # no mate is shorter than the score says
            proofs += 1
    assert proofs >= 10


def test_second_player_to_move(tmp_path: Path) -> None:
    path = write(tmp_path / "one.jsonl", {"board": [*EMPTY, *[0, 0, 0, 1, 0, 0, 0]], "move score": [0] * 7})
    assert load_positions(path, CONNECT_FOUR).states[0].to_move == 1


def test_full_columns_have_no_score(tmp_path: Path) -> None:
    path = write(tmp_path / "full.jsonl", {"moves": "1 1 1 1 1 1", "move score": [FULL, 0, 0, 0, 0, 0, 0]})
    assert np.isnan(load_positions(path, CONNECT_FOUR).scores[0, 0])


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 2: this is not JSON"),
        ([1, 2], "line 2: a position is a JSON object"),
        ({"move score": [0] * 7}, "line 2: there is no 'moves'"),
        ({"moves": "4"}, "line 2: there is no 'move score'"),
        ({"moves": "4", "move score": [0] * 6}, "line 2: 'move score' needs 7 numbers"),
        ({"moves": "4", "move score": [0] * 6 + [FULL]}, "line 2: a legal action has no score"),
        ({"moves": "9", "move score": [0] * 7}, "line 2: "),
        ({"board": [0] * 41, "move score": [0] * 7}, "line 2: 'board' needs 42 numbers"),
        ({"board": [3] * 42, "move score": [0] * 7}, "line 2: 'board' needs 42 numbers"),
        ({"board": [1] + [0] * 41, "move score": [0] * 7}, "line 2: "),
        ({"board": 5, "move score": [0] * 7}, "line 2: "),
        ({"moves": "1 2 1 2 1 2 1", "move score": [0] * 7}, "line 2: the game is over here"),
    ],
)
def test_wrong_files_are_refused(tmp_path: Path, line: object, message: str) -> None:
    path = write(tmp_path / "wrong.jsonl", {"moves": "4", "move score": [0] * 7}, line)
    with pytest.raises(PositionsError) as refused:
        load_positions(path, CONNECT_FOUR)
    assert message in str(refused.value)


def test_missing_and_empty_files(tmp_path: Path) -> None:
    with pytest.raises(PositionsError, match="can't be read: No such file"):
        load_positions(tmp_path / "nowhere.jsonl", CONNECT_FOUR)
    with pytest.raises(PositionsError, match="no positions"):
        load_positions(write(tmp_path / "empty.jsonl"), CONNECT_FOUR)


# ---- The bundled positions


def test_bundled_positions_of_connect_four() -> None:
    positions = known_positions(CONNECT_FOUR)
    assert len(positions) == 500
    assert {np.sign(np.nanmax(row)) for row in positions.scores} == {-1.0, 0.0, 1.0}
    with pytest.raises(PositionsError):  # another board, other scores
        known_positions(tengen.load("connect_four", rows=7))


def test_bundled_positions_agree_with_the_search() -> None:
    """Near the end of a game a search without any knowledge proves what the solver says."""
    positions = known_positions(CONNECT_FOUR)
    late = [i for i, state in enumerate(positions.states) if len(state.moves) >= 30]
    assert len(late) > 10
    answers = tengen.search(CONNECT_FOUR, [positions.states[i] for i in late], simulations=20_000)
    proven = 0
    for i, answer in zip(late, answers, strict=True):
        if answer.proven is not None:
            proven += 1
            assert answer.proven.value_for(answer.state.to_move) == np.sign(np.nanmax(positions.scores[i]))
    assert proven > len(late) // 2


# ---- The generator of such files


def test_positions_are_written_as_they_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "benchmarks"))
    import make_positions

    monkeypatch.setattr(sys, "argv", ["make_positions.py", "--count", "8", "--seed", "7"])
    make_positions.main()
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    positions = load_positions(write(tmp_path / "eight.jsonl", *lines), CONNECT_FOUR)
    assert len(set(positions.states)) == 8
    for line, state, row in zip(lines, positions.states, positions.scores, strict=True):
        assert line.keys() == {"moves", "score", "move score"}
        assert state.moves_text == line["moves"]
        assert line["score"] == np.nanmax(row)
        assert [score == FULL for score in line["move score"]] == (~state.legal_mask()).tolist()
    assert any(FULL in line["move score"] for line in lines)


def test_scores_of_the_generator_prefer_the_sooner_win() -> None:
    """bitbully's have the order that perfect moves are about."""
    from bitbully import BitBully, Board

    scores = BitBully().score_all_moves(Board([3, 3, 4, 4, 5, 5]))  # three in a row with both ends open
    assert {column for column, score in scores.items() if score == 18} == {2, 6}
    assert {score for score in scores.values() if score != 18} == {17}  # still won, two plies later
