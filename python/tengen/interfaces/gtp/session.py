"""The Go Text Protocol, version 2, over an Engine: for Go, Othello, Gomoku and other games of stones on a square board.

Every command gets one answer, and nothing else is written. `lz-analyze` and `kata-analyze` continue to report until the
next line arrives, even an empty one. The specification: https://www.lysator.liu.se/~gunnar/gtp/
"""

from __future__ import annotations

import contextlib
import re
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tengen import Game, SearchParams, State, TengenError, __version__, load
from tengen.engine import Analysis, Engine, Limit
from tengen.external.gtp import komi_of
from tengen.games.sgf import LARGEST_SGF, SgfGame, parse_sgf, write_sgf
from tengen.games.vertices import check_has_vertices, pass_action, vertex_action, vertex_text
from tengen.interfaces.gtp.language import AnalysisWords, analysis_words, clean, katago_words, leela_words, player_of
from tengen.interfaces.gtp.positions import (
    all_stones,
    handicap_points,
    is_go,
    score_of,
    under_komi_of,
    with_room,
    without_end,
)
from tengen.interfaces.lines import Refusal, number, one_line, only_word, whole_number
from tengen.interfaces.timekeeping import Allowance, Clock, Pace, allow, moves_to_come
from tengen.network import NetworkEvaluator
from tengen.network.checkpoint import check_fits

__all__ = ["Gtp"]

SECONDS_BETWEEN_REPORTS = 1.0
HOPELESS_MOVES = 2  # in a row before it resigns; a single low value may be an error of the search
LAG = 0.1  # seconds reserved for the way of a move to the controller

Words = Callable[[Analysis, Game, NDArray[np.float32] | None], str]  # the format of an analysis
LINE = re.compile(r"(?:([0-9]{1,10})(?: +|$))?(\S*) *(.*)")


@dataclass(frozen=True)
class Position:
    """The game so far. `moves` are those that the controller sent; the state may have passes inserted between them."""

    state: State
    moves: tuple[tuple[int, int], ...] = ()  # player, action


