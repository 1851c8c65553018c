"""`tengen selfplay`: games of a network against itself, as records to learn from."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Annotated

import tyro

from tengen import TengenError
from tengen.interfaces.cli.game_argument import GameArgument, parse_game
from tengen.interfaces.cli.player_argument import check_seed
from tengen.interfaces.cli.stage_settings import ConfigFile, Sets, stage_config

SECONDS_BETWEEN_LINES = 5.0


def run(
    game: GameArgument,
    *,
    model: Annotated[str, tyro.conf.arg(metavar="MODEL")],
    out: Annotated[Path, tyro.conf.arg(metavar="DIR")],
    games: Annotated[int, tyro.conf.arg(metavar="INT")] = 1000,
    seed: Annotated[int, tyro.conf.arg(metavar="INT")] = 1,
    config: ConfigFile = None,
    sets: Sets = (),
) -> None:
    """Lets a network play itself, as in a run, and writes the games as records.

    Args:
        model: the network: its file, the folder of a run, or a bundled name
        out: a new folder for the records, which `tengen learn` reads
        games: how many games
        seed: another seed, other games
        config: a TOML file; its table self_play says how the games are made
        sets: one setting, as in --set self_play.simulations=64; can be given several times
    """
    from tengen.players import model_evaluator
    from tengen.records import ShardWriter
    from tengen.selfplay import whole_games

    if games < 1:
        raise TengenError(f"At least one game is played, not {games}.")
    check_seed(seed)
    rules = parse_game(game)
    play = stage_config(game, config, sets, seed).self_play
    evaluator = model_evaluator(model, rules, threads=1)
    evaluators = [evaluator, *(evaluator.clone() for _ in range((play.threads or os.cpu_count() or 1) - 1))]
    writer = ShardWriter(out, rules)
    positions = ended = 0
    started = said = time.monotonic()
    for records in whole_games(rules, evaluators, play, games=games, seed=seed, network=evaluator.network.digest):
        writer.append(records)
        writer.commit()
        ended += len(records)
        positions += sum(len(record.recorded) for record in records)
        now = time.monotonic()
        if now - said >= SECONDS_BETWEEN_LINES and ended:
            said = now
            left = (now - started) * (games - ended) / ended
            print(f"{ended:,} of {games:,} games, {left:.0f} s left", flush=True)
    writer.close()
    print(f"{ended:,} games with {positions:,} recorded positions are in {out}.")
    print(f"To learn from them: tengen learn {game} --records {out} --out network.safetensors")
