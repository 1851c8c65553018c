"""Tactics found by exhaustive search over the rules: positions that are won, or saved, by the right move only."""

from collections.abc import Iterator

import numpy as np

from tengen import Game, State

Tactic = tuple[State, list[int]]  # a position and the actions that solve it


def winning_moves(state: State, plies: int) -> list[int]:
    """The actions that win by force in at most `plies` plies, counted for both sides."""
    return [action for action in state.legal_actions if keeps_win(state.play(action), state.to_move, plies - 1)]


def keeps_win(state: State, player: int, plies: int) -> bool:
    """Whether `player`, to move or not, wins by force from here in at most `plies` plies."""
    if state.outcome is not None:
        return state.outcome.winner == player
    if plies <= 0:
        return False
    below = (keeps_win(state.play(action), player, plies - 1) for action in state.legal_actions)
    return any(below) if state.to_move == player else all(below)


def safe_moves(state: State) -> list[int]:
    """The actions after which the opponent does not win at once."""
    return [a for a in state.legal_actions if not keeps_win(state.play(a), 1 - state.to_move, 1)]


def random_positions(game: Game, lowest: int, highest: int, seed: int) -> Iterator[State]:
    """Unfinished positions after so many random plies."""
    rng = np.random.default_rng(seed)
    while True:
        plies = int(rng.integers(lowest, highest + 1))
        state = game.initial_state()
        while len(state.moves) < plies and state.outcome is None:
            state = state.play(int(rng.choice(state.legal_actions)))
        if state.outcome is None and len(state.legal_actions) > 1:
            yield state


def find_wins(game: Game, lowest: int, highest: int, *, plies: int, count: int, seed: int) -> list[Tactic]:
    """Positions that are won in `plies` plies and not in fewer, by one or two actions but not by all."""
    found: list[Tactic] = []
    for state in random_positions(game, lowest, highest, seed):
        if keeps_win(state, state.to_move, plies - 1) or not keeps_win(state, state.to_move, plies):
            continue
        moves = winning_moves(state, plies)
        if len(moves) <= 2 and len(moves) < len(state.legal_actions):
            found.append((state, moves))
        if len(found) == count:
            break
    return found


def find_threats(game: Game, lowest: int, highest: int, *, count: int, seed: int) -> list[Tactic]:
    """Positions without a win at hand in which all actions but one let the opponent win at once."""
    found: list[Tactic] = []
    for state in random_positions(game, lowest, highest, seed):
        if keeps_win(state, state.to_move, 1):
            continue
        moves = safe_moves(state)
        if len(moves) == 1:
            found.append((state, moves))
        if len(found) == count:
            break
    return found
