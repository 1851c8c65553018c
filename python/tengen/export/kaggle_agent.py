"""An agent for Kaggle's ConnectX: a network that learned by playing itself, and a search that asks it.

The file stands alone: it needs numpy and nothing else, and holds its own rules, network, search and weights. `agent`,
at the end, is what Kaggle calls; `tengen export kaggle` writes the weights below it. Read it from the top: the rules,
then the network, then the search (PUCT, as in AlphaZero).

A value is what the position is worth to the player to move: 1 a win, 0 a draw, -1 a loss.
"""

from __future__ import annotations

import time

STARTED = time.perf_counter()  # before numpy: what loading takes comes out of the first move's time

import base64  # noqa: E402
import io  # noqa: E402
import math  # noqa: E402
from collections.abc import Iterable, Iterator  # noqa: E402, F401 (of the network, which is written below)
from typing import Any  # noqa: E402

import numpy as np  # noqa: E402

Array = np.ndarray[Any, Any]

TIME_SHARE = 0.8  # of the time for a move that the search uses; the rest is for a machine that hesitates
MOST_LEAVES = 16  # evaluated in one batch; more are hardly faster and chosen less well
MOST_COLLISIONS = 16  # times that a batch may come to a leaf it has already before it stops looking for others
MOST_KNOWN = 100_000  # evaluations that are remembered from move to move, about 60 MB
C_PUCT = 1.25  # weight of prior and visits against value (AlphaZero)
FPU_REDUCTION = 0.2  # how far below its parent a move that was never tried starts (KataGo)
DISCOUNT = 0.99  # a ply: an early win is better than a late one, and a late loss than an early one


# ---- The rules: whose stones are where, as the bits of a whole number


