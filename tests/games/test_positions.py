"""What a position says to programs: pieces on cells, scores, places of actions, reasons of the end, evaluation keys.

Every built-in game and every example, the same laws for all.
"""

import random
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import laws
import numpy as np
import pytest

import tengen
from tengen._core import game_entries

EXAMPLES = sorted(
    str(path) for path in (Path(__file__).parents[2] / "examples").glob("*.py") if path.name != "alphazero.py"
)
SMALL = {"hex.py": {"size": 4}, "dots_and_boxes.py": {"rows": 2, "columns": 2}}
GAMES = [tengen.load(variant.name, **variant.options) for variant in laws.VARIANTS]
GAMES += [tengen.load(path, **SMALL.get(Path(path).name, {})) for path in EXAMPLES]
every_game = pytest.mark.parametrize("game", GAMES, ids=repr)
UPWARDS = ("chess", "minichess", "shogi", "minishogi")  # whose planes show the player to move going up


def random_game(game: tengen.Game, seed: int) -> list[tengen.State]:
    numbers = random.Random(seed)
    states = [game.initial_state()]
    while states[-1].outcome is None:
        states.append(states[-1].play(numbers.choice(states[-1].legal_actions)))
    return states


def some_states(game: tengen.Game, games: int = 3) -> Iterator[tengen.State]:
    for seed in range(games):
        yield from random_game(game, seed)


@every_game
def test_cells_are_the_drawn_pieces(game: tengen.Game) -> None:
    spec = game.spec
    letters = ["."] + [piece.letter for piece in spec.pieces]
    assert len(set(letters)) == len(letters)
    for state in some_states(game):
        assert state.cells is not None
        assert state.cells.dtype == np.int8
        assert state.cells.shape == (spec.height, spec.width)
        drawn = laws.drawn_cells(state)[-spec.height * spec.width :]
        assert drawn == [letters[code] for code in state.cells.ravel().tolist()]
        for player, hand in enumerate(state.hands):
            assert set(hand) <= set(spec.hands)
            assert all(spec.pieces[code - 1].owner == player and count > 0 for code, count in hand.items())


@every_game
def test_own_and_opponents_planes_are_the_pieces_of_either(game: tengen.Game) -> None:
    if not game.spec.plane_names[0].startswith("own"):
        assert game.spec.name == "dots_and_boxes"
        return
    owners = np.array([-1, *(piece.owner for piece in game.spec.pieces)])
    kinds = len(game.spec.pieces) // 2
    for state in some_states(game, 1):
        seen_upwards = game.spec.name in UPWARDS and state.to_move == 1
        owner = owners[state.cells]
        if seen_upwards:
            owner = owner[::-1] if game.spec.hands == () else owner[::-1, ::-1]
        planes = state.planes() != 0
        assert np.array_equal(planes[:kinds].any(axis=0), owner == state.to_move)
        assert np.array_equal(planes[kinds : 2 * kinds].any(axis=0), owner == 1 - state.to_move)


@every_game
def test_action_cells_are_where_the_board_changes(game: tengen.Game) -> None:
    for before in some_states(game, 1):
        for action in before.legal_actions:
            where, after = game.action_cells(before, action), before.play(action)
            assert where == game.action_cells(before, before.action_text(action))
            changed = set(np.flatnonzero(before.cells != after.cells).tolist())
            if where.target is None:
                assert before.action_text(action) == "pass"
                assert not changed
                continue
            source = set() if where.source is None else {where.source}
            took_itself = game.spec.name == "go" and where.target not in changed  # suicide
            codes = before.cells.ravel()  # a king that takes its own rook castles; one of the two may stay where it is
            castles = game.spec.name == "chess" and codes[where.source] in (6, 12) and codes[where.target] in (4, 10)
            assert source | {where.target} <= changed or took_itself or castles
            if where.piece is not None:  # a drop
                assert where.source is None
                player = before.to_move
                assert before.hands[player][where.piece] == after.hands[player].get(where.piece, 0) + 1
                assert (before.cells.ravel()[where.target], after.cells.ravel()[where.target]) == (0, where.piece)
                continue
            assert (where.source is not None) == (game.spec.action_layout == "planes")


@every_game
def test_scores_and_reasons(game: tengen.Game) -> None:
    for seed in range(5):
        end = random_game(game, seed)[-1]
        assert end.outcome is not None
        assert isinstance(end.outcome.reason, tengen.Reason)
        assert end.outcome.sentence
        assert (end.score is None) == (game.spec.score_name == "")
        if end.score is not None:
            assert np.sign(end.score) == end.outcome.value_for(0)


@every_game
def test_no_state_has_more_legal_actions_than_the_game_says(game: tengen.Game) -> None:
    assert 1 <= game.spec.most_legal <= game.spec.num_actions
    assert max(len(state.legal_actions) for state in some_states(game)) <= game.spec.most_legal


@every_game
def test_equal_keys_mean_equal_planes_and_legal_actions(game: tengen.Game) -> None:
    by_key: dict[int, set[tuple[bytes, tuple[int, ...]]]] = defaultdict(set)
    for state in some_states(game, 30):
        by_key[state.evaluation_key].add((state.planes().tobytes(), state.legal_actions))
    assert all(len(answers) == 1 for answers in by_key.values())


