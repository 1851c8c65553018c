"""The same run on one machine and on a cluster: the same bits, whatever dies on the way."""

import os
import re
import signal
import socket
from dataclasses import replace
from pathlib import Path

import pytest
from clusters import add_node, cluster_of
from small_runs import small_config, what_counts

import tengen
from tengen.arena import play_match
from tengen.cluster import ClusterError, SentFiles, connect, differences
from tengen.cluster.facts import facts_here
from tengen.cluster.sending import Parcel
from tengen.players import make_player
from tengen.report import IterationReport, SilentObserver
from tengen.run.metrics import read_reports
from tengen.strength.jobs import Seats, match_by_crew
from tengen.train import train

UNITS = {"units": 4, "games_per_unit": 2}


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What the run ends with that nobody touched, on the threads of one machine."""
    folder = tmp_path_factory.mktemp("alone") / "run"
    train(small_config(iterations=4, self_play=UNITS), folder)
    return what_counts(folder)


class Chaos(SilentObserver):
    """Kills a worker after the first iteration, and adds a node and ends another after the second."""

    def __init__(self, cluster: object, workers: list[int]) -> None:
        self.cluster = cluster
        self.workers = workers
        self.reports: list[IterationReport] = []

    def iteration_finished(self, report: IterationReport) -> None:
        self.reports.append(report)
        if report.iteration == 1:
            os.kill(self.workers[0], signal.SIGKILL)
        if report.iteration == 2:
            add_node(self.cluster)  # type: ignore[arg-type]
            os.kill(self.workers[1], signal.SIGSTOP)


def test_same_bits_on_a_cluster_whose_workers_die_and_freeze(tmp_path: Path, alone: dict[str, bytes]) -> None:
    with cluster_of(2) as cluster, connect(cluster.address, patience=4.0) as crew:
        assert crew.threads == 2
        chaos = Chaos(cluster, [facts.process for facts, _ in crew.facts])
        train(small_config(iterations=4, self_play=UNITS), tmp_path / "run", chaos, crew=crew)
    assert what_counts(tmp_path / "run") == alone
    assert [sum(node.units for node in report.self_play.nodes) for report in chaos.reports] == [4] * 4
    assert sum(node.lost for report in chaos.reports for node in report.self_play.nodes) > 0


def test_partners_learn_as_one_machine_does(tmp_path: Path) -> None:
    """Two processes take the parts of a batch that two replicas would take."""
    alone = small_config(iterations=2, learner={"precision": "f32"})
    train(alone, tmp_path / "alone")
    shared = small_config(iterations=2, learner={"precision": "f32", "partners": 2, "threads": 1})
    with connect("local") as crew:
        train(shared, tmp_path / "shared", crew=crew)
        match = match_by_crew(crew, tengen.load("tic_tac_toe"), ("uniform:8", "rollout:16"), games=20, seed=3)
    one, other = (read_reports(tmp_path / name) for name in ("alone", "shared"))
    for mine, theirs in zip(one, other, strict=True):
        assert theirs.learner.policy_loss == pytest.approx(mine.learner.policy_loss, rel=1e-4)
        assert theirs.learner.value_loss == pytest.approx(mine.learner.value_loss, rel=1e-4)
    game = tengen.load("tic_tac_toe")
    here = play_match(game, (make_player("uniform:8", game), make_player("rollout:16", game)), games=20, seed=3)
    assert [played.final for played in match.games] == [played.final for played in here.games]


def test_a_cluster_that_is_not_there_is_refused_with_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{taken.getsockname()[1]}"  # bound, but nobody listens
        with pytest.raises(ClusterError, match=f"No cluster answers at {address}"), connect(address):
            pass
        monkeypatch.setenv("RAY_ADDRESS", address)
        with pytest.raises(ClusterError, match=r"belongs to no Ray cluster.* has ended"), connect("auto"):
            pass
    for wrong in ("nowhere", "host:port", "10.0.0.1:99999"):
        with pytest.raises(ClusterError, match="takes auto, local, HOST:PORT"), connect(wrong):
            pass


def test_a_cluster_that_asks_for_a_token_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(**given: object) -> None:
        try:
            raise RuntimeError("Last connection error: ray.exceptions.AuthenticationError: RPC error: InvalidAuthToken")
        except RuntimeError as error:
            raise ConnectionError("Failed to connect to Ray cluster") from error

    monkeypatch.setattr("ray.init", refused)
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(ClusterError, match=f"at {address} asks for a token.*RAY_AUTH_MODE=token"), connect(address):
            pass


def test_a_ray_that_does_not_start_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    def too_slow(**given: object) -> None:
        raise Exception("The current node timed out\nduring startup.")  # as Ray does

    monkeypatch.setattr("ray.init", too_slow)
    with pytest.raises(ClusterError, match=r"did not start on this machine: .* timed out during startup"):
        connect("local").__enter__()


def test_only_the_users_own_files_are_sent() -> None:
    assert SentFiles.of(tengen.load("go")) == SentFiles()
    rules = Path(__file__).parents[2] / "examples" / "breakthrough.py"
    assert SentFiles.of(tengen.load(str(rules)), "net.py:Net") == SentFiles((rules,), ("net.py:Net",))


def test_a_rules_file_that_only_the_head_has_is_sent_along(tmp_path: Path) -> None:
    rules = tmp_path / "breakthrough.py"
    rules.write_bytes((Path(__file__).parents[2] / "examples" / "breakthrough.py").read_bytes())
    game = tengen.load(str(rules))
    parcel = Parcel.pack({"game": game, "state": game.initial_state()}, SentFiles.of(game))
    rules.unlink()
    opened = parcel.open()
    assert opened["game"].spec.rules_digest == game.spec.rules_digest
    assert Path(opened["game"].spec.source).name == "breakthrough.py"
    assert str(opened["state"]) == str(game.initial_state())


def test_without_ray_a_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ClusterError, match=re.escape("pip install 'tengen[cluster]'")), connect("local"):
        pass


def test_nodes_that_differ_are_named() -> None:
    here = facts_here()
    assert differences(here, [here]) == []
    other = replace(here, name="far", tengen="0.0.1", processor="a VAX", packages={**here.packages, "openvino": ""})
    sentences = differences(here, [here, other])
    assert len(sentences) == 3
    assert all(sentence.startswith("far: ") and sentence.endswith("bits may differ.") for sentence in sentences)


def test_players_of_one_machine_are_refused() -> None:
    for player in ("gtp:gnugo --mode gtp", "search:connect_four:2s"):
        with pytest.raises(tengen.TengenError, match="can't play on a cluster"):
            Seats.of(tengen.load("connect_four"), [player, "random"])
