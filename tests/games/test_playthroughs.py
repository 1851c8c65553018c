"""Every public answer at every move of one game, kept as text: a changed behaviour is a readable diff.

python tests/games/test_playthroughs.py --write      writes the files anew
"""

import difflib
import itertools
import random
import sys
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

import tengen
from tengen._core import game_entries

FOLDER = Path(__file__).parent / "playthroughs"
NAMES = [entry.name for entry in game_entries()]
SEED = 1
OPTIONS = {"shogi": {"max_moves": 150}}  # a random game has hundreds of moves


def ranges(numbers: Sequence[int]) -> str:
    """0-3, 5, 7-8"""
    runs = itertools.groupby(enumerate(numbers), lambda pair: pair[1] - pair[0])
    ends = [(run[0][1], run[-1][1]) for run in (list(group) for _, group in runs)]
    return ", ".join(f"{first}" if first == last else f"{first}-{last}" for first, last in ends)


def describe_game(game: tengen.Game) -> Iterator[str]:
    spec = game.spec
    yield f"{game!r}"
    yield f"{spec!r}"
    yield f"planes: {', '.join(spec.plane_names)}"
    yield f"players: {', '.join(spec.player_names)}"
    yield f"pieces: {', '.join(map(repr, spec.pieces))}; hands {spec.hands}; board {spec.shape}"
    yield f"score: {spec.score_name or 'none'}"
    yield f"layout: {spec.action_layout}, at most {spec.most_legal} legal"
    yield f"actions: {' '.join(game.action_text(action) for action in range(spec.num_actions))}"
    for symmetry in game.symmetries:
        moved = [symmetry.action(action) for action in range(min(spec.num_actions, 8))]
        yield f"symmetry: {symmetry.name}, first actions to {' '.join(map(game.action_text, moved))}"


def describe_state(state: tengen.State, draw: bool) -> Iterator[str]:
    legal, planes = state.legal_actions, state.planes()
    yield f"  to move {state.to_move}, hash {hash(state):016x}, outcome {state.outcome}"
    yield f"  plane sums {' '.join(f'{plane.sum():g}' for plane in planes)}, crc {zlib.crc32(planes.tobytes()):08x}"
    score = "none" if state.score is None else f"{state.score:g}"
    yield f"  cells crc {zlib.crc32(state.cells.tobytes()):08x}, score {score}, key {state.evaluation_key:016x}"
    listed = ranges(legal) if len(legal) > 20 else " ".join(map(state.action_text, legal)) or "none"
    if state.position_text != str(state):
        yield f"  position {state.position_text}"
        listed = " ".join(map(state.notation, legal)) or "none"
    yield f"  legal {len(legal)}: {listed}"
    if draw:
        yield from (f"    {line}" for line in str(state).splitlines())


def playthrough(name: str) -> str:
    """A random game; a board of more than 64 cells, or with a text of its own, is drawn at every tenth move."""
    game = tengen.load(name, **OPTIONS.get(name, {}))
    rng, state = random.Random(SEED), game.initial_state()
    lines = [*describe_game(game), "", "start", *describe_state(state, draw=True)]
    while state.outcome is None:
        action = state.legal_actions[int(rng.random() * len(state.legal_actions))]
        where, text = game.action_cells(state, action), state.action_text(action)
        state = state.play(action)
        ply = len(state.moves)
        small = game.spec.height * game.spec.width <= 64 and state.position_text == str(state)
        draw = state.outcome is not None or ply % 10 == 0 or small
        lines += ["", f"{ply}. {text} to {where.target}", *describe_state(state, draw)]
    return "\n".join([*lines, "", repr(state), ""])


@pytest.mark.parametrize("name", NAMES)
def test_game_answers_as_before(name: str) -> None:
    kept = FOLDER / f"{name}.txt"
    assert kept.exists(), "make it with: python tests/games/test_playthroughs.py --write"
    before, now = kept.read_text().splitlines(), playthrough(name).splitlines()
    changes = "\n".join(difflib.unified_diff(before, now, "kept", "now", lineterm=""))
    assert not changes, f"\n{changes}\nIf this is meant: python tests/games/test_playthroughs.py --write"


def test_every_file_is_of_a_game() -> None:
    assert {path.stem for path in FOLDER.iterdir()} == set(NAMES)


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit(__doc__)
    for game_name in NAMES:
        (FOLDER / f"{game_name}.txt").write_text(playthrough(game_name))
