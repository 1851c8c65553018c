"""The candidate must beat the champion: who plays then, what is told of it, and that a kill changes nothing."""

import io
import json
import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from reports import report
from rich.console import Console
from small_runs import small_config, what_counts

import tengen
from tengen.arena import CHALLENGE_ROUND, challenge, decided
from tengen.config import ConfigError, RunConfig, load_config
from tengen.interfaces.observers import LiveProgress, PlainProgress
from tengen.network.checkpoint import load_network
from tengen.players import RandomPlayer, make_player
from tengen.records import GameRecord, ShardEnd
from tengen.records.record import decode
from tengen.records.shards import game_payloads
from tengen.report import SILENT, GateReport, IterationReport, RatingReport, RunReport
from tengen.run.folder import RunFolder
from tengen.train import train

GAME = tengen.load("tic_tac_toe")


# ---- The match


def test_a_decision_never_changes_with_the_games_left() -> None:
    """Of random matches: what is certain before the end is what the end says."""
    rng = random.Random(1)
    for _ in range(300):
        games, threshold, strength = 60, rng.choice([0.5, 0.55, 0.6]), rng.random()
        points = [
            rng.choice([0.0, 0.5, 1.0]) if rng.random() < 0.3 else float(rng.random() < strength) for _ in range(games)
        ]
        end = sum(points) > threshold * games
        for k in range(1, games + 1):
            so_far = sum(points[:k])
            if so_far > threshold * games or so_far + games - k <= threshold * games:
                assert decided(so_far, k, games, threshold) is end
        assert decided(sum(points), games, games, threshold) is end


@pytest.mark.parametrize(
    ("points", "played", "answer"),
    [
        (220.5, 390, True),  # the paper: more than 55 % of 400
        (220.0, 400, False),
        (150.0, 330, False),  # 220 at most
        (60.0, 64, True),  # nobody who is worse than 55 % starts like this
        (10.0, 64, False),
        (36.0, 64, None),
        (200.0, 360, None),
    ],
)
def test_when_a_match_is_decided(points: float, played: int, answer: bool | None) -> None:
    assert decided(points, played, 400, 0.55) is answer


@pytest.mark.parametrize("threads", [1, 2])
def test_a_better_candidate_is_promoted_early(threads: int) -> None:
    seats = [(make_player("rollout:50", GAME), RandomPlayer()) for _ in range(threads)]
    answer = challenge(GAME, seats, games=400, threshold=0.55, seed=3, opening_plies=2)
    assert answer.promoted
    assert len(answer.match.games) == CHALLENGE_ROUND
    assert answer.match.names == ("rollout:50", "random")
    refused = challenge(GAME, [pair[::-1] for pair in seats], games=400, threshold=0.55, seed=3, opening_plies=2)
    assert not refused.promoted
    assert len(refused.match.games) == CHALLENGE_ROUND


def test_an_equal_candidate_is_not() -> None:
    answer = challenge(GAME, [(RandomPlayer(), RandomPlayer())], games=400, threshold=0.55, seed=1, opening_plies=2)
    assert not answer.promoted
    assert 0.4 < answer.match.score < 0.6
    assert len(answer.match.games) > CHALLENGE_ROUND


# ---- In a run


def gated(threshold: float, iterations: int = 4, **arena: object) -> RunConfig:
    settings = {"gating": True, "gating_games": 6, "simulations": 4, "threshold": threshold, **arena}
    return small_config(iterations, arena=settings)


class Heard:
    """Remembers, and stops a run after an iteration as a kill right after the commit would."""

    def __init__(self, stop_after: int = 0) -> None:
        self.reports: list[IterationReport] = []
        self.stage = SILENT.stage
        self._stop_after = stop_after

    def run_started(self, report: RunReport) -> None:
        pass

    def iteration_finished(self, report: IterationReport) -> None:
        self.reports.append(report)
        if report.iteration == self._stop_after:
            raise KeyboardInterrupt


def records(folder: Path) -> list[GameRecord]:
    commit = max((folder / "state").glob("*.json"))
    end = json.loads(json.loads(commit.read_text())["commit"])["games_end"]
    return [decode(payload) for payload in game_payloads(folder / "games", GAME, ShardEnd(*end))]


def told(reports: Sequence[IterationReport]) -> list[object]:
    """What may not depend on a kill, and not on the clock."""
    return [
        (
            report.iteration,
            report.promoted,
            report.gate and replace(report.gate, seconds=0.0),
            report.strength,
            report.rating and replace(report.rating, seconds=0.0),
            report.window_age,
        )
        for report in reports
    ]


def test_a_champion_that_nobody_beats_plays_on(tmp_path: Path) -> None:
    heard = Heard()
    path = train(gated(1.0, 3), tmp_path / "run", heard)
    assert path.name == "000000.safetensors"
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    assert not any(report.promoted for report in heard.reports)
    assert {report.gate and report.gate.champion for report in heard.reports} == {0}
    assert {record.network for record in records(tmp_path / "run")} == {load_network(path).digest}


def test_a_champion_that_everybody_beats_never_plays_twice(tmp_path: Path) -> None:
    heard = Heard()
    path = train(gated(0.0, 3), tmp_path / "run", heard)
    assert path.name == "000003.safetensors"
    assert all(report.promoted for report in heard.reports)
    assert [report.gate and report.gate.champion for report in heard.reports] == [0, 1, 2]
    assert len({record.network for record in records(tmp_path / "run")}) == 3
    free = train(small_config(3), tmp_path / "free")
    assert load_network(free).digest == load_network(path).digest  # as without gating


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[IterationReport]]:
    """A run that was never stopped, in which some candidates were promoted and some were not."""
    heard = Heard()
    folder = tmp_path_factory.mktemp("runs") / "whole"
    train(mixed(), folder, heard)
    return folder, heard.reports