class Gtp:
    """One GTP session. `write` is called with whole lines to be sent, possibly from another thread.

    `resign` is a win rate: the engine resigns when its win rate is below it at two of its moves in a row. 0 turns this
    off.
    """

    def __init__(
        self,
        game: Game,
        evaluator: NetworkEvaluator,
        params: SearchParams,
        limit: Limit,
        write: Callable[[str], None],
        *,
        ponder: bool = False,
        resign: float = 0.0,
        most_tree_bytes: int | None = None,
    ) -> None:
        check_has_vertices(game)
        self._evaluator = evaluator
        self._limit = limit
        self._write = write
        self._ponder = ponder
        self._resign = resign
        self._hopeless = [0, 0]  # moves in a row, by player
        self._engine = Engine(without_end(game), evaluator, params, most_tree_bytes=most_tree_bytes)
        self._positions = [Position(self._engine.state)]
        self._settings: tuple[float, float, int] | None = None  # main time, byo-yomi time, byo-yomi stones
        self._clocks: dict[int, Clock] = {}
        self._streaming = False
        self._header = "="  # of the current answer
        self._commands: dict[str, Callable[[list[str]], str | None]] = {
            "protocol_version": lambda _: "2",
            "name": lambda _: "tengen",
            "version": lambda _: __version__,
            "known_command": lambda words: "true" if only_word(words) in self._commands else "false",
            "list_commands": lambda _: "\n".join(self._commands),
            "quit": lambda _: "",
            "boardsize": self._boardsize,
            "clear_board": self._clear_board,
            "komi": self._komi,
            "play": self._play,
            "genmove": self._genmove,
            "kgs-genmove_cleanup": self._genmove,  # it captures what is dead before it passes in any case
            "reg_genmove": self._reg_genmove,
            "undo": self._undo,
            "showboard": lambda _: f"\n{self._state}",
            "final_score": self._final_score,
            "final_status_list": self._final_status_list,
            "time_settings": self._time_settings,
            "time_left": self._time_left,
            "fixed_handicap": self._fixed_handicap,
            "place_free_handicap": self._fixed_handicap,
            "set_free_handicap": self._set_free_handicap,
            "loadsgf": self._loadsgf,
            "printsgf": self._printsgf,
            "lz-analyze": lambda words: self._analyze(words, leela_words),
            "kata-analyze": lambda words: self._analyze(words, katago_words),
            "lz-genmove_analyze": lambda words: self._genmove_analyze(words, leela_words),
            "kata-genmove_analyze": lambda words: self._genmove_analyze(words, katago_words),
        }

    # --- The protocol -----------------------------------------------------------------------------------------------

    def obey(self, line: str) -> bool:
        """Answers one line. Returns False after `quit`."""
        self.end()
        line = clean(line)
        if not line:
            return True
        match = LINE.fullmatch(line)
        assert match is not None
        number, command, rest = match[1] or "", match[2], match[3]
        self._header = f"={number}"
        try:
            if command not in self._commands:
                raise Refusal("unknown command")
            answer = self._commands[command](rest.split())
            if answer is not None:
                self._write(f"={number} {answer}\n\n" if answer else f"={number}\n\n")
        except (Refusal, TengenError) as error:
            self._write(f"?{number} {one_line(str(error))}\n\n")
        except Exception:  # a bug of ours must not end the game
            with contextlib.suppress(OSError):  # nobody may listen there either
                traceback.print_exc()  # to standard error
            self._write(f"?{number} internal error\n\n")
        return command != "quit"

    def stop(self) -> None:
        """Ends the search under way, from any thread: the answer is what it has found by then."""
        self._engine.stop()

    def end(self) -> None:
        """Ends pondering, and a streamed analysis with the empty line that ends every answer."""
        self._engine.stop()
        if self._streaming:
            self._streaming = False
            self._write("\n")

    # --- The board --------------------------------------------------------------------------------------------------

    @property
    def _state(self) -> State:
        return self._positions[-1].state

    @property
    def _game(self) -> Game:
        return self._state.game

    def _boardsize(self, words: list[str]) -> str:
        size = whole_number(only_word(words))
        if size != self._game.spec.width:
            try:
                game = load(self._game.spec.source, **{**self._game.spec.options, "size": size})
                check_has_vertices(game)
                check_fits(self._evaluator.network, game)
            except TengenError:
                raise Refusal("unacceptable size") from None
            self._positions = [Position(game.initial_state())]
        return self._clear_board([])

    def _clear_board(self, words: list[str]) -> str:
        self._hopeless = [0, 0]
        self._positions = [Position(self._game.initial_state())]
        if self._settings is not None:
            self._start_clocks()
        return ""

    def _komi(self, words: list[str]) -> str:
        komi = number(only_word(words))
        if komi_of(self._game) is None:
            return ""  # a game without komi; controllers send the command anyway
        try:
            game = load(self._game.spec.source, **{**self._game.spec.options, "komi": komi})
        except TengenError:
            raise Refusal("unacceptable komi") from None
        self._positions = [replace(position, state=under_komi_of(position.state, game)) for position in self._positions]
        return ""

    def _play(self, words: list[str]) -> str:
        if len(words) != 2:
            raise Refusal("syntax error")
        player, action = player_of(words[0]), vertex_action(self._game, words[1])
        if action is None:
            raise Refusal("illegal move" if words[1].lower() == "pass" else "syntax error")
        self._make(player, action)
        return ""

    def _make(self, player: int, action: int) -> None:
        moves = (*self._positions[-1].moves, (player, action))
        passes, over = action == pass_action(self._game), self._state.outcome is not None and is_go(self._game)
        if passes and (over or (self._state.to_move != player and self._state.outcome is None)):
            self._positions.append(Position(self._state, moves))  # a pass out of turn, or one too many, changes nothing
            return
        state = self._resumed(player) if over else self._with_turn(player)
        if not state.is_legal(action):
            raise Refusal("illegal move")
        self._positions.append(Position(state.play(action), moves))

    def _resumed(self, player: int) -> State:
        """As if nobody had passed at the end: players may go on, to settle which stones are dead."""
        board = str(self._state.cells)
        for state in reversed([position.state for position in self._positions]):
            if state.outcome is None and state.to_move == player and str(state.cells) == board:
                return state
        return self._state

    def _with_turn(self, player: int) -> State:
        """The position with that player to move. A pass is inserted between two moves of one player."""
        state = with_room(self._state)
        if state.to_move == player or state.outcome is not None:
            return state
        skip = pass_action(state.game)
        if skip is not None and self._positions[-1].moves[-1:] == ((player, skip),):
            return self._positions[-2].state  # the inserted pass would be the second and end the game
        if skip is None or not state.is_legal(skip):
            raise Refusal("illegal move")
        return state.play(skip)

    def _undo(self, words: list[str]) -> str:
        if len(self._positions) == 1:
            raise Refusal("cannot undo")
        self._positions.pop()
        return ""

    def _final_score(self, words: list[str]) -> str:
        score = score_of(self._state)
        if score is None:
            raise Refusal("the game is not over")
        return "0" if score == 0 else f"{'B' if score > 0 else 'W'}+{abs(score):g}"

    def _final_status_list(self, words: list[str]) -> str:
        status = only_word(words)
        if status not in ("alive", "dead", "seki"):
            raise Refusal("syntax error")
        return all_stones(self._state) if status == "alive" else ""

    # --- Our own moves ---------------------------------------------------------------------------------------------

    def _genmove(self, words: list[str]) -> str:
        player = player_of(only_word(words))
        started = time.monotonic()
        answer = self._answer_move(player, self._think(player))
        self._spend(player, time.monotonic() - started)
        self._ponder_if_asked()
        return answer

    def _reg_genmove(self, words: list[str]) -> str:
        analysis = self._think(player_of(only_word(words)))
        return vertex_text(self._game, analysis.best_action) if analysis.moves else self._nothing_to_play()

    def _genmove_analyze(self, words: list[str], put: Words) -> None:
        asked = analysis_words(words)
        player = self._state.to_move if asked.player is None else asked.player
        if self._state.outcome is not None:
            self._nothing_to_play()
        report = self._reporter(put, asked, self._with_turn(player))
        self._write(f"{self._header}\n")
        try:
            analysis = self._think(player, report, asked.seconds)
            report(analysis)
            self._write(f"play {self._answer_move(player, analysis)}\n")
        finally:
            self._write("\n")
        self._ponder_if_asked()

    def _answer_move(self, player: int, analysis: Analysis) -> str:
        if not analysis.moves:
            return self._nothing_to_play()
        self._hopeless[player] = self._hopeless[player] + 1 if analysis.win_rate < self._resign else 0
        if self._hopeless[player] >= HOPELESS_MOVES:
            return "resign"
        self._make(player, analysis.best_action)
        return vertex_text(self._game, analysis.best_action)

    def _nothing_to_play(self) -> str:
        if pass_action(self._game) is None:
            raise Refusal("the game is over")
        return "pass"

    def _think(
        self, player: int, on_analysis: Callable[[Analysis], None] | None = None, every: float = SECONDS_BETWEEN_REPORTS
    ) -> Analysis:
        state = self._with_turn(player)
        self._engine.set_position(state)
        allowance = self._allowance(player)
        is_enough = None if allowance is None else Pace(allowance).watch(self._engine)
        return self._engine.think(self._limit, on_analysis, every, is_enough, self._without_pass(state))

    def _without_pass(self, state: State) -> tuple[int, ...]:
        """What to search after a pass that we have inserted: a second pass would end a game that goes on. Else all."""
        inserted = len(state.moves) > len(self._state.moves)
        return tuple(set(state.legal_actions) - {pass_action(state.game)}) if inserted else ()

    def _ponder_if_asked(self) -> None:
        if self._ponder:
            self._engine.set_position(self._state)
            self._engine.ponder()

    def _analyze(self, words: list[str], put: Words) -> None:
        """Streams analyses until the next line arrives."""
        asked = analysis_words(words)
        state = self._state if asked.player is None else self._with_turn(asked.player)
        report = self._reporter(put, asked, state)
        self._engine.set_position(state)
        self._write(f"{self._header}\n")
        self._streaming = True
        self._engine.ponder(report, asked.seconds, self._without_pass(state))

    def _reporter(self, put: Words, asked: AnalysisWords, state: State) -> Callable[[Analysis], None]:
        shown = asked.ownership and state.outcome is None
        owned = self._evaluator.ownership(state.planes()[None]) if shown else None  # [1, H, W]

        def report(found: Analysis) -> None:
            if found.moves and found.moves[0].visits:
                self._write(f"{put(found, found.state.game, None if owned is None else owned[0])}\n")

        return report

    # --- Time -------------------------------------------------------------------------------------------------------

    def _time_settings(self, words: list[str]) -> str:
        if len(words) != 3:
            raise Refusal("syntax error")
        main, byo_yomi, stones = number(words[0]), number(words[1]), whole_number(words[2])
        if main < 0 or byo_yomi < 0:
            raise Refusal("syntax error")
        unlimited = byo_yomi > 0 and stones == 0
        self._settings = None if unlimited else (main, byo_yomi, stones)
        self._clocks = {}
        if self._settings is not None:
            self._start_clocks()
        return ""

    def _start_clocks(self) -> None:
        assert self._settings is not None
        main, byo_yomi, stones = self._settings
        start = Clock(main) if main > 0 else Clock(byo_yomi, moves_to_go=stones)
        self._clocks = {0: start, 1: start}

    def _time_left(self, words: list[str]) -> str:
        if len(words) != 3:
            raise Refusal("syntax error")
        player, seconds, stones = player_of(words[0]), number(words[1]), whole_number(words[2])
        self._clocks[player] = Clock(max(0.0, seconds), moves_to_go=stones)
        return ""

    def _allowance(self, player: int) -> Allowance | None:
        """The time for a move; None without a clock."""
        if player not in self._clocks:
            return None
        return allow(self._clocks[player], moves_to_come(self._state), LAG)

    def _spend(self, player: int, seconds: float) -> None:
        """Updates the clock, for controllers that do not send time_left."""
        if player not in self._clocks or self._settings is None:
            return
        clock, (_, byo_yomi, stones) = self._clocks[player], self._settings
        clock = replace(clock, left=clock.left - seconds, moves_to_go=max(0, clock.moves_to_go - 1))
        period_over = self._clocks[player].moves_to_go == 1 or (clock.moves_to_go == 0 and clock.left <= 0)
        self._clocks[player] = Clock(byo_yomi, moves_to_go=stones) if period_over and stones else clock

    # --- Handicap ---------------------------------------------------------------------------------------------------

    def _fixed_handicap(self, words: list[str]) -> str:
        points = handicap_points(self._game.spec.width, whole_number(only_word(words)))
        if not points or not is_go(self._game):
            raise Refusal("invalid number of stones")
        return self._put_handicap(points)

    def _set_free_handicap(self, words: list[str]) -> str:
        actions = [vertex_action(self._game, word) for word in words]
        passes = pass_action(self._game)
        points = [action for action in actions if action is not None and action != passes]
        if len(points) < 2 or len(points) != len(words) or len(set(points)) != len(points):
            raise Refusal("bad vertex list")
        if not is_go(self._game):
            raise Refusal("handicap is for Go")
        self._put_handicap(points)
        return ""

    def _put_handicap(self, points: list[int]) -> str:
        if self._positions[-1].moves:
            raise Refusal("board not empty")
        before = list(self._positions)
        try:
            for point in points:
                self._make(0, point)
        except Refusal:
            self._positions = before
            raise Refusal("bad vertex list") from None
        self._positions = [*before, self._positions[-1]]  # one undo takes all of them back
        return " ".join(vertex_text(self._game, point) for point in points)

    # --- SGF --------------------------------------------------------------------------------------------------------

    def _loadsgf(self, words: list[str]) -> str:
        if len(words) not in (1, 2):
            raise Refusal("syntax error")
        before = self._positions
        try:
            path = Path(words[0])
            if not path.is_file() or path.stat().st_size > LARGEST_SGF:
                raise Refusal("cannot load file")
            read = parse_sgf(path.read_bytes(), like=self._game)
            if read.game.spec.source != self._game.spec.source:
                raise Refusal("cannot load file")
            check_fits(self._evaluator.network, read.game)
            self._hopeless = [0, 0]
            self._positions = [Position(read.start)]
            for player, action in read.moves if len(words) == 1 else read.moves[: max(0, whole_number(words[1]) - 1)]:
                self._make(player, action)
        except (Refusal, OSError, ValueError):  # ValueError: any TengenError too
            self._positions = before
            raise Refusal("cannot load file") from None
        return ""

    def _printsgf(self, words: list[str]) -> str:
        text = write_sgf(SgfGame(self._positions[0].state, self._positions[-1].moves))
        if not words:
            return text
        try:
            Path(words[0]).write_text(text + "\n")
        except (OSError, ValueError):
            raise Refusal("cannot write file") from None
        return ""
