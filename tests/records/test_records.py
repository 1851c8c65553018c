"""A record is a value: it survives being written, refuses what can't have been played, and says what is wrong."""

import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from random_games import random_record, small_games

import tengen
from tengen import Outcome
from tengen.config import ReplayConfig
from tengen.records import (
    POLICY_PARTS,
    GameRecord,
    RecordBuilder,
    RecordError,
    decode,
    encode,
    pack,
    policy_parts,
    read_games,
    unpack,
)
from tengen.records.record import positions_in
from tengen.records.shards import game_payloads
from tengen.replay import ReplayWindow

GAMES = small_games()


@st.composite
def records(draw: st.DrawFn) -> tuple[tengen.Game, GameRecord]:
    game = draw(st.sampled_from(GAMES))
    share = draw(st.sampled_from([0.0, 0.3, 1.0]))
    return game, random_record(game, draw(st.integers(0, 2**64 - 1)), recorded_share=share, resign=draw(st.booleans()))


@given(records())
@settings(max_examples=200, deadline=None)
def test_a_record_survives_bytes(given_: tuple[tengen.Game, GameRecord]) -> None:
    game, record = given_
    again = decode(encode(record))
    assert again == record
    assert hash(again) == hash(record)
    assert again.final_state(game) == record.final_state(game)
    assert again.outcome == record.outcome
    record.validate(game)


@given(records(), st.data())
@settings(max_examples=100, deadline=None)
def test_a_game_in_flight_goes_on_as_if_never_saved(
    given_: tuple[tengen.Game, GameRecord], data: st.DataObject
) -> None:
    game, record = given_
    if record.resigned:
        record = replace(record, outcome=None, resigned=False)
    stop = data.draw(st.integers(0, len(record.moves)))
    straight, saved = _builder(record), _builder(record)
    _play(straight, record, 0, len(record.moves))
    _play(saved, record, 0, stop)
    in_flight = unpack(pack([saved.record()]))[0]
    assert in_flight.outcome is None
    if stop < len(record.moves):
        in_flight.validate(game)
    resumed = RecordBuilder.resume(in_flight)
    _play(resumed, record, stop, len(record.moves))
    assert resumed.finish(record.outcome) == straight.finish(record.outcome)


def _builder(record: GameRecord) -> RecordBuilder:
    return RecordBuilder(network=record.network, iteration=record.iteration, seed=record.seed)


def _play(builder: RecordBuilder, record: GameRecord, first: int, last: int) -> None:
    for ply in range(first, last):
        for i in np.flatnonzero(record.recorded == ply):
            entries = slice(record.offsets[i], record.offsets[i + 1])
            parts = np.zeros(1 << 14, np.uint16)  # more than any game has actions
            parts[record.actions[entries]] = record.parts[entries]
            builder.target(parts, record.root_values[i], record.surprise[i])
        builder.play(int(record.moves[ply]))


@given(arrays(np.float64, st.integers(1, 400), elements=st.floats(0, 1)), st.integers(0, 399))
@settings(max_examples=300, deadline=None)
def test_a_policy_in_parts_is_off_by_less_than_one_part(weights: np.ndarray, sure: int) -> None:
    weights[sure % len(weights)] += 0.01
    policy = weights / weights.sum()
    parts = policy_parts(policy)
    assert parts.astype(np.int64).sum() == POLICY_PARTS
    assert np.abs(parts / POLICY_PARTS - policy).max() <= 1.0001 / POLICY_PARTS
    assert not parts[policy == 0].any()


def test_policies_in_a_batch_are_the_policies_one_by_one() -> None:
    policies = np.random.default_rng(3).dirichlet([0.3] * 50, size=20).astype(np.float32)
    assert (policy_parts(policies) == np.stack([policy_parts(policy) for policy in policies])).all()


def test_a_target_reads_back_as_probabilities() -> None:
    record = _won_game()
    assert record.policy_target(1, 9).tolist() == pytest.approx([0, 0, 0, 0.75, 0.25, 0, 0, 0, 0], abs=1 / POLICY_PARTS)
    assert record.probabilities.sum() == pytest.approx(len(record.recorded), abs=1e-6)


