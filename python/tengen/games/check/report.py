"""What check_game reports."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    kind: str  # one of a fixed few: "aliasing", "non-determinism" ...; at most one of each is reported
    text: str  # what is wrong, in the author's words, with an example
    certain: bool  # else it is a question


def wrong(kind: str, text: str) -> Finding:
    """A promise is broken."""
    return Finding(kind, text, certain=True)


def question(kind: str, text: str) -> Finding:
    """It may be meant."""
    return Finding(kind, text, certain=False)


@dataclass(frozen=True)
class CheckReport:
    game: str  # repr of the game
    backend: str
    games: int  # random games played to their end
    positions: int  # positions looked at
    findings: tuple[Finding, ...]

    @property
    def passed(self) -> bool:
        """Nothing is certainly wrong; there may be questions."""
        return not any(finding.certain for finding in self.findings)

    def text(self) -> str:
        """The report in plain words, a paragraph for each finding."""
        games = "1 random game" if self.games == 1 else f"{self.games} random games"
        paragraphs = [f"{self.game} ({self.backend}): {games}, {self.positions} positions."]
        for finding in self.findings:
            paragraphs.append(f"{'WRONG' if finding.certain else 'QUESTION'}, {finding.kind}: {finding.text}")
        return "\n\n".join(paragraphs if self.findings else [f"{paragraphs[0]} Nothing wrong was found."])
