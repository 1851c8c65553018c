"""Games of files become records: every format, filters, results that the moves do not make, and what is set aside."""

import gzip
import io
import json
import random
import struct
import zipfile
from pathlib import Path

import pytest

import tengen
from tengen import RecordError
from tengen.gamefiles.exporting import export_games
from tengen.gamefiles.filters import Filters
from tengen.gamefiles.importing import ImportSummary, import_games
from tengen.games.sgf import write_sgf
from tengen.games.shogi import write_csa, write_kif
from tengen.games.shogi.file import ShogiGame
from tengen.records import GameRecord, read_games


def random_state(game: tengen.Game, seed: int, plies: int = 10_000) -> tengen.State:
    """The end of a random game, or a position on its way."""
    rng = random.Random(seed)
    state = game.initial_state()
    while state.outcome is None and plies > 0:
        state = state.play(rng.choice(state.legal_actions))
        plies -= 1
    return state


class Place:
    """A folder in which files are imported."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.count = 0

    def take(
        self, content: str | bytes, game: tengen.Game, filters: Filters | None = None, name: str = "games.txt"
    ) -> tuple[ImportSummary, list[GameRecord], list[dict[str, object]]]:
        self.count += 1
        path, out = self.folder / f"{self.count}_{name}", self.folder / f"records{self.count}"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        summary = import_games([path], game, out, filters or Filters())
        refused = [json.loads(line) for line in (out / "refused.jsonl").read_text().splitlines()]
        return summary, list(read_games(out, game)), refused


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def texts(game: tengen.Game, record: GameRecord) -> str:
    return record.final_state(game).moves_text


# ---- Formats


def test_sgf_with_several_games_variations_passes_and_escapes(place: Place) -> None:
    game = tengen.load("go", size=5)
    summary, records, refused = place.take(
        "noise before\n(;GM[1]SZ[5]KM[5.5]PB[A \\] (b)]RE[W+R];B[cc];W[tt](;B[cd];W[dc])(;B[aa]))\n"
        "(;GM[1]SZ[9];B[cc])\n(;GM[1]SZ[5]RE[B+3.5];B[cc];W[];B[])",
        game,
    )
    assert [texts(game, record) for record in records] == ["C3 pass C2 D3", "C3 pass pass"]
    assert records[0].resigned
    assert records[0].outcome is not None
    assert records[0].outcome.winner == 1
    assert summary.imported == 2
    assert dict(summary.refused) == {"another board": 1}
    assert refused[0]["line"] == 3
    assert refused[0]["number"] == 2
    assert "9x9" in str(refused[0]["sentence"])


def test_set_up_stones_are_the_start_of_the_record(place: Place) -> None:
    game = tengen.load("go", size=5)
    _, [record], _ = place.take("(;GM[1]SZ[5]HA[2]AB[bb][dd]RE[W+T];W[cc];B[cb])", game)
    assert record.start is not None
    assert record.final_state(game).moves_text.split() == ["C3", "C4"]
    assert record.adjudicated
    assert record.reason == "forfeit"
    assert record.sentence == "out of time"


def test_the_result_of_a_file_counts_where_the_moves_make_another(place: Place) -> None:
    game = tengen.load("go", size=5, komi=0.5)
    by_rules = game.state(["c3", "pass", "pass"]).outcome
    assert by_rules is not None
    assert by_rules.winner == 0
    _, [black, white, unknown], _ = place.take(
        "(;SZ[5];B[cc];W[];B[])".replace("SZ[5]", "SZ[5]RE[B+24.5]")
        + "(;SZ[5]RE[W+2.5];B[cc];W[];B[])(;SZ[5]RE[Void];B[cc];W[];B[])",
        game,
    )
    assert not black.adjudicated
    assert black.outcome == by_rules
    assert white.adjudicated
    assert white.outcome is not None
    assert white.outcome.winner == 1
    assert white.sentence == "by 2.5"
    assert unknown.outcome is None
    assert unknown.is_over


def test_moves_after_the_end_by_the_rules_are_left_out(place: Place) -> None:
    game = tengen.load("go", size=5)
    summary, [record], _ = place.take("(;SZ[5]RE[B+R];B[cc];W[];B[];W[dd];B[ee])", game)
    assert texts(game, record) == "C3 pass pass"
    assert summary.cut == 1


def test_what_sgf_does_not_allow_but_programs_write(place: Place) -> None:
    game = tengen.load("gomoku")
    _, [record], _ = place.take("(;US[x]5A[]PW[a]DT[2007-4-15]RE[白胜]SZ[15];B[hh];W[hi];B[jj];)", game)
    assert len(record.moves) == 3
    assert record.outcome is not None
    assert record.outcome.winner == 1


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "gb18030", "cp932", "big5"])
def test_wrong_and_missing_encodings(place: Place, encoding: str) -> None:
    game = tengen.load("go", size=5)
    name = "Müller" if encoding == "latin-1" else "能表"  # the second has a backslash as a second byte
    text = f"(;GM[1]SZ[5]PB[{name}]RE[B+R];B[cc];W[dd])"
    summary, [record], _ = place.take(text.encode(encoding), game)
    assert len(record.moves) == 2
    assert summary.accepted == 1.0
    _, [same], _ = place.take(text.replace("GM[1]", "GM[1]CA[nonsense]").encode(encoding), game)
    assert same == record


def test_pgn_with_comments_variations_and_nonsense_in_them(place: Place) -> None:
    game = tengen.load("chess")
    summary, records, refused = place.take(
        '[White "A"]\n[WhiteElo "2400"]\n[Result "1-0"]\n\n1. e4 {[%clk 0:01]\n[not "a tag"]} e5 '
        "(1... Qxz9 bad) 2. Nf3 1-0\n\n"
        '[Result "1/2-1/2"]\n[Termination "agreed"]\n\n1. d4 d5 1/2-1/2\n\n'
        '[Event "x"]\n\n1. e4 e5 2. Ke3 1-0\n\n[Result "0-1"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n',
        game,
    )
    assert [texts(game, record) for record in records] == ["e2e4 e7e5 g1f3", "d2d4 d7d5", "f2f3 e7e5 g2g4 d8h4"]
    assert [record.reason for record in records] == ["resignation", "agreement", "checkmate"]
    assert dict(summary.refused) == {"illegal move": 1}
    assert refused[0]["line"] == 13


def test_pgn_is_cut_where_our_rules_end_the_game(place: Place) -> None:
    game = tengen.load("chess")
    back_and_forth = " ".join(["Nf3 Nf6 Ng1 Ng8"] * 3)
    summary, [record], _ = place.take(f'[Result "1-0"]\n\n{back_and_forth} e4 1-0\n', game)
    assert summary.cut == 1
    assert len(record.moves) == 8
    assert record.adjudicated
    alone = '[FEN "4k3/8/8/8/8/8/4q3/4K3 w - - 0 1"]\n[Result "1/2-1/2"]\n\n1. Kxe2 Kd7 2. Ke3 1/2-1/2\n'
    summary, [record], _ = place.take(alone, game)
    assert (summary.cut, len(record.moves), record.reason) == (1, 1, "material")


def test_othello_in_four_formats_is_the_same_game(place: Place) -> None:
    game = tengen.load("othello")
    end = random_state(game, 3)
    squares = [text for text in end.moves_text.split() if text != "pass"]
    assert end.outcome is not None
    assert end.score is not None
    black = round((64 + end.score) / 2)
    pairs = "\n".join(f"{i // 2 + 1}. {' '.join(squares[i : i + 2]).upper()}" for i in range(0, len(squares), 2))
    tagged = f'[Event "x"]\n[Black "B"]\n[Result "{black}-{64 - black}"]\n{pairs}\n\n'
    _, [first], _ = place.take(tagged, game)
    _, [second], _ = place.take("# a comment\n" + "".join(squares) + "\n", game)
    board = "8 " + "---------------------------O*------*O---------------------------" + " *"
    moves = "".join(f"{'BW'[player]}[{text.upper()}//1.0]" for player, text in _with_players(game, end))
    _, [third], _ = place.take(f"(;GM[Othello]PB[x]RB[2100.5]RE[{end.score:+.2f}]TY[8]BO[{board}]{moves};)", game)
    header = struct.pack("<4BIHH4B", 20, 5, 1, 2, 1, 0, 1999, 8, 0, 24, 0)
    numbers = [10 * int(text[1]) + "abcdefgh".index(text[0].lower()) + 1 for text in squares]
    row = struct.pack("<HHHBB60B", 0, 0, 0, black, black, *(numbers + [0] * 60)[:60])
    _, [fourth], _ = place.take(header + row, game, name="WTH_1999.wtb")
    assert first == second == third == fourth
    assert first.outcome == end.outcome


def _with_players(game: tengen.Game, end: tengen.State) -> list[tuple[int, str]]:
    state, found = game.initial_state(), []
    for action in end.moves:
        text = state.action_text(action)
        found.append((state.to_move, "PA" if text == "pass" else text))
        state = state.play(action)
    return found


def test_shogi_in_kif_and_csa(place: Place) -> None:
    game = tengen.load("shogi")
    state = random_state(game, 5, plies=30)
    kif = write_kif(ShogiGame(game.initial_state(), state.moves, ("a", "b"), "投了"))
    csa = write_csa(ShogiGame(game.initial_state(), state.moves, ("a", "b"), "%TORYO"))
    _, [first], _ = place.take(kif.encode("cp932"), game)
    _, records, _ = place.take(csa + "/\n" + csa, game)
    assert records == [first, first]
    assert first.resigned
    assert first.outcome is not None
    assert first.outcome.winner == 1 - state.to_move


@pytest.mark.parametrize("name", ["breakthrough", "dots_and_boxes"])
def test_move_lists_of_a_rules_file(place: Place, name: str) -> None:
    game = tengen.load(str(Path(__file__).parents[2] / "examples" / f"{name}.py"))
    end = random_state(game, 1)
    summary, [record], refused = place.take(f"{end.moves_text}\nnonsense here\n", game)
    assert tuple(record.moves.tolist()) == end.moves
    assert record.outcome == end.outcome
    assert dict(summary.refused) == {"illegal move": 1}
    assert refused[0]["line"] == 2


def test_archives_folders_and_compressed_files(tmp_path: Path) -> None:
    game = tengen.load("gomoku")
    text = write_sgf(random_state(game, 2))
    folder = tmp_path / "in"
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / "a.sgf").write_text(text)
    (folder / "b.sgf.gz").write_bytes(gzip.compress(text.encode()))
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("c.sgf", text)
        archive.writestr("d.bin", b"\0\1\2")
    (folder / "e.zip").write_bytes(packed.getvalue())
    (folder / "f.tar.gz").write_bytes(b"not an archive")
    (folder / "g.sgf").write_bytes(b"")
    summary = import_games([folder], game, tmp_path / "out")
    assert summary.imported == 3
    assert dict(summary.refused) == {"unknown format": 1, "can't be read": 1, "empty": 1}


# ---- Filters, and the folder


@pytest.mark.parametrize(
    ("filters", "kept"),
    [
        (Filters(), "abc"),
        (Filters(least_rank=1.0), "a"),
        (Filters(least_rank=-1.0), "ab"),
        (Filters(since="2010-05"), "bc"),
        (Filters(until="2009"), "a"),
        (Filters(results=frozenset(("draw",))), "c"),
        (Filters(results=frozenset(("first", "second"))), "ab"),
        (Filters(least_moves=3), "b"),
        (Filters(most_moves=2), "ac"),
        (Filters(even_only=True), "ab"),
        (Filters(komi=(5.5, 6.5)), "a"),
        (Filters(least_rating=2000), ""),
    ],
)
def test_filters(place: Place, filters: Filters, kept: str) -> None:
    game = tengen.load("go", size=5)
    names = {2: "a", 3: "b", 1: "c"}  # by the number of moves
    summary, records, _ = place.take(
        "(;SZ[5]KM[6.5]BR[3d]WR[1p]DT[2009-12-31]RE[B+R];B[cc];W[dd])"
        "(;SZ[5]KM[7.5]BR[1d]WR[2k]DT[2010]RE[W+1.5];B[cc];W[dd];B[bb])"
        "(;SZ[5]KM[0.5]HA[2]AB[aa][ee]DT[2011-01-01]RE[0];W[cc])",
        game,
        filters,
    )
    assert "".join(sorted(names[len(record.moves)] for record in records)) == kept
    assert summary.left_out.total() == 3 - len(kept)


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "mine.txt").write_text("mine")
    with pytest.raises(RecordError, match="choose another folder"):
        import_games([tmp_path], tengen.load("tic_tac_toe"), out)
    assert (out / "mine.txt").read_text() == "mine"


# ---- There and back


def some_records(game: tengen.Game, place: Place) -> Path:
    lines = [random_state(game, seed).moves_text for seed in range(4)]
    lines += [random_state(game, 9, plies=5).moves_text + end for end in (" 1-0", " 0-1", " 1/2-1/2", "")]
    summary, _, _ = place.take("\n".join(lines), game)
    assert summary.imported == 8
    return place.folder / f"records{place.count}"


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        *((name, kind) for name in ("chess", "othello", "connect_four") for kind in ("jsonl", "parquet", "arrow")),
        ("othello", "sgf"),
        ("gomoku", "sgf"),
        ("chess", "pgn"),
        ("minichess", "pgn"),
    ],
)
def test_exported_and_imported_again_is_equal(place: Place, name: str, kind: str) -> None:
    game = tengen.load(name)
    folder = some_records(game, place)
    file = place.folder / f"games.{kind}"
    assert export_games(folder, game, file, kind) == 8
    summary = import_games([file], game, place.folder / "again")
    assert summary.imported == 8
    assert not summary.refused
    assert list(read_games(place.folder / "again", game)) == list(read_games(folder, game))


@pytest.mark.parametrize("kind", ["sgf", "jsonl", "parquet", "arrow"])
def test_an_export_of_nothing_leaves_the_file(place: Place, kind: str) -> None:
    game = tengen.load("go", size=5)
    (place.folder / "empty").mkdir()
    file = place.folder / "games"
    file.write_text("years of work")
    with pytest.raises(tengen.TengenError, match="no games"):
        export_games(place.folder / "empty", game, file, kind)
    assert file.read_text() == "years of work"
    assert not list(place.folder.glob("*.writing"))


def test_every_way_to_end_survives_sgf(place: Place) -> None:
    game = tengen.load("go", size=5, komi=0.5)
    ends = ("B+R", "W+R", "W+T", "B+F", "B+3.5", "W+2.5", "0", "W+", "?")
    _, records, _ = place.take("".join(f"(;SZ[5]KM[0.5]RE[{end}]AB[aa]PL[W];W[cc];B[dd])" for end in ends), game)
    file = place.folder / "games.sgf"
    export_games(place.folder / "records1", game, file, "sgf")
    _, again, _ = place.take(file.read_bytes(), game)
    assert again == records
    assert len(again) == len(ends)


def test_names_of_players_are_kept_for_export(place: Place) -> None:
    game = tengen.load("chess")
    place.take('[White "Ann"]\n[Black "Bob"]\n[Date "2001.02.03"]\n[Result "1-0"]\n\n1. e4 e5 1-0\n', game)
    export_games(place.folder / "records1", game, place.folder / "x.pgn", "pgn")
    written = (place.folder / "x.pgn").read_text()
    assert '[White "Ann"]' in written
    assert '[Black "Bob"]' in written
    assert '[Date "2001.02.03"]' in written


def test_formats_of_other_games_are_refused_in_a_sentence(place: Place) -> None:
    game = tengen.load("connect_four")
    folder = some_records(game, place)
    for kind in ("sgf", "pgn"):
        with pytest.raises(RecordError, match="jsonl is for all games"):
            export_games(folder, game, place.folder / f"x.{kind}", kind)
