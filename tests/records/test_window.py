"""The window: which games are in it, how often their positions are drawn, and that a resumed run has the same one."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_games import random_record

import tengen
from tengen.config import ReplayConfig
from tengen.records import GameRecord, RecordBuilder, RecordError, ShardEnd, ShardWriter
from tengen.replay import ReplayWindow

GAME = tengen.load("tic_tac_toe")
OTHELLO = tengen.load("othello", size=4)
GAMES = [random_record(GAME, seed, recorded_share=[0.0, 0.2, 1.0, 1.0][seed % 4]) for seed in range(300)]


def _config(start: int, share: float, most: int, surprise: float = 0.5) -> ReplayConfig:
    return ReplayConfig(window_start=start, window_share=share, window_most=most, surprise_weight=surprise)


def _kept(games: list[GameRecord], config: ReplayConfig) -> list[GameRecord]:
    """What must be in the window, told simply."""
    kept: list[GameRecord] = []
    total = 0
    for game in games:
        total += len(game.recorded)
        limit = min(config.window_start + int(config.window_share * total), config.window_most)
        kept += [game] if len(game.recorded) else []
        while len(kept) > 1 and sum(len(game.recorded) for game in kept) > limit:
            kept.pop(0)
    return kept


def _content(window: ReplayWindow) -> list[list[float]]:
    """All that the window can say about its positions."""
    if window.positions == 0:
        return []
    samples = window.samples_of(np.arange(window.positions), np.zeros(window.positions, int))
    names = ("planes", "policy", "reply", "value_outcome", "value_search", "plies_left")
    return [getattr(samples, name).tolist() for name in names]


configs = st.builds(_config, st.integers(1, 60), st.sampled_from([0.0, 0.1, 0.6, 1.0]), st.integers(1, 200))


@given(configs, st.integers(0, 200), st.integers(0, 100))
@settings(max_examples=150, deadline=None)
def test_the_newest_games_are_in_the_window(config: ReplayConfig, first: int, count: int) -> None:
    games = GAMES[first : first + count]
    window = ReplayWindow(GAME, config)
    for game in games:
        window.add(game)
    kept = _kept(games, config)
    assert window.total_games == len(games)
    assert window.total_positions == sum(len(game.recorded) for game in games)
    assert window.games == len(kept)
    assert window.positions == sum(len(game.recorded) for game in kept)
    assert window.oldest_iteration == (kept[0].iteration if kept else 0)
    fresh = ReplayWindow(GAME, _config(10**6, 0, 10**6))
    for game in kept:
        fresh.add(game)
    assert _content(window) == _content(fresh)


@given(config=configs, count=st.integers(0, 100), more=st.integers(0, 20))
@settings(max_examples=60, deadline=None)
def test_a_rebuilt_window_is_the_same_window(
    config: ReplayConfig, count: int, more: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("os.fsync", lambda _: None)
        folder = tmp_path_factory.mktemp("games")
        writer = ShardWriter(folder, GAME, shard_bytes=2000)
        writer.append(GAMES[:count])
        end = writer.commit()
        writer.append(GAMES[count:])  # never committed
        writer.close()
        live = ReplayWindow(GAME, config)
        for game in GAMES[:count]:
            live.add(game)
        ShardWriter.resume(folder, GAME, end, shard_bytes=2000).close()
        rebuilt = ReplayWindow.rebuild(GAME, config, folder, end)
    for game in [None, *GAMES[count : count + more]]:
        for window in (live, rebuilt):
            if game is not None:
                window.add(game)
        assert (rebuilt.total_games, rebuilt.total_positions) == (live.total_games, live.total_positions)
        assert (rebuilt.games, rebuilt.positions) == (live.games, live.positions)
    assert _content(rebuilt) == _content(live)
    if live.positions:
        assert _draws(rebuilt, 200).tolist() == _draws(live, 200).tolist()


def _draws(window: ReplayWindow, count: int, seed: int = 4) -> np.ndarray:
    return window.sample(count, np.random.default_rng(seed)).value_search


def test_a_damaged_folder_is_not_rebuilt_from(tmp_path: Path) -> None:
    writer = ShardWriter(tmp_path, GAME)
    writer.append(GAMES[:20])
    end = writer.commit()
    with (tmp_path / "000001.tgr").open("rb+") as file:
        file.seek(end.length // 2)
        file.write(b"!!!!")
    with pytest.raises(RecordError, match="is damaged after byte"):
        ReplayWindow.rebuild(GAME, ReplayConfig(), tmp_path, end)
    writer = ShardWriter.resume(tmp_path, GAME, end)
    window = ReplayWindow.rebuild(GAME, ReplayConfig(), tmp_path, writer.end)
    assert 0 < window.total_games < 20
    assert window.positions == sum(len(game.recorded) for game in GAMES[: window.total_games])


def test_nothing_rebuilds_to_an_empty_window(tmp_path: Path) -> None:
    assert ReplayWindow.rebuild(GAME, ReplayConfig(), tmp_path, ShardEnd(0, 0)).positions == 0


@pytest.mark.parametrize("surprise_weight", [0.0, 0.5, 1.0])
def test_positions_are_drawn_by_surprise(surprise_weight: float) -> None:
    """Each position is told by its root value. Tolerance: five standard deviations."""
    surprises = np.array([0.0, 1.0, 2.0, 5.0, 0.5, 0.0, 3.0])
    game = next(game for game in GAMES if len(game.recorded) == len(surprises))
    values = np.arange(len(surprises), dtype=np.float32) / 10
    window = ReplayWindow(GAME, _config(100, 0, 100, surprise_weight))
    window.add(replace(game, surprise=surprises, root_values=values))
    count = 100_000
    drawn = np.rint(_draws(window, count) * 10).astype(int)
    expected = (1 - surprise_weight) / len(surprises) + surprise_weight * surprises / surprises.sum()
    found = np.bincount(drawn, minlength=len(surprises)) / count
    assert (np.abs(found - expected) <= 5 * np.sqrt(expected * (1 - expected) / count)).all()


def test_games_that_surprised_nobody_are_drawn_evenly() -> None:
    game = next(game for game in GAMES if len(game.recorded) == 6)
    window = ReplayWindow(GAME, _config(100, 0, 100, 1.0))
    window.add(replace(game, surprise=np.zeros(6), root_values=np.arange(6) / 10))
    found = np.bincount(np.rint(_draws(window, 60_000) * 10).astype(int)) / 60_000
    assert np.abs(found - 1 / 6).max() < 0.01


def test_symmetries_are_drawn_evenly() -> None:
    """The first move of a game was drawn to one corner; its eight images are two to a corner."""
    game = next(
        game for game in GAMES if len(game.recorded) and game.recorded[0] == 1 and game.moves[0] in (0, 2, 6, 8)
    )
    window = ReplayWindow(GAME, _config(100, 0, 100, 0.0))
    window.add(game)
    planes = window.sample(20_000, np.random.default_rng(1)).planes
    early = planes[planes.sum(axis=(1, 2, 3)) == 1][:, 1]  # [B, 3, 3] the opponent's stone
    corners = early[:, [0, 0, 2, 2], [0, 2, 0, 2]].mean(axis=0)
    assert corners.sum() == pytest.approx(1.0)
    assert np.abs(corners - 0.25).max() < 0.05


def test_an_empty_window_cannot_be_sampled() -> None:
    window = ReplayWindow(GAME, ReplayConfig())
    window.add(next(game for game in GAMES if len(game.recorded) == 0))
    with pytest.raises(RecordError, match="window is empty"):
        window.sample(1, np.random.default_rng(1))


def test_a_wrong_game_is_refused_and_the_window_stays_as_it_was() -> None:
    window = ReplayWindow(GAME, ReplayConfig())
    window.add(GAMES[2])
    before = _content(window)
    for wrong in (replace(GAMES[3], moves=[0, 0]), replace(GAMES[3], outcome=None), random_record(OTHELLO, 1)):
        with pytest.raises(RecordError):
            window.add(wrong)
    unfinished = replace(GAMES[3], moves=GAMES[3].moves[:1], outcome=None, recorded=[0], offsets=GAMES[3].offsets[:2])
    unfinished = replace(unfinished, actions=unfinished.actions[: unfinished.offsets[1]])
    unfinished = replace(unfinished, parts=unfinished.parts[: unfinished.offsets[1]])
    unfinished = replace(unfinished, root_values=unfinished.root_values[:1], surprise=unfinished.surprise[:1])
    with pytest.raises(RecordError, match="finished games"):
        window.add(unfinished)
    assert _content(window) == before
    assert window.total_games == 1


@pytest.mark.parametrize("game", [GAME, OTHELLO], ids=repr)
def test_memory_stays_under_the_figure_stated(game: tengen.Game) -> None:
    config = _config(50, 0.5, 300)
    most = ReplayWindow.most_bytes(game, config, recorded_share=0.05)
    window = ReplayWindow(game, config)
    records = [random_record(game, seed, recorded_share=[0.2, 1.0][seed % 2]) for seed in range(100)]
    seen = []
    for record in records * 10:
        window.add(record)
        if window.positions:
            window.sample(1, np.random.default_rng(1))
        seen.append(window.bytes)
        assert window.bytes <= most
    assert max(seen[500:]) == max(seen[250:])  # full, it grows no more


def test_starts_lead_to_positions_of_the_window() -> None:
    window = ReplayWindow(GAME, _config(60, 0.0, 60))
    for game in GAMES[:50]:
        window.add(game)
    kept = _kept(GAMES[:50], window.config)
    possible = {tuple(game.moves[:ply].tolist()) for game in kept for ply in game.recorded}
    starts = [tuple(moves) for moves in window.starts(500, np.random.default_rng(3))]
    assert set(starts) == possible
    assert ReplayWindow(GAME, window.config).starts(5, np.random.default_rng(3)) == []


def _played_out(value: float) -> GameRecord:
    """The first player wins, after the search has given that player this value."""
    record = RecordBuilder(iteration=1, network="", seed=1, opening_plies=0, never_resigns=True)
    for ply, action in enumerate([0, 1, 3, 4, 6]):
        target = np.zeros(9, np.float32)
        target[action] = 1.0
        record.target(target, value if ply == 2 else -0.99 if ply % 2 else 0.5, 0.1)
        record.play(action)
    return record.finish(tengen.Outcome(0), resigned=False)


def test_resignation_is_calibrated_by_games_that_were_played_out() -> None:
    window = ReplayWindow(GAME, _config(10_000, 0.0, 10_000))
    for value in np.linspace(-0.9, 0.09, 99):
        window.add(_played_out(value))
    assert window.resign_below(-0.5) == -1.0  # too few games to tell
    window.add(_played_out(0.1))
    assert window.resign_below(-0.5) == pytest.approx(-0.85, abs=0.01)  # 5 of 100 came back from there
    assert window.resign_below(-0.95) == -0.95
