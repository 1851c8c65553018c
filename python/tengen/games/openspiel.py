"""Games of OpenSpiel: `tengen.load("openspiel:hex(board_size=5)")`, for two players who see everything and take turns.

A state is the list of actions so far, as bytes; OpenSpiel's own states are kept beside it for a while, so that a step
does not replay the game. Every call goes through Python, which is slow: for experiments, oracles and small runs.
docs/games/openspiel.md has the rest.
"""

import difflib
from numbers import Real
from typing import Any

import numpy as np

from tengen._core import LARGEST_TABLE_STATE, Game, GameOptionError, RulesError, UnknownGameError, make_table_game
from tengen.games.rules.results import DRAW, ONGOING

ACTION = np.dtype("<u2")
LONGEST = LARGEST_TABLE_STATE // ACTION.itemsize - 1  # the first number is the count
LARGEST_PLANES = 1_000_000  # numbers; OpenSpiel makes games of any size
KEPT_STATES = 2000


def load(text: str, **options: float) -> Game:
    """The game that OpenSpiel loads from that text, such as `hex(board_size=5)`.

    With `longest_game=200` a game that has not ended after so many actions is a draw.
    """
    spiel_game = _spiel_game(text)
    shape = _planes_shape(spiel_game, text)
    longest = _longest_game(spiel_game, text, options)
    rules = _SpielRules(spiel_game, longest)
    identity = ("identity", list(range(shape[1] * shape[2])), list(range(spiel_game.num_distinct_actions())))
    return make_table_game(
        rules,
        name=spiel_game.get_type().short_name,
        source=f"openspiel:{text}",
        options={"longest_game": longest} if longest < spiel_game.max_game_length() else {},
        board=shape[1:],
        action_layout="dense",
        num_actions=spiel_game.num_distinct_actions(),
        longest_game=longest,
        plane_names=[f"OpenSpiel's plane {plane}" for plane in range(shape[0] - 1)] + ["first player to move"],
        player_names=("player 0", "player 1"),
        symmetries=[identity],
        state_size=(longest + 1) * ACTION.itemsize,
        addresses=None,
    )


def _spiel_game(text: str) -> Any:
    """OpenSpiel's game of that text, if it is one that tengen can play."""
    try:
        import pyspiel
    except ImportError:
        raise UnknownGameError("OpenSpiel is not installed: pip install 'tengen[openspiel]'.") from None
    name = text.partition("(")[0]
    if name not in pyspiel.registered_names():
        close = difflib.get_close_matches(name, pyspiel.registered_names(), n=1)
        hint = f"; did you mean 'openspiel:{close[0]}'?" if close else "."
        raise UnknownGameError(f"OpenSpiel has no game called '{name}'{hint}")
    try:
        game = pyspiel.load_game(text)
    except Exception as error:  # SpielError as a rule, but whatever the C++ standard library throws comes through, too
        raise GameOptionError(f"OpenSpiel can't load '{text}': {' '.join(str(error).split())}") from error
    kind, types = game.get_type(), pyspiel.GameType
    reasons = {
        f"it has {game.num_players()} players": game.num_players() != 2,
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
    """[C, H, W] of the observation tensor and one plane more; any other shape is [n, 1, 1]."""
    shape = game.observation_tensor_shape()
    # Sizes that make no sense must not reach OpenSpiel's states: some end the process.
    most = 2 ** (8 * ACTION.itemsize)
    if min(shape) < 1 or game.max_game_length() < 1 or not 1 <= game.num_distinct_actions() <= most:
        actions = game.num_distinct_actions()
        raise GameOptionError(
            f"tengen can't play OpenSpiel's '{text}': its planes are {shape} and it has {actions} actions."
        )
    if int(np.prod(shape)) > LARGEST_PLANES:
        raise GameOptionError(f"The planes of OpenSpiel's '{text}' are too large: {shape}.")
    planes, height, width = shape if len(shape) == 3 else (int(np.prod(shape)), 1, 1)
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


class _SpielRules:
    """What bind_table_game.cpp calls, as interpreted.py answers it for a rules file."""

    action_text = None  # the number: OpenSpiel's texts depend on the position and hold blanks and commas
    parse_action = None
    set_board = None
    cells = None
    score = None
    reason = None

    def __init__(self, game: Any, longest_game: int) -> None:
        self._game = game
        self._longest = longest_game
        self._empty = bytes((longest_game + 1) * ACTION.itemsize)
        self._kept: dict[bytes, Any] = {}  # by the actions so far; never changed once kept

    def start(self) -> bytes:
        return self._empty

    def play(self, state: bytes, action: int) -> bytes:
        history = np.frombuffer(state, ACTION).copy()
        history[0] += 1
        history[history[0]] = action
        after = history.tobytes()
        try:
            self._keep(after, self._position(state).child(action))
        except Exception as error:
            raise RulesError(f"OpenSpiel's {self._game} failed on action {action}: {error}") from error
        return after

    def to_move(self, state: bytes) -> int:
        """When the game is over: the player who did not move last."""
        position = self._position(state)
        if not position.is_terminal():
            return int(position.current_player())
        return 1 - self._last_mover(state) if _count(state) else 0

    def outcome(self, state: bytes) -> int:
        position = self._position(state)
        if not position.is_terminal():
            return ONGOING if _count(state) < self._longest else DRAW
        first = position.returns()[0]
        return DRAW if first == 0 else 0 if first > 0 else 1

    def legal(self, state: bytes) -> bytes:
        mask = np.zeros(self._game.num_distinct_actions(), np.bool_)
        if self.outcome(state) == ONGOING:
            mask[self._position(state).legal_actions()] = True
        return mask.tobytes()

    def planes(self, state: bytes) -> bytes:
        """What the player to move observes, and who that is."""
        player = self.to_move(state)
        observed = np.array(self._position(state).observation_tensor(player), np.float32)
        shape = self._game.observation_tensor_shape()
        cells = shape[1] * shape[2] if len(shape) == 3 else 1
        return np.concatenate([observed, np.full(cells, player == 0, np.float32)]).tobytes()

    def board_text(self, state: bytes) -> str:
        turn = "game over" if self.outcome(state) != ONGOING else f"player {self.to_move(state)} to move"
        return f"{str(self._position(state)).rstrip()}\n{turn}"

    def explain(self, rule: str, state: bytes, action: int) -> str:
        return f"{rule}() of OpenSpiel's {self._game} failed."

    def _last_mover(self, state: bytes) -> int:
        history = np.frombuffer(state, ACTION).copy()
        history[history[0]] = 0
        history[0] -= 1
        return int(self._position(history.tobytes()).current_player())

    def _position(self, state: bytes) -> Any:
        actions = _actions(state)
        position = self._kept.get(actions)
        if position is None:
            position = self._game.new_initial_state()
            for action in np.frombuffer(actions, ACTION).tolist():
                position.apply_action(action)
            self._keep(state, position)
        return position

    def _keep(self, state: bytes, position: Any) -> None:
        if len(self._kept) >= KEPT_STATES:
            self._kept.pop(next(iter(self._kept)), None)
        self._kept[_actions(state)] = position


def _count(state: bytes) -> int:
    return int.from_bytes(state[: ACTION.itemsize], "little")


def _actions(state: bytes) -> bytes:
    return state[ACTION.itemsize : ACTION.itemsize * (1 + _count(state))]
