"""SGF in and out: what other programs write, what they read, and what is refused, with a reason."""

import random

import pytest
from sgfmill import sgf as sgfmill

import tengen
from tengen.games.sgf import LARGEST_SGF, SgfError, SgfGame, parse_sgf, read_sgf, write_sgf

GAMES = [
    ("go", {"size": 9, "komi": 5.5}),
    ("go", {"size": 19, "komi": -3}),
    ("go", {"size": 5, "komi": 0}),
    ("othello", {}),
    ("othello", {"size": 6}),
    ("gomoku", {"size": 15}),
    ("gomoku", {"size": 9}),
]


def random_state(game: tengen.Game, seed: int, longest: int = 1000) -> tengen.State:
    rng = random.Random(seed)
    state = game.initial_state()
    while state.outcome is None and len(state.moves) < longest:
        state = state.play(rng.choice(state.legal_actions))
    return state


@pytest.mark.parametrize(("name", "options"), GAMES)
def test_games_come_back_as_they_were(name: str, options: dict[str, float]) -> None:
    game = tengen.load(name, **options)
    for seed in range(5):
        state = random_state(game, seed, longest=40 if seed % 2 else 1000)
        text = write_sgf(state, players=("A [1]", "B\\"), date="2026-01-31", comments={0: "begin", 3: "a ] and a \\"})
        assert read_sgf(text) == (game, state)
        assert read_sgf(text.encode()) == (game, state)
        read = parse_sgf(text)
        assert (read.players, read.date) == (("A [1]", "B\\"), "2026-01-31")
        expected = "" if state.outcome is None else "0" if state.outcome.is_draw else f"{'BW'[state.outcome.winner]}+"
        assert read.result == expected
        assert parse_sgf(write_sgf(read)) == read


@pytest.mark.parametrize("name", ["go", "othello", "gomoku"])
def test_points_are_those_of_another_program(name: str) -> None:
    """sgfmill counts rows from the bottom; ours are from the top."""
    game = tengen.load(name)
    size = game.spec.width
    state = random_state(game, 7, longest=30)
    read = sgfmill.Sgf_game.from_string(write_sgf(state, comments={1: "é"}))
    assert read.get_size() == size
    for node, action in zip(read.get_main_sequence()[1:], state.moves, strict=True):
        _, point = node.get_move()
        assert action == (size * size if point is None else (size - 1 - point[0]) * size + point[1])
    assert read.get_main_sequence()[1].get("C") == "é"


def test_corners_of_the_boards() -> None:
    """Othello is counted from the top, Go and Gomoku from the bottom; the files do not care."""
    assert read_sgf("(;GM[1]SZ[9];B[ab];W[ig])")[1].moves_text == "A8 J3"
    assert read_sgf("(;GM[2];B[dc];W[cc];B[cd])")[1].moves_text == "d3 c3 c4"
    assert read_sgf("(;GM[2];B[d3];W[c3];B[C4])")[1].moves_text == "d3 c3 c4"  # as some programs write
    assert read_sgf("(;GM[4]SZ[15];B[ah];W[ob])")[1].moves_text == "a8 o14"


@pytest.mark.parametrize(
    ("text", "name", "options"),
    [
        ("(;)", "go", {"size": 19}),
        ("(;SZ[9:9]KM[6.5])", "go", {"size": 9, "komi": 6.5}),
        ("(;GM[1]SZ[13]KM[])", "go", {"size": 13}),
        ("(;SZ[9]HA[2]AB[cc][gg];W[ee])", "go", {"size": 9, "komi": 0.5}),
        ("(;GM[2])", "othello", {"size": 8}),
        ("(;GM[4])", "gomoku", {"size": 15}),
        ("junk before (;GM[4]SZ[9]KM[7]) and (;GM[1]) behind", "gomoku", {"size": 9}),
    ],
)
def test_the_game_is_the_one_of_the_file(text: str, name: str, options: dict[str, float]) -> None:
    assert read_sgf(text)[0] == tengen.load(name, **options)


def test_what_a_file_does_not_tell_is_taken_from_a_game() -> None:
    like = tengen.load("go", size=9, komi=3, suicide=True, history=8, max_moves=20)
    assert read_sgf("(;SZ[7]KM[5])", like)[0] == tengen.load("go", size=7, komi=5, suicide=True, history=8)
    assert read_sgf("(;SZ[7])", like)[0].spec.options_text.startswith("size=7, komi=7.5")
    assert read_sgf("(;GM[2])", like)[0] == tengen.load("othello")


def test_variations_comments_and_odd_writing() -> None:
    text = "(\n;FF[4] SZ [5]C[a \\] and (;B[aa\\])]\n;Black[cc]N[x];W[tt](;B[dd](;W[aa])(;W[bb]))(;B[ee]))"
    assert read_sgf(text)[1].moves_text == "C3 pass D2 A5"
    assert read_sgf("(;SZ[5];B[cc];B[dd])")[1].moves_text == "C3 pass D2"
    assert read_sgf("(;SZ[5];B[cc];W[];B[];W[];B[])")[1].moves_text == "C3 pass pass"
    assert read_sgf("(;SZ[5]PB[Ren\xe9]CA[ISO-8859-1];B[cc])".encode("latin-1"))[1].moves_text == "C3"
    assert parse_sgf("(;PB[本因坊]CA[Shift_JIS])".encode("shift_jis")).players[0] == "本因坊"
    assert parse_sgf(b"(;PB[Ren\xe9]CA[no_such_charset])").players[0] == "Ren\xe9"
    assert parse_sgf(b"(;PB[x]CA[hex])").players[0] == "x"


