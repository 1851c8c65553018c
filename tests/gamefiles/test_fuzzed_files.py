"""Damaged files of every format: the import never stops, and every game is imported or named.

The files are games that tengen played, several to a file, changed by `mutated`. TENGEN_FUZZ_SEED sets where they begin.
"""

import json
import os
import random
import struct
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from mutations import mutated, words_of

import tengen
from tengen.gamefiles.filters import Filters
from tengen.gamefiles.importing import ImportSummary, import_games
from tengen.gamefiles.record_files import record_row
from tengen.gamefiles.wthor import is_wthor
from tengen.games.pgn import write_pgn
from tengen.games.sgf import write_sgf
from tengen.games.shogi import write_csa, write_kif
from tengen.games.shogi.file import ShogiGame
from tengen.records import read_games
from tengen.records.record import RecordBuilder

SEED = int(os.environ.get("TENGEN_FUZZ_SEED", "0"))
ALL = Filters(least_moves=0)
FILES = 3  # seeds of each format
GAMES = 4  # in each of them


def played(game: tengen.Game, seed: int, plies: int = 10_000) -> tengen.State:
    rng = random.Random(seed)
    state = game.initial_state()
    while state.outcome is None and plies > 0:
        state = state.play(rng.choice(state.legal_actions))
        plies -= 1
    return state


@dataclass(frozen=True)
class Format:
    """How a file of some games is written, and how many games a file has that nobody has touched."""

    game: tengen.Game
    suffix: str
    write: Callable[[tengen.State], bytes]
    plies: int = 10_000
    head: Callable[[int], bytes] = lambda games: b""  # of a file with so many games
    between: bytes = b""

    def texts(self, seed: int) -> list[bytes]:
        return [self.write(played(self.game, GAMES * seed + each, self.plies)) for each in range(GAMES)]

    def file(self, seed: int) -> bytes:
        return self.head(GAMES) + self.between.join(self.texts(seed))


def ggf(state: tengen.State) -> bytes:
    board = "-" * 27 + "O*------*O" + "-" * 27
    moves, at = "", state.game.initial_state()
    for action in state.moves:
        text = at.action_text(action)
        moves += f"{'BW'[at.to_move]}[{'PA' if text == 'pass' else text}]"
        at = at.play(action)
    return f"(;GM[Othello]PB[a]PW[b]RE[+2]TY[8]BO[8 {board} *]{moves};)\n".encode()


