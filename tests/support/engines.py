"""GTP programs for tests: a good one that plays the first legal move, and those with a fault that is asked for.

python engines.py GAME FAULT
"""

import os
import subprocess
import sys
import time

import tengen
from tengen.games.vertices import vertex_action, vertex_text


def main(name: str, fault: str) -> None:
    game = tengen.load(name, size=5 if name != "othello" else 8)
    state = game.initial_state()
    if fault == "child":
        print(subprocess.Popen(["sleep", "600"]).pid, file=sys.stderr, flush=True)
    for line in sys.stdin:
        command, *words = line.split()
        answer = ""
        if command == "boardsize":
            game = tengen.load(name, size=int(words[0]))
        elif command == "clear_board":
            state = game.initial_state()
        elif command == "list_commands":
            answer = "play\ngenmove"
        elif command == "play":
            state = state.play(vertex_action(game, words[1]))
        elif command == "genmove":
            answer = genmove(state, fault)
            if state.is_legal(vertex_action(game, answer) if vertex_action(game, answer) is not None else -1):
                state = state.play(vertex_action(game, answer))
        elif command == "quit" and fault == "stays":
            time.sleep(600)
        sign = "?" if fault == "passes" and words[1:] == ["pass"] else "="
        print(f"{sign} {answer}\r\n\r" if fault != "nonsense" else "hello\n", flush=True)
        if command == "quit":
            return


def genmove(state: tengen.State, fault: str) -> str:
    if fault == "dies":
        print("out of memory", file=sys.stderr, flush=True)
        sys.exit(3)
    if fault in ("hangs", "child"):
        time.sleep(600)
    while fault == "floods":
        print("x" * 1000)
    if fault == "closes":
        os.close(1)
        time.sleep(600)
    if fault == "talks":
        print("= A1\n\n= A2\n", flush=True)
    answers = {"illegal": "A1" if state.moves else "Z9", "resigns": "resign", "words": "I like\x1bD4"}
    return answers.get(fault) or vertex_text(state.game, state.legal_actions[0])


main(*sys.argv[1:])
