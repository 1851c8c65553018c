"""Games of OpenSpiel: `tengen.load("openspiel:hex(board_size=5)")`, for two players who see everything and take turns.

A state is the list of actions so far, as bytes; OpenSpiel's own states are kept beside it, so that a step costs a copy
and an action instead of a whole game. Every call goes through Python, some microseconds each: fast enough to train on
small games, far slower than tengen's own. docs/games/openspiel.md lists the games that fit.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from math import isqrt, prod
from numbers import Real
from typing import Any

import numpy as np

from tengen._core import (
    LARGEST_TABLE_STATE,
    Game,
    GameOptionError,
    RulesError,
    TengenError,
    UnknownGameError,
    make_table_game,
)
from tengen.base.spelling import nearest
from tengen.games.openspiel_layout import find_layout, find_most_legal
from tengen.games.rules.declaration import LARGEST_PLANES
from tengen.games.rules.results import DRAW, ONGOING

__all__ = ["Fit", "fitting_games", "load"]

BYTES = 2  # of an action, and of their count, which comes first
LONGEST = LARGEST_TABLE_STATE // BYTES - 1
KEPT_STATES = 8_000  # of OpenSpiel, in each of two generations; some kilobytes each


def load(text: str, **options: float) -> Game:
    """The game that OpenSpiel loads from that text, such as `hex(board_size=5)`.

    With `longest_game=200` a game that has not ended after so many actions is a draw.
    """
    spiel_game = _spiel_game(text)
    shape = _planes_shape(spiel_game, text)
    longest = _longest_game(spiel_game, text, options)
    num_actions = spiel_game.num_distinct_actions()
    return make_table_game(
        _SpielRules(spiel_game, prod(shape[1:]), longest),
        name=spiel_game.get_type().short_name,
        source=f"openspiel:{text}",
        options={"longest_game": longest} if longest < spiel_game.max_game_length() else {},
        board=shape[1:],
        action_layout=find_layout(spiel_game, shape),
        num_actions=num_actions,
        most_legal=find_most_legal(spiel_game),
        numbered_actions=True,  # OpenSpiel's texts depend on the position and hold blanks and commas
        longest_game=longest,
        plane_names=[f"OpenSpiel's plane {plane}" for plane in range(shape[0] - 1)] + ["first player to move"],
        player_names=("player 0", "player 1"),
        symmetries=[("identity", list(range(prod(shape[1:]))), list(range(num_actions)))],
        state_size=(longest + 1) * BYTES,
        addresses=None,
    )


@dataclass(frozen=True)
class Fit:
    """A game of OpenSpiel in which nothing is hidden, left to chance or done at once, and whether tengen plays it."""

    name: str
    game: Game | None  # with OpenSpiel's default options; None: it does not fit
    reason: str = ""  # why not


def fitting_games() -> list[Fit]:
    """All such games that OpenSpiel has, by name."""
    import pyspiel

    types = pyspiel.GameType
    found = []
    for kind in pyspiel.registered_games():
        if (
            kind.dynamics != types.Dynamics.SEQUENTIAL
            or kind.chance_mode != types.ChanceMode.DETERMINISTIC
            or kind.information != types.Information.PERFECT_INFORMATION
        ):
            continue
        try:
            found.append(Fit(kind.short_name, load(kind.short_name)))
        except TengenError as error:
            found.append(Fit(kind.short_name, None, str(error)))
    return found


def _spiel_game(text: str) -> Any:
    """OpenSpiel's game of that text, if it is one that tengen can play."""
    try:
        import pyspiel
    except ImportError:
        raise UnknownGameError("OpenSpiel is not installed: pip install 'tengen[openspiel]'.") from None
    name = text.partition("(")[0]
    if name not in pyspiel.registered_names():
        close = nearest(name, pyspiel.registered_names())
        hint = f"; did you mean 'openspiel:{close}'?" if close else "."
        raise UnknownGameError(f"OpenSpiel has no game called '{name}'{hint}")
    try:
        game = pyspiel.load_game(text)
    except Exception as error:  # SpielError as a rule, but whatever the C++ standard library throws comes through, too
        raise GameOptionError(f"OpenSpiel can't load '{text}': {' '.join(str(error).split())}") from error
    kind, types = game.get_type(), pyspiel.GameType
    reasons = {
        f"it has {game.num_players()} player{'s' * (game.num_players() != 1)}": game.num_players() != 2,
        "the players move at the same time": kind.dynamics != types.Dynamics.SEQUENTIAL,
        "chance has a part in it": kind.chance_mode != types.ChanceMode.DETERMINISTIC,
        "the players do not see everything": kind.information != types.Information.PERFECT_INFORMATION,
        "one player's gain is not the other's loss": kind.utility != types.Utility.ZERO_SUM,
        "it gives rewards before the end": kind.reward_model != types.RewardModel.TERMINAL,
        "it has no observation tensor": not kind.provides_observation_tensor,
    }
    for reason, true in reasons.items():
        if true:
            raise UnknownGameError(
                f"tengen can't play 'openspiel:{text}': {reason}. It plays games of two players who take turns, see "
                "everything and win what the other loses."
            )
    return game


