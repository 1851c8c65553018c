"""How large a run should be for a game and the minutes it is given: one pure function; a first try needs no file.

The rule interpolates what we measured on two cores: Connect Four (five minutes: 2x32 channels 93.5 % good moves alone,
3x48 93.3 %, 4x64 91.7 %; an hour wants 4x64 or more), Othello 8x8, Gomoku and Go on 9x9 (an hour or two each). Outside
of that it is a guess that learns something, not the best there is. A run with minutes plans its iterations by the speed
it measures, up to the sizes given here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tengen._core import Game

__all__ = ["FIRST_TRY_MINUTES", "GameFacts", "facts_of", "sizes_for"]

FIRST_TRY_MINUTES = 20.0  # that a run is sized for when nobody says how long it may take

# Blocks and channels, up to so many minutes of one core on a board of 42 cells. A network of twice the work sees half
# of the positions: the few of a short run teach a small one more.
MEASURED_CELLS = 42
NETWORKS = ((6.0, 2, 32), (20.0, 3, 48), (100.0, 4, 64), (float("inf"), 5, 96))
SMALL_BOARD = 16  # cells: up to 4x4 the smallest network sees everything

# What one core does in a second, measured with these networks on boards of 42 to 225 cells: multiply-adds of the 3x3
# convolutions, counted as blocks * channels^2 * cells, plus what an evaluation and a sample cost besides.
EVALUATION_WORK, EVALUATION_REST = 6.2e9, 1000.0
SAMPLE_WORK, SAMPLE_REST = 1.35e9, 2500.0
INT8 = 2.0  # times as fast as bf16, in which the evaluations were measured
SAMPLES = 3.0  # learned per position: learner.samples_per_position
INTERPRETED_SECONDS = 1e-4  # per simulation of rules that Python runs, which only one thread does at a time
USED = 0.8  # share of the time that is neither start, nor files, nor matches

ITERATION_SECONDS = 6.0  # in less, what every iteration costs besides playing and learning is too much
LEAST_ITERATIONS, MOST_ITERATIONS = 12, 80  # an hour of our experiments has about 60
SHORT_RUN = 10.0  # minutes
MEASURING_SHARE = 0.08  # of the time, at most
MEASURED_MINUTES = 3.0  # in less, learning needs all of the time
MOST_MEASUREMENTS = 10
MEASUREMENTS = ((40, 100), (20, 40))  # games against each of 3 opponents, and simulations: thorough, or cheap
LONG_GAME, SHORT_GAME = 64, 32  # plies
WINDOW_CELLS = 25e6  # cells of all boards in the window: what our experiments of an hour or two had


@dataclass(frozen=True)
class GameFacts:
    """All that the size of a run depends on."""

    cells: int  # of the board
    longest_game: int  # plies
    interpreted: bool = False  # whether Python runs the rules, one thread at a time

    @property
    def length(self) -> int:
        """Plies of a usual game: in our games about half of the longest."""
        return max(1, self.longest_game // 2)


def facts_of(game: Game) -> GameFacts:
    spec = game.spec
    return GameFacts(spec.height * spec.width, spec.longest_game, game.backend == "interpreted")


def sizes_for(game: GameFacts, minutes: float, cores: int) -> dict[str, Any]:
    """The settings that follow from the game, the minutes and the cores, as tables of a config."""
    blocks, channels = _network(game, minutes, cores)
    simulations, final_simulations = _simulations(game, minutes)
    precision = "bf16" if minutes < SHORT_RUN else "int8"  # calibrating int8 is not earned back by short iterations
    evaluation, sample = _seconds(game, blocks, channels, precision)
    play = 0.5 * (simulations + (final_simulations or simulations)) * evaluation / cores
    if game.interpreted:
        play += simulations * INTERPRETED_SECONDS
    positions = USED * 60.0 * minutes / (play + SAMPLES * sample / cores)  # of the whole run
    iterations = int(min(MOST_ITERATIONS, max(LEAST_ITERATIONS, 60.0 * minutes / ITERATION_SECONDS)))
    games = _games_per_unit(game, positions / iterations, cores)
    an_iteration = max(positions / iterations, cores * games)
    return {
        "iterations": iterations,
        "network": {"blocks": blocks, "channels": channels},
        "self_play": {
            "games_per_unit": games,
            "positions": _rounded(min(16_384.0, max(256.0, an_iteration)), 256),
            "simulations": simulations,
            "final_simulations": final_simulations,
            "precision": precision,
            # Chance in the first quarter of a game, random plies before it: enough to differ, not enough to decide.
            "temperature_plies": min(20, max(4, game.longest_game // 4)),
            "random_start_plies": min(12, max(2, game.longest_game // 8)),
        },
        "replay": {
            # At first an eighth of all positions: what a blank network plays is to be forgotten soon.
            "window_start": _rounded(min(40_000.0, max(2_000.0, positions / 8)), 1_000),
            "window_most": _rounded(min(600_000.0, max(50_000.0, WINDOW_CELLS / game.cells)), 10_000),
        },
        "arena": _arena(game, minutes, iterations, evaluation / cores),
    }


def _network(game: GameFacts, minutes: float, cores: int) -> tuple[int, int]:
    """Blocks and channels: larger with more time, smaller where a board of more cells makes every step dearer."""
    if game.cells <= SMALL_BOARD:
        return NETWORKS[0][1:]
    worth = minutes * cores * MEASURED_CELLS / game.cells
    return next((blocks, channels) for most, blocks, channels in NETWORKS if worth < most)


def _simulations(game: GameFacts, minutes: float) -> tuple[int, int]:
    """At the start and at the end of the run (0: the same). Gumbel's search learns from few.

    A long game has many positions to learn from, each of which can cost less; a blank network is not worth a deep
    search, and a long run has the time for one at its end.
    """
    first = 32 if game.length <= SHORT_GAME else 16 if game.length <= LONG_GAME else 8
    if game.interpreted:
        first = min(first, 16 if game.length <= SHORT_GAME else 8)
    if minutes < SHORT_RUN:
        return first, 0
    last = min(64, 4 * first) if minutes >= 30 else max(first, min(32, 2 * first))
    return first, last if last > first else 0


def _seconds(game: GameFacts, blocks: int, channels: int, precision: str) -> tuple[float, float]:
    """What an evaluation and a sample of the learner take on one core."""
    work = blocks * channels**2
    return (
        (work / (INT8 if precision == "int8" else 1.0) + EVALUATION_REST) * game.cells / EVALUATION_WORK,
        (work + SAMPLE_REST) * game.cells / SAMPLE_WORK + 6e-5,
    )


def _games_per_unit(game: GameFacts, positions: float, cores: int) -> int:
    """Many, so that batches are full; but the first iteration plays all of them to their end."""
    most = 32 if game.interpreted else 128
    room = 1.5 * positions / game.length / cores
    by_board = 5400 / game.cells  # 128 of Connect Four, 64 of Go 9x9, as in our experiments
    return _rounded(min(float(most), max(16.0, min(room, max(32.0, by_board)))), 8)


def _arena(game: GameFacts, minutes: float, iterations: int, evaluation: float) -> dict[str, Any]:
    """Measurements that take a small share of the time: thorough if there can be four, else cheap, else none."""
    found: dict[str, Any] = {"every": 0}
    for games, simulations in MEASUREMENTS:
        seconds = 1.5 * 3 * games * game.length / 2 * simulations * evaluation
        if game.interpreted:  # the opponent's 100 play-outs a move, in Python
            seconds += games * game.length / 2 * 100 * (game.length / 2 * 2e-5 + INTERPRETED_SECONDS)
        times = min(MOST_MEASUREMENTS, int(MEASURING_SHARE * 60.0 * minutes / seconds))
        if times >= 4 and minutes >= MEASURED_MINUTES:
            found = {"every": max(1, iterations // times), "games": games, "simulations": simulations}
            break
    if game.interpreted:  # a thousand play-outs a move in Python would take longer than the run
        found["anchors"] = ["random", "rollout:100"]
    return found


def _rounded(number: float, step: int) -> int:
    """To a multiple of `step`, at least one: digits that mean nothing are not shown."""
    return max(step, round(number / step) * step)
