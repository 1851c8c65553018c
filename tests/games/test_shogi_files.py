"""Games of shogi in KIF and CSA: read, written, read again, and compared with other readers of them."""

import random
import re

import cshogi
import cshogi.CSA
import pytest
import shogi.KIF
from hypothesis import given
from hypothesis import strategies as st
from tiny_networks import save_tiny

import tengen
from tengen.games.files import file_format, parse_file
from tengen.games.shogi import ShogiFileError, ShogiGame, read_csa, read_kif, write_csa, write_kif

KIF = """#KIF version=2.0 encoding=UTF-8
開始日時：2026/11/17 10:00:00
手合割：平手　　
先手：甲野
後手：乙川
手数----指手---------消費時間--
*始まり
   1 ７六歩(77)   ( 0:01/00:00:01)
   2 ３四歩(33)   ( 0:02/00:00:02)
*comment: 1 ２六歩(27)
   3 ２二角成(88) ( 0:03/00:00:04)
   4 同　銀(31)   ( 0:01/00:00:03)+
   5 ４五角打     ( 0:01/00:00:05)
   6 投了         ( 0:01/00:00:04)
まで5手で先手の勝ち

変化：3手
   3 ２六歩(27)
"""
CSA = """'CSA encoding=UTF-8
V2.2
N+KONO
N-OTSU
$EVENT:test
PI
+
+7776FU
T1
-3334FU,T2
'comment
+8822UM
-3122GI
+0045KA
%TORYO
/
V2.2
PI
+
"""
MOVES = "7g7f 3c3d 8h2b+ 3a2b B*4e"


def random_record(seed: int, name: str = "shogi", end: str = "") -> ShogiGame:
    """A random game, from the start or from a position in its middle."""
    rng, game = random.Random(seed), tengen.load(name)

    def after(state: tengen.State, moves: int) -> tengen.State:
        for _ in range(moves):
            if state.outcome is None:
                state = state.play(rng.choice(state.legal_actions))
        return state

    start = game.initial_state()
    if seed % 2:
        middle = after(start, rng.randrange(100))
        start = middle if middle.outcome else game.state(board=middle.position_text.rsplit(" ", 1)[0])
        start = game.initial_state() if middle.outcome else start
    return ShogiGame(start, after(start, rng.randrange(120)).moves, ("甲", "乙"), end, "2026/11/17")


def test_a_file_in_kif() -> None:
    read = read_kif(KIF)
    assert read.state == tengen.load("shogi").state(MOVES)
    assert (read.players, read.end, read.date) == (("甲野", "乙川"), "投了", "2026/11/17 10:00:00")
    for encoding in ("utf-8-sig", "cp932"):
        assert read_kif(KIF.encode(encoding)) == read


def test_a_file_in_csa() -> None:
    read = read_csa(CSA.encode())
    assert read.state == tengen.load("shogi").state(MOVES)
    assert (read.players, read.end) == (("KONO", "OTSU"), "%TORYO")


@pytest.mark.parametrize("seed", range(12))
def test_records_go_round_and_other_readers_agree(seed: int) -> None:
    record = random_record(seed, end="投了")
    moves = [usi for _, usi in record.usi_moves()]
    kif, csa = write_kif(record), write_csa(record)
    assert read_kif(kif) == read_kif(kif.encode("cp932")) == record
    assert (read_csa(csa).start, read_csa(csa).moves, read_csa(csa).players) == (
        record.start,
        record.moves,
        record.players,
    )
    assert shogi.KIF.Parser.parse_str(kif)[0]["moves"] == moves
    theirs = cshogi.CSA.Parser.parse_str(csa)[0]
    assert list(map(cshogi.move_to_usi, theirs.moves)) == moves
    assert record.game.state(board=theirs.sfen) == record.start


def test_minishogi_has_kif() -> None:
    for seed in range(6):
        record = random_record(seed, "minishogi")
        assert read_kif(write_kif(record)) == record
    with pytest.raises(ShogiFileError, match="CSA can be written for shogi, not for minishogi"):
        write_csa(random_record(0, "minishogi"))


