"""`tengen train`: from a blank network to a player, in a folder that the same command goes on with."""

from __future__ import annotations

import importlib.util
import re
import shlex
import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import tyro

from tengen import Game, TengenError, load
from tengen.interfaces.cli.cluster_argument import ClusterArgument, crew_of
from tengen.interfaces.cli.game_argument import HELP, parse_game
from tengen.interfaces.cli.memory_argument import MemoryArgument, memory_bytes
from tengen.interfaces.cli.player_argument import check_seed

if TYPE_CHECKING:
    from tengen.config import RunConfig
    from tengen.interfaces.observers import Progress
    from tengen.network.checkpoint import NetworkFile
    from tengen.report import IterationReport, Observer
    from tengen.run.settings import Settings

INTERRUPTED = 130  # the exit code, as for every command that Ctrl-C ends
MOST_SEEDS = 100
File = Annotated[Path | None, tyro.conf.arg(metavar="FILE")]
Folder = Annotated[Path | None, tyro.conf.arg(metavar="DIR")]
Minutes = Annotated[float | None, tyro.conf.arg(metavar="FLOAT")]
Sets = Annotated[tuple[str, ...], tyro.conf.arg(name="set", metavar="NAME=VALUE"), tyro.conf.UseAppendAction]
OptionalGame = Annotated[str | None, tyro.conf.Positional, tyro.conf.arg(metavar="GAME", help=HELP)]


def run(
    game: OptionalGame = None,
    *,
    config: File = None,
    run: Folder = None,
    minutes: Minutes = None,
    memory: MemoryArgument = None,
    model: Annotated[str | None, tyro.conf.arg(name="from", metavar="MODEL")] = None,
    iterations: Annotated[int | None, tyro.conf.arg(metavar="INT")] = None,
    seed: Annotated[int | None, tyro.conf.arg(metavar="INT")] = None,
    seeds: Annotated[str | None, tyro.conf.arg(metavar="INT,INT...")] = None,
    preset: Annotated[str | None, tyro.conf.arg(metavar="NAME")] = None,
    method: Annotated[str | None, tyro.conf.arg(metavar="NAME")] = None,
    sets: Sets = (),
    observer: Annotated[str | None, tyro.conf.arg(metavar="FILE.py:CLASS")] = None,
    cluster: ClusterArgument = None,
    show_config: Annotated[bool, tyro.conf.FlagCreatePairsOff] = False,
) -> int:
    """Learns a game by playing itself; stopped or killed, the same command goes on.

    Without more than GAME the settings follow from the game and the minutes; docs/settings.md lists all of them.

    Args:
        config: a TOML file with settings that differ; it may name the game, so that GAME is not needed
        run: the folder of the run; without it runs/GAME
        minutes: how long the run may take, all parts of it together
        memory: how much memory the run may take, as in 4GB; one that may need more is refused
        model: the network that a new run begins with, as of `tengen imitate`: its file, the folder of a run, or a
            bundled name; without it a blank one
        iterations: how many iterations the run has, instead of minutes
        seed: another seed, another run
        seeds: several runs, one after the other, as in 1,2,3; each in a folder of its own in that of the run
        preset: settings by name, beneath those of the config: paper, as AlphaGo Zero and AlphaZero were trained, or
            ntuple, tables instead of layers
        method: how it learns, with settings that suit it: alphazero (by default), dqn or reinforce (docs/methods.md)
        sets: one setting, as in --set self_play.simulations=64; can be given several times
        observer: a class of your own that hears of every iteration, as in my_logger.py:MyLogger; the file is run
        cluster: who plays: the nodes of a Ray cluster, with the same bits; auto, local, or HOST:PORT (docs/cluster.md)
        show_config: print all settings and where each comes from, and do nothing else
    """
    if importlib.util.find_spec("torch") is None and not show_config:
        raise TengenError("Training needs torch and OpenVINO: pip install 'tengen[train]'.")
    if minutes is not None and iterations is not None:
        raise TengenError("Give --minutes or --iterations, not both.")
    if minutes is not None and not 0 < minutes < 1e6:
        raise TengenError("A run takes more than 0 and less than a million minutes.")
    if seed is not None and seeds is not None:
        raise TengenError("Give --seed or --seeds, not both.")
    if seed is not None:
        check_seed(seed)
    if game is not None:
        parse_game(game)  # an unknown game is refused before anything else is looked at
    limit = memory_bytes(memory)
    own = _observer(observer)
    wish = Wish(game, config, minutes, iterations, preset, method, sets, limit, cluster, model)
    folder = run or Path("runs") / _name_of(game, config)
    if seeds is not None:
        return _sweep(wish, folder, _parse_seeds(seeds), own, show_config)
    settings = wish.settings(folder, seed)
    return _show(settings) if show_config else train_folder(settings.config, folder, wish, own)


