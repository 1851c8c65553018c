"""`tengen doctor`: how fast this machine is for a config, how long a run will take, and what stands in its way."""

from __future__ import annotations

import importlib.util
import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import tyro

from tengen import TengenError
from tengen.interfaces.cli.train import File, Minutes, OptionalGame, Sets

if TYPE_CHECKING:
    from tengen.bench.checkup import Checkup
    from tengen.config import RunConfig

DEFAULT_GAME = "connect_four"


def run(
    game: OptionalGame = None,
    *,
    config: File = None,
    minutes: Minutes = None,
    preset: Annotated[str | None, tyro.conf.arg(metavar="NAME")] = None,
    sets: Sets = (),
    as_json: Annotated[bool, tyro.conf.arg(name="json"), tyro.conf.FlagCreatePairsOff] = False,
) -> None:
    """Measures this machine and forecasts a training run, in half a minute.

    The settings of the run are those that tengen train would take with the same arguments.

    Args:
        config: a TOML file with settings that differ; it may name the game, so that GAME is not needed
        minutes: how long the run may take
        preset: settings by name, beneath those of the config
        sets: one setting, as in --set self_play.simulations=64; can be given several times
        as_json: print one JSON object instead of words
    """
    if importlib.util.find_spec("torch") is None:
        raise TengenError("The doctor looks at training, which needs torch and OpenVINO: pip install 'tengen[train]'.")
    if minutes is not None and not 0 < minutes < 1e6:
        raise TengenError("A run takes more than 0 and less than a million minutes.")
    from tengen.run.settings import resolve

    if game is None and config is None:
        game = DEFAULT_GAME
    settings = resolve(game, minutes=minutes, file=config, preset=preset, sets=sets).config
    from tengen.bench.checkup import check_up

    if as_json:
        print(json.dumps({"game": settings.game, **asdict(check_up(settings, minutes))}))
        return
    from rich.console import Console

    console = Console(stderr=True)
    with console.status("looking at the machine") as status:
        found = check_up(settings, minutes, lambda stage: status.update(f"measuring: {stage}"))
    print(report(settings, found))


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
