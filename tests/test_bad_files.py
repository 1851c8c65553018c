"""Files that anyone may have written, given to every command that takes one: a sentence, never a traceback."""

import json
import os
import re
import struct
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

import tengen
from tengen.config import ConfigError, load_config, make_config, read_config
from tengen.interfaces.cli import run as command
from tengen.network.checkpoint import NetworkFileError, load_network
from tengen.records.shards import game_of
from tengen.strength.accuracy import PositionsError, load_positions

USER_ERROR = 2
DEEP = 100_000
BAD_FILES: dict[str, bytes] = {
    "empty": b"",
    "not UTF-8": b'game = "tic_tac_toe"\n\xff\xfe\x00',
    "nulls": b"\x00" * 1000,
    "lists in lists": b"x = " + b"[" * DEEP + b"]" * DEEP,
    "objects in objects": b'{"a":' * DEEP + b"1" + b"}" * DEEP,
    "dotted": b"a" + b".a" * DEEP + b" = 1",
    "JSON lists": b"[" * DEEP + b"]" * DEEP,
    "a large number": b"1" + b"0" * 10_000,
    "one line": b"x" * 300_000,
    "a safetensors header that is too long": struct.pack("<Q", 2**63) + b"{",
    "a pickle": b"\x80\x04\x95",
    "SGF": b"(;GM[1]SZ[9]" + b"(;B[aa]" * 10_000,
}
COMMANDS: dict[str, list[str]] = {
    "train --config": ["train", "tic_tac_toe", "--run", "RUN", "--config", "FILE"],
    "train --config alone": ["train", "--run", "RUN", "--config", "FILE"],
    "selfplay --config": ["selfplay", "tic_tac_toe", "--model", "tic_tac_toe", "--out", "RUN", "--config", "FILE"],
    "selfplay --model": ["selfplay", "tic_tac_toe", "--model", "FILE", "--out", "RUN"],
    "learn --config": ["learn", "tic_tac_toe", "--records", "FOLDER", "--out", "RUN", "--config", "FILE"],
    "learn --from": ["learn", "tic_tac_toe", "--records", "FOLDER", "--out", "RUN", "--from", "FILE"],
    "doctor --config": ["doctor", "tic_tac_toe", "--config", "FILE"],
    "evaluate --positions": ["evaluate", "tic_tac_toe", "--model", "tic_tac_toe", "--positions", "FILE"],
    "evaluate a model": ["evaluate", "tic_tac_toe", "--model", "FILE"],
    "gtp": ["gtp", "FILE"],
    "export onnx": ["export", "onnx", "FILE", "--output", "RUN"],
    "export kaggle": ["export", "kaggle", "FILE", "--output", "RUN"],
    "match": ["match", "tic_tac_toe", "network:FILE", "random", "--games", "2"],
    "review": ["review", "FILE"],
    "tournament": ["tournament", "tic_tac_toe", "random", "--players", "FILE", "--folder", "RUN"],
    "report": ["report", "FOLDER"],
    "compare": ["compare", "FOLDER"],
    "verify-run": ["verify-run", "FOLDER"],
    "check-game": ["check-game", "FILE.py"],
    "show": ["show", "FILE.py"],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_bad_files_get_a_sentence(tmp_path: Path, capfd: pytest.CaptureFixture[str], name: str) -> None:
    """`FILE` is the bad file; `FOLDER` a run whose config it is; no traceback, and nothing is left behind."""
    for kind, content in BAD_FILES.items():
        if kind == "empty" and "--config" in COMMANDS[name]:
            continue  # a config that changes nothing
        folder = tmp_path / re.sub(r"\W+", "_", kind)
        (folder / "run").mkdir(parents=True)
        for bad in (folder / "file", folder / "file.py", folder / "run" / "config.toml"):
            bad.write_bytes(content)
        arguments = list(COMMANDS[name])
        for place, file_name in (("FILE", "file"), ("FOLDER", "run"), ("RUN", "new")):
            arguments = [part.replace(place, str(folder / file_name)) for part in arguments]
        try:
            code = command(arguments)
        except SystemExit as left:  # tyro
            code = int(left.code or 0)
        said = capfd.readouterr()
        assert code in (USER_ERROR, 1), (kind, code, said)
        assert "Traceback" not in said.err + said.out, kind
        assert len(said.err) + len(said.out) < 5000, kind
        assert not (folder / "new").exists(), kind


@pytest.mark.parametrize("path", ["/dev/zero", "/dev/full", "/", "/proc/self/mem"])
def test_a_config_that_is_no_file(path: str) -> None:
    with pytest.raises(ConfigError, match=f"The config {path} "):
        read_config(Path(path))


def test_a_config_from_a_pipe(tmp_path: Path) -> None:
    """As `--config <(...)` of a shell."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_text('game = "go"'))
    writer.start()
    assert read_config(pipe) == {"game": "go"}
    writer.join()


@pytest.mark.parametrize(
    ("table", "name", "value"),
    [
        ("self_play", "simulations", 10**18),
        ("self_play", "threads", 10**6),
        ("self_play", "units", 10**30),
        ("learner", "learning_rate", 1e308),
        ("learner", "learning_rate", float("inf")),
        ("learner", "weight_decay", float("nan")),
        ("learner", "samples_per_position", 1e308),
        ("learner", "gradient_clip", 1e308),
        ("learner", "threads", 10**6),
        ("learner", "batch", 10**30),
        ("arena", "games", 10**30),
        ("replay", "window_most", 10**30),
        ("self_play", "temperature", 1e300),
    ],
)
def test_a_setting_out_of_range_is_named(table: str, name: str, value: float) -> None:
    with pytest.raises(ConfigError, match=rf"^{table}\.{name}: .*\(it is "):
        make_config({"game": "tic_tac_toe", table: {name: value}})


@pytest.mark.parametrize("seed", [2**64, 10**30, -1])
def test_a_seed_out_of_range_is_named(seed: int) -> None:
    with pytest.raises(ConfigError, match=r"^seed: "):
        load_config(game="tic_tac_toe", seed=seed)


BAD_LINES = {
    "deep": "[" * DEEP + "]" * DEEP,
    "a deep object": '{"a":' * DEEP + "1" + "}" * DEEP,
    "a large score": json.dumps({"moves": "", "move score": [10**400] * 9}),
    "a deep score": json.dumps({"moves": ""})[:-1] + ', "move score": ' + "[" * 900 + "]" * 900 + "}",
    "cells that are lists": json.dumps({"board": [[]] * 9, "move score": [0] * 9}),
    "a cell too large": json.dumps({"board": [10**30] * 9, "move score": [0] * 9}),
    "no object": "5",
}


@pytest.mark.parametrize("name", BAD_LINES)
def test_a_bad_position_is_named_with_its_line(tmp_path: Path, name: str) -> None:
    path = tmp_path / "positions"
    path.write_text(f"\n{BAD_LINES[name]}\n")
    with pytest.raises(PositionsError, match=re.escape(f"{path}, line 2: ")):
        load_positions(path, tengen.load("tic_tac_toe"))


HEADERS = {
    "deep": "[" * DEEP + "]" * DEEP,
    "a large option": json.dumps({"options": {"size": 10**400}, "planes_shape": [1, 1, 1]}),
    "sizes too large": json.dumps({"options": {}, "planes_shape": [10**400, 1, 1]}),
}


@pytest.mark.parametrize("name", HEADERS)
def test_a_header_of_a_stranger_is_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / "network.safetensors"
    metadata = {"format": "tengen network 2", "header": HEADERS[name], "checksum": ""}
    header = json.dumps({"__metadata__": metadata}).encode()
    path.write_bytes(struct.pack("<Q", len(header)) + header)
    with pytest.raises(NetworkFileError, match=r"The header of .* can't be understood"):
        load_network(path)


def test_a_deep_header_of_games_is_refused(tmp_path: Path) -> None:
    from tengen.records.shards import _HEADER, _frame

    (tmp_path / "000001.tgr").write_bytes(_frame(_HEADER, b"[" * DEEP + b"]" * DEEP))
    with pytest.raises(tengen.RecordError, match="has a header that this tengen can't read"):
        game_of(tmp_path)


def test_a_setting_that_is_nested_too_deep_is_a_text() -> None:
    from tengen.run.settings import resolve

    with pytest.raises(ConfigError, match=r"learner\.batch"):
        resolve("tic_tac_toe", sets=["learner.batch=" + "[" * DEEP])


Choose = Callable[[tengen.Agent, object], object]


@pytest.mark.parametrize("ask", [tengen.Agent.choose, tengen.Agent.analyse])
def test_a_state_of_another_game(ask: Choose) -> None:
    agent = tengen.Agent("tic_tac_toe", simulations=4)
    position = agent.game.state("b2")
    before = ask(agent, position)
    with pytest.raises(NetworkFileError, match="This network plays tic_tac_toe, not connect_four"):
        ask(agent, tengen.load("connect_four").initial_state())
    with pytest.raises(TypeError, match=r"looks at a tengen\.State, not at a NoneType"):
        ask(agent, None)
    assert agent.engine.state == position
    assert type(ask(agent, position)) is type(before)
