"""PGN in and out: what other programs write, what they read, and what is refused, with a reason."""

import io
import random

import chess
import chess.pgn
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tengen
from tengen.games.files import parse_file
from tengen.games.pgn import PgnError, PgnGame, PgnMove, iterate_pgn, parse_pgn, write_pgn

LESSON = """\
[Event "A \\"lesson\\""]
[White "One, A."]
[Black "Two"]
[Result "1-0"]

; of an afternoon
{Before all} 1. e4 $1 e5! {the usual} (1... c5 2. Nf3 (2. c3 d5) 2... d6 {open}) (1... e6)
2. Nf3 {a {nested brace} Nc6 3. Bb5 a6?! 4. Ba4
% an escaped line
Nf6 5. O-O 1-0

[Event "Second"]

1. d4 *
"""


def test_a_game_with_all_that_there_is() -> None:
    first, second = iterate_pgn(LESSON)
    assert first.tags["Event"] == 'A "lesson"'
    assert (first.players, first.result) == (("One, A.", "Two"), "1-0")
    assert first.state.moves_text == "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1g1"
    assert first.line[0].before == "of an afternoon Before all"
    assert first.line[0].nags == (1,)
    assert (first.line[1].nags, first.line[1].comment) == ((1,), "the usual")
    sicilian, french = first.line[1].variations
    assert len(sicilian) == 3
    assert len(sicilian[1].variations[0]) == 2
    assert sicilian[2].comment == "open"
    assert len(french) == 1
    assert first.line[2].comment == "a {nested brace"
    assert first.line[5].nags == (6,)
    assert (second.tags["Event"], second.result, len(second.line)) == ("Second", "*", 1)
    for read in (first, second):
        again = parse_pgn(write_pgn(read))
        assert (again.line, again.comment, again.result) == (read.line, read.comment, read.result)
        assert again.tags.items() >= read.tags.items()


def random_line(rng: random.Random, state: tengen.State, longest: int, depth: int = 0) -> tuple[PgnMove, ...]:
    moves: list[PgnMove] = []
    for _ in range(rng.randrange(1, longest + 1)):
        if state.outcome is not None:
            break
        variations: list[tuple[PgnMove, ...]] = []
        action = rng.choice(state.legal_actions)
        if depth < 3 and (moves or not depth) and rng.random() < 0.15:
            variations = [random_line(rng, state, 4, depth + 1) for _ in range(rng.randrange(1, 3))]
        others = {
            line[0].action: line for line in variations if line[0].action != action
        }  # python-chess joins the same
        moves.append(
            PgnMove(
                action,
                comment=rng.choice(["", "", "good", "a (b) [c] $3 1-0 ; d"]),
                before=rng.choice(["", "first"]) if not moves else "",
                nags=rng.choice([(), (), (1,), (2, 14)]),
                variations=tuple(others.values()),
            )
        )
        state = state.play(moves[-1].action)
    return tuple(moves)


@pytest.mark.parametrize(
    ("name", "options", "board"),
    [
        ("chess", {"late_draws": True, "max_moves": 0}, None),
        ("chess", {"late_draws": True, "max_moves": 0}, "4k2r/6P1/8/8/8/8/6p1/4K2R b Kk - 3 30"),
        (
            "chess",
            {"late_draws": True, "max_moves": 0, "chess960": 518},
            "bqnb1rkr/pppppppp/8/8/8/8/PPPPPPPP/BQNB1RKR w KQkq - 2 9",
        ),
        ("minichess", {"max_moves": 0}, None),
        ("minichess", {"max_moves": 0, "size": 6}, None),
    ],
)
def test_games_come_back_as_they_were_and_python_chess_reads_them(name: str, options: dict, board: str | None) -> None:
    game = tengen.load(name, **options)
    for seed in range(8):
        rng, start = random.Random(seed), game.state(board=board)
        played = PgnGame(start, random_line(rng, start, 40), {"Round": "3"}, result="1/2-1/2")
        text = write_pgn(played)
        assert max(map(len, text.splitlines())) < 100
        read = parse_pgn(text)
        assert (read.start, read.line, read.result) == (start, played.line, "1/2-1/2")
        assert write_pgn(read) == text
        if name == "chess":
            theirs = chess.pgn.read_game(io.StringIO(text))
            assert theirs is not None
            assert not theirs.errors
            assert [node.uci() for node in theirs.mainline_moves()] == read.state.moves_text.split()
            assert count_variations(played.line) == sum(
                len(node.variations) - 1 for node in nodes_of(theirs) if node.variations
            )
            exported = theirs.accept(chess.pgn.StringExporter(columns=None))
            assert parse_pgn(exported).line == read.line


def count_variations(line: tuple[PgnMove, ...]) -> int:
    return sum(1 + count_variations(variation) for move in line for variation in move.variations)


def nodes_of(node: chess.pgn.GameNode) -> list[chess.pgn.GameNode]:
    return [node, *(below for child in node.variations for below in nodes_of(child))]


