"""Moves of shogi as people write them, and games with their variations in KIF."""

import random

import pytest

import tengen
from tengen.games.notation import line_notations, notation
from tengen.games.shogi import ShogiFileError
from tengen.games.trees import GameTree, TreeMove, read_tree, write_tree

VARIATIONS = """手合割：平手
手数----指手---------消費時間--
*the start
   1 ７六歩(77)   ( 0:01/00:00:01)+
   2 ３四歩(33)
*two lines
*about this move
   3 ２二角成(88)
   4 同　銀(31)+
   5 投了
まで4手で後手の勝ち

変化：4手
   4 同　飛(82)
*of a variation
   5 ４五角打

変化：1手
   1 ２六歩(27)
   2 ８四歩(83)

変化：2手
   2 ３四歩(33)
"""


@pytest.mark.parametrize(
    ("board", "usi", "written"),
    [
        ("", "7g7f", "P-7f"),
        ("", "6i5h", "G6i-5h"),  # so could the one at 4i
        ("", "6i7h", "G-7h"),
        ("4k4/9/9/9/9/9/9/1B7/4K4 b P 1", "8h2b+", "B-2b+"),
        ("4k4/9/9/9/9/9/9/1B7/4K4 b P 1", "8h2b", "B-2b="),
        ("4k4/7r1/9/9/9/9/9/1B7/4K4 b P 1", "8h2b+", "Bx2b+"),
        ("4k4/9/9/9/9/9/9/1+B7/4K4 b P 1", "8h2b", "+B-2b"),
        ("4k4/9/9/9/9/9/9/1B7/4K4 b P 1", "P*5e", "P*5e"),
        ("4k4/9/9/9/9/9/9/+P1+P6/4K4 b - 1", "9h8g", "+P9h-8g"),
        ("4k4/9/9/9/9/9/9/+P1P6/4K4 b - 1", "9h8h", "+P-8h"),
    ],
)
def test_a_move_as_books_have_it(board: str, usi: str, written: str) -> None:
    state = tengen.load("shogi").state(board=board or None)
    assert notation(state, state.parse_action(usi)) == written


@pytest.mark.parametrize("name", ["shogi", "minishogi"])
def test_two_moves_of_a_position_are_never_written_the_same(name: str) -> None:
    rng, state = random.Random(3), tengen.load(name).initial_state()
    while state.outcome is None and len(state.moves) < 120:
        written = [notation(state, action) for action in state.legal_actions]
        assert len(set(written)) == len(written)
        state = state.play(rng.choice(state.legal_actions))


def test_other_games_have_their_own() -> None:
    chess = tengen.load("chess").state("e2e4 e7e5 g1f3")
    assert line_notations(tengen.load("chess").initial_state(), chess.moves) == ["e4", "e5", "Nf3"]


def test_variations_and_comments_of_a_kif() -> None:
    read = read_tree(VARIATIONS)
    assert [(move.parent, move.text, move.comment) for move in read.moves] == [
        (-1, "", "the start"),
        (0, "7g7f", ""),
        (1, "3c3d", "two lines\nabout this move"),
        (2, "8h2b+", ""),
        (3, "3a2b", ""),
        (3, "8b2b", "of a variation"),
        (5, "B*4e", ""),
        (0, "2g2f", ""),
        (7, "8c8d", ""),
        (7, "3c3d", ""),
    ]
    assert [move.notation for move in read.moves[3:6]] == ["Bx2b+", "Sx2b", "Rx2b"]


@pytest.mark.parametrize("name", ["shogi", "minishogi"])
@pytest.mark.parametrize("seed", range(5))
def test_a_tree_is_the_same_after_kif(name: str, seed: int) -> None:
    rng, start = random.Random(seed), tengen.load(name).initial_state()
    moves, states = [TreeMove(-1, "", "the start")], [start]
    while len(moves) < 60:
        parent = rng.choice([len(moves) - 1] * 5 + list(range(len(moves))))
        state = states[parent]
        text = state.action_text(rng.choice(state.legal_actions)) if state.outcome is None else None
        if text and not any((move.parent, move.text) == (parent, text) for move in moves):
            moves.append(TreeMove(parent, text, rng.choice(["", "a\nb", "* and # 変化：9手"])))
            states.append(state.play(text))
    tree = GameTree(start, tuple(moves))

    def lines(of: GameTree, at: int = 0) -> list[object]:
        return [(of.moves[i].text, of.moves[i].comment, lines(of, i)) for i in of.following().get(at, [])]

    read = read_tree(write_tree(tree))
    assert (read.start, read.moves[0].comment) == (start, "the start")
    assert lines(read) == lines(tree)


def test_a_variation_that_leaves_no_line_is_refused() -> None:
    with pytest.raises(ShogiFileError, match="begins at move 9"):
        read_tree(VARIATIONS.replace("変化：1手", "変化：9手"))
    with pytest.raises(ShogiFileError, match="is not legal there"):
        read_tree(VARIATIONS.replace("   1 ２六歩(27)", "   1 ２二歩(27)"))