def test_every_field_counts_in_comparison() -> None:
    record = _won_game()
    for change in (
        {"moves": np.array([0, 3, 1, 4], np.uint16)},
        {"root_values": record.root_values * 0.5},
        {"surprise": record.surprise + 1},
        {"outcome": None},
        {"network": "another"},
        {"iteration": 8},
        {"seed": 8},
        {"opening_plies": 1},
        {"never_resigns": True},
        {"start": "X . .\n. . .\n. . ."},
        {"reason": "line"},
        {"sentence": "three in a row"},
        {"values": np.zeros(6, np.float32)},
    ):
        assert replace(record, **change) != record
    assert replace(record) == record
    assert record != "record"


def test_a_record_never_changes() -> None:
    moves = np.array([0, 3, 1, 4, 2], np.uint16)
    record = replace(_won_game(), moves=moves)
    moves[0] = 8
    assert record.moves[0] == 0
    with pytest.raises(ValueError, match="read-only"):
        record.moves[0] = 8


def _won_game() -> GameRecord:
    """X takes the top row of tic-tac-toe; plies 0, 1 and 4 are recorded."""
    builder = RecordBuilder(network="abc", iteration=7, seed=7)
    targets = {0: [0], 1: [3, 3, 3, 4], 4: [2]}
    for ply, move in enumerate([0, 3, 1, 4, 2]):
        if ply in targets:
            builder.target(np.bincount(targets[ply], minlength=9) / len(targets[ply]), 0.5, 1.0)
        builder.play(move)
    return builder.finish(Outcome(0))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"moves": [0, 3, 1, 4, 9]}, r"Move 5 .* is action 9, which is not legal"),
        ({"moves": [0, 3, 1, 3, 2]}, r"Move 4 .* is 'a2', which is not legal"),
        ({"moves": [0, 3, 1, 4, 2, 5]}, r"Move 6 .* after the end of the game"),
        ({"moves": [0, 3, 1, 4]}, r"outcome is given as Outcome\(winner=0\), but the moves make it None"),
        ({"outcome": Outcome(1)}, r"the moves make it Outcome\(winner=0\)"),
        ({"outcome": None}, r"outcome is given as None"),
        ({"resigned": True}, "can't have been resigned"),
        ({"recorded": [0, 1, 6]}, "within its 5 moves"),
        ({"recorded": [0, 4, 1]}, "must increase"),
        ({"recorded": [0, 0, 1]}, "must increase"),
        ({"recorded": [0, 1]}, r"offsets must be \[3\]"),
        ({"offsets": [0, 1, 3]}, r"offsets must be \[4\]"),
        ({"offsets": [0, 1, 1, 4]}, "none of them empty"),
        ({"offsets": [0, 1, 3, 3]}, "none of them empty|must rise"),
        ({"actions": [0, 0, 4, 2]}, "policy target at ply 1 .* has action 0"),
        ({"actions": [0, 4, 3, 2]}, "must increase"),
        ({"actions": [0, 3, 4]}, r"parts must be \[3\]|offsets"),
        ({"parts": [65535, 65535, 1, 65535]}, "does not sum to 1"),
        ({"root_values": [0, 1.5, 0]}, "root value"),
        ({"root_values": [0, np.nan, 0]}, "root value"),
        ({"root_values": [0, 0]}, r"root_values must be \[3\]"),
        ({"surprise": [0, -1, 0]}, "surprise"),
        ({"surprise": [0, np.inf, 0]}, "surprise"),
        ({"opening_plies": 6}, "opening plies"),
        ({"values": [0, 0, 0]}, r"values must be \[6\], or \[0\] if they are not kept, not \[3\]"),
        ({"values": [0, 0, 2, 0, 0, 0]}, "value of the search is not within"),
        ({"start": "nonsense"}, "start of a recorded game is no position"),
        ({"start": "X . .\n. . .\n. . ."}, "policy target at ply 0 .* has action 0"),
    ],
)
def test_what_is_wrong_is_named(change: dict[str, object], message: str) -> None:
    game = tengen.load("tic_tac_toe")
    _won_game().validate(game)
    wrong = replace(_won_game(), **change)
    with pytest.raises(RecordError, match=f"seed 7 of iteration 7.*({message})"):
        wrong.validate(game)


def test_a_final_state_that_cannot_be_reached_is_named() -> None:
    with pytest.raises(RecordError, match="seed 7"):
        replace(_won_game(), moves=[0, 0]).final_state(tengen.load("tic_tac_toe"))


@pytest.mark.parametrize("moves", [[0, 70000], [0, -1], [[0, 1]], [0.5]])
def test_numbers_that_do_not_fit_are_refused_at_once(moves: list[object]) -> None:
    with pytest.raises(RecordError, match="moves must be a row of numbers"):
        replace(_won_game(), moves=np.array(moves))


