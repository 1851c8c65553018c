"""`tengen bench selfplay`: what it prints, how it asks its peers, and that the peer in Python is the example."""

import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import tengen
from tengen.bench import peers as bench_peers
from tengen.bench import selfplay
from tengen.bench.peers import Peer, PeerError, Turn, has_peers, make_peers, peers_folder
from tengen.bench.selfplay import measured_rival
from tengen.interfaces.cli.bench_selfplay import MAKE_PEERS

PEERS = Path(__file__).parents[2] / "benchmarks" / "peers"
QUICK = ["--slices", "1", "--seconds", "0.01", "--only", "connect_four"]
ANSWERS = """
import json, sys
print(json.dumps({"ready": "a pretence"}), flush=True)
for line in sys.stdin:
    moves = int(line)
    if moves > 100:
        sys.exit("That is too much.")
    print(json.dumps({"simulations": 10 * moves, "seconds": float(sys.argv[1]), "processor_seconds": 2.0}), flush=True)
"""


@pytest.fixture
def command(tmp_path: Path):  # type: ignore[no-untyped-def]
    """A peer that claims to take so many seconds."""
    program = tmp_path / "pretence.py"
    program.write_text(ANSWERS)
    return lambda seconds: [sys.executable, str(program), str(seconds)]


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TENGEN_CACHE", str(tmp_path))
    return tmp_path


@pytest.fixture(scope="module")
def peers() -> Iterator[None]:
    """The folder of the peers is where their programs look for each other."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(PEERS))
        yield


@pytest.fixture(scope="module")
def one_leaf(peers: None) -> ModuleType:
    return importlib.import_module("one_leaf")


def test_processes_of_a_peer_work_at_the_same_time(command) -> None:
    with Peer([command(4.0), command(5.0)]) as peer:
        assert peer.setting == "a pretence"
        turn = peer.turn(3)
    assert turn == Turn(simulations=60, seconds=5.0, processor_seconds=4.0)
    assert (turn.rate, turn.processor_rate) == (12.0, 15.0)


def test_a_peer_that_fails_says_why(command) -> None:
    with Peer([command(1.0)]) as peer, pytest.raises(PeerError, match=r"pretence\.py .*: That is too much\."):
        peer.turn(101)
    with pytest.raises(PeerError, match="missing"):
        Peer([[sys.executable, "missing.py"]])


def test_a_ratio_is_the_median_of_the_rounds() -> None:
    rounds = [
        {"ours": Turn(ours, 1.0, 2.0), "peer": Turn(theirs, 2.0, 2.0)}
        for ours, theirs in ((300, 60), (100, 10), (800, 100))
    ]
    rival = measured_rival("as it is", "peer", rounds)
    assert (rival.ratio, rival.processor_ratio, rival.simulations_per_second) == (16.0, 8.0, 30.0)


def test_peers_count_only_if_they_are_of_these_versions(cache: Path) -> None:
    assert not has_peers()
    peers_folder().mkdir()
    made = peers_folder() / "requirements.txt"
    made.write_text("mctx==0.0.1\n")
    assert not has_peers()
    made.write_text((PEERS / "requirements.txt").read_text())
    assert has_peers()
    make_peers()  # nothing left to do


def test_peers_can_not_be_made_without_the_sources(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_peers, "SOURCES", cache / "nowhere")
    assert not has_peers()
    with pytest.raises(PeerError, match="source tree"):
        make_peers()


def test_without_peers_nothing_is_invented(
    cache: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(selfplay, "GAMES_PER_THREAD", 8)
    assert tengen.interfaces.cli.run(["bench", "selfplay", "--json", *QUICK]) == 0
    printed = capsys.readouterr()
    assert printed.err.strip() == MAKE_PEERS
    speeds = json.loads(printed.out)
    assert list(speeds) == ["connect_four"]
    speed = speeds["connect_four"]
    assert speed["ratio_mctx_pgx"] is None
    assert speed["ratio_mctx_pgx_process_per_core"] is None
    assert speed["ratio_one_leaf"] > 0
    assert speed["simulations_per_second"] > 0
    assert 0.5 < speed["evaluations_per_second"] / speed["simulations_per_second"] < 2
    shares = [speed[f"{part}_share"] for part in ("evaluator", "tree", "move")]
    assert all(0 < share < 1 for share in shares)
    assert sum(shares) == pytest.approx(1.0, abs=0.01)
    assert {"torch f32", "openvino f32"} <= set(speed["positions_per_second_at_batch_64"])


@pytest.mark.parametrize("arguments", [["--slices", "0"], ["--seconds", "-1"]])
def test_bad_numbers_are_refused(refused, arguments: list[str]) -> None:
    assert "slice" in refused("bench", "selfplay", *arguments)


@pytest.mark.parametrize(("game", "rules"), [("connect_four", "its own"), ("go:size=5,komi=7.0", "tengen's")])
def test_the_search_in_python_is_that_of_the_example(
    one_leaf: ModuleType, game: str, rules: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In this process: another one would import torch for seconds."""
    monkeypatch.setattr(sys, "argv", ["one_leaf.py", game, "--simulations", "4"])
    monkeypatch.setattr(sys, "stdin", ["2\n"])
    monkeypatch.setattr(one_leaf, "choose_threads", lambda game, network: 1)
    one_leaf.main()
    ready, turn = map(json.loads, capsys.readouterr().out.splitlines())
    assert ready["ready"].endswith(f"in 1 thread, {rules} rules")
    assert turn["simulations"] == 8
    assert one_leaf.alphazero.__file__.endswith("examples/alphazero.py")


def test_its_command_names_the_game_with_its_options() -> None:
    command = bench_peers.one_leaf("go", {"size": 9, "komi": 7.0, "superko": True}, 32)
    assert command[2:] == ["go:size=9,komi=7.0,superko=true", "--simulations", "32"]
