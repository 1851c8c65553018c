"""Self-play without search: the network is asked once a move, and a rule makes a move of its answer.

All games of a round are played side by side to their ends, so that a ply of all of them is one batch. A position is
recorded with the move that was played as its policy target, and with what the network said as its value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from tengen._core import Game, State
from tengen.config import SelfPlayConfig
from tengen.network import Evaluator, evaluate_states
from tengen.records import GameRecord
from tengen.records.record import RecordBuilder
from tengen.selfplay.unit import start_state

__all__ = ["ChooseMove", "RoundOfGames", "certain_policy", "drawn_move", "play_round", "random_or_best_move", "turns"]


class ChooseMove(Protocol):
    """Of the logits of the legal actions [legal], which one it is; the chance of the game is given."""

    def __call__(self, logits: NDArray[np.float32], rng: np.random.Generator, /) -> int: ...


def drawn_move(logits: NDArray[np.float32], rng: np.random.Generator) -> int:
    """Drawn from the policy softmax(logits)."""
    running = np.cumsum(np.exp(logits - logits.max(), dtype=np.float64))
    drawn = int(np.searchsorted(running, rng.random() * running[-1], side="right"))
    return min(drawn, len(logits) - 1)  # the product may have been rounded up to the whole


def random_or_best_move(epsilon: float) -> ChooseMove:
    """Any action with probability epsilon, else the best."""

    def choose(logits: NDArray[np.float32], rng: np.random.Generator) -> int:
        return int(rng.integers(len(logits))) if rng.random() < epsilon else int(logits.argmax())

    return choose


class GoesOn(Protocol):
    """A game that is being played."""

    state: State


G = TypeVar("G", bound=GoesOn)


def turns(games: Sequence[G], whose_turn: Callable[[G], int | None]) -> Iterator[tuple[int | None, list[G]]]:
    """Until all games are over: who moves, and in which games. The caller plays a move in each of them."""
    going_on = list(games)
    while going_on:
        moving: dict[int | None, list[G]] = {}
        for each in going_on:
            moving.setdefault(whose_turn(each), []).append(each)
        yield from moving.items()
        going_on = [each for each in going_on if each.state.outcome is None]


@dataclass(frozen=True)
class RoundOfGames:
    """Finished games, and what they came to."""

    records: tuple[GameRecord, ...]
    positions: int  # in which the network being trained chose
    evaluations: int  # with those of its opponents
    entropy: float  # of the policies of those positions, summed up


@dataclass
class _Game:
    state: State
    record: RecordBuilder
    rng: np.random.Generator
    opponent: int | None  # which of the older networks it is against; None: against itself
    own_player: int  # whom the network being trained plays then


def play_round(
    game: Game,
    evaluator: Evaluator,
    choose: ChooseMove,
    config: SelfPlayConfig,
    *,
    numbers: range,
    seed: int,
    iteration: int,
    network: str,
    older: Sequence[Evaluator] = (),
    older_share: float = 0.0,
) -> RoundOfGames:
    """The games with these numbers. In `older_share` of them one side is one of the older networks, and only the
    positions of the other side are recorded."""
    games = []
    for number in numbers:
        record = RecordBuilder(iteration=iteration, network=network, seed=number)
        rng = np.random.default_rng([seed, iteration, number])
        opponent = int(rng.integers(len(older))) if older and rng.random() < older_share else None
        games.append(_begin(game, config, rng, record, opponent))
    positions = evaluations = 0
    entropy = 0.0
    for who, moving in turns(games, _whose_turn):
        answer = evaluate_states(evaluator if who is None else older[who], [each.state for each in moving])
        values = answer.values if answer.values.ndim == 1 else answer.values[:, 0] - answer.values[:, 2]
        evaluations += len(moving)
        for each, logits, value in zip(moving, answer.logits, values.tolist(), strict=True):
            legal = list(each.state.legal_actions)
            action = legal[choose(logits[legal], each.rng)]
            if who is None:
                positions += 1
                entropy += _entropy(logits[legal])
                policy = certain_policy(action, game.spec.num_actions)
                each.record.target(policy, float(np.clip(value, -1.0, 1.0)), 0.0)
            each.record.play(action)
            each.state = each.state.play(action)
    records = tuple(each.record.finish(each.state.outcome) for each in games)
    return RoundOfGames(records, positions, evaluations, entropy)


def _begin(
    game: Game, config: SelfPlayConfig, rng: np.random.Generator, record: RecordBuilder, opponent: int | None
) -> _Game:
    state = start_state(game, config, rng)
    record.opening_plies = len(state.moves)
    for action in state.moves:
        record.play(action)
    return _Game(state, record, rng, opponent, own_player=int(rng.integers(2)))


def _whose_turn(game: _Game) -> int | None:
    """Which of the older networks is to move; None: the one being trained."""
    return None if game.state.to_move == game.own_player else game.opponent


def certain_policy(action: int, num_actions: int) -> NDArray[np.float32]:
    """[A] The policy that always plays this action."""
    policy = np.zeros(num_actions, np.float32)
    policy[action] = 1.0
    return policy


def _entropy(logits: NDArray[np.float32]) -> float:
    weights = np.exp(logits - logits.max())
    policy = weights / weights.sum()
    return float(-(policy * np.log(np.maximum(policy, 1e-12))).sum())
