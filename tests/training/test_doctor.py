"""`tengen doctor`: measures, forecasts and warns. What it measures is the machine's; that it adds up is ours."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
import tomli_w
from small_runs import SMALL, small_config

from tengen.bench.checkup import Checkup, Forecast, Machine, _forecast, check_up, find_warnings
from tengen.interfaces.cli.doctor import forecast_text, report

MACHINE = Machine(
    processor="Made Up 9000",
    cores=2,
    core_build="v3",
    gpu=None,
    memory=8_000_000_000,
    memory_free=6_000_000_000,
    load=0.1,
    share_of_core=1.0,
)
FORECAST = Forecast(
    minutes=34.4,
    games=131_072.0,
    positions=3_276_800,
    iterations=200,
    playing=0.5,
    learning=0.45,
    matches=0.05,
    memory=900_000_000,
)


@pytest.fixture(scope="module")
def found() -> Checkup:
    stages: list[str] = []
    checkup = check_up(small_config(arena={"every": 2}), on_stage=stages.append)
    assert stages == ["machine", "evaluators", "self-play", "learner"]
    return checkup


def test_everything_is_measured(found: Checkup) -> None:
    assert {(speed.backend, speed.precision) for speed in found.evaluators} >= {
        ("openvino", "f32"),
        ("openvino", "bf16"),
        ("openvino", "int8"),
        ("torch", "f32"),
    }
    for speed in found.evaluators:
        assert list(speed.positions_per_second) == [1, 16, 64, 128]
        assert all(number > 0 for number in speed.positions_per_second.values())
    config = small_config()
    assert found.threads == config.self_play.threads
    assert found.learner_threads == config.learner.threads
    assert 5 <= found.game_length <= 9
    assert min(found.positions_per_second, found.evaluations_per_second, found.samples_per_second) > 0
    assert found.machine.cores >= 1
    assert 0 < found.machine.share_of_core <= 1
    assert found.machine.memory_free <= found.machine.memory


def test_the_forecast_adds_up(found: Checkup) -> None:
    config = small_config(arena={"every": 2})
    forecast = found.forecast
    assert forecast.playing + forecast.learning + forecast.matches == pytest.approx(1.0)
    assert forecast.positions == config.iterations * config.self_play.positions
    assert forecast.games == pytest.approx(forecast.positions / found.game_length)
    seconds = forecast.positions / found.positions_per_second
    assert forecast.minutes * 60 * forecast.playing == pytest.approx(seconds)
    learned = forecast.positions * config.learner.samples_per_position / found.samples_per_second
    assert forecast.minutes * 60 * forecast.learning == pytest.approx(learned)


def test_a_run_that_goes_by_minutes_takes_them() -> None:
    speeds = {"positions": 100.0, "evaluations": 1000.0, "samples": 300.0, "length": 8.0, "memory": 1}
    config = small_config(self_play={"positions": 1000}, arena={"every": 0}, learner={"samples_per_position": 3.0})
    whole = _forecast(config, None, **speeds)  # type: ignore[arg-type]
    assert whole.minutes * 60 == pytest.approx(config.iterations * (10 + 10))
    given = _forecast(config, 5.0, **speeds)  # type: ignore[arg-type]
    assert (given.minutes, given.iterations, given.positions) == (pytest.approx(5.0), 15, 15_000)


def test_in_words(found: Checkup) -> None:
    config = small_config()
    made_up = replace(found, machine=MACHINE, forecast=FORECAST, warnings=("Something is wrong.",))
    words = report(config, made_up)
    assert words.startswith("Made Up 9000, 2 cores, 8.0 GB of memory (6.0 GB free); no GPU; core built for v3\n")
    assert "  openvino int8 " in words
    assert words.endswith("\nwarning: Something is wrong.")
    assert forecast_text(config, made_up) == (
        "tic_tac_toe with this config on this machine: about 34 minutes to 130,000 games (200 iterations, 3,276,800 "
        "positions, 50% self-play, 45% learning, 5% matches); memory stays under 900 MB"
    )


def test_a_quiet_machine_gets_no_warning() -> None:
    assert find_warnings(MACHINE, 2, FORECAST) == []


@pytest.mark.parametrize(
    ("machine", "threads", "forecast", "words"),
    [
        ({"load": 3.2}, 2, {}, "The machine is busy: 3.2 programs"),
        ({"share_of_core": 0.4}, 2, {}, "this one got 40% of a core"),
        ({}, 4, {}, "Too many threads: the config asks for 4"),
        ({"memory_free": 10**8}, 2, {}, "Too little memory"),
        ({"gpu": "cuda (Big One)"}, 2, {}, "There is a GPU (cuda (Big One))"),
        ({}, 2, {"matches": 0.5}, "Measuring and gating would take 50% of the time"),
    ],
)
def test_warnings(machine: dict[str, object], threads: int, forecast: dict[str, object], words: str) -> None:
    [warning] = find_warnings(replace(MACHINE, **machine), threads, replace(FORECAST, **forecast))  # type: ignore[arg-type]
    assert words in warning


def test_the_command(tmp_path: Path, cli, refused) -> None:
    path = tmp_path / "small.toml"
    path.write_text(tomli_w.dumps({**SMALL, "game": "tic_tac_toe", "iterations": 7}))
    answer = json.loads(cli("doctor", "--config", str(path), "--json"))
    assert answer["game"] == "tic_tac_toe"
    assert answer["forecast"]["iterations"] == 7
    assert answer["evaluators"][0]["positions_per_second"]["64"] > 0
    assert "no setting 'seet'; did you mean 'seed'?" in refused("doctor", "othello", "--set", "seet=3")
    assert "A run takes more than 0" in refused("doctor", "othello", "--minutes", "0")
    assert "There is no game called 'tic_tac_two'" in refused("doctor", "tic_tac_two")
    assert "can't be read" in refused("doctor", "--config", "nowhere.toml")
