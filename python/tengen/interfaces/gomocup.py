"""The Gomocup protocol over an Engine: lets Gomoku programs such as Piskvork load a network as a "brain".

The specification: https://plastovicka.github.io/protocl2en.htm. Every command that asks for an answer gets one; a line
that can't be obeyed is answered with ERROR or UNKNOWN.
"""

from __future__ import annotations

import math
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass

from tengen import Game, State, TengenError, __version__, load
from tengen.engine import Engine, Limit
from tengen.external.gomocup import check_has_brains, point_action, point_text
from tengen.interfaces.lines import Refusal, Thinker, Write, one_line, only_word, whole_number, without_controls
from tengen.interfaces.timekeeping import Clock, Pace, allow, moves_to_come
from tengen.network.checkpoint import NetworkFile, check_fits

__all__ = ["Gomocup"]

LAG = 0.05  # seconds for the way of a move; managers measure the time of the process, its start included
OTHER_MEMORY = 250 << 20  # bytes that the program takes besides its tree
LEAST_TREE = 16 << 20  # bytes
EXACTLY_FIVE = 1  # bits of INFO rule
OTHER_RULES = {4: "renju", 8: "caro"}
OWN, OPPONENT = 1, 2  # the fields of BOARD
ABOUT = f'name="tengen", version="{__version__}", author="the tengen authors", country="any"'


@dataclass
class Times:
    """What INFO says about time, in seconds. The protocol's defaults."""

    turn: float = 30.0  # for one move; 0 asks for an answer as fast as possible
    match: float = math.inf  # for the whole game
    left: float = math.inf  # of it


