"""The explorer: a search one simulation at a time, every number of it in the words of the protocol.

All numbers are `Stepper`'s own; nothing is computed here but the side that a node's value is for.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from tengen import SearchParamError, State, Stepper
from tengen._core import SimulationTrace, TreeArrays, outcome_of_proof
from tengen.games.notation import notation
from tengen.interfaces.web.boards import outcome_word
from tengen.interfaces.web.limits import TreesFullError
from tengen.interfaces.web.models import Model
from tengen.interfaces.web.shapes import OutcomeWord, Word

__all__ = ["Explorer", "ExplorerWord", "StepsWord", "TraceWord", "TreeWord"]

MOST_SIMULATIONS = 10_000  # of an explorer; beyond that nobody looks at single ones
SHOWN_NODES = 300  # with all that is known of them
MOST_NODES = 10_000  # with what is needed to draw them
FIXED = ("leaves_per_batch", "max_nodes", "cache_entries")  # one simulation at a time; and memory is the server's


class ChildWord(Word):
    action: int
    text: str
    notation: str
    visits: int
    q: float  # for the player who chooses
    prior: float
    bonus: float | None  # None: infinite, as in UCT before the first visit
    score: float | None
    standing: str  # "compared": the score decides; the others are ChildScore's


class StepWord(Word):
    node: int
    to_move: int
    state_text: str
    children: list[ChildWord]
    chosen: int


class LeafPriorWord(Word):
    action: int
    text: str
    notation: str
    prior: float


class ChangeWord(Word):
    node: int
    visits: tuple[int, int]  # before and after
    value_sum: tuple[float, float]  # for the first player


class TraceWord(Word):
    simulation: int
    path: list[StepWord]
    leaf: int
    kind: str
    value: float  # for the first player
    priors: list[LeafPriorWord]
    changes: list[ChangeWord]


class NodeWord(Word):
    node: int
    parent: int | None
    action: int | None
    text: str
    notation: str
    to_move: int
    chooser: int  # who chose the action that leads here; at the root the player to move
    visits: int
    q: float | None  # for the player who chose the action that leads here, as value; the root's for the one to move
    prior: float
    value: float | None
    proven: OutcomeWord | None


class RestWord(Word):
    """The nodes after those of the tree, the most visited first; a number of each list is of one node."""

    node: list[int]
    parent: list[int]
    action: list[int]
    visits: list[int]
    q: list[float]  # for the first player


class TreeWord(Word):
    nodes: list[NodeWord]
    nodes_total: int
    rest: RestWord | None = None  # only if it was asked for


class ExplorerWord(Word):
    explorer: int
    finished: bool
    tree: TreeWord


class StepsWord(ExplorerWord):
    simulations: int  # done so far
    traces: list[TraceWord]


class Explorer:
    """One stepper. Any thread may call; it waits for the one before. A tree beyond `largest_tree()` bytes stays."""

    def __init__(
        self,
        number: int,
        state: State,
        model: Model,
        params: Mapping[str, object],
        seed: int,
        *,
        largest_tree: Callable[[], float] = lambda: math.inf,
    ) -> None:
        self.number = number
        self._largest_tree = largest_tree
        for name in FIXED:
            if name in params:
                raise SearchParamError(f"The explorer has no parameter '{name}': it runs one simulation at a time.")
        changes = dict(params)
        # It is to show the search as it is explained: a tree, whose leaves the network judges.
        plain = model.params.replace(simulations=400, exact_root_nodes=0, exact_leaf_nodes=0)
        used = plain.replace(**changes)
        if "simulations" not in changes and not used.needs_budget:
            used = used.replace(simulations=MOST_SIMULATIONS)
        if used.simulations > MOST_SIMULATIONS:
            raise SearchParamError(f"An explorer has at most {MOST_SIMULATIONS} simulations, not {used.simulations}.")
        noise = "noise_fraction" in params and used.noise_fraction > 0.0
        self._stepper = Stepper(state, model.evaluator, used, seed=seed, noise=noise)
        self._steps = 0
        self._lock = threading.Lock()

    @property
    def tree_bytes(self) -> int:
        """Memory that the tree takes."""
        return self._stepper.tree_bytes

    def word(self) -> ExplorerWord:
        with self._lock:
            return ExplorerWord(explorer=self.number, finished=self._stepper.finished, tree=self._tree())

    def step(self, count: int, *, last: bool = False, whole: bool = False) -> StepsWord:
        """Runs so many simulations, or as many as there are left."""
        with self._lock:
            if not self._stepper.finished and self.tree_bytes > self._largest_tree():
                raise TreesFullError(
                    "The trees of all pages take as much memory as this server gives them; close an explorer, or begin "
                    "anew with fewer simulations."
                )
            found: list[SimulationTrace] = []
            while len(found) < count and not self._stepper.finished:
                found.append(self._stepper.step())
            self._steps += len(found)
            told = found[-1:] if last else found
            traces = [
                _trace(number, self._stepper.state, trace)
                for number, trace in enumerate(told, self._steps - len(told) + 1)
            ]
            return StepsWord(
                explorer=self.number,
                simulations=self._steps,
                finished=self._stepper.finished,
                tree=self._tree(whole),
                traces=traces,
            )

    def _tree(self, whole: bool = False) -> TreeWord:
        return _tree(self._stepper.state, self._stepper.tree.arrays, whole)


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None


def _trace(number: int, root: State, trace: SimulationTrace) -> TraceWord:
    path, state = [], root
    for step in trace.steps:
        children = [
            ChildWord(
                action=child.action,
                text=state.action_text(child.action),
                notation=notation(state, child.action),
                visits=child.visits,
                q=child.q,
                prior=child.prior,
                bonus=_finite(child.bonus),
                score=_finite(child.score),
                standing=child.standing,
            )
            for child in step.children
        ]
        path.append(
            StepWord(
                node=step.node,
                to_move=state.to_move,
                state_text=str(state),
                children=children,
                chosen=step.chosen,
            )
        )
        state = state.play(step.chosen)
    return TraceWord(
        simulation=number,
        path=path,
        leaf=trace.leaf,
        kind=trace.kind,
        value=trace.value,
        priors=[
            LeafPriorWord(action=action, text=state.action_text(action), notation=notation(state, action), prior=prior)
            for action, prior in zip(trace.actions, trace.priors, strict=True)
        ],
        changes=[
            ChangeWord(
                node=change.node,
                visits=(change.visits_before, change.visits_after),
                value_sum=(change.value_sum_before, change.value_sum_after),
            )
            for change in trace.changes
        ],
    )


def _tree(root: State, tree: TreeArrays, whole: bool) -> TreeWord:
    """The nodes visited most. A parent has more visits than its children and a lower number, so it is among them."""
    visited = np.flatnonzero(tree.visits > 0)
    ranked = visited[np.argsort(-tree.visits[visited], kind="stable")]
    most = ranked[:SHOWN_NODES]
    chosen = np.union1d(most, [0]).tolist()
    states = {0: root}  # by node
    for node in chosen[1:]:
        states[node] = states[int(tree.parent[node])].play(int(tree.action[node]))
    return TreeWord(
        nodes=[_node(states, tree, node) for node in chosen],
        nodes_total=len(tree.visits),
        rest=_rest(tree, ranked[SHOWN_NODES:MOST_NODES]) if whole else None,
    )


def _rest(tree: TreeArrays, nodes: NDArray[np.int64]) -> RestWord:
    return RestWord(
        node=nodes.tolist(),
        parent=tree.parent[nodes].tolist(),
        action=tree.action[nodes].tolist(),
        visits=tree.visits[nodes].tolist(),
        q=np.round(tree.value_sum[nodes] / tree.visits[nodes], 3).tolist(),
    )


def _node(states: Mapping[int, State], tree: TreeArrays, node: int) -> NodeWord:
    is_root = node == 0
    parent = int(tree.parent[node])
    chooser = int(tree.player[0 if is_root else parent])
    sign = 1.0 if chooser == 0 else -1.0  # the tree's values are for the first player
    visits = int(tree.visits[node])
    action = None if is_root else int(tree.action[node])
    return NodeWord(
        node=node,
        parent=None if is_root else parent,
        action=action,
        text="" if action is None else states[parent].action_text(action),
        notation="" if action is None else notation(states[parent], action),
        to_move=int(tree.player[node]),
        chooser=chooser,
        visits=visits,
        q=sign * float(tree.value_sum[node]) / visits if visits else None,
        prior=1.0 if is_root else float(tree.prior[node]),
        value=sign * float(tree.value[node]) if visits else None,
        proven=outcome_word(states[0].game, outcome_of_proof(int(tree.proven[node]))),
    )
