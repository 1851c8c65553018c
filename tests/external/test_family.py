"""Processes that an external program started and that left its process group are ended with it."""

import subprocess
import sys
import time

import pytest
from test_external import alive

from tengen.external.process import Program

# Three that left: by setsid, by two forks (init is its parent then), and by a shell in the background.
LEAVES = """
import os, subprocess, sys
first = subprocess.Popen(["sleep", "600"], start_new_session=True).pid
reading, writing = os.pipe()
if os.fork() == 0:
    os.setsid()
    if (second := os.fork()) == 0:
        os.execlp("sleep", "sleep", "600")
    os.write(writing, b"%d" % second)
    os._exit(0)
second = int(os.read(reading, 20))
os.wait()
third = int(subprocess.check_output(["setsid", "sh", "-c", "sleep 600 > /dev/null & echo $!"]))
print(first, second, third, flush=True)
sys.stdin.read()
"""


def wait_until_gone(pids: list[int]) -> bool:
    for _ in range(100):
        if not any(map(alive, pids)):
            return True
        time.sleep(0.1)
    return False


@pytest.mark.parametrize("dies_first", [False, True])
def test_those_who_left_the_group_are_ended(dies_first: bool) -> None:
    program = Program("leaves", [sys.executable, "-c", LEAVES])
    pids = [int(word) for word in program.read_to(b"\n", 60.0).split()]
    assert len(pids) == 3
    assert all(map(alive, pids))
    bystander = subprocess.Popen(["sleep", "600"])
    if dies_first:
        program._process.kill()
        program._process.wait()
        assert all(map(alive, pids))
    program.close()
    assert wait_until_gone(pids)
    assert bystander.poll() is None  # nobody else's
    bystander.kill()
    bystander.wait()


def test_those_who_left_the_group_are_ended_after_a_killed_python() -> None:
    code = f"""
import sys, time
from tengen.external.process import Program
program = Program("leaves", [sys.executable, "-c", {LEAVES!r}])
print(program.read_to(b"\\n", 60.0), flush=True)
time.sleep(600)
"""
    python = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert python.stdout is not None
    pids = [int(word) for word in python.stdout.readline().split()]
    assert all(map(alive, pids))
    python.kill()
    python.communicate()
    assert wait_until_gone(pids)
