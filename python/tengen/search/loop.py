"""The search loop: select leaves, evaluate them, update the trees. One answer per position.

`search` runs to the end; `Stepper` runs one simulation at a time and tells what happened in it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tengen._core import (
    EvaluatorError,
    Forest,
    Game,
    Outcome,
    RolloutPolicy,
    SearchParams,
    SimulationTrace,
    State,
    Tables,
    formulas,
)
from tengen.base.threads import InUse, one_thread
from tengen.games.lines import line_texts
from tengen.network import Evaluator, UniformEvaluator
from tengen.search.tree import SearchTree

__all__ = ["SearchResult", "Stepper", "evaluate_leaves", "results", "run", "search"]


@dataclass(frozen=True)
class SearchResult:
    """What a search found out about one position. Values are for the player to move, in [-1, 1].

    A value: any thread may read it. `tree` asks the forest, which is for one thread at a time.
    """

    state: State
    visits: NDArray[np.int32]  # [A]
    policy_target: NDArray[np.float32]  # [A] sums to 1: what the network should learn
    q: NDArray[np.float32]  # [A] NaN where an action was not visited
    prior: NDArray[np.float32]  # [A] as the evaluator gave it, without noise
    root_value: float
    network_value: float  # the evaluation of the position itself
    best_action: int
    line: tuple[int, ...]  # principal variation
    proven: Outcome | None  # the result under best play, if it is known for certain
    distance: int  # plies to the end in the line that proves it
    simulations: int
    stopped: str  # "simulations", "proven", "node cap" or "game over"
    _forest: Forest = field(repr=False, compare=False)
    _index: int = field(repr=False, compare=False)

    def __repr__(self) -> str:
        line = " ".join(line_texts(self.state, self.line)) or "-"
        known = "" if self.proven is None else f", {self.proven!r} in {self.distance} plies is proven"
        best = f"{self.state.action_text(self.best_action)} is best" if self.line else "no move was searched"
        return (
            f"<SearchResult: {best}, value {self.root_value:+z.3f}{known}, line {line}, "
            f"{self.simulations} simulations, stopped by '{self.stopped}'>"
        )

    @property
    def tree(self) -> SearchTree:
        """The whole tree, to walk through. A copy, made when asked for: ask before the forest searches on."""
        return SearchTree(self.state, self._forest.params, self._forest.tree(self._index))

    def choose(self, temperature: float, rng: np.random.Generator) -> int:
        """An action drawn from pi(a) = N(a)^(1/tau) / sum_b N(b)^(1/tau); the best one at temperature 0."""
        if temperature <= 0.0 or not self.visits.any():
            return self.best_action
        policy = formulas.apply_temperature(self.visits.tolist(), temperature)
        return int(rng.choice(len(policy), p=policy))


def evaluate_leaves(forest: Forest, evaluator: Evaluator, max_leaves: int = 0) -> int:
    """One round of the loop; how many leaves were evaluated. If the evaluator fails, the forest is as it was before."""
    if (tables := _tables(evaluator)) is not None:
        return forest.settle(tables, max_leaves)
    planes = forest.select(max_leaves)  # [B, C, H, W]
    if len(planes) > 0:
        try:
            forest.update(*_answer(evaluator, planes))
        except BaseException:
            forest.cancel()
            raise
    return len(planes)


def run(forest: Forest, evaluator: Evaluator, max_leaves: int = 0) -> None:
    """Searches until every tree has stopped. If the evaluator fails, the forest is as it was before."""
    if (tables := _tables(evaluator)) is not None:
        while forest.searching():
            forest.settle(tables, max_leaves)
        return
    planes = forest.select(max_leaves)  # [B, C, H, W]
    try:
        while forest.searching():
            if len(planes) > 0:
                planes = forest.update_and_select(*_answer(evaluator, planes), max_leaves)
            else:
                planes = forest.select(max_leaves)
    except BaseException:
        forest.cancel()
        raise


def _tables(evaluator: Evaluator) -> Tables | None:
    """Of an n-tuple network, which reads states: the forest asks it without leaving C++."""
    return getattr(evaluator, "tables", None)


def _answer(evaluator: Evaluator, planes: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    answer = evaluator(planes)
    if not isinstance(answer, tuple) or len(answer) != 2:
        raise EvaluatorError("An evaluator returns two arrays, policy logits and values.")
    return _numbers(answer[0]), _numbers(answer[1])


def _numbers(part: object) -> NDArray[np.float32]:
    if type(part) is np.ndarray and part.dtype == np.float32 and part.flags.c_contiguous:
        return part
    try:
        array = np.asarray(part)
    except ValueError as error:
        raise EvaluatorError(f"An evaluator returns two arrays, policy logits and values: {error}.") from error
    if array.dtype.kind not in "fiu":
        raise EvaluatorError(f"An evaluator returns arrays of real numbers, not of {array.dtype}.")
    return np.ascontiguousarray(array, dtype=np.float32)


def results(forest: Forest, states: Sequence[State]) -> list[SearchResult]:
    """The answers of a forest whose trees have these roots."""
    visits, policy_target, q, prior = forest.root_arrays()  # each [T, A]
    answers = []
    for i, state in enumerate(states):
        answer = forest.result(i)
        answers.append(
            SearchResult(
                state=state,
                visits=visits[i],
                policy_target=policy_target[i],
                q=q[i],
                prior=prior[i],
                root_value=answer.root_value,
                network_value=answer.network_value,
                best_action=answer.best_action,
                line=tuple(answer.line),
                proven=answer.proven,
                distance=answer.distance,
                simulations=answer.simulations,
                stopped=answer.stopped,
                _forest=forest,
                _index=i,
            )
        )
    return answers


def search(
    game: Game,
    states: Sequence[State],
    evaluator: Evaluator | None = None,
    params: SearchParams | None = None,
    *,
    seed: int = 0,
    seeds: Sequence[int] | None = None,
    noise: bool = False,
    max_leaves: int = 0,
    rollouts: RolloutPolicy | None = None,
    **changes: object,
) -> list[SearchResult]:
    """Searches every state, all in one batch, and answers for each.

    `evaluator` defaults to one that knows nothing; `changes` are parameters that differ from `params`
    (`simulations=100`). `rollouts` is the policy of play-outs, if `rollout_weight` asks for any; without it they are
    uniformly random. A state's answer depends on the state, its seed and the evaluator, not on its neighbours.
    """
    used = (params or SearchParams()).replace(**changes)
    forest = Forest(game, max(1, len(states)), used, seed, rollouts)
    for i, state in enumerate(states):
        forest.set_root(i, state, seeds[i] if seeds is not None else None)
        forest.begin(i, noise=noise)
    run(forest, evaluator or UniformEvaluator(game), max_leaves)
    return results(forest, states)


class Stepper:
    """A search of one position, one simulation at a time.

    Every step returns what happened in it: the path with the score of every sibling, the leaf, what the evaluator said,
    and every number the backup changed. The first step evaluates the root and selects nothing.

    For one thread at a time: a call during another thread's raises InUseError.
    """

    def __init__(
        self,
        state: State,
        evaluator: Evaluator | None = None,
        params: SearchParams | None = None,
        *,
        seed: int = 0,
        noise: bool = False,
    ) -> None:
        self.state = state
        self._in_use = InUse("This stepper")
        self._evaluator = evaluator or UniformEvaluator(state.game)
        used = (params or SearchParams()).replace(leaves_per_batch=1)
        self._forest = Forest(state.game, 1, used, seed)
        self._forest.set_root(0, state)
        self._forest.trace(True)
        self._forest.begin(noise=noise)

    def __repr__(self) -> str:
        done = self._forest.result(0).simulations
        state = "finished" if self.finished else "not finished"
        return f"<Stepper of {self.state.game.spec.name}: {done} simulations, {state}>"

    @property
    @one_thread
    def finished(self) -> bool:
        return not self._forest.searching()

    @property
    def tree_bytes(self) -> int:
        """Memory that the tree takes."""
        return self._forest.bytes

    @one_thread
    def step(self) -> SimulationTrace:
        """Runs one simulation and tells what it did. Steps past the end repeat the last answer."""
        if not self.finished:
            evaluate_leaves(self._forest, self._evaluator)
        return self._forest.last_trace

    @property
    @one_thread
    def result(self) -> SearchResult:
        return results(self._forest, [self.state])[0]

    @property
    @one_thread
    def tree(self) -> SearchTree:
        return SearchTree(self.state, self._forest.params, self._forest.tree(0))
