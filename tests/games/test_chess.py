"""Chess against what others know: published counts of moves, python-chess as referee, rules one by one."""

import random
import re
from collections.abc import Iterator

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tengen

CHESS = tengen.load("chess")
LATE = tengen.load("chess", late_draws=True, max_moves=17697)
GAME_960 = tengen.load("chess", chess960=518)

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"

# https://www.chessprogramming.org/Perft_Results
PERFT = {
    chess.STARTING_FEN: [1, 20, 400, 8902, 197_281, 4_865_609],
    KIWIPETE: [1, 48, 2039, 97_862, 4_085_603],
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1": [1, 14, 191, 2812, 43_238, 674_624],
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1": [1, 6, 264, 9467, 422_333],
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8": [1, 44, 1486, 62_379, 2_103_487],
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10": [1, 46, 2079, 89_890, 3_894_594],
}
# https://www.chessprogramming.org/Chess960_Perft_Results
PERFT_960 = {
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9": [1, 21, 528, 12_189, 326_672],
    "2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9": [1, 21, 807, 18_002, 667_366],
    "b1q1rrkb/pppppppp/3nn3/8/P7/1PPP4/4PPPP/BQNNRKRB w GE - 1 9": [1, 20, 479, 10_471, 273_318],
}


@pytest.mark.parametrize(("fen", "counts"), PERFT.items())
def test_perft_is_the_published_one(fen: str, counts: list[int]) -> None:
    state = CHESS.state(board=fen)
    assert CHESS.perft(3, state).positions == counts[:4]
    assert [CHESS.count_sequences(length, state) for length in range(len(counts))] == counts


@pytest.mark.parametrize(("fen", "counts"), PERFT_960.items())
def test_perft_of_chess960_is_the_published_one(fen: str, counts: list[int]) -> None:
    state = GAME_960.state(board=fen)
    assert GAME_960.perft(3, state).positions == counts[:4]
    assert GAME_960.count_sequences(4, state) == counts[4]


@pytest.mark.parametrize(("size", "counts"), [(5, [7, 53, 506, 4775, 52_512]), (6, [10, 100, 1212, 14_332, 191_846])])
def test_perft_of_minichess_is_that_of_fairy_stockfish(size: int, counts: list[int]) -> None:
    assert tengen.load("minichess", size=size).perft(5).positions[1:] == counts


@pytest.mark.verify
def test_perft_to_depth_6() -> None:
    assert CHESS.count_sequences(6) == 119_060_324
    assert CHESS.count_sequences(5, CHESS.state(board=KIWIPETE)) == 193_690_690


def check_move_by_move(game: tengen.Game, board: chess.Board, seed: int) -> str:
    """Plays a random game on both boards; the reason of its end."""
    rng, state = random.Random(seed), game.state(board=board.fen())
    while True:
        assert state.position_text == board.fen()
        moves = {move.uci(): move for move in board.legal_moves}
        ended = reason(board)
        assert (None if state.outcome is None else state.outcome.reason) == ended
        if state.outcome is not None:
            winner = not board.turn if ended == "checkmate" else None
            assert state.outcome.winner == (None if winner is None else int(not winner))
            return ended
        legal = {state.action_text(action): action for action in state.legal_actions}
        assert legal.keys() == moves.keys()
        text = rng.choice(sorted(moves))
        assert state.notation(legal[text]) == board.san(moves[text])
        state = state.play(legal[text])
        board.push(moves[text])


def reason(board: chess.Board) -> str | None:
    """Why the game is over by our rules, in which nobody needs to claim a draw."""
    if board.is_checkmate():
        return "checkmate"
    if board.is_stalemate():
        return "stalemate"
    if board.is_insufficient_material():
        return "material"
    if board.is_repetition(3):
        return "repetition"
    if board.halfmove_clock >= 100:
        return "fifty moves"
    return None


