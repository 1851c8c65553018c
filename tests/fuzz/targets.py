"""What strangers' bytes may reach, one function a parser. A TengenError is an answer; anything else is a crash.

`corpus(name)` are the inputs that a target starts from: files of tests/fuzz/corpus/<name>/, where crashes are kept too.
"""

from __future__ import annotations

import asyncio
import dataclasses
import functools
import itertools
import json
import os
import random
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import shapes
from mutations import mutated, words_of
from tiny_networks import LooksAtTheBoard

import tengen
from tengen import SearchParams, TengenError
from tengen.config import load_config
from tengen.engine import Limit
from tengen.games.pgn import parse_pgn, write_pgn
from tengen.games.sgf import parse_sgf, read_sgf, write_sgf
from tengen.games.shogi import read_csa, read_kif
from tengen.interfaces.gtp import Gtp
from tengen.interfaces.gtp.language import clean
from tengen.interfaces.uci import UCI, USI, Brain, Dialect, Uci
from tengen.interfaces.web.models import Models
from tengen.network.checkpoint import load_network
from tengen.records.record import decode
from tengen.records.shards import read_games, unpack

CORPUS = Path(__file__).parent / "corpus"
GAMES = ("tic_tac_toe", "connect_four", "othello", "go", "gomoku", "rules")
EXAMPLE = Path(__file__).parents[2] / "examples" / "hex.py"


@functools.cache
def game(name: str) -> tengen.Game:
    return tengen.load(str(EXAMPLE)) if name == "rules" else tengen.load(name)


@functools.cache
def folder() -> Path:
    """A place for the files that are read: in memory, if there is such a place."""
    shared = Path("/dev/shm")
    return Path(tempfile.mkdtemp(prefix="tengen-fuzz-", dir=shared if os.access(shared, os.W_OK) else None))


def chosen(data: bytes) -> tuple[tengen.Game, bytes]:
    """The first byte chooses the game."""
    return game(GAMES[data[0] % len(GAMES)] if data else GAMES[0]), data[1:]


def sgf(data: bytes) -> None:
    parse_sgf(data)
    found, state = read_sgf(data)
    read_sgf(write_sgf(state))  # what we write we read
    assert found == state.game


def drawing(data: bytes) -> None:
    rules, text = chosen(data)
    state = rules.state(board=text.decode(errors="surrogateescape"))
    assert rules.state(board=str(state)) == state
    assert (state.outcome is None) == bool(state.legal_actions)


def moves(data: bytes) -> None:
    rules, text = chosen(data)
    state = rules.state(text.decode(errors="surrogateescape"))
    assert rules.state(state.moves_text) == state


def record(data: bytes) -> None:
    rules, payload = chosen(data)
    decode(payload).validate(rules)


def records(data: bytes) -> None:
    unpack(data)


def shard(data: bytes) -> None:
    (folder() / "000001.tgr").write_bytes(data)
    for _ in itertools.islice(read_games(folder(), game("connect_four")), 100):
        pass


def network(data: bytes) -> None:
    path = folder() / "network.safetensors"
    path.write_bytes(data)
    load_network(path)


def config(data: bytes) -> None:
    path = folder() / "config.toml"
    path.write_bytes(data)
    load_config(path)


@functools.cache
def gtp_session() -> tuple[Gtp, list[str]]:
    rules = tengen.load("go", size=5)
    said: list[str] = []
    limit = Limit(simulations=1)
    return Gtp(rules, LooksAtTheBoard(rules), SearchParams(leaves_per_batch=2), limit, said.append), said


def gtp(data: bytes) -> None:
    """Every line gets one answer, and none of them is a mistake of ours."""
    session, said = gtp_session()
    for line in data.decode(errors="replace").split("\n")[:20]:
        said.clear()
        words = clean(line).split()
        if any(word in ("loadsgf", "printsgf") for word in words):
            continue  # they would read and write where the input says
        session.obey(line)
        session.end()
        answer = "".join(said)
        assert bool(answer) == bool(words), (line, answer)
        assert "internal error" not in answer, (line, answer)
        assert not answer or answer[0] in "=?", answer


