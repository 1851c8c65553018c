"""Which of the games of a collection are wanted. A game that does not say what a filter asks for is left out."""

from __future__ import annotations

from dataclasses import dataclass

from tengen.gamefiles.found import About, FoundGame

__all__ = ["Filters"]


@dataclass(frozen=True)
class Filters:
    """Every filter that is None or empty lets all games through."""

    least_rating: float | None = None  # of both players, in points
    least_rank: float | None = None  # of both players, as ranks.rank_of has it
    since: str = ""  # YYYY, YYYY-MM or YYYY-MM-DD; that day counts
    until: str = ""
    results: frozenset[str] = frozenset()  # of "first", "second", "draw", "unknown"
    least_moves: int = 1
    most_moves: int | None = None
    even_only: bool = False  # no handicap, and from the initial state
    komi: tuple[float, float] | None = None  # from, to

    def left_out(self, found: FoundGame) -> str:
        """Why a game is not wanted, in a few words; empty if it is."""
        about = found.about
        result = "unknown" if found.said is None else ("first", "second", "draw")[_side(found.said.winner)]
        length = len(found.moves if found.record is None else found.record.moves)
        checks = (
            (_all_least(about.ratings, self.least_rating), "rating"),
            (_all_least(about.ranks, self.least_rank), "rank"),
            (self._dated(about), "date"),
            (not self.results or result in self.results, "result"),
            (length >= self.least_moves, "too few moves"),
            (self.most_moves is None or length <= self.most_moves, "too many moves"),
            (not self.even_only or (about.handicap == 0 and found.start is None), "handicap or set-up position"),
            (self.komi is None or (about.komi is not None and self.komi[0] <= about.komi <= self.komi[1]), "komi"),
        )
        return next((reason for is_good, reason in checks if not is_good), "")

    def _dated(self, about: About) -> bool:
        """As far as both say it: a game of '2010' is wanted since '2010-05'."""
        if not (self.since or self.until):
            return True
        if not about.date:
            return False
        since, until = self.since[: len(about.date)], self.until[: len(about.date)]
        return about.date[: len(since)] >= since and (not until or about.date[: len(until)] <= until)


def _side(winner: int | None) -> int:
    return 2 if winner is None else winner


def _all_least(numbers: tuple[float | None, float | None], least: float | None) -> bool:
    return least is None or all(number is not None and number >= least for number in numbers)
