"""Random games replayed move by move against other programs: cshogi for shogi, pyffish (fairy-stockfish) for minishogi.

Legal moves, check, the position's text, and the end with its reason. python tests/games/test_shogi_oracle.py shogi 5000
plays that many and prints what they came to; so do minishogi, and repeating: players who go back or give check.
"""

import random
import sys
from collections import Counter

import cshogi
import numpy as np
import pyffish
import pytest
import shogi as python_shogi

import tengen

WHITE_KING = 22  # of state.cells: 8 is black's, and 14 codes are black's
FEW_PIECES = (
    None,
    "k8/9/9/9/9/9/9/9/K7R b - 1",
    "k8/9/9/9/9/9/9/9/K7R w - 1",
    "4k4/9/4r4/9/9/4R4/9/9/4K4 b GSgs 1",
    "8k/9/9/9/9/9/9/R8/K8 b B 1",
)
LONGEST_REPEATING = 200  # plies; most of these games are over long before


def in_check(state: tengen.State) -> bool:
    return bool(state.planes()[state.game.spec.plane_names.index("in check"), 0, 0])


def replay_shogi(seed: int) -> tengen.State:
    game = tengen.load("shogi")
    rng, state, board = random.Random(seed), game.initial_state(), cshogi.Board()
    seen = Counter([board.sfen().rsplit(" ", 1)[0]])
    while True:
        ours = sorted(map(state.action_text, state.legal_actions))
        theirs = sorted(map(cshogi.move_to_usi, board.legal_moves))
        assert state.position_text == board.sfen()
        assert in_check(state) == board.is_check()
        position = board.sfen().rsplit(" ", 1)[0]
        if state.outcome is None:
            assert ours == theirs
            assert seen[position] < 4
        elif seen[position] == 4:
            assert state.outcome.reason in ("repetition", "perpetual check")
            return state
        elif not theirs:
            assert (state.outcome.reason, state.outcome.winner) == ("checkmate", 1 - state.to_move)
            return state
        else:
            assert (state.outcome.reason, len(state.moves)) == ("length", 512)
            return state
        move = rng.choice(ours)
        state = state.play(move)
        board.push_usi(move)
        seen[board.sfen().rsplit(" ", 1)[0]] += 1


def goes_back_or_checks(rng: random.Random, state: tengen.State, earlier: list[str]) -> str:
    """Takes its last move back or gives check where it can, mostly."""
    legal, mood = [state.action_text(action) for action in state.legal_actions], rng.random()
    if len(earlier) >= 2 and mood < 0.75:
        back = earlier[-2][2:4] + earlier[-2][:2]  # not the text of a move if that was a drop or a promotion
        if back in legal:
            return back
    if mood < 0.9 and len(legal) < 150:
        checks = [move for move in legal if in_check(state.play(move))]
        if checks:
            return rng.choice(checks)
    return rng.choice(legal)


def replay_repeating(seed: int) -> tengen.State:
    """A fourth repetition, as python-shogi counts them, is a draw, or lost for who gave check in all of them.

    cshogi says who would lose by looking back to the last time that the position was there only: so it sees a perpetual
    check where there was none between the first and the second time. The other way round the two agree.
    """
    rng, start = random.Random(seed), FEW_PIECES[seed % len(FEW_PIECES)]
    state = tengen.load("shogi").state(board=start)
    board, counter = (
        (cshogi.Board(start), python_shogi.Board(start)) if start else (cshogi.Board(), python_shogi.Board())
    )
    moves, positions, checks = list[str](), [board.sfen().rsplit(" ", 1)[0]], [board.is_check()]
    while state.outcome is None and len(moves) < LONGEST_REPEATING:
        move = goes_back_or_checks(rng, state, moves)
        moves.append(move)
        state = state.play(move)
        board.push_usi(move)
        counter.push_usi(move)
        positions.append(board.sfen().rsplit(" ", 1)[0])
        checks.append(board.is_check())
        repeated = state.outcome is not None and state.outcome.reason in ("repetition", "perpetual check")
        assert repeated == counter.is_fourfold_repetition()
        if repeated:
            assert state.outcome is not None
            first = positions.index(positions[-1])
            mover_checks, other_checks = all(checks[first + 2 :: 2]), all(checks[first + 1 :: 2])
            # The player to move has been in check all the time, or has given check all the time, or neither.
            value = 1.0 if mover_checks and checks[-1] else -1.0 if other_checks else 0.0
            assert state.outcome.value_for(state.to_move) == value
            assert (state.outcome.reason == "perpetual check") == (value != 0.0)
            if value != 0.0:
                assert board.is_draw() == (cshogi.REPETITION_WIN if value > 0 else cshogi.REPETITION_LOSE)
    return state


