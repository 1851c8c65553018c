"""Shogi and minishogi from Python: counts and SFEN. The rules themselves are in cpp/tests/test_shogi.cpp, whole games
against other programs in test_shogi_oracle.py.
"""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tengen
from tengen import Forest, SearchParams, UniformEvaluator
from tengen.search import run

START = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"
DROPS = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1"


# Counts of cshogi 1.1.0; those without a pawn that would mate by a drop are pyffish's 0.0.90 too.
@pytest.mark.parametrize(
    ("sfen", "counts"),
    [
        (START, [1, 30, 900, 25_470, 719_731]),
        (DROPS, [1, 207, 28_684]),
        ("8k/9/8G/9/9/9/9/9/K6R1 b GP 1", [1, 170, 24, 3_106]),  # P*1b would mate
        ("8k/P3L4/9/2N6/9/9/9/9/4K4 b PLN 1", [1, 199, 567, 78_624]),  # forced promotion
        ("R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1", [1, 593, 105_677]),  # the most moves there can be
        ("4k4/9/4r4/9/4G4/9/2b6/3S5/4K4 b RB4P 1", [1, 224, 6_117]),  # pins
    ],
)
def test_shogi_counts(sfen: str, counts: list[int]) -> None:
    game = tengen.load("shogi")
    assert game.perft(len(counts) - 1, game.state(board=sfen)).positions == counts


@pytest.mark.verify
def test_shogi_to_depth_5() -> None:
    assert tengen.load("shogi").count_sequences(5) == 19_861_490


def test_minishogi_to_depth_5() -> None:
    assert tengen.load("minishogi").perft(5).positions == [1, 14, 181, 2_512, 35_401, 533_203]


@st.composite
def positions(draw: st.DrawFn) -> tengen.State:
    """A position of a random game of either kind, with any options."""
    name = draw(st.sampled_from(("shogi", "minishogi")))
    game = tengen.load(name, alphazero_actions=draw(st.booleans()))
    rng, state = random.Random(draw(st.integers(0, 10**6))), game.initial_state()
    for _ in range(draw(st.integers(0, 150))):
        if state.outcome is not None:
            break
        state = state.play(rng.choice(state.legal_actions))
    return state


@given(positions())
def test_sfen_goes_round(state: tengen.State) -> None:
    sfen = state.position_text
    read = state.game.state(board=sfen)
    assert read.position_text == sfen
    assert read.hands == state.hands
    assert (read.cells == state.cells).all()
    assert state.game.state(board=f"sfen {sfen}") == read == state.game.state(board=str(state))
    if state.outcome is None or state.outcome.reason not in ("repetition", "perpetual check"):
        assert read.legal_actions == state.legal_actions


@given(positions(), st.data())
def test_damaged_texts_are_refused_or_read(state: tengen.State, data: st.DataObject) -> None:
    """A changed SFEN or move is another position or move, or an error with a name."""
    alphabet = st.sampled_from([*"plnsgbrkPLNSGBRK+0123456789/ -bw*abcdefghi\n\tz:", "\0", "é", "歩"])
    for text in (state.position_text, str(state)):
        i = data.draw(st.integers(0, len(text)))
        j = data.draw(st.integers(i, min(i + 3, len(text))))
        damaged = text[:i] + data.draw(st.text(alphabet, max_size=3)) + text[j:]
        try:
            read = state.game.state(board=damaged)
        except tengen.BoardTextError:
            continue
        assert state.game.state(board=read.position_text) == read
        assert len(read.legal_actions) <= read.game.spec.most_legal
    move = data.draw(st.text(alphabet, max_size=7))
    action = state.parse_action(move)
    if action is not None:
        assert state.parse_action(state.action_text(action)) == action
    assert state.is_legal(move) == (action in state.legal_actions)


