"""`tengen serve`: the page to play, analyse and train on."""

import importlib.util
import io
import ipaddress
import secrets
import socket
import sys
import threading
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import tyro

from tengen import Game, TengenError
from tengen.interfaces.cli.game_argument import parse_game
from tengen.interfaces.cli.memory_argument import MemoryArgument, left_for_trees, memory_bytes

FIRST_PORT = 8000
TRIED_PORTS = 20
TOKEN_BYTES = 16
OPENED = """Whoever has this link, and nobody else, can play and analyse here, and start and stop training runs.
The link is good until the server ends. What is sent is not encrypted: use it in a network that you trust.
"""
Flag = Annotated[bool, tyro.conf.FlagCreatePairsOff]


def run(
    *,
    port: Annotated[int | None, tyro.conf.arg(metavar="INT")] = None,
    host: Annotated[str, tyro.conf.arg(metavar="NAME")] = "127.0.0.1",
    no_browser: Flag = False,
    runs: Annotated[Path, tyro.conf.arg(metavar="DIR")] = Path("runs"),
    models: Annotated[tuple[Path, ...], tyro.conf.arg(metavar="[DIR ...]")] = (),
    game: Annotated[tuple[tuple[str, ...], ...], tyro.conf.UseAppendAction, tyro.conf.arg(metavar="GAME ...")] = (),
    memory: MemoryArgument = None,
) -> None:
    """Opens a page to play, analyse, look into the search and watch runs; Ctrl-C ends it.

    Beyond this machine (--host 0.0.0.0) only those who have the printed link are answered.

    Args:
        port: the port of the page; if it is left out, 8000 or the next port that is free
        host: the address that the server listens at; only this machine can reach 127.0.0.1, and 0.0.0.0 is for all
            devices of the network, who need the link with its token that is then printed
        no_browser: do not open the page in a browser
        runs: the folder with the runs that the page shows; new runs are started there
        models: folders with networks that the page offers besides those that come with tengen
        game: games that the page offers besides those that come with tengen, such as my_game.py; one that can't be
            loaded is named on the page with the reason
        memory: how much memory the server may take, as in 4GB: trees get what networks leave; runs that the page
            starts are processes of their own
    """
    missing = [name for name in ("fastapi", "uvicorn", "websockets") if importlib.util.find_spec(name) is None]
    if missing:
        raise TengenError(f"The page needs {', '.join(missing)}: pip install 'tengen[web]'.")
    for folder in models:
        if not folder.is_dir():
            raise TengenError(f"There is no folder {folder} with networks.")
    import uvicorn

    from tengen.interfaces.web.limits import Limits
    from tengen.interfaces.web.listening import server_config
    from tengen.interfaces.web.server import create_app

    listening = _listen(host, port)
    size = memory_bytes(memory)
    limits = Limits() if size is None else Limits(tree_bytes=min(Limits.tree_bytes, left_for_trees(size)))
    files, broken = load_each([text for texts in game for text in texts])
    for name, problem in broken.items():
        print(f"{name} is left out: {problem}", file=sys.stderr, flush=True)
    token = None if is_loopback(host) else secrets.token_urlsafe(TOKEN_BYTES)
    app = create_app(
        files=files, broken=broken, model_folders=models, runs=runs, hosts=[host], token=token, limits=limits
    )
    ending = "" if token is None else f"?token={token}"
    port = listening.getsockname()[1]
    address = f"http://{_shown(host)}:{port}/{ending}"
    print(f"tengen is at {address} (Ctrl-C ends it).", flush=True)
    if token is not None:
        print(OPENED, flush=True)
        print(qr_code(address), flush=True)
    if not no_browser:
        threading.Timer(0.5, webbrowser.open, [address]).start()
    uvicorn.Server(server_config(app, limits)).run(sockets=[listening])


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach that address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def qr_code(text: str) -> str:
    """A picture of it in the terminal, for a phone; a sentence if the package that draws it is not there."""
    try:
        import segno
    except ModuleNotFoundError:
        return "(pip install segno shows the link as a QR code here.)"
    drawn = io.StringIO()
    segno.make(text, error="l", micro=False).terminal(drawn, border=2, compact=True)
    return drawn.getvalue().rstrip("\n")


def load_each(texts: Sequence[str]) -> tuple[list[Game], dict[str, str]]:
    """The games that load, and why the others do not."""
    games: list[Game] = []
    problems: dict[str, str] = {}
    for text in texts:
        try:
            games.append(parse_game(text))
        except TengenError as error:
            name = Path(text).name
            problems[text if name in problems else name] = str(error)
    return games, problems


def _listen(host: str, port: int | None) -> socket.socket:
    """A socket at that port; without one, at the first that is free."""
    if port is not None and not 0 <= port < 65536:
        raise TengenError(f"--port must be a number from 0 to 65535, not {port}.")
    for number in [port] if port is not None else range(FIRST_PORT, FIRST_PORT + TRIED_PORTS):
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listening = socket.socket(family, socket.SOCK_STREAM)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((host, number))
            listening.listen()  # a browser that is quicker than the server waits
        except OSError as error:
            listening.close()
            reason = error.strerror or str(error)
            continue
        return listening
    where = f"port {port}" if port is not None else f"the ports {FIRST_PORT} to {FIRST_PORT + TRIED_PORTS - 1}"
    raise TengenError(f"The server can't listen at {host}, {where}: {reason}.")


def _shown(host: str) -> str:
    """The address to type, for one that stands for all addresses of the machine."""
    shown = _own_address(host) if host in ("0.0.0.0", "::") else host
    return f"[{shown}]" if ":" in shown else shown


def _own_address(host: str) -> str:
    """The address by which others in the network know this machine; nothing is sent to find it out."""
    family, far, here = (
        (socket.AF_INET, "192.0.2.1", "127.0.0.1") if host == "0.0.0.0" else (socket.AF_INET6, "2001:db8::1", "::1")
    )
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((far, 9))
        except OSError:  # no network
            return here
        address: str = probe.getsockname()[0]
        return address
