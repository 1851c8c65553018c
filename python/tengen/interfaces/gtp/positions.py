"""What GTP needs of a position besides its moves: scores, handicaps, and games beyond the longest length."""

from __future__ import annotations

from tengen import Game, State, load
from tengen.games.vertices import vertex_text

__all__ = ["all_stones", "handicap_points", "is_go", "score_of", "under_komi_of", "with_room", "without_end"]


def without_end(game: Game) -> Game:
    """The same game without a limit of its own on the number of moves, which training may have set."""
    options = game.spec.options
    return load(game.spec.source, **{**options, "max_moves": 0}) if options.get("max_moves") else game


def with_room(state: State) -> State:
    """The position; close to the longest game of Go it is set up again from its drawing, so that moves can follow."""
    if state.outcome is not None or len(state.moves) < state.game.spec.longest_game - 2 or not is_go(state.game):
        return state
    return state.game.state(board=str(state))


def under_komi_of(state: State, game: Game) -> State:
    """The same position under another komi."""
    if state.game.state(state.moves) == state:
        return game.state(state.moves)
    return game.state(board=str(state))


def is_go(game: Game) -> bool:
    return game.spec.source == "go"


def score_of(state: State) -> float | None:
    """For the first player; None if there is no saying yet."""
    if state.score is not None:
        return state.score
    return None if state.outcome is None else float(state.outcome.value_for(0))


def all_stones(state: State) -> str:
    """The vertices of all stones: none is dead, as the rules have it here."""
    assert state.cells is not None
    return " ".join(vertex_text(state.game, cell) for cell, code in enumerate(state.cells.ravel().tolist()) if code)


def handicap_points(size: int, stones: int) -> list[int]:
    """The handicap points of GTP: corners, then sides; the centre for 5, 7 and 9. Empty if GTP defines none."""
    edge = 2 if size < 13 else 3
    low, middle, high = size - 1 - edge, size // 2, edge  # rows from the top: low is at the bottom
    left, right = high, low
    points = [(low, left), (high, right), (high, left), (low, right)]
    if stones > 4:
        points += [(middle, left), (middle, right), (high, middle), (low, middle)][: 2 * ((stones - 4) // 2)]
        points += [(middle, middle)] * (stones % 2)
    most = 0 if size < 7 else 4 if size % 2 == 0 or size == 7 else 9
    return [row * size + column for row, column in points[:stones]] if 2 <= stones <= most else []
