"""`tengen doctor`: how fast this machine is for a config, how long a run will take, and what stands in its way."""

from __future__ import annotations

import importlib.util
import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from tengen import TengenError
from tengen.interfaces.cli.experiment import experiment_of
from tengen.interfaces.cli.game_argument import HELP, parse_game, split_game

if TYPE_CHECKING:
    from tengen.bench.checkup import Checkup
    from tengen.config import RunConfig

DEFAULT_GAME = "connect_four"


def run(
    game: Annotated[str | None, tyro.conf.Positional, tyro.conf.arg(metavar="GAME", help=HELP)] = None,
    *,
    config: Annotated[Path | None, tyro.conf.arg(metavar="FILE")] = None,
    as_json: Annotated[bool, tyro.conf.arg(name="json"), tyro.conf.FlagCreatePairsOff] = False,
) -> None:
    """Measures this machine and forecasts a training run, in half a minute.

    Args:
        config: the settings of the run; without it experiments/GAME.toml, or what suits the game best
        as_json: print one JSON object instead of words
    """
    if importlib.util.find_spec("torch") is None:
        raise TengenError("The doctor looks at training, which needs torch and OpenVINO: pip install 'tengen[train]'.")
    settings = _config(game, config)
    from tengen.bench.checkup import check_up

    if as_json:
        print(json.dumps({"game": settings.game, **asdict(check_up(settings))}))
        return
    from rich.console import Console

    console = Console(stderr=True)
    with console.status("looking at the machine") as status:
        found = check_up(settings, lambda stage: status.update(f"measuring: {stage}"))
    print(report(settings, found))


def _config(game: str | None, path: Path | None) -> RunConfig:
    from tengen.config import load_config

    if game is None and path is not None:
        settings = load_config(path)
        parse_game(settings.game)
        return settings
    name, options = split_game(game or DEFAULT_GAME)
    parse_game(game or DEFAULT_GAME)
    return load_config(
        path or experiment_of(game or DEFAULT_GAME), game=name, **({"options": options} if options else {})
    )


def report(config: RunConfig, found: Checkup) -> str:
    """Everything in words."""
    from tengen.interfaces.observers import amount

    machine = found.machine
    learner = _count(found.learner_threads, "thread") if found.learner_device == "cpu" else found.learner_device
    lines = [
        f"{machine.processor}, {_count(machine.cores, 'core')}, {amount(machine.memory)} of memory "
        f"({amount(machine.memory_free)} free); {machine.gpu or 'no GPU'}; core built for {machine.core_build}",
        "",
        "positions per second that a network of this config evaluates, on one thread:",
        f"{'batch':>16} " + " ".join(f"{batch:>8}" for batch in found.evaluators[0].positions_per_second),
    ]
    for speed in found.evaluators:
        figures = " ".join(f"{number:>8,.0f}" for number in speed.positions_per_second.values())
        lines.append(f"{speed.backend + ' ' + speed.precision:>16} {figures}")
    lines += [
        "",
        f"self-play on {_count(found.threads, 'thread')}: {found.positions_per_second:,.0f} positions per second, "
        f"{found.evaluations_per_second:,.0f} evaluations ({config.self_play.precision})",
        f"learner on {learner}: {found.samples_per_second:,.0f} samples per second",
        "",
        forecast_text(config, found),
    ]
    return "\n".join([*lines, *(f"warning: {warning}" for warning in found.warnings)])


def forecast_text(config: RunConfig, found: Checkup) -> str:
    from tengen.interfaces.observers import amount

    forecast = found.forecast
    shares = f"{forecast.playing:.0%} self-play, {forecast.learning:.0%} learning, {forecast.matches:.0%} matches"
    return (
        f"{config.game} with this config on this machine: about {_minutes(forecast.minutes)} to "
        f"{_about(forecast.games)} games ({_count(forecast.iterations, 'iteration')}, {forecast.positions:,} "
        f"positions, {shares}); memory stays under {amount(forecast.memory)}"
    )


def _minutes(minutes: float) -> str:
    if minutes < 1:
        return "1 minute"
    return f"{minutes:,.0f} minutes" if minutes < 600 else f"{minutes / 60:,.0f} hours"


def _about(number: float) -> str:
    """Two digits are all that a forecast knows."""
    return f"{float(f'{number:.2g}'):,.0f}"


def _count(number: int, name: str) -> str:
    return f"{number:,} {name}{'s' * (number != 1)}"