def wthor(state: tengen.State) -> bytes:
    squares = [10 * (action // 8 + 1) + action % 8 + 1 for action in state.moves if action < 64]
    return struct.pack("<HHHBB60B", 1, 2, 3, 32, 32, *squares, *[0] * (60 - len(squares)))


def json_line(state: tengen.State) -> bytes:
    builder = RecordBuilder(iteration=0, network="", seed=1)
    for action in state.moves:
        builder.play(action)
    return (json.dumps(record_row(state.game, builder.finish(state.outcome))) + "\n").encode()


def shogi_file(state: tengen.State) -> ShogiGame:
    return ShogiGame(state.game.initial_state(), state.moves, ("a", "b"), "")


@cache
def formats() -> dict[str, Format]:
    go, othello, shogi = tengen.load("go", size=5), tengen.load("othello"), tengen.load("shogi")
    chess, gomoku, four = tengen.load("chess"), tengen.load("gomoku"), tengen.load("connect_four")
    return {
        "SGF of go": Format(go, "sgf", lambda state: write_sgf(state).encode()),
        "SGF of gomoku": Format(gomoku, "sgf", lambda state: write_sgf(state).encode(), 40),
        "PGN": Format(chess, "pgn", lambda state: (write_pgn(state) + "\n").encode(), 30),
        "GGF": Format(othello, "ggf", ggf),
        "WTHOR": Format(
            othello, "wtb", wthor, head=lambda games: struct.pack("<4BIHH4B", 20, 5, 1, 2, games, 0, 1999, 8, 0, 24, 0)
        ),
        "KIF": Format(shogi, "kif", lambda state: write_kif(shogi_file(state)).encode(), 20),
        "CSA": Format(shogi, "csa", lambda state: write_csa(shogi_file(state)).encode(), 20, between=b"/\n"),
        "moves": Format(othello, "txt", lambda state: f"{state.moves_text}\n".encode()),
        "JSON lines": Format(four, "jsonl", json_line),
    }


def untouched(kind: str, data: bytes, texts: list[bytes]) -> int:
    """Games of a damaged file that are as they were, and where they can be seen as games of their own."""
    if kind == "WTHOR":
        return max(0, len(data) - 16) // 68 if is_wthor(data) else 1  # without its header nothing tells what it is
    if kind == "KIF":
        return 1
    if kind in ("moves", "JSON lines"):
        lines = data.split(b"\n")
        return sum(lines.count(text.strip()) for text in set(texts))
    return sum((b"\n" + data).count(b"\n" + text.rstrip()) for text in set(texts))


def check(kind: str, files: dict[str, bytes], texts: list[bytes], folder: Path, filters: Filters) -> ImportSummary:
    """Imports the files and holds the answer against them."""
    form = formats()[kind]
    place, out = folder / "files", folder / "records"
    place.mkdir(parents=True)
    for name, data in files.items():
        (place / name).write_bytes(data)
    summary = import_games([place], form.game, out, filters)
    refused, sources = (
        [json.loads(line) for line in (out / name).read_text().split("\n") if line]
        for name in ("refused.jsonl", "sources.jsonl")
    )
    assert summary.files == len(files)
    assert len(refused) == summary.refused.total() == sum(Counter(each["reason"] for each in refused).values())
    assert len(sources) == summary.imported == len(list(read_games(out, form.game)))
    assert all(each["file"] and each["reason"] and each["sentence"] and each["line"] >= 0 for each in refused)
    if filters == ALL:
        assert not summary.left_out
        for name, data in files.items():
            here = [each for each in (*refused, *sources) if each["file"] == str(place / name)]
            assert sorted(each["number"] for each in here) == list(range(1, len(here) + 1)), (name, data)
            named_whole = any(each["line"] == 0 for each in here)  # the file is refused, and not a game of it
            assert named_whole or len(here) >= max(1, untouched(kind, data, texts)), (name, data, here)
    return summary


def fuzz(kind: str, count: int, folder: Path) -> ImportSummary:
    """Imports so many damaged files of a format, a hundred at once."""
    form, rng = formats()[kind], random.Random(f"{kind} {SEED}")
    seeds = [form.file(seed) if kind != "KIF" else form.texts(seed)[0] for seed in range(FILES)]
    texts = [text for seed in range(FILES) for text in form.texts(seed)]
    words = words_of(seeds)
    whole = ImportSummary()
    for first in range(0, count, 100):
        files = {f"{first + n:06}.{form.suffix}": mutated(seeds, rng, words) for n in range(min(100, count - first))}
        some = check(kind, files, texts, folder / str(first), ALL)
        whole.files += some.files
        whole.imported += some.imported
        whole.refused += some.refused
    return whole


KINDS = ("SGF of go", "SGF of gomoku", "PGN", "GGF", "WTHOR", "KIF", "CSA", "moves", "JSON lines")


@pytest.mark.parametrize("kind", KINDS)
def test_files_that_nobody_touched_are_imported_whole(kind: str, tmp_path: Path) -> None:
    form = formats()[kind]
    texts = form.texts(0)
    data = texts[0] if kind == "KIF" else form.file(0)
    summary = check(kind, {f"a.{form.suffix}": data}, texts, tmp_path, ALL)
    assert summary.imported == (1 if kind == "KIF" else GAMES)
    summary = check(kind, {f"a.{form.suffix}": data}, texts, tmp_path / "filtered", Filters(least_moves=100_000))
    assert summary.left_out.total() == (1 if kind == "KIF" else GAMES)


@pytest.mark.parametrize("kind", KINDS)
def test_of_damaged_files_every_game_is_imported_or_named(kind: str, tmp_path: Path) -> None:
    summary = fuzz(kind, 20, tmp_path)
    assert summary.imported > 0
    assert summary.refused.total() > 0


@pytest.mark.verify
@pytest.mark.parametrize("kind", KINDS)
def test_of_five_thousand_damaged_files(kind: str, tmp_path: Path) -> None:
    summary = fuzz(kind, 560, tmp_path)
    print(f"\n{kind}: {summary.files} files, {summary.imported} games imported, {dict(summary.refused)}")
    assert summary.imported > 0


# ---- What damage must not swallow


@pytest.mark.parametrize(
    ("name", "text", "imported", "refused"),
    [
        ("no parenthesis at the end", "(;GM[1]SZ[5];B[cc]\n(;GM[1]SZ[5];B[dd])\n", 1, {"damaged": 1}),
        ("no bracket at the end", "(;GM[1]SZ[5];B[cc]C[hello)\n(;GM[1]SZ[5];B[dd])\n", 1, {"damaged": 1}),
        (
            "no parenthesis at first",
            "(;GM[1]SZ[5];B[cc])\n;GM[1]SZ[5]\n;B[cc])\n(;GM[1]SZ[5];B[dd])",
            2,
            {"damaged": 1},
        ),
        ("words between games", "hello\n(;GM[1]SZ[5];B[cc])\n; and\n(;GM[1]SZ[5];B[dd])\nbye", 2, {}),
    ],
)
def test_sgf(name: str, text: str, imported: int, refused: dict[str, int], tmp_path: Path) -> None:
    (tmp_path / "a.sgf").write_text(text)
    summary = import_games([tmp_path / "a.sgf"], tengen.load("go", size=5), tmp_path / "out")
    assert (summary.imported, dict(summary.refused)) == (imported, refused), name


def test_a_comment_of_pgn_that_is_not_closed_ends_with_its_game(tmp_path: Path) -> None:
    game = '[Event "x"]\n[Result "1-0"]\n\n1. e4 e5 2. Nf3 1-0\n\n'
    (tmp_path / "a.pgn").write_text(game.replace("2. Nf3", "{ oh") + game + "1. d4 d5 0-1\n\n" + game)
    summary = import_games([tmp_path / "a.pgn"], tengen.load("chess"), tmp_path / "out")
    assert summary.imported + summary.refused.total() == 4
    assert summary.imported >= 3


def test_a_wrong_byte_in_a_name_does_not_spoil_a_game_of_shogi(tmp_path: Path) -> None:
    form = formats()["KIF"]
    name = form.texts(0)[0].index(b"a\n")
    data = form.texts(0)[0][:name] + b"\xff\xe3" + form.texts(0)[0][name:]
    (tmp_path / "a.kif").write_bytes(data)
    summary = import_games([tmp_path / "a.kif"], form.game, tmp_path / "out")
    assert (summary.imported, dict(summary.refused)) == (1, {})


def test_games_of_csa_without_a_slash_between_them_are_two(tmp_path: Path) -> None:
    form = formats()["CSA"]
    (tmp_path / "a.csa").write_bytes(b"".join(form.texts(0)[:2]))
    assert import_games([tmp_path / "a.csa"], form.game, tmp_path / "out").imported == 2


def test_games_beyond_the_count_of_a_table_are_named(tmp_path: Path) -> None:
    form = formats()["WTHOR"]
    (tmp_path / "a.wtb").write_bytes(form.head(1) + b"".join(form.texts(0)))
    summary = import_games([tmp_path / "a.wtb"], form.game, tmp_path / "out")
    assert summary.imported == 1
    assert dict(summary.refused) == {"damaged": GAMES - 1}
