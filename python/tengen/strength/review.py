"""Reviews a finished game: what each move was worth, where the game turned, and which move was better.

    review = review_game(engine, state.game.initial_state(), state.moves, Limit(simulations=400))
    print(review.summary(0))

The engine searches every position of the game in turn and keeps its tree, so that simulations before a move also count
after it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from tengen._core import State, TengenError
from tengen.engine import Analysis, Limit, MoveAnalysis
from tengen.external.uci import UciProgram
from tengen.games.lines import line_texts
from tengen.players import make_player

__all__ = ["MISTAKE", "Judge", "ProgramJudge", "Review", "ReviewError", "ReviewedMove", "program_judge", "review_game"]

MISTAKE = 0.05  # loss of win rate; smaller differences change with the number of simulations
LONGEST_LINE = 10  # actions of a line


class ReviewError(TengenError):
    """A game that can't be reviewed."""


@dataclass(frozen=True)
class ReviewedMove:
    """A move that was played, from the point of view of its player. Win rates are from 0 to 1."""

    number: int  # from 1
    state: State  # before the move
    action: int
    before: float  # win rate with the best move
    after: float  # win rate after the move that was played
    best_action: int
    best_line: tuple[int, ...]  # the moves that the search expects, the best move first

    @property
    def player(self) -> int:
        return self.state.to_move

    @property
    def is_best(self) -> bool:
        return self.action == self.best_action

    @property
    def lost(self) -> float:
        """The loss of win rate by not playing the best move."""
        return 0.0 if self.is_best else max(0.0, self.before - self.after)

    @property
    def text(self) -> str:
        return self.state.action_text(self.action)

    @property
    def best_text(self) -> str:
        return self.state.action_text(self.best_action)

    @property
    def line_text(self) -> str:
        return " ".join(line_texts(self.state, self.best_line))


@dataclass(frozen=True)
class Review:
    """All moves of a game."""

    start: State
    moves: tuple[ReviewedMove, ...]
    win_rates: tuple[float, ...]  # of the first player: at the start and after each move

    def of_player(self, player: int) -> list[ReviewedMove]:
        return [move for move in self.moves if move.player == player]

    def mistakes(self, player: int | None = None) -> list[ReviewedMove]:
        """Moves that lost at least MISTAKE, the worst first; of one player, or of both if `player` is None."""
        found = [move for move in self.moves if move.lost >= MISTAKE and player in (None, move.player)]
        return sorted(found, key=lambda move: (-move.lost, move.number))

    def mean_lost(self, player: int) -> float:
        """The mean loss of win rate of that player's moves."""
        moves = self.of_player(player)
        return sum(move.lost for move in moves) / len(moves) if moves else 0.0

    def summary(self, player: int) -> str:
        """A sentence or two about how that player did."""
        name = self.start.game.spec.player_names[player]
        moves, mistakes = self.of_player(player), self.mistakes(player)
        if not moves:
            return f"{name} made no move."
        best = sum(move.is_best for move in moves)
        first = (
            f"{name}: {best} of {len(moves)} moves were the best found, and a move lost {self.mean_lost(player):.1%} "
            "on average."
        )
        if not mistakes:
            return f"{first} No mistake."
        worst = mistakes[0]
        count = "One mistake" if len(mistakes) == 1 else f"{len(mistakes)} mistakes"
        return (
            f"{first} {count}. {name}'s biggest mistake: move {worst.number} ({worst.text}), {worst.lost:.0%} lost; "
            f"{worst.best_text} was better."
        )


class Judge(Protocol):
    """Whoever can say what a position is worth: an Engine, or an external program."""

    def set_position(self, state: State) -> None: ...
    def play(self, action: int) -> State: ...
    def think(self, limit: Limit) -> Analysis: ...


class ProgramJudge:
    """An external program of UCI or USI as the judge. Its own limits hold, those of `think` don't."""

    def __init__(self, program: UciProgram, state: State) -> None:
        self._program = program
        self._state = state

    def set_position(self, state: State) -> None:
        self._state = state

    def play(self, action: int) -> State:
        self._state = self._state.play(action)
        return self._state

    def think(self, limit: Limit) -> Analysis:
        state = self._state
        if state.outcome is not None:
            value = state.outcome.value_for(state.to_move)
            return Analysis(state, (), value, 0, 0.0, state.outcome, 0, "game over")
        said = self._program.analyse(state)
        move = MoveAnalysis(said.action, state.action_text(said.action), 1, said.value, 1.0, said.line)
        return Analysis(state, (move,), said.value, 0, 0.0, None, 0, "searching")


def program_judge(text: str, state: State) -> ProgramJudge:
    """The judge of a player's text, such as 'uci:nodes=20000:stockfish'."""
    program = make_player(text, state.game)
    assert isinstance(program, UciProgram)
    return ProgramJudge(program, state)


def review_game(
    engine: Judge,
    start: State,
    actions: Sequence[int],
    limit: Limit,
    on_move: Callable[[ReviewedMove], None] | None = None,
) -> Review:
    """Searches every position of a game, each within the limit. `on_move` is called after each reviewed move."""
    if not actions:
        raise ReviewError("There is no move to review: the game has none.")
    engine.set_position(start)
    found = engine.think(limit)
    rates = [_first_player(found.state, _value(found))]
    moves = []
    for number, action in enumerate(actions, 1):
        before = found
        if before.state.outcome is not None:
            raise ReviewError(f"Move {number} comes after the end of the game.")
        engine.play(action)
        found = engine.think(limit)
        rates.append(_first_player(found.state, _value(found)))
        moves.append(_reviewed(number, before, action, rates[-2:]))
        if on_move is not None:
            on_move(moves[-1])
    return Review(start, tuple(moves), tuple(rates))


def _reviewed(number: int, before: Analysis, action: int, rates: Sequence[float]) -> ReviewedMove:
    """`rates` are the first player's win rates before and after the move."""
    player, best = before.state.to_move, before.moves[0]
    return ReviewedMove(
        number=number,
        state=before.state,
        action=action,
        before=rates[0] if player == 0 else 1.0 - rates[0],
        after=rates[1] if player == 0 else 1.0 - rates[1],
        best_action=best.action,
        best_line=best.line[:LONGEST_LINE],
    )


def _value(found: Analysis) -> float:
    """The value of the best move, for the player to move. The mean over all moves is lower the more were explored."""
    return found.value if found.proven is not None or not found.moves else found.moves[0].value


def _first_player(state: State, value: float) -> float:
    """The first player's win rate, from a value for the player to move."""
    return (1.0 + (value if state.to_move == 0 else -value)) / 2.0