def test_errors_say_what_is_wrong() -> None:
    game = tengen.load("shogi")
    with pytest.raises(tengen.BoardTextError, match="two pawns of black in column 9"):
        game.state(board="4k4/9/9/P8/P8/9/9/9/4K4 b - 1")
    with pytest.raises(tengen.BoardTextError, match="at most 2 pieces R"):
        game.state(board="4k4/9/9/9/9/9/9/9/4K4 b 3R 1")
    with pytest.raises(tengen.IllegalActionError, match=r"P\*5e is not legal here"):
        game.state("P*5e")
    with pytest.raises(tengen.ActionTextError, match="'7g7e' is not an action of shogi; it looks like"):
        game.state("7g7f 7g7e")
    with pytest.raises(tengen.GameOptionError, match="history must be 1 or 8"):
        tengen.load("minishogi", history=2)


def test_endings_are_told() -> None:
    game = tengen.load("shogi")
    outcome = game.state("2h3h 8b7b 3h2h 7b8b " * 3).outcome
    assert repr(outcome) == "Outcome(winner=None, reason='repetition', sentence='the position occurred four times')"
    outcome = game.state("8i9i 9a8a 9i8i 8a9a " * 3, board="k8/9/9/9/9/9/9/9/1R6K b - 1").outcome
    assert outcome is not None
    assert (outcome.winner, outcome.reason) == (1, tengen.Reason.PERPETUAL_CHECK)
    outcome = tengen.load("minishogi").state("1e1d 5a5b 1d1e 5b5a " * 3).outcome
    assert outcome is not None
    assert (outcome.winner, outcome.reason) == (1, tengen.Reason.REPETITION)
    outcome = game.state("G*1b", board="8k/9/8G/9/9/9/9/9/K6R1 b GP 1").outcome
    assert repr(outcome) == "Outcome(winner=0, reason='checkmate', sentence='checkmate')"


@pytest.mark.parametrize(
    ("name", "board", "moves", "reason"),
    [
        ("minishogi", None, "1e1d 5a5b 1d1e 5b5a " * 3, "repetition"),
        ("shogi", "k8/9/9/9/9/9/9/9/1R6K b - 1", "8i9i 9a8a 9i8i 8a9a " * 3, "perpetual check"),
        ("shogi", "GGGGKSSSS/PPPPPPP2/9/9/9/9/9/4k4/9 b 2R2B 1", "win", "declaration"),
    ],
)
def test_a_drawing_says_no_more_than_it_shows(name: str, board: str | None, moves: str, reason: str) -> None:
    """Neither the past nor a declaration is drawn, so that what is read back from the drawing goes on."""
    game = tengen.load(name, declaration=True) if reason == "declaration" else tengen.load(name)
    state = game.state(moves, board=board) if board else game.state(moves)
    assert state.outcome is not None
    assert state.outcome.reason == reason
    assert "game over" not in str(state)
    assert str(game.state(board=str(state))) == str(state)
    assert game.state(board=str(state)).outcome is None


@pytest.mark.parametrize("sfen", [START, DROPS])
def test_a_tree_of_100_000_nodes_is_small(sfen: str) -> None:
    game = tengen.load("shogi")
    forest = Forest(game, 1, SearchParams(simulations=10**7, max_nodes=100_000, leaves_per_batch=16), 0)
    forest.set_root(0, game.state(board=sfen), 0)
    forest.begin()
    run(forest, UniformEvaluator(game))
    assert forest.result(0).nodes >= 99_000
    assert forest.bytes < 200e6


def test_pieces_and_hands_are_told() -> None:
    game = tengen.load("shogi")
    state = game.state("7g7f 3c3d 8h2b+ 3a2b")
    by_name = {(piece.name, piece.owner): i + 1 for i, piece in enumerate(game.spec.pieces)}
    assert state.hands == ({by_name["bishop", 0]: 1}, {by_name["bishop", 1]: 1})
    where = game.action_cells(state, "B*5e")
    assert (where.source, where.target, where.piece) == (None, 40, by_name["bishop", 0])
    where = game.action_cells(state, "2h5h")
    assert (where.source, where.target, where.piece) == (70, 67, None)
    assert len(game.spec.hands) == 14
