"""Which name was probably meant: the hint at the end of an error about a name that does not exist."""

import difflib
from collections.abc import Iterable

LIKENESS = 0.5  # share of the letters that both names have in common (difflib); below it a guess misleads


def nearest(name: str, known: Iterable[str], likeness: float = LIKENESS) -> str | None:
    """The known name that is most like `name`, whatever the case; None if none is like it."""
    spelled = {other.lower(): other for other in known}
    close = difflib.get_close_matches(name.lower(), spelled, n=1, cutoff=likeness)
    return spelled[close[0]] if close else None


def did_you_mean(name: str, known: Iterable[str], otherwise: str = "") -> str:
    """The hint "did you mean 'go'?"; if no known name is like it `otherwise`, or if that is empty all known names."""
    names = list(known)
    close = nearest(name, names)
    return f"did you mean '{close}'?" if close else otherwise or f"there are: {', '.join(names)}."
