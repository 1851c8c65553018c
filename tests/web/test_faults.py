"""What a bad client may do: it hears an error, and nobody else hears anything of it."""

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from servers import PATIENCE, Server, position, served
from websockets.exceptions import ConnectionClosed, InvalidStatus

from tengen.interfaces.web.limits import Limits

GOOD = {
    "show": {"position": position("tic_tac_toe", "b2")},
    "play": {"position": position("tic_tac_toe", "b2"), "action": "a1"},
    "choose": {"position": position("tic_tac_toe"), "model": "uniform", "simulations": 1},
    "analyse": {"position": position("tic_tac_toe"), "model": "uniform", "simulations": 1},
    "stop": {"target": 1},
    "explore": {"position": position("tic_tac_toe"), "model": "uniform", "params": {}},
    "step": {"explorer": 1, "count": 1},
    "close": {"explorer": 1},
}
WRONG_VALUES = [None, True, -1.5, 10**400, "x", "../..", "\u0000\ud800", [], {}, [[[]]], {"game": 3}, "9" * 5000]


def broken_text(numbers: random.Random) -> str | bytes:
    """No JSON, or JSON that is no message."""
    text = json.dumps({"type": "show", "id": 1, **GOOD["show"]})
    cut = numbers.randrange(len(text))
    return numbers.choice(
        [
            text[:cut],
            text[:cut] + numbers.choice('{}[]",:\\\u0007') + numbers.choice("}{][") + text[cut:],
            bytes(numbers.randrange(256) for _ in range(numbers.randrange(200))),
            "[" * numbers.randrange(1, 20_000),
            '{"a":' * numbers.randrange(1, 5000),
            json.dumps(numbers.choice([None, 1, "show", [], [1, 2], {}, {"id": 1}, {"type": "show"}])),
            '{"type": "show", "id": NaN, "position": Infinity}',
            "",
        ]
    )


def wrong_fields(numbers: random.Random) -> str:
    """A message with a field too many, too few, or of another kind."""
    kind = numbers.choice(list(GOOD))
    message: dict[str, Any] = {"type": kind, "id": numbers.randrange(100), **GOOD[kind]}
    may_be_left_out = ("params", "count") + (("simulations",) if kind == "analyse" else ())
    field = numbers.choice([name for name in message if name not in may_be_left_out])
    change = numbers.randrange(3)
    if change == 0:
        del message[field]
    elif change == 1:
        message[numbers.choice(["extra", "__class__", "Type", ""])] = numbers.choice(WRONG_VALUES)
    elif field == "id":
        message["id"] = numbers.choice([None, 1.5, [], {}, "x" * 65, 2**60])
    else:
        message[field] = numbers.choice(WRONG_VALUES)
    return json.dumps(message)


def out_of_order(numbers: random.Random) -> str:
    """About things that are not there."""
    kind, fields = numbers.choice(
        [
            ("stop", {"target": numbers.choice([0, 77, "nothing"])}),
            ("step", {"explorer": numbers.randrange(1000), "count": 1}),
            ("close", {"explorer": numbers.randrange(1000)}),
            ("play", {"position": position("tic_tac_toe", "a1"), "action": "a1"}),
            ("play", {"position": position("tic_tac_toe", "a1 b1 a2 b2 a3"), "action": "c3"}),
            ("show", {"position": position("tic_tac_toe", "a1 " * numbers.randrange(2, 50))}),
            ("choose", {"position": position("tic_tac_toe", "a1 b1 a2 b2 a3"), "model": "uniform", "level": "easy"}),
            ("analyse", {"position": position("tic_tac_toe"), "model": "uniform", "simulations": 10**12}),
        ]
    )
    return json.dumps({"type": kind, "id": numbers.randrange(100), **fields})


def oversized(numbers: random.Random) -> str:
    return json.dumps({"type": "show", "id": 1, "position": position("tic_tac_toe", "a1 " * 20_000)})


def test_a_thousand_bad_messages_get_an_error_each(server: Server) -> None:
    numbers = random.Random(6)
    makers: list[Callable[[random.Random], str | bytes]] = [broken_text, wrong_fields, out_of_order, oversized]
    chosen = numbers.choices(makers, weights=[30, 40, 28, 2], k=1000)
    with server.page() as page:
        for make in chosen:
            message = make(numbers)
            page.socket.send(message)
            answer = page.hear()
            assert answer["type"] == "error", message
            assert answer["error"] not in ("", "InternalError"), message
            assert answer["message"], message
        assert page.ask("show", position=position("tic_tac_toe"))["type"] == "state"


def test_what_is_far_too_long_ends_the_connection_and_nothing_else(server: Server) -> None:
    with server.page() as other:
        with server.page() as page:
            page.socket.send("x" * (1 << 21))
            with pytest.raises(ConnectionClosed):
                page.hear()
        assert other.ask("show", position=position("tic_tac_toe"))["type"] == "state"


