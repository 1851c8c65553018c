"""A run on machines whose network loses packets and falls apart for a minute: the bits of one that nobody touched.

The machines are network namespaces (tests/support/namespaces.py). On each one `ray start --block` is started again
whenever it ends, as docs/cluster.md says: Ray takes a machine for dead that was out of reach for half a minute, and
what is left of Ray there then ends.
"""

import os
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from namespaces import Network, network_of
from small_runs import Stopped, Stopper, small_config, what_counts

from tengen.run.metrics import read_reports
from tengen.train import train

MACHINES = 3  # the first leads and has no cores
LOSS = 0.03  # of the packets that arrive at each machine
PARTITION_SECONDS = 60.0
ITERATIONS = (
    100_000  # more than there is time for: the run is stopped when the network has been whole again for a while
)
PLAY = {"units": 6, "games_per_unit": 8, "positions": 1200, "simulations": 24}
SUPPORT = Path(__file__).parents[1] / "support"
ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "RAY_AUTH_MODE": "token",
    "RAY_AUTH_TOKEN": secrets.token_hex(32),
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_worker_niceness": "0",  # beside other work Ray's 15 leaves them nothing
    "RAY_worker_register_timeout_seconds": "300",
}
# The ports are free in a network of one's own. Those of its agents that Ray has to find itself it awaits for 15 s only.
PORTS = {
    "dashboard-agent-grpc": 6380,
    "dashboard-agent-listen": 6381,
    "metrics-export": 6382,
    "runtime-env-agent": 6383,
}
RAY_START = [
    *(sys.executable, "-m", "ray.scripts.scripts", "start", "--block", "--object-store-memory=100000000"),
    *(f"--{name}-port={port}" for name, port in PORTS.items()),
]
# Ray gives up a start after half a minute, too, so even the first one is tried again.
AGAIN = ["bash", "-c", 'mount --bind "$1" "$2"; shift 2; while true; do "$@"; sleep 1; done', "-"]
LEAD = f"""
import sys
from pathlib import Path
sys.path.insert(0, {str(SUPPORT)!r})
from small_runs import small_config
from tengen.cluster import connect
from tengen.report import SilentObserver
from tengen.train import train

class UntilTold(SilentObserver):
    def iteration_finished(self, report):
        if Path(sys.argv[3]).exists():
            raise SystemExit

with connect(sys.argv[1]) as crew:
    train(small_config(iterations={ITERATIONS}, self_play={PLAY!r}), Path(sys.argv[2]), UntilTold(), crew=crew)
"""


def start(network: Network, machine: int, command: Sequence[str], log: Path) -> subprocess.Popen[bytes]:
    """A group of processes of its own, on that machine."""
    with log.open("ab") as out:
        return subprocess.Popen(
            network.command(machine, command),
            env={**os.environ, **ENVIRONMENT},
            stdout=out,
            stderr=out,
            start_new_session=True,
        )


@contextmanager
def ray_on(network: Network, folder: Path) -> Iterator[str]:
    """The address of a cluster of all machines. Each has Ray's folder for itself, as if it had a disk of its own."""
    address = f"{network.address(0)}:6379"
    logs = [folder / f"ray{machine}.log" for machine in network.machines]
    with tempfile.TemporaryDirectory(
        prefix="tengen-ray-", ignore_cleanup_errors=True
    ) as seen:  # short: sockets are in it
        head = ["--head", "--port=6379", "--num-cpus=0", "--include-dashboard=false", f"--temp-dir={seen}"]
        started = []
        for machine in network.machines:
            (disk := Path(seen, f"disk{machine}")).mkdir()
            which = [f"--address={address}", "--num-cpus=1"] if machine else head
            ray_start = [*RAY_START, f"--node-ip-address={network.address(machine)}", *which]
            command = [*AGAIN, str(disk if machine else seen), seen, *ray_start]
            started.append(start(network, machine, command, logs[machine]))
            if machine == 0:
                wait_for(lambda: b"Ray runtime started" in logs[0].read_bytes())
        try:
            yield address
        finally:
            for process in reversed(started):
                os.killpg(process.pid, signal.SIGTERM)
                process.wait()


def wait_for(what: Callable[[], bool], seconds: float = 300.0) -> None:
    until = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < until
        time.sleep(0.2)


@pytest.mark.verify
@pytest.mark.parametrize("out_of_reach", [[1], [1, 2]], ids=["one machine", "all but the head"])
def test_a_network_that_falls_apart_changes_no_bit(tmp_path: Path, out_of_reach: list[int]) -> None:
    folder, told = tmp_path / "run", tmp_path / "told"

    def nodes_of(iteration: int) -> int:
        return len(read_reports(folder)[iteration].self_play.nodes)

    def done() -> int:
        return len(read_reports(folder)) if (folder / "metrics.jsonl").exists() else 0

    with network_of(MACHINES) as network:
        network.lose_packets(LOSS)
        with ray_on(network, tmp_path) as address:
            lead = start(network, 0, [sys.executable, "-c", LEAD, address, str(folder), str(told)], tmp_path / "log")
            wait_for(lambda: (done() >= 2 and nodes_of(-1) == 2) or lead.poll() is not None)
            before = done()
            for machine in out_of_reach:
                network.cut(machine)
            time.sleep(PARTITION_SECONDS)
            during = done()
            for machine in out_of_reach:
                network.mend(machine)
            wait_for(lambda: (done() >= during + 2 and nodes_of(-1) == 2) or lead.poll() is not None)
            told.touch()
            assert lead.wait(300) == 0, (tmp_path / "log").read_text()[-2000:]
            assert all(network.lost_packets(machine) > 0 for machine in network.machines)
        for machine in network.machines:
            wait_for(lambda machine=machine: not network.processes(machine), 60)  # type: ignore[misc]
    reports = read_reports(folder)
    if len(out_of_reach) == 1:
        assert during > before + 1, "the other machine did not go on"
        players = [sum(node.units > 0 for node in report.self_play.nodes) for report in reports[before:]]
        assert 1 in players, "the partition was not felt"
    else:
        assert during <= before + 1, "somebody played who was out of reach"  # an iteration may have been nearly done
    with pytest.raises(Stopped):
        train(small_config(iterations=ITERATIONS, self_play=PLAY), tmp_path / "alone", Stopper(len(reports)))
    assert what_counts(folder) == what_counts(tmp_path / "alone")