def test_bytes_that_are_no_record_are_refused() -> None:
    data = encode(_won_game())
    for wrong in (b"", data[:10], data[:-1], data + b"\0"):
        with pytest.raises(RecordError, match="These bytes"):
            decode(wrong)
    with pytest.raises(RecordError, match="too large to be written"):
        encode(replace(_won_game(), seed=2**64))


@given(st.lists(st.tuples(st.integers(0, 200), st.integers(0, 255)), max_size=3), st.binary(max_size=80))
@settings(max_examples=500, deadline=None)
def test_any_bytes_are_a_record_or_refused(changes: list[tuple[int, int]], noise: bytes) -> None:
    data = bytearray(encode(_won_game()))
    for at, value in changes:
        data[at % len(data)] = value
    for given_ in (bytes(data), noise):
        try:
            record = decode(given_)
        except RecordError:
            continue
        assert encode(record) == given_ or not given_.startswith(b"TGR2")  # bytes of version 1
        assert decode(encode(record)) == record


def test_a_game_may_start_from_a_drawing() -> None:
    """X needs one move; the planes, values and symmetries of its samples are those of the moves before it."""
    game = tengen.load("tic_tac_toe")
    before = game.state("a3 a2 b3 b2")
    builder = RecordBuilder(start=str(before), seed=4, keep_values=True)
    builder.value(0.9)
    builder.target(np.bincount([2], minlength=9), 0.9, 0.1)
    builder.play(2)
    record = decode(encode(builder.finish(Outcome(0))))
    record.validate(game)
    assert record.start == str(before)
    assert record.first_state(game).planes().tolist() == before.planes().tolist()
    assert record.final_state(game).outcome == Outcome(0)
    assert record.values[0] == np.float32(0.9)
    assert np.isnan(record.values[1])
    whole = RecordBuilder(seed=5)
    for move in before.moves:
        whole.play(move)
    whole.target(np.bincount([2], minlength=9), 0.9, 0.1)
    whole.play(2)
    window = ReplayWindow(game, ReplayConfig())
    window.add(whole.finish(Outcome(0)))
    window.add(record)
    symmetries = np.arange(8)
    one, other = (window.samples_of(np.full(8, position), symmetries) for position in (0, 1))
    for name in ("planes", "legal", "policy", "value_outcome", "plies_left"):
        assert (getattr(one, name) == getattr(other, name)).all()
    assert {tuple(moves) for moves in window.starts(50, np.random.default_rng(1))} == {before.moves}


def test_values_of_every_search_may_be_kept() -> None:
    """Through a stop too: what a game in flight had is there when it goes on."""
    builder = RecordBuilder(keep_values=True)
    builder.play(0)
    builder.value(-0.5)
    builder.play(3)
    resumed = RecordBuilder.resume(decode(encode(builder.record())))
    resumed.value(0.25)
    record = resumed.record()
    assert record.values.tolist()[1:] == [-0.5, 0.25]
    assert np.isnan(record.values[0])


def test_records_can_be_pickled() -> None:
    record = replace(_won_game(), sentence="three in a row", start="drawing")
    assert pickle.loads(pickle.dumps(record)) == record


def test_games_of_version_1_are_read() -> None:
    """A shard that tengen wrote before there were starts, reasons and values."""
    game = tengen.load("go", size=5)
    expected = [random_record(game, seed, resign=seed == 2) for seed in range(3)]
    folder = Path(__file__).parent / "version_1"
    assert list(read_games(folder, game)) == [replace(record, reason="", sentence="") for record in expected]
    payloads = list(game_payloads(folder, game))
    assert [positions_in(payload) for payload in payloads] == [len(record.recorded) for record in expected]


def test_packed_games_with_damage_are_refused() -> None:
    data = pack([_won_game(), _won_game()])
    assert unpack(data) == [_won_game()] * 2
    assert unpack(b"") == []
    for at in range(1, len(data)):
        if at == len(data) // 2:
            continue  # one whole game
        with pytest.raises(RecordError, match="damaged"):
            unpack(data[:at])
    for bit in range(8 * len(data)):
        damaged = bytearray(data)
        damaged[bit // 8] ^= 1 << bit % 8
        with pytest.raises(RecordError, match="damaged"):
            unpack(bytes(damaged))
