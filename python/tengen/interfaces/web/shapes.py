"""The words of the protocol (docs/web.md): JSON shapes that the page, the server and the schema share."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

__all__ = [
    "ActionWord",
    "AnalysisWord",
    "BoardWord",
    "DrawnWord",
    "HeldWord",
    "LevelWord",
    "MoveWord",
    "OutcomeWord",
    "PieceWord",
    "Position",
    "PriorWord",
    "StateWord",
]

Name = Annotated[str, Field(max_length=200)]
Shape = Literal["square", "hex"]
Layout = Literal["cells", "columns", "planes", "dense"]
ActionText = Annotated[str, Field(max_length=100)]


class Word(BaseModel):
    """Said by the server."""

    model_config = ConfigDict(frozen=True)


class Asked(BaseModel):
    """Said by a client: nothing that is not in the protocol, and no text where a number belongs."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


class Position(Asked):
    """A game, its options, where it starts, and the moves from there."""

    game: Name
    options: dict[str, bool | int | float] = Field(default={}, max_length=20)
    start: str = Field(default="", max_length=4000)  # a board as text (FEN in chess); empty: the game's own start
    moves: list[ActionText] = Field(default=[], max_length=10_000)


class PieceWord(Word):
    name: str
    letter: str
    owner: int | None
    colour: str  # "#rrggbb", or empty: the page chooses


class BoardWord(Word):
    height: int
    width: int
    shape: Shape
    points: bool  # drawn as the crossings of lines
    layout: Layout  # how actions are related to the board
    columns: list[str]
    rows: list[str]
    players: list[str]
    pieces: list[PieceWord]  # none: the game does not say what stands on its board
    score_name: str
    stars: list[tuple[int, int]]  # row and column


class OutcomeWord(Word):
    winner: int | None
    text: str  # "white wins", to go into a sentence
    reason: str  # one of tengen.Reason
    sentence: str  # "White wins: two passes, 47 to 34.5", without a full stop


class ActionWord(Word):
    action: int
    text: str
    notation: str  # as records for people have it: Nf3; of most games the text
    source: int | None  # cells; an action with neither is a button
    target: int | None
    piece: int | None  # that is put on the target from a hand


class HeldWord(Word):
    piece: int
    count: int


class StateWord(Word):
    position: Position
    board: BoardWord
    to_move: int
    cells: list[int] | None  # pieces by number, counted from 1, 0 is an empty cell; None: see `text`
    hands: tuple[list[HeldWord], list[HeldWord]]
    score: float | None  # of the first player
    text: str | None  # the board as the game draws it, if it has no cells to say
    board_text: str  # the position as programs exchange it (FEN in chess), or as the game draws it
    notations: list[str]  # of the moves of the position
    legal: list[ActionWord]
    last: ActionWord | None
    outcome: OutcomeWord | None


class DrawnWord(Word):
    player: int
    source: int | None
    target: int | None
    piece: int | None


class MoveWord(ActionWord):
    visits: int
    value: float  # for the player to move, as everything below
    win_rate: float
    prior: float
    line: list[str]  # as notation
    drawn: list[DrawnWord]  # the first moves of the line on the board; empty for moves that few look at


class PriorWord(Word):
    action: int
    prior: float


class AnalysisWord(Word):
    state: StateWord
    model: str
    simulations: int
    seconds: float
    win: float  # these three: what the network says
    draw: float
    loss: float
    value: float  # what the search found
    moves: list[MoveWord]
    policy: list[PriorWord]
    ownership: list[float] | None
    lead: float | None  # of the player to move at the end, in what the game counts
    proven: OutcomeWord | None
    final: bool


class LevelWord(Word):
    name: str
    simulations: int
    temperature: float
