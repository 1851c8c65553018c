"""Memory that is not there is not promised: refused before anything is made, with the settings that ask for it."""

from pathlib import Path
from typing import Any

import pytest
from small_runs import small_config

import tengen
from tengen.base.memory import MemoryLimitError, memory_in_use, memory_there, parse_memory
from tengen.config import load_config
from tengen.engine import Engine, Limit
from tengen.interfaces.cli import run as command
from tengen.network.own_net import make_net
from tengen.run.folder import RunFolder
from tengen.run.footprint import check_memory, check_trees, count_parameters, threads_of
from tengen.train import train

GIGABYTE = 10**9
USER_ERROR = 2


@pytest.fixture
def four_gigabytes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that has 4.1 GB, whatever this one has."""
    sizes = {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": 1_000_000}
    monkeypatch.setattr("tengen.base.memory.os.sysconf", sizes.__getitem__)


def _must_not_be_called(*_: object, **__: object) -> Any:
    raise AssertionError("something was made before the memory was looked at")


# ---- Refusals

TOO_MUCH: dict[str, dict[str, Any]] = {
    r"a step of the learner \(learner.batch = 1000000000": {"learner": {"batch": 10**9}},
    r"evaluators \(self_play.threads = 1024": {"self_play": {"threads": 1024}},
    r"copies of the network \(learner.threads = 1024": {"learner": {"threads": 1024}, "network": {"channels": 256}},
    r"the trees of self-play \(self_play.threads = 1, self_play.games_per_unit = 1000000,": {
        "self_play": {"threads": 1, "games_per_unit": 10**6}
    },
    r"games in flight \(self_play.units = 65536": {"self_play": {"threads": 1, "units": 65_536, "games_per_unit": 64}},
    r"self_play.simulations = 1000000000": {"self_play": {"simulations": 10**9}},
    r"self_play.final_simulations = 1000000000": {"self_play": {"final_simulations": 10**9}},
    r"remembered evaluations \(.*cache_entries = 1000000000": {"self_play": {"search": {"cache_entries": 10**9}}},
    r"network.channels = 1024, network.blocks = 60": {"network": {"blocks": 60, "channels": 1024}},
    r"the trees of matches \(arena.games = 1000000000": {"arena": {"games": 10**9}},
    r"the trees of matches \(.*'rollout:1000000000'": {"arena": {"anchors": ["rollout:1000000000"]}},
    r"the replay window \(replay.window_most = 1000000000": {
        "replay": {"window_most": 10**9},
        "self_play": {"positions": 10**9},
    },
}


@pytest.mark.usefixtures("four_gigabytes")
@pytest.mark.parametrize("words", TOO_MUCH)
def test_too_much_is_refused_with_the_settings_that_ask_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str
) -> None:
    monkeypatch.setattr("tengen.methods.alphazero.AlphaZero.new_learner", staticmethod(_must_not_be_called))
    before = memory_in_use()
    config = load_config(game="connect_four", **TOO_MUCH[words])
    with pytest.raises(MemoryLimitError, match=rf"may take up to .* GB, and this machine has 4\.1 GB\..*{words}"):
        train(config, tmp_path / "run")
    assert list(tmp_path.iterdir()) == []
    assert memory_in_use() - before < 100 << 20


@pytest.mark.usefixtures("four_gigabytes")
def test_a_window_that_may_not_fit_when_it_is_full_is_a_warning() -> None:
    game = tengen.load("connect_four")
    config = load_config(game="connect_four", replay={"window_most": 50_000_000})
    asked = {"parameters": 10**5, "threads": 1}
    assert "If its memory does not suffice, lower replay.window_most" in check_memory(game, config, **asked)
    with pytest.raises(MemoryLimitError, match=r"With replay.window_most = \d+000 it would fit"):
        check_memory(game, config, **asked, given=3 * GIGABYTE)


@pytest.mark.parametrize("game", ["tic_tac_toe", "go", "examples/breakthrough.py"])
@pytest.mark.parametrize("network", [{}, {"blocks": 6, "channels": 96, "block": "se"}, {"preset": "tiny"}], ids=str)
def test_parameters_are_counted_without_making_the_network(game: str, network: dict[str, Any]) -> None:
    rules = tengen.load(game)
    config = load_config(game=game, network=network)
    made = sum(parameter.numel() for parameter in make_net(rules.spec, config.network, seed=1).parameters())
    assert made <= count_parameters(rules, config) < 1.2 * made


def test_trees_of_a_match_are_refused() -> None:
    with pytest.raises(MemoryLimitError, match="64 searches of 10000000 simulations side by side may take up to"):
        check_trees(tengen.load("go"), 64, 10**7)
    check_trees(tengen.load("go"), 64, 1000)


# ---- The memory there is


def fake_root(folder: Path, cgroup: str, files: dict[str, str]) -> Path:
    for name, content in {"proc/self/cgroup": cgroup, **files}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return folder


GROUPS: dict[str, tuple[str, dict[str, str], int | None]] = {
    "version 2": ("0::/a/b\n", {"sys/fs/cgroup/a/b/memory.max": "2000000000\n"}, 2 * GIGABYTE),
    "a group around it": (
        "0::/a/b\n",
        {"sys/fs/cgroup/a/b/memory.max": "max\n", "sys/fs/cgroup/a/memory.max": "3000000000\n"},
        3 * GIGABYTE,
    ),
    "a namespace": ("0::/\n", {"sys/fs/cgroup/memory.max": "1000000000\n"}, GIGABYTE),
    "the path of the host": ("0::/docker/x\n", {"sys/fs/cgroup/memory.max": "1000000000\n"}, GIGABYTE),
    "version 1": (
        "4:memory:/docker/x\n3:cpu:/\n",
        {"sys/fs/cgroup/memory/docker/x/memory.limit_in_bytes": "1500000000\n"},
        3 * GIGABYTE // 2,
    ),
    "version 1 in a container": (
        "4:cpu,memory:/docker/x\n",
        {"sys/fs/cgroup/memory/memory.limit_in_bytes": "1500000000\n"},
        3 * GIGABYTE // 2,
    ),
    "both": (
        "4:memory:/x\n0::/x\n",
        {
            "sys/fs/cgroup/memory/x/memory.limit_in_bytes": "9223372036854771712\n",
            "sys/fs/cgroup/unified/x/memory.max": "7",
        },
        7,
    ),
    "no limit": ("0::/a\n", {"sys/fs/cgroup/a/memory.max": "max\n"}, None),
    "nonsense": ("what\n::\n", {}, None),
}


@pytest.mark.usefixtures("four_gigabytes")
@pytest.mark.parametrize("name", GROUPS)
def test_the_limit_of_a_container_counts(tmp_path: Path, name: str) -> None:
    cgroup, files, limit = GROUPS[name]
    found = memory_there(root=fake_root(tmp_path, cgroup, files))
    assert (found.bytes, found.whose) == (
        (limit, "this container may take") if limit is not None else (4_096_000_000, "this machine has")
    )
    assert memory_there(5, tmp_path).whose == "--memory allows"


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("4GB", 4 * GIGABYTE),
        ("4gb", 4 * GIGABYTE),
        ("2 GiB", 2 << 30),
        ("1.5G", 3 * GIGABYTE // 2),
        ("500M", 5 * 10**8),
    ],
)
def test_sizes(text: str, size: int) -> None:
    assert parse_memory(text) == size


@pytest.mark.parametrize("text", ["", "4", "GB", "-1GB", "4XB", "1e9", "nan", "0GB", "9" * 400, "9" * 15 + "TB"])
def test_sizes_that_are_none(text: str) -> None:
    with pytest.raises(MemoryLimitError, match="--memory takes a size such as 4GB or 500MB"):
        parse_memory(text)


# ---- --memory


@pytest.mark.parametrize("size", ["1MB", "400MB"])
def test_a_run_that_may_need_more_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str], size: str) -> None:
    folder = tmp_path / "run"
    assert command(["train", "tic_tac_toe", "--iterations", "1", "--run", str(folder), "--memory", size]) == USER_ERROR
    assert "--memory" in capsys.readouterr().err
    assert not folder.exists()


def test_a_run_that_takes_more_after_all_ends_with_its_iteration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "run"
    limit = 50 * GIGABYTE
    monkeypatch.setattr("tengen.base.memory.os.sysconf", lambda name: 10**6)
    with monkeypatch.context() as patch:
        patch.setattr("tengen.train.memory_in_use", lambda: limit + 1)
        with pytest.raises(MemoryLimitError, match=r"has taken 50\.0 GB, more than the 50\.0 GB that it may"):
            train(small_config(2), folder, memory=limit)
    with RunFolder(folder, small_config(2)) as run:
        commit = run.newest_commit()
    assert commit is not None
    assert commit.iteration == 1
    train(small_config(2), folder, memory=limit)


def test_threads_of_a_config() -> None:
    assert threads_of(small_config()) == 2
    assert threads_of(load_config(game="go")) >= 1


@pytest.mark.parametrize(
    "arguments",
    [
        ["match", "tic_tac_toe", "rollout:100000000", "random", "--games", "2", "--memory", "1GB"],
        ["match", "tic_tac_toe", "random", "random", "--memory", "1MB"],
        ["gtp", "go_9x9", "--memory", "nonsense"],
        ["gtp", "go_9x9", "--memory", "1MB"],
        ["serve", "--no-browser", "--memory", "1MB"],
    ],
    ids=" ".join,
)
def test_commands_that_search_refuse_too_little(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert command(arguments) == USER_ERROR
    assert "--memory" in capsys.readouterr().err


def test_a_tree_stays_under_its_limit() -> None:
    game = tengen.load("go", size=9)
    engine = Engine(game, most_tree_bytes=1 << 20)
    found = engine.think(Limit(simulations=100_000))
    assert found.stopped == "node cap"
    assert engine.tree_bytes < 4 << 20  # arrays grow by doubling


STAGES_ALONE = {
    "self_play.games_per_unit": ["selfplay", "tic_tac_toe", "--model", "tic_tac_toe", "--out", "OUT"],
    "learner.batch": ["learn", "tic_tac_toe", "--records", "nowhere", "--out", "OUT"],
    "self_play.simulations": ["doctor", "tic_tac_toe"],
}


@pytest.mark.usefixtures("four_gigabytes")
@pytest.mark.parametrize("setting", STAGES_ALONE)
def test_stages_alone_are_refused_too(tmp_path: Path, capsys: pytest.CaptureFixture[str], setting: str) -> None:
    arguments = [part.replace("OUT", str(tmp_path / "out")) for part in STAGES_ALONE[setting]]
    assert command([*arguments, "--set", f"{setting}=1000000000"]) == USER_ERROR
    assert f"{setting} = 1000000000" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
