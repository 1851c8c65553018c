"""In what UCI and USI differ."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["UCI", "USI", "Dialect"]


@dataclass(frozen=True)
class Dialect:
    """The words of one of the two protocols."""

    hello: str  # asks for name and options; the answer ends with the same word and "ok"
    new_game: str
    board: str  # before the text of a position
    board_fields: int  # words of that text
    clocks: tuple[str, str]  # of the first and the second player: 'w' and 'b' before "time" and "inc"
    nothing_to_play: str
    mate_in_plies: bool  # or in moves
    hash_option: str
    ponder_option: str

    def option(self, name: str) -> str:
        """The name of an option: USI has no spaces in them."""
        return name.replace(" ", "_") if self is USI else name


UCI = Dialect(
    hello="uci",
    new_game="ucinewgame",
    board="fen",
    board_fields=6,
    clocks=("w", "b"),
    nothing_to_play="(none)",
    mate_in_plies=False,
    hash_option="Hash",
    ponder_option="Ponder",
)
USI = Dialect(
    hello="usi",
    new_game="usinewgame",
    board="sfen",
    board_fields=4,
    clocks=("b", "w"),
    nothing_to_play="resign",
    mate_in_plies=True,
    hash_option="USI_Hash",
    ponder_option="USI_Ponder",
)