def test_a_page_has_so_many_requests_under_way(server: Server) -> None:
    with server.page() as page:
        asked = [
            page.send("analyse", position=position("gomoku"), model="uniform")
            for _ in range(server.service.limits.requests + 1)
        ]
        refused = next(answer for answer in iter(page.hear, None) if answer["type"] == "error")
        assert (refused["re"], refused["error"]) == (asked[-1], "TooManyRequestsError")


def test_an_id_is_used_once_at_a_time(server: Server) -> None:
    with server.page() as page:
        for _ in range(2):
            page.socket.send(
                json.dumps({"type": "analyse", "id": "twice", "position": position("gomoku"), "model": "uniform"})
            )
        refused = next(answer for answer in iter(page.hear, None) if answer["type"] == "error")
        assert refused["error"] == "MessageError"


def test_a_server_has_so_many_pages() -> None:
    with served(limits=Limits(connections=1)) as server, server.page() as first:
        assert first.ask("show", position=position("tic_tac_toe"))["type"] == "state"
        with server.page() as second:
            assert second.hear()["error"] == "TooManyConnectionsError"
            with pytest.raises(ConnectionClosed):
                second.hear()
        assert first.ask("show", position=position("tic_tac_toe"))["type"] == "state"


# --- Pages of others


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "http://127.0.0.1:1", "https://localhost", "null", "http://127.0.0.1.evil.example"],
)
def test_a_page_of_another_origin_is_refused(server: Server, origin: str) -> None:
    with pytest.raises(InvalidStatus) as refused, server.page(origin=origin):
        pass
    assert refused.value.response.status_code == 403
    assert server.post("/api/runs", {"game": "tic_tac_toe", "minutes": 1}, Origin=origin).status_code == 403


def test_a_file_with_the_name_of_the_server_is_not_its_page(server: Server) -> None:
    assert server.get("/api/about", Origin=f"file://{server.host}").status_code == 403
    assert server.get("/api/about", Origin=f"https://{server.host}").status_code == 200  # behind a proxy


def test_its_own_page_and_programs_are_answered(server: Server) -> None:
    for origin in (f"http://{server.host}", None):
        with server.page(origin=origin) as page:
            assert page.ask("show", position=position("tic_tac_toe"))["type"] == "state"


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1@evil.example", "evil.example@127.0.0.1", "127.0.0.1/x"])
def test_a_name_that_was_made_to_point_here_is_refused(server: Server, host: str) -> None:
    answer = server.get("/api/games", Host=host)
    assert (answer.status_code, answer.json()["error"]) == (403, "HostError")
    assert server.get("/api/about", Host="localhost").status_code == 200


def test_pages_may_not_be_framed_nor_load_from_elsewhere(server: Server) -> None:
    policy = server.get("/").headers["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy


def test_a_large_body_is_refused(server: Server) -> None:
    answer = server.post("/api/records/read", {"text": "x" * 300_000})
    assert (answer.status_code, answer.json()["error"]) == (413, "BodyTooLargeError")


# --- Files of others


@pytest.mark.parametrize(
    "path", ["/../pyproject.toml", "/%2e%2e/server.py", "/..%2fserver.py", "/assets/../../server.py"]
)
def test_no_file_outside_the_page_is_served(server: Server, path: str) -> None:
    assert server.get(path).status_code == 404


def test_no_run_outside_the_folder_is_read(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    runs = tmp_path / "runs"
    for folder in (outside, runs / ".hidden", tmp_path):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "config.toml").write_text('game = "tic_tac_toe"\n')
    (runs / "linked").symlink_to(outside)
    with served(runs=runs) as server:
        assert [run for run in server.get("/api/runs").json() if not run["bundled"]] == []
        for name in ("%2e%2e", "..%2f..", ".hidden", "linked", "a%00b", "x" * 300):
            assert server.get(f"/api/runs/{name}").status_code == 404
            assert server.get(f"/api/runs/{name}/games").status_code == 404
            assert server.post(f"/api/runs/{name}/stop", {}).status_code == 404


def test_a_model_that_is_a_pickle_is_refused(tmp_path: Path) -> None:
    (tmp_path / "evil.safetensors").write_bytes(b"\x80\x04cos\nsystem\n")
    (tmp_path / "evil.pt").write_bytes(b"PK\x03\x04")
    with served(model_folders=[tmp_path]) as server, server.page() as page:
        assert "evil" not in server.get("/api/games").json()[0]["models"]
        asked = {"position": position("tic_tac_toe"), "level": "easy"}
        answer = page.ask("choose", model="evil", **asked)
        assert answer["error"] == "NetworkFileError"
        assert "pickle" in answer["message"]
        for name in ("evil.pt", str(tmp_path / "evil.pt"), "../evil"):
            assert page.ask("choose", model=name, **asked)["error"] == "UnknownModelError"


def test_a_closed_page_stops_its_search(server: Server) -> None:
    with server.page() as page:
        for game in ("gomoku", "go", "othello"):
            page.send("analyse", position=position(game), model="uniform")
        page.hear()
        assert not server.service.pool.wait_until_idle(0.0)
    assert server.service.pool.wait_until_idle(PATIENCE)
