"""Searches one game on all cores. It has no protocol of its own: GTP, the web page and `Agent` are built on it.

The tree is kept from move to move. `think` returns when its limit is reached; `stop`, from any thread, ends it after
the batch in flight (some milliseconds). `ponder` searches in the background until the next call.

    engine = Engine(game, evaluator)
    engine.play("d1")
    analysis = engine.think(Limit(simulations=400))
    engine.play(analysis.best_action)
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace

import numpy as np

from tengen._core import ArgumentError, Forest, Game, InUseError, Outcome, SearchParams, State, TengenError, TreeArrays
from tengen.base.memory import memory_there
from tengen.games.lines import line_texts
from tengen.network import Evaluator, UniformEvaluator, evaluate_states
from tengen.players import MOST_SIMULATIONS, leaves_at_once
from tengen.search import evaluate_leaves

__all__ = [
    "Analysis",
    "AnalysisCallback",
    "Engine",
    "EngineError",
    "FirstSight",
    "Limit",
    "MoveAnalysis",
    "Standing",
    "Stint",
]

MOST_TREE_BYTES = 1 << 30  # by default, for pondering overnight; a node takes 36 bytes, an edge 6
MOST_COPIED_NODES = 50_000  # lines of all moves need a copy of the tree; in a larger one only the best move has a line
LONGEST_LINE = 30  # actions
MUCH, CLEARLY = 0.1, 0.01  # of Standing.settled: a share of the visits of the best move, and a difference of values


class EngineError(TengenError):
    """A request that is invalid in the current position."""


@dataclass(frozen=True)
class Limit:
    """When a search stops: at the first limit that it reaches. Without limits it runs until `Engine.stop`."""

    simulations: int | None = None  # of this search; visits that the tree already has are not counted
    seconds: float | None = None

    def __post_init__(self) -> None:
        if self.simulations is not None and not 0 <= self.simulations <= MOST_SIMULATIONS:
            raise ArgumentError(f"A search has 0 to {MOST_SIMULATIONS} simulations, not {self.simulations}.")
        if self.seconds is not None and not self.seconds >= 0.0:
            raise ArgumentError(f"A search takes 0 seconds or more, not {self.seconds}.")


@dataclass(frozen=True)
class MoveAnalysis:
    """One move, from the point of view of the player who would make it."""

    action: int
    text: str
    visits: int
    value: float  # in [-1, 1]
    prior: float  # of the network, before any search
    line: tuple[int, ...]  # the moves that the search expects, this move first

    @property
    def win_rate(self) -> float:
        """From 0 to 1; a draw counts as half a win."""
        return (1.0 + self.value) / 2.0


@dataclass(frozen=True)
class Analysis:
    """What the search knows about a position. Values are for the player to move."""

    state: State
    moves: tuple[MoveAnalysis, ...]  # the best move first, the others by visits; unvisited moves are left out
    value: float  # in [-1, 1]
    simulations: int  # of this search
    seconds: float
    proven: Outcome | None  # the result under best play, if it is known for certain
    distance: int  # plies to the end in the line that proves it
    stopped: str  # "simulations", "proven", "node cap", "game over", or "searching" if it can be continued

    @property
    def best_action(self) -> int:
        """The action to play. EngineError when the game is over."""
        if not self.moves:
            raise EngineError("The game is over: there is nothing to play.")
        return self.moves[0].action

    @property
    def win_rate(self) -> float:
        """From 0 to 1; a draw counts as half a win."""
        return (1.0 + self.value) / 2.0

    def line_text(self, move: MoveAnalysis) -> str:
        """The line of a move as text."""
        return " ".join(line_texts(self.state, move.line))

    def __str__(self) -> str:
        rows = [f"{self.win_rate:.1%} after {self.simulations} simulations in {self.seconds:.2f} s"]
        rows += [
            f"{move.text:>5} {move.visits:>7} visits  {move.win_rate:6.1%}  prior {move.prior:6.1%}  "
            f"{self.line_text(move)}"
            for move in self.moves
        ]
        return "\n".join(rows)


AnalysisCallback = Callable[[Analysis], None]


@dataclass(frozen=True)
class Stint:
    """What one part of a longer search did."""

    simulations: int
    seconds: float
    stopped: str  # as in Analysis


@dataclass(frozen=True)
class Standing:
    """How the moves of a search stand, in a few numbers: for whoever decides whether it should go on."""

    simulations: int  # of this search
    choices: int  # legal actions
    lead: int  # visits of the best move less those of the second
    settled: bool  # no other move that was looked at for long has a clearly higher value than the most visited one


@dataclass(frozen=True)
class FirstSight:
    """The evaluation of a position without search. Probabilities are for the player to move."""

    win: float
    draw: float
    loss: float
    priors: dict[int, float]  # of all legal actions


def _tree_bound(most_bytes: int) -> int:
    """So much, but at most a quarter of the memory there is."""
    return min(most_bytes, memory_there().bytes // 4)


class Engine:
    """A position, its tree and an evaluator.

    Any thread may call any method. Calls that move or search take turns, and a move ends the search of another thread;
    an Analysis says which `state` it is about. A thread that must not be interrupted has an engine of its own, or uses
    an Agent. `on_analysis` may read the engine and call stop(), but neither move nor search.

    `params` are those of the search, except `params.simulations`, which is ignored: a Limit says when to stop. The
    evaluator must fit the game's planes and actions; without one the search uses uniform priors and values of 0. The
    tree stays under `most_tree_bytes`; if nothing is said, under 1 GiB and under a quarter of the memory there is.
    """

    def __init__(
        self,
        game: Game,
        evaluator: Evaluator | None = None,
        params: SearchParams | None = None,
        *,
        seed: int = 0,
        most_tree_bytes: int | None = None,
    ) -> None:
        self._evaluator = evaluator
        self._params = params or SearchParams(leaves_per_batch=leaves_at_once(MOST_SIMULATIONS))
        self._seed = seed
        self._most_tree_bytes = _tree_bound(most_tree_bytes or MOST_TREE_BYTES)
        self._board = threading.RLock()  # held during a search or a move
        self._searcher: int | None = None  # the thread that searches now
        self._only: tuple[int, ...] = ()  # the actions that the search of this position considers; all if empty
        self._stops = 0  # calls of stop(); a search ends when the number has grown
        self._background = threading.RLock()  # held while pondering is started or awaited
        self._pondering: threading.Thread | None = None
        self._tree_bytes = 0  # when it was last seen
        self._forest, self._evaluate = self._made_for(game)
        self._states = [game.initial_state()]

    @property
    def state(self) -> State:
        """The position on the board."""
        return self._states[-1]

    @property
    def game(self) -> Game:
        return self.state.game

    @property
    def tree_bytes(self) -> int:
        """Memory that the tree takes; during a search, as it was some batches ago."""
        with suppress(InUseError):
            self._tree_bytes = self._forest.bytes
        return self._tree_bytes

    @property
    def most_tree_bytes(self) -> int:
        """Upper bound of the memory that the tree takes."""
        return self._most_tree_bytes

    def resize(self, most_tree_bytes: int) -> None:
        """Sets another bound of memory. The tree is discarded, the position stays."""
        self.stop()
        with self._alone():
            self._most_tree_bytes = _tree_bound(most_tree_bytes)
            self._renew()

    def use(self, evaluator: Evaluator | None) -> None:
        """Sets another evaluator, for this game. The tree is discarded, the position stays."""
        self.stop()
        with self._alone():
            self._evaluator = evaluator
            self._renew()

    def _renew(self) -> None:
        """Another tree and evaluator for the position on the board."""
        self._forest, self._evaluate = self._made_for(self.game)
        self._forest.set_root(0, self.state, self._seed)
        self._only = ()

    def new_game(self, game: Game | None = None) -> None:
        """Sets the initial position of this game, or of another game if given."""
        self.set_position((game or self.game).initial_state())

    def set_position(self, state: State) -> None:
        """Sets any position, also of another game. If it follows from the one on the board, the tree is kept."""
        self.stop()
        with self._alone():
            if state == self.state and state.moves == self.state.moves:
                return
            way = self._way_to(state)
            if way is not None:
                for action in way:
                    self._advance(action)
                return
            self._begin_at(state)

    def play(self, action: int | str) -> State:
        """Plays a move for the player to move, and keeps the subtree of that move."""
        self.stop()
        with self._alone():
            self._advance(self.state.play(action).moves[-1])
            return self.state

    def undo(self) -> State:
        """Takes the last move back."""
        self.stop()
        with self._alone():
            moves = self.state.moves
            if len(self._states) > 1:
                earlier = self._states[:-1]
            elif moves and self.game.state(moves) == self.state:
                earlier = [self.game.state(moves[:-1])]
            else:
                raise EngineError("There is no move to take back.")
            self._forest.set_root(0, earlier[-1], self._seed)
            self._states = earlier
            self._only = ()
            return self.state

    def think(
        self,
        limit: Limit | None = None,
        on_analysis: AnalysisCallback | None = None,
        every: float = 1.0,
        is_enough: Callable[[float], bool] | None = None,
        only: Sequence[int] = (),
    ) -> Analysis:
        """Searches the position in this thread, and calls `on_analysis` from it every `every` seconds.

        The root is always evaluated, so there is a best move even if the search is stopped at once. `is_enough` is
        called after each batch with the seconds so far, and ends the search by returning True. If `only` names legal
        actions, no others are considered.
        """
        self._end_pondering()
        stops = self._stops
        with self._alone():
            self._restrict(only)
            return self._search(limit or Limit(), stops, on_analysis, every, is_enough)

    @property
    def line_length(self) -> int:
        """Plies of the line that the search expects. Also for `is_enough`."""
        with self._board:
            return len(self._forest.result(0).line)

    def warm_up(self) -> None:
        """Evaluates batches of every size: the first of a size may take a hundred times longer than later ones."""
        self._end_pondering()
        with self._alone():
            rows = 1
            while rows <= self._params.leaves_per_batch:
                evaluate_states(self._evaluate, [self.state] * rows)
                rows *= 2

    def standing(self) -> Standing:
        """How the moves of the search stand now: cheap enough for `is_enough`, after every batch."""
        with self._board:
            visits, _, q, _ = (array[0] for array in self._forest.root_arrays())  # each [A]
            best = int(visits.argmax())
            others = np.delete(visits, best)
            return Standing(
                simulations=self._forest.result(0).simulations,
                choices=len(self.state.legal_actions),
                lead=int(visits[best] - others.max(initial=0)),
                settled=bool(q[visits >= MUCH * visits[best]].max() <= q[best] + CLEARLY),
            )

    def work(self, limit: Limit, pause_after: int | None = None) -> Stint:
        """Runs one part (a stint) of a search and returns no analysis: for callers that run many searches in turns.

        `limit` ends the search as in `think`. The stint also ends after `pause_after` simulations, when the batch in
        flight is done. A search in stints gives the same result as one without pauses, because no batch is cut in two;
        `analysis` returns what is known so far.
        """
        self._end_pondering()
        stops = self._stops

        def is_enough(seconds: float) -> bool:
            return pause_after is not None and self._forest.result(0).simulations >= pause_after

        with self._alone():
            return self._run(limit, stops, is_enough)

    def analysis(self, simulations: int = 0, seconds: float = 0.0) -> Analysis:
        """What the tree knows of the position. The caller gives the simulations and seconds of all stints so far."""
        with self._board:
            return replace(self._analysis(seconds), simulations=simulations)

    def first_sight(self) -> FirstSight:
        """The evaluation of the position without search. EngineError when the game is over."""
        with self._alone():
            if self.state.outcome is not None:
                raise EngineError("The game is over: there is nothing to evaluate.")
            said = evaluate_states(self._evaluate, [self.state]).values[0]  # a number, or win, draw, loss [3]
            win, draw, loss = said if said.ndim else ((1.0 + said) / 2.0, 0.0, (1.0 - said) / 2.0)
            if not self._forest.root_arrays()[3].any():  # the root has not been evaluated yet
                self._run(Limit(simulations=0), self._stops)
            prior = self._forest.root_arrays()[3][0]  # [A]
            priors = {action: float(prior[action]) for action in self.state.legal_actions}
            return FirstSight(float(win), float(draw), float(loss), priors)

    def ponder(self, on_analysis: AnalysisCallback | None = None, every: float = 1.0, only: Sequence[int] = ()) -> None:
        """Searches in the background until stop() or any other call. `on_analysis` is called from that thread.

        A search that ends by itself, as one of a proven position does, is reported once more at its end. `only` as in
        `think`.
        """
        self._refuse_callback()

        def run() -> None:
            with self._board:
                self._restrict(only)
                found = self._search(Limit(), stops, on_analysis, every, None)
                if on_analysis is not None and self._stops == stops:
                    on_analysis(found)

        with self._background:
            self._end_pondering()
            if self.state.outcome is not None:
                return
            stops = self._stops
            self._pondering = threading.Thread(target=run, name="tengen-ponder", daemon=True)
            self._pondering.start()

    def stop(self) -> None:
        """Ends the search. think() returns with what it has; pondering has ended when this returns.

        Called by `on_analysis`, it ends the search after that call.
        """
        self._stops += 1
        if self._searcher == threading.get_ident():
            return
        with self._background:
            if self._pondering is not None:
                self._pondering.join()
                self._pondering = None

    def _end_pondering(self) -> None:
        if self._pondering is not None:
            self.stop()

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Nobody else moves or searches meanwhile."""
        self._refuse_callback()
        with self._board:
            yield

    def _refuse_callback(self) -> None:
        if self._searcher == threading.get_ident():
            raise EngineError("on_analysis may call stop(), but neither move nor search: its search is under way.")

    def _begin_at(self, state: State) -> None:
        """A new tree for this position. If that fails, the old one stays."""
        forest, evaluate = self._forest, self._evaluate
        if state.game != self.game:
            forest, evaluate = self._made_for(state.game)
        forest.set_root(0, state, self._seed)
        self._forest, self._evaluate, self._states, self._only = forest, evaluate, [state], ()

    def _made_for(self, game: Game) -> tuple[Forest, Evaluator]:
        most_nodes = self._most_tree_bytes // (36 + 6 * game.spec.most_legal)
        params = self._params.replace(max_nodes=max(2, min(self._params.max_nodes, most_nodes)))
        return Forest(game, 1, params, self._seed), self._evaluator or UniformEvaluator(game)

    def _way_to(self, state: State) -> tuple[int, ...] | None:
        """The actions that lead from the position on the board to `state`; None if it does not follow."""
        here = self.state
        if state.game != here.game or state.moves[: len(here.moves)] != here.moves:
            return None
        way = state.moves[len(here.moves) :]
        for action in way:
            if not here.is_legal(action):
                return None
            here = here.play(action)
        return way if here == state else None

    def _restrict(self, only: Sequence[int]) -> None:
        if tuple(only) != self._only:
            self._forest.restrict_root(0, list(only))
            self._only = tuple(only)

    def _advance(self, action: int) -> None:
        self._forest.advance(0, action)
        self._only = ()
        self._states.append(self.state.play(action))

    def _search(
        self,
        limit: Limit,
        stops: int,
        on_analysis: AnalysisCallback | None,
        every: float,
        is_enough: Callable[[float], bool] | None,
    ) -> Analysis:
        reported = 0.0

        def report(seconds: float) -> bool:
            nonlocal reported
            if on_analysis is not None and seconds - reported >= every:
                on_analysis(self._analysis(seconds))
                reported = seconds
            return is_enough is not None and is_enough(seconds)

        return self._analysis(self._run(limit, stops, report).seconds)

    def _run(self, limit: Limit, stops: int, is_enough: Callable[[float], bool] = lambda seconds: False) -> Stint:
        """Searches until the limit, a stop, or `is_enough`: it is called after each batch with the seconds so far."""
        started = time.perf_counter()
        self._forest.begin(0, MOST_SIMULATIONS if limit.simulations is None else limit.simulations)
        self._searcher = threading.get_ident()
        try:
            while self._forest.searching():
                evaluate_leaves(self._forest, self._evaluate)
                seconds = time.perf_counter() - started
                if self._stops != stops or (limit.seconds is not None and seconds >= limit.seconds):
                    break
                if is_enough(seconds):
                    break
        finally:
            self._searcher = None
        result = self._forest.result(0)
        return Stint(result.simulations, time.perf_counter() - started, result.stopped)

    def _analysis(self, seconds: float) -> Analysis:
        result = self._forest.result(0)
        over = self.state.outcome is not None
        return Analysis(
            state=self.state,
            moves=() if over else self._moves(result.best_action, tuple(result.line), result.root_value),
            value=self.state.outcome.value_for(self.state.to_move) if self.state.outcome else result.root_value,
            simulations=result.simulations,
            seconds=seconds,
            proven=self.state.outcome or result.proven,
            distance=result.distance,
            stopped=result.stopped,
        )

    def _moves(self, best: int, best_line: tuple[int, ...], root_value: float) -> tuple[MoveAnalysis, ...]:
        visits, _, q, prior = (array[0] for array in self._forest.root_arrays())  # each [A]
        copied = self._forest.result(0).nodes <= MOST_COPIED_NODES
        lines = _lines(self._forest.tree(0)) if copied else {}
        lines[best] = best_line or (best,)
        found = [
            MoveAnalysis(
                action=action,
                text=self.state.action_text(action),
                visits=int(visits[action]),
                value=float(q[action]) if visits[action] else root_value,
                prior=float(prior[action]),
                line=lines.get(action, (action,))[:LONGEST_LINE],
            )
            for action in {best, *np.flatnonzero(visits).tolist()}
        ]
        return tuple(sorted(found, key=lambda move: (move.action != best, -move.visits, -move.prior, move.action)))


def _lines(tree: TreeArrays) -> dict[int, tuple[int, ...]]:
    """For every visited action of the root its line: the most visited child at each node."""
    lines: dict[int, tuple[int, ...]] = {}
    for child in _children(tree, 0).tolist():
        node, line = child, [int(tree.action[child])]
        while len(line) < LONGEST_LINE and len(below := _children(tree, node)):
            wins = tree.proven[below] == tree.player[node] + 1  # a proven win comes first
            node = int(below[np.argmax(tree.visits[below] + wins * (1 << 40))])
            line.append(int(tree.action[node]))
        lines[line[0]] = tuple(line)
    return lines


def _children(tree: TreeArrays, node: int) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    """The visited children of a node."""
    children = tree.edge_child[tree.edges_from[node] : tree.edges_from[node + 1]]
    children = children[children >= 0]
    visited: np.ndarray[tuple[int], np.dtype[np.int32]] = children[tree.visits[children] > 0]
    return visited
