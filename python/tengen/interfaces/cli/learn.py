"""`tengen learn`: a network from the records of games."""

from __future__ import annotations

import importlib.util
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from tengen import Game, TengenError
from tengen.interfaces.cli.game_argument import GameArgument, parse_game
from tengen.interfaces.cli.player_argument import check_seed
from tengen.interfaces.cli.stage_settings import ConfigFile, Sets, stage_config

if TYPE_CHECKING:
    from tengen.config import RunConfig
    from tengen.network.checkpoint import NetworkFile
    from tengen.replay import ReplayWindow

SECONDS_BETWEEN_LINES = 5.0


def run(
    game: GameArgument,
    *,
    records: Annotated[Path, tyro.conf.arg(metavar="DIR")],
    out: Annotated[Path, tyro.conf.arg(metavar="FILE")],
    model: Annotated[str | None, tyro.conf.arg(name="from", metavar="MODEL")] = None,
    steps: Annotated[int | None, tyro.conf.arg(metavar="INT")] = None,
    seed: Annotated[int, tyro.conf.arg(metavar="INT")] = 1,
    config: ConfigFile = None,
    sets: Sets = (),
) -> None:
    """Learns a network from records; the file is written whole at the end, or not at all.

    Args:
        records: the folder that `tengen selfplay` wrote, or the folder of a run
        out: the file of the network
        model: the network to go on from: its file, the folder of a run, or a bundled name; without it a blank one
        steps: how many; by default learner.samples_per_position samples for each recorded position
        seed: of the blank network and of the samples
        config: a TOML file; its tables network, learner and replay count here
        sets: one setting, as in --set learner.batch=256; can be given several times
    """
    if importlib.util.find_spec("torch") is None:
        raise TengenError("Learning needs torch: pip install 'tengen[train]'.")
    import numpy as np

    from tengen.methods import new_learner
    from tengen.network.checkpoint import save_network

    check_seed(seed)
    if steps is not None and steps < 1:
        raise TengenError(f"Learning takes at least one step, not {steps}.")
    rules = parse_game(game)
    settings = stage_config(game, config, sets, seed)
    window = _window(rules, records, settings)
    learner = new_learner(rules, settings, _network(model, rules) if model is not None else None)
    wanted = steps or max(1, round(window.positions * settings.learner.samples_per_position / settings.learner.batch))
    print(f"{window.games:,} games with {window.positions:,} positions, {wanted:,} steps", flush=True)
    started = said = time.monotonic()

    def on_step(done: int, total: int) -> None:
        nonlocal said
        now = time.monotonic()
        if now - said >= SECONDS_BETWEEN_LINES:
            said = now
            print(f"{done / total:.0%}, {(now - started) * (total - done) / done:.0f} s left", flush=True)

    learned = learner.learn(window, wanted, np.random.default_rng(seed), progress=(0.0, 1.0), on_step=on_step)
    save_network(out, learner.network_file(records=str(records), seed=str(seed)))
    print(f"Done: loss of the policy {learned.policy_loss:.3f}, of the value {learned.value_loss:.3f}; it is in {out}.")


def _network(model: str, game: Game) -> NetworkFile:
    from tengen.network.checkpoint import check_fits, find_network, load_network

    network = load_network(find_network(model))
    check_fits(network, game)
    return network


def _window(game: Game, folder: Path, config: RunConfig) -> ReplayWindow:
    """The newest positions in the folder, replay.window_most of them."""
    from tengen.records import RecordError, read_games
    from tengen.replay import ReplayWindow

    place = folder / "games" if (folder / "games").is_dir() else folder
    replay = config.replay.model_copy(update={"window_start": config.replay.window_most})
    window = ReplayWindow(game, replay)
    for record in read_games(place, game):
        window.add(record)
    if window.positions == 0:
        raise RecordError(f"There are no recorded positions in {folder}; tengen selfplay and tengen train write them.")
    return window
