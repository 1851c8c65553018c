"""A conversation in UCI or USI over an Engine.

The search runs in a thread of its own: `stop`, `ponderhit`, `isready` and `quit` are obeyed while it thinks, and any
other command that needs the engine ends it first. A line that can't be obeyed is answered with `info string` and a
reason, which every program may ignore.
"""

from __future__ import annotations

import math
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tengen import Game, SearchParams, State, TengenError, __version__, load
from tengen.engine import Analysis, Engine, Limit
from tengen.games.lines import line_texts
from tengen.interfaces.lines import Refusal, Thinker, Write, one_line, without_controls
from tengen.interfaces.skill import FULL, choose_at, level_of_elo, simulations_at
from tengen.interfaces.timekeeping import Allowance, Delays, Pace, allow, moves_to_come
from tengen.interfaces.uci.dialect import USI, Dialect
from tengen.interfaces.uci.info import info_lines
from tengen.interfaces.uci.limits import Go, parse_go
from tengen.interfaces.uci.options import Options, standard_options
from tengen.interfaces.uci.positions import parse_position, revived
from tengen.network import Evaluator

__all__ = ["Brain", "Uci"]

SECONDS_BETWEEN_REPORTS = 0.5
MEGABYTES = 512  # of the tree, unless the option says more or less
MOST_LINES = 256  # of MultiPV
STANDARD_960 = 518  # the number of the usual start position in Chess960


@dataclass(frozen=True)
class Brain:
    """What plays: a network, or play-outs. `evaluator_of` makes its evaluator for a number of threads."""

    name: str
    game: Game
    params: SearchParams
    evaluator_of: Callable[[int], Evaluator | None]
    simulations: int = 0  # of a move; 0: no bound
    seconds: float | None = None  # of a move