class Rules:
    """Connect Four on a board of any size.

    A column is rows + 1 bits, the lowest cell first. The bit above the top cell stays empty, so that a row of stones
    never runs on into the next column.
    """

    def __init__(self, rows: int, columns: int, in_a_row: int) -> None:
        self.rows, self.columns, self.in_a_row = rows, columns, in_a_row
        self.stride = rows + 1
        self.bottom = sum(1 << column * self.stride for column in range(columns))
        self.cells = self.bottom * ((1 << rows) - 1)  # all of the board
        from_middle = sorted(range(columns), key=lambda column: abs(column - columns // 2))
        self.column_cells = [((1 << rows) - 1) << column * self.stride for column in from_middle]

    def parse(self, board: list[int], mark: int) -> tuple[int, int]:
        """The stones of `mark` and of the opponent; Kaggle lists the cells row by row from the top."""
        stones = [0, 0]
        for index, cell in enumerate(board):
            if cell:
                row, column = divmod(index, self.columns)
                stones[cell != mark] |= 1 << column * self.stride + self.rows - 1 - row
        return stones[0], stones[1]

    def landing(self, own: int, opponent: int) -> list[int]:
        """The cells that a stone can fall to, those in the middle first: one a column, unless it is full."""
        # Adding a bit at the bottom of a column carries up through its stones to the first free cell.
        free = ((own | opponent) + self.bottom) & self.cells
        return [free & column for column in self.column_cells if free & column]

    def column(self, cell: int) -> int:
        return (cell.bit_length() - 1) // self.stride

    def has_row(self, stones: int) -> bool:
        """Whether there are enough in a row: up, along, or on one of the diagonals."""
        for step in (1, self.stride, self.stride - 1, self.stride + 1):
            starts = stones
            for length in range(1, self.in_a_row):
                starts &= stones >> length * step
            if starts:
                return True
        return False

    def planes(self, positions: list[tuple[int, int]]) -> Array:
        """[B, rows, columns, 3]: own stones, opponent's stones, whether X is to move; the top row first."""
        size = (self.stride * self.columns + 7) // 8
        data = b"".join(stones.to_bytes(size, "little") for position in positions for stones in position)
        bits = np.unpackbits(np.frombuffer(data, np.uint8), bitorder="little").reshape(len(positions), 2, -1)
        columns = bits[..., : self.stride * self.columns].reshape(len(positions), 2, self.columns, self.stride)
        planes = np.empty((len(positions), self.rows, self.columns, 3), np.float32)
        planes[..., :2] = columns[..., self.rows - 1 :: -1].transpose(0, 3, 2, 1)
        planes[..., 2] = [[[own.bit_count() == opponent.bit_count()]] for own, opponent in positions]
        return planes


# ---- The network: `tengen export kaggle` writes its layers here


class NumpyOperations:
    """What layers are made of."""

    def __init__(self, weights: dict[str, Array]) -> None:
        self.weights = weights


def compute(net: NumpyOperations, x: Array) -> tuple[Array, Array]:
    """planes [B, H, W, 3] -> logits [B, W] of the columns, and win, draw, loss [B, 3] of the player to move."""
    raise NotImplementedError


# ---- The search


class Network:
    """Answers for a batch of positions, in f32."""

    def __init__(self, weights: dict[str, Array]) -> None:
        self.operations = NumpyOperations({name: weight.astype(np.float32) for name, weight in weights.items()})

    def __call__(self, planes: Array) -> tuple[Array, Array]:
        return compute(self.operations, planes)


class Node:
    """A position, and for each of its moves what the search has learned."""

    __slots__ = ("cells", "children", "exact", "opponent", "own", "priors", "totals", "under_way", "value", "visits")

    def __init__(self, rules: Rules, own: int, opponent: int) -> None:
        self.own, self.opponent = own, opponent
        self.exact: float | None = None  # the value, once it is proven
        self.cells = self.choices(rules)
        self.value = 0.0  # the network's
        self.priors: list[float] = []  # of the moves; empty until the network has answered
        self.visits = [0] * len(self.cells)
        self.under_way = [0] * len(self.cells)  # visits whose value is not known yet
        self.totals = [0.0] * len(self.cells)  # sums of values, for the player to move here
        self.children: list[Node | None] = [None] * len(self.cells)

    def choices(self, rules: Rules) -> list[int]:
        """The moves worth a thought: one that wins, else one that stops a win, else all. Sees the end of the game."""
        cells = rules.landing(self.own, self.opponent)
        for cell in cells:
            if rules.has_row(self.own | cell):
                self.exact = DISCOUNT
                return [cell]
        threats = [cell for cell in cells if rules.has_row(self.opponent | cell)]
        if len(threats) > 1:
            self.exact = -(DISCOUNT**2)
        elif not cells:
            self.exact = 0.0
        return threats[:1] or cells

    def choose(self) -> int:
        """The index of the move with the highest Q + U (PUCT). A visit under way lowers U and leaves Q as it is."""
        visits, totals, priors = self.visits, self.totals, self.priors
        count = 1 + sum(visits)
        tried = sum([p for p, n in zip(priors, visits, strict=True) if n])
        untried = (self.value + sum(totals)) / count - FPU_REDUCTION * math.sqrt(tried)
        explore = C_PUCT * math.sqrt(count + sum(self.under_way))
        best, best_score = 0, -math.inf
        for index, n in enumerate(visits):
            q = totals[index] / n if n else untried
            score = q + explore * priors[index] / (1 + n + self.under_way[index])
            if score > best_score:
                best, best_score = index, score
        return best

    def prove(self) -> bool:
        """Whether the children tell the exact value: one that is lost for the opponent does, or all together."""
        values = [None if child is None or child.exact is None else -DISCOUNT * child.exact for child in self.children]
        proven = [value for value in values if value is not None]
        if proven and (max(proven) > 0 or len(proven) == len(values)):
            self.exact = max(proven)
        return self.exact is not None

    def best(self) -> int:
        """The index of the move to play: a proven win, else the most visited, else the loss that takes longest."""

        def worth(index: int) -> tuple[int, float]:
            child = self.children[index]
            if child is None or not child.exact:
                return 0, self.visits[index]
            return (-1 if child.exact > 0 else 1), -child.exact

        return max(range(len(self.cells)), key=worth)


Path = list[tuple[Node, int]]  # from the root: each node and the index of the move that was taken


class Search:
    """Plays by one set of rules. What the network has said is remembered from move to move."""

    def __init__(self, rules: Rules, network: Network) -> None:
        self.rules, self.network = rules, network
        self.known: dict[tuple[int, int], tuple[list[float], float]] = {}  # logits of the columns, value

    def move(self, own: int, opponent: int, *, seconds: float = math.inf, simulations: float = math.inf) -> int:
        """The column to play, after so many simulations or seconds, whichever comes first."""
        deadline = time.perf_counter() + seconds
        root = Node(self.rules, own, opponent)
        if len(root.cells) > 1:
            self.think(root, deadline, simulations)
        return self.rules.column(root.cells[root.best()])

    def think(self, root: Node, deadline: float, simulations: float) -> None:
        """One batch of leaves after the other, until there is no time for one that takes twice as long as any so far:
        a batch has at most twice the leaves of the one before."""
        if len(self.known) > MOST_KNOWN:
            self.known.clear()
        self.evaluate([([], root)])
        longest, leaves, done = 0.0, 1, 0
        now = time.perf_counter()
        while root.exact is None and done < simulations and now + 2 * longest < deadline:
            for _ in range(8):  # a few batches of each size: the first leaves decide where the others are sought
                done += self.batch(root, int(min(leaves, simulations - done)))
                before, now = now, time.perf_counter()
                longest = max(longest, now - before)
                if root.exact is not None or done >= simulations or now + 2 * longest >= deadline:
                    break
            leaves = min(2 * leaves, MOST_LEAVES)

    def batch(self, root: Node, leaves: int) -> int:
        """Descends to a few leaves and has the network value them together. How many simulations that was."""
        waiting: list[tuple[Path, Node]] = []
        collided: list[Path] = []
        done = 0
        while done < leaves and len(collided) <= MOST_COLLISIONS:
            path, leaf = self.descend(root)
            if any(leaf is other for _, other in waiting):
                collided.append(path)
                continue
            done += 1
            if leaf.exact is None:
                waiting.append((path, leaf))
            else:
                back_up(path, leaf.exact)
        for path in collided:
            leave(path)
        self.evaluate(waiting)
        return done

    def descend(self, root: Node) -> tuple[Path, Node]:
        """Down to a position that the network has not valued yet, or whose value is proven.

        Every move on the way counts as visited meanwhile, so that the next descent of the same batch looks elsewhere.
        """
        node, path = root, []
        while node.priors and node.exact is None:
            index = node.choose()
            path.append((node, index))
            node.under_way[index] += 1
            child = node.children[index]
            if child is None:
                child = node.children[index] = Node(self.rules, node.opponent, node.own | node.cells[index])
            node = child
        return path, node

    def evaluate(self, leaves: list[tuple[Path, Node]]) -> None:
        """Asks the network about those positions that it has not seen before, in one batch; backs up all values."""
        positions = [(leaf.own, leaf.opponent) for _, leaf in leaves]
        new = [position for position in dict.fromkeys(positions) if position not in self.known]
        if new:
            logits, wdl = self.network(self.rules.planes(new))
            values = (wdl[:, 0] - wdl[:, 2]).tolist()
            self.known.update(zip(new, zip(logits.tolist(), values, strict=True), strict=True))
        for (path, leaf), position in zip(leaves, positions, strict=True):
            columns, leaf.value = self.known[position]
            chosen = [columns[self.rules.column(cell)] for cell in leaf.cells]
            powers = [math.exp(logit - max(chosen)) for logit in chosen]
            leaf.priors = [power / sum(powers) for power in powers]
            back_up(path, leaf.value)


def back_up(path: Path, value: float) -> None:
    """Takes the value of a leaf back to the root, changing sides at each step, and a proof as far as it goes."""
    leave(path)
    proving = True
    for node, index in reversed(path):
        value *= -DISCOUNT
        node.visits[index] += 1
        node.totals[index] += value
        proving = proving and node.prove()


def leave(path: Path) -> None:
    """Nothing is under way there any more."""
    for node, index in path:
        node.under_way[index] -= 1


# ---- What Kaggle calls

SEARCHES: dict[tuple[int, int, int], Search] = {}  # made in the first move


def load_network() -> Network:
    content = np.load(io.BytesIO(base64.b64decode(WEIGHTS)), allow_pickle=False)
    return Network(dict(content))


def field(structure: Any, name: str, default: Any = None) -> Any:
    """Kaggle hands over dictionaries that also have attributes; either will do."""
    if isinstance(structure, dict):
        return structure.get(name, default)
    return getattr(structure, name, default)


LOADING = time.perf_counter() - STARTED


def agent(observation: Any, configuration: Any) -> int:
    """The column to play, from 0. Kaggle takes the last function of the file: this one."""
    started = time.perf_counter()
    size = (field(configuration, "rows", 6), field(configuration, "columns", 7), field(configuration, "inarow", 4))
    seconds = TIME_SHARE * field(configuration, "actTimeout", 2.0)
    if not SEARCHES:
        seconds -= LOADING
    if size not in SEARCHES:
        SEARCHES[size] = Search(Rules(*size), load_network())
    search = SEARCHES[size]
    own, opponent = search.rules.parse(field(observation, "board"), field(observation, "mark"))
    return search.move(own, opponent, seconds=seconds - (time.perf_counter() - started))


# The network's weights: an .npz of numpy, in half precision, as base64.
WEIGHTS = ""
