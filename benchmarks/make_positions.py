"""Writes Connect Four positions with the exact score of every move, for `tengen evaluate --positions FILE`.

The scores come from bitbully (pip install bitbully): above 0 the player to move wins, and a sooner win has a higher
score; -99 marks a full column. Positions come from games in which about half of the moves are perfect and the others
random.

    python benchmarks/make_positions.py --count 500 --seed 1 > positions.jsonl
"""

import argparse
import json
import random
from collections.abc import Iterator

from bitbully import BitBully, Board

import tengen

ILLEGAL = -99
COLUMNS = 7


def scored_positions(count: int, seed: int) -> Iterator[dict[str, object]]:
    """Positions whose legal moves differ in score; no two are equal or mirror images of each other."""
    solver, chance, game = BitBully(), random.Random(seed), tengen.load("connect_four")
    seen: set[tengen.State] = set()
    while len(seen) < count:
        state = random_state(game, solver, chance)
        if state is None or state in seen or mirrored(state) in seen:
            continue
        scores = solver.score_all_moves(Board(list(state.moves)))
        if len(set(scores.values())) < 2:
            continue
        seen.add(state)
        yield {
            "moves": state.moves_text,
            "score": max(scores.values()),
            "move score": [scores.get(column, ILLEGAL) for column in range(COLUMNS)],
        }


def random_state(game: tengen.Game, solver: BitBully, chance: random.Random) -> tengen.State | None:
    """A state after up to 34 plies; None if the game ended before."""
    state = game.initial_state()
    for _ in range(chance.randint(0, 34)):
        action = chance.choice(state.legal_actions)
        if chance.random() < 0.5:
            scores = solver.score_all_moves(Board(list(state.moves)))
            action = chance.choice([column for column, score in scores.items() if score == max(scores.values())])
        state = state.play(action)
        if state.outcome is not None:
            return None
    return state


def mirrored(state: tengen.State) -> tengen.State:
    return state.game.state([COLUMNS - 1 - action for action in state.moves])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    for position in scored_positions(arguments.count, arguments.seed):
        print(json.dumps(position), flush=True)


if __name__ == "__main__":
    main()
