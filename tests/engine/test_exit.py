"""Python may end while a search runs in another thread: it ends as it would without."""

import subprocess
import sys

import pytest

SEARCH = """
import threading, time, tengen
game = tengen.load({game!r})
def work():
    while True:
        tengen.search(game, [game.initial_state()] * 16, tengen.UniformEvaluator(game), simulations=500)
threading.Thread(target=work, daemon=True).start()
time.sleep(0.3)
"""
PONDER = """
import time, tengen
from tengen.engine import Engine
game = tengen.load("othello")
engine = Engine(game, tengen.UniformEvaluator(game), tengen.SearchParams())
engine.set_position(game.initial_state())
engine.ponder()
time.sleep(0.3)
"""


@pytest.mark.parametrize("code", [SEARCH.format(game="connect_four"), SEARCH.format(game="go"), PONDER])
def test_exit_during_a_search(code: str) -> None:
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
        assert (done.returncode, done.stderr) == (0, "")
