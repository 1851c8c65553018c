"""Laws of samples: the same planes as State.planes, targets on legal actions, every value for the player to move."""

import numpy as np
import pytest
from random_games import random_record, small_games

import tengen
from tengen import Outcome, _core
from tengen.config import ReplayConfig
from tengen.records import GameRecord, RecordBuilder, RecordError
from tengen.replay import ReplayWindow, Samples

GAMES = small_games()


def _window(game: tengen.Game, records: list[GameRecord]) -> ReplayWindow:
    window = ReplayWindow(game, ReplayConfig())
    for record in records:
        window.add(record)
    return window


def _all_samples(window: ReplayWindow) -> list[Samples]:
    """Every position of the window, once under each symmetry."""
    positions = np.arange(window.positions)
    symmetries = len(window.game.symmetries)
    return [window.samples_of(positions, np.full(len(positions), symmetry)) for symmetry in range(symmetries)]


def _states(game: tengen.Game, record: GameRecord) -> list[tengen.State]:
    """The state at every ply."""
    states = [game.initial_state()]
    for move in record.moves.tolist():
        states.append(states[-1].play(move))
    return states


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_samples_are_the_python_replay_under_every_symmetry(game: tengen.Game) -> None:
    records = [random_record(game, seed, resign=seed == 3) for seed in range(6)]
    batches = _all_samples(_window(game, records))
    for symmetry, samples in zip(game.symmetries, batches, strict=True):
        row = 0
        for record in records:
            states = _states(game, record)
            for i, ply in enumerate(record.recorded.tolist()):
                state = states[ply]
                assert (samples.planes[row] == symmetry.planes(state.planes())).all()
                assert (samples.legal[row] == symmetry.policy(state.legal_mask().astype(np.float32))).all()
                policy = symmetry.policy(record.policy_target(i, game.spec.num_actions))
                np.testing.assert_allclose(samples.policy[row], policy, rtol=1e-6)
                np.testing.assert_allclose(samples.reply[row], symmetry.policy(_reply(game, record, ply)), rtol=1e-6)
                assert samples.reply_weight[row] == samples.reply[row].any()
                assert record.outcome is not None
                assert samples.value_outcome[row] == record.outcome.value_for(state.to_move)
                assert samples.value_search[row] == record.root_values[i]
                assert samples.plies_left[row] == len(record.moves) - ply
                assert samples.played_out[row] == (not record.resigned)
                row += 1
        assert row == len(samples.planes)


def _reply(game: tengen.Game, record: GameRecord, ply: int) -> np.ndarray:
    """The target of the next ply if it was recorded, else the move played there, else nothing."""
    if ply + 1 in record.recorded:
        return record.policy_target(record.recorded.tolist().index(ply + 1), game.spec.num_actions)
    reply = np.zeros(game.spec.num_actions, np.float32)
    if ply + 1 < len(record.moves):
        reply[record.moves[ply + 1]] = 1.0
    return reply


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_every_symmetry_says_the_same_about_a_game(game: tengen.Game) -> None:
    batches = _all_samples(_window(game, [random_record(game, seed) for seed in range(10)]))
    for symmetry, samples in zip(game.symmetries, batches, strict=True):
        np.testing.assert_allclose(samples.policy.sum(axis=1), 1.0, atol=1e-6)
        np.testing.assert_allclose(samples.reply.sum(axis=1), samples.reply_weight, atol=1e-6)
        assert not samples.policy[~samples.legal].any()
        assert samples.legal.any(axis=1).all()
        assert set(np.unique(samples.value_outcome)) <= {-1.0, 0.0, 1.0}
        assert (samples.ownership is None) == (samples.score is None) == (game.spec.name not in ("go", "othello"))
        if samples.ownership is not None:
            first = batches[0].ownership
            assert first is not None
            assert (samples.ownership == np.stack([symmetry.planes(board[None])[0] for board in first])).all()


@pytest.mark.parametrize("game", [game for game in GAMES if game.spec.name in ("go", "othello")], ids=repr)
def test_ownership_and_score_are_for_the_player_to_move(game: tengen.Game) -> None:
    """The winner has the higher score; the other side sees the same board with the signs changed."""
    record = random_record(game, 5, recorded_share=1.0)
    samples = _window(game, [record]).samples_of(np.arange(len(record.recorded)), np.zeros(len(record.recorded), int))
    assert samples.ownership is not None
    assert samples.score is not None
    assert (np.sign(samples.score) == samples.value_outcome).all()
    movers = np.array([1 - 2 * state.to_move for state in _states(game, record)[:-1]])
    for_first = samples.ownership * movers[:, None, None]
    assert (for_first == for_first[0]).all()
    assert (samples.score * movers == samples.score[0] * movers[0]).all()
    if game.spec.name == "othello":
        final = record.final_state(game)
        own, opponent = final.planes()[:2]
        assert (for_first[0] == (own - opponent) * (1 - 2 * final.to_move)).all()
        assert (samples.score == samples.ownership.sum(axis=(1, 2))).all()


