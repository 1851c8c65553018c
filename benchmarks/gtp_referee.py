"""A referee for the Go Text Protocol: full games of 9x9 Go between `tengen gtp` and GNU Go, every answer checked.

    python benchmarks/gtp_referee.py [MODEL] [--games 50] [--simulations 16] [--level 1]

Without MODEL, tengen plays with a small network of random weights; the protocol is the same. The referee checks:

- the format and the number of every answer, and that there is no output without a command;
- that no legal move is refused and no illegal move is played, by our rules and by sgfmill's board;
- that both engines have the same stones on the board at the end;
- `final_score`: ours against sgfmill's area count, and against GNU Go's if the two are comparable, that is if no stones
  are dead and every empty region has one owner. A weak network rarely ends a game like that; with --follow GNU Go plays
  both sides to the end, and tengen only follows the game.

Errors are printed, and the exit code is 1 if there were any. Openings are random, each played twice with colours
swapped.
"""

import random
import re
import shlex
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro
from sgfmill.boards import Board
from sgfmill.common import format_vertex, move_from_vertex

import tengen
from tengen.external.process import ExternalEngineError, Program
from tengen.games.sgf import read_sgf
from tengen.games.vertices import vertex_action, vertex_text

SIZE = 9
KOMI = 7.0
OPENING = 4  # random moves at the start of each game
MOST_MOVES = 2 * SIZE * SIZE - 2
GNU_GO = "{} --mode gtp --level {} --chinese-rules --positional-superko --never-resign --seed 1"
PLAY_OUT = " --play-out-aftermath --capture-all-dead"
OURS = "import sys; from tengen.interfaces.cli import run; sys.exit(run(sys.argv[1:]))"


class Complaint(Exception):
    """A violation of the protocol or the rules. It ends the game."""


class Side:
    """One engine, whose every answer is checked."""

    def __init__(self, name: str, command: list[str]) -> None:
        self.name = name
        self.answers = 0
        self.seconds = 0.0
        self._program = Program(name, command)

    def ask(self, command: str) -> str:
        """The content of the answer. A refused command raises Complaint."""
        self.answers += 1
        if unasked := self._program.unread():
            raise Complaint(f"{self.name} spoke unasked before '{command}': {unasked[:80]!r}")
        started = time.perf_counter()
        self._program.send(f"{self.answers} {command}\n")
        said = self._program.read_to(b"\n\n", 60.0)
        self.seconds += time.perf_counter() - started
        if not re.fullmatch(rf"[=?]{self.answers}( [^\n]*)?\n([^\n]+\n)*\n", said):
            raise Complaint(f"{self.name} answered '{command}' out of form: {said[:80]!r}")
        content = said[1 + len(str(self.answers)) :].strip()
        if said[0] == "?":
            raise Complaint(f"{self.name} refused '{command}': {content}")
        return content

    def close(self) -> None:
        self.ask("quit")
        self._program.close()


@dataclass
class Table:
    """The position as the referee sees it, by two independent sets of rules."""

    state: tengen.State
    board: Board
    ko: tuple[int, int] | None = None  # sgfmill's

    def play(self, name: str, vertex: str) -> None:
        """Plays a move; raises Complaint if it is illegal."""
        action = vertex_action(self.state.game, vertex)
        colour = "bw"[self.state.to_move]
        if action is None or not self.state.is_legal(action):
            raise Complaint(f"{name} played {vertex}, which is not legal:\n{self.state}")
        self.state = self.state.play(action)
        point = move_from_vertex(vertex, SIZE)
        if point is None:
            self.ko = None
            return
        if self.board.get(*point) is not None or point == self.ko:
            raise Complaint(f"{name} played {vertex}: our rules allow it, sgfmill's do not:\n{self.state}")
        self.ko = self.board.play(*point, colour)

    def stones(self, colour: str) -> set[str]:
        return {format_vertex(point) for found, point in self.board.list_occupied_points() if found == colour}

    def is_settled(self) -> bool:
        """Every empty region has one owner."""
        empty = {(r, c) for r in range(SIZE) for c in range(SIZE) if self.board.get(r, c) is None}
        while empty:
            stack, owners = [empty.pop()], set()
            while stack:
                r, c = stack.pop()
                for near in ((r - 1, c), (r + 1, c), (r, c - 1), (r, c + 1)):
                    if near in empty:
                        empty.remove(near)
                        stack.append(near)
                    elif min(near) >= 0 and max(near) < SIZE:
                        owners.add(self.board.get(*near))
            if len(owners - {None}) != 1:
                return False
        return True