def _planes_shape(game: Any, text: str) -> tuple[int, int, int]:
    """[C, H, W]: the observation tensor and one plane more.

    A tensor [C, n] is C boards of n cells, square if n is a square; any other has no board: it is [n, 1, 1].
    """
    shape = game.observation_tensor_shape()
    # Sizes that make no sense must not reach OpenSpiel's states: some end the process.
    most = 2 ** (8 * BYTES)
    if min(shape) < 1 or game.max_game_length() < 1 or not 1 <= game.num_distinct_actions() <= most:
        actions = game.num_distinct_actions()
        raise GameOptionError(
            f"tengen can't play OpenSpiel's '{text}': its planes are {shape} and it has {actions} actions."
        )
    if prod(shape) > LARGEST_PLANES:
        raise GameOptionError(f"The planes of OpenSpiel's '{text}' are too large: {shape}.")
    match shape:
        case planes, height, width:
            pass
        case planes, cells:
            height = isqrt(cells) if isqrt(cells) ** 2 == cells else 1
            width = cells // height
        case _:
            planes, height, width = prod(shape), 1, 1
    return planes + 1, height, width


def _longest_game(game: Any, text: str, options: dict[str, float]) -> int:
    most = min(game.max_game_length(), LONGEST)
    for option in options:
        if option != "longest_game":
            raise GameOptionError(
                f"openspiel:{text} takes its options in OpenSpiel's way, '{text.partition('(')[0]}({option}=...)', and "
                "longest_game."
            )
    given: object = options.get("longest_game", most)
    longest = float(given) if isinstance(given, Real) and abs(given) <= most else 0.0
    if longest < 1 or not longest.is_integer():
        raise GameOptionError(f"openspiel:{text}: longest_game must be a whole number from 1 to {most}.")
    return int(longest)


class _Position:
    """A state of OpenSpiel, never changed once made, and what is asked of it most."""

    __slots__ = ("outcome", "spiel", "to_move")

    def __init__(self, spiel: Any, to_move: int, outcome: int) -> None:
        self.spiel = spiel
        self.to_move = to_move
        self.outcome = outcome