def random_starts(count: int) -> Iterator[tuple[tengen.Game, chess.Board]]:
    """The start of chess, positions of Chess960, and endings with few pieces."""
    free = tengen.load("chess", max_moves=17697)
    free_960 = tengen.load("chess", chess960=518, max_moves=17697)
    for seed in range(count):
        rng = random.Random(seed)
        if seed % 3 == 0:
            yield free, chess.Board()
        elif seed % 3 == 1:
            yield free_960, chess.Board.from_chess960_pos(rng.randrange(960))
        else:
            yield free, few_pieces(rng)


def few_pieces(rng: random.Random) -> chess.Board:
    while True:
        board = chess.Board(None)
        letters = "Kk" + "".join(rng.choice("PPNBRQppnbrq") for _ in range(rng.randrange(1, 5)))
        for letter, square in zip(letters, rng.sample(range(64), len(letters)), strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        board.turn = rng.random() < 0.5
        if board.is_valid():
            return board


def many_promoted(rng: random.Random) -> chess.Board:
    """Nine queens, ten knights and the like, sometimes with rooks that may castle, in chess and Chess960."""
    armies = ("Q" * 9, "N" * 10, "R" * 8, "B" * 8, "NNNBBBRRQQQPP", "PPPPPPPPNB", "QQQPPPP")
    while True:
        board = chess.Board(None, chess960=rng.random() < 0.3)
        if rng.random() < 0.4:
            king = rng.randrange(1, 7) if board.chess960 else 4
            rooks = (rng.randrange(king), rng.randrange(king + 1, 8)) if board.chess960 else (0, 7)
            for row, king_letter, rook_letter in ((0, "K", "R"), (7, "k", "r")):
                board.set_piece_at(chess.square(king, row), chess.Piece.from_symbol(king_letter))
                for column in rooks:
                    board.set_piece_at(chess.square(column, row), chess.Piece.from_symbol(rook_letter))
            board.castling_rights = board.rooks
        else:
            for letter, square in zip("Kk", rng.sample(range(64), 2), strict=True):
                board.set_piece_at(square, chess.Piece.from_symbol(letter))
        for to_case in (str.upper, str.lower):
            army = rng.choice(armies)
            for letter in army[: rng.randrange(1, len(army) + 1)]:
                rows = range(8, 56) if letter == "P" else range(64)
                square = rng.choice([square for square in rows if board.piece_at(square) is None])
                board.set_piece_at(square, chess.Piece.from_symbol(to_case(letter)))
        board.turn = rng.random() < 0.5
        if board.is_valid():
            return board


def test_every_move_of_many_pieces_is_written_as_by_python_chess() -> None:
    """Disambiguation by column, row and both, marks of check and mate, promotions: they need many pieces of a kind."""
    games = {False: tengen.load("chess", max_moves=17697), True: tengen.load("chess", chess960=518, max_moves=17697)}
    full = 0  # moves that name column and row
    for seed in range(40):
        rng = random.Random(seed)
        board = many_promoted(rng)
        state = games[board.chess960].state(board=board.fen())
        for _ in range(10):
            assert (None if state.outcome is None else state.outcome.reason) == reason(board)
            if state.outcome is not None:
                break
            legal = {state.action_text(action): action for action in state.legal_actions}
            written = {move.uci(): board.san(move) for move in board.legal_moves}
            assert {text: state.notation(action) for text, action in legal.items()} == written
            assert {text: state.parse_action(san) for text, san in written.items()} == legal
            full += sum(re.match(r"[QRBN][a-h][1-8]x?[a-h][1-8]", san) is not None for san in written.values())
            text = rng.choice(sorted(written))
            state = state.play(text)
            board.push_uci(text)
            assert state.position_text == board.fen()
    assert full > 20


@pytest.mark.parametrize("part", range(3))
def test_random_games_are_those_of_python_chess(part: int) -> None:
    reasons = {
        check_move_by_move(game, board, seed)
        for seed, (game, board) in enumerate(random_starts(240))
        if seed % 3 == part
    }
    assert reasons >= {"fifty moves", "material"}


@pytest.mark.verify
def test_thousands_of_random_games_are_those_of_python_chess() -> None:
    reasons = {check_move_by_move(game, board, seed) for seed, (game, board) in enumerate(random_starts(5000))}
    assert reasons == {"checkmate", "stalemate", "repetition", "fifty moves", "material"}


def test_all_start_positions_of_chess960() -> None:
    for number in range(960):
        fen = tengen.load("chess", chess960=number).initial_state().position_text
        assert fen == chess.Board.from_chess960_pos(number).fen()
    assert CHESS.initial_state().position_text == chess.STARTING_FEN


# --- Rules, one by one ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fen", "moves", "winner", "reason"),
    [
        (chess.STARTING_FEN, "f2f3 e7e5 g2g4 d8h4", 1, "checkmate"),
        (
            chess.STARTING_FEN,
            "e3 a5 Qh5 Ra6 Qxa5 h5 h4 Rah6 Qxc7 f6 Qxd7+ Kf7 Qxb7 Qd3 Qxb8 Qh7 Qxc8 Kg6 Qe6",
            None,
            "stalemate",
        ),
        (chess.STARTING_FEN, "Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8", None, "repetition"),
        ("4k3/8/8/8/8/8/r7/R3K3 w - - 99 80", "Rd1", None, "fifty moves"),
        ("4k3/8/8/8/8/8/r7/R3K3 w - - 99 80", "Rxa2", None, None),  # a capture starts the count anew
        ("6k1/5ppp/8/8/8/8/8/R5K1 w - - 99 80", "Ra8", 0, "checkmate"),  # mate comes before the fifty moves
        ("4k3/8/8/8/8/8/4q3/4K3 w - - 0 1", "Kxe2", None, "material"),
        ("4k3/8/8/8/8/8/4r3/4K2N w - - 0 1", "Kxe2", None, "material"),
        ("4kb2/8/8/8/8/8/4r3/2B1K3 w - - 0 1", "Kxe2", None, "material"),  # bishops on cells of one colour
        ("2b1k3/8/8/8/8/8/4r3/2B1K3 w - - 0 1", "Kxe2", None, None),  # on both: a mate is possible
        ("4k1n1/8/8/8/8/8/4r3/4K2N w - - 0 1", "Kxe2", None, None),
    ],
)
def test_the_end_and_its_reason(fen: str, moves: str, winner: int | None, reason: str | None) -> None:
    state = CHESS.state(moves, board=fen)
    assert (None if state.outcome is None else state.outcome.reason) == reason
    if state.outcome is not None:
        assert state.outcome.winner == winner
        assert state.outcome.sentence
        assert state.legal_actions == ()


