"""A lineage of seconds: all members there are, killed and gone on with, and a page with everything in it."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

import tengen
from tengen import TengenError
from tengen.config import load_config
from tengen.interfaces.cli import run
from tengen.interfaces.lineage_page import build_lineage_page
from tengen.lineage import MEMBERS, Contest, LineageError, hold, members_named
from tengen.lineage.contest import PARTS
from tengen.methods import METHODS

SMALL_NETWORK = ("network.blocks=1", "network.channels=8", "self_play.positions=256", "learner.batch=64")


def contest(*names: str, **changes: object) -> Contest:
    """Of seconds, with small networks."""
    members = tuple(
        replace(member, sets=(*member.sets, *SMALL_NETWORK)) if member.learns else member
        for member in members_named(names)
    )
    whole = Contest(tengen.load("tic_tac_toe"), members, 0.05, games=2, simulations=4, rollouts=20, depth=2)
    return replace(whole, **changes)


def test_every_method_of_a_member_is_registered_or_left_out() -> None:
    names = {member.name for member in members_named(())}
    assert {"random", "alpha-beta", "classic MCTS", "DQN", "REINFORCE", "AlphaGo Zero", "AlphaZero", "tengen"} <= names
    assert names == {member.name for member in MEMBERS if not member.method or member.method in METHODS}


def test_an_unknown_member_is_refused_with_a_hint() -> None:
    with pytest.raises(TengenError, match="did you mean 'dqn'"):
        members_named(["dqm"])
    assert [member.name for member in members_named(["tengen", "alpha-beta", "random"])] == [
        "random",
        "alpha-beta",
        "tengen",
    ]


def test_a_lineage_goes_on_after_a_kill_and_has_a_page(tmp_path: Path) -> None:
    given = contest("random", "alpha-beta", "dqn", "reinforce")

    class Kill:
        def run_started(self, report: object) -> None: ...
        def stage(self, name: str, done: int, total: int) -> None: ...
        def iteration_finished(self, report: object) -> None:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        hold(given, tmp_path, observer=Kill())
    played: list[tuple[int, int]] = []
    trained: list[str] = []
    result = hold(
        given,
        tmp_path,
        on_member=lambda member, number, total: trained.append(member.name),
        on_tournament=lambda done, total: played.append((done, total)),
    )
    assert trained == ["REINFORCE", "DQN"]
    assert played[-1][0] == played[-1][1]
    assert {snapshot.member.name for snapshot in result.finals} == {"random", "alpha-beta", "DQN", "REINFORCE"}
    zero = next(snapshot for snapshot in result.finals if snapshot.member.name == "random")
    standing = result.standing(zero)
    assert standing is not None
    assert standing.elo == 0.0
    assert all(cost > 0.0 for cost in result.costs.values())
    page = build_lineage_page(result, "The lineage", "a command")
    for snapshot in result.finals:
        assert snapshot.member.name in page
    assert not re.search(r"(src|href)=\"https?:", page)

    before = (tmp_path / "costs.json").read_text()
    again = hold(given, tmp_path)
    assert again.tournament.standings == result.tournament.standings
    assert (tmp_path / "costs.json").read_text() == before


def test_networks_are_kept_on_the_way(tmp_path: Path) -> None:
    given = contest("random", "dqn", minutes=0.1)
    result = hold(given, tmp_path)
    minutes = [snapshot.minutes for snapshot in result.snapshots if snapshot.member.name == "DQN"]
    assert minutes[-1] == given.minutes
    assert set(minutes[:-1]) <= {part * given.minutes for part in PARTS}


def test_another_lineage_in_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "lineage.json").write_text(json.dumps(contest("random", "alpha-beta").settings()))
    with pytest.raises(LineageError, match=r"its seed is 1, not 2"):
        hold(contest("random", "alpha-beta", seed=2), tmp_path)
    (tmp_path / "lineage.json").write_text("{")
    with pytest.raises(LineageError, match="damaged"):
        hold(contest("random", "alpha-beta"), tmp_path)


def test_by_processor_time_a_member_learns_in_one_thread(tmp_path: Path) -> None:
    hold(contest("random", "dqn", processor_time=True), tmp_path)
    config = load_config(tmp_path / "runs" / "dqn" / "config.toml")
    assert (config.learner.threads, config.self_play.threads, config.self_play.units) == (1, 1, 1)
    with pytest.raises(LineageError, match=r"its processor_time is True, not False"):
        hold(contest("random", "dqn"), tmp_path)


def test_a_folder_that_does_not_say_whose_minutes_they_are_goes_by_the_clock(tmp_path: Path) -> None:
    settings = contest("random", "alpha-beta").settings()
    del settings["processor_time"]
    (tmp_path / "lineage.json").write_text(json.dumps(settings))
    assert hold(contest("random", "alpha-beta"), tmp_path).finals


def test_without_games_that_exist_there_is_a_sentence(tmp_path: Path) -> None:
    if "imitation" not in METHODS:
        return
    with pytest.raises(LineageError, match="--records"):
        hold(contest("random", "imitation"), tmp_path)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--minutes", "0"], "minutes"),
        (["--games", "3"], "even"),
        (["--depth", "0"], "depth"),
        (["--records", "nowhere"], "not a folder"),
        (["--members", "chess"], "no member"),
    ],
)
def test_wrong_arguments_are_refused(refused, arguments: list[str], words: str) -> None:  # type: ignore[no-untyped-def]
    assert words in refused("lineage", "tic_tac_toe", *arguments)


def test_the_command_prints_a_table_and_writes_the_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Members that do not learn: seconds."""
    folder = tmp_path / "lineage"
    arguments = [
        "--members",
        "random",
        "alpha-beta",
        "classic_mcts",
        "--games",
        "2",
        "--rollouts",
        "20",
        "--depth",
        "2",
    ]
    assert run(["lineage", "examples/breakthrough.py", *arguments, "--folder", str(folder)]) == 0
    printed = capsys.readouterr().out
    assert "| random " in printed
    assert "alpha-beta" in (folder / "lineage.html").read_text()
