"""Pretended machines: network namespaces on one switch, each with an address. Packets can be lost, cables pulled.

All of it is inside namespaces of our own; the machine's own network is never touched. It needs root and iproute2.
"""

import os
import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from signal import SIGKILL

SWITCH = "switch0"  # the bridge
NEEDS = (
    "Machines are pretended by network namespaces, which only root may make, with ip and iptables "
    "(Debian: iproute2, iptables). Run this test as root, or leave it out by -k 'not namespaces'."
)


class Network:
    """As many machines as it is asked for, numbered from 0."""

    def __init__(self, machines: int) -> None:
        self.machines = range(machines)
        self._hub = f"tengen{os.getpid()}-hub"

    def name(self, machine: int) -> str:
        return f"tengen{os.getpid()}-{machine}"

    def address(self, machine: int) -> str:
        return f"10.77.0.{machine + 1}"

    def command(self, machine: int, command: Sequence[str]) -> list[str]:
        """The same command, there."""
        return ["ip", "netns", "exec", self.name(machine), *command]

    def processes(self, machine: int) -> list[int]:
        """All that run there."""
        return [int(pid) for pid in _run("ip", "netns", "pids", self.name(machine)).split()]

    def lose_packets(self, share: float) -> None:
        """Of all that arrive, everywhere."""
        for machine in self.machines:
            dropped = ["-i", "eth0", "-m", "statistic", "--mode", "random", "--probability", f"{share}", "-j", "DROP"]
            _run(*self.command(machine, ["iptables", "-A", "INPUT", *dropped]))

    def lost_packets(self, machine: int) -> int:
        """How many were lost there so far."""
        lines = _run(*self.command(machine, ["iptables", "-L", "INPUT", "-v", "-x", "-n"])).splitlines()
        return sum(int(line.split()[0]) for line in lines if " DROP " in line)

    def cut(self, machine: int) -> None:
        """Nothing gets there or leaves. Nobody is told: the link stays up."""
        _run("ip", "-n", self._hub, "link", "set", f"port{machine}", "nomaster")

    def mend(self, machine: int) -> None:
        _run("ip", "-n", self._hub, "link", "set", f"port{machine}", "master", SWITCH)

    def make(self) -> None:
        _run("ip", "netns", "add", self._hub)
        _run("ip", "-n", self._hub, "link", "add", SWITCH, "type", "bridge")
        _run("ip", "-n", self._hub, "link", "set", SWITCH, "up")
        for machine in self.machines:
            port, name = f"port{machine}", self.name(machine)
            _run("ip", "netns", "add", name)
            _run("ip", "-n", self._hub, "link", "add", port, "type", "veth", "peer", "name", "eth0", "netns", name)
            _run("ip", "-n", self._hub, "link", "set", port, "master", SWITCH, "up")
            _run("ip", "-n", name, "addr", "add", f"{self.address(machine)}/24", "dev", "eth0")
            _run("ip", "-n", name, "link", "set", "eth0", "gso_max_segs", "1")  # packets are lost one by one
            _run("ip", "-n", name, "link", "set", "eth0", "up")
            _run("ip", "-n", name, "link", "set", "lo", "up")

    def remove(self) -> None:
        """With all that still runs there."""
        for machine in self.machines:
            with suppress(RuntimeError):
                while left := self.processes(machine):
                    for pid in left:
                        with suppress(ProcessLookupError):
                            os.kill(pid, SIGKILL)
                    time.sleep(0.1)
        for name in (*map(self.name, self.machines), self._hub):
            subprocess.run(["ip", "netns", "del", name], check=False, capture_output=True)


@contextmanager
def network_of(machines: int) -> Iterator[Network]:
    """They are gone when the block ends. Raises where they can't be made: nothing is left out without a word."""
    if os.geteuid() != 0 or shutil.which("ip") is None or shutil.which("iptables") is None:
        raise RuntimeError(NEEDS)
    network = Network(machines)
    try:
        network.make()
        yield network
    finally:
        network.remove()


def _run(*command: str) -> str:
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()}. {NEEDS}")
    return done.stdout