UNCLAIMED = {
    chess.Termination.CHECKMATE: "checkmate",
    chess.Termination.STALEMATE: "stalemate",
    chess.Termination.INSUFFICIENT_MATERIAL: "material",
    chess.Termination.FIVEFOLD_REPETITION: "repetition",
    chess.Termination.SEVENTYFIVE_MOVES: "fifty moves",
}


def test_late_draws_end_as_if_nobody_claimed() -> None:
    back_and_forth = "Nf3 Nf6 Ng1 Ng8 "
    assert LATE.state(back_and_forth * 3).outcome is None
    ended = LATE.state(back_and_forth * 4).outcome
    assert ended is not None
    assert (ended.reason, ended.sentence) == (
        "repetition",
        "the same position for the fifth time",
    )
    rook = "4k3/8/8/8/8/8/8/4K2R w - - {} 80"
    assert LATE.state("Rh2", board=rook.format(148)).outcome is None
    assert LATE.state("Rh2", board=rook.format(149)).outcome.reason == "fifty moves"


def test_games_that_nobody_claims_end_as_in_python_chess() -> None:
    """Players who go back where they came from, from positions with rights to castle, en passant and few pieces."""
    starts = (
        "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
        "4k3/8/8/1p6/8/8/P7/RN2K3 w Q - 0 1",
        "4k3/8/8/8/8/8/8/R3K3 w - - 140 90",
        "4k2b/8/8/8/8/8/6n1/4K2B w - - 0 1",
        chess.STARTING_FEN,
    )
    ends = set()
    for seed in range(40):
        rng, board = random.Random(seed), chess.Board(starts[seed % len(starts)])
        state = tengen.load("chess", late_draws=True, max_moves=0).state(board=board.fen())
        while state.outcome is None and len(board.move_stack) < 300:
            assert board.outcome() is None
            moves = list(board.legal_moves)
            if len(board.move_stack) > 1 and rng.random() < 0.8:
                last = board.move_stack[-2]
                moves = [
                    move for move in moves if (move.from_square, move.to_square) == (last.to_square, last.from_square)
                ] or moves
            move = rng.choice(moves)
            state = state.play(move.uci())
            board.push(move)
        theirs = board.outcome()
        assert (theirs is None) == (state.outcome is None)
        if theirs is not None and state.outcome is not None:
            assert state.outcome.reason == UNCLAIMED[theirs.termination]
            assert state.outcome.winner == (None if theirs.winner is None else int(not theirs.winner))
            ends.add(state.outcome.reason)
    assert ends >= {"repetition", "fifty moves"}


