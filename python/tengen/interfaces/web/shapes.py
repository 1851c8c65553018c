"""The words of the protocol (docs/web.md): JSON shapes that the page, the server and the schema share."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

__all__ = [
    "ActionWord",
    "AnalysisWord",
    "BoardWord",
    "LevelWord",
    "MoveWord",
    "OutcomeWord",
    "Position",
    "PriorWord",
    "StateWord",
]

Name = Annotated[str, Field(max_length=200)]
ActionText = Annotated[str, Field(max_length=100)]


class Word(BaseModel):
    """Said by the server."""

    model_config = ConfigDict(frozen=True)


class Asked(BaseModel):
    """Said by a client: nothing that is not in the protocol, and no text where a number belongs."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


class Position(Asked):
    """A game, its options, and the moves from its start."""

    game: Name
    options: dict[str, bool | int | float] = Field(default={}, max_length=20)
    moves: list[ActionText] = Field(default=[], max_length=10_000)


class BoardWord(Word):
    height: int
    width: int
    kind: Literal["cells", "points", "columns"]
    columns: list[str]
    rows: list[str]
    players: list[str]
    stars: list[tuple[int, int]]  # row and column


class OutcomeWord(Word):
    winner: int | None
    text: str


class ActionWord(Word):
    action: int
    text: str
    cells: list[int]  # that it is drawn on; none: a button


class StateWord(Word):
    position: Position
    board: BoardWord
    to_move: int
    cells: list[int | None]
    legal: list[ActionWord]
    last: ActionWord | None
    outcome: OutcomeWord | None


class MoveWord(ActionWord):
    visits: int
    value: float  # for the player to move, as everything below
    win_rate: float
    prior: float
    line: list[str]


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
    proven: OutcomeWord | None
    final: bool


class LevelWord(Word):
    name: str
    simulations: int
    temperature: float
