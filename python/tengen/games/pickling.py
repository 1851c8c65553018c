"""How games and states come back from a pickle: a game by what load() takes, a state by its start and its moves.

Pickles carry work between processes and machines of one user. A rules file must be there, and be the same, on the other
side.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from tengen._core import Game, RulesError, State
from tengen.games import load

__all__ = ["load_game", "play_moves"]

MOST_GAMES = 16  # that stay loaded: a pickle of many states names the same game again and again


def load_game(source: str, options: Mapping[str, float], rules_digest: str) -> Game:
    """The game that was pickled; RulesError if its rules file has changed since."""
    return _load(source, tuple(options.items()), rules_digest)


def play_moves(game: Game, moves: Sequence[int], start_board: str | None) -> State:
    """The state that was pickled."""
    return game.state(moves, board=start_board)


@lru_cache(MOST_GAMES)
def _load(source: str, options: tuple[tuple[str, float], ...], rules_digest: str) -> Game:
    game = load(source, **dict(options))
    if game.spec.rules_digest != rules_digest:
        raise RulesError(
            f"The rules file '{source}' is not the one that was pickled: its text has changed (SHA-256 "
            f"{game.spec.rules_digest[:12]} instead of {rules_digest[:12]})."
        )
    return game