@pytest.mark.parametrize("options", [{}, {"suicide": True}, {"history": 8}], ids=repr)
def test_go_keys_hold_what_the_network_sees_and_forget_the_rest(options: dict[str, float]) -> None:
    """On a tiny board, where positions return in many ways."""
    game = tengen.load("go", size=2, komi=0.5, max_moves=12, **options)
    numbers = random.Random(1)
    by_key: dict[int, set[tuple[bytes, tuple[int, ...]]]] = defaultdict(set)
    by_answer: dict[tuple[bytes, tuple[int, ...]], set[int]] = defaultdict(set)
    for _ in range(2000):
        state = game.initial_state()
        while state.outcome is None:
            answer = (state.planes().tobytes(), state.legal_actions)
            by_key[state.evaluation_key].add(answer)
            by_answer[answer].add(hash(state))
            state = state.play(numbers.choice(state.legal_actions))
    assert all(len(answers) == 1 for answers in by_key.values())
    if "history" not in options:
        assert len(by_key) == len(by_answer)  # nothing is held that the network does not see
        assert len(by_key) < sum(map(len, by_answer.values())) / 3


def test_a_go_key_forgets_the_past_but_not_what_superko_forbids() -> None:
    game = tengen.load("go", size=5)
    one, other = game.state("A1 E5 B2 D4 C3 pass"), game.state("B2 D4 A1 E5 C3 pass")
    assert one != other
    assert one.evaluation_key == other.evaluation_key
    ko = ". X O . .\nX . X O .\n. X O . .\n. . . . .\n. . . . .\nO to move"
    taken = game.state("B4", board=ko)  # white takes the stone at C4; black may not take back at once
    assert not taken.is_legal("C4")
    same_stones = game.state(board=str(taken))
    assert same_stones.is_legal("C4")
    assert np.array_equal(taken.cells, same_stones.cells)
    assert taken.evaluation_key != same_stones.evaluation_key


@pytest.mark.parametrize(
    ("name", "options", "moves", "outcome"),
    [
        ("tic_tac_toe", {}, "a1 b1 a2 b2 a3", "Outcome(winner=0, reason='line', sentence='three in a row')"),
        ("connect_four", {}, "1 2 1 2 1 2 1", "Outcome(winner=0, reason='line', sentence='four in a row')"),
        (
            "tic_tac_toe",
            {},
            "a1 b2 c3 b1 b3 a3 c1 c2 a2",
            "Outcome(winner=None, reason='full board', sentence='the board is full')",
        ),
        (
            "go",
            {"size": 5},
            "C3 pass pass",
            "Outcome(winner=0, reason='two passes', sentence='two passes: 25 to 7.5')",
        ),
        (
            "go",
            {"size": 5, "komi": 0},
            "pass pass",
            "Outcome(winner=None, reason='two passes', sentence='two passes: 0 points each')",
        ),
        (
            "go",
            {"size": 5, "max_moves": 2},
            "C3 A1",
            "Outcome(winner=1, reason='length', sentence='2 moves played: 8.5 to 1')",
        ),
    ],
)
def test_reasons_are_told(name: str, options: dict[str, float], moves: str, outcome: str) -> None:
    found = tengen.load(name, **options).state(moves).outcome
    assert repr(found) == outcome
    assert repr(eval(outcome, {"Outcome": tengen.Outcome})) == outcome


def test_othello_counts_discs() -> None:
    state = tengen.load("othello", size=4).state(board="X X X X\nX X X X\nX X X X\nO O O .\nO to move")
    assert state.score == 9
    assert state.outcome is not None
    assert (state.outcome.reason, state.outcome.sentence) == (tengen.Reason.MAJORITY, "12 discs to 3")


def test_a_column_that_is_full_leads_nowhere() -> None:
    for game in (tengen.load("connect_four"), tengen.load(EXAMPLES[1])):
        state = game.state("1 1 1 1 1 1")
        assert game.spec.name == "connect_four"
        assert game.action_cells(state, "1").target is None
        assert game.action_cells(state, "2").target == 36


def test_outcomes_compare_by_winner_alone() -> None:
    outcome = tengen.Outcome(0, "line", "four in a row")
    assert outcome == tengen.Outcome(0)
    assert hash(outcome) == hash(tengen.Outcome(0))
    assert outcome != tengen.Outcome(1, "line", "four in a row")
    assert outcome.reason is tengen.Reason.LINE
    assert outcome.reason == "line"
    assert tengen.Outcome(None, reason=tengen.Reason.LENGTH).reason == "length"
    assert (tengen.Outcome(0).reason, tengen.Outcome(0).sentence) == ("rules", "")
    with pytest.raises(
        tengen.ArgumentError, match="'bored' is not a reason for the end of a game; the reasons are: line"
    ):
        tengen.Outcome(0, "bored")


def test_options_are_a_mapping_in_order() -> None:
    spec = tengen.load("go", komi=7, size=5, suicide=True).spec
    assert spec.options == {"size": 5, "komi": 7.0, "suicide": True, "history": 1, "max_moves": 0}
    assert list(spec.options) == ["size", "komi", "suicide", "history", "max_moves"]
    assert [type(value) for value in spec.options.values()] == [int, float, bool, int, int]
    assert spec.options_text == "size=5, komi=7, suicide=True, history=1, max_moves=0"
    assert spec.rules_digest == ""
    assert {entry.name: tengen.load(entry.name).spec.options for entry in game_entries()}["tic_tac_toe"] == {}


@every_game
def test_options_and_source_make_the_game_again(game: tengen.Game) -> None:
    assert tengen.load(game.spec.source, **game.spec.options) == game
    assert f"tengen.load({game.spec.source!r}" in repr(game)
