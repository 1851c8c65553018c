"""What was played from a position in the games of a run: each move, how often, and how those games ended."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from tengen import Game, State
from tengen.games.notation import notation
from tengen.interfaces.web.shapes import Asked, Position, Word
from tengen.records import newest_games

__all__ = ["AskOpenings", "OpeningBook", "OpeningMove", "OpeningsWord", "PlayedGame", "openings_word"]

MOST_GAMES = 3000  # of a run, the newest


class AskOpenings(Asked):
    position: Position


class OpeningMove(Word):
    text: str
    notation: str
    games: int
    wins: int  # of the first player
    draws: int
    losses: int


class OpeningsWord(Word):
    games: int  # that came to this position, of those that were looked at
    looked_at: int
    moves: list[OpeningMove]  # the most frequent first


@dataclass(frozen=True)
class PlayedGame:
    """As much of a game as openings need."""

    moves: tuple[int, ...]
    winner: int | None  # None: a draw


class OpeningBook:
    """The games of the run that was asked about last, read once. Any thread may ask."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._known: tuple[object, list[PlayedGame]] | None = None

    def games(self, folder: Path, game: Game) -> list[PlayedGame]:
        """Those of a folder that began at the usual start."""
        files = sorted(folder.iterdir()) if folder.is_dir() else []
        key = (folder, game, tuple((path.name, path.stat().st_size) for path in files))
        with self._lock:
            if self._known is None or self._known[0] != key:
                records = newest_games(folder, game, MOST_GAMES)
                found = [
                    PlayedGame(tuple(record.moves.tolist()), record.outcome.winner)
                    for record in records
                    if record.start is None and record.outcome is not None
                ]
                self._known = (key, found)
            return self._known[1]


def openings_word(games: Sequence[PlayedGame], state: State) -> OpeningsWord:
    """The moves that were played from this position."""
    past = tuple(state.moves)
    following: dict[int, list[PlayedGame]] = defaultdict(list)
    reached = 0
    for game in games:
        if game.moves[: len(past)] == past:
            reached += 1
            if len(game.moves) > len(past):
                following[game.moves[len(past)]].append(game)
    moves = [_move(state, action, found) for action, found in following.items() if state.is_legal(action)]
    return OpeningsWord(
        games=reached, looked_at=len(games), moves=sorted(moves, key=lambda move: (-move.games, move.text))
    )


def _move(state: State, action: int, games: Sequence[PlayedGame]) -> OpeningMove:
    results = [game.winner for game in games]
    return OpeningMove(
        text=state.action_text(action),
        notation=notation(state, action),
        games=len(games),
        wins=results.count(0),
        draws=results.count(None),
        losses=results.count(1),
    )
