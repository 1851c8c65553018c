"""The programs that self-play is set beside (benchmarks/peers), and the environment of those that need one.

A peer is a process that is asked over pipes: a line with a number of moves in, a line of JSON out. It compiles and
warms up before it says that it is ready, and then waits without using a processor until its turn comes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import venv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tengen._core import TengenError

__all__ = ["Peer", "PeerError", "Turn", "cores", "has_peers", "make_peers", "mctx_pgx", "one_leaf", "peers_folder"]

SOURCES = Path(__file__).parents[3] / "benchmarks" / "peers"  # part of the source tree, not of the package


class PeerError(TengenError):
    """A peer that can't be made or does not answer."""


@dataclass(frozen=True)
class Turn:
    """What one side did in one turn."""

    simulations: int
    seconds: float
    processor_seconds: float  # of all its threads and processes

    @property
    def rate(self) -> float:
        """Simulations per second."""
        return self.simulations / self.seconds

    @property
    def processor_rate(self) -> float:
        """Simulations per second of one processor."""
        return self.simulations / max(self.processor_seconds, 1e-9)  # the clock may stand still


class Peer:
    """Processes that search at the same time, one for each command."""

    def __init__(self, commands: Sequence[Sequence[str]]) -> None:
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115 - closed by close()
        self._processes = [
            subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, text=True, bufsize=1
            )
            for command in commands
        ]
        try:
            self.setting = ", ".join({self._answer(process)["ready"] for process in self._processes})
        except BaseException:
            self.close()
            raise

    def turn(self, moves: int) -> Turn:
        """So many moves in all of its games."""
        for process in self._processes:
            assert process.stdin is not None
            try:
                process.stdin.write(f"{moves}\n")
            except BrokenPipeError:
                raise self._failure(process) from None
        answers = [self._answer(process) for process in self._processes]
        return Turn(
            simulations=sum(answer["simulations"] for answer in answers),
            seconds=max(answer["seconds"] for answer in answers),
            processor_seconds=sum(answer["processor_seconds"] for answer in answers),
        )

    def close(self) -> None:
        for process in self._processes:
            process.kill()
            process.communicate()
        self._errors.close()

    def __enter__(self) -> Peer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _answer(self, process: subprocess.Popen[str]) -> dict[str, Any]:
        assert process.stdout is not None
        line = process.stdout.readline()
        try:
            answer: dict[str, Any] = json.loads(line)
        except ValueError:
            raise self._failure(process) from None
        return answer

    def _failure(self, process: subprocess.Popen[str]) -> PeerError:
        self._errors.seek(0)
        lines = self._errors.read().split("\n")
        last = next((line.strip() for line in reversed(lines) if line.strip()), "it gave no reason")
        name = next((Path(str(part)).name for part in process.args[1:] if str(part).endswith(".py")), "?")  # type: ignore[index]
        return PeerError(f"The peer {name} does not answer: {last.rstrip('.')}.")


def one_leaf(game: str, options: dict[str, bool | int | float], simulations: int) -> list[str]:
    """The command of examples/alphazero.py with one game, so that it asks torch about one leaf at a time."""
    named = ",".join(f"{name}={str(value).lower()}" for name, value in options.items())
    return [
        sys.executable,
        str(SOURCES / "one_leaf.py"),
        f"{game}:{named}" if named else game,
        "--simulations",
        str(simulations),
    ]


def mctx_pgx(game: str, simulations: int, batch: int, core: int | None = None) -> list[str]:
    """The command of mctx's Gumbel search on pgx's games, on one core or on all."""
    program = [str(_python(peers_folder())), str(SOURCES / "mctx_pgx.py"), game]
    arguments = [*program, "--simulations", str(simulations), "--batch", str(batch)]
    return arguments if core is None else [*arguments, "--core", str(core)]


def cores() -> list[int]:
    """Those that this process may use, where the system tells."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []


def peers_folder() -> Path:
    """The environment of mctx and pgx. TENGEN_CACHE names another cache than ~/.cache/tengen."""
    named = os.environ.get("TENGEN_CACHE", "off")
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tengen"
    return (home if named == "off" else Path(named)) / "peers"


def has_peers() -> bool:
    """Whether make_peers() has been here, for these versions."""
    made = peers_folder() / "requirements.txt"
    return made.exists() and SOURCES.is_dir() and made.read_text() == _requirements()


def make_peers() -> None:
    """Installs mctx and pgx into an environment of their own, if they are not there. Takes about a minute."""
    if not SOURCES.is_dir():
        raise PeerError("The peers are part of tengen's source tree (benchmarks/peers), not of an installed package.")
    if has_peers():
        return
    folder = peers_folder()
    try:
        venv.create(folder, clear=True, with_pip=True)
        install = [str(_python(folder)), "-m", "pip", "install", "--quiet", "-r", str(SOURCES / "requirements.txt")]
        subprocess.run(install, check=True, capture_output=True, text=True)
    except subprocess.CalledProcessError as error:
        reason = (str(error.stderr).strip().splitlines() or ["it gave no reason"])[-1]
        raise PeerError(f"pip could not install the peers into {folder}: {reason.rstrip('.')}.") from error
    except OSError as error:
        raise PeerError(f"The environment of the peers can't be made in {folder}: {error.strerror}.") from error
    (folder / "requirements.txt").write_text(_requirements())  # last: it says that all went well


def _requirements() -> str:
    return (SOURCES / "requirements.txt").read_text()


def _python(folder: Path) -> Path:
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