def test_a_game_ends_at_its_longest_length() -> None:
    game = tengen.load("chess", max_moves=3)
    outcome = game.state("e4 e5 Nf3").outcome
    assert outcome is not None
    assert (outcome.winner, outcome.reason) == (None, "length")
    mate = tengen.load("chess", max_moves=4).state("f3 e5 g4 Qh4").outcome
    assert mate is not None
    assert mate.reason == "checkmate"


def test_repetition_tells_rights_apart() -> None:
    """The first time white may still castle; in the next three positions it may not."""
    start = "4k3/8/8/8/8/8/8/4K2R w K - 0 1"
    moves = "Rg1 Kd8 Rh1 Ke8 Rg1 Kd8 Rh1 Ke8"
    assert CHESS.state(moves, board=start).outcome is None
    assert CHESS.state(moves + " Rg1", board=start).outcome.reason == "repetition"


def test_castling() -> None:
    board = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
    state = CHESS.state(board=board)
    assert state.is_legal("e1g1")
    assert state.is_legal("O-O-O")
    assert state.is_legal("0-0")
    assert state.play("O-O").position_text == "r3k2r/8/8/8/8/8/8/R4RK1 b kq - 1 1"
    black = CHESS.state("O-O-O", board=board.replace(" w ", " b "))
    assert black.position_text == "2kr3r/8/8/8/8/8/8/R3K2R w KQ - 1 2"
    for fen, side in [
        ("4k3/8/8/8/8/8/8/RN2K3 w Q - 0 1", "O-O-O"),  # a piece between
        ("4kr2/8/8/8/8/8/8/4K2R w K - 0 1", "O-O"),  # over an attacked cell
        ("4k1r1/8/8/8/8/8/8/4K2R w K - 0 1", "O-O"),  # onto one
        ("4r1k1/8/8/8/8/8/8/4K2R w K - 0 1", "O-O"),  # out of check
        ("4k3/8/8/8/8/8/8/4K2R w - - 0 1", "O-O"),  # without the right
    ]:
        assert not CHESS.state(board=fen).is_legal(side)
    assert CHESS.state(board="1r2k3/8/8/8/8/8/8/R3K3 w Q - 0 1").is_legal("O-O-O")  # only the rook passes b1


def test_castling_of_chess960_takes_the_own_rook() -> None:
    state = GAME_960.state(board="4k3/8/8/8/8/8/8/RK6 w A - 0 1")
    assert state.action_text(state.parse_action("O-O-O")) == "b1a1"
    assert state.play("b1a1").position_text == "4k3/8/8/8/8/8/8/2KR4 b - - 1 1"
    # The rook on b1 keeps the queen away from the king; castling would take it away.
    assert not GAME_960.state(board="4k3/8/8/8/8/8/8/qRK5 w B - 0 1").is_legal("O-O-O")
    for fen in ("4k3/8/8/8/8/8/8/R1RK4 w C - 0 1", "r1rk4/8/8/8/8/8/8/4K3 b c - 0 1"):  # not the outermost rook
        assert GAME_960.state(board=fen).position_text == fen


