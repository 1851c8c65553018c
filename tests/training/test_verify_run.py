"""`tengen verify-run`: finds every kind of damage, names what is good, sets the rest aside and deletes nothing."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from small_runs import small_config, what_counts

import tengen
from tengen.base.durable import run_lock
from tengen.interfaces.cli import run as command
from tengen.records import ShardEnd, ShardWriter, read_games
from tengen.run.folder import RunFolderError
from tengen.run.verify import Verdict, repair_run, verify_run
from tengen.train import train

Begun = Callable[[], Path]
GAME = tengen.load("tic_tac_toe")


def flip(path: Path, where: float = 0.6) -> None:
    content = bytearray(path.read_bytes())
    content[int(len(content) * where)] ^= 0x10
    path.write_bytes(bytes(content))


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-7])


def problems(verdict: Verdict) -> list[str]:
    return [str(finding).removeprefix(f"{verdict.folder}/") for finding in verdict.findings]


def bytes_of(folder: Path) -> set[bytes]:
    return {path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.name != "lock"}


def test_a_good_run_has_no_findings(four_iterations: Path) -> None:
    before = bytes_of(four_iterations)
    found = verify_run(four_iterations, GAME)
    assert found.findings == ()
    assert found.commits == (4, 3)
    assert found.networks == (4,)
    assert found.replayed
    games = list(read_games(four_iterations / "games", GAME))
    assert (found.games, found.positions) == (len(games), sum(len(game.recorded) for game in games))
    assert bytes_of(four_iterations) == before


@pytest.mark.parametrize(
    ("name", "damage", "words"),
    [
        ("state/000003.json", flip, "state/000003.json: the checkpoint of iteration 3 can't be used"),
        ("state/000003.safetensors", flip, "000003.safetensors does not match its checksum"),
        ("state/000002.games", cut, "000002.games does not match its checksum"),
        ("state/000003.json", Path.unlink, "state/000003.safetensors: it belongs to no checkpoint"),
        ("networks/000003.safetensors", flip, "is damaged: it is not what was saved"),
        ("games/000001.tgr", flip, "a checksum is wrong; the "),
        ("games/000001.tgr", cut, "it ends in the middle of a frame"),
        ("games/000001.tgr", Path.unlink, "games/000001.tgr: it is missing"),
        ("metrics.jsonl", flip, "metrics.jsonl: line 2 is damaged"),
        ("metrics.jsonl", Path.unlink, "bytes shorter than the checkpoint says"),
        ("config.toml", Path.unlink, "config.toml: The config"),
    ],
)
def test_every_damage_is_found(begun: Begun, name: str, damage: Callable[[Path], object], words: str) -> None:
    folder = begun()
    damage(folder / name)
    before = bytes_of(folder)
    assert any(words in problem for problem in problems(verify_run(folder, GAME)))
    assert bytes_of(folder) == before


@pytest.mark.parametrize(
    "name",
    ["state/000003.json", "state/000003.games", "networks/000003.safetensors", "games/000001.tgr", "metrics.jsonl"],
)
def test_a_repaired_run_is_good_and_goes_on(begun: Begun, name: str) -> None:
    folder = begun()
    flip(folder / name)
    damaged = (folder / name).read_bytes()
    said = repair_run(verify_run(folder, GAME), GAME)
    assert any("set_aside" in sentence for sentence in said)
    aside = [path.read_bytes() for path in folder.glob("*/set_aside/*")]
    assert any(content and content in damaged for content in aside)  # of append-only files the part that was not good
    assert problems(verify_run(folder, GAME)) == []
    train(small_config(4), folder)
    assert problems(verify_run(folder, GAME)) == []


def test_a_run_without_checkpoints_is_set_aside_as_a_whole(begun: Begun, four_iterations: Path) -> None:
    folder = begun()
    shutil.rmtree(folder / "state")
    (folder / "metrics.jsonl").unlink()
    before = bytes_of(folder)
    found = verify_run(folder, GAME)
    assert "no checkpoint can be used, so the run can't go on" in problems(found)[-1]
    assert "begins the run anew" in repair_run(found, GAME)[-1]
    assert before <= bytes_of(folder)
    train(small_config(4), folder)
    assert what_counts(folder) == what_counts(four_iterations)
    assert before - {(folder / "config.toml").read_bytes()} <= bytes_of(folder)


def test_a_game_that_the_rules_do_not_allow_is_found_though_its_checksum_is_right(begun: Begun) -> None:
    """As a bug of another program, or a forger, would write it."""
    folder = begun()
    games = list(read_games(folder / "games", GAME))
    illegal = tengen.records.decode(tengen.records.encode(games[5]))
    object.__setattr__(illegal, "moves", illegal.moves[::-1].copy())
    (folder / "games" / "000001.tgr").unlink()
    writer = ShardWriter(folder / "games", GAME)
    writer.append([*games[:5], illegal, *games[6:]])
    writer.commit()
    writer.close()
    found = verify_run(folder, GAME)
    assert any("000001.tgr: the game at byte" in problem for problem in problems(found))
    repair_run(found, GAME)
    assert list(read_games(folder / "games", GAME)) == games[:5]
    assert verify_run(folder, GAME).findings == ()


def test_games_after_the_checkpoint_are_set_aside_and_not_cut_off(begun: Begun) -> None:
    folder = begun()
    games = list(read_games(folder / "games", GAME))
    size = (folder / "games" / "000001.tgr").stat().st_size
    writer = ShardWriter.resume(folder / "games", GAME, ShardEnd(1, size))
    writer.append(games[:2])
    writer.commit()
    writer.close()
    later = (folder / "games" / "000001.tgr").read_bytes()[size:]
    found = verify_run(folder, GAME)
    assert any("games that no checkpoint knows" in problem for problem in problems(found))
    repair_run(found, GAME)
    assert later in bytes_of(folder)
    assert list(read_games(folder / "games", GAME)) == games


def test_a_missing_network_is_no_damage(begun: Begun) -> None:
    folder = begun()
    path = folder / "networks" / "000003.safetensors"
    path.unlink()
    found = verify_run(folder, GAME)
    assert found.findings == ()
    assert found.notes == (f"{path}, which plays, is not there; the run writes it anew when it goes on.",)


def test_a_run_in_use_and_a_folder_that_is_no_run_are_refused(begun: Begun, tmp_path: Path) -> None:
    folder = begun()
    with run_lock(folder), pytest.raises(RunFolderError, match="is in use by process"):
        verify_run(folder, GAME)
    with pytest.raises(RunFolderError, match="is not the folder of a run"):
        verify_run(tmp_path / "nowhere", GAME)


def test_the_command(begun: Begun, capsys: pytest.CaptureFixture[str]) -> None:
    folder = begun()
    assert command(["verify-run", str(folder)]) == 0
    said = capsys.readouterr().out
    assert f"0 problems in {folder}." in said
    assert "Good: 2 checkpoints, the newest of iteration 3;" in said
    flip(folder / "state" / "000003.json")
    assert command(["verify-run", str(folder)]) == 1
    assert "--repair sets aside what is wrong; nothing is deleted" in capsys.readouterr().out
    assert command(["verify-run", str(folder), "--repair"]) == 0
    assert "it is in" in capsys.readouterr().out
    assert command(["verify-run", str(folder)]) == 0


def test_rules_in_a_file_run_only_if_they_are_named(
    begun: Begun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = begun()
    evil = tmp_path / "evil.py"
    evil.write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    path = folder / "config.toml"
    path.write_text(path.read_text().replace('game = "tic_tac_toe"', f'game = "{evil}"'))
    assert command(["verify-run", str(folder)]) == 1
    assert "were not played again, because the rules are a file: name it with --game" in capsys.readouterr().out
    assert command(["verify-run", str(folder), "--repair"]) == 2
    assert "name it: --game RULES.py" in capsys.readouterr().err
    assert not (tmp_path / "ran").exists()