def _played(game: tengen.Game, moves: list[int], **end: object) -> GameRecord:
    """A game in which every position is recorded; the searches believe that the player to move wins, 0.25 for ply 0."""
    builder = RecordBuilder()
    state = game.initial_state()
    for ply, move in enumerate(moves):
        builder.target(np.bincount([move], minlength=game.spec.num_actions), 0.25 + ply / 100, 1.0)
        builder.play(move)
        state = state.play(move)
    return builder.finish(**({"outcome": state.outcome} | end))


@pytest.mark.parametrize(
    ("game", "moves", "values"),
    [
        ("tic_tac_toe", [0, 3, 1, 4, 2], [1, -1, 1, -1, 1]),  # X has the top row
        ("tic_tac_toe", [0, 3, 1, 4, 8, 5], [-1, 1, -1, 1, -1, 1]),  # O has the middle row
        ("tic_tac_toe", [0, 1, 2, 4, 3, 5, 7, 6, 8], [0] * 9),
        ("connect_four", [0, 1, 0, 1, 0, 1, 0], [1, -1, 1, -1, 1, -1, 1]),
        ("connect_four", [0, 1, 0, 1, 0, 1, 6, 1], [-1, 1, -1, 1, -1, 1, -1, 1]),
    ],
)
def test_a_game_with_a_known_winner_seen_from_both_sides(game: str, moves: list[int], values: list[int]) -> None:
    loaded = tengen.load(game)
    record = _played(loaded, moves)
    for samples in _all_samples(_window(loaded, [record])):
        assert samples.value_outcome.tolist() == values
        np.testing.assert_allclose(samples.value_search, 0.25 + np.arange(len(moves)) / 100, rtol=1e-6)
        assert samples.plies_left.tolist() == list(range(len(moves), 0, -1))
        assert samples.reply_weight.tolist() == [1] * (len(moves) - 1) + [0]


def test_a_resigned_game_is_lost_for_the_player_who_gave_up() -> None:
    game = tengen.load("connect_four")
    record = _played(game, [0, 1, 0], outcome=Outcome(0), resigned=True)  # the second player is to move
    samples = _window(game, [record]).samples_of(np.arange(3), np.zeros(3, int))
    assert samples.value_outcome.tolist() == [1, -1, 1]
    assert samples.played_out.tolist() == [0, 0, 0]


def test_the_same_generator_gives_the_same_samples() -> None:
    for game in GAMES:
        window = _window(game, [random_record(game, seed) for seed in range(5)])
        first, again, other = (window.sample(64, np.random.default_rng(seed)) for seed in (1, 1, 2))
        for name in ("planes", "legal", "policy", "reply", "value_outcome", "value_search", "plies_left"):
            assert (getattr(first, name) == getattr(again, name)).all()
        assert (first.value_search != other.value_search).any()


def _arrays(window: ReplayWindow) -> dict[str, np.ndarray]:
    """What a window hands to the core."""
    handed: dict[str, np.ndarray] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tengen.replay.write_samples", lambda _, **arrays: handed.update(arrays) or _core_samples(arrays))
        window.samples_of(np.arange(window.positions), np.zeros(window.positions, int))
    return handed


def _core_samples(arrays: dict[str, np.ndarray]) -> dict[str, object]:
    return _core.write_samples(tengen.load("othello", size=4), **arrays)


def test_damaged_arrays_are_errors_with_a_name_and_never_a_crash() -> None:
    """Any number of any array changed to any other: the core answers with samples or with a RecordError."""
    game = tengen.load("othello", size=4)
    arrays = _arrays(_window(game, [random_record(game, seed) for seed in range(4)]))
    rng = np.random.default_rng(8)
    refused = 0
    for _ in range(3000):
        name = rng.choice(sorted(arrays))
        damaged = arrays[name].copy()
        at = rng.integers(len(damaged))
        if damaged.dtype.kind in "iu":
            limits = np.iinfo(damaged.dtype)
            near = np.clip(int(damaged[at]) + rng.integers(-2, 3), limits.min, limits.max)
            damaged[at] = rng.choice([near, 0, limits.max, limits.min, rng.integers(100)])
        damaged = damaged[: rng.choice([len(damaged), len(damaged) - 1, at])] if rng.random() < 0.2 else damaged
        try:
            _core.write_samples(game, **(arrays | {name: damaged}))
        except RecordError:
            refused += 1
    assert refused > 500


def test_a_damaged_move_is_named() -> None:
    game = tengen.load("othello", size=4)
    arrays = _arrays(_window(game, [random_record(game, 1)]))
    moves = arrays["moves"].copy()
    moves[2] = moves[1]
    with pytest.raises(RecordError, match=r"Move 3 of a recorded game is '.*', which is not legal there"):
        _core.write_samples(game, **(arrays | {"moves": moves}))
    moves[2] = 999
    with pytest.raises(RecordError, match="Move 3 of a recorded game is action 999"):
        _core.write_samples(game, **(arrays | {"moves": moves}))
