"""What check_game reports."""

from dataclasses import dataclass

from tengen._core import NoLegalActionError, TengenError


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong, or one question to the author."""

    kind: str  # one of a fixed few: "aliasing", "non-determinism" ...; at most one of each is reported
    text: str  # what is wrong, in the author's words, with an example
    certain: bool  # else it is a question


def wrong(kind: str, text: str) -> Finding:
    """A promise is broken."""
    return Finding(kind, text, certain=True)


def failed(error: TengenError) -> Finding:
    """A rule raised an error while the game was played."""
    return wrong("no legal action" if isinstance(error, NoLegalActionError) else "a rule fails", str(error))


def question(kind: str, text: str) -> Finding:
    """It may be meant."""
    return Finding(kind, text, certain=False)


@dataclass(frozen=True)
class Coverage:
    """What was looked at."""

    random_games: int  # played to their end
    other_games: int  # the same, of the other kinds: search, long games, rare positions
    positions: int  # looked at, in games and on the walk
    walked: int  # positions of the walk through the game from its start
    complete: bool  # whether these were all positions that the game has
    longest: int | None  # actions of the longest game, if the walk was complete
    out_of_time: bool


@dataclass(frozen=True)
class CheckReport:
    """What was looked at, what is wrong, and what should be asked. `text()` says it in plain words."""

    game: str  # repr of the game
    backend: str
    coverage: Coverage
    findings: tuple[Finding, ...]  # those that are certain first

    @property
    def wrong(self) -> tuple[Finding, ...]:
        """What is certainly wrong."""
        return tuple(finding for finding in self.findings if finding.certain)

    @property
    def questions(self) -> tuple[Finding, ...]:
        """What a correct game can look like, too."""
        return tuple(finding for finding in self.findings if not finding.certain)

    @property
    def passed(self) -> bool:
        """Nothing is certainly wrong; there may be questions."""
        return not self.wrong

    def text(self) -> str:
        """The report in plain words, a paragraph for each finding: first what is wrong, then the questions."""
        first = f"{self.game} ({self.backend}): {self._looked_at()}"
        if not self.findings:
            return f"{first} Nothing wrong was found."
        paragraphs = [first]
        paragraphs += [f"WRONG, {finding.kind}: {finding.text}" for finding in self.wrong]
        paragraphs += [f"QUESTION, {finding.kind}: {finding.text}" for finding in self.questions]
        if not self.wrong:
            paragraphs.append("Nothing is certainly wrong. A correct game can raise a question, too.")
        return "\n\n".join(paragraphs)

    def _looked_at(self) -> str:
        seen = self.coverage
        parts = [_count(seen.random_games, "random game")]
        if seen.other_games:
            parts.append(_count(seen.other_games, "game") + " by other players")
        if seen.walked:
            parts.append(f"a walk through {'all' if seen.complete else 'the first'} {seen.walked:,}")
        longest = "" if seen.longest is None else f" (the longest game has {_count(seen.longest, 'action')})"
        early = " within the time" if seen.out_of_time else ""
        return f"{', '.join(parts)}{longest}; {seen.positions:,} positions{early}."


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"