def test_en_passant() -> None:
    state = CHESS.state("e4 a6 e5 d5")
    assert state.position_text.split()[3] == "d6"
    assert state.notation(state.parse_action("e5d6")) == "exd6"
    assert state.play("exd6").position_text == "rnbqkbnr/1pp1pppp/p2P4/8/8/8/PPPP1PPP/RNBQKBNR b KQkq - 0 3"
    assert not CHESS.state("e4 a6 e5 d5 h3 h6").is_legal("e5d6")  # only at once
    pinned = CHESS.state(board="8/8/8/K2pP2r/8/8/8/7k w - d6 0 2")  # both pawns would leave the king's row
    assert not pinned.is_legal("e5d6")
    assert pinned.position_text.split()[3] == "-"  # noted only if it is legal


def test_promotion() -> None:
    state = CHESS.state(board="1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1")
    texts = {state.action_text(action) for action in state.legal_actions}
    assert {text for text in texts if text.startswith("a7")} == {
        f"a7{to}{piece}" for to in ("a8", "b8") for piece in "qrbn"
    }
    assert state.play("axb8=N").position_text == "1N2k3/8/8/8/8/8/8/4K3 b - - 0 1"
    assert state.play("a8=Q") == state.play("a7a8q")
    assert not state.is_legal("a7a8")
    los_alamos = tengen.load("minichess", size=6).state(board="6/P5/3k2/6/6/3K2 w - - 0 1")
    assert {los_alamos.notation(action)[:4] for action in los_alamos.legal_actions} >= {"a6=Q", "a6=R", "a6=N"}
    assert not los_alamos.is_legal("a6=B")


def test_black_sees_the_board_turned_over() -> None:
    state = CHESS.state("e2e4")
    white = CHESS.parse_action("e2e4")
    assert state.action_text(white) == "e7e5"
    assert state.parse_action("e7e5") == white
    assert CHESS.action_cells(state, white) == CHESS.action_cells(state, "e7e5")
    assert (
        state.planes()[:12] == CHESS.state(board=chess.STARTING_FEN.replace(" w", " b")).planes()[:12]
    ).mean() > 0.99


def test_history_is_in_the_planes() -> None:
    game = tengen.load("chess", history=8)
    states = [game.state(moves) for moves in ("", "e4", "e4 e5", "e4 e5 Nf3")]
    planes = [state.planes().reshape(-1, 8, 8) for state in states]
    assert len(game.spec.plane_names) == 8 * 13 + 3
    assert (planes[3][26:38] == planes[1][:12]).all()  # two plies ago, by the same player
    assert (planes[3][13:19] == planes[2][6:12, ::-1]).all()  # one ply ago, seen by the other
    assert not planes[0][13:104].any()


# --- Texts ------------------------------------------------------------------------------------------------------------

BAD_BOARDS = {
    "8/8/8/8/8/8/8/8 w - - 0 1": "Each side has one king; white has 0",
    "k7/8/8/8/8/8/8/K6K w - - 0 1": "Each side has one king; white has 2",
    "k7/8/8/8/8/8/8 w - - 0 1": "8 rows of 8 cells",
    "k8/8/8/8/8/8/8/K7 w - - 0 1": "8 rows of 8 cells",
    "k6/9/8/8/8/8/8/K7 w - - 0 1": "8 rows of 8 cells",
    "kx6/8/8/8/8/8/8/K7 w - - 0 1": "there is something else",
    "k7/8/8/8/8/8/8/K7 x - - 0 1": "is w or b",
    "k7/8/8/8/8/8/8/K7 w X - 0 1": "Castling is written with KQkq",
    "k7/8/8/8/8/8/8/K7 w - e4 0 1": "The cell of en passant",
    "k7/8/8/8/8/8/8/K7 w - - x 1": "The fifth field of a FEN is a whole number",
    "k7/8/8/8/8/8/8/K7 w - - 0 99999999999": "The sixth field of a FEN is a whole number",
    "k7/8/8/8/8/8/8/K7 w - - 0 1 more": "up to six fields",
    "kR6/8/8/8/8/8/8/K7 w - - 0 1": "could take the king of black",
    "k6P/8/8/8/8/8/8/K7 w - - 0 1": "no pawns on the first and the last row",
    "kqqqqqqq/qqq5/8/8/8/8/8/K7 b - - 0 1": "black has more than that",
    "X . .\n. . .\n. . .": "this board has 8 columns",
}


