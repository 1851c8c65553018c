"""Programs for tests, of every protocol: good ones that play the first legal move, and those with a fault.

python engines.py GAME FAULT [PROTOCOL]
"""

import os
import re
import subprocess
import sys
import time

import tengen
from tengen.external.gomocup import point_action, point_text
from tengen.games.vertices import vertex_action, vertex_text


def main(name: str, fault: str, protocol: str = "gtp") -> None:
    if fault == "child":
        print(subprocess.Popen(["sleep", "600"]).pid, file=sys.stderr, flush=True)
    {"gtp": gtp, "gomocup": gomocup, "nboard": nboard, "uci": uci, "usi": uci}[protocol](name, fault)


def say(text: str, fault: str) -> None:
    print(text if fault != "nonsense" else "hello\n", flush=True)


def gtp(name: str, fault: str) -> None:
    game = tengen.load(name, size=5 if name != "othello" else 8)
    state = game.initial_state()
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
            move = first_move(state, fault, "= A1\n\n= A2\n")
            texts = {"illegal": "A1" if state.moves else "Z9", "resigns": "resign", "words": "I like\x1bD4"}
            answer = texts.get(fault) or vertex_text(game, move)
            if fault not in texts:
                state = state.play(move)
        elif command == "quit":
            quit_or_stay(fault)
        sign = "?" if fault == "passes" and words[1:] == ["pass"] else "="
        say(f"{sign} {answer}\r\n\r", fault)


def gomocup(name: str, fault: str) -> None:
    state = tengen.load(name, size=5).initial_state()
    for line in sys.stdin:
        command, *words = line.split()
        if command == "END":
            quit_or_stay(fault)
        elif command == "START":
            state = tengen.load(name, size=int(words[0])).initial_state()
            say("ERROR size" if fault == "refuses" else "DEBUG hello\r\n\r\nOK - ready\r", fault)
        elif command in ("BEGIN", "TURN", "BOARD"):
            if command == "TURN":
                state = state.play(point_action(state.game, words[0]))
            elif command == "BOARD":
                for stone in iter(lambda: sys.stdin.readline().strip(), "DONE"):
                    state = state.play(point_action(state.game, stone.rpartition(",")[0]))
            move = first_move(state, fault, "0,0\n1,1")
            texts = {"illegal": "0,4" if state.moves else "99,0", "words": "I like\x1b0,0"}
            print("MESSAGE thinking")
            say(texts.get(fault) or point_text(state.game, move), fault)
            if fault not in texts:
                state = state.play(move)


def nboard(name: str, fault: str) -> None:
    game = tengen.load(name)
    state = game.initial_state()
    for line in sys.stdin:
        command, *words = line.split()
        if command == "quit":
            quit_or_stay(fault)
        elif command == "set" and words[0] == "game":
            [(cells, turn)] = re.findall(r"BO\[8 ([-*O]{64}) ([*O])\]", line)
            signs = cells.replace("-", ".").replace("*", "X")
            rows = [f"{row + 1} {' '.join(signs[8 * row : 8 * row + 8])}" for row in range(8)]
            drawing = ["  a b c d e f g h", *rows, f"{turn.replace('*', 'X')} to move"]
            state = game.state(board="\n".join(drawing))
        elif command == "ping":
            say(f"set myname fake\nstatus waiting\npong {words[0]}", fault)
        elif command == "go":
            move = first_move(state, fault, "=== A1\n=== A2")
            texts = {"illegal": "A1", "words": "I like\x1bD4"}
            say(f"status thinking\n=== {texts.get(fault) or state.action_text(move).upper()}/1.50/0.01", fault)


def uci(name: str, fault: str) -> None:
    game = tengen.load(name, size=5)
    state = game.initial_state()
    set_up: list[str] = []
    for line in sys.stdin:
        command, *words = line.split()
        if command == "quit":
            quit_or_stay(fault)
        elif command in ("uci", "usi"):
            say(f"id name fake\noption name Skill Level type spin default 1 min 0 max 2\n\n{command}ok", fault)
        elif command == "setoption":
            set_up.append(" ".join(words))
        elif command == "isready":
            say("info string ready\nreadyok", fault)
        elif command == "position":
            state = game.state(words[2:])
        elif command == "go":
            move = first_move(state, fault, "bestmove a1\nbestmove a2")
            texts = {"illegal": "a1" if state.moves else "z9", "resigns": "resign", "words": "I\x1blike", "empty": " "}
            print(f"info string {'; '.join(set_up)} / {' '.join(words)}", file=sys.stderr, flush=True)
            say(f"info depth 1 score cp 3\nbestmove {texts.get(fault) or state.action_text(move)} ponder a1", fault)


def quit_or_stay(fault: str) -> None:
    if fault == "stays":
        time.sleep(600)
    sys.exit(0)


def first_move(state: tengen.State, fault: str, too_much: str) -> int:
    if fault == "dies":
        print("out of memory", file=sys.stderr, flush=True)
        sys.exit(3)
    if fault in ("hangs", "child"):
        time.sleep(600)
    while fault == "floods":
        print("MESSAGE " + "x" * 1000)
    if fault == "closes":
        os.close(1)
        time.sleep(600)
    if fault == "talks":
        print(too_much, flush=True)
    return state.legal_actions[0]


main(*sys.argv[1:])