def mixed() -> RunConfig:
    return gated(0.5, 5, every=1, games=4, anchors=["random", "rollout:5"])


@pytest.mark.parametrize("stop_after", [1, 3])
def test_stopped_and_gone_on_is_the_same_to_the_bit(
    whole: tuple[Path, list[IterationReport]], stop_after: int, tmp_path: Path
) -> None:
    folder, reports = whole
    assert {report.promoted for report in reports[:-1]} == {True, False}
    first, second = Heard(stop_after), Heard()
    with pytest.raises(KeyboardInterrupt):
        train(mixed(), tmp_path / "run", first)
    train(mixed(), tmp_path / "run", second)
    assert what_counts(tmp_path / "run") == what_counts(folder)
    assert told([*first.reports, *second.reports]) == told(reports)
    with RunFolder(folder, mixed()) as run:
        assert told(run.reports()) == told(reports)


def test_a_damaged_champion_is_noticed(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    train(gated(1.0, 2), folder)
    champion = folder / "state" / "000002.champion"
    champion.write_bytes(champion.read_bytes()[:-1] + b"x")
    with RunFolder(folder, gated(1.0, 2)) as run:
        commit = run.newest_commit()
        assert commit is not None
        assert (commit.iteration, commit.champion) == (1, 0)
        assert "000002.champion does not match its checksum" in run.notes[0]


def test_lines_of_promotion_and_strength(capsys: pytest.CaptureFixture[str]) -> None:
    refused, promoted = GateReport(3, 128, 0.48, False, 1.0), GateReport(3, 64, 0.8, True, 1.0)
    rating = RatingReport("iteration 5", 512.4, 61.2, "rollout:100", 4.0)
    with PlainProgress() as progress:
        progress.iteration_finished(report(4, promoted=False, gate=refused))
        progress.iteration_finished(report(5, gate=promoted, rating=rating))
    lines = capsys.readouterr().out.splitlines()
    assert lines[1] == "  not promoted: it scored 48% in 128 games against the champion of iteration 3"
    assert "; Elo 512 ± 61; 1 min 15 s so far" in lines[2]
    assert lines[3] == "  promoted: it scored 80% in 64 games against the champion of iteration 3"
    assert lines[4] == "  Elo 512 ± 61 (rollout:100 has 0; measured in 4 s)"
    live = LiveProgress(Console(file=io.StringIO(), width=150))
    live.iteration_finished(report(5, promoted=False, gate=refused, rating=rating))
    figures = dict(live._figures(report(5)))
    assert figures["candidate"].startswith("not promoted: it scored 48%")
    assert figures["Elo"] == "512 ± 61 (rollout:100 has 0; measured in 4 s) ▁ at iteration 5"


# ---- The preset of the papers


def test_the_preset_paper() -> None:
    config = load_config(game="go", preset="paper")
    assert config.arena.gating
    assert (config.arena.gating_games, config.arena.threshold) == (400, 0.55)
    params = config.self_play.search_params
    assert (params.selection, params.noise_fraction, config.self_play.simulations) == ("puct", 0.25, 800)
    assert not params.solve
    assert config.self_play.temperature_plies == 30
    assert config.learner.optimizer == "sgd"
    assert config.replay.surprise_weight == config.replay.window_share == config.learner.search_value_share == 0.0


def test_where_a_preset_lies(tmp_path: Path) -> None:
    """Beneath the file that names it; on top of the file if it is a setting of the call."""
    path = tmp_path / "config.toml"
    path.write_text('game = "go"\npreset = "paper"\n[self_play]\nsimulations = 10\n[self_play.search]\nc_puct = 2.0\n')
    config = load_config(path)
    assert (config.self_play.simulations, config.self_play.temperature_plies) == (10, 30)
    assert (config.self_play.search["c_puct"], config.self_play.search["selection"]) == (2.0, "puct")
    path.write_text('game = "go"\n[self_play]\nsimulations = 10\nthreads = 3\n[self_play.search]\ndiscount = 0.9\n')
    config = load_config(path, preset="paper", self_play={"positions": 7})
    assert (config.self_play.simulations, config.self_play.threads, config.self_play.positions) == (800, 3, 7)
    assert config.self_play.search_params.discount == 1.0


def test_a_preset_that_does_not_exist() -> None:
    with pytest.raises(ConfigError, match=r"no setting 'preset.papr'; did you mean 'paper'\?"):
        load_config(game="go", preset="papr")


def test_the_paper_learns_here_too(tmp_path: Path) -> None:
    """Every part of the preset works together, on a small scale."""
    small = small_config().model_dump()
    sizes = {"self_play": ("threads", "games_per_unit", "positions", "simulations"), "learner": ("batch", "threads")}
    settings = {stage: {name: small[stage][name] for name in names} for stage, names in sizes.items()}
    config = load_config(
        game="tic_tac_toe",
        preset="paper",
        iterations=2,
        network={"blocks": 1, "channels": 8},
        replay={"window_start": 90, "window_most": 90},
        arena={"every": 0, "gating_games": 4, "simulations": 4},
        **settings,
    )
    heard = Heard()
    train(config, tmp_path / "run", heard)
    assert len(heard.reports) == 2
    assert all(report.gate is not None for report in heard.reports)
