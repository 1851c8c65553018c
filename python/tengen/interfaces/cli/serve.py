"""`tengen serve`: the page to play, analyse and train on."""

import importlib.util
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

FIRST_PORT = 8000
TRIED_PORTS = 20
Flag = Annotated[bool, tyro.conf.FlagCreatePairsOff]


def run(
    *,
    port: Annotated[int | None, tyro.conf.arg(metavar="INT")] = None,
    host: Annotated[str, tyro.conf.arg(metavar="NAME")] = "127.0.0.1",
    no_browser: Flag = False,
    runs: Annotated[Path, tyro.conf.arg(metavar="DIR")] = Path("runs"),
    models: Annotated[tuple[Path, ...], tyro.conf.arg(metavar="[DIR ...]")] = (),
    game: Annotated[tuple[tuple[str, ...], ...], tyro.conf.UseAppendAction, tyro.conf.arg(metavar="GAME ...")] = (),
) -> None:
    """Opens a page to play, analyse, look into the search and watch runs; Ctrl-C ends it.

    Args:
        port: that the page is at; without it 8000, or the next one that is free
        host: the address to listen at; only this machine can reach 127.0.0.1
        no_browser: do not open the page in a browser
        runs: the folder of the runs that are shown, and where new ones are started
        models: folders with networks that the page may use besides those that come with tengen
        game: more games besides those that come with tengen, such as my_game.py; one that can't be loaded is named on
            the page with the reason
    """
    missing = [name for name in ("fastapi", "uvicorn", "websockets") if importlib.util.find_spec(name) is None]
    if missing:
        raise TengenError(f"The page needs {', '.join(missing)}: pip install 'tengen[web]'.")
    for folder in models:
        if not folder.is_dir():
            raise TengenError(f"There is no folder {folder} with networks.")
    import uvicorn

    from tengen.interfaces.web.limits import Limits
    from tengen.interfaces.web.server import create_app

    listening = _listen(host, port)
    limits = Limits()
    files, broken = load_each([text for texts in game for text in texts])
    for name, problem in broken.items():
        print(f"{name} is left out: {problem}", file=sys.stderr, flush=True)
    app = create_app(files=files, broken=broken, model_folders=models, runs=runs, hosts=[host], limits=limits)
    config = uvicorn.Config(
        app,
        log_level="warning",
        ws_max_size=16 * limits.message_bytes,
        ws_per_message_deflate=False,
        timeout_graceful_shutdown=1,
    )
    address = f"http://{_shown(host)}:{listening.getsockname()[1]}/"
    print(f"tengen is at {address} (Ctrl-C ends it).", flush=True)
    if not no_browser:
        threading.Timer(0.5, webbrowser.open, [address]).start()
    uvicorn.Server(config).run(sockets=[listening])


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
        raise TengenError(f"A port is a number from 0 to 65535, not {port}.")
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
    raise TengenError(f"The page can't be at {host}, {where}: {reason}.")


def _shown(host: str) -> str:
    """The address to type, for one that stands for all addresses of the machine."""
    shown = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"[{shown}]" if ":" in shown else shown
