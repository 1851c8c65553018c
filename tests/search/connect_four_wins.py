"""200 random positions of Connect Four that the player to move wins within 8 plies, with the exact solver's answers:
tests/golden/connect_four_wins.json. To make them anew (needs bitbully):

    python tests/search/connect_four_wins.py
"""

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from tactics import random_positions

from tengen import load

FILE = Path(__file__).parents[1] / "golden" / "connect_four_wins.json"
WANTED = {1: 20, 3: 40, 5: 70, 7: 70}  # plies to the win: positions


@dataclass(frozen=True)
class Position:
    """Plies to the end after each legal column, for the player to move: positive wins, negative loses, 0 draws."""

    moves: list[int]
    plies: dict[int, int]

    @property
    def shortest(self) -> int:
        return min(n for n in self.plies.values() if n > 0)


def stored() -> list[Position]:
    return [
        Position(entry["moves"], {int(a): n for a, n in entry["plies"].items()})
        for entry in json.loads(FILE.read_text())
    ]


def solve(moves: list[int]) -> dict[int, int]:
    """bitbully's answer, as Position has it."""
    from bitbully import BitBully, Board

    board = Board(moves)
    plies = {}
    for action, score in solver().score_all_moves(board).items():
        sign = (score > 0) - (score < 0)
        plies[action] = sign * BitBully.score_to_moves_left(score, board)
    return dict(sorted(plies.items()))


def solver():  # type: ignore[no-untyped-def]
    """One solver for all: it keeps a table of what it knows."""
    from bitbully import BitBully

    if not hasattr(solver, "made"):
        solver.made = BitBully()  # type: ignore[attr-defined]
    return solver.made  # type: ignore[attr-defined]


def find() -> list[Position]:
    found: list[Position] = []
    missing = Counter(WANTED)
    for state in random_positions(load("connect_four"), 10, 30, seed=1):
        position = Position(list(state.moves), solve(list(state.moves)))
        if max(position.plies.values()) > 0 and missing[position.shortest] > 0:
            missing[position.shortest] -= 1
            found.append(position)
        if not +missing:
            return found
    raise AssertionError


if __name__ == "__main__":
    entries = [json.dumps({"moves": p.moves, "plies": p.plies}) for p in find()]
    FILE.write_text("[\n" + ",\n".join(entries) + "\n]\n")
