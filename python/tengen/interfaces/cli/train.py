"""`tengen train`: from a blank network to a player, in a folder that the same command goes on with."""

from __future__ import annotations

import importlib.util
import re
import shlex
import signal
import threading
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated, Any

import tyro

from tengen import TengenError
from tengen.interfaces.cli.evaluate import percent
from tengen.interfaces.cli.experiment import experiment_of
from tengen.interfaces.cli.game_argument import GameArgument, parse_game, split_game
from tengen.interfaces.cli.player_argument import check_seed

if TYPE_CHECKING:
    from tengen.config import RunConfig
    from tengen.interfaces.observers import Progress
    from tengen.report import IterationReport

SIMULATIONS = 100  # that the result is measured and played with
INTERRUPTED = 130  # the exit code, as for every command that Ctrl-C ends
File = Annotated[Path | None, tyro.conf.arg(metavar="FILE")]
Folder = Annotated[Path | None, tyro.conf.arg(metavar="DIR")]


def run(
    game: GameArgument,
    *,
    config: File = None,
    run: Folder = None,
    minutes: Annotated[float | None, tyro.conf.arg(metavar="FLOAT")] = None,
    iterations: Annotated[int | None, tyro.conf.arg(metavar="INT")] = None,
    seed: Annotated[int | None, tyro.conf.arg(metavar="INT")] = None,
    preset: Annotated[str | None, tyro.conf.arg(metavar="NAME")] = None,
) -> int:
    """Learns a game by playing itself; stopped or killed, the same command goes on.

    Args:
        config: settings that differ from the defaults; without it experiments/GAME.toml, or what suits the game best
        run: the folder of the run; without it runs/GAME
        minutes: how long the run may take, all parts of it together
        iterations: how many it has; by default as many as its config says
        seed: another seed, another run
        preset: settings by name, on top of the config: paper, as AlphaGo Zero and AlphaZero were trained
    """
    if importlib.util.find_spec("torch") is None:
        raise TengenError("Training needs torch and OpenVINO: pip install 'tengen[train]'.")
    if minutes is not None and iterations is not None:
        raise TengenError("Give --minutes or --iterations, not both.")
    if minutes is not None and not 0 < minutes < 1e6:
        raise TengenError("A run takes more than 0 and less than a million minutes.")
    if seed is not None:
        check_seed(seed)
    parse_game(game)  # an unknown game is refused before anything else is looked at
    folder = run or Path("runs") / folder_name(game)
    settings = _settings(game, iterations, seed, preset)
    kept = folder / "config.toml"
    path = config or (kept if kept.exists() else experiment_of(game))
    return _train(game, _config(path, settings), folder, minutes)


def folder_name(game: str) -> str:
    """'go:size=9' -> 'go_size_9'; a file of rules gives its own name."""
    name, _, rest = game.partition(":")
    text = f"{Path(name).stem} {rest}" if name.endswith(".py") else game
    return re.sub(r"[^A-Za-z0-9.]+", "_", text).strip("_")


def _settings(game: str, iterations: int | None, seed: int | None, preset: str | None) -> dict[str, Any]:
    """What the command line says, as it would stand in a config."""
    name, options = split_game(game)
    said: dict[str, Any] = {
        "game": name,
        "iterations": iterations,
        "seed": seed,
        "preset": preset,
        "options": options or None,
    }
    return {key: value for key, value in said.items() if value is not None}


def _config(path: Path | None, settings: dict[str, Any]) -> RunConfig:
    from tengen.config import ConfigError, load_config

    config = load_config(path, **settings)
    meant = tomllib.loads(path.read_text()).get("game", config.game) if path else config.game
    if meant != config.game:
        raise ConfigError(f"{path} is of {meant}, not of {config.game}.")
    return config


def _train(game: str, config: RunConfig, folder: Path, minutes: float | None) -> int:
    from tengen.interfaces.observers import Listeners, run_progress
    from tengen.interfaces.report_page import RunPage
    from tengen.interfaces.tensorboard import EventFile
    from tengen.train import train

    play = f"{shlex.join(['tengen', 'play', game])} search:{shlex.quote(str(folder))}:{SIMULATIONS}"
    try:
        with RunPage(folder) as page, run_progress() as progress, _stopping(progress) as display:
            path = train(config, folder, Listeners(EventFile(folder), page, display), minutes=minutes)
    except KeyboardInterrupt:
        print(f"Stopped; everything up to the last finished iteration is in {folder}. The same command goes on.")
        if any((folder / "networks").glob("*.safetensors")):
            print(f"To play what there is: {play}")
        return INTERRUPTED
    print(f"Done; the network is {path}.")
    print(_strength(game, path))
    print(f"To play it: {play}")
    return 0


def _strength(game: str, network: Path) -> str:
    """How good the network is, in a sentence, where that can be known in seconds."""
    from tengen.players import model_evaluator
    from tengen.strength.accuracy import PositionsError, evaluate_network, known_positions

    rules = parse_game(game)
    try:
        positions = known_positions(rules)
    except PositionsError:
        model = shlex.quote(f"search:{network}:{SIMULATIONS}")
        return f"To measure its strength: {shlex.join(['tengen', 'match', game])} {model} rollout:1000"
    found = evaluate_network(model_evaluator(network, rules), positions, SIMULATIONS)
    assert found.search is not None
    return (
        f"Good moves, which keep the win, draw or loss, on {len(positions):,} {positions.about}: network alone "
        f"{percent(found.raw.good)}, with {SIMULATIONS} simulations {percent(found.search.good)}."
    )


class _Stopping:
    """An observer that ends the run once an iteration is committed, if someone has asked for it."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._asked = False
        self.run_started = progress.run_started
        self.stage = progress.stage

    def interrupt(self, signal_number: int, frame: FrameType | None) -> None:
        """The first Ctrl-C asks, the second does not wait."""
        if self._asked:
            raise KeyboardInterrupt
        self._asked = True
        self._progress.say("Stopping when this iteration is done; Ctrl-C again stops at once and loses only that.")

    def iteration_finished(self, report: IterationReport) -> None:
        self._progress.iteration_finished(report)
        if self._asked:
            raise KeyboardInterrupt


@contextmanager
def _stopping(progress: Progress) -> Iterator[_Stopping]:
    observer = _Stopping(progress)
    if threading.current_thread() is not threading.main_thread():  # elsewhere there are no signals to hear
        yield observer
        return
    before = signal.signal(signal.SIGINT, observer.interrupt)
    try:
        yield observer
    finally:
        signal.signal(signal.SIGINT, before)