class Gomocup:
    """One session. `write` gets whole lines, also from another thread; `limit` bounds a move besides the clock."""

    def __init__(self, engine: Engine, network: NetworkFile, limit: Limit, write: Write) -> None:
        check_has_brains(engine.game)
        self._engine = engine
        self._network = network
        self._limit = limit
        self._write = write
        self._thinker = Thinker(engine)
        self._state = engine.state
        self._times = Times()
        self._stones: list[tuple[int, int]] | None = None  # action and field, while BOARD is being sent
        self._problem = ""  # what is wrong with it so far
        self._commands: dict[str, Callable[[list[str]], None]] = {
            "START": self._start,
            "RECTSTART": self._rect_start,
            "RESTART": self._restart,
            "BEGIN": self._begin,
            "TURN": self._turn,
            "BOARD": self._board,
            "SWAP2BOARD": lambda _: self._board([], "the opening rule swap2 is not known"),
            "TAKEBACK": self._take_back,
            "INFO": self._info,
            "ABOUT": lambda _: self._say(ABOUT),
            "STOP": lambda _: None,  # of Yixin's dialect: play at once
            "YXSTOP": lambda _: None,
            "END": lambda _: None,
        }

    def obey(self, line: str) -> bool:
        """Answers one line. Returns False after END."""
        line = without_controls(line)
        command, _, rest = line.partition(" ")
        command = command.upper()
        if command in ("END", "STOP", "YXSTOP"):
            self._thinker.stop()
        self._thinker.wait()
        try:
            if command in self._commands:
                self._stones = None  # a board that was not finished
                self._commands[command](rest.replace(",", " ").split())
            elif self._stones is not None:
                self._stone(line)
            elif line:
                self._say(f"UNKNOWN {one_line(line[:80])}")
        except (Refusal, TengenError) as error:
            self._say(f"ERROR {one_line(str(error))}")
        except Exception:  # a bug of ours must not end the game
            traceback.print_exc()  # to standard error
            self._say("ERROR internal error")
        return command != "END"

    def stop(self) -> None:
        """Ends the search in flight, from any thread: the answer is what it has found by then."""
        self._thinker.interrupt()

    def end(self) -> None:
        """The manager has left: a move that is being searched still gets its answer."""
        self._thinker.wait()

    def _say(self, text: str) -> None:
        self._write(f"{text}\n")

    # --- The board --------------------------------------------------------------------------------------------------

    @property
    def _game(self) -> Game:
        return self._state.game

    def _start(self, words: list[str]) -> None:
        size = whole_number(only_word(words))
        self._new_game(self._game_with(size, size))

    def _rect_start(self, words: list[str]) -> None:
        if len(words) != 2:
            raise Refusal("RECTSTART needs width and height, as in RECTSTART 20,15")
        self._new_game(self._game_with(whole_number(words[0]), whole_number(words[1])))

    def _restart(self, words: list[str]) -> None:
        self._new_game(self._game)

    def _new_game(self, game: Game) -> None:
        self._state = game.initial_state()
        self._times.left = self._times.match
        self._engine.set_position(self._state)
        self._engine.warm_up()
        self._say("OK")

    def _game_with(self, width: int, height: int) -> Game:
        """The game on a board of that size, if the network can play on it."""
        spec = self._game.spec
        if (width, height) == (spec.width, spec.height):
            return self._game
        square = {"size": width} if width == height and spec.source == "gomoku" else None
        sizes = square or ({"m": width, "n": height} if spec.source == "mnk" else None)
        if sizes is None:
            raise Refusal("gomoku has square boards only")
        game = load(spec.source, **{**spec.options, **sizes})
        check_has_brains(game)
        check_fits(self._network, game)
        return game

    def _begin(self, words: list[str]) -> None:
        self._answer()

    def _turn(self, words: list[str]) -> None:
        self._state = self._state.play(self._empty_point(" ".join(words)))
        self._answer()

    def _empty_point(self, text: str) -> int:
        text = text.strip().replace(" ", ",")
        action = point_action(self._game, text)
        if action is None:
            raise Refusal(f"'{text}' is not a point of the board")
        if self._state.outcome is not None:
            raise Refusal("the game is over")
        if not self._state.is_legal(action):
            raise Refusal(f"there is a stone on {text}")
        return action

    def _take_back(self, words: list[str]) -> None:
        moves = self._state.moves
        if not moves or point_action(self._game, ",".join(words)) != moves[-1]:
            raise Refusal("only the last move can be taken back")
        self._state = self._game.state(moves[:-1])
        self._say("OK")

    def _board(self, words: list[str], problem: str = "") -> None:
        self._stones, self._problem = [], problem

    def _stone(self, line: str) -> None:
        """One line between BOARD and DONE. What is wrong is told at the end, as one answer."""
        assert self._stones is not None
        point, _, field = line.rpartition(",")
        action = point_action(self._game, point)
        if line.upper() == "DONE":
            stones, self._stones = self._stones, None
            if self._problem:
                raise Refusal(self._problem)
            self._state = _position(self._game, stones)
            self._answer()
        elif action is not None and field.strip() in (str(OWN), str(OPPONENT)):
            self._stones.append((action, int(field)))
        elif line and not self._problem:
            self._problem = f"'{line[:40]}' is not a stone, such as 7,8,1"

    # --- Our own moves ----------------------------------------------------------------------------------------------

    def _answer(self) -> None:
        """Thinks in the background, plays the move and sends it."""
        if self._state.outcome is not None:
            raise Refusal("the game is over")
        started = time.monotonic()
        self._engine.set_position(self._state)
        is_time = Pace(allow(self._clock(), moves_to_come(self._state), LAG)).watch(self._engine)

        def think() -> None:
            analysis = self._engine.think(
                self._limit, is_enough=lambda seconds: self._thinker.stopping or is_time(seconds)
            )
            self._state = self._state.play(analysis.best_action)
            self._times.left -= time.monotonic() - started  # for managers that do not send it before every move
            rate, simulations = analysis.win_rate, analysis.simulations
            self._say(f"MESSAGE win rate {rate:.1%}, {simulations} simulations, {analysis.seconds:.2f} s")
            self._say(point_text(self._game, analysis.best_action))

        self._thinker.start(think, lambda: self._say("ERROR internal error"))

    def _clock(self) -> Clock:
        return Clock(left=max(0.0, self._times.left), per_move=self._times.turn)

    # --- What the manager says --------------------------------------------------------------------------------------

    def _info(self, words: list[str]) -> None:
        """INFO is never answered; what it says that we don't know is ignored."""
        if len(words) < 2:
            return
        name, value = words[0].lower(), words[1]
        if name in ("timeout_turn", "timeout_match", "time_left", "max_memory", "rule"):
            try:
                self._take_info(name, int(value))
            except ValueError:  # also any TengenError: of a rule that the network can't play
                self._say(f"MESSAGE INFO {name} {one_line(value[:40])} is ignored")

    def _take_info(self, name: str, value: int) -> None:
        seconds = max(0, value) / 1000.0
        if name == "timeout_turn":
            self._times.turn = seconds
        elif name == "timeout_match":
            self._times.match = self._times.left = seconds or math.inf  # 0: no limit
        elif name == "time_left":
            self._times.left = seconds
        elif name == "max_memory" and value > 0:
            self._engine.resize(max(LEAST_TREE, value - OTHER_MEMORY))
        elif name == "rule":
            self._take_rule(value)

    def _take_rule(self, rule: int) -> None:
        for bit, name in OTHER_RULES.items():
            if rule & bit:
                self._say(f"MESSAGE the rules of {name} are not known; free-style Gomoku is played")
        spec = self._game.spec
        exactly = bool(rule & EXACTLY_FIVE)
        if spec.source == "gomoku" and spec.options.get("exactly_five") != exactly:
            game = load(spec.source, **{**spec.options, "exactly_five": exactly})
            self._state = game.state(self._state.moves)


def _position(game: Game, stones: list[tuple[int, int]]) -> State:
    """The position with these stones, and the brain to move. As a game, in the order of the stones of each player."""
    own = [action for action, field in stones if field == OWN]
    others = [action for action, field in stones if field == OPPONENT]
    if len({*own, *others}) != len(stones):
        raise Refusal("two stones are on one point")
    if len(others) - len(own) not in (0, 1):
        raise Refusal(f"after {len(own)} stones of mine and {len(others)} of the opponent's it is not my turn")
    first, second = (own, others) if len(own) == len(others) else (others, own)
    moves: list[int] = []
    for ply in range(len(stones)):
        moves.append((first, second)[ply % 2][ply // 2])
    return game.state(moves)
