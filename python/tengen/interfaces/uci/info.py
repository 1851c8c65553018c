"""The lines `info`: what the search knows, in the words of UCI and USI."""

from __future__ import annotations

import math

from tengen.engine import Analysis, MoveAnalysis
from tengen.games.lines import line_texts
from tengen.interfaces.uci.dialect import Dialect

__all__ = ["centipawns", "info_lines", "win_draw_loss"]

MOST_CENTIPAWNS = 12_800


def info_lines(
    analysis: Analysis,
    dialect: Dialect,
    *,
    lines: int,
    fullness: float,
    draw: float | None,
    least_depth: int = 1,
) -> list[str]:
    """One line for each of the best moves, at most `lines`.

    `fullness` of the memory is from 0 to 1. `draw` is the network's chance of a draw, if win/draw/loss is to be shown.
    """
    milliseconds = round(1000 * analysis.seconds)
    speed = round(analysis.simulations / max(analysis.seconds, 1e-3))
    deepest = max((len(move.line) for move in analysis.moves), default=1)
    found = []
    for rank, move in enumerate(analysis.moves[:lines], 1):
        depth = max(least_depth, len(move.line)) if rank == 1 else len(move.line)
        parts = [
            f"info depth {depth} seldepth {max(depth, deepest)} multipv {rank}",
            f"score {_score(analysis, move, rank, dialect)}",
        ]
        if draw is not None:
            parts.append("wdl {} {} {}".format(*win_draw_loss(_value(analysis, move, rank), draw)))
        parts.append(f"nodes {analysis.simulations} nps {speed} hashfull {round(1000 * min(1.0, fullness))}")
        parts.append(f"time {milliseconds} pv {' '.join(line_texts(analysis.state, move.line))}")
        found.append(" ".join(parts))
    return found


def centipawns(value: float) -> int:
    """A value in [-1, 1] as centipawns, by Leela's formula: 0.5 is 90 * tan(0.78) = about 90."""
    return round(max(-MOST_CENTIPAWNS, min(MOST_CENTIPAWNS, 90.0 * math.tan(1.5637541897 * value))))


def win_draw_loss(value: float, draw: float) -> tuple[int, int, int]:
    """Chances of a win, a draw and a loss in permille: of the searched value, and the network's chance of a draw."""
    draw = min(draw, 1.0 - abs(value))
    win, loss = round(500 * (1.0 + value - draw)), round(500 * (1.0 - value - draw))
    return win, 1000 - win - loss, loss


def _is_proof(analysis: Analysis, rank: int) -> bool:
    return analysis.proven is not None and rank == 1


def _value(analysis: Analysis, move: MoveAnalysis, rank: int) -> float:
    if _is_proof(analysis, rank):
        assert analysis.proven is not None
        return analysis.proven.value_for(analysis.state.to_move)
    return move.value


def _score(analysis: Analysis, move: MoveAnalysis, rank: int, dialect: Dialect) -> str:
    value = _value(analysis, move, rank)
    if _is_proof(analysis, rank) and value != 0.0:
        plies = max(1, analysis.distance)
        count = plies if dialect.mate_in_plies else (plies + 1) // 2
        return f"mate {count if value > 0 else -count}"
    return f"cp {centipawns(value)}"
