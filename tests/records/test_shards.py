"""Files of games: what was committed comes back to the bit; what is damaged is found, named and set aside."""

import errno
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest
from random_games import random_record

import tengen
from tengen.base.durable import DiskFullError
from tengen.records import GameRecord, RecordError, ShardEnd, ShardWriter, read_games

GAME = tengen.load("tic_tac_toe")
GAMES = [random_record(GAME, seed, recorded_share=0.5) for seed in range(40)]


@pytest.fixture
def no_sync(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many small files, none of which needs to survive a power cut."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


def _write(folder: Path, games: list[GameRecord], shard_bytes: int = 64 << 20) -> ShardEnd:
    writer = ShardWriter(folder, GAME, shard_bytes=shard_bytes)
    writer.append(games)
    end = writer.commit()
    writer.close()
    return end


def _files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.glob("*.tgr"))}


def test_games_come_back_in_order(tmp_path: Path) -> None:
    end = _write(tmp_path, GAMES)
    assert list(read_games(tmp_path, GAME, end)) == GAMES
    assert list(read_games(tmp_path, GAME)) == GAMES
    assert end == (1, (tmp_path / "000001.tgr").stat().st_size)


def test_shards_are_closed_when_they_are_full(tmp_path: Path) -> None:
    end = _write(tmp_path, GAMES, shard_bytes=1000)
    assert end.shard > 5
    assert sorted(_files(tmp_path)) == [f"{number:06d}.tgr" for number in range(1, end.shard + 1)]
    assert list(read_games(tmp_path, GAME, end)) == list(read_games(tmp_path, GAME)) == GAMES


def test_how_games_are_grouped_does_not_matter(tmp_path: Path) -> None:
    _write(tmp_path / "a", GAMES, shard_bytes=1000)
    writer = ShardWriter(tmp_path / "b", GAME, shard_bytes=1000)
    for game in GAMES:
        writer.append([game])
    writer.append([])
    assert _files(tmp_path / "a") == _files(tmp_path / "b")


def test_an_empty_folder_has_no_games(tmp_path: Path) -> None:
    assert list(read_games(tmp_path, GAME)) == []
    assert list(read_games(tmp_path, GAME, ShardEnd(0, 0))) == []


@pytest.mark.usefixtures("no_sync")
@pytest.mark.parametrize("shard_bytes", [500, 1000, 1 << 20])
def test_a_resumed_run_writes_the_same_bytes(tmp_path: Path, shard_bytes: int) -> None:
    """From every commit, whatever was written after it."""
    _write(tmp_path / "straight", GAMES, shard_bytes)
    straight = _files(tmp_path / "straight")
    for stop in range(0, len(GAMES) + 1, 3):
        folder = tmp_path / f"killed {stop}"
        writer = ShardWriter(folder, GAME, shard_bytes=shard_bytes)
        writer.append(GAMES[:stop])
        end = writer.commit()
        writer.append(GAMES[stop : stop + 7])
        writer.close()
        with (folder / "000001.tgr").open("ab") as last:
            last.write(b"half a fra")
        writer = ShardWriter.resume(folder, GAME, end, shard_bytes=shard_bytes)
        if end.shard == 1:
            assert all(damage.is_later for damage in writer.damage)  # shards that were begun since are set aside
            assert writer.end == end
            writer.append(GAMES[stop:])
            assert _files(folder) == straight
        else:  # the first shard had its end, so that bytes after it are damage
            assert [damage.path.name for damage in writer.damage if not damage.is_later] == ["000001.tgr"]
            assert list(read_games(folder, GAME, writer.end)) == GAMES[:stop]
            assert _files(folder)["000001.tgr"] == straight["000001.tgr"]
        writer.close()


def test_a_run_killed_before_its_first_commit_begins_anew(tmp_path: Path) -> None:
    _write(tmp_path, GAMES)
    before = _files(tmp_path)["000001.tgr"]
    (tmp_path / ".000002.tgr.tmp").write_bytes(b"half a hea")
    writer = ShardWriter.resume(tmp_path, GAME, ShardEnd(0, 0))
    [later] = writer.damage
    assert str(later) == f"{tmp_path}/000001.tgr has games that no checkpoint knows; they are in {later.set_aside}."
    assert _files(tmp_path / "set_aside") == {"000001.tgr": before}
    writer.append(GAMES[:2])
    assert list(read_games(tmp_path, GAME, writer.commit())) == GAMES[:2]
    assert {path.name for path in tmp_path.iterdir()} == {"000001.tgr", "set_aside"}


