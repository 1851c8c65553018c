"""Searches that are done in turns: analyses that go on until they are stopped, and choices of a move.

A search of an owner who has gone ends at its next turn. Trees of analyses are kept for a while, so that the same
position, or one that follows, is searched further.
"""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from tengen import State
from tengen._core import formulas
from tengen.engine import Analysis, Engine, FirstSight, Limit
from tengen.interfaces.web.models import Model
from tengen.interfaces.web.pool import Owner
from tengen.players import leaves_at_once

__all__ = ["Finding", "Search", "Setting", "Trees", "choose_action", "new_engine"]

# A turn is counted in simulations, because on a busy machine a clock runs for those who wait for a core too; some 25 ms
# with a small network. The clock ends those of large networks.
TURN_SIMULATIONS = 256
TURN_SECONDS = 0.4
REPORT_SECONDS = 0.25  # between two analyses that a page hears of, at least
SEARCH_PER_REPORT = 5.0  # seconds of search for a second of writing analyses, at least
LEAVES = 16  # of a batch: a search has one core
KEPT_TREES = 2  # per owner


@dataclass(frozen=True)
class Setting:
    """What a search is done with."""

    engine: Engine
    model: Model


@dataclass(frozen=True)
class Finding:
    """What a search says, on its way or at its end."""

    analysis: Analysis
    sight: FirstSight | None  # None when the game is over
    model: Model
    ownership: list[float] | None  # by cell, +1 the first player's
    lead: float | None  # of the player to move, in what the game counts
    final: bool


class Search:
    """One search. `turn` is called by one worker at a time, `stop` by anyone."""

    def __init__(
        self,
        prepare: Callable[[], Setting],
        limit: Limit,
        on_finding: Callable[[Finding], None],
        on_error: Callable[[Exception], None],
        on_end: Callable[[Setting], None] = lambda setting: None,
        *,
        reports: bool,
        largest_tree: Callable[[], float] = lambda: float("inf"),
    ) -> None:
        self._prepare = prepare  # may load a network, so a worker calls it
        self._limit = limit
        self._on_finding = on_finding
        self._on_error = on_error
        self._on_end = on_end
        self._reports = reports
        self._largest_tree = largest_tree
        self._setting: Setting | None = None
        self._ownership: list[float] | None = None
        self._lead: float | None = None
        self._sight: FirstSight | None = None
        self._began = self._next_report = 0.0
        self._simulations = 0
        self._seconds = 0.0
        self._stopped = threading.Event()

    def stop(self) -> None:
        """Ends it at its next turn, with what it has found by then."""
        self._stopped.set()

    def turn(self) -> bool:
        try:
            return self._turn()
        except Exception as error:
            self._on_error(error)
            return False

    def _turn(self) -> bool:
        setting = self._setting or self._begin()
        engine = setting.engine
        stint = engine.work(self._next_limit(setting.model), TURN_SIMULATIONS)
        self._simulations += stint.simulations
        self._seconds += stint.seconds
        now = time.monotonic()
        done = (
            self._stopped.is_set()
            or stint.stopped in ("proven", "node cap", "game over")
            or (self._limit.simulations is not None and self._simulations >= self._limit.simulations)
            or (self._limit.seconds is not None and now - self._began >= self._limit.seconds)
            or engine.tree_bytes > self._largest_tree()
        )
        if done or (self._reports and now >= self._next_report):
            analysis = engine.analysis(self._simulations, self._seconds)
            if done:  # first, so that whoever hears of it and asks again finds the tree
                self._on_end(setting)
            self._on_finding(Finding(analysis, self._sight, setting.model, self._ownership, self._lead, final=done))
            took = time.monotonic() - now  # the lines of a large tree take a while to find
            self._next_report = now + max(REPORT_SECONDS, SEARCH_PER_REPORT * took)
        return not done

    def _begin(self) -> Setting:
        setting = self._setting = self._prepare()
        self._began = time.monotonic()
        if setting.engine.state.outcome is None:
            self._sight = setting.engine.first_sight()
            self._ownership = setting.model.ownership(setting.engine.state)
            self._lead = setting.model.lead(setting.engine.state)
        return setting

    def _next_limit(self, model: Model) -> Limit:
        left = None if self._limit.simulations is None else self._limit.simulations - self._simulations
        if self._stopped.is_set():
            left = 0  # the root is evaluated all the same, so there is something to say
        elif model.params.rollout_weight >= 1.0:  # has no batches, and nothing else would interrupt it
            left = TURN_SIMULATIONS if left is None else min(left, TURN_SIMULATIONS)
        return Limit(left, TURN_SECONDS)


