"""Which rules games were played by: what a file or a run of one game needs to refuse another."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from tengen._core import Game

__all__ = ["GameIdentity"]


@dataclass(frozen=True)
class GameIdentity:
    """A rules file is known by its name and its digest, wherever it lies; every other game by its source."""

    source: str  # what load() takes
    options: str  # every option with its value, as text
    name: str = ""  # empty: not known
    rules_digest: str = ""  # of a rules file; empty: of another game, or not known

    @classmethod
    def of(cls, game: Game) -> GameIdentity:
        spec = game.spec
        return cls(
            source=spec.source,
            options=spec.options_text,
            name=spec.name,
            rules_digest=spec.rules_digest,
        )

    @classmethod
    def of_header(cls, content: dict[str, Any]) -> GameIdentity:
        """From a header, as `header` gives it or as tengen wrote it before there were digests."""
        options, name, digest = (str(content.get(key, "")) for key in ("options", "name", "rules_digest"))
        return cls(source=str(content["game"]), options=options, name=name, rules_digest=digest)

    def header(self) -> dict[str, str]:
        fields = asdict(self)
        return {"game": fields.pop("source"), **fields}

    def is_same(self, other: GameIdentity) -> bool:
        return self._is_called_as(other) and (
            self.rules_digest == other.rules_digest or not (self.rules_digest and other.rules_digest)
        )

    def is_edited(self, other: GameIdentity) -> bool:
        """The same rules file, but with other text in it."""
        return self._is_called_as(other) and not self.is_same(other)

    def _is_called_as(self, other: GameIdentity) -> bool:
        if self.rules_digest and other.rules_digest:
            return (self.name, self.options) == (other.name, other.options)
        return (self.source, self.options) == (other.source, other.options)

    def __str__(self) -> str:
        return f"{self.source} ({self.options or 'no options'})"
