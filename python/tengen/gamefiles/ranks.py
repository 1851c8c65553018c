"""Ranks, ratings and dates as files write them, in one form that can be compared.

>>> rank_of("5d"), rank_of("1k"), rank_of("2 kyu"), rank_of("9p"), rank_of("?")
(5.0, 0.0, -1.0, 19.0, None)
>>> rating_of("2410"), rating_of("1500?"), rating_of("-"), date_of("2011.03.??"), date_of("played 1998-07-02")
(2410.0, 1500.0, None, '2011-03', '1998-07-02')
"""

from __future__ import annotations

import re

__all__ = ["date_of", "rank_of", "rating_of"]

PROFESSIONAL = 10  # 1 professional dan is above every amateur dan
RANK = re.compile(r"\s*(\d{1,2})\s*(dan|d|段|kyu|k|級|级|pro|p)(?![a-z])", re.IGNORECASE)
RATING = re.compile(r"\s*(\d{2,4}(?:\.\d+)?)\s*[?*]?\s*$")
DATE = re.compile(r"(?<!\d)([12]\d{3})(?:[-./_](\d\d))?(?:[-./_](\d\d))?(?!\d)")


def rank_of(text: str) -> float | None:
    """1 dan is 1, 1 kyu 0, 2 kyu -1, 1 professional dan 11; None if it is no rank."""
    found = RANK.match(text)
    if not found:
        return None
    number, kind = int(found[1]), found[2].lower()
    if kind in ("pro", "p"):
        return float(PROFESSIONAL + number)
    return float(number if kind in ("dan", "d", "段") else 1 - number)


def rating_of(text: str) -> float | None:
    """Points, as in 2410; None if it is no number of them."""
    found = RATING.match(text)
    return float(found[1]) if found else None


def date_of(text: str) -> str:
    """The first date in a text as YYYY, YYYY-MM or YYYY-MM-DD; empty if there is none."""
    found = DATE.search(text)
    if not found:
        return ""
    year, month, day = found[1], found[2] or "", found[3] or ""
    if not "01" <= month <= "12":
        return year
    return f"{year}-{month}-{day}" if "01" <= day <= "31" else f"{year}-{month}"
