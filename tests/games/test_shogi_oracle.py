"""Random games replayed move by move against other programs: cshogi for shogi, pyffish (fairy-stockfish) for minishogi.

Legal moves, check, the position's text, and the end with its reason. python tests/games/test_shogi_oracle.py shogi 5000
plays that many and prints what they came to.
"""

import random
import sys
from collections import Counter

import cshogi
import pyffish
import pytest

import tengen


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


if __name__ == "__main__":
    replay = {"shogi": replay_shogi, "minishogi": replay_minishogi}[sys.argv[1]]
    ends = [replay(seed) for seed in range(int(sys.argv[2]))]
    plies = sum(len(state.moves) for state in ends)
    print(len(ends), "games,", plies, "moves,", Counter(str(state.outcome.reason) for state in ends))