def test_a_final_position_is_written() -> None:
    game = tengen.load("chess")
    text = write_pgn(game.state("f3 e5 g4 Qh4"), players=("A", "B"), date="2026-11-17", comments={4: "mate"})
    assert text.endswith("1. f3 e5 2. g4 Qh4# {mate} 0-1\n")
    assert '[White "A"]' in text
    assert '[Date "2026.11.17"]' in text
    start = "4k3/8/8/8/8/8/8/4K2R b - - 3 30"
    text = write_pgn(game.state("Kd7", board=start))
    assert f'[FEN "{start}"]' in text
    assert "30... Kd7 *" in text
    with pytest.raises(PgnError, match="not for othello"):
        write_pgn(tengen.load("othello").initial_state())


def test_people_play_on_after_a_third_repetition() -> None:
    text = "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 5. e4 *"
    assert len(parse_pgn(text).line) == 9
    with pytest.raises(PgnError, match=r"The game is over before this move \(the same position for the third time\)"):
        parse_pgn(text, like=tengen.load("chess"))


@pytest.mark.parametrize(
    ("text", "kept", "left_out"),
    [
        (
            '[FEN "4k3/8/8/8/8/8/4q3/4K3 w - - 0 1"] 1. Kxe2 Kd7 {still} 2. Kd3 $1 (2. Ke3 (2. Kf3) Kd6) Kd6 1/2-1/2',
            1,
            3,
        ),
        (" Nf3 Nf6 Ng1 Ng8" * 4 + " e4 {no draw} e5 1-0", 16, 2),
        ('[FEN "4k3/8/8/8/8/8/8/4K2R w - - 149 90"] 1. Rh2 Kd7 0-1', 1, 1),
        ("1. e4 e5 (" + "Nf6 Nf3 Ng8 Ng1 " * 5 + ") 2. Nf3 *", 3, 0),  # of a variation nothing is counted
    ],
)
def test_moves_after_a_draw_that_nobody_noticed_are_left_out(text: str, kept: int, left_out: int) -> None:
    """Real games have them: kings that go on alone, a fifth repetition in a blitz game. python-chess reads on."""
    read = parse_pgn(text)
    assert (len(read.line), read.left_out) == (kept, left_out)
    assert read.result == text.rsplit(maxsplit=1)[-1]
    assert all("still" not in move.comment and "no draw" not in move.comment for move in read.line)
    assert parse_pgn(write_pgn(read)).line == read.line
    tagged = text if text.startswith("[") else f'[Event "x"] {text}'
    for like in (None, tengen.load("chess", history=4)):
        assert parse_file(tagged.encode(), like).moves == read.state.moves
    assert [game.left_out for game in iterate_pgn(f"{text}\n\n{text}")] == [left_out] * 2
    theirs = chess.pgn.read_game(io.StringIO(text.replace("] ", "]\n\n")))
    assert theirs is not None
    assert len(list(theirs.mainline_moves())) == kept + left_out


BAD = {
    "": "no game",
    "1. e5": "'e5' is not a legal move in the position rnbqkbnr",
    "1. e4 e5 2. -- *": "'--' is not a legal move",
    "1. e4 (1. d4": "not closed",
    '1. e4 (1. d4 [Event "x"]': "not closed",
    "1. e4 ) *": "did not begin",
    "(1. e4) *": "no move that this variation is of",
    "1. e4 $999 *": "A NAG is a number",
    "$1 e4": "A NAG is a number",
    "<html>": "not PGN",
    "1. e4 & e5": "not PGN",
    '[FEN "8/8/8/8/8/8/8/8 w - - 0 1"] *': "The tag FEN of this PGN is no position",
    '[Variant "Atomic"] 1. e4 *': "a variant that tengen can't play",
    "1. f3 e5 2. g4 Qh4# 3. a3 *": "The game is over before this move (checkmate)",
    '[FEN "7k/8/6Q1/8/8/8/8/K7 b - - 0 1"] 1... Kg8 *': "The game is over before this move (stalemate",
    '[FEN "7k/8/8/8/8/8/8/K7 b - - 0 1"] 1... Kg8 & *': "This is not PGN",
    "1. e4 " + "(1. d4 " * 200: "no move that this variation is of",
    "1. e4 {" + "x" * (1 << 22) + "}": "too large",
}


@pytest.mark.parametrize(("text", "sentence"), BAD.items(), ids=[sentence[:20] for sentence in BAD.values()])
def test_bad_pgn_is_refused_with_a_reason(text: str, sentence: str) -> None:
    with pytest.raises(PgnError) as caught:
        list(iterate_pgn(text)) or parse_pgn(text)
    assert sentence in str(caught.value)


@settings(derandomize=True, database=None, deadline=None, max_examples=300)
@given(st.data())
def test_damaged_pgn_is_read_or_refused(data: st.DataObject) -> None:
    text = LESSON
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(text)))
        text = (
            text[:at] + data.draw(st.text('()[]{}$";%123.e4NQ*\n\\', max_size=4) | st.text(max_size=2)) + text[at + 1 :]
        )
    try:
        games = list(iterate_pgn(text.encode(errors="ignore")))
    except PgnError:
        return
    for read in games:
        assert parse_pgn(write_pgn(read)).line == read.line