@pytest.mark.usefixtures("no_sync")
def test_a_cut_at_every_byte_is_found_and_the_games_before_it_are_kept(tmp_path: Path) -> None:
    games = GAMES[:4]
    ends = [_write(tmp_path / str(n), games[:n]).length for n in range(5)]
    whole = _files(tmp_path / "4")["000001.tgr"]
    folder = tmp_path / "cut"
    folder.mkdir()
    path = folder / "000001.tgr"
    end = ShardEnd(1, len(whole))
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        with pytest.raises(RecordError, match=r"000001\.tgr is damaged after byte"):
            list(read_games(folder, GAME, end))
        writer = ShardWriter.resume(folder, GAME, end)
        good = max((e for e in ends if e <= length), default=0)
        kept = games[: ends.index(good)] if good else []
        (damage,) = writer.damage
        assert (damage.path, damage.offset) == (path, good)
        assert list(read_games(folder, GAME, writer.end)) == kept
        if length > good:
            assert damage.set_aside is not None
            assert damage.set_aside.read_bytes() == whole[good:length]
            assert str(damage.set_aside) in str(damage)
        else:
            assert damage.set_aside is None
        writer.append(games[len(kept) :])
        assert path.read_bytes() == whole
        writer.close()


@pytest.mark.usefixtures("no_sync")
def test_a_flipped_bit_in_any_byte_is_found(tmp_path: Path) -> None:
    end = _write(tmp_path, GAMES[:3])
    path = tmp_path / "000001.tgr"
    whole = path.read_bytes()
    for byte in range(len(whole)):  # one bit of each; test_records.py flips them all, in memory
        damaged = bytearray(whole)
        damaged[byte] ^= 1 << byte % 8
        path.write_bytes(damaged)
        with pytest.raises(RecordError, match=r"000001\.tgr is damaged"):
            list(read_games(tmp_path, GAME, end))


def test_damage_in_the_middle_of_a_run_costs_the_rest_of_that_shard_only(tmp_path: Path) -> None:
    end = _write(tmp_path, GAMES, shard_bytes=1000)
    path = tmp_path / "000002.tgr"
    before = list(read_games(tmp_path, GAME, ShardEnd(1, _open_length(tmp_path / "000001.tgr"))))
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    writer = ShardWriter.resume(tmp_path, GAME, end, shard_bytes=1000)
    assert [damage.path for damage in writer.damage] == [path]
    assert "a checksum is wrong" in str(writer.damage[0])
    assert writer.end == end
    left = list(read_games(tmp_path, GAME, end))
    lost = len(GAMES) - len(left)
    assert 0 < lost < 10
    first_lost = next(i for i, game in enumerate(GAMES) if game not in left)
    assert first_lost >= len(before)
    assert left == GAMES[:first_lost] + GAMES[first_lost + lost :]
    writer.close()
    assert ShardWriter.resume(tmp_path, GAME, end, shard_bytes=1000).damage == ()


def _open_length(path: Path) -> int:
    return path.stat().st_size - 16  # its last frame, a count


def test_a_shard_without_its_end_or_altogether_gone_is_found(tmp_path: Path) -> None:
    end = _write(tmp_path, GAMES, shard_bytes=1000)
    with (tmp_path / "000001.tgr").open("rb+") as file:
        file.truncate(_open_length(tmp_path / "000001.tgr"))
    (tmp_path / "000003.tgr").unlink()
    with pytest.raises(RecordError, match=r"000001\.tgr is damaged.*games are missing at its end"):
        list(read_games(tmp_path, GAME, end))
    writer = ShardWriter.resume(tmp_path, GAME, end, shard_bytes=1000)
    first, second = writer.damage
    assert "games are missing at its end" in str(first)
    assert "it is missing" in str(second)
    assert 0 < len(list(read_games(tmp_path, GAME, end))) < len(GAMES)
    writer.close()
    assert ShardWriter.resume(tmp_path, GAME, end, shard_bytes=1000).damage == ()


def test_what_was_set_aside_is_never_written_over(tmp_path: Path) -> None:
    end = _write(tmp_path, GAMES[:1])
    path = tmp_path / "000001.tgr"
    whole = path.read_bytes()
    for byte in (b"a", b"b", b"c"):
        path.write_bytes(byte * len(whole))
        ShardWriter.resume(tmp_path, GAME, end).close()
    assert sorted(kept.read_bytes()[:1] for kept in (tmp_path / "set_aside").iterdir()) == [b"a", b"b", b"c"]


def test_games_of_another_game_are_refused_not_set_aside(tmp_path: Path) -> None:
    _write(tmp_path, GAMES, shard_bytes=1000)
    end = ShardEnd(2, 300)
    before = _files(tmp_path)
    for other in (tengen.load("connect_four"), tengen.load("gomoku", size=9)):
        with pytest.raises(RecordError, match="holds games of tic_tac_toe"):
            list(read_games(tmp_path, other, end))
        with pytest.raises(RecordError, match="holds games of tic_tac_toe"):
            ShardWriter.resume(tmp_path, other, end)
    assert _files(tmp_path) == before