@dataclass(frozen=True)
class Wish:
    """What the command line says, but for the folder and the seed."""

    game: str | None
    file: Path | None
    minutes: float | None
    iterations: int | None
    preset: str | None
    method: str | None
    sets: tuple[str, ...]
    memory: int | None  # bytes
    cluster: str | None = None
    model: str | None = None  # that a new run begins with

    @cached_property
    def start(self) -> NetworkFile | None:
        """The network that a new run begins with; None: a blank one."""
        from tengen.network.checkpoint import find_network, load_network

        return None if self.model is None else load_network(find_network(self.model))

    def settings(self, folder: Path, seed: int | None) -> Settings:
        """What the run in this folder was begun with; where there is none, what suits the game."""
        from tengen.run.settings import resolve

        if (folder / "config.toml").exists():
            return self._of_begun_run(folder, seed)
        found = resolve(
            self.game,
            minutes=self.minutes,
            file=self.file,
            sets=self.sets,
            preset=self.preset,
            seed=seed,
            iterations=self.iterations,
            method=self.method,
        )
        if self.start is None:
            return found
        from tengen.run.start import starting_from

        return starting_from(found, load(found.config.game, **found.config.options), self.start)

    def _of_begun_run(self, folder: Path, seed: int | None) -> Settings:
        """A run keeps its settings, but for those that its bits don't depend on."""
        from tengen.config import ConfigError, load_config
        from tengen.run.folder import FREE_SETTINGS
        from tengen.run.settings import Settings, changed_settings, laid_over, setting_values

        kept = load_config(folder / "config.toml")
        if self.game is not None:
            given = parse_game(self.game)
            _check_same_file(folder, kept.game, given)
            _check_same_game(folder, load(kept.game, **kept.options), given)
        wanted = laid_over(
            kept,
            file=self.file,
            sets=self.sets,
            preset=self.preset,
            seed=seed,
            iterations=self.iterations,
            method=self.method,
        )
        if self.start is not None and self.start.digest != kept.start:
            began = f"the network {kept.start[:12]}" if kept.start else "a blank network"
            raise ConfigError(
                f"{folder} is a run that began with {began}, not with {self.model}; leave --from out to go on with it, "
                "or start another with --run."
            )
        changes = {name: values for name, values in changed_settings(kept, wanted).items() if name not in FREE_SETTINGS}
        if changes:
            name, (before, after) = next(iter(changes.items()))
            more = f" and {len(changes) - 1} more" if len(changes) > 1 else ""
            raise ConfigError(
                f"{folder} was started with another config: {name} is {before!r} there, not {after!r}{more}. A run "
                "keeps its settings; leave these out to go on with it, or start another with --run."
            )
        return Settings(wanted, dict.fromkeys(setting_values(wanted), str(folder / "config.toml")))


def _check_same_file(folder: Path, kept: str, given: Game) -> None:
    """A rules file that only the run's config names, and not the user, is not even loaded: that would run it."""
    if not kept.endswith(".py") or (
        given.spec.source.endswith(".py") and Path(given.spec.source).resolve() == Path(kept).resolve()
    ):
        return
    is_copy = Path(kept).is_file() and sha256(Path(kept).read_bytes()).hexdigest() == given.spec.rules_digest
    if not is_copy:
        raise TengenError(
            f"{folder} is a run of the rules file {kept}, which is another than {given.spec.source}; name that file, "
            "or start another run with --run."
        )


def _check_same_game(folder: Path, kept: Game, given: Game) -> None:
    """A file of rules may have moved; its name, options and sizes are what counts."""
    same_rules = kept.spec.source.endswith(".py") and _about(kept) == _about(given)
    if kept != given and not same_rules:
        raise TengenError(
            f"{folder} is a run of {_about(kept)}, not of {_about(given)}; to go on with it leave the game out, or "
            "start another run with --run."
        )


