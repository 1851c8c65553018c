"""Connect Four and Go in plain Python, for one_leaf.py, the peer that is Python throughout.

The code is simple but not careless: nothing is computed twice for a position, chains are found once a position and not
for every move, and repetitions are found by a Zobrist hash and a set. The rules and the planes are those of tengen's
own games (docs/games), so that the same network fits; a test plays both side by side.

A state is immutable. `to_move` is 0 or 1.
"""

import random
from functools import cached_property

import numpy as np


class Outcome:
    """How a game ended: the winner, or None for a draw."""

    def __init__(self, winner):
        self.winner = winner

    def value_for(self, player):
        if self.winner is None:
            return 0.0
        return 1.0 if self.winner == player else -1.0


class ConnectFour:
    """A position of Connect Four, six rows and seven columns; row 0 is at the top."""

    ROWS, COLUMNS, IN_A_ROW = 6, 7, 4
    DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))

    def __init__(self, board=None, to_move=0, outcome=None):
        self.board = np.zeros((self.ROWS, self.COLUMNS), np.int8) if board is None else board  # 1: own, -1: opponent's
        self.to_move = to_move
        self.outcome = outcome

    @cached_property
    def legal_actions(self):
        if self.outcome is not None:
            return []
        return [column for column, top in enumerate(self.board[0].tolist()) if not top]

    def play(self, column):
        board = self.board.copy()
        row = int(np.count_nonzero(board[:, column] == 0)) - 1
        board[row, column] = 1
        outcome = None
        if self._completes_row(board.tolist(), row, column):
            outcome = Outcome(self.to_move)
        elif board[0].all():
            outcome = Outcome(None)
        return ConnectFour(-board, 1 - self.to_move, outcome)

    def planes(self):
        """[3, 6, 7]: own stones, opponent's stones, whether X is to move"""
        turn = np.full_like(self.board, self.to_move == 0)
        return np.stack([self.board == 1, self.board == -1, turn]).astype(np.float32)

    def _completes_row(self, board, row, column):
        """Whether the stone just put there is part of four in a row."""
        for down, right in self.DIRECTIONS:
            count = 1
            for sign in (1, -1):
                r, c = row + sign * down, column + sign * right
                while 0 <= r < self.ROWS and 0 <= c < self.COLUMNS and board[r][c] == 1:
                    count += 1
                    r, c = r + sign * down, c + sign * right
            if count >= self.IN_A_ROW:
                return True
        return False


class GoRules:
    """What all positions of a game of Go have in common."""

    def __init__(self, size, komi):
        self.size, self.komi = size, komi
        self.cells = size * size
        self.longest = 2 * self.cells
        self.neighbours = [self._neighbours(cell) for cell in range(self.cells)]
        rng = random.Random(1)
        self.zobrist = [[rng.getrandbits(64) for _ in range(self.cells)] for _ in range(2)]  # by player and cell

    def _neighbours(self, cell):
        row, column = divmod(cell, self.size)
        around = ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
        return [r * self.size + c for r, c in around if 0 <= r < self.size and 0 <= c < self.size]


class Chain:
    """Connected stones of one player, and the empty cells beside them."""

    def __init__(self):
        self.stones = []
        self.liberties = set()


EMPTY = -1