def test_the_same_game_with_other_options_is_another_game(tmp_path: Path) -> None:
    large, small = tengen.load("gomoku", size=9), tengen.load("gomoku", size=7)
    writer = ShardWriter(tmp_path, large)
    writer.append([random_record(large, 1)])
    with pytest.raises(RecordError, match="size=9"):
        list(read_games(tmp_path, small, writer.commit()))


def test_a_new_run_does_not_write_over_an_old_one(tmp_path: Path) -> None:
    _write(tmp_path, GAMES)
    with pytest.raises(RecordError, match=r"games in .* already"):
        ShardWriter(tmp_path, GAME)


def test_unfinished_games_are_refused(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="finished"):
        ShardWriter(tmp_path, GAME).append([GAMES[0], replace(GAMES[1], outcome=None)])


def _full_after(good_writes: int) -> Callable[[int, bytes, int], int]:
    """A write like os.pwrite that works so many times, then takes half of the bytes, then none."""
    writes = count()
    real_write = os.pwrite

    def write(descriptor: int, data: bytes, offset: int) -> int:
        number = next(writes)
        if number > good_writes:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real_write(descriptor, data if number < good_writes else data[: len(data) // 2], offset)

    return write


@pytest.mark.usefixtures("no_sync")
def test_a_disk_that_fills_up_at_any_write_leaves_everything_readable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The n-th write takes half of its bytes and then fails, for every n; then there is room again."""
    _write(tmp_path / "straight", GAMES, shard_bytes=1000)
    real_write = os.pwrite
    failures = 0
    for n in range(100):
        folder = tmp_path / str(n)
        writer = ShardWriter(folder, GAME, shard_bytes=1000)
        end = writer.commit()
        done = 0
        monkeypatch.setattr(os, "pwrite", _full_after(n))
        try:
            while done < len(GAMES):
                writer.append(GAMES[done : done + 5])
                end = writer.commit()
                done += 5
        except DiskFullError:
            failures += 1
        monkeypatch.setattr(os, "pwrite", real_write)
        writer.close()
        assert list(read_games(folder, GAME, end)) == GAMES[:done]
        written = list(read_games(folder, GAME))
        assert written == GAMES[: len(written)]
        writer = ShardWriter.resume(folder, GAME, end, shard_bytes=1000)
        assert writer.damage == ()
        writer.append(GAMES[done:])
        writer.close()
        assert _files(folder) == _files(tmp_path / "straight")
        if done == len(GAMES):
            break
    assert failures > 15


@pytest.mark.parametrize("failing", ["fsync", "open"])
def test_a_disk_that_is_full_when_games_are_made_durable_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    writer = ShardWriter(tmp_path, GAME, shard_bytes=1000)
    writer.append(GAMES[:1])
    end = writer.commit()

    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as context:
        context.setattr(os, failing, fail)
        with pytest.raises(DiskFullError, match="disk is full"):
            writer.append(GAMES[1:])  # more than a shard
    writer.close()
    assert list(read_games(tmp_path, GAME, end)) == GAMES[:1]
    writer = ShardWriter.resume(tmp_path, GAME, end, shard_bytes=1000)
    assert writer.damage == ()
    writer.append(GAMES[1:])
    assert list(read_games(tmp_path, GAME, writer.commit())) == GAMES


_APPEND_FOR_EVER = """
    import sys
    from pathlib import Path
    sys.path.insert(0, sys.argv[2])
    from test_shards import GAME, GAMES
    from tengen.records import ShardEnd, ShardWriter
    end = ShardEnd(int(sys.argv[3]), int(sys.argv[4]))
    done = int(sys.argv[5])
    writer = ShardWriter.resume(Path(sys.argv[1]), GAME, end, shard_bytes=3000)
    while done < 1000:
        writer.append([GAMES[i % 40] for i in range(done, done + 10)])
        done += 10
        print(*writer.commit(), done, flush=True)
"""


def test_a_writer_killed_again_and_again_ends_with_the_same_bytes(tmp_path: Path) -> None:
    shard, length, done = 0, 0, 0
    kills = 0
    while done < 1000:
        process = subprocess.Popen(
            [
                sys.executable,
                "-c",
                textwrap.dedent(_APPEND_FOR_EVER),
                str(tmp_path / "killed"),
                str(Path(__file__).parent),
                *map(str, (shard, length, done)),
            ],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        for number, line in enumerate(process.stdout):
            if line.endswith("\n"):
                shard, length, done = map(int, line.split())
            if number == 5 + 9 * kills and kills < 4:
                process.send_signal(signal.SIGKILL)
                kills += 1
                break
        process.stdout.close()
        process.wait()
    assert kills == 4
    _write(tmp_path / "straight", GAMES * 25, shard_bytes=3000)
    assert _files(tmp_path / "killed") == _files(tmp_path / "straight")