def _about(game: Game) -> str:
    return f"{game.spec.name} ({game.spec.options_text})" if game.spec.options else game.spec.name


def folder_name(game: str) -> str:
    """'go:size=9' -> 'go_size_9'; a file of rules gives its own name. A name without a Latin letter gets a number."""
    name, _, rest = game.partition(":")
    text = f"{Path(name).stem} {rest}" if name.endswith(".py") else game
    plain = re.sub(r"[^A-Za-z0-9.]+", "_", text).strip("_.")
    return plain or f"game_{sha256(text.encode()).hexdigest()[:8]}"


def _name_of(game: str | None, config: Path | None) -> str:
    """A run with a config and no game is called after its config."""
    if game is not None:
        return folder_name(game)
    if config is not None:
        return config.stem
    raise TengenError("Which game? Give GAME, as in tengen train connect_four, or a --config that names one.")


def _parse_seeds(text: str) -> list[int]:
    seeds = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() for part in seeds) or len(set(seeds)) != len(seeds) or len(seeds) > MOST_SEEDS:
        raise TengenError(f"--seeds takes up to {MOST_SEEDS} different whole numbers, as in 1,2,3; found '{text}'.")
    for part in seeds:
        check_seed(int(part))
    return [int(part) for part in seeds]


def _show(settings: Settings) -> int:
    from tengen.run.settings import settings_toml

    print(settings_toml(settings), end="")
    return 0


def _sweep(wish: Wish, folder: Path, seeds: Sequence[int], own: Observer, show_config: bool) -> int:
    """A run for each seed, one after the other. All are checked before the first is begun."""
    places = {seed: folder / f"seed{seed}" for seed in seeds}
    found = {seed: wish.settings(place, seed) for seed, place in places.items()}
    if show_config:
        return _show(found[seeds[0]])
    for number, seed in enumerate(seeds, 1):
        print(f"Seed {seed}, run {number} of {len(seeds)}:", flush=True)
        if code := train_folder(found[seed].config, places[seed], wish, own):
            return code
    print(f"To compare the seeds with those of another run: {shlex.join(['tengen', 'compare', str(folder)])} OTHER")
    return 0


def _observer(text: str | None) -> Observer:
    from tengen.interfaces.own_observer import load_observer
    from tengen.report import SILENT

    return SILENT if text is None else load_observer(text)


def train_folder(config: RunConfig, folder: Path, wish: Wish, own: Observer) -> int:
    """Trains in a folder, with everything that people see of it; gives the exit code."""
    from tengen.interfaces.cli.train_end import next_steps, nothing_to_do, play_command, strength_text
    from tengen.interfaces.observers import Listeners, final_text, run_progress
    from tengen.interfaces.report_page import RunPage
    from tengen.interfaces.tensorboard import EventFile
    from tengen.network import check_device
    from tengen.network.checkpoint import find_network, numbered_networks
    from tengen.run.metrics import read_reports
    from tengen.train import train

    check_device(config.learner.device)  # before a folder is made
    game = load(config.game, **config.options)
    minutes = wish.minutes
    if (sentence := nothing_to_do(config, folder, minutes)) is not None:
        print(sentence)
        path = find_network(folder)
    else:
        try:
            with (
                crew_of(wish.cluster, game, config.network.module) as crew,
                RunPage(folder) as page,
                run_progress() as progress,
                _stopping(progress) as display,
            ):
                listeners = Listeners(EventFile(folder), page, own, display)
                path = train(
                    config, folder, listeners, minutes=minutes, memory=wish.memory, crew=crew, start=wish.start
                )
        except KeyboardInterrupt:
            print(f"Stopped; everything up to the last finished iteration is in {folder}. The same command goes on.")
            if numbered_networks(folder / "networks"):
                print(f"To play what there is: {play_command(game, folder)}")
            return INTERRUPTED
        print(f"Done; the network is {path}.")
    measured = read_reports(folder)
    if config.arena.final_strength or config.method == "imitation":
        print((measured and final_text(measured[-1])) or strength_text(game, path))
    print("\n".join(next_steps(game, folder, minutes)))
    return 0


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
