"""What `tengen train` says when a run is over: how strong the network is, and what can be done next."""

from __future__ import annotations

import json
import shlex
import time
from pathlib import Path
from typing import TYPE_CHECKING

from tengen import Game
from tengen.interfaces.cli.evaluate import percent

if TYPE_CHECKING:
    from tengen.config import RunConfig

__all__ = ["game_text", "next_steps", "nothing_to_do", "play_command", "strength_text"]

SIMULATIONS = 100  # that the result is measured and played with
OPPONENTS = ("random", "rollout:100")
MOST_GAMES = 20  # against each
MOST_SECONDS = 4.0  # against each: the minutes of the run are over by then


def nothing_to_do(config: RunConfig, folder: Path, minutes: float | None) -> str | None:
    """Why a run that was begun does not go on, in a sentence; None if there is something left to do."""
    from tengen.network.checkpoint import numbered_networks
    from tengen.run.metrics import read_reports

    reports = read_reports(folder)
    if not reports or not numbered_networks(folder / "networks"):
        return None
    newest = reports[-1]
    if minutes is not None:
        if newest.seconds < 60.0 * minutes:
            return None
        return (
            f"{folder} has taken {newest.seconds / 60:.1f} minutes already, and --minutes counts the whole run: "
            f"--minutes {_more(newest.seconds / 60):g} would go on."
        )
    if newest.iteration < config.iterations:
        return None
    return (
        f"{folder} has done {newest.iteration} iterations, and {config.iterations} were asked for: "
        f"--iterations {_more(newest.iteration):g} would go on."
    )


def _more(number: float) -> float:
    """Twice as much, in two digits."""
    return float(f"{2 * number:.2g}")


def game_text(game: Game) -> str:
    """A game as a command line has it, with the options that are not the usual ones."""
    from tengen.games import load

    spec = game.spec
    if not spec.options or spec.source.startswith("openspiel:"):
        return spec.source
    usual = load(spec.source).spec.options
    said = ",".join(f"{name}={json.dumps(value)}" for name, value in spec.options.items() if usual.get(name) != value)
    return f"{spec.source}:{said}" if said else spec.source


def play_command(game: Game, folder: Path) -> str:
    return f"{shlex.join(['tengen', 'play', game_text(game)])} search:{shlex.quote(str(folder))}:{SIMULATIONS}"


def next_steps(game: Game, folder: Path, minutes: float | None) -> list[str]:
    """What can be done with a network, as commands."""
    player = f"search:{shlex.quote(str(folder))}:{SIMULATIONS}"
    longer = f"--minutes {_more(minutes):g}" if minutes is not None else "--iterations with more than before"
    return [
        f"To see how it learned: {folder / 'report.html'}",
        f"To go on: the same command with {longer}",
        f"To measure it: {shlex.join(['tengen', 'match', game_text(game)])} {player} rollout:1000",
        f"To play it: {play_command(game, folder)}",
    ]


def strength_text(game: Game, network: Path) -> str:
    """How good the network is, in a sentence: against the truth where it is known, else against simple players."""
    from tengen.players import model_evaluators
    from tengen.strength.accuracy import PositionsError, evaluate_network, known_positions

    try:
        positions = known_positions(game)
    except PositionsError:
        scores = [text for opponent in OPPONENTS if (text := _score_text(game, network, opponent))]
        if not scores:
            return (
                f"Its strength was not measured: two games with {SIMULATIONS} simulations take more than "
                f"{MOST_SECONDS:g} seconds."
            )
        return f"With {SIMULATIONS} simulations it scores {' and '.join(scores)}."
    found = evaluate_network(model_evaluators(network, game), positions, SIMULATIONS)
    assert found.search is not None
    return (
        f"Good moves, which keep the win, draw or loss, on {len(positions):,} {positions.about}: network alone "
        f"{percent(found.raw.good)}, with {SIMULATIONS} simulations {percent(found.search.good)}."
    )


def _score_text(game: Game, network: Path, opponent: str) -> str:
    """A match of few seconds: games two by two, which share an opening with colours swapped. Empty if none ended."""
    from tengen.arena import play_matches
    from tengen.players import make_player

    players = make_player(f"search:{network}:{SIMULATIONS}", game), make_player(opponent, game)
    started = time.perf_counter()

    def is_late() -> bool:
        return time.perf_counter() - started >= MOST_SECONDS

    points, games = 0.0, 0
    while games < MOST_GAMES and not is_late():
        [played] = play_matches(game, [[players]], games=2, seed=games, should_stop=is_late)
        points += sum(one.points(0) for one in played.games)
        games += len(played.games)
    return f"{points / games:.0%} against {opponent} ({games} games)" if games else ""
