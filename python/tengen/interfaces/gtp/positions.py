"""What GTP needs of a position besides its moves: scores, handicaps, and games beyond the longest length."""

from __future__ import annotations

from tengen import Game, State, load
from tengen.external.programs import komi_of

__all__ = ["handicap_points", "is_go", "score_of", "under_komi_of", "with_room", "without_end"]


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
    """For the first player; None if the game is not over and has no score before that."""
    if is_go(state.game):
        return _area_score(state)
    if state.game.spec.source == "othello":
        board = str(state).rsplit("\n", 1)[0]
        return float(board.count("X") - board.count("O"))
    return None if state.outcome is None else float(state.outcome.value_for(0))


def _area_score(state: State) -> float:
    """The area score with komi. By the rules of the game all stones are alive."""
    size = state.game.spec.width
    board = str(state).rsplit("\n", 1)[0]
    cells = [cell for row in board.splitlines()[1:] for cell in row.split()[1:]]
    score = float(cells.count("X") - cells.count("O"))
    seen: set[int] = set()
    for start in range(size * size):
        if cells[start] == "." and start not in seen:
            region, borders = _empty_region(cells, size, start)
            seen |= region
            if len(borders) == 1:
                score += len(region) if borders == {"X"} else -len(region)
    return score - (komi_of(state.game) or 0.0)


def _empty_region(cells: list[str], size: int, start: int) -> tuple[set[int], set[str]]:
    """A connected region of empty points, and the colours of the stones around it."""
    region, borders, stack = {start}, set(), [start]
    while stack:
        row, column = divmod(stack.pop(), size)
        for r, c in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
            if not (0 <= r < size and 0 <= c < size) or r * size + c in region:
                continue
            if cells[r * size + c] == ".":
                region.add(r * size + c)
                stack.append(r * size + c)
            else:
                borders.add(cells[r * size + c])
    return region, borders


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