def test_passes_that_othello_files_leave_out() -> None:
    game = tengen.load("othello")
    state = next(s for s in (random_state(game, seed) for seed in range(100)) if 64 in s.moves)
    text = write_sgf(state)
    assert "[]" in text
    assert read_sgf(text.replace(";B[]", "").replace(";W[]", "")) == (game, state)


def test_stones_that_are_set_up() -> None:
    _, state = read_sgf("(;SZ[5]KM[0]AB[aa:bb]AW[cc][dd]AE[bb];W[ee])")
    assert str(state).splitlines()[1:6] == ["5 X X . . .", "4 X . . . .", "3 . . O . .", "2 . . . O .", "1 . . . . O"]
    assert state.to_move == 0
    assert read_sgf("(;SZ[9]AB[cc][gg])")[1].to_move == 1  # a handicap
    assert read_sgf("(;SZ[9]AB[cc][gg]PL[B])")[1].to_move == 0
    assert read_sgf("(;SZ[9];W[cc])")[1].moves_text == "C7"
    four = read_sgf("(;GM[2]AB[ed][de]AW[dd][ee];B[dc])")[1]
    assert four == tengen.load("othello").state("d3")
    assert str(read_sgf("(;GM[2]AB[dd]PL[W])")[1]).splitlines()[4] == "4 . . . X X . . ."
    _, five = read_sgf("(;GM[4]SZ[9]AB[ee]AW[ef];B[fe])")
    assert str(five).count("X") == 2


@pytest.mark.parametrize(
    "text",
    [
        "(;SZ[5]KM[0]AB[aa:bb]AW[cc][dd];W[ee];B[])",
        "(;SZ[9];W[cc];B[dd])",
        "(;GM[2]AB[dd][cc]PL[W])",
        "(;GM[4]SZ[9]AB[ee]AW[ef];B[fe])",
    ],
)
def test_set_up_games_come_back_too(text: str) -> None:
    read = parse_sgf(text)
    assert parse_sgf(write_sgf(read)) == read
    drawn = read_sgf(write_sgf(read.state))[1]  # the position alone does not know how it began
    assert str(drawn) == str(read.state)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "there is no game in it"),
        ("hello", "there is no game in it"),
        ("()", "there is no game in it"),
        ("(;SZ[9];B[aa]", "cut short"),
        ("(;SZ[9];B[aa", "cut short"),
        ("(;SZ[9]B[aa]]", "not valid SGF"),
        ("(;GM[3])", r"GM\[3\]; it reads GM\[1\] go, GM\[2\] othello"),
        ("(;GM[Othello])", "can't read"),
        ("(;SZ[99])", "can't play: .*size"),
        ("(;SZ[x])", r"SZ\[x\] of this SGF is not a number"),
        ("(;SZ[nan])", "not a number"),
        ("(;SZ[9:7])", "square"),
        ("(;SZ[9]KM[375])", "komi of 375"),
        ("(;SZ[9]KM[0.3])", "can't play"),
        ("(;SZ[9];B[zz])", "'zz' is not a point"),
        ("(;SZ[9];B[a])", "'a' is not a point"),
        ("(;SZ[9];B[aa];W[aa])", "Move 2 of the SGF, white A9, is not legal"),
        ("(;SZ[9];B[];W[];B[aa])", "Move 3 of the SGF, black A9, comes after the end"),
        ("(;SZ[9];B[aa];AB[bb])", "in the middle of the game"),
        ("(;SZ[9]AB[aa][ab]AW[ba][bb][ac])", "can't be played"),
        ("(;SZ[9]AB[zz])", r"AB\[zz\] is not a point"),
        ("(;SZ[9]AB[])", "not a point"),
        ("(;GM[2];B[aa])", "Move 1 of the SGF, black a1, is not legal"),
        ("(;GM[2];B[dc];B[cd])", "out of turn: it is white's"),
        ("(;GM[4];B[aa];W[])", "a pass, which gomoku does not have"),
        ("(;GM[4];B[aa];B[bb])", "out of turn"),
        ("(;GM[4]AB[aa][bb][cc])", "can't be played: X moves first"),
        ("(" * 200_000 + ";", "not valid SGF"),
        ("(;" * 50_000, "cut short"),
        ("(;C[" + "\\" * 1_000_001, "cut short"),
        ("x" * (LARGEST_SGF + 1), "too large"),
    ],
    ids=lambda value: value[:30],
)
def test_refusals_say_why(text: str, words: str) -> None:
    with pytest.raises(SgfError, match=words):
        read_sgf(text)


def test_deep_variations_are_no_trouble() -> None:
    deep = 30_000
    state = read_sgf("(;SZ[9]" + "(;C[x]" * deep + ";B[aa]" + ")" * (deep + 1))[1]
    assert state.moves_text == "A9"


def test_damaged_files_are_read_or_refused() -> None:
    """Any change of a few bytes gives a game or an SgfError, nothing else."""
    rng = random.Random(3)
    files = [write_sgf(random_state(tengen.load(name), 1, 20), comments={1: "x"}).encode() for name, _ in GAMES[::3]]
    read = refused = 0
    for _ in range(1500):
        content = bytearray(rng.choice(files))
        for _ in range(rng.randrange(1, 5)):
            place = rng.randrange(len(content))
            content[place : place + rng.randrange(3)] = rng.choice(
                [b"", rng.randbytes(2), b"[", b"]", b"(", b":", b"9"]
            )
        try:
            read_sgf(bytes(content))
            read += 1
        except SgfError:
            refused += 1
    assert read > 50
    assert refused > 50


def test_games_that_sgf_has_no_words_for() -> None:
    with pytest.raises(SgfError, match="not for connect_four"):
        write_sgf(tengen.load("connect_four").initial_state())
    assert SgfGame(tengen.load("go").initial_state()).state.moves == ()