class _SpielRules:
    """What bind_table_game.cpp calls, as interpreted.py answers it for a rules file. Threads may call at once."""

    action_text = None
    parse_action = None
    set_board = None
    cells = None
    score = None

    def __init__(self, game: Any, num_cells: int, longest_game: int) -> None:
        self._game = game
        self._num_actions: int = game.num_distinct_actions()
        self._longest = longest_game
        self._size = (longest_game + 1) * BYTES
        # By the part of a state that is in use. When the young are many, they become the old; the old are forgotten.
        self._young: dict[bytes, _Position] = {}
        self._old: dict[bytes, _Position] = {}
        self._observer = _observer(game)
        self._observed = np.zeros(prod(game.observation_tensor_shape()) + num_cells, np.float32)
        self._num_cells = num_cells
        self._one_at_a_time = threading.Lock()  # they share the observer and the array

    def start(self) -> bytes:
        return bytes(self._size)

    def play(self, state: bytes, action: int) -> bytes:
        count = state[0] | state[1] << 8
        used = BYTES * (count + 1)
        after = (count + 1).to_bytes(BYTES, "little") + state[BYTES:used] + action.to_bytes(BYTES, "little")
        if after not in self._young:
            before = self._position(state)
            try:
                self._keep(after, before.spiel.child(action), before.to_move)
            except Exception as error:
                raise RulesError(f"OpenSpiel's {self._game} failed on action {action}: {error}") from error
        return after + bytes(self._size - len(after))

    def to_move(self, state: bytes) -> int:
        """When the game is over: the player who did not move last."""
        return self._position(state).to_move

    def outcome(self, state: bytes) -> int:
        return self._position(state).outcome

    def legal(self, state: bytes) -> bytes:
        position = self._position(state)
        mask = bytearray(self._num_actions)
        if position.outcome == ONGOING:
            for action in position.spiel.legal_actions():
                mask[action] = 1
        return bytes(mask)

    def planes(self, state: bytes) -> bytes:
        """What the player to move observes, and who that is."""
        position = self._position(state)
        with self._one_at_a_time:
            observed = self._observed
            observed[: -self._num_cells] = self._observer(position.spiel, position.to_move)
            observed[-self._num_cells :] = position.to_move == 0
            return observed.tobytes()

    def board_text(self, state: bytes) -> str:
        position = self._position(state)
        turn = "game over" if position.outcome != ONGOING else f"player {position.to_move} to move"
        return f"{str(position.spiel).rstrip()}\n{turn}"

    def reason(self, state: bytes) -> str:
        return "" if self._position(state).spiel.is_terminal() else f"length: {self._longest} actions were played"

    def explain(self, rule: str, state: bytes, action: int) -> str:
        return f"{rule}() of OpenSpiel's {self._game} failed."

    def _position(self, state: bytes) -> _Position:
        key = state[: BYTES * (1 + (state[0] | state[1] << 8))]
        position = self._young.get(key)
        if position is None:
            position = self._old.get(key)
            position = self._replay(key) if position is None else self._put(key, position)
        return position

    def _replay(self, key: bytes) -> _Position:
        """A state that was forgotten, from the last one before it that was not."""
        actions = [int(action) for action in np.frombuffer(key, "<u2")[1:]]
        for known in range(len(actions) - 1, -1, -1):
            before = known.to_bytes(BYTES, "little") + key[BYTES : BYTES * (1 + known)]
            found = self._young.get(before) or self._old.get(before)
            if found is not None:
                spiel, to_move = found.spiel.clone(), found.to_move
                break
        else:
            known, spiel, to_move = 0, self._game.new_initial_state(), 0
        for action in actions[known:]:
            to_move = spiel.current_player()
            spiel.apply_action(action)
        return self._keep(key, spiel, to_move)

    def _keep(self, key: bytes, spiel: Any, last_mover: int) -> _Position:
        count = len(key) // BYTES - 1
        if not spiel.is_terminal():
            to_move = spiel.current_player()
            outcome = ONGOING if count < self._longest else DRAW
        else:
            to_move = 1 - last_mover if count else 0
            first = spiel.returns()[0]
            outcome = DRAW if first == 0 else 0 if first > 0 else 1
        return self._put(key, _Position(spiel, to_move, outcome))

    def _put(self, key: bytes, position: _Position) -> _Position:
        if len(self._young) >= KEPT_STATES:
            self._old, self._young = self._young, {}
        self._young[key] = position
        return position


def _observer(game: Any) -> Any:
    """A function of a state and a player: what the player observes, without a Python list in between."""
    import pyspiel

    size = prod(game.observation_tensor_shape())
    start = game.new_initial_state()
    expected = np.array(start.observation_tensor(0), np.float32)
    try:
        kind = pyspiel.IIGObservationType(
            perfect_recall=False, public_info=True, private_info=pyspiel.PrivateInfoType.SINGLE_PLAYER
        )
        observation = pyspiel._Observation(game, game.make_observer(kind, {}))
        observed = np.frombuffer(observation, np.float32)
        observation.set_from(start, 0)
    except Exception:  # a game that has no observers
        observed = np.zeros(0, np.float32)
    if observed.shape != (size,) or not np.array_equal(observed, expected):
        return lambda state, player: state.observation_tensor(player)

    def observe(state: Any, player: int) -> Any:
        observation.set_from(state, player)
        return observed

    return observe