def new_engine(model: Model, state: State, simulations: int | None) -> Engine:
    """A fresh tree: what it finds depends on nothing but the position, the model and the simulations."""
    leaves = LEAVES if simulations is None else min(LEAVES, leaves_at_once(simulations))
    params = model.params.replace(leaves_per_batch=leaves)
    if simulations is None:  # an analysis: it is about all moves, so it does not end where the best ones are known
        params = params.replace(exact_root_nodes=0)
    engine = Engine(state.game, model.evaluator, params)
    engine.set_position(state)
    return engine


def choose_action(analysis: Analysis, temperature: float, rng: np.random.Generator) -> int:
    """An action drawn from pi(a) = N(a)^(1/tau) / sum_b N(b)^(1/tau); the best one at temperature 0."""
    visits = [move.visits for move in analysis.moves]
    if temperature <= 0.0 or not any(visits):
        return analysis.best_action
    policy = formulas.apply_temperature(visits, temperature)
    return analysis.moves[int(rng.choice(len(policy), p=policy))].action


class HasTree(Protocol):
    """What takes memory with its tree: an engine, an explorer."""

    @property
    def tree_bytes(self) -> int: ...


class Trees:
    """Engines whose trees are kept for their owners, within a bound for all trees together. Any thread may ask."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._lock = threading.Lock()
        self._kept: dict[Engine, tuple[Owner, str]] = {}  # nobody searches with them; the one used last at the end
        self._alive: weakref.WeakSet[HasTree] = weakref.WeakSet()

    def fresh(self, model: Model, state: State, simulations: int | None) -> Engine:
        """An engine that knows nothing yet."""
        engine = new_engine(model, state, simulations)
        self.count(engine)
        return engine

    def count(self, tree: HasTree) -> None:
        """Takes a tree into the bound for as long as it is there."""
        with self._lock:
            self._alive.add(tree)

    def alive(self) -> int:
        """Trees that there are, kept or in use."""
        with self._lock:
            return len(self._alive)

    def take(self, owner: Owner, model: Model, state: State) -> Engine:
        """An engine of the owner's that knows this position; it is nobody else's until it is given back."""
        with self._lock:
            known = [
                engine
                for engine, whose in self._kept.items()
                if whose == (owner, model.name) and _leads_to(engine.state, state)
            ]
            nearest = max(known, key=lambda engine: len(engine.state.moves), default=None)
            if nearest is not None:
                del self._kept[nearest]
        if nearest is None:
            return self.fresh(model, state, None)
        nearest.set_position(state)
        return nearest

    def give_back(self, owner: Owner, model: Model, engine: Engine) -> None:
        """Keeps the engine for its owner, as long as there is room."""
        with self._lock:
            if owner.gone:
                return
            self._kept[engine] = (owner, model.name)
            own = [kept for kept, whose in self._kept.items() if whose[0] is owner]
            for kept in own[:-KEPT_TREES]:
                del self._kept[kept]
            while sum(kept.tree_bytes for kept in self._kept) > self._most_bytes // 2:
                del self._kept[next(iter(self._kept))]

    def forget(self, owner: Owner) -> None:
        """Gives up the trees of an owner who has gone."""
        with self._lock:
            for engine in [engine for engine, whose in self._kept.items() if whose[0] is owner]:
                del self._kept[engine]

    def kept(self) -> int:
        """Trees that wait to be asked about again."""
        with self._lock:
            return len(self._kept)

    def largest(self) -> float:
        """Bytes that a tree under way may take: half of the bound, shared by all there are."""
        with self._lock:
            return self._most_bytes / 2 / max(1, len(self._alive))


def _leads_to(here: State, there: State) -> bool:
    return here.game == there.game and there.moves[: len(here.moves)] == here.moves