def play_game(sides: list[Side], engines: list[Side], opening: random.Random) -> tuple[Table, str]:
    """Plays a whole game: `sides` are black and white, and `engines` all follow it. Returns the final position and how
    the game ended.
    """
    game = tengen.load("go", size=SIZE, komi=KOMI)
    table = Table(game.initial_state(), Board(SIZE))
    for engine in engines:
        for command in (f"boardsize {SIZE}", "clear_board", f"komi {KOMI:g}", "time_settings 600 0 0"):
            engine.ask(command)
    while table.state.outcome is None and len(table.state.moves) < MOST_MOVES:
        player = table.state.to_move
        colour = ("black", "white")[player]
        if len(table.state.moves) < OPENING:
            vertex = vertex_text(game, opening.choice(table.state.legal_actions[:-1]))
            table.play("the opening", vertex)
            told = engines
        else:
            vertex = sides[player].ask(f"genmove {colour}")
            if vertex.lower() == "resign":
                return table, f"{sides[player].name} resigned"
            table.play(sides[player].name, vertex)
            told = [engine for engine in engines if engine is not sides[player]]
        for engine in told:
            engine.ask(f"play {colour} {vertex}")
    return table, "two passes" if table.state.outcome is not None else "length"


def check_end(ours: Side, theirs: Side, table: Table) -> str:
    """Checks stones and scores at the end. Returns how GNU Go's score compares."""
    for colour in ("black", "white"):
        if set(theirs.ask(f"list_stones {colour}").split()) != table.stones(colour[0]):
            raise Complaint(f"{theirs.name} has other {colour} stones on the board than the referee.")
    if read_sgf(ours.ask("printsgf"))[1].moves != table.state.moves:
        raise Complaint(f"{ours.name} prints another game than was played.")
    score = ours.ask("final_score")
    if score != _score_text(table.board.area_score() - KOMI):
        raise Complaint(f"{ours.name} counts {score}, sgfmill {table.board.area_score() - KOMI:g}.")
    if not table.is_settled() or theirs.ask("final_status_list dead"):
        return "not comparable"
    their_score = theirs.ask("final_score")
    if float(their_score[2:] or 0) != float(score[2:] or 0) or their_score[0] != score[0]:
        raise Complaint(f"{ours.name} counts {score}, {theirs.name} {their_score}, with nothing dead:\n{table.state}")
    return "the same"


def _score_text(score: float) -> str:
    return "0" if score == 0 else f"{'B' if score > 0 else 'W'}+{abs(score):g}"


def random_network(folder: Path) -> Path:
    from tengen.config import NetworkConfig
    from tengen.network.checkpoint import NetworkFile, save_network
    from tengen.network.torch_net import TorchNet, network_weights

    game, config = tengen.load("go", size=SIZE), NetworkConfig(blocks=2, channels=16)
    path = folder / "random.safetensors"
    save_network(path, NetworkFile.of(game, config, network_weights(TorchNet(game.spec, config, seed=1))))
    return path


def main(
    model: Annotated[str | None, tyro.conf.Positional, tyro.conf.arg(metavar="[MODEL]")] = None,
    *,
    games: int = 50,
    simulations: int = 16,
    level: int = 1,
    follow: Annotated[bool, tyro.conf.FlagCreatePairsOff] = False,
    gnugo: str = "/usr/games/gnugo",
    seed: int = 0,
) -> None:
    """Plays the games and reports every error."""
    with tempfile.TemporaryDirectory() as folder:
        network = model or str(random_network(Path(folder)))
        command = [sys.executable, "-c", OURS, "gtp", network, "--simulations", str(simulations)]
        opponent = GNU_GO.format(gnugo, level) + PLAY_OUT * follow
        ours, theirs = Side("tengen", command), Side("GNU Go", shlex.split(opponent))
        ends, scores, complaints, moves, wins = Counter[str](), Counter[str](), [], 0, 0.0
        for number in range(games):
            sides = [theirs, theirs] if follow else [ours, theirs] if number % 2 == 0 else [theirs, ours]
            try:
                table, end = play_game(
                    sides, [ours, theirs], random.Random(f"{seed} {number if follow else number // 2}")
                )
                ends[end] += 1
                moves += len(table.state.moves)
                scores[check_end(ours, theirs, table)] += 1
                area = table.board.area_score() - KOMI
                wins += 0.5 if area == 0 else float((area > 0) == (sides[0] is ours))
            except (Complaint, ExternalEngineError) as complaint:
                complaints.append(f"game {number + 1}: {complaint}")
                print(complaints[-1], flush=True)
                if isinstance(complaint, ExternalEngineError):
                    break
            print(f"game {number + 1} of {games}: {moves} moves so far; scores: {dict(scores)}", file=sys.stderr)
        for side in () if complaints else (ours, theirs):
            side.close()
    print(f"{games} games, {moves} moves, {ours.answers} answers of tengen, {theirs.answers} of GNU Go")
    print(f"ended by {', '.join(f'{end} {count}' for end, count in ends.items())}")
    print(f"GNU Go's score is {', '.join(f'{what} {count}' for what, count in scores.items())}")
    if not follow:
        print(f"tengen has the larger area in {wins:g} games")
    print(f"waited {ours.seconds:.0f} s for tengen and {theirs.seconds:.0f} s for GNU Go")
    print(f"{len(complaints)} complaints")
    sys.exit(bool(complaints))


if __name__ == "__main__":
    tyro.cli(main)
