"""Finds the cluster that `--cluster` names: one that runs on this machine, one elsewhere, or a small one of our own."""

from __future__ import annotations

import importlib.util
import logging
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tengen._core import TengenError

if TYPE_CHECKING:
    from tengen.cluster.crew import RayCrew
    from tengen.cluster.sending import SentFiles

__all__ = ["ClusterError", "connect"]

CONNECT_SECONDS = 5.0  # for an address to answer at all


class ClusterError(TengenError):
    """A cluster that is not there, can't be reached, or has no node that works."""


@contextmanager
def connect(address: str, files: SentFiles | None = None, *, patience: float = 60.0) -> Iterator[RayCrew]:
    """A crew of the nodes of a cluster, for as long as the block lasts.

    `address` is "auto" (the cluster that this machine belongs to), "local" (one on this machine's cores alone, to try),
    HOST:PORT of a cluster that this machine has joined, or ray://HOST:PORT of one that it has not. `files` are sent
    along. A job of which nothing was heard for `patience` seconds is given to another node.
    """
    if importlib.util.find_spec("ray") is None:
        raise ClusterError("A cluster needs ray, which is not installed: pip install 'tengen[cluster]'.")
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # tengen sends nothing anywhere, and nor does what it starts
    import ray

    from tengen.cluster.crew import RayCrew
    from tengen.cluster.sending import SentFiles

    _check_address(address)
    try:
        ray.init(
            address=address,
            log_to_driver=False,
            logging_level=logging.ERROR,
            **({"include_dashboard": False, "num_cpus": os.cpu_count() or 1} if address == "local" else {}),
        )
    except Exception as error:  # Ray has no kind of its own for what goes wrong here
        raise ClusterError(_explained(address, error)) from error
    try:
        with RayCrew(files or SentFiles(), patience=patience) as crew:
            yield crew
    finally:
        ray.shutdown()


def _check_address(address: str) -> None:
    """Ray tries for a minute what a socket knows at once, and then ends the program."""
    if address == "local":
        return
    if address == "auto":
        last = _last_cluster()
        if last and not _answers(last):
            raise ClusterError(f"{_explained('auto', ConnectionError())} The one at {last} has ended.")
        return
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdecimal() or not 0 < int(port) < 65536:
        raise ClusterError(
            f"--cluster takes auto, local, HOST:PORT as in 10.0.0.1:6379, or ray://HOST:PORT; found '{address[:60]}'."
        )
    if not _answers(address):
        raise ClusterError(
            f"No cluster answers at {address}. Is Ray started there (ray start --head), and may this machine reach its "
            "port?"
        )


def _answers(address: str) -> bool:
    host, _, port = address.removeprefix("ray://").rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), CONNECT_SECONDS).close()
    except (OSError, ValueError):
        return False
    return True


def _last_cluster() -> str:
    """The address that "auto" stands for, as Ray keeps it; empty: Ray has to look for one itself."""
    if given := os.environ.get("RAY_ADDRESS", ""):
        return given
    try:
        return (Path(os.environ.get("RAY_TMPDIR", "/tmp")) / "ray" / "ray_current_cluster").read_text().strip()
    except OSError:
        return ""


def _asks_for_token(error: BaseException | None) -> bool:
    """Ray keeps why it could not connect in the error's causes."""
    while error is not None:
        if type(error).__name__ == "AuthenticationError" or "AuthenticationError" in str(error):
            return True
        error = error.__cause__ or error.__context__
    return False


def _explained(address: str, error: Exception) -> str:
    if _asks_for_token(error):
        return (
            f"The cluster at {address} asks for a token, and this machine sent none or a wrong one. Set "
            "RAY_AUTH_MODE=token, and put the cluster's token into ~/.ray/auth_token (or name its file in "
            "RAY_AUTH_TOKEN_PATH)."
        )
    if address == "auto":
        return (
            "This machine belongs to no Ray cluster. Start one with 'ray start --head', join one with 'ray start "
            "--address=HOST:6379', or try --cluster local."
        )
    if isinstance(error, ImportError):
        return "ray:// needs Ray's client: pip install 'ray[client]'."
    why = " ".join(str(error).split())[:300]
    if address == "local":
        return f"Ray did not start on this machine: {why} Ray waits half a minute; a busy machine may need another try."
    return f"The cluster at {address} can't be used: {why}"
