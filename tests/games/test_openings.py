"""Openings from files, for any game; named errors for the others."""

from pathlib import Path

import pytest

import tengen
from tengen.arena import choose_openings, play_match
from tengen.games.openings import OpeningsError, read_openings
from tengen.players import make_player

CHESS = tengen.load("chess")
EPD = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - bm Nf3; id 'one';"
FEN = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3"


def book(folder: Path, text: str, name: str = "book.txt") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_positions_moves_and_games(tmp_path: Path) -> None:
    lines = read_openings(book(tmp_path, f"# a book\n{EPD}\n\n{FEN}\n1. e4 c5\ne2e4 e7e5 g1f3\n1.e4 c5\n"), CHESS)
    assert lines[0].position_text.startswith(EPD.split(" bm", maxsplit=1)[0])
    assert lines[1].position_text == FEN
    assert [state.moves_text for state in lines[2:]] == ["e2e4 c7c5", "e2e4 e7e5 g1f3"]
    games = read_openings(
        book(tmp_path, '[Event "a"]\n\n1. e4 e5 *\n\n[Event "b"]\n\n1. d4 (1. c4) d5 1-0\n', "b.pgn"), CHESS
    )
    assert [state.moves_text for state in games] == ["e2e4 e7e5", "d2d4 d7d5"]
    othello = tengen.load("othello")
    assert read_openings(book(tmp_path, "d3 c3\nf5 d6 c3\n"), othello)[1] == othello.state("f5 d6 c3")


def test_books_of_shogi(tmp_path: Path) -> None:
    game = tengen.load("shogi")
    after = game.state("7g7f 3c3d")
    sfen = after.position_text
    text = f"startpos moves 7g7f 3c3d\n7g7f 3c3d 2g2f\n{sfen}\nsfen {sfen}\nposition sfen {sfen} moves 2g2f\n"
    states = read_openings(book(tmp_path, text, "book.sfen"), game)
    assert states == [after, after.play("2g2f"), game.state(board=sfen), game.state("2g2f", board=sfen)]


@pytest.mark.parametrize(
    ("text", "name", "sentence"),
    [
        ("e2e4\ne2e5\n", "a.txt", "Line 2 of .* is no opening of chess: e2e5 is not legal here"),
        ("# nothing\n", "a.txt", "There are no openings in"),
        ("8/8/8/8/8/8/8/8 w - -\n", "a.epd", "Line 1 of .* is no opening of chess: Each side has one king"),
        ("1. e4 e4", "a.pgn", "'e4' is not a legal move"),
        ('[Variant "Chess960"]\n1. e4 *', "a.pgn", "has a game of chess that is not of"),
    ],
)
def test_bad_books_are_refused(tmp_path: Path, text: str, name: str, sentence: str) -> None:
    with pytest.raises(OpeningsError, match=sentence):
        read_openings(book(tmp_path, text, name), CHESS)
    with pytest.raises(OpeningsError, match="can't be read"):
        read_openings(tmp_path / "nowhere", CHESS)


def test_a_match_plays_each_opening_from_both_sides() -> None:
    game = tengen.load("minichess", max_moves=12)
    openings = [game.state(moves) for moves in ("a3", "b3", "c3", "Nc3")]
    chosen = choose_openings(openings, 3, seed=1)
    assert len(set(chosen)) == 3
    assert choose_openings(openings, 4, seed=1)[:3] == chosen
    with pytest.raises(OpeningsError, match="need 5 openings, and there are 4"):
        choose_openings(openings, 5, seed=1)
    players = make_player("random", game), make_player("rollout:2", game)
    match = play_match(game, players, games=6, openings=chosen)
    firsts = [(played.final.moves[0], played.first) for played in match.games]
    assert firsts == [(opening.moves[0], side) for opening in chosen for side in (0, 1)]
