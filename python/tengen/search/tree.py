"""A finished search tree to walk through: every number the search used, node by node.

>>> import tengen
>>> game = tengen.load("tic_tac_toe")
>>> result = tengen.search(game, [game.initial_state()], tengen.UniformEvaluator(game), simulations=50)[0]
>>> result.tree.root.visits
51
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from tengen._core import Game, Outcome, SearchParams, State, TreeArrays, formulas, outcome_of_proof


@dataclass(frozen=True)
class SearchTree:
    """A copy of one tree, taken when the search was done."""

    state: State  # at the root
    params: SearchParams
    arrays: TreeArrays

    @property
    def game(self) -> Game:
        return self.state.game

    def __repr__(self) -> str:
        return f"<SearchTree of {self.game.spec.name}: {len(self)} nodes, {self.root.visits} visits>"

    @property
    def root(self) -> Node:
        return Node(self, node=0)

    def __len__(self) -> int:
        return len(self.arrays.visits)

    def node(self, number: int) -> Node:
        """The node that a SimulationTrace calls by this number."""
        line = [number]
        while (parent := int(self.arrays.parent[line[-1]])) >= 0:
            line.append(parent)
        node = self.root
        for below in reversed(line[:-1]):
            node = next(child for child in node.children if child.node == below)
        return node


@dataclass(frozen=True)
class Node:
    """A position in the tree, or an action that was never tried there (`node` is then None).

    Values are for the player who chose the action that leads here, as in Q(s, a); at the root, which nobody chose, for
    the player to move.
    """

    tree: SearchTree
    node: int | None
    parent: Node | None = None
    edge: int | None = None

    @property
    def action(self) -> int | None:
        return None if self.edge is None else int(self.tree.arrays.edge_action[self.edge])

    @property
    def action_text(self) -> str:
        return "" if self.action is None or self.parent is None else self.parent.state.action_text(self.action)

    @cached_property
    def state(self) -> State:
        """The position here: reached by the actions that lead to it from the root."""
        if self.action is None or self.parent is None:
            return self.tree.state
        return self.parent.state.play(self.action)

    @property
    def to_move(self) -> int | None:
        """Who is to move here: 0 or 1; None where the node was never visited."""
        return None if self.node is None else int(self.tree.arrays.player[self.node])

    @property
    def visits(self) -> int:
        """N(s, a)"""
        return 0 if self.node is None else int(self.tree.arrays.visits[self.node])

    @property
    def value_sum(self) -> float:
        """W(s, a)"""
        return 0.0 if self.node is None else self._sign * float(self.tree.arrays.value_sum[self.node])

    @property
    def q(self) -> float | None:
        """Q(s, a) = W / N; None without visits."""
        return self.value_sum / self.visits if self.visits else None

    @property
    def prior(self) -> float:
        """P(s, a)"""
        return 1.0 if self.edge is None else float(self.tree.arrays.edge_prior[self.edge])

    @property
    def u(self) -> float:
        """U(s, a) = c P(s, a) sqrt(sum_b N(s, b)) / (1 + N(s, a)), as PUCT would use it in the next selection."""
        if self.parent is None:
            return 0.0
        total = max(0, self.parent.visits - 1)
        c = formulas.puct_factor(self.tree.params.c_puct, self.tree.params.c_puct_base, total)
        return formulas.puct_bonus(c, self.prior, math.sqrt(total), self.visits)

    @property
    def value(self) -> float | None:
        """What the evaluator said of this position."""
        return None if self.node is None else self._sign * float(self.tree.arrays.value[self.node])

    @property
    def proven(self) -> Outcome | None:
        """The result under best play, if it is known for certain."""
        return None if self.node is None else outcome_of_proof(int(self.tree.arrays.proven[self.node]))

    @property
    def children(self) -> list[Node]:
        """One for every legal action, the most visited first; empty where the search did not look further."""
        if self.node is None:
            return []
        arrays = self.tree.arrays
        edges = range(int(arrays.edges_from[self.node]), int(arrays.edges_from[self.node + 1]))
        found = [Node(self.tree, int(child) if (child := arrays.edge_child[e]) >= 0 else None, self, e) for e in edges]
        return sorted(found, key=lambda child: (-child.visits, -child.prior, child.action))

    def __iter__(self) -> Iterator[Node]:
        return iter(self.children)

    def __repr__(self) -> str:
        q = "-" if self.q is None else f"{self.q:+.3f}"
        return f"<Node {self.action_text or 'root'}: N={self.visits} Q={q} P={self.prior:.3f} U={self.u:.3f}>"

    @property
    def _chooser(self) -> int:
        player = self.to_move if self.parent is None else self.parent.to_move
        assert player is not None
        return player

    @property
    def _sign(self) -> float:
        """From the tree's values, which are for the first player, to the chooser's side."""
        return 1.0 if self._chooser == 0 else -1.0