def test_handicaps_are_known_by_name() -> None:
    read = read_kif("手合割：二枚落ち\n上手：名人\n下手：私\n   1 ６二銀(71)\n   2 ７六歩(77)\n")
    assert read.start.position_text.startswith("lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - ")
    assert read.state.moves_text == "7a6b 7g7f"
    assert read.players == ("私", "名人")
    assert read_csa("PI82HI22KA\n-\n-7162GI\n").start.cells[1].tolist() == [0] * 9


def test_csa_deals_out_the_rest() -> None:
    read = read_csa("P-11OU\nP+99OU\nP+00FU\nP-00AL\n+\n")
    assert read.start.position_text.startswith("8k/9/9/9/9/9/9/9/K8 b P2r2b4g4s4n4l17p")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("手合割：平手\n   1 ７五歩(77)\n", "Move 1, ７五歩\\(77\\), which is 7g7e, is not legal"),
        ("手合割：平手\n   1 同　歩(77)\n", "Move 1, '同　歩\\(77\\)', is not a move of KIF"),
        ("手合割：平手\n   1 pawn\n", "is not a move of KIF"),
        ("手合割：三十枚落ち\n   1 ７六歩(77)\n", "handicap '三十枚落ち'"),
        ("手合割：5五将棋\n   1 ７六歩(77)\n", "outside of the board"),
        ("hello", "not a game in KIF"),
    ],
)
def test_what_is_wrong_with_a_kif(text: str, message: str) -> None:
    with pytest.raises(ShogiFileError, match=message):
        read_kif(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("PI\n+\n-3334FU\n", "Move 1, -3334FU, is out of turn"),
        ("PI\n+\n+7775FU\n", "Move 1, \\+7775FU, which is 7g7e, is not legal"),
        ("PI\n+\n+7776KI\n", "the piece at 77 is not that one"),
        ("PI\n+\n+77FU\n", "is not a move of CSA"),
        ("PI55FU\n+\n", "takes a piece away where none is"),
        ("P1-XX\n+\n", "is not a piece of a row of nine"),
        ("V2.2\nhello\n", "CSA has no line such as 'hello'"),
        ("V2.2\n", "not a game in CSA"),
        ("P+99OU\n+\n", "can't be played: Each player has one king"),
    ],
)
def test_what_is_wrong_with_a_csa(text: str, message: str) -> None:
    with pytest.raises(ShogiFileError, match=message):
        read_csa(text)


@given(st.integers(0, 50), st.booleans(), st.data())
def test_damaged_files_are_read_or_refused(seed: int, as_csa: bool, data: st.DataObject) -> None:
    record = random_record(seed)
    content = (write_csa(record) if as_csa else write_kif(record)).encode(
        data.draw(st.sampled_from(("utf-8", "cp932")))
    )
    for _ in range(data.draw(st.integers(1, 4))):
        i = data.draw(st.integers(0, len(content)))
        content = content[:i] + data.draw(st.binary(max_size=4)) + content[i + data.draw(st.integers(0, 6)) :]
    try:
        read = (read_csa if as_csa else read_kif)(content)
    except ShogiFileError:
        return
    assert read.state.moves == read.moves


def test_files_are_known_by_their_content() -> None:
    for expected, content in (("KIF", KIF.encode()), ("KIF", KIF.encode("cp932")), ("CSA", CSA.encode())):
        assert file_format(content) == expected
        read = parse_file(content)
        assert (read.start, len(read.moves)) == (tengen.load("shogi").initial_state(), 5)
    for content in (b"d3 c3 c4", b"1. e4 e5", b"", b"\xff\xfe\x00", b"7g7f 3c3d"):
        assert file_format(content) is None
        with pytest.raises(tengen.TengenError, match="not a game in SGF, PGN, KIF or CSA"):
            parse_file(content)
    assert file_format(b"(;GM[1])") == "SGF"
    assert file_format(b'[Event "?"]\n\n1. e4 e5') == "PGN"


def test_a_kif_is_reviewed(cli, tmp_path) -> None:
    model = save_tiny(tmp_path / "tiny.safetensors", tengen.load("shogi"))
    (tmp_path / "game.kif").write_bytes(KIF.encode("cp932"))
    told = cli("review", str(tmp_path / "game.kif"), "--model", str(model), "--simulations", "4")
    assert re.search(r"^ +3  black +8h2b\+ ", told, re.MULTILINE)
    assert re.search(r"^ +5  black +B\*4e ", told, re.MULTILINE)