def entered_kings(rng: random.Random) -> str:
    """A position whose player to move has the king in the camp of the other, and about enough around it to declare."""
    black = rng.random() < 0.5
    own, other = (str.upper, str.lower) if black else (str.lower, str.upper)
    rows = list(range(9)) if black else list(range(8, -1, -1))
    cells = {(row, column): "1" for row in range(9) for column in range(9)}

    def put(row: int, piece: str) -> None:
        cells[rng.choice([cell for cell in cells if cell[0] == rows[row] and cells[cell] == "1"])] = piece

    put(rng.choice((0, 1, 2, 2, 3)), own("K"))
    put(8, other("K"))
    pool = list("RRBBGGGGSSSSNNNNLLLL" + "P" * 18)
    rng.shuffle(pool)
    in_camp, hands = rng.randrange(8, 12), Counter[str]()
    for piece in pool:
        mine = rng.random() < 0.65
        if mine and in_camp and piece in "RBGS":
            put(rng.choice((0, 1, 2)), own(piece))
            in_camp -= 1
        elif mine and in_camp and piece != "P":
            put(rng.choice((0, 1, 2)), "+" + own(piece))
            in_camp -= 1
        else:
            hands[own(piece) if mine else other(piece)] += 1
    board = "/".join("".join(cells[row, column] for column in range(9)) for row in range(9))
    held = "".join(
        f"{hands[piece]}{piece}" if hands[piece] > 1 else piece for piece in "RBGSNLPrbgsnlp" if hands[piece]
    )
    return f"{board} {'b' if black else 'w'} {held or '-'} 1"


def test_an_entered_king_is_declared_where_cshogi_allows_it() -> None:
    game, rng, seen = tengen.load("shogi", declaration=True), random.Random(2), Counter[bool]()
    for _ in range(400):
        sfen = entered_kings(rng)
        try:
            state = game.state(board=sfen)
        except tengen.BoardTextError:  # the other king could be taken
            continue
        if state.outcome is None:
            allowed = cshogi.Board(state.position_text).is_nyugyoku()
            assert ("win" in map(state.action_text, state.legal_actions)) == allowed
            seen[allowed] += 1
    assert min(seen[True], seen[False]) > 20


def crowded_king(rng: random.Random) -> str:
    """A white king at the edge among pieces of both sides, promoted or not, and all the others in the hands."""
    cells = {(row, column): "1" for row in range(9) for column in range(9)}
    king = (rng.choice((0, 0, 0, 1, 2)), rng.choice((0, 0, 8, rng.randrange(9))))
    cells[king], cells[rng.randrange(6, 9), rng.randrange(9)] = "k", "K"
    pool = list("RRBBGGGGSSSSNNNNLLLL" + "P" * 18)
    rng.shuffle(pool)
    near, hands = rng.randrange(4, 22), Counter[str]()
    for number, piece in enumerate(pool):
        cell = (min(8, max(0, king[0] + rng.randrange(-1, 4))), min(8, max(0, king[1] + rng.randrange(-3, 4))))
        is_promoted = piece != "G" and rng.random() < 0.3
        if number < near and cells[cell] == "1":
            cells[cell] = ("+" if is_promoted else "") + (piece if rng.random() < 0.5 else piece.lower())
        else:
            hands[piece if rng.random() < 0.7 else piece.lower()] += 1
    board = "/".join("".join(cells[row, column] for column in range(9)) for row in range(9))
    held = "".join(
        f"{hands[piece]}{piece}" if hands[piece] > 1 else piece for piece in "RBGSNLPrbgsnlp" if hands[piece]
    )
    return f"{board} {rng.choice('bbbw')} {held or '-'} 1"


def test_a_crowded_king_with_full_hands_as_cshogi_has_it() -> None:
    """Pins, drops between, forced promotion, and pawns that would mate: some are allowed, because they can be taken."""
    game, rng, before_king = tengen.load("shogi"), random.Random(5), Counter[bool]()
    for _ in range(3000):
        try:
            state = game.state(board=crowded_king(rng))
        except tengen.BoardTextError:  # two pawns in a column, a piece that could never move, a king to be taken
            continue
        board = cshogi.Board(state.position_text)
        legal = {state.action_text(action) for action in state.legal_actions}
        assert legal == {cshogi.move_to_usi(move) for move in board.legal_moves}
        drops = {move[2:] for move in legal if move.startswith("L*")}  # a lance may go where no other pawn bars a pawn
        columns = {move[2] for move in legal if move.startswith("P*")}
        row, column = divmod(int(np.flatnonzero(np.asarray(state.cells).ravel() == WHITE_KING)[0]), 9)
        ahead = f"{9 - column}{'abcdefghi'[row + 1]}"
        if state.to_move == 0 and ahead in drops and ahead[0] in columns:
            before_king[f"P*{ahead}" in legal] += 1
    assert before_king[True] > 20
    assert before_king[False] > 0  # it would be mate at once