class Go:
    """A position of Go by the Tromp-Taylor rules without suicide: area, positional superko, two passes end the game."""

    def __init__(self, rules):
        """The empty board."""
        self.rules = rules
        self.stones = [EMPTY] * rules.cells  # EMPTY or the player
        self.hash = 0
        self.seen = frozenset([0])  # hashes of all positions so far
        self.to_move = 0
        self.moves = ()
        self.passes = 0

    @cached_property
    def chain_of(self):
        """For every cell its chain, or None."""
        stones, neighbours = self.stones, self.rules.neighbours
        chain_of = [None] * len(stones)
        for start, player in enumerate(stones):
            if player == EMPTY or chain_of[start] is not None:
                continue
            chain = chain_of[start] = Chain()
            frontier = [start]
            while frontier:
                cell = frontier.pop()
                chain.stones.append(cell)
                for other in neighbours[cell]:
                    if stones[other] == EMPTY:
                        chain.liberties.add(other)
                    elif stones[other] == player and chain_of[other] is None:
                        chain_of[other] = chain
                        frontier.append(other)
        return chain_of

    @cached_property
    def legal_actions(self):
        if self.is_over:
            return []
        return [cell for cell, player in enumerate(self.stones) if player == EMPTY and self._is_legal(cell)] + [
            self.rules.cells
        ]

    @property
    def is_over(self):
        return self.passes >= 2 or len(self.moves) >= self.rules.longest

    def play(self, action):
        after = Go.__new__(Go)
        after.rules = self.rules
        after.to_move = 1 - self.to_move
        after.moves = (*self.moves, action)
        if action == self.rules.cells:
            after.stones, after.hash, after.seen = self.stones, self.hash, self.seen
            after.passes = self.passes + 1
            return after
        captured = self._captured(action)
        after.stones = self.stones.copy()
        after.stones[action] = self.to_move
        for chain in captured:
            for cell in chain.stones:
                after.stones[cell] = EMPTY
        after.hash = self._hash_after(action, captured)
        after.seen = self.seen | {after.hash}
        after.passes = 0
        return after

    def _captured(self, cell):
        """The opponent's chains that a stone here would take."""
        captured = []
        for other in self.rules.neighbours[cell]:
            chain = self.chain_of[other] if self.stones[other] == 1 - self.to_move else None
            if chain is not None and len(chain.liberties) == 1 and chain not in captured:
                captured.append(chain)
        return captured

    def _hash_after(self, cell, captured):
        own, opponent = self.rules.zobrist[self.to_move], self.rules.zobrist[1 - self.to_move]
        value = self.hash ^ own[cell]
        for chain in captured:
            for stone in chain.stones:
                value ^= opponent[stone]
        return value

    def _is_legal(self, cell):
        """Whether a stone on an empty cell is neither suicide nor a repetition."""
        captured = self._captured(cell)
        if not captured and not self._has_liberty(cell):
            return False
        return self._hash_after(cell, captured) not in self.seen

    def _has_liberty(self, cell):
        for other in self.rules.neighbours[cell]:
            if self.stones[other] == EMPTY:
                return True
            if self.stones[other] == self.to_move and len(self.chain_of[other].liberties) > 1:
                return True
        return False

    @cached_property
    def outcome(self):
        if not self.is_over:
            return None
        score = self._area(0) - self._area(1) - self.rules.komi
        return Outcome(None if score == 0 else 0 if score > 0 else 1)

    def _area(self, player):
        """A player's stones, and the empty regions that only they touch."""
        area = self.stones.count(player)
        visited = set()
        for start, owner in enumerate(self.stones):
            if owner != EMPTY or start in visited:
                continue
            visited.add(start)
            region, borders = [start], set()
            for cell in region:  # grows meanwhile
                for other in self.rules.neighbours[cell]:
                    if self.stones[other] != EMPTY:
                        borders.add(self.stones[other])
                    elif other not in visited:
                        visited.add(other)
                        region.append(other)
            if borders == {player}:
                area += len(region)
        return area

    def planes(self):
        """[13, size, size], as docs/games/go.md lists them"""
        rules = self.rules
        planes = np.zeros((13, rules.cells), np.float32)
        stones = np.array(self.stones)
        planes[0] = stones == self.to_move
        planes[1] = stones == 1 - self.to_move
        for plane, move in zip((2, 3), reversed(self.moves[-2:]), strict=False):
            if move != rules.cells:
                planes[plane, move] = 1
        planes[4, self.legal_actions[:-1]] = 1
        for chain in {chain for chain in self.chain_of if chain is not None}:
            liberties = len(chain.liberties)
            if liberties <= 3:
                first = 5 if self.stones[chain.stones[0]] == self.to_move else 8
                planes[first + liberties - 1, chain.stones] = 1
        planes[11] = self.passes > 0
        planes[12] = self.to_move == 0
        return planes.reshape(13, rules.size, rules.size)


def start_state(game, options):
    """The first position of a game, with the options that tengen.load takes."""
    if game == "connect_four" and not options:
        return ConnectFour()
    if game == "go" and options.keys() <= {"size", "komi"}:
        return Go(GoRules(int(options.get("size", 9)), options.get("komi", 7.5)))
    raise SystemExit(f"There are no rules in Python for {game} with {options}; --rules ours has them.")
