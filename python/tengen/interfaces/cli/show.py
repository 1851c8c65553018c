"""`tengen show`: a position drawn, with what can be played."""

from typing import Annotated

import tyro

from tengen import State
from tengen.interfaces.cli.game_argument import GameArgument, parse_game

Moves = Annotated[tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="[MOVE ...]")]


def run(game: GameArgument, moves: Moves = (), *, board: str | None = None) -> None:
    """Draws the board after some moves, the legal actions and the outcome.

    Args:
        moves: the moves from the start of the game, such as D4 pass; none shows the first position
        board: the position that the moves start from: a drawing, or FEN in chess; the first position without it
    """
    state = parse_game(game).state(" ".join(moves), board=board)
    print(state)
    if state.position_text != str(state):
        print(f"position: {state.position_text}")
    if state.outcome is None:
        print(f"legal: {' '.join(map(state.action_text, state.legal_actions))}")
    else:
        print(f"{result_text(state)}{reason_text(state)}")


def result_text(state: State) -> str:
    """How a finished game ended, in words."""
    assert state.outcome is not None
    winner = state.outcome.winner
    return "a draw" if winner is None else f"{state.game.spec.player_names[winner]} wins"


def reason_text(state: State) -> str:
    """Why it ended, in parentheses, if the game says it: ' (two passes: 47 to 34.5)'."""
    assert state.outcome is not None
    return f" ({state.outcome.sentence})" if state.outcome.sentence else ""
