"""`tengen verify-run`: whether the folder of a run is as it was written, and what can be saved if it is not."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from tengen import Game, TengenError, load
from tengen.interfaces.cli.game_argument import parse_game

if TYPE_CHECKING:
    from tengen.run.verify import Verdict

DAMAGED = 1  # the exit code


def run(
    folder: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="RUN")],
    *,
    game: Annotated[str | None, tyro.conf.arg(metavar="GAME")] = None,
    repair: Annotated[bool, tyro.conf.FlagCreatePairsOff] = False,
) -> int:
    """Checks all files of a run: checksums, every game by the rules, every network; exit code 1 if something is wrong.

    Args:
        folder: the folder of the run, as in runs/connect_four
        game: the game of the run; needed if its rules are a file, which is not run because a folder names it
        repair: set aside what is wrong, so that the run can go on; nothing is deleted
    """
    from tengen.run.verify import repair_run, verify_run

    rules = parse_game(game) if game is not None else _known_game(folder)
    if rules is None and repair:
        raise TengenError("To repair a run whose rules are a file, name it: --game RULES.py.")
    verdict = verify_run(folder, rules)
    print("\n".join(report(verdict)))
    if not verdict.findings:
        return 0
    if not repair:
        print("tengen verify-run --repair sets aside what is wrong; nothing is deleted.")
        return DAMAGED
    assert rules is not None
    print("\n".join(repair_run(verdict, rules)) or "Nothing had to be set aside.")
    return 0


def report(verdict: Verdict) -> list[str]:
    """Everything that is wrong, and then what is good."""
    lines = [str(finding) for finding in verdict.findings]
    newest = f"the newest of iteration {verdict.commits[0]}" if verdict.commits else "so the run can't go on"
    lines += [
        f"{_count(len(verdict.findings), 'problem')} in {verdict.folder}.",
        f"Good: {_count(len(verdict.commits), 'checkpoint')}, {newest}; {_count(verdict.games, 'game')} with "
        f"{_count(verdict.positions, 'recorded position')}; {_count(len(verdict.networks), 'network')}.",
    ]
    lines += verdict.notes
    if not verdict.replayed:
        lines.append("The games were not played again, because the rules are a file: name it with --game RULES.py.")
    return lines


def _known_game(folder: Path) -> Game | None:
    """The game that the config names, unless it is a file of rules or can't be found out."""
    from tengen.config import ConfigError, load_config
    from tengen.games import names
    from tengen.games.options import OPENSPIEL_PREFIX

    try:
        config = load_config(folder / "config.toml")
    except ConfigError:
        return None
    if config.game not in names() and not config.game.startswith(OPENSPIEL_PREFIX):
        return None
    return load(config.game, **config.options)


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'s' * (number != 1)}"
