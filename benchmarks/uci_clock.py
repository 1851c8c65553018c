"""Does an engine that speaks UCI ever lose on time? Plays games of chess by a clock and reports the least time left.

    python benchmarks/uci_clock.py "tengen uci rollout" --games 200 --clock 1 --increment 0.01
    python benchmarks/uci_clock.py "tengen uci net.safetensors" --games 40 --stall 0.2 --stall-share 0.05

Both sides are the same command, two processes. python-chess knows the rules; the time of a move is from sending `go` to
reading `bestmove`. `--stall` stops an engine for so many seconds in the middle of a move, in that share of its moves,
as on a machine on which others work: it counts against its clock.
"""

from __future__ import annotations

import argparse
import random
import shlex
import signal
import subprocess
import threading
import time
from dataclasses import dataclass, field

import chess

OPENING_PLIES = 6  # random moves, so that no two games are alike
STALL_AFTER = 0.004  # seconds after `go`: in the middle of even a short move


class Engine:
    """A process that is asked for one move at a time."""

    def __init__(self, command: str) -> None:
        started = time.perf_counter()
        self.process = subprocess.Popen(
            shlex.split(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        self.ask("uci", "uciok")
        self.ask("isready", "readyok")
        self.start_seconds = time.perf_counter() - started

    def say(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def ask(self, line: str, answer: str) -> str:
        assert self.process.stdout is not None
        self.say(line)
        for said in self.process.stdout:
            if said.startswith(answer):
                return said.strip()
        raise SystemExit(f"The engine left after '{line}'.")

    def stall(self, seconds: float) -> threading.Thread:
        """Stops the process soon, for that long."""

        def stop_and_go() -> None:
            time.sleep(STALL_AFTER)
            self.process.send_signal(signal.SIGSTOP)
            time.sleep(seconds)
            self.process.send_signal(signal.SIGCONT)

        thread = threading.Thread(target=stop_and_go)
        thread.start()
        return thread

    def quit(self) -> None:
        self.say("quit")
        self.process.wait(10)


@dataclass
class Figures:
    """What was seen over all games. Seconds."""

    losses_on_time: int = 0
    moves: int = 0
    stalls: int = 0
    least_left: float = float("inf")
    longest_move: float = 0.0
    used: list[float] = field(default_factory=list)  # by game and side: share of the time that it had


def play(engines: list[Engine], arguments: argparse.Namespace, rng: random.Random, figures: Figures) -> str:
    """One game; who won, as a PGN has it, and how long it was."""
    board = chess.Board()
    while len(board.move_stack) < OPENING_PLIES:
        board.push(rng.choice(list(board.legal_moves)))
        if board.is_game_over():
            board.reset()
    for engine in engines:
        engine.say("ucinewgame")
        engine.ask("isready", "readyok")
    clocks, given = [arguments.clock] * 2, [arguments.clock] * 2
    while not board.is_game_over(claim_draw=True):
        side = len(board.move_stack) % 2
        engine = engines[side]
        engine.say("position startpos moves " + " ".join(move.uci() for move in board.move_stack))
        white, black = (round(1000 * left) for left in clocks)
        step = round(1000 * arguments.increment)
        stall = None
        if rng.random() < arguments.stall_share:
            stall = engine.stall(arguments.stall)
            figures.stalls += 1
        asked = time.perf_counter()
        answer = engine.ask(f"go wtime {white} btime {black} winc {step} binc {step}", "bestmove")
        took = time.perf_counter() - asked
        if stall is not None:
            stall.join()
        clocks[side] -= took
        figures.moves += 1
        figures.longest_move = max(figures.longest_move, took)
        figures.least_left = min(figures.least_left, clocks[side])
        if clocks[side] < 0.0:
            figures.losses_on_time += 1
            return f"{'10'[side]}-{'01'[side]} on time ({-1000 * clocks[side]:.0f} ms too late)"
        clocks[side] += arguments.increment
        given[side] += arguments.increment
        board.push_uci(answer.split()[1])
    figures.used += [1.0 - left / had for left, had in zip(clocks, given, strict=True)]
    return f"{board.result(claim_draw=True)} in {len(board.move_stack)} plies"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", help="how to start the engine")
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--clock", type=float, default=1.0, help="seconds for the game")
    parser.add_argument("--increment", type=float, default=0.01, help="seconds more after each move")
    parser.add_argument("--stall", type=float, default=0.0, help="seconds that an engine is stopped for")
    parser.add_argument("--stall-share", type=float, default=0.0, help="in which share of its moves")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    rng, figures = random.Random(arguments.seed), Figures()
    engines = [Engine(arguments.command) for _ in range(2)]
    try:
        for number in range(1, arguments.games + 1):
            result = play(engines[::-1] if number % 2 else engines, arguments, rng, figures)
            if number % 20 == 0 or "on time" in result:
                print(f"game {number}: {result}; least left so far {1000 * figures.least_left:.0f} ms", flush=True)
    finally:
        for engine in engines:
            engine.quit()
    print(
        f"{arguments.games} games at {arguments.clock:g} s + {arguments.increment:g} s: "
        f"{figures.losses_on_time} lost on time. {figures.moves} moves, {figures.stalls} stalls of "
        f"{arguments.stall:g} s; least time left "
        f"{1000 * figures.least_left:.0f} ms, longest move {1000 * figures.longest_move:.0f} ms, "
        f"{100 * sum(figures.used) / max(1, len(figures.used)):.0f} % of the time used; "
        f"ready {max(engine.start_seconds for engine in engines):.2f} s after the start."
    )


if __name__ == "__main__":
    main()
