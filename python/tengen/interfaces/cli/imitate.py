"""`tengen imitate`: a network from games that exist, in a run folder like that of every training."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Annotated

import tyro

from tengen import TengenError
from tengen.interfaces.cli.game_argument import GameArgument, parse_game
from tengen.interfaces.cli.memory_argument import MemoryArgument, memory_bytes
from tengen.interfaces.cli.player_argument import check_seed
from tengen.interfaces.cli.train import File, Folder, Minutes, Sets, Wish, folder_name, train_folder

ITERATIONS = 30  # of a run without minutes, each of imitation.steps steps


def run(
    game: GameArgument,
    *,
    records: Annotated[Path, tyro.conf.arg(metavar="DIR")],
    run: Folder = None,
    minutes: Minutes = None,
    memory: MemoryArgument = None,
    model: Annotated[str | None, tyro.conf.arg(name="from", metavar="MODEL")] = None,
    iterations: Annotated[int | None, tyro.conf.arg(metavar="INT")] = None,
    seed: Annotated[int | None, tyro.conf.arg(metavar="INT")] = None,
    config: File = None,
    sets: Sets = (),
) -> int:
    """Learns to foretell the moves of recorded games, and who wins; stopped or killed, the same command goes on.

    The games are split into those to learn from, validation and test games. The run ends when the validation games are
    foretold no better, and tells the share of the moves of the test games that the network foretells.

    Args:
        records: the folder that `tengen records import` wrote, or the folder of a run
        run: the folder of the run; without it runs/GAME_imitation
        minutes: how long the run may take
        memory: how much memory the run may take, as in 4GB
        model: the network that a new run begins with; without it a blank one
        iterations: how many iterations of imitation.steps steps the run has at most, instead of minutes
        seed: of the blank network and of the samples
        config: a TOML file with settings that differ
        sets: one setting, as in --set network.blocks=6; can be given several times
    """
    from tengen.report import SILENT

    if importlib.util.find_spec("torch") is None:
        raise TengenError("Learning needs torch and OpenVINO: pip install 'tengen[train]'.")
    if minutes is not None and iterations is not None:
        raise TengenError("Give --minutes or --iterations, not both.")
    if minutes is not None and not 0 < minutes < 1e6:
        raise TengenError("A run takes more than 0 and less than a million minutes.")
    if seed is not None:
        check_seed(seed)
    parse_game(game)
    folder = run or Path("runs") / f"{folder_name(game)}_imitation"
    said = ("method=imitation", f"imitation.records={json.dumps(str(records.resolve()))}", *sets)
    is_begun = (folder / "config.toml").exists()
    wanted = ITERATIONS if iterations is None and minutes is None and not is_begun else iterations
    limit = memory_bytes(memory)
    wish = Wish(game, config, minutes, wanted, None, None, said, limit, model=model)
    return train_folder(wish.settings(folder, seed).config, folder, wish, SILENT)