@pytest.mark.parametrize(("board", "sentence"), BAD_BOARDS.items())
def test_boards_that_can_not_be_are_refused(board: str, sentence: str) -> None:
    with pytest.raises(tengen.BoardTextError) as caught:
        CHESS.state(board=board)
    assert sentence in str(caught.value)


def test_a_fen_may_be_short() -> None:
    assert CHESS.state(board="4k3/8/8/8/8/8/8/4K2R").position_text == "4k3/8/8/8/8/8/8/4K2R w - - 0 1"


@st.composite
def positions(draw: st.DrawFn) -> chess.Board:
    board = chess.Board.from_chess960_pos(draw(st.integers(0, 959))) if draw(st.booleans()) else chess.Board()
    for fraction in draw(st.lists(st.integers(0, 999), max_size=80)):
        moves = list(board.legal_moves)
        if not moves or board.is_repetition(3) or board.is_insufficient_material() or board.halfmove_clock > 99:
            break
        board.push(moves[fraction * len(moves) // 1000])
    return board


@settings(derandomize=True, database=None, deadline=None, max_examples=200)
@given(positions())
def test_positions_come_back_as_they_were(board: chess.Board) -> None:
    game = GAME_960 if board.chess960 else CHESS
    for fen in (board.fen(), board.shredder_fen() if board.chess960 else board.epd()):
        state = game.state(board=fen)
        assert state.position_text.split()[:4] == board.fen().split()[:4]
        again = game.state(board=state.position_text)
        assert again == state == game.state(board=str(state))
        assert str(again) == str(state)


@settings(derandomize=True, database=None, deadline=None, max_examples=500)
@given(st.data())
def test_damaged_texts_are_refused_with_a_name(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from([chess.STARTING_FEN, KIWIPETE, str(CHESS.state("e4 e5"))]))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text)))
        text = (
            text[:at]
            + data.draw(st.text("KQRBNPkqrbnp/12345678 -wbeg", max_size=3) | st.text(max_size=2))
            + text[at + 1 :]
        )
    try:
        state = CHESS.state(board=text)
    except tengen.BoardTextError:
        return
    assert CHESS.state(board=state.position_text) == state
    assert len(state.legal_actions) <= CHESS.spec.most_legal


@settings(derandomize=True, database=None, deadline=None, max_examples=500)
@given(st.text("abcdefgh12345678KQRBNO-x=+#0 qrn", max_size=8) | st.text(max_size=6))
def test_any_text_is_a_move_or_is_refused(text: str) -> None:
    for state in (CHESS.initial_state(), CHESS.state(board=KIWIPETE), CHESS.state("e4")):
        action = state.parse_action(text)
        if action is None or not state.is_legal(action):
            with pytest.raises((tengen.ActionTextError, tengen.IllegalActionError)):
                state.play(text)
        else:
            assert state.play(text).moves[-1] == action


@pytest.mark.parametrize("text", ["Nge2", "Nbd2", "N1d2", "Nb1d2", "Nb1-d2", "Nbd2!?", "Nd2"])
def test_notation_is_read_with_more_or_less(text: str) -> None:
    state = (
        CHESS.state(board="4k3/8/8/8/8/2p5/8/1N2K1N1 w - - 0 1")
        if text != "Nd2"
        else CHESS.state(board="4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1")
    )
    action = state.parse_action(text)
    assert action is None if text == "Nd2" else state.action_text(action) in ("g1e2", "b1d2")
