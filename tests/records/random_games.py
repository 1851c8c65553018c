"""Random games as self-play would record them: some positions with targets, some without."""

import numpy as np

import tengen
from tengen import Outcome
from tengen.games import names
from tengen.records import GameRecord, RecordBuilder

_SMALL = {
    "go": {"size": 5},
    "gomoku": {"size": 6},
    "mnk": {"m": 4, "n": 3, "k": 3},
    "othello": {"size": 6},
    "chess": {"max_moves": 30},
    "minichess": {"max_moves": 40},
}


def small_games() -> list[tengen.Game]:
    """Every game of the registry, on a board that is quick to play on."""
    return [tengen.load(name, **_SMALL.get(name, {})) for name in names()]


def random_target(state: tengen.State, rng: np.random.Generator) -> np.ndarray:
    policy = np.zeros(state.game.spec.num_actions)
    legal = list(state.legal_actions)
    policy[legal] = rng.random(len(legal)) ** 4 * (rng.random(len(legal)) < 0.8)
    policy[rng.choice(legal)] += 0.1
    return policy / policy.sum()


def random_record(game: tengen.Game, seed: int, *, recorded_share: float = 0.7, resign: bool = False) -> GameRecord:
    rng = np.random.default_rng(seed)
    builder = RecordBuilder(network=f"{seed:08x}", iteration=seed % 100, seed=seed, never_resigns=seed % 5 == 0)
    state = game.initial_state()
    last = rng.integers(1, 6) if resign else game.spec.longest_game
    while state.outcome is None and len(state.moves) < last:
        if rng.random() < recorded_share:
            builder.target(random_target(state, rng), rng.uniform(-1, 1), rng.exponential())
        action = int(rng.choice(state.legal_actions))
        builder.play(action)
        state = state.play(action)
    if state.outcome is not None:
        return builder.finish(state.outcome)
    builder.target(random_target(state, rng), -0.99, 0.0)  # the search that made the player to move give up
    return builder.finish(Outcome(1 - state.to_move), resigned=True)
