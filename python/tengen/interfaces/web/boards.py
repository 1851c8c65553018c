"""Any game as the page draws it: its board, and a state's pieces and actions as cells of that board.

Cells are counted from the top left, row by row. All of it is what the game says (`spec.pieces`, `state.cells`,
`game.action_cells`); a game that does not say what stands on its board is shown as the text it draws, and its actions
as a list.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from tengen import Game, Outcome, Piece, State
from tengen.games.lines import first_state, played_texts
from tengen.games.notation import notation
from tengen.interfaces.board_names import board_names
from tengen.interfaces.web.shapes import (
    ActionWord,
    BoardWord,
    DrawnWord,
    HeldWord,
    Layout,
    OutcomeWord,
    PieceWord,
    Position,
    Shape,
    StateWord,
)

__all__ = [
    "action_word",
    "board_word",
    "drawn_line",
    "outcome_word",
    "position_of",
    "state_word",
]

ON_POINTS = ("go", "gomoku")  # played on the crossings of lines
COLOURS = {  # of players who are called so, where a game says no colours of its own
    "red": "#c8442f",
    "blue": "#2f6cc0",
    "green": "#2e8b57",
    "yellow": "#e2b21f",
    "orange": "#dd7a1e",
    "purple": "#7d4fb0",
    "pink": "#d8659c",
    "brown": "#7d5432",
}


def board_word(game: Game) -> BoardWord:
    """What a page must know to draw the board of this game."""
    spec = game.spec
    columns, rows = board_names(game)
    points = spec.source in ON_POINTS
    return BoardWord(
        height=spec.height,
        width=spec.width,
        shape=cast(Shape, spec.shape),
        points=points,
        layout=cast(Layout, spec.action_layout),
        columns=columns,
        rows=rows,
        players=spec.player_names,
        pieces=[
            PieceWord(
                name=piece.name, letter=piece.letter, owner=piece.owner, colour=piece.colour or _colour(game, piece)
            )
            for piece in spec.pieces
        ],
        score_name=spec.score_name,
        stars=_stars(spec.height) if points else [],
    )


def _colour(game: Game, piece: Piece) -> str:
    """Red has red stones and Blue blue ones; of two players both must be called by a colour."""
    names = [name.lower() for name in game.spec.player_names]
    known = piece.owner is not None and all(name in COLOURS for name in names)
    return COLOURS[names[piece.owner]] if known and piece.owner is not None else ""


def state_word(state: State, position: Position) -> StateWord:
    """A state that was reached by this position's moves."""
    before, notations = _before(state)
    cells = state.cells
    first, second = state.hands
    return StateWord(
        position=position,
        board=board_word(state.game),
        to_move=state.to_move,
        cells=None if cells is None else cells.ravel().tolist(),
        hands=(_held(first), _held(second)),
        score=state.score,
        text=str(state) if cells is None else None,
        board_text=state.position_text,
        notations=notations,
        legal=[action_word(state, action) for action in state.legal_actions],
        last=action_word(before, state.moves[-1]) if before else None,
        outcome=outcome_word(state.game, state.outcome),
    )


def position_of(state: State, asked: Position) -> Position:
    """The position of a state in the game that was asked about, its moves written as the game writes them."""
    return asked.model_copy(update={"moves": played_texts(state)})


def _before(state: State) -> tuple[State | None, list[str]]:
    """The state before the last move, and the notation of all moves."""
    before, past, notations = None, first_state(state), []
    for action in state.moves:
        notations.append(notation(past, action))
        before, past = past, past.play(action)
    return before, notations


def action_word(state: State, action: int) -> ActionWord:
    """A legal action, and where on the board it happens."""
    cells = state.game.action_cells(state, action)
    return ActionWord(
        action=action,
        text=state.action_text(action),
        notation=notation(state, action),
        source=cells.source,
        target=cells.target,
        piece=cells.piece,
    )


def drawn_line(state: State, line: Iterable[int]) -> list[DrawnWord]:
    """The moves of a line as they happen on the board, each by the player whose turn it is."""
    drawn = []
    for action in line:
        cells = state.game.action_cells(state, action)
        drawn.append(DrawnWord(player=state.to_move, source=cells.source, target=cells.target, piece=cells.piece))
        state = state.play(action)
    return drawn


def outcome_word(game: Game, outcome: Outcome | None) -> OutcomeWord | None:
    """How a game ended, or will end."""
    if outcome is None:
        return None
    winner = outcome.winner
    text = "a draw" if winner is None else f"{game.spec.player_names[winner]} wins"
    why = outcome.sentence.replace(": ", ", ")
    sentence = f"{text[:1].upper()}{text[1:]}: {why}" if why else f"{text[:1].upper()}{text[1:]}"
    return OutcomeWord(winner=winner, text=text, reason=outcome.reason.value, sentence=sentence)


def _held(hand: dict[int, int]) -> list[HeldWord]:
    return [HeldWord(piece=piece, count=count) for piece, count in hand.items() if count > 0]


def _stars(size: int) -> list[tuple[int, int]]:
    """The points that a wooden board marks: corners, the middle, and on large boards the sides."""
    edge = 3 if size >= 13 else 2
    lines = [edge, size // 2, size - 1 - edge]
    if size % 2 == 0 or size < 7:
        return []
    middle = size // 2
    return [(row, column) for row in lines for column in lines if size >= 19 or (row == middle) == (column == middle)]
