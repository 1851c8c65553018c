"""A slow search, written from the papers: one object per node, float64, one simulation at a time. PUCT (AlphaZero) and
Gumbel (as mctx has it), with or without proofs. Values are for the first player.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from tengen import Evaluator, SearchParams, State


@dataclass
class Node:
    state: State
    visits: int = 0
    total: float = 0.0
    value: float = 0.0
    priors: dict[int, float] = field(default_factory=dict)  # of the legal actions; empty before the evaluation
    children: dict[int, Node] = field(default_factory=dict)  # in the order of their first visits
    proven: float | None = None

    @property
    def side(self) -> int:
        return 1 if self.state.to_move == 0 else -1

    def q(self, action: int) -> float:
        child = self.children[action]
        return self.side * (child.total / child.visits if child.proven is None else child.proven)


class ReferenceSearch:
    def __init__(self, state: State, evaluator: Evaluator, params: SearchParams) -> None:
        self.evaluator, self.params = evaluator, params
        self.root = Node(state)
        self.evaluate(self.root)
        self.back_up([self.root], self.root.value)
        self.wanted: list[int] = []
        if params.selection == "gumbel":
            ranked = sorted(self.root.priors, key=lambda a: -self.root.priors[a])
            self.considered = ranked[: params.gumbel_considered]
            self.wanted = halving(len(self.considered), params.simulations)

    def run(self) -> Node:
        for simulation in range(self.params.simulations):
            if self.root.proven is not None:
                break
            self.simulate(simulation)
        return self.root

    def simulate(self, simulation: int) -> None:
        path = [self.root]
        while path[-1].priors and path[-1].proven is None:
            node = path[-1]
            action = self.choose(node, simulation)
            if action not in node.children:
                node.children[action] = Node(node.state.play(action))
            path.append(node.children[action])
        win = None if path[-1].priors else self.instant_win(path[-1].state)
        if win is not None:
            path[-1].priors = {win: 1.0}
            path[-1].children[win] = Node(path[-1].state.play(win))
            path.append(path[-1].children[win])
        leaf = path[-1]
        outcome = leaf.state.outcome
        if outcome is not None:
            leaf.value = outcome.value_for(0)
            if self.params.solve:
                leaf.proven = leaf.value
        elif leaf.proven is None:
            self.evaluate(leaf)
        self.back_up(path, leaf.value if leaf.proven is None else leaf.proven)

    def instant_win(self, state: State) -> int | None:
        if not (self.params.solve and self.params.instant_wins):
            return None
        winner = [(action, state.play(action).outcome) for action in state.legal_actions]
        return next((action for action, end in winner if end is not None and end.winner == state.to_move), None)

    def evaluate(self, node: Node) -> None:
        logits, values = self.evaluator(node.state.planes()[None])
        legal = list(node.state.legal_actions)
        weights = np.exp(logits[0, legal].astype(float))
        node.priors = dict(zip(legal, (weights / weights.sum()).tolist(), strict=True))
        node.value = node.side * float(values[0])

    def back_up(self, path: list[Node], value: float) -> None:
        for node in reversed(path):
            if self.params.solve and node.proven is None and node.children:
                value = self.prove(node, value)
            node.visits += 1
            node.total += value

    def prove(self, node: Node, value: float) -> float:
        """What is certain about a node goes before the estimate: its exact value, or the draw it has in hand."""
        certain = [node.side * child.proven for child in node.children.values() if child.proven is not None]
        if 1 in certain or len(certain) == len(node.priors):
            node.proven = node.side * max(certain)
            node.total = node.proven * node.visits  # its earlier estimates are known to be wrong or right now
            return node.proven
        return node.side * max(node.side * value, 0.0) if 0 in certain else value

    def choose(self, node: Node, simulation: int) -> int:
        if node is self.root and (win := self.instant_win(node.state)) is not None:
            return win
        hopeless = {a for a, child in node.children.items() if child.proven == -node.side}
        settled = {a for a, child in node.children.items() if child.proven == 0} if node is not self.root else set()
        open_ = [a for a in self.in_order(node) if a not in hopeless and a not in settled]
        if node is self.root and self.wanted:
            open_ = [a for a in self.considered if a not in hopeless] or open_
            asked = [a for a in open_ if visits(node, a) == self.wanted[simulation]]
            fewest = min(visits(node, a) for a in open_)
            score = self.halving_scores(node)
            return first_best(asked or [a for a in open_ if visits(node, a) == fewest], score)
        score = self.puct_scores(node) if self.params.selection == "puct" else self.gumbel_scores(node)
        return first_best(open_ or list(settled), score)

    def in_order(self, node: Node) -> list[int]:
        """Ties go to the child visited first, then to the higher prior."""
        return list(node.children) + sorted(node.priors.keys() - node.children.keys(), key=lambda a: -node.priors[a])

    def puct_scores(self, node: Node) -> dict[int, float]:
        p = self.params
        total = node.visits - 1
        c = p.c_puct + math.log((total + p.c_puct_base + 1) / p.c_puct_base) if p.c_puct_base else p.c_puct
        seen = sum(node.priors[a] for a in node.children)
        fpu = node.side * node.total / node.visits - p.fpu_reduction * math.sqrt(seen)
        unvisited = fpu if p.unvisited_value == "parent" else 0.0
        q = {a: node.q(a) if a in node.children else unvisited for a in node.priors}
        return {a: q[a] + c * node.priors[a] * math.sqrt(total) / (1 + visits(node, a)) for a in node.priors}

    def completed(self, node: Node) -> dict[int, float]:
        """sigma(completed q), q rescaled to [0, 1] over the actions of the node."""
        counts = {a: visits(node, a) for a in node.priors}
        seen = [a for a in node.children if counts[a]]
        mix = node.side * node.value
        if seen:
            mean = sum(node.priors[a] * node.q(a) for a in seen) / sum(node.priors[a] for a in seen)
            mix = (mix + sum(counts.values()) * mean) / (1 + sum(counts.values()))
        q = {a: node.q(a) if a in seen else mix for a in node.priors}
        low, high = min(q.values()), max(q.values())
        scale = (self.params.gumbel_c_visit + max(counts.values())) * self.params.gumbel_c_scale
        return {a: scale * (q[a] - low) / max(high - low, 1e-8) for a in q}

    def halving_scores(self, node: Node) -> dict[int, float]:
        sigma = self.completed(node)
        return {a: math.log(node.priors[a]) + sigma[a] for a in node.priors}

    def gumbel_scores(self, node: Node) -> dict[int, float]:
        sigma = self.completed(node)
        weights = {a: node.priors[a] * math.exp(sigma[a]) for a in node.priors}
        scale, all_visits = sum(weights.values()), sum(visits(node, a) for a in node.priors)
        return {a: weights[a] / scale - visits(node, a) / (1 + all_visits) for a in node.priors}


def visits(node: Node, action: int) -> int:
    return node.children[action].visits if action in node.children else 0


def first_best(actions: Iterable[int], score: dict[int, float]) -> int:
    best = None
    for action in actions:
        if best is None or score[action] > score[best]:
            best = action
    assert best is not None
    return best


def halving(considered: int, simulations: int) -> list[int]:
    phases, order, left = max(1, math.ceil(math.log2(considered))), [], [0] * considered
    while len(order) < simulations:
        for _ in range(max(1, simulations // (phases * len(left)))):
            order += left
            left = [n + 1 for n in left]
        left = left[: max(min(2, considered), len(left) // 2)]
    return order[:simulations]
