"""One contract for every game of the registry, on games with fixed seeds. The laws themselves are in laws.py."""

import itertools
import random
from collections.abc import Callable
from pathlib import Path

import laws
import numpy as np
import pytest

import tengen
from tengen._core import game_entries

DOCS = Path(__file__).parents[2] / "docs" / "games"

every_game = pytest.mark.parametrize("game", laws.VARIANTS, ids=lambda variant: repr(variant.load()), indirect=True)


@pytest.fixture
def game(request: pytest.FixtureRequest) -> tengen.Game:
    variant: laws.Variant = request.param
    return variant.load()


def random_moves(game: tengen.Game, seed: int) -> list[int]:
    """The actions of a whole random game."""
    rng, state = random.Random(seed), game.initial_state()
    while state.outcome is None:
        state = state.play(rng.choice(state.legal_actions))
    return list(state.moves)


def some_states(game: tengen.Game) -> list[tengen.State]:
    """The last and about ten other states of each of five games."""
    chosen = []
    for seed in range(5):
        states = laws.states_of(game, random_moves(game, seed))
        chosen += [*states[: -1 : len(states) // 10 + 1], states[-1]]
    return chosen


@every_game
@pytest.mark.parametrize("law", laws.STATE_LAWS, ids=lambda law: law.__name__.removeprefix("check_"))
def test_states_keep_the_law(game: tengen.Game, law: Callable[[tengen.State], None]) -> None:
    for state in some_states(game):
        law(state)


@every_game
def test_spec_is_complete(game: tengen.Game) -> None:
    spec = game.spec
    assert spec.name
    assert min(spec.num_planes, spec.height, spec.width, spec.num_actions, spec.longest_game) > 0
    assert len(set(spec.plane_names)) == spec.num_planes
    assert len(set(spec.player_names)) == 2
    assert eval(repr(game), {"tengen": tengen}) == game


@every_game
def test_first_player_starts_an_unfinished_game(game: tengen.Game) -> None:
    state = game.initial_state()
    assert (state.to_move, state.outcome, state.moves) == (0, None, ())
    assert state == game.state() == game.initial_state()


@every_game
def test_games_end_in_time(game: tengen.Game) -> None:
    for seed in range(20):
        states = laws.states_of(game, random_moves(game, seed))
        assert len(states) - 1 <= game.spec.longest_game
        assert {state.to_move for state in states} <= {0, 1}
        assert all(state.outcome is None for state in states[:-1])


@every_game
def test_action_texts_are_names(game: tengen.Game) -> None:
    actions = range(game.spec.num_actions)
    texts = [game.action_text(action) for action in actions]
    assert len(set(texts)) == len(texts)
    assert not any(set(text) & set(" \t\n,") for text in texts)
    assert [game.parse_action(text) for text in texts] == list(actions)
    for text in ["", " ", "?", "a", "99", "z99", "a1a1a1", "天"]:
        assert game.parse_action(text) is None or text in texts
    for action in (-1, game.spec.num_actions):
        with pytest.raises(tengen.IllegalActionError):
            game.action_text(action)


@every_game
def test_hashes_tell_states_apart(game: tengen.Game) -> None:
    by_hash: dict[int, list[tengen.State]] = {}
    for seed in range(10):
        for state in laws.states_of(game, random_moves(game, seed)):
            by_hash.setdefault(hash(state), []).append(state)
    for same in by_hash.values():
        assert all(state == same[0] and str(state) == str(same[0]) for state in same)


@every_game
def test_random_playouts_are_random_games(game: tengen.Game) -> None:
    counts = game.random_playouts(200, seed=5)
    assert counts.games == 200 == sum(counts.wins) + counts.draws
    assert 200 <= counts.actions <= 200 * game.spec.longest_game
    again = game.random_playouts(200, seed=5)
    assert (again.actions, again.wins, again.draws) == (counts.actions, counts.wins, counts.draws)
    finished = game.state(random_moves(game, 0))
    assert finished.outcome is not None
    counts = game.random_playouts(3, seed=5, state=finished)
    assert (counts.actions, counts.draws) == (0, 3 * finished.outcome.is_draw)


@every_game
def test_symmetries_are_a_group(game: tengen.Game) -> None:
    spec = game.spec
    tables = [
        (tuple(laws.cell_sources(symmetry, spec)), tuple(symmetry.action(a) for a in range(spec.num_actions)))
        for symmetry in game.symmetries
    ]
    assert game.symmetries[0].name == "identity"
    assert tables[0] == (tuple(range(spec.height * spec.width)), tuple(range(spec.num_actions)))
    assert len({symmetry.name for symmetry in game.symmetries}) == len(tables)
    for cells, actions in tables:
        assert sorted(cells) == list(range(len(cells)))
        assert sorted(actions) == list(range(len(actions)))
    for (cells, actions), (other_cells, other_actions) in itertools.product(tables, tables):
        both = (tuple(other_cells[cell] for cell in cells), tuple(actions[action] for action in other_actions))
        assert both in tables


@every_game
def test_symmetric_policies_follow_the_actions(game: tengen.Game) -> None:
    policy = np.arange(game.spec.num_actions, dtype=np.float32)
    for symmetry in game.symmetries:
        moved = [symmetry.action(action) for action in range(game.spec.num_actions)]
        assert np.array_equal(symmetry.policy(policy)[moved], policy)
        with pytest.raises(tengen.IllegalActionError):
            symmetry.action(game.spec.num_actions)


@every_game
def test_symmetries_are_shared_by_the_rules(game: tengen.Game) -> None:
    moves = random_moves(game, 0)
    for symmetry in game.symmetries:
        laws.check_symmetry_is_shared_by_the_rules(game, moves, symmetry)


@every_game
def test_games_differ_by_name_and_options(game: tengen.Game) -> None:
    others = [other for other in map(laws.Variant.load, laws.VARIANTS) if other != game]
    assert len(others) == len(laws.VARIANTS) - 1
    assert all(game.initial_state() != other.initial_state() for other in others)


@pytest.mark.parametrize("name", [entry.name for entry in game_entries()])
def test_game_has_a_page(name: str) -> None:
    page = (DOCS / f"{name}.md").read_text()
    options = next(entry.options for entry in game_entries() if entry.name == name)
    for word in ["Rules", "Actions", "Planes", "Symmetries", *(f"`{option.name}`" for option in options)]:
        assert word in page