def position(data: bytes, names: tuple[str, ...]) -> None:
    """A position of the game that the first byte chooses, as programs exchange it."""
    rules = shapes.game(names[data[0] % len(names)] if data else names[0])
    state = rules.state(board=data[1:].decode(errors="surrogateescape"))
    assert rules.state(board=state.position_text) == state
    assert (state.outcome is None) == bool(state.legal_actions)


def fen(data: bytes) -> None:
    position(data, shapes.CHESS)


def sfen(data: bytes) -> None:
    position(data, shapes.SHOGI)


def pgn(data: bytes) -> None:
    found = parse_pgn(data)
    assert parse_pgn(write_pgn(found)).state == found.state  # what we write we read


def shogi_file(data: bytes) -> None:
    """The first byte chooses KIF or CSA."""
    (read_kif if data[:1] == b"K" else read_csa)(data[1:])


@functools.cache
def uci_session(dialect: Dialect, name: str) -> tuple[Uci, list[str]]:
    rules, said = tengen.load(name), []  # type: tengen.Game, list[str]
    brain = Brain("fake", rules, SearchParams(leaves_per_batch=2), lambda threads: LooksAtTheBoard(rules), 1)
    return Uci(brain, dialect, said.append), said


def converse(data: bytes, dialect: Dialect, name: str) -> None:
    """No line is a mistake of ours, and every search answers."""
    session, said = uci_session(dialect, name)
    for line in data.decode(errors="replace").split("\n")[:20]:
        said.clear()
        session.obey(line)
        session.stop()
        session.end()
        assert "internal error" not in "".join(said), (line, said)


def uci(data: bytes) -> None:
    converse(data, UCI, "chess")


def usi(data: bytes) -> None:
    converse(data, USI, "shogi")


class FakeSocket:
    """What a Connection needs of a WebSocket, without a network."""

    def __init__(self) -> None:
        self.heard: list[dict[str, Any]] = []

    async def send_text(self, text: str) -> None:
        self.heard.append(json.loads(text))


class WithoutNetworks(Models):
    """Searches without a network only: OpenVINO does not run under AddressSanitizer."""

    def _paths(self) -> dict[str, Path]:
        return {}


@functools.cache
def page_service() -> tuple[Any, Any]:
    from tengen.interfaces.web.limits import Limits
    from tengen.interfaces.web.server import create_app

    limits = Limits(simulations=20, seconds=1.0)
    app = create_app(limits=limits, workers=1, runs=folder() / "runs")
    return dataclasses.replace(app.state.service, models=WithoutNetworks()), asyncio.new_event_loop()


def message(data: bytes) -> None:
    """A page that says anything: each message gets an answer of the protocol."""
    from tengen.interfaces.web.connection import Connection

    service, loop = page_service()

    async def talk() -> None:
        connection: Any = Connection(FakeSocket(), service)  # type: ignore[arg-type]
        for line in data.split(b"\n")[:4]:
            await connection._hear(line.decode(errors="replace"))
            while not service.pool.wait_until_idle(0.0):
                await asyncio.sleep(0.001)
            await asyncio.sleep(0)
        for text in connection._outbox._texts.values():
            answer = json.loads(text)
            assert answer.get("error") != "InternalError", answer
        service.pool.forget(connection._owner)
        service.trees.forget(connection._owner)

    loop.run_until_complete(talk())


TARGETS: dict[str, Callable[[bytes], None]] = {
    found.__name__: found
    for found in (
        sgf, drawing, moves, fen, sfen, pgn, shogi_file, record, records, shard, network, config, gtp, uci, usi,
        message,
    )
}  # fmt: skip


def corpus(name: str) -> list[bytes]:
    return [path.read_bytes() for path in sorted((CORPUS / name).iterdir())]


def attempt(name: str, data: bytes) -> bool:
    """Whether the input was accepted. Whatever is not an answer is raised."""
    try:
        TARGETS[name](data)
    except TengenError:
        return False
    return True


def inputs(name: str, seed: int) -> Iterator[bytes]:
    """Inputs without end: changed seeds, and in turns with them inputs of the format's own shape, if it has one.

    One that was accepted in a new way is not known here, so seeds stay as they are.
    """
    rng = random.Random(f"{name} {seed}")
    seeds = corpus(name)
    words = words_of(seeds)
    while True:
        yield mutated(seeds, rng, words)
        if name in shapes.SHAPES:
            yield shapes.SHAPES[name](rng)