class Uci:
    """One session in one of the two dialects. `write` gets whole lines, also from another thread."""

    def __init__(self, brain: Brain, dialect: Dialect, write: Write, *, seed: int = 0) -> None:
        spec = brain.game.spec
        self._brain = brain
        self._dialect = dialect
        self._write = write
        self._rng = np.random.default_rng(seed)  # for play below full strength
        chess960 = spec.options.get("chess960")
        self._options = Options(
            standard_options(
                simulations=brain.simulations,
                most_lines=min(spec.most_legal, MOST_LINES),
                megabytes=MEGABYTES,
                chess960=None if chess960 is None else chess960 >= 0,
            ),
            dialect,
        )
        threads = self._options.number("Threads")
        self._engine = Engine(brain.game, brain.evaluator_of(threads), brain.params, most_tree_bytes=MEGABYTES << 20)
        self._thinker = Thinker(self._engine)
        self._state = brain.game.initial_state()
        self._warm = False
        self._hit = threading.Event()  # the search may answer: it is not pondering, and not infinite
        self._has_end = False  # the search ends in any case, once it may answer
        self._delays = Delays()
        self._by_clock = False  # the search is of a move in a game by the clock: no analysis
        self._clock_runs = False  # and it is not pondering
        self._clock_started = 0.0  # when the search began, or when pondering became thinking
        self._worked_before = 0.0  # seconds of processor time of this process until then
        self._last_by_clock: State | None = None  # the position of the last move for which a clock ran
        self._commands: dict[str, Callable[[list[str]], None]] = {
            dialect.hello: self._hello,
            "isready": self._is_ready,
            "setoption": self._set_option,
            dialect.new_game: self._new_game,
            "position": self._position,
            "go": self._go,
            "stop": self._stop,
            "ponderhit": self._ponder_hit,
            "gameover": self._stop,
            "quit": self._stop,
            "debug": lambda _: None,
            "register": lambda _: None,
            "d": lambda _: self._say(f"info string {one_line(self._state.position_text)}"),
        }

    def obey(self, line: str) -> bool:
        """Answers one line. Returns False after `quit`."""
        words = without_controls(line).split()
        # Unknown words at the beginning are skipped, as the protocol wants it.
        at = next((i for i, word in enumerate(words) if word in self._commands), None)
        if at is None:
            if words:
                self._say(f"info string unknown command: {one_line(' '.join(words)[:80])}")
            return True
        try:
            self._commands[words[at]](words[at + 1 :])
        except (Refusal, TengenError) as error:
            self._say(f"info string {one_line(str(error))}")
        except Exception:  # a bug of ours must not end the game
            traceback.print_exc()  # to standard error
            self._say("info string internal error")
        return words[at] != "quit"

    def stop(self) -> None:
        """Ends the search in flight, from any thread: the answer is what it has found by then."""
        self._hit.set()
        self._thinker.interrupt()

    def end(self) -> None:
        """The other side has left: a search that ends by itself is finished, any other is ended."""
        if not (self._hit.is_set() and self._has_end):
            self._stop([])
        self._thinker.wait()

    def _say(self, *lines: str) -> None:
        self._write("".join(f"{line}\n" for line in lines))

    # --- Set-up -----------------------------------------------------------------------------------------------------

    def _hello(self, words: list[str]) -> None:
        name = f"id name tengen {__version__} {self._brain.name}"
        self._say(name, "id author the tengen authors", *self._options.lines(), f"{self._dialect.hello}ok")

    def _is_ready(self, words: list[str]) -> None:
        try:
            if not self._warm and not self._thinker.busy:
                self._warm = True
                self._engine.warm_up()
        finally:  # whoever asked waits for it in any case
            self._say("readyok")

    def _set_option(self, words: list[str]) -> None:
        self._stop([])
        name = self._options.set(words)
        if name == "Threads":
            self._engine.use(self._brain.evaluator_of(self._options.number(name)))
            self._warm = False
        elif name in ("Hash", "Clear Hash"):
            self._engine.resize(self._options.number("Hash") << 20)
        elif name == "UCI_Chess960":
            self._change_game(chess960=STANDARD_960 if self._options.is_on(name) else -1)

    def _change_game(self, **options: int) -> None:
        spec = self._state.game.spec
        self._state = load(spec.source, **{**spec.options, **options}).initial_state()

    def _new_game(self, words: list[str]) -> None:
        self._stop([])
        self._last_by_clock = None
        self._state = self._state.game.initial_state()
        self._engine.new_game(self._state.game)

    def _position(self, words: list[str]) -> None:
        self._stop([])
        self._state = parse_position(words, self._state.game, self._dialect)

    # --- The search -------------------------------------------------------------------------------------------------

    def _go(self, words: list[str]) -> None:
        self._stop([])
        state = revived(self._state)
        go = parse_go(words, self._dialect, state.to_move)
        for problem in go.problems:
            self._say(f"info string {one_line(problem)}")
        only = _actions(state, go.search_moves)
        self._by_clock = go.has_clock and not go.infinite
        self._start_clock(runs=self._by_clock and not go.ponder)
        if self._by_clock and self._last_by_clock is not None and state.moves[:-2] == self._last_by_clock.moves:
            self._delays.hear(go.clock)
        limit = self._limit(go)
        is_limited = not go.infinite and (limit != Limit() or self._brain.seconds is not None)
        self._has_end = go.has_end or is_limited or state.outcome is not None
        self._hit.clear()
        if (go.is_bounded or is_limited or (state.outcome is not None and not go.infinite)) and not go.ponder:
            self._hit.set()
        if state.outcome is not None:
            self._thinker.start(lambda: self._answer_nothing(go, state), lambda: None)
            return
        self._engine.set_position(state)
        any_move = state.action_text(only[0] if only else state.legal_actions[0])
        self._thinker.start(
            lambda: self._think(go, limit, state, only),
            lambda: self._say("info string internal error", f"bestmove {any_move}"),
        )

    def _limit(self, go: Go) -> Limit:
        """The bounds that no clock knows of; those of a level and of the command line hold for every move."""
        if go.infinite:
            return Limit()
        weak = simulations_at(self._level) if self._level < FULL else None
        bounds = [go.most_simulations, self._options.number("Simulations") or None, weak]
        return Limit(min((bound for bound in bounds if bound is not None), default=None), None)

    @property
    def _level(self) -> float:
        level = float(self._options.number("Skill Level"))
        if self._options.is_on("UCI_LimitStrength"):
            level = min(level, level_of_elo(self._options.number("UCI_Elo")))
        return level

    def _think(self, go: Go, limit: Limit, state: State, only: tuple[int, ...]) -> None:
        """Runs in the thread of the search: thinks, reports, and answers when it may."""
        draw = self._engine.first_sight().draw if self._options.is_on("UCI_ShowWDL") else None
        lines, deepest = self._options.number("MultiPV"), 1

        def report(analysis: Analysis) -> None:
            nonlocal deepest
            if analysis.moves:
                deepest = max(deepest, len(analysis.moves[0].line))
                fullness = self._engine.tree_bytes / self._engine.most_tree_bytes
                said = info_lines(
                    analysis, self._dialect, lines=lines, fullness=fullness, draw=draw, least_depth=deepest
                )
                self._say(*said)

        overhead = self._options.number("Move Overhead") / 1000.0
        allowance = allow(go.clock, moves_to_come(state), overhead, self._delays)
        is_time = self._timer(go, Pace(allowance))
        analysis = self._engine.think(
            limit, report, SECONDS_BETWEEN_REPORTS, lambda _: self._thinker.stopping or is_time(), only
        )
        if not self._hit.is_set():  # pondering and infinite searches answer only when they are told to
            report(analysis)
            self._hit.wait()
        report(analysis)  # programs forget what was said before `ponderhit`
        if go.wants_mate and self._dialect is USI:
            self._answer_mate(analysis)
        else:
            self._answer(analysis)
        if self._clock_runs:
            took, worked = time.monotonic() - self._clock_started, time.process_time() - self._worked_before
            self._delays.note(took, worked, allowance, go.clock)
            self._last_by_clock = state

    def _timer(self, go: Go, pace: Pace) -> Callable[[], bool]:
        """Whether the time for the move is over, asked after every batch. It begins when pondering becomes thinking."""
        overhead = self._options.number("Move Overhead") / 1000.0
        given = math.inf if go.move_time is None else max(0.0, go.move_time - overhead)
        most = min(given, self._brain.seconds or math.inf)
        fixed = Pace(Allowance(most, most))
        depth = go.depth

        def is_time() -> bool:
            if not self._hit.is_set() or go.infinite:
                return False
            seconds = time.monotonic() - self._clock_started
            if fixed.must_stop(seconds):
                return True
            if depth is not None and self._engine.line_length >= depth:
                return True
            return go.has_clock and pace.is_enough(seconds, self._engine.standing())

        return is_time

    def _answer(self, analysis: Analysis) -> None:
        action = analysis.best_action
        if self._level < FULL:
            action = choose_at(self._level, analysis, self._engine.first_sight().priors, self._rng)
        line = next((move.line for move in analysis.moves if move.action == action), (action,))
        best, *reply = line_texts(analysis.state, line[:2])
        self._say(f"bestmove {best} ponder {reply[0]}" if reply else f"bestmove {best}")

    def _answer_nothing(self, go: Go, state: State) -> None:
        """The game is over. Like every answer, this one waits for the end of pondering and of an infinite search."""
        assert state.outcome is not None
        is_draw = state.outcome.value_for(state.to_move) == 0.0
        self._say(f"info depth 0 score {'cp 0' if is_draw else 'mate 0'}")
        self._hit.wait()
        wants_mate = go.wants_mate and self._dialect is USI
        self._say("checkmate nomate" if wants_mate else f"bestmove {self._dialect.nothing_to_play}")

    def _answer_mate(self, analysis: Analysis) -> None:
        """What USI wants to hear after `go mate`: the moves, that there is no mate, or that the time was too short."""
        proven = analysis.proven.value_for(analysis.state.to_move) if analysis.proven is not None else None
        if proven == 1.0:
            self._say(f"checkmate {' '.join(line_texts(analysis.state, analysis.moves[0].line))}")
        else:
            self._say("checkmate timeout" if proven is None else "checkmate nomate")

    def _start_clock(self, *, runs: bool) -> None:
        self._clock_started, self._worked_before = time.monotonic(), time.process_time()
        self._clock_runs = runs

    def _ponder_hit(self, words: list[str]) -> None:
        if not self._hit.is_set():
            self._start_clock(runs=self._by_clock)
            self._hit.set()

    def _stop(self, words: list[str]) -> None:
        """Ends the search, which then answers."""
        self._thinker.stopping = True
        self._hit.set()
        self._thinker.stop()


def _actions(state: State, texts: tuple[str, ...]) -> tuple[int, ...]:
    """The legal ones among these moves."""
    actions = {state.parse_action(text) for text in texts}
    return tuple(action for action in state.legal_actions if action in actions)