def fairy_square(square: str) -> str:
    """5e of USI, files from the right and ranks from the top, is a1 of fairy-stockfish on 5x5."""
    return "edcba"[int(square[0]) - 1] + str(5 - "abcde".index(square[1]))


def fairy_move(usi: str) -> str:
    if usi[1] == "*":
        return f"{usi[0]}@{fairy_square(usi[2:])}"
    return fairy_square(usi[:2]) + fairy_square(usi[2:4]) + usi[4:]


def repeats_more(rng: random.Random, state: tengen.State) -> int:
    """Mostly the first few legal actions, so that positions return."""
    legal = state.legal_actions
    return legal[int(len(legal) * rng.random() ** 4)]


def fairy_fen(state: tengen.State) -> str:
    board, turn, hands, _ = state.position_text.split()
    return f"{board}[{hands}] {'w' if turn == 'b' else 'b'} 0 1"


def replay_minishogi(seed: int) -> tengen.State:
    """The past is given to pyffish only at the end, for repetitions: it is slow to read."""
    rng, state, moves = random.Random(seed), tengen.load("minishogi").initial_state(), []
    while state.outcome is None:
        fen = fairy_fen(state)
        theirs = set(pyffish.legal_moves("minishogi", fen, []))
        ours = {fairy_move(state.action_text(action)) for action in state.legal_actions}
        assert ours <= theirs
        assert all(mates_by_pawn_drop(fen, move) for move in theirs - ours)
        if len(moves) % 5 == 0:
            assert in_check(state) == pyffish.gives_check("minishogi", fen, [])
        action = repeats_more(rng, state) if seed % 2 else rng.choice(state.legal_actions)
        moves.append(fairy_move(state.action_text(action)))
        state = state.play(action)
    start = pyffish.start_fen("minishogi")
    assert pyffish.get_fen("minishogi", start, moves).split(" ")[0] == fairy_fen(state).split(" ")[0].replace(
        "[-]", "[]"
    )
    assert not pyffish.is_optional_game_end("minishogi", start, moves[:-1])[0]
    repeated, value = pyffish.is_optional_game_end("minishogi", start, moves)
    if repeated:
        assert state.outcome.reason in ("repetition", "perpetual check")
        assert state.outcome.value_for(state.to_move) == (value > 0) - (value < 0)
    elif not pyffish.legal_moves("minishogi", start, moves):
        assert (state.outcome.reason, state.outcome.winner) == ("checkmate", 1 - state.to_move)
    else:
        assert (state.outcome.reason, len(moves)) == ("length", 256)
    return state


def mates_by_pawn_drop(fen: str, move: str) -> bool:
    """fairy-stockfish lists such a move and gives the game to the opponent after it."""
    return (
        move.startswith("P@")
        and pyffish.gives_check("minishogi", fen, [move])
        and not pyffish.legal_moves("minishogi", fen, [move])
    )


@pytest.mark.parametrize("part", range(4))
def test_shogi_as_cshogi_plays_it(part: int) -> None:
    reasons = Counter(replay_shogi(seed).outcome.reason for seed in range(part * 50, part * 50 + 50))
    assert reasons["checkmate"] > 0


def test_minishogi_as_fairy_stockfish_plays_it() -> None:
    reasons = Counter(replay_minishogi(seed).outcome.reason for seed in range(10))
    assert reasons["checkmate"] > 0
    assert reasons["repetition"] > 0


def test_repetitions_as_other_programs_count_them() -> None:
    ends = [replay_repeating(seed).outcome for seed in range(60)]
    reasons = Counter(end.reason for end in ends if end is not None)
    assert reasons["repetition"] > 20
    assert reasons["perpetual check"] > 0


if __name__ == "__main__":
    replays = {"shogi": replay_shogi, "minishogi": replay_minishogi, "repeating": replay_repeating}
    replay = replays[sys.argv[1]]
    ends = [replay(seed) for seed in range(int(sys.argv[2]))]
    plies = sum(len(state.moves) for state in ends)
    print(len(ends), "games,", plies, "moves,", Counter(str(state.outcome and state.outcome.reason) for state in ends))
