"""How games and states come back from a pickle: a game by what load() takes, a state by its start and its moves.

Pickles carry work between processes and machines of one user. A rules file must be there on the other side, and be the
same; or a copy of it, wherever that is (`use_copy`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from tengen._core import Game, RulesError, State
from tengen.games import load

__all__ = ["load_game", "play_moves", "use_copy"]

MOST_GAMES = 16  # that stay loaded: a pickle of many states names the same game again and again


_copies: dict[str, str] = {}  # paths of rules files by the digest of their text


def use_copy(rules_digest: str, path: str) -> None:
    """From here on a pickled game of the rules with this digest is loaded from this file, whatever its own was."""
    _copies[rules_digest] = path


def load_game(source: str, options: Mapping[str, float], rules_digest: str) -> Game:
    """The game that was pickled; RulesError if its rules file has changed since."""
    return _load(_copies.get(rules_digest, source), tuple(options.items()), rules_digest)


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
